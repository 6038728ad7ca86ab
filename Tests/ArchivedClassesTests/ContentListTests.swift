// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveGenerators
import ArchivedClasses
import Foundation
import KeyedArchives
import KeyedArchiving
import Testing

/// A value with contents of any class.
private struct ValueWithContents: CustomTestStringConvertible {
  var value: any SecureKeyedCoding
  var type: any KeyedCoding.Type { Swift.type(of: value) }
  var testDescription: String { "\(type)" }

  static var all: [ValueWithContents] {
    let info = ArchivedDictionary([("text", "a"), ("number", 1.5), ("data", Data([7]))])
    var formatter = ArchivedNumberFormatter(positiveFormat: "0")
    (formatter.minimum, formatter.maximum) = (-3, Decimal(string: "12.5"))
    let dates = ArchivedDateFormatter(format: "y", attributes: info)
    var text = ArchivedAttributedString("text")
    (text.attributeSets, text.runs) = ([info], [.init(length: 4, attributes: 0)])
    let picture = Data([0x49, 0x49, 0x2A, 0])
    let image = ArchivedImage(
      flags: 0, representations: [.init(ArchivedBitmapImageRep(tiff: picture), number: 2)], backgroundColor: nil)
    let values: [any SecureKeyedCoding] = [
      ArchivedError(domain: "d", code: 1, userInfo: info), ArchivedException(name: "n", reason: nil, userInfo: info),
      ArchivedNotification(name: "n", object: "o", userInfo: info), ArchivedExpression.constant("c"),
      ArchivedFontDescriptor(attributes: info), formatter, dates, text, image,
    ]
    return values.map { ValueWithContents(value: $0) }
  }
}

@Suite("Values with contents under allow lists with other types")
struct ContentListTests {
  /// Types for numbers, arrays and all objects, which the contents of the values above can match too.
  private static var others: [[any KeyedCoding.Type]] {
    [
      [], [Int32.self], [Int.self, Double.self], [[Int].self], [Set<String>.self], [ArchiveNumber.self],
      [ArchivedObject.self], [ArchivedObject.self, String.self], [ArchivedObject.self, Int32.self, [Int].self],
      [ArchivedMutableString.self, ArchivedMutableData.self],
    ]
  }

  @Test("are decoded and archived again without a change", arguments: ValueWithContents.all.indices)
  func roundTrip(_ index: Int) throws {
    let row = ValueWithContents.all[index]
    let data = try KeyedArchiver.archivedData(withRootObject: row.value, requiringSecureCoding: true)
    for others in Self.others {
      let made = try KeyedUnarchiver.unarchivedObject(ofClasses: [row.type] + others, from: data)
      let value = try #require(made, "\(others)")
      #expect(type(of: value) == row.type, "\(others)")
      let anew = try KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: false)
      var comparison = NodeComparison(ordered: false)
      #expect(comparison.difference(try KeyedArchive(data).root, try KeyedArchive(anew).root) == nil, "\(others)")
    }
  }

  @Test("keep the class of a mutable string as data, if a list has only ArchivedObject")
  func mutableString() throws {
    let info = ArchivedDictionary([("text", ArchivedMutableString("a"))])
    let data = try KeyedArchiver.archivedData(
      withRootObject: ArchivedError(domain: "d", code: 1, userInfo: info), requiringSecureCoding: true)
    let types: [any KeyedCoding.Type] = [ArchivedError.self, ArchivedObject.self]
    let made = try KeyedUnarchiver.unarchivedObject(ofClasses: types, from: data) as? ArchivedError
    #expect((made?.userInfo?["text"] as? ArchivedObject)?.archivedClass.name == "NSMutableString")
    // The list of the caller still refuses strings.
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(
        ofClasses: [ArchivedArray.self, ArchivedObject.self],
        from: KeyedArchiver.archivedData(withRootObject: ["a"], requiringSecureCoding: true))
    }
    #expect(error?.code == .classNotAllowed)
  }
}
