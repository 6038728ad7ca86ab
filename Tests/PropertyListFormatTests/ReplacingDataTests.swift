// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PropertyListFormat
import Testing

@Suite("Replacing data in a property list")
struct ReplacingDataTests {
  private typealias Position = PropertyList.Position

  private static let text = """
    <?xml version="1.0"?>
    <plist><!-- <data> --><dict><key>a</key><data/><key>b</key>
    <array> <data>AQ==</data><data>
    Ag==</data></array></dict></plist>

    """
  private static let new = Data([3, 4])

  /// The positions of the second data of the array.
  private func positions(in list: PropertyList) throws -> [Position] {
    guard case .dictionary(_, let values) = try list.object(list.top) else { return [] }
    return [Position(list.top, 1), Position(values[1], 1)]
  }

  /// The values of a file, as Foundation reads it.
  private func values(_ file: Data) throws -> NSDictionary? {
    try unsafe PropertyListSerialization.propertyList(from: file, format: nil) as? NSDictionary
  }

  @Test("changes only the text of the data in XML", arguments: [[], [0xEF, 0xBB, 0xBF]] as [[UInt8]])
  func xml(mark: [UInt8]) throws {
    let list = try PropertyList(Data(mark) + Data(Self.text.utf8))
    let expected = Self.text.replacing("<data>\nAg==</data>", with: "<data>\n\t\tAwQ=\n\t\t</data>")
    #expect(try list.replacingData(at: positions(in: list), with: Self.new) == Data(mark) + Data(expected.utf8))
  }

  @Test("rewrites XML in another encoding")
  func encoding() throws {
    let list = try PropertyList(#require(Self.text.data(using: .utf16)))
    let file = try list.replacingData(at: positions(in: list), with: Self.new)
    #expect(try values(file) == ["a": Data(), "b": [Data([1]), Self.new]])
  }

  @Test("rewrites XML with an empty tag")
  func emptyTag() throws {
    let list = try PropertyList(Data(Self.text.utf8))
    let file = try list.replacingData(at: [Position(list.top, 0)], with: Self.new)
    #expect(try values(file) == ["a": Self.new, "b": [Data([1]), Data([2])]])
  }

  @Test("changes one of two values that share an object")
  func shared() throws {
    let refs = (0..<4).map { ObjectRef(rawValue: $0) }
    let list = try PropertyList(
      table: [
        .dictionary(keys: [refs[1], refs[2]], values: [refs[3], refs[3]]), .string("x"), .string("y"), .data(Data([1])),
      ], top: refs[0])
    let file = try list.replacingData(at: [Position(refs[0], 1)], with: Self.new)
    #expect(try values(file) == ["x": Data([1]), "y": Self.new])
  }

  @Test("replaces the top object")
  func top() throws {
    let list = try PropertyList(table: [.data(Data([1]))], top: ObjectRef(rawValue: 0))
    let file = try list.replacingData(at: [], with: Self.new)
    let top = try unsafe PropertyListSerialization.propertyList(from: file, format: nil)
    #expect(top as? Data == Self.new)
  }

  @Test("throws for a position without a value")
  func noValue() throws {
    let list = try PropertyList(Data(Self.text.utf8))
    for position in [Position(list.top, 2), Position(ObjectRef(rawValue: 1), 0)] {
      #expect(throws: PropertyListError.self) { try list.replacingData(at: [position], with: Self.new) }
    }
  }
}
