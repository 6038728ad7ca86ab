// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import CommandLineTools
import Foundation
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing
import ToolTestSupport

@testable import KeyedArchiveTool

@Suite("--inside")
struct InsideTests {
  private let folder: ScratchFolder
  private let archive: Data

  init() throws {
    folder = try ScratchFolder()
    archive = try Creature.pair()
  }

  private var blob: HandmadeList { .data([UInt8](archive)) }

  // MARK: Commands

  @Test(
    "each command treats an archive in a property list as it treats a file",
    arguments: [
      ["tree"], ["info", "--json"], ["validate", "--json"], ["convert", "--to", "binary"], ["convert", "--to", "xml"],
      ["convert", "--to", "json"], ["convert", "--to", "json", "--plain"], ["roundtrip", "--json"], ["audit"],
      ["audit", "--json"], ["audit", "--swift"], ["graph", "--to", "dot"],
      ["get", "root.Title"], ["get", "--raw", "root.Image"], ["get", "--json", "root"],
    ])
  func commands(words: [String]) throws {
    let list: HandmadeList = ["windows": [["state": blob], 1]]
    for (name, data) in [("list", list.binary), ("list.xml", try Self.xml(list.binary))] {
      let inner = try folder.file("archive", archive)
      let outer = try folder.file(name, data)
      // The key path of 'get' follows the file.
      let key = words[0] == "get" ? words.suffix(1) : []
      let start = words.dropLast(key.count)
      let expected = ToolRun(start + [inner] + key)
      let found = ToolRun(start + ["--inside", "windows[0].state", outer] + key)
      #expect(found.code == expected.code && found.errors == "", "\(found.errors)")
      let named: KeyValuePairs = [
        "\"file\":\"\(outer)\",\"inside\":\"windows[0].state\"": "\"file\":\"\(inner)\"",
        // An audit of several files names none.
        "\"inside\":\"windows[0].state\",": "", "\(name) > windows[0].state": "archive",
      ]
      let text = named.reduce(found.output) { $0.replacing($1.key, with: $1.value) }
      #expect(text == expected.output && !text.isEmpty)
    }
  }

  /// Converts a property list to XML with Foundation.
  private static func xml(_ binary: Data) throws -> Data {
    let list = try unsafe PropertyListSerialization.propertyList(from: binary, format: nil)
    return try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
  }

  @Test("lines for people name the file and the place")
  func names() throws {
    let path = try folder.file("list", HandmadeList.dictionary([("a", blob)]).binary)
    #expect(ToolRun("info", "--inside", "a", path).output.hasPrefix("\(path) > a: binary, NSKeyedArchiver, top root, "))
    #expect(ToolRun("validate", "--inside", "a", path).output == "\(path) > a: valid\n")
    #expect(ToolRun("roundtrip", "--inside", "a", path).output == "\(path) > a: preserved\n")
  }

  @Test("diff compares the archives at one place of two files, and generate writes types for all files")
  func several() throws {
    let other = try Creature.pair()
    let a = try folder.file("a", HandmadeList.dictionary([("x", blob)]).binary)
    let b = try folder.file("b", HandmadeList.dictionary([("y", 1), ("x", .data([UInt8](other)))]).binary)
    #expect(ToolRun("diff", "--inside", "x", a, b).code == .fine)
    let types = ToolRun("generate", "--inside", "x", a, b)
    #expect(types.code == .fine && types.output.contains("\"Zoo.Creature\""))
    let test = ToolRun("generate", "--test", "--inside", "x", a)
    #expect(test.code == .fine && test.output.contains(#"KeyedArchive.data(inside: "x", of: Data("#))
  }

  @Test("JSON has the place also where a command has one line for several files")
  func severalInJSON() throws {
    let path = try folder.file("list", HandmadeList.dictionary([("a", blob)]).binary)
    for words in [["audit", path], ["diff", path, path]] {
      #expect(
        try ToolRun([words[0], "--json", "--inside", "a"] + words.dropFirst()).json[0]["inside"] as? String == "a")
    }
  }

  @Test(
    "a file without data at the place is an error of each command, and not a result",
    arguments: [
      ["tree"], ["info"], ["validate"], ["convert", "--to", "xml"], ["roundtrip"], ["audit"], ["generate"],
      ["graph", "--to", "dot"], ["diff"], ["get"], ["migrate", "-n", "--top-key", "a=b"],
    ])
  func absent(words: [String]) throws {
    let list = try folder.file("list", HandmadeList.dictionary([("a", blob), ("b", 1)]).binary)
    let more = ["diff": [list], "get": ["root"]][words[0]] ?? []
    for place in ["x", "b"] {
      let run = ToolRun(words + ["--inside", place, list] + more)
      #expect(run.code == .notAnArchive && run.output == "" && !run.errors.isEmpty, "\(run.errors)")
    }
  }

  @Test("scan and --inside stop at the same depth, and both say so")
  func depth() throws {
    for count in [NestedData.maximumDepth, NestedData.maximumDepth + 1] {
      var data = try Creature.pair()
      for _ in 0..<count { data = HandmadeList.dictionary([("d", .data([UInt8](data)))]).binary }
      let path = try folder.file("deep", data)
      let scan = ToolRun("scan", "--nested", path)
      let paths = Array(repeating: "d", count: count).joined(separator: " > ")
      let info = ToolRun("info", "--inside", paths, path)
      if count == NestedData.maximumDepth {
        #expect(scan.code == .fine && scan.errors == "")
        #expect(try scan.json.map { $0["inside"] as? String } == [paths])
        #expect(info.code == .fine)
      } else {
        #expect(scan.code == .limitReached && scan.errors.contains("data nests deeper than 64 property lists"))
        #expect(info.code == .limitReached && info.errors.contains("found 65 paths; the limit is 64"))
        #expect(info.errors.contains("Write the archive at the first paths to a file"))
      }
    }
  }

  @Test("standard input, and archives in archives in lists")
  func nested() throws {
    let state = Handmade.archive([["blob": .uid(3), "$class": .uid(2)], Handmade.classRecord("State"), blob])
    let list = HandmadeList.dictionary([("deep", .data([UInt8](state)))]).binary
    for inside in [
      ["deep", "root.blob"], ["deep", "#3"], ["deep > #3"], ["deep > root.blob"], ["deep > $objects[3]"],
    ] {
      let options = inside.flatMap { ["--inside", $0] }
      let run = ToolRun(["get"] + options + ["-", "root.Title"], input: list)
      #expect(run.output == "Ghost\n" && run.code == .fine, "\(inside) \(run.errors)")
    }
    let line = try ToolRun("info", "--json", "--inside", "deep", "--inside", "#3", "-", input: list).json[0]
    #expect(line["inside"] as? String == "deep > #3" && line["file"] as? String == "-")
  }

  // MARK: Paths

  @Test(
    "finds data under Foundation's collections and in mutable data",
    arguments: [
      "root.items[1]", "root.named.key", "root[\"old\"].second", "root.old[1]", "root.mutable", "#7[\"NS.data\"]",
      "root.named.changed", "root.old.changed",
    ])
  func collections(path: String) throws {
    let data = Handmade.archive([
      ["items": .uid(2), "named": .uid(4), "old": .uid(6), "mutable": .uid(7), "$class": .uid(9)],
      ["NS.objects": [.uid(5), .uid(3)], "$class": .uid(9)], blob,
      ["NS.keys": [.uid(5), .uid(10)], "NS.objects": [.uid(3), .uid(3)], "$class": .uid(9)], "key",
      [
        "NS.key.0": .uid(5), "NS.object.0": .uid(5), "NS.key.1": .uid(8), "NS.object.1": .uid(3), "NS.key.2": .uid(10),
        "NS.object.2": .uid(3), "$class": .uid(9),
      ], ["NS.data": blob, "$class": .uid(9)], "second", Handmade.classRecord("NSObject"),
      ["NS.string": "changed", "$class": .uid(11)], Handmade.classRecord("NSMutableString"),
    ])
    let run = ToolRun("get", "--inside", path, "-", "root.Title", input: data)
    #expect(run.output == "Ghost\n", "\(run.errors)")
  }

  @Test(
    "scan --nested prints what --inside takes",
    arguments: [
      "plain", "a key", "com.example.state", ".", "..", "a..b", "", " > ", "a > b", "#1", "[0]", "quo\"te", "it's",
      "back\\slash", "line\nend", "\u{1B}[2J", "e\u{301}", "\u{202E}", "0", "$top",
      String(repeating: "long ", count: 200),
    ])
  func everyKey(key: String) throws {
    let list = HandmadeList.dictionary([("other", 1), (key, [0, .dictionary([(key, blob)])])]).binary
    let top = Handmade.archive([1], top: .dictionary([("root", .uid(1)), (key, blob)]))
    for data in [list, top] {
      let path = try folder.file("list", data)
      let inside = try #require(
        ToolRun("scan", "--nested", path).json.compactMap { $0["inside"] as? String }.first)
      let run = ToolRun("convert", "--inside", inside, "--to", "binary", path)
      #expect(run.data == archive, "\(inside): \(run.errors)")
      // A line of text can hold the path.
      #expect(!inside.contains("\n") && !inside.contains("\u{1B}"))
    }
  }

  @Test("scan --nested prints what --inside takes, for data in all places of lists and archives")
  func everyPlace() throws {
    let inner = Handmade.archive(
      [
        ["inline": blob, "$class": .uid(2)], Handmade.classRecord("A"), blob, ["NS.data": blob, "$class": .uid(2)],
      ], top: ["root": .uid(1), "direct": blob])
    let top = HandmadeList.data([UInt8](inner)).binary
    let lists = [inner, top, HandmadeList.array([[blob], .data([UInt8](top))]).binary]
    for data in lists {
      let path = try folder.file("list", data)
      let found = try ToolRun("scan", "--nested", path).json.filter { $0["inside"] != nil }
      #expect(found.count > 1)
      for line in found {
        let inside = try #require(line["inside"] as? String)
        let info = try ToolRun("info", "--json", "--inside", inside, path).json
        #expect(info.count == 1 && info[0] as NSDictionary == line as NSDictionary, "\(inside)")
      }
    }
  }

  /// Every seventh of the archives in a fifth of the files; with `WHOLE_TESTS`, each.
  @Test(
    "every archive that scan finds in data of the corpus opens at its path",
    .enabled(if: Corpus.isPresent, "\(Locations.sharedIsAbsent)"))
  func corpus() throws {
    let files = Sample.cases(Corpus.all, each: 5).map(\.url.path).joined(separator: "\n")
    let found = try ToolRun("scan", "--nested", "-", input: Data(files.utf8)).json.filter { $0["inside"] != nil }
    #expect(found.count > 20)
    for (index, line) in found.enumerated() where Sample.includes(index, each: 7) {
      let (file, inside) = (line["file"] as? String ?? "", line["inside"] as? String ?? "")
      let run = ToolRun("info", "--json", "--any-archiver", "--inside", inside, file)
      #expect(try run.json.first.map { $0 as NSDictionary } == line as NSDictionary, "\(file) \(inside) \(run.errors)")
    }
  }

  @Test("the path of the top-level value is an error in an archive and in a list without data there")
  func top() throws {
    let list = HandmadeList.array([1]).binary
    for (data, kind) in [(archive, "dictionary"), (list, "array")] {
      for command in [["info"], ["migrate", "-n", "--top-key", "a=b"], ["info", "--json"]] {
        let run = ToolRun(command + ["--inside", ".", try folder.file("file", data)])
        let message = "the value at '.' is of kind \(kind); expected data"
        #expect(run.code == .notAnArchive && run.errors.contains(message), "\(run.errors)")
      }
    }
  }

  /// All paths of at most three parts.
  @Test("every path ends in data or in an error", .notHanging)
  func everyPath() throws {
    let parts = [".", "#0", "#1", "#9", "root", "NS", ".data", "[0]", "[1]", "[\"root\"]", " > "]
    var paths = [""]
    for _ in 0..<3 { paths += paths.flatMap { path in parts.map { path + $0 } } }
    let inner = Handmade.archive([["NS.data": blob, "$class": .uid(2)], Handmade.classRecord("NSMutableData")])
    let files = [
      archive, inner, blob.binary, HandmadeList.data([UInt8](inner)).binary, HandmadeList.array([blob, 1]).binary,
      HandmadeList.dictionary([("root", [blob])]).binary,
    ]
    var found = 0
    for path in Set(paths) {
      for file in files {
        do {
          _ = try KeyedArchive.data(inside: path, of: file)
          found += 1
        } catch {
          #expect(!error.detail.isEmpty && !error.detail.contains("''"), "\(path)")
        }
      }
    }
    #expect(found > 10)
  }

  // MARK: Errors

  @Test("an error about a property list names the archives in its data")
  func advice() throws {
    let one = try folder.file("one", HandmadeList.dictionary([("it's", blob)]).binary)
    for command in ["tree", "info", "validate", "audit", "roundtrip", "generate"] {
      let run = ToolRun(command, one)
      #expect(run.code == .notAnArchive)
      #expect(run.errors.contains(#"It has an archive in its data: add --inside '["it'\''s"]'"#), "\(run.errors)")
    }
    #expect(ToolRun("migrate", "-n", "--objects", "A", one).errors.contains("add --inside '[\"it"))
    let many = try folder.file(
      "many", HandmadeList.array([blob, blob, blob, blob, .data([UInt8](Data(contentsOf: URL(filePath: one))))]).binary)
    let message = ToolRun("get", many, "root").errors
    #expect(
      message.contains(
        "It has 5 archives in its data: add --inside '[0]' or --inside '[1]' or --inside '[2]'; 'scan --nested' lists all"
      ))
    // The advice is for the list that was opened, and adds to the options given.
    let inner = ToolRun("tree", "--inside", "[4]", many)
    #expect(
      inner.errors.contains("(in the data at [4]") && inner.errors.contains("add --inside '[\"it"), "\(inner.errors)")
  }

  @Test("the existing keys of a property list are steps of paths, which can be pasted")
  func missingKey() {
    let keys = ["plain", "a.b", "NS.x", "x[0]", "", #"q"uote's"#]
    let steps = ["plain", #"["a.b"]"#, #"["NS.x"]"#, #"["x[0]"]"#, #"[""]"#, #"["q\"uote's"]"#]
    let list = HandmadeList.dictionary(keys.map { ($0, blob) }).binary
    let run = ToolRun("info", "--inside", "nope", "-", input: list)
    #expect(run.errors.hasSuffix("has no 'nope'. It has \(steps.joined(separator: ", "))\n"), "\(run.errors)")
    for step in steps { #expect(ToolRun("info", "--inside", step, "-", input: list).code == .fine, "\(step)") }
  }

  @Test(
    "what is not there is named, with what is",
    arguments: [
      ("windows[0].sate", 4, "'windows[0]' has no 'sate'. It has state, title"),
      ("window", 4, "the property list has no 'window'. It has windows"),
      ("windows[2]", 4, "'windows' has no '[2]'. It has [0] to [1]"),
      ("windows[0].title", 4, "the value at 'windows[0].title' is of kind string; expected data"),
      ("windows[0].title.x", 4, "'windows[0].title' has no 'x'. It is of kind string, without keys"),
      ("#3", 4, "no object #3: the property list is not an archive"),
      (
        "windows[0].state > #999", 4,
        "in the data at windows[0].state: no object #999: the archive has the UIDs #0 to #"
      ),
      ("windows[1]", 4, "(in the data at windows[1]"), ("windows[1] > x", 4, "in the data at windows[1]: "),
      ("windows[", 2, "invalid key path"), ("a > ", 2, "invalid key path"), ("", 2, "invalid key path"),
    ] as [(String, Int32, String)])
  func missing(path: String, code: Int32, message: String) throws {
    let list: HandmadeList = ["windows": [["state": blob, "title": "Ghost"], .data(Array("GIF89a".utf8))]]
    let run = ToolRun("tree", "--inside", path, "-", input: list.binary)
    #expect(run.code.rawValue == code && run.output == "" && run.errors.contains(message), "\(run.code) \(run.errors)")
  }

  @Test("hostile lists end in an error", .notHanging)
  func hostile() throws {
    // Containers that nest 20,000 levels deep.
    var rows = (1...20_000).map { (next: Int) in HandmadeList.raw([0xA1] + Self.bigEndian(next, 4)) }
    rows.append(.data([UInt8](archive)))
    let deep = Self.table(rows)
    let scan = ToolRun("scan", "--nested", try folder.file("deep", deep))
    #expect(scan.code == .limitReached && scan.errors.contains("containers nest deeper than 512 levels"))
    let path = ToolRun("tree", "--inside", String(repeating: "[0]", count: 20_000), "-", input: deep)
    #expect(path.code == .limitReached && path.errors.contains("found 20000 steps; the limit is 512"))
    // Each refers to itself: a UID, a collection's elements, a reference to nothing.
    let loops = Handmade.archive([
      .uid(1), ["NS.objects": .uid(2), "$class": .uid(3)], Handmade.classRecord("A"), .uid(9),
    ])
    for path in ["root", "#2[0]", "#2[0][0]", "#4", "#4.a"] {
      #expect(ToolRun("tree", "--inside", path, "-", input: loops).code != .fine, "\(path)")
    }
    let selfish = Self.table([.raw([0xD1, 0, 0, 0, 1, 0, 0, 0, 0]), "NS.objects"])
    #expect(ToolRun("tree", "--inside", "[0]", "-", input: selfish).code == .notAnArchive)
  }

  /// A binary property list of these objects, whose references have four bytes.
  private static func table(_ rows: [HandmadeList]) -> Data {
    var bytes = Data("bplist00".utf8)
    var offsets: [Int] = []
    for row in rows {
      offsets.append(bytes.count)
      // The object of a list of one object is after the header.
      switch row {
      case .raw(let raw): bytes += raw
      default:
        let list = row.binary
        bytes += list[8..<list.count - 40]
      }
    }
    let table = bytes.count
    for offset in offsets { bytes += bigEndian(offset, 8) }
    bytes += [0, 0, 0, 0, 0, 0, 8, 4]
    for number in [rows.count, 0, table] { bytes += bigEndian(number, 8) }
    return bytes
  }

  private static func bigEndian(_ value: Int, _ width: Int) -> [UInt8] {
    (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * (width - 1 - $0))) }
  }
}
