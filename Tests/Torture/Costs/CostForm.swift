// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat

/// The form in which an entry point gets an input.
enum CostForm: Sendable {
  /// A binary property list.
  case binary
  /// A property list in XML.
  case xml
  /// The JSON that `keyedarchive convert` writes of an archive.
  case json
  /// A line with a name, a tab, and the list in Base64.
  case record
  /// A property list whose key `a` has the list as data.
  case nested

  /// The extension of inputs that are changed as text; nil if they are not.
  var textExtension: String? {
    switch self {
    case .binary, .record, .nested: nil
    case .xml: "xml"
    case .json: "json"
    }
  }

  /// Converts a binary property list; nil if it cannot have this form.
  func input(_ list: Data) -> Data? {
    switch self {
    case .binary: list
    case .xml: try? PropertyList(list).data(format: .xml)
    case .json: CommandTool.json(list)
    case .record: Data("a\t\(list.base64EncodedString())\n".utf8)
    case .nested: try? PropertyListValue.dictionary(["a": .data(list)]).propertyList(.binary)
    }
  }
}
