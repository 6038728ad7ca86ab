// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchivePages
import KeyedArchives
import KeyedArchiving

// What the outline calls the things that the reader finds.

extension Outline.Kind {
  init(_ value: KeyedArchive.StoredValue) {
    switch value {
    case .boolean: self = .boolean
    case .integer, .wideInteger, .float, .double: self = .number
    case .string: self = .string
    case .date: self = .date
    case .data: self = .data
    case .array: self = .array
    case .dictionary: self = .dictionary
    case .reference: self = .note
    }
  }

  init(_ value: GraphReader.Value) {
    switch value {
    case .date: self = .date
    case .url: self = .url
    case .uuid: self = .uuid
    case .string: self = .string
    case .data: self = .data
    case .null: self = .null
    }
  }
}

extension Outline.Label {
  init(_ label: GraphReader.Label) {
    switch label {
    case .key: self = .key(label.text)
    case .element(let index): self = .element(index)
    case .pair(let text): self = .pair(text)
    case .pairKey(let index): self = .pairKey(index)
    case .pairValue(let index): self = .pairValue(index)
    }
  }
}

extension GraphReader.Shape {
  /// The bytes that the value is, if it is data.
  var data: Data? {
    switch self {
    case .scalar(.data(let data)), .value(_, .data(let data)): data
    default: nil
    }
  }
}
