// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

@Suite("Values of Apple's classes that a program makes")
struct MadeValueTests {
  /// The archive of a value, and the value that comes out of it.
  private func archived<Value: SecureKeyedCoding>(_ value: Value) throws -> (root: KeyedArchive.Node, again: Value) {
    let data = try KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
    let again = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: data))
    return (try KeyedArchive(data).root, again)
  }

  @Test("a color is red, green and blue, or a name in a list, and is opaque unless it says otherwise")
  func colors() throws {
    let red = ArchivedColor(red: 1, green: 0.5, blue: 0)
    let (root, again) = try archived(red)
    #expect(root.className == "NSColor" && root["NSColorSpace"].number == .integer(1) && again == red)
    // Texts as bytes, as a program of C prints and reads them.
    #expect(root["NSRGB"].data.map { String(decoding: $0, as: UTF8.self) }?.hasPrefix("1 0.5 0") == true)
    let pale = ArchivedColor(red: 0, green: 0, blue: 1, alpha: 0.25, space: .deviceRGB)
    let grey = ArchivedColor(white: 0.5, alpha: 0.75)
    var cmyk = ArchivedColor(white: 0, space: .deviceCMYK)
    let named = ArchivedColor(catalog: "System", name: "labelColor", fallback: pale)
    for color in [pale, grey, named] { #expect(try archived(color).again == color) }
    #expect(try archived(named).root["NSColor"].className == "NSColor")
    #expect([red, pale, grey, named, cmyk].map(\.alpha) == [1, 0.25, 0.75, 0.25, 1])
    var other = named
    other.fallback = grey
    #expect(other.alpha == 0.75 && other.fallback == grey && other != named)
    other.fallback = nil
    #expect(other.alpha == 1 && other.fallback == nil)
    cmyk.cmyk = ColorComponents([0, 0, 0, 1, 0.5])
    #expect(cmyk.alpha == 0.5)
  }

  @Test("fonts, descriptors, pictures and spaces of colors come back as they were made")
  func appearance() throws {
    let font = ArchivedUIFont(name: "Helvetica-Bold", pointSize: 12.5, traits: 2)
    let (root, again) = try archived(font)
    #expect(again == font && root.className == "UIFont" && root["UIFontPointSize"].number == .double(12.5))
    #expect(root["UIFontTraits"].number == .integer(2) && root["UISystemFont"].number == .boolean(false))
    var short = font
    short.isSizeShort = true
    #expect(try archived(short).root["UIFontPointSize"].number == .float(12.5))
    #expect(try archived(short).again == short)

    let space = ArchivedColorSpace(id: 4, profile: Data([1, 2]), model: 1)
    #expect(try archived(space).again == space)
    let bitmap = ArchivedBitmapImageRep(tiff: Data([0x49, 0x49]))
    let (bitmapRoot, bitmapAgain) = try archived(bitmap)
    #expect(bitmapAgain == bitmap && bitmapRoot["NSTIFFRepresentation"].data == Data([0x49, 0x49]))
  }

  @Test("names of persons whose pronunciations nest are compared on threads with little stack")
  func nestedNames() throws {
    func nested(_ end: String) -> ArchivedPersonNameComponents {
      var name = ArchivedPersonNameComponents()
      name.givenName = end
      for _ in 0..<500 {
        var outer = ArchivedPersonNameComponents()
        outer.phoneticRepresentation = name
        name = outer
      }
      return name
    }
    let (name, same, other) = (nested("a"), nested("a"), nested("b"))
    var results: [Bool] = []
    try System.onThread(stackBytes: 64 << 10) { results = [name == same, name != other] }
    #expect(results == [true, true])
  }

  @Test("descriptors of sorting come back as they were made")
  func sorting() throws {
    let plain = ArchivedSortDescriptor(key: "title")
    let (root, again) = try archived(plain)
    #expect(again == plain && root["NSKey"].string == "title" && root["NSAscending"].number == .boolean(true))
    #expect(root["NSSelector"].string == "compare:")
    let other = ArchivedSortDescriptor(key: nil, isAscending: false, selector: "localizedCompare:")
    #expect(try archived(other).again == other)
  }

  @Test("what would be no such value is refused when it is archived, in words")
  func refused() {
    func refusal(_ value: some SecureKeyedCoding) -> KeyedArchiveError? {
      #expect(throws: KeyedArchiveError.self) {
        try KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
      }
    }
    let path = refusal(IndexPath(indexes: [1, -2]))
    #expect(path?.code == .notEncodable && path?.detail.contains("the index -2") == true)
    let calendar = refusal(HandmadeRange(location: 5, length: -1))
    #expect(calendar?.code == .notEncodable && calendar?.detail.contains("-1 code points from 5") == true)
  }

  /// A set of characters in a range that is none.
  private struct HandmadeRange: SecureKeyedCoding {
    let set: ArchivedCharacterSet
    init(location: Int, length: Int) {
      set = ArchivedCharacterSet(.range(ArchivedRange(location: location, length: length)))
    }
    func encode(with coder: KeyedArchiver) throws { coder.encode(set, forKey: "set") }
    init?(coder: KeyedUnarchiver) throws { nil }
  }

  @Test("an optional has name, superclasses, former names and trust of what it wraps")
  func optionals() {
    #expect(String?.archiveClassName == "NSString" && Int?.archiveClassName == "NSNumber")
    #expect(Data?.archiveClassChain == Data.archiveClassChain && Data?.archiveClassAliases == Data.archiveClassAliases)
    #expect(Date?.archiveSubclasses.isEmpty && Date?.supportsSecureCoding)
  }

  @Test("a number is a bare value; an object with keys is none, of whatever class it says it is")
  func numbers() {
    let data = HandmadeList.archive(
      [["a": 1, "$class": .uid(2)], HandmadeList.classRecord("NSNumber", "NSValue", "NSObject")])
    func check<Value: SecureKeyedCoding>(_ type: Value.Type) {
      let error = #expect(throws: KeyedArchiveError.self) {
        try KeyedUnarchiver.unarchivedObject(ofClass: type, from: data)
      }
      #expect(error?.code == .typeMismatch && error?.keyPath == "root")
      #expect(error?.detail == "invalid number: found an object with keys; expected \(type) as a primitive")
    }
    check(Int.self)
    check(Int8.self)
    check(Int16.self)
    check(Int32.self)
    check(Int64.self)
    check(UInt.self)
    check(UInt8.self)
    check(UInt16.self)
    check(UInt32.self)
    check(UInt64.self)
    check(Bool.self)
    check(Float.self)
    check(Double.self)
    check(ArchiveNumber.self)
  }

  @Test("a number is an integer, a real or a boolean, and nothing of it is taken for another")
  func numberKinds() {
    let numbers: [(ArchiveNumber, Int?, Double?, Bool?)] = [
      (.integer(-5), -5, nil, nil), (.unsigned(5), 5, nil, nil), (.unsigned(.max), nil, nil, nil),
      (.float(0.5), nil, 0.5, nil), (.double(1), nil, 1, nil), (.boolean(true), nil, nil, true),
    ]
    for (number, integer, real, boolean) in numbers {
      #expect(number.integer == integer && number.real == real && number.boolean == boolean)
    }
  }
}
