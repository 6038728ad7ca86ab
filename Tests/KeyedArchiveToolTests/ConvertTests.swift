// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing
import ToolTestSupport

@testable import KeyedArchiveTool

@Suite("convert")
struct ConvertTests {
  @Test(
    "XML has the text of the archive for other parsers, and a warning says if it cannot",
    .enabled(if: Python.isPresent, "\(Python.isAbsent)"))
  func returns() throws {
    let run = ToolRun("convert", "-", "--to", "xml", input: Handmade.archive(["a\rb\r\n"]))
    #expect(run.code == .fine && run.errors == "")
    let program = "import plistlib, sys; print(repr(plistlib.load(sys.stdin.buffer)['$objects'][1]))"
    #expect(String(decoding: try Python.run(program, input: run.data), as: UTF8.self) == "'a\\rb\\r\\n'\n")
    for (text, code) in [("a\u{1}", "U+0001"), ("\u{FFFE}", "U+FFFE"), ("\u{FFFF}", "U+FFFF")] {
      let excluded = ToolRun("convert", "-", "--to", "xml", input: Handmade.archive([.string(text)]))
      #expect(excluded.code == .fine)
      #expect(
        excluded.errors == "keyedarchive: -: warning: XML excludes characters of the text, so most parsers other than "
          + "Apple's reject the file: \(code) at #1\n")
      #expect(throws: Python.Failure.self) { try Python.run(program, input: excluded.data) }
    }
    let highest = ToolRun("convert", "-", "--to", "xml", input: Handmade.archive(["\u{FFFD}\u{10FFFF}\u{85}"]))
    #expect(highest.errors == "")
    _ = try Python.run(program, input: highest.data)
  }

  @Test("keeps a symbolic link of the output, whether or not its target exists")
  func outputLink() throws {
    let folder = try ScratchFolder()
    try FileManager.default.createDirectory(atPath: folder.path("sub"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: folder.path("sub/b"), withDestinationPath: "../target")
    try FileManager.default.createSymbolicLink(atPath: folder.path("a"), withDestinationPath: "sub/b")
    for _ in 0..<2 {
      #expect(ToolRun("convert", nsurl, "--to", "binary", "-o", folder.path("a")).code == .fine)
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("a")) == "sub/b")
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("sub/b")) == "../target")
      #expect(try Data(contentsOf: folder.url.appending(path: "target")) == Data(contentsOf: URL(filePath: nsurl)))
    }
  }

  @Test(
    "refuses to write as XML what XML would change, with its path, as migrate does",
    arguments: [
      (.dictionary([("CF$UID", 1)]), "a dictionary with just an integer for CF$UID"),
      // A date, a double and a float.
      (.raw([0x33, 0x3F, 0xE0, 0, 0, 0, 0, 0, 0]), "fractions of seconds"),
      (.raw([0x23, 0x7F, 0xF8, 0, 0, 0, 0, 0, 1]), "the payload of a NaN"),
      (.raw([0x22, 0x7F, 0xC0, 0, 1]), "the payload of a NaN"),
    ] as [(HandmadeList, String)])
  func xmlLosses(value: HandmadeList, what: String) throws {
    let folder = try ScratchFolder()
    let file = try folder.file(
      "a.plist", Handmade.archive([["list": [1, value], "$class": .uid(2)], Handmade.classRecord("A")]))
    let run = ToolRun("convert", "--to", "xml", "-o", folder.path("out.xml"), file)
    #expect(run.code == .notWritten && !FileManager.default.fileExists(atPath: folder.path("out.xml")))
    #expect(run.errors.contains("at #1.list[1]: XML property lists cannot hold \(what)"), "\(run.errors)")
    let rules = try folder.file("rules.json", Data(#"{"version": 1, "format": "xml", "rules": []}"#.utf8))
    let migrated = ToolRun("migrate", "-f", "--rules", rules, file)
    #expect(migrated.code == .notWritten && migrated.errors.contains("cannot hold \(what)"), "\(migrated.errors)")
  }

  @Test("refuses to write as XML what is too much to be checked, rather than to change a value that was not checked")
  func uncheckedXML() throws {
    // Arrays that share their bytes, so that a visit of each exceeds the limit, but not the XML of each.
    var file = ArchiveFile()
    let list = file.row(.array([Int](repeating: file.row(.boolean(true)), count: 5000)))
    let lists = file.row(.array([list] + (0..<40).map { _ in file.row(.same(list)) }))
    let box = file.classUID("Box", "NSObject")
    let fields = file.fields(box, [("lists", lists), ("when", file.row(.date(1.5)))])
    let folder = try ScratchFolder()
    let path = try folder.file("a.plist", file.data(root: file.object(row: fields)))
    let run = ToolRun("convert", "--to", "xml", "-o", folder.path("out.xml"), path)
    #expect(run.code == .limitReached && run.errors.contains("expansion limit reached"), "\(run.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder.path("out.xml")))
  }

  @Test("a long key that many dictionaries share is read once to find what XML cannot hold")
  func sharedKey() throws {
    func made(keyLength: Int) throws -> PropertyList {
      var file = ArchiveFile()
      let (key, value) = (file.text(String(repeating: "k", count: keyLength)), file.row(.integer(1)))
      let dictionaries = (0..<5000).map { _ in file.row(.dictionary([(key, value)])) }
      let fields = file.fields(file.classUID("Box", "NSObject"), [("list", file.row(.array(dictionaries)))])
      return try PropertyList(file.data(root: file.object(row: fields)))
    }
    let times = try [200_000, 6].map { length in
      let list = try made(keyLength: length)
      return try System.leastTime(of: 3) { () throws(KeyedArchiveError) in _ = try XMLLoss(in: list) }
    }
    #expect(times[0] < 5 * times[1])
  }

  @Test("writes as XML a NaN without payload, a whole date, and a dictionary with CF$UID and another key")
  func noXMLLoss() throws {
    let values: [HandmadeList] = [
      .real(.nan), .raw([0x22, 0x7F, 0xC0, 0, 0]), .raw([0x33, 0xBF, 0xF0, 0, 0, 0, 0, 0, 0]), .real(-0.0),
      .dictionary([("CF$UID", 1), ("x", 2)]),
      .dictionary([("CF$UID", "1")]), .dictionary([("CF$UID", -1)]),
    ]
    let data = Handmade.archive([["list": .array(values), "$class": .uid(2)], Handmade.classRecord("A")])
    let xml = ToolRun("convert", "--to", "xml", "-", input: data)
    #expect(xml.code == .fine && xml.errors == "")
    let folder = try ScratchFolder()
    let (a, b) = (try folder.file("a", data), try folder.file("b", xml.data))
    #expect(ToolRun("diff", "--ignore", "form", a, b).lines == [])
  }

  @Test("JSON has whether XML has plain carriage returns")
  func plainReturns() throws {
    let escaped = ToolRun("convert", "-", "--to", "xml", input: Handmade.archive(["a\rb"])).data
    let plain = Data(String(decoding: escaped, as: UTF8.self).replacing("&#13;", with: "\r").utf8)
    #expect(plain.count == escaped.count - 4)
    for xml in [escaped, plain] {
      let json = ToolRun("convert", "-", "--to", "json", input: xml)
      #expect(json.errors == "" && json.output.contains("\"plainReturns\":true") == (xml == plain))
      #expect(ToolRun("convert", "-", "--to", "xml", input: json.data).data == xml)
    }
  }

  @Test("converting binary to binary copies the bytes, to a file or standard output")
  func binary() throws {
    let original = try Data(contentsOf: URL(filePath: nsurl))
    let folder = try ScratchFolder()
    #expect(ToolRun("convert", nsurl, "--to", "binary").data == original)
    let run = ToolRun("convert", nsurl, "--to=binary", "-o", folder.path("out.plist"))
    #expect(run.code == .fine && run.output == "" && run.errors == "")
    #expect(try Data(contentsOf: URL(filePath: folder.path("out.plist"))) == original)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["out.plist"])
  }

  @Test("converts a file onto itself, keeps links, and writes to devices")
  func targets() throws {
    let folder = try ScratchFolder()
    let original = try Data(contentsOf: URL(filePath: nsurl))
    let path = try folder.file("a.plist", original)
    #expect(ToolRun("convert", path, "--to", "json", "-o", path).code == .fine)
    try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: path)
    #expect(ToolRun("convert", path, "--to", "binary", "-o", folder.path("link")).code == .fine)
    #expect(try Data(contentsOf: URL(filePath: path)) == original)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("link")) == path)
    #expect(ToolRun("convert", path, "--to", "binary", "-o", "/dev/null").code == .fine)
    let type = try FileManager.default.attributesOfItem(atPath: "/dev/null")[.type] as? FileAttributeType
    #expect(type == .typeCharacterSpecial)
  }

  @Test(
    "fails with exit code 7 and the reason if it cannot write",
    arguments: [
      ("/no/such/folder/x", "could not write /no/such/folder/x: the folder does not exist"),
      ("/tmp", "cannot write '/tmp': not the name of a file"),
      ("/dev/full", "could not write /dev/full: the disk is full"),
    ])
  func notWritten(path: String, message: String) {
    guard path != "/dev/full" || FileManager.default.fileExists(atPath: path) else { return }
    let run = ToolRun("convert", nsurl, "--to", "binary", "-o", path)
    #expect(run.code == .notWritten && run.errors.contains("\(message). Use -o"), "\(run.errors)")
  }

  @Test("rejects an empty output")
  func emptyOutput() {
    let run = ToolRun("convert", nsurl, "--to", "binary", "-o", "")
    #expect(run.code == .usage && run.data.isEmpty && run.errors.contains("'--output' is empty"), "\(run.errors)")
  }

  @Test("writes binary to a terminal only with --force, and text always")
  func terminal() {
    let run = ToolRun("convert", nsurl, "--to", "binary", isTerminal: true)
    #expect(run.code == .notWritten && run.data.isEmpty && run.errors.contains("--force"))
    #expect(ToolRun("convert", nsurl, "--to", "binary", "--force", isTerminal: true).data.count == 263)
    #expect(ToolRun("convert", nsurl, "--to", "json", isTerminal: true).code == .fine)
  }

  @Test("the JSON of the URL archive has each object of the property list")
  func url() throws {
    let object = try JSONSerialization.jsonObject(with: ToolRun("convert", nsurl, "--to", "json").data)
    let json = try #require(object as? [String: Any])
    #expect(json["keyedarchive"] as? Int == 1 && json["format"] as? String == "binary" && json["top"] as? Int == 0)
    let rows = try #require(json["objects"] as? [Any])
    #expect(rows.count == 26)
    #expect(rows.compactMap { $0 as? String }.contains("https://nuomi1.github.io/"))
    #expect(rows.compactMap { ($0 as? [String: Int])?["uid"] } == [1, 0, 3, 2])
    #expect(rows.contains { $0 as? Int == 100_000 })
  }

  @Test("JSON preserves kinds, widths, bits, order and identity")
  func lossless() throws {
    let rows: [PropertyListObject] = [
      .array((1...25).map { ObjectRef(rawValue: $0) }), .null, .boolean(true), .boolean(false), .integer(0),
      .integer(-1),
      .integer(.max), .integer(.min), .wideInteger(high: 0, low: 0), .wideInteger(high: 0, low: .max),
      .wideInteger(high: .min, low: 0), .wideInteger(high: .max, low: .max),
      .float(0.1),
      .float(-0.0), .float(.infinity), .double(0.1), .double(1e300), .double(-.infinity),
      .double(Double(bitPattern: 0x7FF8_0000_0000_0001)), .date(0.1), .date(.nan), .data(Data([0, 255])),
      .string("\u{0}\"\\\u{1F600}\u{202E}é\n"), .uid(UInt64(UInt32.max)), .set([ObjectRef(rawValue: 1)]),
      .dictionary(keys: [ObjectRef(rawValue: 26)], values: [ObjectRef(rawValue: 2)]), .string("key"), .string("unused"),
    ]
    let list = try PropertyList(table: rows, top: ObjectRef(rawValue: 0))
    let json = try TableJSON.write(list, within: OutputLimit(archiveOf: 0))
    _ = try JSONSerialization.jsonObject(with: json)
    let back = try TableJSON.read(json).list
    #expect(try back.data() == list.data())
    for (index, row) in rows.enumerated() { #expect(try back.object(ObjectRef(rawValue: UInt32(index))) == row) }
  }

  @Test("JSON of an XML file keeps the format of the file when it is converted to JSON")
  func formatOfJSON() throws {
    let xml = ToolRun("convert", "-", "--to", "xml", input: try Creature.pair()).data
    let json = ToolRun("convert", "-", "--to", "json", input: xml)
    #expect(json.output.contains(#""format":"xml""#))
    #expect(ToolRun("convert", "-", "--to", "json", input: json.data).data == json.data)
  }

  @Test("JSON can begin with a byte order mark")
  func byteOrderMark() throws {
    let original = try Creature.pair()
    let json = ToolRun("convert", "-", "--to", "json", input: original).data
    let run = ToolRun("convert", "-", "--to", "binary", input: Data([0xEF, 0xBB, 0xBF]) + json)
    #expect(run.code == .fine && run.data == original, "\(run.errors)")
  }

  @Test(
    "a property list in OpenStep's format is named as by other commands",
    arguments: [
      "{ a = 1; }", "{ a = (1, 2); }", #"{ "a b" = 1; }"#,
    ])
  func openStep(text: String) {
    let run = ToolRun("convert", "-", "--to", "binary", input: Data(text.utf8))
    #expect(run.errors == ToolRun("info", "-", input: Data(text.utf8)).errors && run.code == .notAnArchive)
    #expect(run.errors.contains("OpenStep"))
    // JSON of this command has its own errors.
    let json = ToolRun("convert", "-", "--to", "binary", input: Data(#"{"keyedarchive": 1, a}"#.utf8))
    #expect(json.errors.contains("expected a key in quotes"))
  }

  @Test("creatures convert to JSON and back byte for byte")
  func thereAndBack() throws {
    let original = try Creature.pair()
    let json = ToolRun("convert", "-", "--to", "json", input: original)
    #expect(json.code == .fine && json.errors == "")
    #expect(ToolRun("convert", "-", "--to", "binary", input: json.data).data == original)
  }

  @Test("prints a note if the JSON converts back to different bytes")
  func note() {
    // Its references have four bytes; one is enough.
    let run = ToolRun("convert", "-", "--to", "json", input: Handmade.archive(["x"]))
    #expect(run.code == .fine && run.errors.contains("note: the JSON has every value"))
  }

  @Test("plain JSON follows references, and writes later occurrences as UIDs")
  func plain() throws {
    let run = ToolRun("convert", "-", "--to", "json", "--plain", input: try Creature.pair())
    let json = try #require(try JSONSerialization.jsonObject(with: run.data) as? [String: [String: Any]])
    let root = try #require(json["root"])
    #expect(root["$class"] as? String == "Zoo.Creature" && root["$uid"] as? Int == 1)
    #expect(root["Title"] as? String == "Ghost" && root["Rating"] as? Double == 2.5 && root["Scary"] as? Bool == true)
    #expect(root["Seen"] as? String == "2001-01-01T00:00:00.250Z")
    #expect(root["Home"] as? String == "https://example.org/a" && root["Nothing"] is NSNull)
    #expect(root["ID"] as? String == "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
    #expect((root["Image"] as? [String: String])?["$data"] == "iVBORw0KGgoAAQIDBAUGBwg=")
    #expect(root["Tags"] as? [String] == ["white", "loud"] && root["Scores"] as? [String: Int] == ["one": 1])
    let friend = try #require((root["Friends"] as? [[String: Any]])?.first)
    #expect((friend["Friend"] as? [String: Int])?["$seen"] == 1)
    #expect(ToolRun("convert", "-", "--to", "binary", input: run.data).errors.contains("cannot be converted back"))
    #expect(ToolRun("convert", nsurl, "--to", "binary", "--plain").code == .usage)
  }

  @Test("plain JSON has each key once, and those of the archive cannot be taken for its own")
  func plainKeys() throws {
    let own = ["$class", "$data", "$elements", "$meaning", "$pairs", "$seen", "$uid", "$$seen", "$other", "plain"]
    let entries = own.filter { $0 != "$class" }.map { ($0, HandmadeList.string("value of \($0)")) }
    let box = HandmadeList.dictionary([("a", "first"), ("a", "second")] + entries + [("$class", .uid(2))])
    let top = HandmadeList.dictionary([("root", .uid(1)), ("dictionary", .uid(3))])
    let pairs: HandmadeList = [
      "NS.keys": .array(own.indices.map { .uid(UInt64(5 + $0)) }),
      "NS.objects": .array(own.indices.map { .uid(UInt64(5 + $0)) }), "$class": .uid(4),
    ]
    let objects = [box, Handmade.classRecord("Box"), pairs, Handmade.classRecord("NSDictionary")]
    let archive = Handmade.archive(objects + own.map { .string($0) }, top: top)
    let run = ToolRun("convert", "-", "--to", "json", "--plain", input: archive)
    #expect(run.errors == "")
    let json = try #require(try JSONSerialization.jsonObject(with: run.data) as? [String: [String: Any]])
    // `$other` and `plain` are none of the writer's keys.
    let names = own.map { $0 == "$other" || $0 == "plain" ? $0 : "$\($0)" }
    #expect(json["dictionary"] as? [String: String] == Dictionary(uniqueKeysWithValues: zip(names, own)))
    let root = try #require(json["root"])
    #expect(root["a"] as? String == "first" && root["$class"] as? String == "Box" && root["$uid"] as? Int == 1)
    for (name, key) in zip(names, own) where key != "$class" { #expect(root[name] as? String == "value of \(key)") }
    #expect(root.count == own.count + 2 && run.output.components(separatedBy: "\"a\":").count == 2)
  }

  @Test(
    "JSON with a duplicate key, or a value of another kind than this command writes, is refused",
    arguments: [
      (#""format":"binary""#, #""format":"text""#), (#""format":"binary""#, #""format":1"#),
      (#""top":0"#, #""top":0,"top":0"#), (#""top":0"#, #""top":0,"documentType":"other""#),
      (#""top":0"#, #""top":0,"plainReturns":1"#),
    ])
  func wrongJSON(key: String, wrong: String) throws {
    let json = ToolRun("convert", nsurl, "--to", "json").output
    let key = json.contains(key) ? key : key.replacing(":", with: ": ")
    try #require(json.contains(key))
    let input = Data(json.replacing(key, with: wrong).utf8)
    let run = ToolRun("convert", "-", "--to", "binary", input: input)
    #expect(run.code == .notAnArchive && run.data.isEmpty && run.errors.contains("byte "), "\(run.errors)")
  }

  @Test("plain JSON of a long chain of objects needs no recursion")
  func deep() throws {
    let count = Sample.count(10_000, of: 20_000)
    let run = ToolRun("convert", "-", "--to", "json", "--plain", input: try Link.chain(count))
    #expect(run.code == .fine && run.data.count { $0 == UInt8(ascii: "{") } == count + 1)
  }

  @Test("rejects files that are not keyed archives")
  func refuses() {
    #expect(
      ToolRun("convert", "-", "--to", "xml", input: HandmadeList.dictionary([("a", 1)]).binary).code == .notAnArchive)
    #expect(ToolRun("convert", "-", "--to", "xml", input: Data("{\"keyedarchive\":2}".utf8)).code == .notAnArchive)
  }

  @Test(
    "rejects invalid JSON with the byte offset of the error",
    arguments: [
      ("{", 1), ("{\"a\" 1}", 5), ("[1,]", 3), ("[01]", 1), ("[1.]", 3), ("[\"\\x\"]", 3), ("[\"\\ud800\"]", 4),
      ("[\"a\nb\"]", 3), ("[tru]", 1), ("[1] 2", 4), ("[\"\\u12g4\"]", 4), ("{\"keyedarchive\":9}", 16),
      ("{\"keyedarchive\":1,\"top\":0,\"objects\":[{\"uid\":-1}]}", 44),
      ("{\"keyedarchive\":1,\"top\":0,\"objects\":[{\"array\":[1]}]}", 47),
      ("{\"keyedarchive\":1,\"top\":0,\"objects\":[1.5]}", 37), ("{\"keyedarchive\":1,\"top\":1,\"objects\":[1]}", 24),
      ("{\"keyedarchive\":1,\"top\":0,\"objects\":[{\"date\":\"x\"}]}", 45),
      ("{\"keyedarchive\":1,\"top\":0,\"objects\":[{\"dictionary\":[[0]]}]}", 52),
    ])
  func faulty(text: String, byte: Int) {
    let run = ToolRun("convert", "-", "--to", "binary", input: Data(text.utf8))
    #expect(run.code == .notAnArchive && run.errors.contains("(byte \(byte))"), "\(run.errors)")
  }

  @Test("deeply nested JSON is a limit, not a crash")
  func nested() {
    let text = String(repeating: "[", count: 1_000_000)
    #expect(ToolRun("convert", "-", "--to", "binary", input: Data(text.utf8)).code == .limitReached)
  }
}
