// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import CommandLineTools
import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing
import ToolTestSupport

@testable import ArchiveTools
@testable import KeyedArchiveTool

@Suite("generate")
struct GenerateTests {
  private let creatures = Locations.fixtures.appending(path: "made/creatures.plist").path

  /// The lines of a source without its header and documentation.
  private func lines(_ source: String) -> [String] {
    source.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { !$0.hasPrefix("///") }.map(String.init)
  }

  @Test("writes a type with its keys, allow lists, decoding and encoding")
  func source() {
    let run = ToolRun("generate", creatures)
    #expect(run.code == .fine && run.errors == "")
    let lines = lines(run.output)
    for line in [
      "struct ArchiveContents {", "var root: [ScaryCreatureData]",
      #"root = try coder.decode([ScaryCreatureData].self, forKey: "root")"#,
      "static var allowedClasses: [any KeyedCoding.Type] {",
      "[String.self, ArchivedArray.self, ScaryCreatureData.self]",
      "final class ScaryCreatureData: SecureKeyedCoding {",
      #"static var archiveClassName: String { "ScaryCreatures.ScaryCreatureData" }"#, "var title: String",
      "var rating: Float", #"title = try coder.decode(String.self, forKey: "Title")"#,
      #"coder.encode(rating, forKey: "Rating")"#,
    ] {
      #expect(lines.contains(line), "\(line)")
    }
  }

  /// Returns the output of a program with the types for an archive and these lines, which use the types' `contents`.
  ///
  /// It begins with the differences that archiving these makes, other than in the form of numbers.
  private func printed(_ data: Data, _ body: String, options: [String] = []) throws -> [String] {
    let folder = try ScratchFolder()
    let file = try folder.file("archive", data)
    let main = """
      import ArchiveTools
      import Foundation
      import KeyedArchives
      import KeyedArchiving
      let data = try Data(contentsOf: URL(filePath: CommandLine.arguments[1]))
      let contents = try ArchiveContents(unarchiving: data)
      let again = try contents.archivedData()
      let differences = try KeyedArchive(again, archivers: .any).differences(
        from: KeyedArchive(data, archivers: .any), ignoring: [.form])
      for difference in differences { print(difference) }
      \(body)
      """
    let run = try SwiftCompiler.run(
      ["Types.swift": ToolRun(["generate", file] + options).output, "main.swift": main], [file])
    #expect(run.code == 0, "\(run.errors)")
    return run.output.split(separator: "\n").map(String.init)
  }

  @Test(
    "generated types decode and archive values of every kind without a difference",
    .enabled(if: SwiftCompiler.isPresent, "\(SwiftCompiler.isAbsent)"))
  func kinds() throws {
    let body = """
      let ghost = contents.root
      print(ghost.title, ghost.legs + 1, ghost.weight * 2, !ghost.scary, ghost.rating)
      print(ghost.tags.joined(separator: ","), ghost.scores["one"] ?? 0, ghost.image.count, ghost.home, ghost.id)
      print(ghost.seen.timeIntervalSinceReferenceDate, ghost.nothing == nil)
      print(ghost.friends[0].title, ghost.friends[0].friend === ghost, ghost.friend == nil)
      """
    let lines = try printed(Creature.pair(), body)
    #expect(
      lines == [
        "Ghost 8 1.0 false 2.5",
        "white,loud 1 17 https://example.org/a E621E1F8-C36C-495A-93FC-0C247A3E6E5F",
        "0.25 true", "Slug true true",
      ])
  }

  @Test(
    "handles missing keys, mixed kinds, keyless values, reserved keys and unknown objects",
    .enabled(if: SwiftCompiler.isPresent, "\(SwiftCompiler.isAbsent)"))
  func special() throws {
    let first: HandmadeList = [
      "$class": .uid(8), "some": 1, "mixed": 1, "any": .uid(4), "$$dollar": .uid(4), "odd": .uid(6), "$0": .uid(4),
      "$1": .uid(5), "class": 1, "Class": 2.5, "all": .uid(10),
    ]
    let second: HandmadeList = [
      "$class": .uid(8), "mixed": 2.5, "any": .uid(5), "$$dollar": .uid(4), "odd": .uid(6), "$0": .uid(4),
      "class": 3, "Class": 0.5, "all": .uid(10),
    ]
    let odd: HandmadeList = ["$class": .uid(7), "inside": [.uid(4)]]
    let boxes: HandmadeList = ["NS.objects": [.uid(2), .uid(3)], "$class": .uid(9)]
    let all: HandmadeList = ["NS.objects": [.uid(4), .uid(5), .uid(4)], "$class": .uid(9)]
    let data = Handmade.archive([
      boxes, first, second, "text", 7, odd, Handmade.classRecord("App.Odd"), Handmade.classRecord("App.Box"),
      Handmade.classRecord("NSArray"), all,
    ])
    let body = """
      for box in contents.root {
        print(box.some ?? -1, box.mixed, box.any, box.dollar, box.odd.archivedClass.name, box.value0, box.value1 ?? -1)
        print(box.`class`, box.classValue, box.all.elements.count)
      }
      """
    let lines = try printed(data, body)
    #expect(
      lines == [
        // The array that two objects share is again one array.
        "1 integer(1) text text App.Odd text 7", "2.5 1 3", "-1 double(2.5) integer(7) text App.Odd text -1", "0.5 3 3",
      ])
  }

  /// An integer of 16 bytes.
  private func wide(_ high: Int64, _ low: Int64) -> HandmadeList {
    .raw([0x14] + [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * (7 - $0))) } })
  }

  @Test(
    "a 16-byte integer has a type that decodes it, or is omitted",
    .enabled(if: SwiftCompiler.isPresent, "\(SwiftCompiler.isAbsent)"))
  func wideIntegers() throws {
    let (minusFive, minusSix, large) = (wide(-1, -5), wide(-1, -6), wide(0, -1))
    let data = Handmade.archive([
      [
        "negative": minusFive, "boxed": .uid(2), "large": large, "list": .uid(4), "mixed": .uid(5),
        "$class": .uid(3),
      ],
      minusSix, Handmade.classRecord("Box"),
      ["NS.objects": [.uid(2), .uid(7)], "$class": .uid(6)], ["NS.objects": [.uid(2), .uid(8)], "$class": .uid(6)],
      Handmade.classRecord("NSArray"), 7, "text",
    ])
    let source = lines(ToolRun("generate", "-", input: data).output)
    #expect(source.contains("var negative: Int") && source.contains("var boxed: Int"), "\(source)")
    #expect(source.contains("var large: UInt64") && source.contains("var list: [Int]"), "\(source)")
    #expect(source.contains { $0.hasPrefix(#"// Omitted: "mixed""#) }, "\(source)")
    let body = "let box = contents.root; print(box.negative, box.boxed, box.large, box.list)"
    #expect(try printed(data, body).last == "-5 -6 18446744073709551615 [-6, 7]")
    // Neither type holds both.
    let both = Handmade.archive(
      [["n": minusFive, "$class": .uid(2)], Handmade.classRecord("Box"), ["n": large, "$class": .uid(2)]],
      top: ["root": .uid(1), "other": .uid(3)])
    #expect(try printed(both, "print(contents.root === contents.other)").last == "false")
  }

  @Test(
    "decodes cycles through collections of several classes",
    .enabled(if: SwiftCompiler.isPresent, "\(SwiftCompiler.isAbsent)"))
  func circles() throws {
    let data = Handmade.archive([
      ["parts": .uid(2), "self": .uid(1), "$class": .uid(5)],
      ["NS.objects": [.uid(3), .uid(1), .uid(4)], "$class": .uid(7)],
      ["owner": .uid(1), "$class": .uid(6)], "text",
      Handmade.classRecord("Node"), Handmade.classRecord("Leaf"), Handmade.classRecord("NSArray"),
    ])
    let body = """
      let node = contents.root
      print(node.selfValue === node, (node.parts.elements[0] as? Leaf)?.owner === node, node.parts.elements.count)
      """
    let lines = try printed(data, body)
    #expect(lines == ["true true 3"])
  }

  @Test(
    "hostile names are inert, and the source compiles",
    .enabled(if: SwiftCompiler.isPresent, "\(SwiftCompiler.isAbsent)"))
  func hostile() throws {
    let names = [
      "\u{1B}[2J\n\u{202E}*/ exit(0) /*", #"a" + exit(0) + "\(exit(0))"#, "`exit`", "Data", "Any", "switch", "Zoo.Cat",
      "Farm.Cat", "_TtC3Zoo3Cat", "é", "", "ArchiveContents", "String", "1", "KeyedUnarchiver",
    ]
    let places = names.indices.map { HandmadeList.uid(UInt64(2 + 2 * $0)) }
    let array = HandmadeList.uid(UInt64(2 + 2 * names.count))
    var objects = [HandmadeList.dictionary([("NS.objects", .array(places)), ("$class", array)])]
    for (index, name) in names.enumerated() {
      let record = HandmadeList.uid(UInt64(3 + 2 * index))
      objects.append(
        .dictionary([(name, .integer(1)), (name + "x", .integer(2)), ("x" + name, .integer(3)), ("$class", record)]))
      objects.append(Handmade.classRecord(name))
    }
    objects.append(Handmade.classRecord("NSArray"))
    let folder = try ScratchFolder()
    let file = try folder.file("\" exit(0)\n", Handmade.archive(objects))
    for options in [[], ["--namespace", "Zoo"]] {
      let source = ToolRun(["generate", file] + options).output
      #expect(!source.unicodeScalars.contains { $0 != "\n" && EscapedText.isHostile($0) })
      #expect(try SwiftCompiler.errors(["Types.swift": source]) == "")
      for line in source.split(separator: "\n") where line.contains("exit(0)") {
        let code = line.drop { $0 == " " }
        #expect(code.hasPrefix("//") || code.contains(#"""#), "\(line)")
      }
    }
    let test = ToolRun("generate", "--test", file).output
    #expect(try SwiftCompiler.errors(["Types.swift": ToolRun("generate", file).output, "Tests.swift": test]) == "")
  }

  /// Keywords of all kinds, and names that the source uses or declares.
  private static let words =
    SwiftName.languageWords + [
      "AnyObject", "ArchiveContents", "ArchivedObject", "Data", "Foundation", "Int", "KeyedArchiver", "KeyedCoding",
      "KeyedUnarchiver", "Never", "Optional", "SecureKeyedCoding", "String", "Swift", "URL", "Void", "allowedClasses",
      "archiveClassAliases", "archiveClassChain", "archiveClassName", "archiveSubclasses", "archivedData", "archivers",
      "coder", "data", "description", "dynamicType", "encode", "error", "supportsSecureCoding", "unarchiving", "value",
    ]

  @Test(
    "classes, keys and top-level keys may be Swift keywords and names of the source",
    .enabled(if: SwiftCompiler.isPresent, "\(SwiftCompiler.isAbsent)"))
  func languageWords() throws {
    var objects: [HandmadeList] = []
    var top: [(String, HandmadeList)] = []
    for word in Self.words {
      let uid = UInt64(objects.count + 1)
      let keys: [(String, HandmadeList)] =
        word == "any" ? Self.words.map { ($0, .integer(1)) } : [("a", .uid(uid)), (word, .integer(1))]
      objects += [.dictionary(keys + [("$class", .uid(uid + 1))]), HandmadeList.classRecord(word, "NSObject")]
      top.append((word, .uid(uid)))
    }
    let folder = try ScratchFolder()
    let file = try folder.file("words", HandmadeList.archive(objects, top: top))
    let source = ToolRun("generate", file).output
    let errors = try SwiftCompiler.errors(["Types.swift": source])
    #expect(errors == "", "\(errors.prefix(2000))")
    #expect(source.contains("static var archiveClassName: String { \"Self\" }"))
  }

  // MARK: Archivers and mutable classes

  @Test(
    "archiving keeps the name of the archiver, and decoding accepts it",
    .enabled(if: SwiftCompiler.isPresent, "\(SwiftCompiler.isAbsent)"))
  func archiver() throws {
    let names = [
      "NSKeyedArchiver", "SCNKeyedArchiver", "MSArchiver", "Zip \"\u{202E}", String(repeating: "x", count: 300),
    ]
    let folder = try ScratchFolder()
    var sources: [String: String] = [:]
    var body = ""
    for (index, name) in names.enumerated() {
      let data = Handmade.archive([["a": 1, "$class": .uid(2)], Handmade.classRecord("Box")], archiver: .string(name))
      let file = try folder.file("\(index)", data)
      sources["Types\(index).swift"] =
        ToolRun("generate", "--any-archiver", "--namespace", "Types\(index)", file).output
      body +=
        "try check(\(SwiftName.literal(file))) { try Types\(index).ArchiveContents(unarchiving: $0).archivedData() }\n"
    }
    sources["main.swift"] = """
      import ArchiveTools
      import Foundation
      import KeyedArchives
      import KeyedArchiving
      func check(_ path: String, _ remake: (Data) throws -> Data) throws {
        let data = try Data(contentsOf: URL(filePath: path))
        let again = try KeyedArchive(remake(data), archivers: .any)
        let differences = try again.differences(from: KeyedArchive(data, archivers: .any), ignoring: [.form])
        for difference in differences { print(difference) }
        print(again.archiverName.debugDescription)
      }
      \(body)
      """
    let run = try SwiftCompiler.run(sources, [])
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.output.split(separator: "\n").map(String.init) == names.map(\.debugDescription))
  }

  @Test(
    "types for archives of several archivers keep the name of each",
    .enabled(if: SwiftCompiler.isPresent, "\(SwiftCompiler.isAbsent)"))
  func archivers() throws {
    let folder = try ScratchFolder()
    let files = try ["NSKeyedArchiver", "SCNKeyedArchiver", "Odd"].map { name in
      try folder.file(
        name,
        Handmade.archive(
          [["archiverName": 1, "$class": .uid(2)], Handmade.classRecord("Box")], top: ["archiverName": .uid(1)],
          archiver: .string(name)))
    }
    let main = """
      import Foundation
      import KeyedArchives
      import KeyedArchiving
      for file in CommandLine.arguments.dropFirst() {
        let contents = try ArchiveContents(unarchiving: Data(contentsOf: URL(filePath: file)))
        print(try KeyedArchive(contents.archivedData(), archivers: .any).archiverName, contents.archiverName)
      }
      """
    let types = ToolRun(["generate", "--any-archiver"] + files).output
    let run = try SwiftCompiler.run(["Types.swift": types, "main.swift": main], files)
    #expect(
      run.output == "NSKeyedArchiver NSKeyedArchiver\nSCNKeyedArchiver SCNKeyedArchiver\nOdd Odd\n", "\(run.errors)")
  }

  @Test(
    "archiving keeps mutable classes at all levels of collections",
    .enabled(if: SwiftCompiler.isPresent, "\(SwiftCompiler.isAbsent)"))
  func mutableClasses() throws {
    let data = HandmadeList.archive([
      [
        "mutable": .uid(2), "matrix": .uid(3), "rows": .uid(5), "mixed": .uid(7), "lists": .uid(9), "set": .uid(11),
        "map": .uid(12), "text": .uid(13), "bytes": .uid(14), "texts": .uid(15), "$class": .uid(20),
      ],
      ["NS.objects": [.uid(16), .uid(17)], "$class": .uid(21)],
      ["NS.objects": [.uid(4)], "$class": .uid(21)], ["NS.objects": [.uid(16)], "$class": .uid(21)],
      ["NS.objects": [.uid(6)], "$class": .uid(22)], ["NS.objects": [.uid(17)], "$class": .uid(21)],
      ["NS.objects": [.uid(8), .uid(6)], "$class": .uid(22)], ["NS.objects": [.uid(17)], "$class": .uid(22)],
      ["NS.keys": [.uid(16)], "NS.objects": [.uid(10)], "$class": .uid(23)],
      ["NS.objects": [.uid(18)], "$class": .uid(21)],
      ["NS.objects": [.uid(16), .uid(17)], "$class": .uid(24)],
      ["NS.keys": [.uid(16)], "NS.objects": [.uid(18)], "$class": .uid(25)],
      ["NS.string": "mutable", "$class": .uid(26)], ["NS.data": .data([1, 2]), "$class": .uid(27)],
      ["NS.objects": [.uid(16), .uid(19)], "$class": .uid(22)],
      "one", "two", 3, ["NS.string": "two", "$class": .uid(26)],
      HandmadeList.classRecord("Box", "NSObject"),
      HandmadeList.classRecord("NSMutableArray", "NSArray", "NSObject"),
      HandmadeList.classRecord("NSArray", "NSObject"),
      HandmadeList.classRecord("NSDictionary", "NSObject"),
      HandmadeList.classRecord("NSMutableSet", "NSSet", "NSObject"),
      HandmadeList.classRecord("NSMutableDictionary", "NSDictionary", "NSObject"),
      HandmadeList.classRecord("NSMutableString", "NSString", "NSObject"),
      HandmadeList.classRecord("NSMutableData", "NSData", "NSObject"),
    ])
    let body = """
      let box = contents.root
      print(box.mutable.joined(separator: ","), box.matrix[0], box.rows[0], box.lists["one"] ?? [], box.mixed.elements.count)
      print(box.set.isMutable, box.map.isMutable, box.text.text, box.bytes.bytes.count)
      """
    // The parts that two collections share are archived once for each.
    let lines = try printed(data, body).filter { !$0.hasPrefix("sharing ") && !$0.hasPrefix("unshared ") }
    #expect(
      lines == [#"one,two ["one"] ["two"] [3] 2"#, "true true mutable 2"])
  }

  // MARK: Lines

  @Test(
    "names of any length keep lines to 120 columns, and the source compiles and archives them",
    .enabled(if: SwiftCompiler.isPresent, "\(SwiftCompiler.isAbsent)"))
  func longNames() throws {
    let words = String(repeating: "some \"words\" \\ ", count: 40)
    let names = [
      String(repeating: "a", count: 59), String(repeating: "B", count: 60), String(repeating: "Cd", count: 99),
      String(repeating: "é\t", count: 90), words, String(repeating: "Outer.", count: 50) + "Inner",
    ]
    var objects: [HandmadeList] = []
    for name in names {
      let uid = UInt64(objects.count + 1)
      let keys = names.map { ($0, HandmadeList.uid(1)) } + names.map { ("n" + $0, HandmadeList.integer(1)) }
      objects += [.dictionary(keys + [("$class", .uid(uid + 1))]), HandmadeList.classRecord(name, "NSObject")]
    }
    let top = names.enumerated().map { ($1, HandmadeList.uid(UInt64(1 + 2 * $0))) } + [("root", HandmadeList.uid(1))]
    let data = HandmadeList.archive(objects, top: top)
    let folder = try ScratchFolder()
    let path = try folder.file(String(repeating: "long name ", count: 20), data)
    for options in [[], ["--test"], ["--namespace", "Zoo"]] {
      let source = ToolRun(["generate", path] + options).output
      #expect(source.split(separator: "\n").allSatisfy { $0.unicodeScalars.count <= 120 })
    }
    #expect(try printed(data, "") == [])
  }

  @Test(
    "hostile archives of a review compile",
    .enabled(
      if: SwiftCompiler.isPresent && Locations.shared != nil,
      "\(SwiftCompiler.isAbsent), or \(Locations.sharedIsAbsent)"))
  func attacks() throws {
    let files = TestFile.all(below: Locations.shared?.appending(path: "repro/attack")).filter {
      $0.name.hasPrefix("gen-")
    }
    for file in files {
      let source = ToolRun("generate", "--any-archiver", file.url.path).output
      let errors = try SwiftCompiler.errors(["Types.swift": source])
      #expect(!source.isEmpty && errors == "", "\(file.name): \(errors.prefix(1000))")
    }
  }

  @Test(
    "a test of archives inside of files finds them at their path",
    .enabled(if: SwiftCompiler.isPresent, "\(SwiftCompiler.isAbsent)"))
  func testInside() throws {
    let folder = try ScratchFolder()
    let list = HandmadeList.dictionary([("a.b", .data([UInt8](try Creature.pair())))]).binary
    let file = try folder.file("list", HandmadeList.dictionary([("inner", .data([UInt8](list)))]).binary)
    let arguments = ["generate", "--inside", "inner", "--inside", #"["a.b"]"#, file]
    let (types, test) = (ToolRun(arguments), ToolRun(arguments + ["--test"]))
    #expect(types.code == .fine && test.code == .fine)
    #expect(try SwiftCompiler.errors(["Types.swift": types.output, "Tests.swift": test.output]) == "")
    // The test's body, as a program.
    let start = try #require(test.output.range(of: "let data ="))
    let end = try #require(test.output.range(of: "#expect("))
    let body = test.output[start.lowerBound..<end.lowerBound]
    let main = """
      import ArchiveTools
      import Foundation
      import KeyedArchives
      import KeyedArchiving
      let file = CommandLine.arguments[1]
      \(body)
      print(differences.count, old.objectCount > 10)
      """
    let run = try SwiftCompiler.run(["Types.swift": types.output, "main.swift": main], [file])
    #expect(run.output == "0 true\n", "\(run.errors)")
  }

  @Test(
    "refuses namespaces with a name that the source uses", arguments: ["Data", "Self", "ArchiveContents", "Testing"])
  func namespaces(name: String) {
    let run = ToolRun("generate", "--namespace", name, nsurl)
    #expect(run.code == .usage && run.errors.contains("the source uses it"))
  }

  @Test(
    "the tests of two sources with namespaces compile in one module",
    .enabled(if: SwiftCompiler.isPresent, "\(SwiftCompiler.isAbsent)"))
  func testsInOneModule() throws {
    var sources: [String: String] = [:]
    for namespace in ["Old", "New"] {
      sources["\(namespace).swift"] = ToolRun("generate", "--namespace", namespace, creatures).output
      let test = ToolRun("generate", "--test", "--namespace", namespace, creatures).output
      #expect(test.contains("struct \(namespace)ArchiveContentsTests {"))
      sources["\(namespace)Tests.swift"] = test
    }
    #expect(try SwiftCompiler.errors(sources) == "")
  }

  @Test(
    "date components and a converter of a unit have the types of this package, also in untyped contents",
    .enabled(if: SwiftCompiler.isPresent, "\(SwiftCompiler.isAbsent)"))
  func valuesOfOtherLists() throws {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    var date = DateComponents(year: 1980, month: 2, day: 29)
    date.calendar = Calendar(identifier: .gregorian)
    archiver.encode(date, forKey: "date")
    archiver.encode([date], forKey: "dates")
    archiver.encode(ArchivedUnitConverter.linear(coefficient: 2, constant: 1), forKey: "converter")
    archiver.encode(
      ArchivedError(
        domain: "d", code: 1, userInfo: ArchivedDictionary([("date", DateComponents(hour: 1))])),
      forKey: "error")
    let data = try archiver.encodedData
    let body = """
      print(contents.date.month ?? 0, contents.dates.count, contents.converter, contents.error?.code ?? 0)
      """
    #expect(try printed(data, body) == ["2 1 linear(coefficient: 2.0, constant: 1.0) 1"])
    #expect(!ToolRun(["generate", "-"], input: data).output.contains("NSDateComponents"))
    let list = ToolRun(["audit", "--swift", "-"], input: data).output
    #expect(list.contains("    DateComponents.self,  // NSDateComponents\n") && !list.contains("your type"))
    #expect(try SwiftCompiler.errors(["Allowed.swift": list]) == "")
  }

  @Test(
    "a key that is inline in one object and an object in another keeps both",
    .enabled(if: SwiftCompiler.isPresent, "\(SwiftCompiler.isAbsent)"),
    arguments: [HandmadeList.integer(5), .data([1])])
  func inlineOrObject(_ inline: HandmadeList) throws {
    let data = Handmade.archive([
      ["NS.objects": [.uid(4), .uid(5), .uid(6)], "$class": .uid(2)], Handmade.classRecord("NSArray"),
      Handmade.classRecord("Zoo.Item"), ["id": inline, "$class": .uid(3)], ["id": .uid(7), "$class": .uid(3)],
      ["$class": .uid(3)], "abc",
    ])
    let body = """
      print(contents.root.map {
        $0.id is ArchiveNumber ? "number" : $0.id is Data ? "data" : $0.id is String ? "string" : "none"
      })
      """
    let kind = if case .data = inline { "data" } else { "number" }
    #expect(try printed(data, body) == ["[\"\(kind)\", \"string\", \"none\"]"])
  }

  @Test("date components with other keys keep them, in a type that hides none of Foundation's")
  func otherDateComponents() {
    let record = Handmade.classRecord("NSDateComponents")
    for keys in [[("NS.year", HandmadeList.integer(1980))], [("NS.year", 1980), ("NS.week", 3)]] {
      let data = Handmade.archive([.dictionary(keys + [("$class", .uid(2))]), record])
      let source = ToolRun(["generate", "-"], input: data).output
      #expect(source.contains("final class NSDateComponentsObject: SecureKeyedCoding {"), "\(source)")
      #expect(source.contains(#"static var archiveClassName: String { "NSDateComponents" }"#))
    }
  }

  @Test("the options change the output")
  func usage() {
    for arguments in [
      ["generate"], ["generate", "--module", "Zoo", nsurl], ["generate", "--test", "--module", "a b", nsurl],
      ["generate", "--namespace", "1", nsurl], ["generate", "--test", "-"],
      ["generate", "--test", nsurl, "/dev/stdin"],
    ] {
      #expect(ToolRun(arguments).code == .usage, "\(arguments)")
    }
    let test = ToolRun("generate", "--test", "--module", "Zoo", "--namespace", "Old", nsurl, creatures).output
    #expect(test.contains("@testable import Zoo\n") && test.contains("Old.ArchiveContents(unarchiving: data)"))
    #expect(test.contains(SwiftName.literal(nsurl)) && test.contains(SwiftName.literal(creatures)))
    let run = ToolRun(["generate", nsurl, "/no/such/file", "-"], input: Data("hello".utf8))
    #expect(run.code == .notAnArchive && run.output.contains("var root: URL") && run.errors.contains("/no/such/file"))
    #expect(ToolRun("generate", "/no/such/file").output == "")
  }
}

@Suite(
  "Generated source, on the corpus",
  .enabled(if: SwiftCompiler.isPresent && Corpus.isPresent, "\(SwiftCompiler.isAbsent), or \(Locations.sharedIsAbsent)")
)
struct GeneratedCorpusTests {
  /// A program that decodes each file with the type in its line, archives it again, and prints the differences.
  private func program(_ lines: [(type: String, file: TestFile)]) -> String {
    let calls = lines.map { type, file in
      "check(\(SwiftName.literal(file.url.path))) { try \(type).ArchiveContents(unarchiving: $0, archivers: .any).archivedData() }"
    }
    return """
      import ArchiveTools
      import Foundation
      import KeyedArchives
      import KeyedArchiving
      func check(_ path: String, _ remake: (Data) throws -> Data) {
        do {
          let data = try Data(contentsOf: URL(filePath: path))
          let differences = try KeyedArchive(remake(data), archivers: .any).differences(
            from: KeyedArchive(data, archivers: .any), ignoring: [.form, .sharing])
          let lost = differences.filter { difference in
            // Of several superclass chains of a class, one is kept.
            if case .classRecord(let old)? = difference.old, case .classRecord(let new)? = difference.new {
              return old.name != new.name
            }
            return difference.old != nil || difference.new != .null
          }
          if !lost.isEmpty { print("lost \\(path) \\(lost.count) \\(lost.prefix(3))") }
        } catch {
          print("error \\(path) \\(error)")
        }
      }

      """ + calls.joined(separator: "\n")
  }

  /// Returns whether the only differences are the byte order of a decimal number or surplus bytes, which Decimal does
  /// not preserve.
  private static func isSameDecimal(_ line: some StringProtocol) -> Bool { line.contains("NS.mantissa") }

  /// The files to try, of which two neighbors have a distance by name; with `EVERY_FILE` or `WHOLE_TESTS`, all of them,
  /// which takes some minutes.
  private static func files(each sample: Int) -> [TestFile] {
    let isEvery = ProcessInfo.processInfo.environment["EVERY_FILE"] != nil
    return Corpus.valid.sorted { $0.name < $1.name }.enumerated()
      .filter { isEvery || Sample.includes($0.offset, each: sample) }.map(\.element)
  }

  /// Every 200th file; with `EVERY_FILE` or `WHOLE_TESTS`, every file.
  @Test("the types for a file decode it")
  func oneByOne() throws {
    let files = Self.files(each: 200)
    for start in stride(from: 0, to: files.count, by: 100) {
      var sources: [String: String] = [:]
      var lines: [(type: String, file: TestFile)] = []
      for (index, file) in files[start..<min(start + 100, files.count)].enumerated() {
        let run = ToolRun("generate", "--any-archiver", "--namespace", "File\(index)", file.url.path)
        #expect(run.code == .fine, "\(file.name): \(run.errors)")
        sources["File\(index).swift"] = run.output
        lines.append(("File\(index)", file))
      }
      sources["main.swift"] = program(lines)
      let run = try SwiftCompiler.run(sources, [])
      #expect(run.code == 0, "\(run.errors)")
      for line in run.output.split(separator: "\n") {
        #expect(line.hasPrefix("lost ") && Self.isSameDecimal(line), "\(line.prefix(1000))")
      }
    }
  }

  /// Every 90th file; with `EVERY_FILE` or `WHOLE_TESTS`, every file.
  @Test("one source for many files decodes each of them")
  func together() throws {
    let files = Self.files(each: 90)
    let run = ToolRun(["generate", "--any-archiver", "--namespace", "All"] + files.map(\.url.path))
    #expect(run.code == .fine)
    let program = try SwiftCompiler.run(
      ["All.swift": run.output, "main.swift": program(files.map { ("All", $0) })], [])
    #expect(program.code == 0, "\(program.errors)")
    for line in program.output.split(separator: "\n") {
      // An array without a key for its elements decodes as empty. It adds so many nil objects that the lists no longer
      // align.
      let isKnown =
        Self.isSameDecimal(line) || line.contains("JSceneKitExample__collision.scn")
        || line.contains("ESPurpleAIMAccountView")
      #expect(line.hasPrefix("lost ") && isKnown, "\(line.prefix(1000))")
    }
  }

  // MARK: Keys

  /// A key that a type without its property does not request.
  private struct RemovedKey {
    var className: String
    var key: String

    /// Removes a key of one of the classes for which there is a type. Returns nil if no class has a key.
    init?(from audit: inout ArchiveAudit, of source: String, _ turn: Int) {
      var candidates: [RemovedKey] = []
      for use in audit.classes
      where source.contains("static var archiveClassName: String { \(SwiftName.literal(use.name)) }") {
        for (key, _) in use.keys where !key.hasPrefix("$") {
          candidates.append(RemovedKey(className: use.name, key: key))
        }
      }
      guard !candidates.isEmpty else { return nil }
      self = candidates[turn * 7 % candidates.count]
      audit.classTable[BytewiseString(className)]?.uses[BytewiseString(key)] = nil
    }

    private init(className: String, key: String) { (self.className, self.key) = (className, key) }

    /// The number of objects with the key that are reachable without it.
    func count(in archive: KeyedArchive) throws -> Int {
      var count = 0
      var isReached = [Bool](repeating: false, count: archive.objectCount)
      var stack = try archive.top.flatMap { references($0.value) }
      while let uid = stack.popLast() {
        guard !isReached[Int(uid.rawValue)] else { continue }
        isReached[Int(uid.rawValue)] = true
        guard case .instance(let classUID, let entries) = try archive.object(uid) else { continue }
        let isOfClass = try archive.classDescription(classUID).name == className
        for entry in entries {
          if isOfClass, entry.key == key { count += 1 } else { stack += references(entry.value) }
        }
      }
      return count
    }

    private func references(_ value: KeyedArchive.StoredValue) -> [ArchiveUID] {
      switch value {
      case .reference(let uid): [uid]
      case .array(let values): values.flatMap { references($0) }
      case .dictionary(let entries): entries.flatMap { references($0.value) }
      default: []
      }
    }
  }

  /// Returns generated types whose initializer prints the keys that no type requested.
  private func tracking(_ types: String) throws -> String {
    let parts = types.components(separatedBy: "(forReadingFrom: data, archivers: archivers)\n")
    let ends = types.components(separatedBy: "coder.finishDecoding()\n")
    try #require(parts.count == 2 && ends.count == 2)
    return types.replacing(
      "(forReadingFrom: data, archivers: archivers)\n",
      with: "(forReadingFrom: data, archivers: archivers)\ncoder.tracksKeys = true\n"
    ).replacing("coder.finishDecoding()\n", with: "coder.finishDecoding()\nprintUnreadKeys(of: coder)\n")
  }

  /// A program that decodes each file with the type in its line.
  private func tracking(_ lines: [(type: String, file: TestFile)]) -> String {
    let calls = lines.map { type, file in
      "decode(\(SwiftName.literal(file.url.path)), \(SwiftName.literal(type))) {"
        + " _ = try \(type).ArchiveContents(unarchiving: $0, archivers: .any) }"
    }
    return """
      import Foundation
      func decode(_ path: String, _ type: String, _ make: (Data) throws -> Void) {
        do {
          print(type)
          try make(Data(contentsOf: URL(filePath: path)))
        } catch {
          print("error \\(error)")
        }
      }

      """ + calls.joined(separator: "\n")
  }

  private let printing = """
    import KeyedArchiving
    func printUnreadKeys(of coder: KeyedUnarchiver) {
      for key in coder.keyReport.unreadKeys {
        print("unread", key.className.debugDescription, key.key.debugDescription, key.path.debugDescription)
      }
    }
    """

  /// The numbers of objects of the class with the removed key that are decoded as part of an `ArchivedObject`, which
  /// requests all keys: the state of a Python object, and the converter of a unit.
  private static let untypedCounts = [
    "foundation/ronaldoussoren.pyobjc__py3-oc3.0.keyed__199524c4.keyed.bplist OC_PythonObject": 3,
    "foundation/swiftlang.swift-corelibs-foundation__NSMeasurement-Frequency.archive__1913fd34.keyed.bplist "
      + "NSUnitConverterLinear": 1,
  ]

  /// Every 140th file; with `EVERY_FILE` or `WHOLE_TESTS`, every file.
  @Test("the types for a file request each of its keys, and without one property exactly the others")
  func keys() throws {
    let files = Self.files(each: 140)
    var removedCount = 0
    for start in stride(from: 0, to: files.count, by: 50) {
      var sources = ["Printing.swift": printing]
      var lines: [(type: String, file: TestFile)] = []
      var expected: [String: (removed: RemovedKey, count: Int)] = [:]
      for (index, file) in files[start..<min(start + 50, files.count)].enumerated() {
        let run = ToolRun("generate", "--any-archiver", "--namespace", "All\(index)", file.url.path)
        sources["All\(index).swift"] = try tracking(run.output)
        lines.append(("All\(index)", file))
        let archive = try KeyedArchive(file.data(), archivers: .any)
        var audit = try ArchiveAudit(of: archive)
        guard let removed = RemovedKey(from: &audit, of: run.output, start + index) else { continue }
        sources["Less\(index).swift"] = try tracking(GeneratedSwift(audit, namespace: "Less\(index)").types)
        lines.append(("Less\(index)", file))
        let name = "\(file.name) \(removed.className)"
        let count = try removed.count(in: archive) - Self.untypedCounts[name, default: 0]
        expected["Less\(index)"] = (removed, count)
        removedCount += 1
      }
      sources["main.swift"] = tracking(lines)
      let run = try SwiftCompiler.run(sources, [])
      #expect(run.code == 0, "\(run.errors)")
      var found: [String: [String]] = [:]
      var type = ""
      for line in run.output.split(separator: "\n").map(String.init) {
        if line.hasPrefix("unread ") || line.hasPrefix("error ") {
          found[type, default: []].append(line)
        } else {
          type = line
        }
      }
      for (type, file) in lines {
        let unread = found[type] ?? []
        guard let (removed, count) = expected[type] else {
          #expect(unread == [], "\(file.name) \(unread.prefix(3))")
          continue
        }
        let name = "unread \(Optional(removed.className).debugDescription) \(removed.key.debugDescription) "
        #expect(
          unread.count == count && unread.allSatisfy { $0.hasPrefix(name) },
          "\(file.name): \(unread.count) of \(count) \(name): \(unread.prefix(3))")
        #expect(Set(unread).count == unread.count)
      }
    }
    // A few files may have no key that can be removed.
    #expect(removedCount > Sample.count(0, of: files.count / 2))
  }
}
