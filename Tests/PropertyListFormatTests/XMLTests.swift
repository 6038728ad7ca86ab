// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import HarnessSupport
import Foundation
import PropertyListFormat
import TestSupport
import Testing

/// A property list as a tree of values, to compare lists with different object tables.
private indirect enum Tree: Equatable, CustomStringConvertible {
  case leaf(PropertyListObject)
  case array([Tree])
  case dictionary([String: Tree])

  init(_ list: PropertyList, _ ref: ObjectRef? = nil) throws {
    switch try list.object(ref ?? list.top) {
    case .array(let refs): self = .array(try refs.map { try Tree(list, $0) })
    case .dictionary(let keys, let values):
      var pairs: [String: Tree] = [:]
      for (key, value) in zip(keys, values) {
        guard case .string(let name) = try list.object(key) else { throw PropertyListError(.keyIsNotAString, "") }
        pairs[name] = try Tree(list, value)
      }
      self = .dictionary(pairs)
    // Kinds that XML does not distinguish.
    case .float(let value): self = .leaf(.double(Double(value)))
    case .wideInteger(let high, let low) where high == Int64(bitPattern: low) >> 63:
      self = .leaf(.integer(Int64(bitPattern: low)))
    case .date(let seconds): self = .leaf(.date(seconds.rounded(.down)))
    case let other: self = .leaf(other)
    }
  }

  var description: String {
    switch self {
    case .leaf(let object): "\(object)"
    case .array(let trees): "\(trees)"
    case .dictionary(let pairs): "\(pairs)"
    }
  }
}

private func document(_ body: String) -> Data { Data("<plist version=\"1.0\">\(body)</plist>".utf8) }

@Suite("XML property lists")
struct XMLTests {
  static let files = Corpus.valid.filter { $0.name.hasSuffix(".xml") }

  /// The first different lines of two files.
  private func firstDifference(_ a: Data, _ b: Data) -> (String, String) {
    let lines = [a, b].map {
      String(decoding: $0, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    }
    let place = zip(lines[0], lines[1]).prefix { $0 == $1 }.count
    return (String(lines[0].dropFirst(place).first ?? ""), String(lines[1].dropFirst(place).first ?? ""))
  }

  /// Files that were edited after Apple's writer, and how.
  static let edited: [String: String] = [
    "nib/ronaldoussoren.pyobjc__GraphicsBindingsDocument.nib.keyedobjects.nib__f994fe68.keyed.xml":
      "a real is spelled 0.0, which %.17g never gives",
    "other/google.santa__sync_eventupload_input_basic.plist__3c97330a.keyed.xml":
      "keys were added out of order, and reals have fewer digits than %.17g gives",
  ]

  @Test(
    "rewriting real archives gives the same bytes",
    .enabled(if: Corpus.isPresent, Comment(rawValue: Locations.sharedIsAbsent)),
    arguments: files)
  func rewritesExactly(_ file: TestFile) throws {
    let data = try file.data()
    let list = try PropertyList(data)
    #expect(list.format == .xml)
    #expect(try list.data() == data)
    let again = try list.rewritten()
    if again == data {
      #expect(Self.edited[file.name] == nil)
      return
    }
    let (old, new) = firstDifference(data, again)
    #expect(Self.edited[file.name] != nil, "'\(old)' is written as '\(new)'")
    #expect(try Tree(PropertyList(again)) == Tree(list))
  }

  /// A sample; `archive-torture corpus` converts all archives.
  @Test(
    "converting an archive to XML and back keeps its values",
    .enabled(if: Corpus.isPresent, Comment(rawValue: Locations.sharedIsAbsent)), arguments: Corpus.sample(every: 8))
  func thereAndBack(_ file: TestFile) throws {
    let list = try PropertyList(file.data())
    let xml = try list.rewritten(as: .xml)
    let binary = try PropertyList(xml).rewritten(as: .binary)
    #expect(try Tree(PropertyList(binary)) == Tree(list))
    #expect(try PropertyList(xml).rewritten() == xml)
  }

  @Test("carriage returns become references, except in a file that has plain ones")
  func returns() throws {
    let list = try PropertyList(HandmadeList.dictionary([("a\rb", "c\r\nd")]).binary)
    let xml = try list.data(format: .xml)
    #expect(String(decoding: xml, as: UTF8.self).contains("<key>a&#13;b</key>\n\t<string>c&#13;\nd</string>"))
    #expect(try PropertyList(xml).rewritten() == xml)
    #expect(try Tree(PropertyList(xml)) == Tree(list))
    let foundation = try unsafe PropertyListSerialization.propertyList(from: xml, format: nil) as? [String: String]
    #expect(foundation == ["a\rb": "c\r\nd"])
    let plain = Data(String(decoding: xml, as: UTF8.self).replacing("&#13;", with: "\r").utf8)
    #expect(try PropertyList(plain).rewritten() == plain)
  }

  @Test(
    "dates are written as Foundation writes them",
    arguments: [0, -0.5, 86_399.75, -978_307_200, -26_479_504, 67_607_999, 252_423_993_599, -63_113_904_000, 1e12])
  func dates(_ seconds: Double) throws {
    let list = try PropertyList(
      table: [.array([ObjectRef(rawValue: 1)]), .date(seconds)], top: ObjectRef(rawValue: 0))
    let xml = try list.data(format: .xml)
    let foundation = try PropertyListSerialization.data(
      fromPropertyList: [Date(timeIntervalSinceReferenceDate: seconds)], format: .xml, options: 0)
    #expect(String(decoding: xml, as: UTF8.self) == String(decoding: foundation, as: UTF8.self))
  }

  @Test("the format is CoreFoundation's")
  func form() throws {
    let list = HandmadeList.dictionary([
      ("b", ["x", .integer(-5), 3.14, true]), ("a&<>\"'", ""), ("empty", []), ("none", [:]), ("uid", .uid(7)),
      ("data", .data(Array(0..<60))), ("é", .string("a\u{3}é")), ("Z", .real(3)),
    ])
    let xml = try PropertyList(list.binary).data(format: .xml)
    #expect(
      String(decoding: xml, as: UTF8.self) == """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
        \t<key>Z</key>
        \t<real>3</real>
        \t<key>a&amp;&lt;&gt;"'</key>
        \t<string></string>
        \t<key>b</key>
        \t<array>
        \t\t<string>x</string>
        \t\t<integer>-5</integer>
        \t\t<real>3.1400000000000001</real>
        \t\t<true/>
        \t</array>
        \t<key>data</key>
        \t<data>
        \tAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEy
        \tMzQ1Njc4OTo7
        \t</data>
        \t<key>empty</key>
        \t<array/>
        \t<key>none</key>
        \t<dict/>
        \t<key>uid</key>
        \t<dict>
        \t\t<key>CF$UID</key>
        \t\t<integer>7</integer>
        \t</dict>
        \t<key>é</key>
        \t<string>a\u{3}é</string>
        </dict>
        </plist>

        """)
  }

  @Test(
    "integers of 64 bits are written, and wider ones rejected",
    arguments: [
      (-1, 1 << 63, "-9223372036854775808"), (0, .max, "18446744073709551615"), (-1, 1 << 63 - 1, nil), (1, 0, nil),
    ] as [(Int64, UInt64, String?)])
  func wideIntegers(_ high: Int64, _ low: UInt64, _ text: String?) throws {
    let digits = [UInt64(bitPattern: high), low].flatMap { word in
      (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * (7 - $0))) }
    }
    let binary = Data(
      Array("bplist00".utf8) + [0x14] + digits + [8] + [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 1]
        + [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 25])
    let list = try PropertyList(binary)
    guard let text else {
      let error = #expect(throws: PropertyListError.self) { try list.rewritten(as: .xml) }
      #expect(error?.code == .notRepresentable)
      return
    }
    let xml = try list.rewritten(as: .xml)
    #expect(String(decoding: xml, as: UTF8.self).contains("<integer>\(text)</integer>"))
    #expect(try PropertyList(xml).rewritten() == xml)
  }

  @Test("the writer rejects expansion bombs, cycles and too deep nesting")
  func limits() throws {
    var bomb: [UInt8] = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for i in 0..<60 {
      offsets.append(UInt8(bomb.count))
      bomb += i < 59 ? [0xA2, UInt8(i + 1), UInt8(i + 1)] : [0x51, 0x78]
    }
    let table = UInt8(bomb.count)
    bomb +=
      offsets + [0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 60, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, table]
    #expect(throws: PropertyListError(.limitReached, "")) { try PropertyList(Data(bomb)).data(format: .xml) }

    let cycle: [UInt8] =
      Array("bplist00".utf8) + [0xA1, 0x00, 0x08]
      + [0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10]
    #expect(throws: PropertyListError(.cycle, "")) { try PropertyList(Data(cycle)).data(format: .xml) }

    let deep = document(String(repeating: "<array>", count: 513) + String(repeating: "</array>", count: 513))
    #expect(#expect(throws: PropertyListError.self) { try PropertyList(deep) }?.code == .limitReached)
  }

  /// Elements with their objects.
  static let values: [(String, PropertyListObject)] = [
    ("<string>a&amp;b&lt;&gt;&quot;&apos;&#65;&#x1F600;</string>", .string("a&b<>\"'A😀")),
    ("<string>x<![CDATA[<&>]]>y<!-- no -->z</string>", .string("x<&>yz")),
    ("<string/>", .string("")), ("<string></string>", .string("")),
    ("<integer>0</integer>", .integer(0)), ("<integer> +5 </integer>", .integer(5)),
    ("<integer>-9223372036854775808</integer>", .integer(.min)), ("<integer>0xfF</integer>", .integer(255)),
    ("<integer>18446744073709551615</integer>", .wideInteger(high: 0, low: .max)),
    ("<real>nan</real>", .double(.nan)), ("<real>-infinity</real>", .double(-.infinity)),
    ("<real>+infinity</real>", .double(.infinity)), ("<real>0.10000000000000001</real>", .double(0.1)),
    ("<real>-0</real>", .double(-0.0)), ("<real>5e-324</real>", .double(.leastNonzeroMagnitude)),
    ("<true/>", .boolean(true)), ("<false></false>", .boolean(false)),
    ("<date>2001-01-01T00:00:00Z</date>", .date(0)), ("<date>1970-01-01T00:00:00Z</date>", .date(-978_307_200)),
    ("<date>2000-02-29T12:34:56Z</date>", .date(-26_479_504)),
    ("<date>0001-01-01T00:00:00Z</date>", .date(-63_113_904_000)),
    ("<data>\n\tAAEC Aw==\n</data>", .data(Data([0, 1, 2, 3]))), ("<data/>", .data(Data())),
    ("<dict><key>CF$UID</key><integer>9</integer></dict>", .uid(9)),
  ]

  @Test("each element is read as its value", arguments: 0..<24)
  func value(_ row: Int) throws {
    let (text, expected) = Self.values[row]
    let list = try PropertyList(document(text))
    #expect(try list.object(list.top) == expected)
  }

  @Test("dictionaries similar to UIDs stay dictionaries")
  func notUIDs() throws {
    for body in [
      "<dict><key>CF$UID</key><integer>-1</integer></dict>", "<dict><key>CF$UID</key><string>1</string></dict>",
      "<dict><key>CF$UID</key><integer>1</integer><key>a</key><true/></dict>",
    ] {
      let list = try PropertyList(document(body))
      guard case .dictionary = try list.object(list.top) else {
        Issue.record("\(body) was taken for a UID")
        continue
      }
    }
  }

  @Test("reads other encodings that are declared or have a byte-order mark")
  func encodings() throws {
    let text = "<?xml version=\"1.0\" encoding=\"UTF-16\"?><plist><string>é😀</string></plist>"
    let units = Array(text.utf16)
    let big = Data([0xFE, 0xFF] + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
    let little = Data([0xFF, 0xFE] + units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
    for data in [big, little, Data([0xEF, 0xBB, 0xBF]) + document("<string>é😀</string>")] {
      let list = try PropertyList(data)
      #expect(try list.object(list.top) == .string("é😀"))
    }
    let latin =
      Data("<?xml version='1.0' encoding='ISO-8859-1'?><plist><string>".utf8) + Data([0xE9])
      + Data("</string></plist>".utf8)
    let list = try PropertyList(latin)
    #expect(try list.object(list.top) == .string("é"))
  }

  @Test(
    "an empty container counts as a level, whatever its tags are",
    arguments: ["<array/>", "<array></array>", "<dict/>"])
  func emptyLevels(_ innermost: String) throws {
    let file = document("<array><array>\(innermost)</array></array>")
    let list = try PropertyList(file, limits: ReadLimits(maximumDepth: 3))
    let binary = try list.data(format: .binary)
    let error = #expect(throws: PropertyListError.self) { try PropertyList(file, limits: ReadLimits(maximumDepth: 2)) }
    #expect(error?.code == .limitReached)
    #expect(throws: Never.self) { try PropertyList(binary, limits: ReadLimits(maximumDepth: 3)).data(format: .xml) }
    let written = #expect(throws: PropertyListError.self) {
      try PropertyList(binary, limits: ReadLimits(maximumDepth: 2)).data(format: .xml)
    }
    #expect(written?.code == .limitReached)
  }

  @Test(
    "each date with a year of at most nine digits is read and written again",
    arguments: [
      "31700000-01-01T00:00:00Z", "-31700000-01-01T00:00:00Z", "999999999-12-31T23:59:56Z",
      "-999999999-01-01T00:00:00Z",
    ])
  func distantDates(_ date: String) throws {
    let file = document("<date>\(date)</date>")
    let binary = try PropertyList(PropertyList(file).data(format: .binary))
    #expect(try String(decoding: binary.data(format: .xml), as: UTF8.self).contains("<date>\(date)</date>"))
  }

  @Test("a date in the last seconds of the last year stays in that year")
  func lastDate() throws {
    let binary = try PropertyList(
      PropertyList(document("<date>999999999-12-31T23:59:59Z</date>")).data(format: .binary))
    guard case .date(let seconds) = try binary.object(binary.top) else {
      Issue.record("a date is expected")
      return
    }
    #expect(try String(decoding: binary.data(format: .xml), as: UTF8.self).contains("<date>999999999-12-31T23:59:56Z<"))
    for seconds in [seconds.nextUp, -2 * seconds, .infinity, .nan] {
      let list = try PropertyList(table: [.date(seconds)], top: ObjectRef(rawValue: 0))
      let error = #expect(throws: PropertyListError.self) { try list.data(format: .xml) }
      #expect(error?.code == .notRepresentable)
    }
  }

  @Test(
    "malformed files are rejected with the line",
    arguments: [
      "<dict>", "<dict><key>a</key></dict>", "<dict><true/></dict>", "<dict><key>a</key><key>b</key></dict>",
      "<array><key>a</key></array>", "<key>a</key>", "", "<true/><true/>", "<string>a", "<string>a</key>",
      "<string><true/></string>", "<array>text</array>", "<integer>five</integer>", "<integer/>",
      "<integer>18446744073709551616</integer>", "<integer>--1</integer>", "<real>1,5</real>", "<real>0x1p3</real>",
      "<real></real>", "<date>2001-02-29T00:00:00Z</date>", "<date>today</date>", "<date>2001-01-01T00:00:00Zx</date>",
      "<data>A</data>", "<data>AA*A</data>", "<data>AA==AAAA</data>", "<string>&amp</string>",
      "<string>&nbsp;</string>",
      "<string>&#xD800;</string>", "<string>&#-1;</string>", "<string>&#;</string>", "<true>x</true>", "<stringx/>",
      "<STRING/>", "<", "<![CDATA[", "<!--", "<dict></array>", "<string a=\"></string>",
    ])
  func malformed(_ body: String) {
    let error = #expect(throws: PropertyListError.self) { try PropertyList(document("\n" + body)) }
    #expect(error?.line == 2 || body.isEmpty, "\(String(describing: error))")
    #expect(error?.byteOffset != nil)
  }

  @Test("errors have the offset in the file, after a byte-order mark too, and none if the file was converted")
  func offsets() throws {
    let text = "<?xml version='1.0'?>\n<plist version='1.0'>\n<foo/></plist>"
    func error(_ file: Data) -> PropertyListError? {
      #expect(throws: PropertyListError.self) { try PropertyList(file) }
    }
    let plain = try #require(error(Data(text.utf8)))
    let offset = try #require(plain.byteOffset)
    #expect(Data(text.utf8)[..<offset].suffix(6) == Data("<foo/>".utf8))
    let marked = Data([0xEF, 0xBB, 0xBF]) + Data(text.utf8)
    let inMarked = try #require(error(marked)?.byteOffset)
    #expect(marked[..<inMarked].suffix(6) == Data("<foo/>".utf8))
    for encoding in [String.Encoding.utf16, .utf16BigEndian, .utf16LittleEndian] {
      let converted = error(try #require(text.data(using: encoding)))
      #expect(converted?.line == plain.line && converted?.byteOffset == nil && converted?.code == .malformedXML)
    }
    // XML has three line ends.
    for end in ["\r", "\r\n"] {
      #expect(error(Data(text.replacingOccurrences(of: "\n", with: end).utf8))?.line == plain.line)
      let list = try PropertyList(Data("<plist>\(end)<array>\(end)\(end)<true/></array></plist>".utf8))
      #expect(list.line(of: list.top) == 2)
    }
    // Errors inside of text, and limits.
    let body = "<plist><array>" + String(repeating: "<array>", count: 600)
    for text in ["<plist><string>&foo;</string></plist>", "<plist><string>&foo</string></plist>", body] {
      let offset = try #require(error(Data(text.utf8))?.byteOffset)
      #expect(error(Data([0xEF, 0xBB, 0xBF]) + Data(text.utf8))?.byteOffset == offset + 3)
      let converted = error(try #require(text.data(using: .utf16)))
      #expect(converted != nil && converted?.byteOffset == nil)
    }
    let latin = text.replacingOccurrences(of: "'1.0'?>", with: "'1.0' encoding='ISO-8859-1'?><!-- \u{E9} -->")
    #expect(error(try #require(latin.data(using: .isoLatin1)))?.byteOffset == nil)
  }

  @Test("a lone surrogate is an error with its place", arguments: [true, false])
  func loneSurrogate(isBig: Bool) throws {
    let text = Array("<plist><string>😀".utf16) + [0xD83D] + Array("a</string></plist>".utf16)
    let place = try #require(text.lastIndex(of: 0xD83D))
    let file = Data(text.flatMap { isBig ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
    let error = #expect(throws: PropertyListError.self) { try PropertyList(file) }
    #expect(error?.code == .invalidText && error?.byteOffset == 2 * place)
  }

  @Test(
    "a complete file with an error at its end is malformed, and one that ends early is truncated",
    arguments: [
      ("<plist version='1.0'/>", false), ("<plist><array><true/></dict>", false), ("<plist><true/></array>", false),
      ("<plist></plist>", false), ("<plist><array><true/></array>", true), ("<plist><array><true/>", true),
      ("<plist><string>a", true), ("<plist", true), ("<plist a=\"", true), ("<plist><!-- a", true),
    ])
  func ends(text: String, isTruncated: Bool) {
    for end in ["", "\n"] {
      let error = #expect(throws: PropertyListError.self) { try PropertyList(Data((text + end).utf8)) }
      #expect(error?.code == (isTruncated ? .truncated : .malformedXML), "\(error as Any)")
    }
  }

  @Test("a file may begin with any number of blanks")
  func blanks() throws {
    let file = Data(repeating: 0x20, count: 1000) + document("<string>a</string>")
    #expect(try PropertyListValue(propertyList: file) == "a")
  }

  @Test("the limit of bytes is that of the file, also if its conversion is larger")
  func byteLimit() throws {
    let file = document("<array>" + String(repeating: "<true/>", count: 100_000) + "</array>")
    let list = try PropertyList(file, limits: ReadLimits(maximumByteCount: file.count))
    #expect(list.objectCount == 100_001)
    #expect(throws: PropertyListError.self) {
      try PropertyList(file, limits: ReadLimits(maximumByteCount: file.count - 1))
    }
  }

  @Test(
    "entity declarations and external entities are rejected",
    arguments: [
      "<!DOCTYPE plist [<!ENTITY x \"y\">]>", "<!DOCTYPE plist [<!ENTITY x SYSTEM \"file:///etc/hostname\">]>",
      "<!DOCTYPE plist [%x;]>", "<!DOCTYPE plist [",
    ])
  func entities(_ prologue: String) {
    let data = Data("\(prologue)<plist><string>&x;</string></plist>".utf8)
    #expect(throws: PropertyListError.self) { try PropertyList(data) }
  }

  @Test("each prefix and a thousand mutations of a file give an error or a value")
  func mutations() throws {
    let file = try PropertyList(
      HandmadeList.dictionary([("a", ["x", 1, 2.5, true, .data([1, 2, 3])]), ("b", .uid(3))]).binary
    ).data(format: .xml)
    let end = try #require(file.range(of: Data("</plist>".utf8))).upperBound
    for length in 0..<end { #expect(throws: PropertyListError.self) { try PropertyList(file.prefix(length)) } }
    var random = SeededRandom(seed: 11)
    for _ in 0..<1000 {
      var bytes = [UInt8](file)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      _ = try? PropertyList(Data(bytes)).rewritten()
    }
  }

  @Test(
    "reals have the text of C's %.17g", .enabled(if: Python.isPresent, Comment(rawValue: Python.isAbsent)))
  func reals() throws {
    var random = SeededRandom(seed: 17)
    var values: [Double] = [
      0, -0.0, 1, -1, 0.1, 3.14, 2.05, 1e17, 1e16, 1e-4, 1e-5, 9.9999999999999995e22, .leastNonzeroMagnitude,
      2.2250738585072014e-308, .leastNormalMagnitude.nextDown, .greatestFiniteMagnitude, 0.5, 1.5, 1e23,
      4.35, 0.000123456789, 0.00001, 1e100,
    ]
    for _ in 0..<20_000 {
      let value = Double(bitPattern: random.next())
      if value.isFinite { values.append(value) }
      values.append(Double(Int.random(in: -1_000_000...1_000_000, using: &random)) / 1024)
    }
    let input = values.map { String($0.bitPattern, radix: 16) }.joined(separator: "\n")
    let output = try Python.run(
      "import sys,struct\nfor l in sys.stdin: print('%.17g' % struct.unpack('>d', int(l,16).to_bytes(8,'big'))[0])",
      input: Data(input.utf8))
    let expected = String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    let array = HandmadeList.array(values.map { .real($0) })
    let xml = String(decoding: try PropertyList(array.binary).data(format: .xml), as: UTF8.self)
    let found = xml.split(separator: "\n").compactMap { line in
      line.hasPrefix("\t<real>") ? String(line.dropFirst(7).dropLast(7)) : nil
    }
    #expect(found.count == values.count)
    for (place, text) in found.enumerated() where text != expected[place] {
      Issue.record("\(values[place]) is printed as \(text), C prints \(expected[place])")
    }
  }

  @Test(
    "Python reads the same values from the XML and the binary file",
    .enabled(if: Python.isPresent && Corpus.isPresent, "needs python3 and the corpus"))
  func python() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "xml-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var count = 0
    for (place, file) in Corpus.valid.enumerated() where file.name.hasSuffix(".bplist") && place.isMultiple(of: 5) {
      let data = try file.data()
      let xml = try PropertyList(data).data(format: .xml)
      // Python's reader rejects the control characters in Apple's files.
      guard !xml.contains(where: { $0 < 9 || ($0 > 13 && $0 < 32) }) else { continue }
      try data.write(to: folder.appending(path: "\(place).binary"))
      try xml.write(to: folder.appending(path: "\(place).xml"))
      count += 1
    }
    #expect(count > 50)
    let program = """
      import plistlib, sys, os, datetime
      def norm(v):
          if isinstance(v, plistlib.UID): return {'CF$UID': v.data}
          if isinstance(v, dict): return {k: norm(x) for k, x in v.items()}
          if isinstance(v, list): return [norm(x) for x in v]
          if isinstance(v, float): return repr(v)
          if isinstance(v, datetime.datetime): return v.replace(microsecond=0).isoformat()
          return v
      d = sys.argv[1]
      for f in sorted(os.listdir(d)):
          if f.endswith('.xml'):
              a = norm(plistlib.load(open(os.path.join(d, f), 'rb')))
              b = norm(plistlib.load(open(os.path.join(d, f[:-4] + '.binary'), 'rb')))
              if a != b: print(f)
      """
    #expect(String(decoding: try Python.run(program, [folder.path]), as: UTF8.self) == "")
  }

  @Test("NaN has a sign, as C prints it", arguments: ["nan", "-nan", "+nan", "NaN"])
  func signedNaN(_ text: String) throws {
    let value = try PropertyListValue(propertyList: Data("<plist><real>\(text)</real></plist>".utf8))
    guard case .double(let number) = value else {
      Issue.record("\(value)")
      return
    }
    #expect(number.isNaN)
  }

  @Test("a file that says UTF-16 and is not gets a remedy that helps")
  func wrongEncoding() throws {
    let file = Data("<?xml version=\"1.0\" encoding=\"UTF-16\"?><plist><true/></plist>".utf8)
    let error = #expect(throws: PropertyListError.self) { try PropertyListValue(propertyList: file) }
    #expect(error?.detail == "wrong encoding: the file says 'UTF-16', but its bytes are not in UTF-16")
    #expect(error?.remedy == "If it is in UTF-8, write encoding=\"UTF-8\" in its first line")
  }

  @Test(
    "a dictionary whose only key is that of UIDs is decoded as it was encoded",
    arguments: [PropertyList.Format.binary, .xml])
  func keyOfUIDs(_ format: PropertyList.Format) throws {
    let value = ["CF$UID": 1]
    let data = try PropertyListValueEncoder().encode(value, as: format)
    #expect(try PropertyListValueDecoder().decode([String: Int].self, from: data) == value)
  }
}
