// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A `data` element of an XML property list.
struct XMLDataElement {
  private let file: Data
  /// The offsets of the text between the tags.
  private let text: Range<Int>
  /// The number of containers around the element.
  private let level: Int

  /// Finds an element.
  ///
  /// Returns nil if the file is in another encoding than UTF-8, or the element is an empty tag.
  /// - Parameters:
  ///   - number: The number of `data` elements before this one.
  ///   - file: An XML property list.
  /// - Throws: ``PropertyListError`` if the file is damaged.
  init?(number: Int, in file: Data) throws(PropertyListError) {
    let converted = try XMLEncoding.utf8(file)
    guard let skipped = converted.fileOffset else { return nil }
    let bytes = converted.bytes
    var scanner = XMLScanner(converted)
    try scanner.skipProlog()
    var count = 0
    var level = 0
    while !scanner.isAtEnd {
      switch try scanner.tag() {
      case .open(let name, let isEmpty):
        let isContainer = name == .plist || name == .dict || name == .array
        var skippedText: ContiguousArray<UInt8> = []
        if name == .data, count == number {
          guard !isEmpty else { return nil }
          let start = scanner.offset
          try scanner.text(of: name, into: &skippedText)
          guard let end = bytes[start..<scanner.offset].lastIndex(of: UInt8(ascii: "<")) else { return nil }
          self.file = file
          text = start + skipped..<end + skipped
          // The element 'plist' is not a container.
          self.level = max(level - 1, 0)
          return
        }
        if name == .data { count += 1 }
        if isContainer {
          level += isEmpty ? 0 : 1
        } else if !isEmpty {
          try scanner.text(of: name, into: &skippedText)
        }
      case .close: level -= 1
      }
      try scanner.skipMisc()
    }
    return nil
  }

  /// Returns the file with other bytes in the element, in lines as Apple's programs write them.
  func replaced(by data: Data) -> Data {
    var sink = ByteSink(capacity: file.count + 2 * data.count)
    sink.put(file.prefix(text.lowerBound).span)
    XMLElements.putLines(of: data, level: level, to: &sink)
    sink.put(file.dropFirst(text.upperBound).span)
    return sink.finish()
  }
}
