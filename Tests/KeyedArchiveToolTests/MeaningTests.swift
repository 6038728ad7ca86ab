// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import Foundation
import HarnessSupport
import PropertyListFormat
import TestSupport
import Testing
import ToolTestSupport

@testable import KeyedArchiveTool

/// An object, and what its line in a tree has after its class. Objects from 3 on belong to it; 2 is its class.
struct MeantObject: CustomTestStringConvertible, Sendable {
  let className: String
  let fields: [(String, HandmadeList)]
  let others: [HandmadeList]
  let meaning: String

  init(_ className: String, _ fields: [(String, HandmadeList)], _ others: [HandmadeList], _ meaning: String) {
    self.className = className
    self.fields = fields
    self.others = others
    self.meaning = meaning
  }

  init(_ className: String, _ fields: [(String, HandmadeList)], _ meaning: String) {
    self.init(className, fields, [], meaning)
  }

  var testDescription: String { "\(className) \(meaning)" }

  var archive: Data {
    Handmade.archive([.dictionary(fields + [("$class", .uid(2))]), Handmade.classRecord(className)] + others)
  }

  static func text(_ text: String) -> HandmadeList { .data(Array(text.utf8)) }

  static let mantissa: HandmadeList = .data([0xE2, 0x04] + [UInt8](repeating: 0, count: 14))

  static let appearance: [MeantObject] = [
    .init("NSColor", [("NSColorSpace", 1), ("NSRGB", text("1 0.5 0\0"))], "#ff8000"),
    .init("NSColor", [("NSColorSpace", 2), ("NSRGB", text("0 0 1 0.2\0"))], "#0000ff33"),
    .init("NSColor", [("NSColorSpace", 1), ("NSRGB", text("1.25 0 0"))], "#ff0000 (clamped)"),
    .init("NSColor", [("NSColorSpace", 3), ("NSWhite", text("0.5\0"))], "#808080"),
    .init("NSColor", [("NSColorSpace", 4), ("NSWhite", text("1 0\0"))], "#ffffff00"),
    .init("NSColor", [("NSColorSpace", 5), ("NSCMYK", text("0 0.5 1 0"))], "CMYK 0% 50% 100% 0%"),
    .init(
      "NSColor", [("NSColorSpace", 6), ("NSCatalogName", .uid(3)), ("NSColorName", .uid(4)), ("NSColor", .uid(5))],
      ["System", "textColor", ["NSColorSpace": 3, "NSWhite": text("0\0"), "$class": .uid(2)]],
      "#000000, System textColor"),
    .init("UIColor", [("UIRed", 1.0), ("UIGreen", 0.0), ("UIBlue", 0.2), ("UIAlpha", 1.0)], "#ff0033"),
    .init("UIColor", [("UIWhite", 0.2), ("UIAlpha", 1.0)], "#333333"),
    .init("NSFont", [("NSName", .uid(3)), ("NSSize", 13.0), ("NSfFlags", 16)], ["Helvetica"], "Helvetica 13 pt"),
    .init("UIFont", [("UIFontName", .uid(3)), ("UIFontPointSize", 17.5)], ["Menlo"], "Menlo 17.5 pt"),
    .init("NSImage", [("NSSize", .uid(3))], ["{32, 16.5}"], "32 × 16.5"),
    .init("NSAttributedString", [("NSString", .uid(3))], ["two\nlines"], #""two\nlines""#),
  ]

  static let values: [MeantObject] = [
    .init("NSIndexSet", [("NSRangeCount", 0)], "empty"),
    .init("NSIndexSet", [("NSRangeCount", 1), ("NSLocation", 3), ("NSLength", 2)], "3–4"),
    .init(
      "NSMutableIndexSet", [("NSRangeCount", 2), ("NSRangeData", .uid(3))],
      [["NS.data": .data([3, 1, 0xE8, 7, 2]), "$class": .uid(4)], Handmade.classRecord("NSMutableData")],
      "3, 1000–1001"),
    .init("NSIndexPath", [("NSIndexPathLength", 1), ("NSIndexPathValue", 9)], "[9]"),
    .init(
      "NSIndexPath", [("NSIndexPathLength", 2), ("NSIndexPathData", .uid(3))], [.data([1, 0xE8, 7])], "[1, 1000]"),
    .init("NSError", [("NSDomain", .uid(3)), ("NSCode", 4864)], ["NSCocoaErrorDomain"], "NSCocoaErrorDomain 4864"),
    .init(
      "NSDecimalNumberPlaceholder",
      [
        ("NS.exponent", -2), ("NS.length", 1), ("NS.negative", true), ("NS.mantissa.bo", 1), ("NS.mantissa", mantissa),
      ], "-12.50"),
    .init(
      "NSDecimalNumber",
      [
        ("NS.exponent", -6), ("NS.length", 1), ("NS.negative", false), ("NS.mantissa.bo", 1),
        ("NS.mantissa", mantissa),
      ], "0.001250"),
    .init("NSValue", [("NS.special", 1), ("NS.pointval", .uid(3))], ["{1, 2.5}"], "{1, 2.5}"),
    .init("NSValue", [("NS.special", 3), ("NS.rectval", .uid(3))], ["{{1, 2}, {3, 4}}"], "{{1, 2}, {3, 4}}"),
    .init(
      "NSValue", [("NS.special", 4), ("NS.rangeval.length", .uid(3)), ("NS.rangeval.location", .uid(4))], [7, 5],
      "{5, 7}"),
    .init("NSLocale", [("NS.identifier", .uid(3))], ["de_CH"], #""de_CH""#),
    .init("NSTimeZone", [("NS.name", .uid(3)), ("NS.data", .uid(0))], ["Europe/Zurich"], #""Europe/Zurich""#),
    .init(
      "NSDateInterval", [("NS.startDate", .uid(3)), ("NS.endDate", .uid(4))],
      [["NS.time": 0.0, "$class": .uid(5)], ["NS.time": 3600.0, "$class": .uid(5)], Handmade.classRecord("NSDate")],
      "2001-01-01T00:00:00Z/2001-01-01T01:00:00Z"),
    .init(
      "NSMeasurement", [("NS.value", 3.5), ("NS.unit", .uid(3))],
      [["NS.symbol": .uid(4), "$class": .uid(5)], "km", Handmade.classRecord("NSUnitLength")], "3.5 km"),
    .init("NSRegularExpression", [("NSPattern", .uid(3)), ("NSOptions", 1)], [#"a\d"#], #""a\\d""#),
    .init(
      "NSPersonNameComponents", [("NS.familyName", .uid(3)), ("NS.givenName", .uid(4))], ["Noether", "Emmy"],
      #""Emmy Noether""#),
    .init(
      "NSPersonNameComponents", [("NS.nameComponentsPrivate", .uid(3))],
      [
        ["NS.familyName": .uid(4), "NS.givenName": .uid(5), "$class": .uid(6)], "Noether", "Emmy",
        Handmade.classRecord("_NSPersonNameComponentsData"),
      ], #""Emmy Noether""#),
    .init(
      "NSValue",
      [
        ("NS.special", 11), ("NS.edgeval.top", 1.0), ("NS.edgeval.left", 2.0), ("NS.edgeval.bottom", 3.0),
        ("NS.edgeval.right", 4.0),
      ], "{1, 2, 3, 4}"),
    .init(
      "NSURL", [("NS.base", .uid(3)), ("NS.relative", .uid(4))],
      [["NS.base": .uid(0), "NS.relative": .uid(5), "$class": .uid(2)], "b.html", "https://example.org/"],
      "b.html relative to https://example.org/"),
    .init("NSSortDescriptor", [("NSKey", .uid(3)), ("NSAscending", false)], ["legs"], "legs descending"),
    .init(
      "NSComparisonPredicate",
      [("NSLeftExpression", .uid(3)), ("NSRightExpression", .uid(4)), ("NSPredicateOperator", .uid(5))],
      [
        [
          "NSExpressionType": 3, "NSOperand": .uid(6), "NSSelectorName": .uid(13), "NSArguments": .uid(10),
          "$class": .uid(7),
        ],
        ["NSExpressionType": 0, "NSConstantValue": .uid(14), "$class": .uid(8)],
        ["NSOperatorType": 2, "NSModifier": 0, "NSNegate": false, "$class": .uid(9)],
        ["NSExpressionType": 1, "$class": .uid(15)], Handmade.classRecord("NSKeyPathExpression"),
        Handmade.classRecord("NSConstantValueExpression"), Handmade.classRecord("NSComparisonPredicateOperator"),
        ["NS.objects": [.uid(11)], "$class": .uid(16)],
        ["NSExpressionType": 10, "NSKeyPath": .uid(12), "$class": .uid(17)], "owner.legs", "valueForKeyPath:", 2,
        Handmade.classRecord("NSSelfExpression"), Handmade.classRecord("NSMutableArray"),
        Handmade.classRecord("NSKeyPathSpecifierExpression"),
      ], "owner.legs > 2"),
  ]

  static let names: [MeantObject] = [
    .init("Zoo.Creature", [("Title", .uid(3))], ["Ghost"], #""Ghost""#),
    .init("A", [("id", 5), ("label", "L"), ("TITLE", "T"), ("name", "N")], #""N""#),
    .init("A", [("id", 5), ("label", "L"), ("TITLE", "T")], #""T""#),
    .init("A", [("NS.name", .uid(3))], ["Noted"], #""Noted""#),
    .init("NSMenuItem", [("NSTitle", .uid(3))], ["Open…"], #""Open…""#),
    .init("A", [("_uid", 17)], "17"),
    .init(
      "A", [("uuid", .uid(3))],
      [["NS.uuidbytes": .data([UInt8](0..<16)), "$class": .uid(4)], Handmade.classRecord("NSUUID")],
      "00010203-0405-0607-0809-0A0B0C0D0E0F"),
    .init("A", [("name", "\u{1B}[2J\u{202E}x")], #""\u{1b}[2J\u{202e}x""#),
    // A name of sixty characters is one, and a longer one is none; the next key counts.
    .init("A", [("name", .string(String(repeating: "n", count: 61))), ("id", 4)], "4"),
    .init(
      "A", [("name", .string(String(repeating: "n", count: 60)))], "\"" + String(repeating: "n", count: 60) + "\""),
  ]

  /// Objects without a meaning.
  static let malformed: [MeantObject] = [
    .init("NSColor", [("NSColorSpace", 1), ("NSRGB", text("red green blue"))], ""),
    .init("NSColor", [("NSColorSpace", 1), ("NSRGB", text("1 nan 0"))], ""),
    .init("NSColor", [("NSColorSpace", 1), ("NSRGB", text("1 1 1 1 1 1"))], ""),
    .init("NSColor", [("NSColorSpace", 1), ("NSRGB", 7)], ""),
    .init("UIColor", [("UIRed", 1.0)], ""), .init("NSFont", [("NSSize", 13.0)], ""),
    .init("NSImage", [("NSSize", "{a, b}")], ""),
    .init("NSIndexSet", [("NSRangeCount", 2), ("NSRangeData", .data([1, 1, 0x80]))], ""),
    .init("NSIndexSet", [("NSRangeCount", .integer(.max)), ("NSRangeData", .data([1, 1]))], ""),
    .init("NSIndexSet", [("NSRangeCount", 1), ("NSLocation", .integer(.max)), ("NSLength", 0)], ""),
    .init("NSIndexPath", [("NSIndexPathLength", -1)], ""),
    .init("NSDecimalNumber", [("NS.exponent", 1000), ("NS.length", 99)], ""),
    .init("NSValue", [("NS.special", 77)], ""),
    // A class as a constant is not nil.
    .init(
      "NSConstantValueExpression", [("NSExpressionType", 0), ("NSConstantValueClassName", .uid(3))],
      ["_NSPredicateUtilities"], ""),
    // A predicate that contains itself.
    .init(
      "NSCompoundPredicate", [("NSCompoundPredicateType", 0), ("NSSubpredicates", .uid(3))],
      [["NS.objects": [.uid(1)], "$class": .uid(4)], Handmade.classRecord("NSArray")], ""),
    .init("A", [("name", true), ("title", ""), ("label", .array([])), ("nickname", "x")], ""),
  ]
}

@Suite("Meanings")
struct MeaningTests {
  @Test(
    "a tree shows what an object represents, or its name",
    arguments: MeantObject.appearance + MeantObject.values + MeantObject.names)
  func tree(object: MeantObject) throws {
    let run = ToolRun("tree", "-", input: object.archive)
    #expect(run.lines.first == "root: \(object.className) \(object.meaning) #1")
    #expect(run.code == .fine)
    let row = try #require(try ToolRun("tree", "--json", "-", input: object.archive).json.first)
    let meaning = try #require(row["meaning"] as? String)
    let isQuoted = object.meaning.hasPrefix("\"")
    #expect(isQuoted ? object.meaning == EscapedText.quoted(meaning) : object.meaning == meaning)
    #expect(row["type"] as? String == "object" && row["class"] as? String == object.className)
  }

  @Test("objects with malformed values have only their keys", arguments: MeantObject.malformed)
  func malformed(object: MeantObject) throws {
    let run = ToolRun("tree", "-", input: object.archive)
    #expect(run.code == .fine)
    #expect(run.lines.first == "root: \(object.className) #1")
    #expect(try ToolRun("tree", "--json", "-", input: object.archive).json.first?["meaning"] == nil)
  }

  /// A mantissa of eight digits in a byte order, 1 for the lowest byte first.
  private static func mantissa(_ digits: [UInt16], order: Int) -> HandmadeList {
    .data(
      digits.flatMap { digit in
        let bytes = [UInt8(digit & 0xFF), UInt8(digit >> 8)]
        return order == 1 ? bytes : bytes.reversed()
      })
  }

  @Test("decimals are the JSON numbers that Foundation reads as the same value", arguments: [1, 2])
  func decimals(order: Int) throws {
    let mantissas: [[UInt16]] = [
      [0, 0, 0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0], [10, 0, 0, 0, 0, 0, 0, 0], [1200, 0, 0, 0, 0, 0, 0, 0],
      [0, 1, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0, 0, 0], [UInt16](repeating: .max, count: 8),
    ]
    var fields: [(name: String, expected: Decimal, object: HandmadeList)] = []
    for exponent in [-128, -40, -3, -1, 0, 1, 3, 40, 127] {
      for isNegative in [false, true] {
        for mantissa in mantissas {
          let least = (mantissa.lastIndex { $0 != 0 } ?? -1) + 1
          for length in Set([least, 8]) where length > 0 {
            var value = Decimal(0)
            for digit in mantissa.reversed() { value = value * 65536 + Decimal(digit) }
            value = Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: value)
            // Foundation's exponents have 8 bits.
            guard !value.isNaN else { continue }
            fields.append(
              (
                "\(fields.count)", mantissa.allSatisfy { $0 == 0 } ? 0 : value,
                [
                  "NS.exponent": .integer(Int64(exponent)), "NS.length": .integer(Int64(length)),
                  "NS.negative": .boolean(isNegative), "NS.mantissa.bo": .integer(Int64(order)),
                  "NS.mantissa": Self.mantissa(mantissa, order: order), "$class": .uid(3),
                ]
              ))
          }
        }
      }
    }
    let box = fields.enumerated().map { ($1.name, HandmadeList.uid(UInt64(4 + $0))) } + [("$class", .uid(2))]
    let data = Handmade.archive(
      [.dictionary(box), Handmade.classRecord("Box"), Handmade.classRecord("NSDecimalNumber")] + fields.map(\.object))
    let run = ToolRun("convert", "-", "--to", "json", "--plain", input: data)
    #expect(try JSONSerialization.jsonObject(with: run.data) is [String: Any])
    var texts: [String: String] = [:]
    for line in run.lines {
      let parts = line.split(separator: ":").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " ,\"")) }
      if parts.count == 2 { texts[parts[0]] = parts[1] }
    }
    #expect(fields.count > 150)
    for (name, expected, object) in fields {
      let text = try #require(texts[name])
      #expect(Decimal(string: text) == expected, "\(text): \(object)")
      if expected == 0 { #expect(text == "0") }
    }
  }

  @Test("a decimal without digits is zero, or not a number", arguments: [(false, "0"), (true, #""NaN""#)])
  func emptyDecimals(isNegative: Bool, text: String) {
    let object: HandmadeList = [
      "NS.exponent": 5, "NS.length": 0, "NS.negative": .boolean(isNegative), "NS.mantissa.bo": 1,
      "NS.mantissa": Self.mantissa([UInt16](repeating: 0, count: 8), order: 1), "$class": .uid(2),
    ]
    let data = Handmade.archive([object, Handmade.classRecord("NSDecimalNumber")])
    #expect(ToolRun("get", "--json", "-", "root", input: data).lines == [text])
  }

  @Test("later occurrences have the meaning, shortened")
  func again() {
    let color: HandmadeList = ["NSColorSpace": 1, "NSRGB": MeantObject.text("1 0 0\0"), "$class": .uid(4)]
    let data = Handmade.archive([
      ["a": .uid(2), "b": .uid(2), "$class": .uid(3)], color, Handmade.classRecord("Box"),
      Handmade.classRecord("NSColor"),
    ])
    let lines = ToolRun("tree", "-", input: data).lines
    #expect(lines.first { $0.hasPrefix("  a") } == "  a: NSColor #ff0000 #2")
    #expect(lines.last == "  b: NSColor #ff0000 ↑#2")
  }

  @Test("plain JSON has values as strings and numbers, and the meaning of objects with more content")
  func plain() throws {
    let color = MeantObject.appearance[0], font = MeantObject.appearance[9]
    let number = try #require(MeantObject.values.first { $0.meaning == "-12.50" })
    func root(_ object: MeantObject) throws -> Any? {
      let run = ToolRun("convert", "-", "--to", "json", "--plain", input: object.archive)
      return try (JSONSerialization.jsonObject(with: run.data) as? [String: Any])?["root"]
    }
    #expect(try root(color) as? String == "#ff8000")
    #expect(try root(number) as? Double == -12.5)
    let object = try #require(try root(font) as? [String: Any])
    #expect(object["$meaning"] as? String == "Helvetica 13 pt" && object["NSName"] as? String == "Helvetica")
  }

  @Test("a picture in data has its format and size, in trees, plain JSON, differences and drawings")
  func picture() throws {
    // A header of 640 by 480 pixels, by section 18 of the specification of GIF89a.
    let gif: [UInt8] = Array("GIF89a".utf8) + [0x80, 2, 0xE0, 1, 0, 0, 0]
    let data = Handmade.archive([.data(gif)])
    #expect(
      ToolRun("tree", "-", input: data).output
        == "root: <13 bytes, gif 640 × 480, 47494638 39618002 e0010000 00> #1\n")
    let plain = ToolRun("convert", "-", "--to", "json", "--plain", input: data)
    let json = try #require(try JSONSerialization.jsonObject(with: plain.data) as? [String: [String: String]])
    #expect(json["root"] == ["$meaning": "gif 640 × 480", "$data": Data(gif).base64EncodedString()])
    #expect(ToolRun("graph", "-", "--to", "html", input: data).output.contains("13 bytes, gif 640 × 480, "))
    let folder = try ScratchFolder()
    let run = ToolRun(
      "diff", try folder.file("old.plist", data), try folder.file("new.plist", Handmade.archive([.data([1])])))
    #expect(run.output.contains("<13 bytes, gif 640 × 480, "), "\(run.output)")
  }

  @Test("diff shows colors")
  func diff() throws {
    func archive(_ components: String) -> Data {
      MeantObject("NSColor", [("NSColorSpace", 1), ("NSRGB", MeantObject.text(components))], "").archive
    }
    let folder = try ScratchFolder()
    let old = try folder.file("old.plist", archive("1 0 0\0")), new = try folder.file("new.plist", archive("0 0 1\0"))
    let run = ToolRun("diff", old, new)
    #expect(run.code == .negative)
    #expect(run.output.contains("(#ff0000) → ") && run.output.contains("(#0000ff)"))
  }

  @Test("the page has colors as numbers, and names as text")
  func page() throws {
    let color = ToolRun("graph", "-", "--to", "html", input: MeantObject.appearance[1].archive)
    #expect(color.code == .fine)
    #expect(color.output.contains("\"color\":[0,0,255,51]") && color.output.contains("\"#0000ff33\""))
    let name = ToolRun("graph", "-", "--to", "html", input: MeantObject.names[0].archive)
    #expect(name.output.contains(#""\"Ghost\"""#))
    #expect(!name.output.contains("\"color\":["))
  }

  @Test("a heavy object that many others refer to is inspected a limited number of times")
  func heavy() throws {
    /// Attributed strings whose text is a string, or an object with many small containers.
    func file(isHeavy: Bool) -> Data {
      var file = ArchiveFile()
      let empty = file.row(.array([]))
      let box = file.classUID("Box")
      let fields = isHeavy ? (0..<292).map { ("key\($0)", empty) } : []
      let text = file.object(row: isHeavy ? file.fields(box, fields) : file.text("text"))
      let string = file.classUID("NSAttributedString")
      let items = (0..<2000).map { _ in
        file.reference(file.object(row: file.fields(string, [("NSString", file.reference(text))])))
      }
      let array = file.classUID("NSArray")
      return file.data(root: file.object(row: file.fields(array, [("NS.objects", file.row(.array(items)))])))
    }
    let (plain, heavy) = (file(isHeavy: false), file(isHeavy: true))
    let plainTime = System.leastTime(of: 3) { _ = ToolRun("tree", "-", input: plain) }
    #expect(System.leastTime(of: 3) { _ = ToolRun("tree", "-", input: heavy) } < 3 * plainTime)
  }

  @Test("names that many objects share cost bounded work", .notHanging, arguments: [50, 20_000, 1_000_000])
  func shared(length: Int) {
    var file = ArchiveFile()
    let name = file.object(row: file.row(.string(String(repeating: "n", count: length))))
    let box = file.classUID("NSAttributedString")
    let items = (0..<1500).map { _ in
      file.reference(file.object(row: file.fields(box, [("NSString", file.reference(name))])))
    }
    let list = file.row(.array(items))
    let array = file.classUID("NSArray")
    let root = file.object(row: file.fields(array, [("NS.objects", list)]))
    let data = file.data(root: root)
    // Plain JSON repeats shared strings, whatever they mean.
    for command in [["tree", "-"], ["graph", "-", "--to", "html"]] {
      let run = ToolRun(command, input: data)
      #expect(run.code == .fine, "\(command): \(run.errors)")
      #expect(run.data.count < 64 * data.count)
    }
  }
}
