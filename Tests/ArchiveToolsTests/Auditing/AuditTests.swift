// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import ArchivedClasses
import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

@Suite("An audit says what decoding would make")
struct AuditTests {
  private static let box = HandmadeList.classRecord("App.Box", "NSObject")
  private static let array = HandmadeList.classRecord("NSArray", "NSObject")

  private func audit(_ objects: [HandmadeList], nested: Bool = false) throws -> ArchiveAudit {
    try ArchiveAudit(of: KeyedArchive(HandmadeList.archive(objects)), followingNestedArchives: nested)
  }

  /// What an audit says of a class's keys, in a line each.
  private func keys(_ audit: ArchiveAudit, _ name: String) -> [String] {
    let keys = audit.classes.first { $0.name == name }?.keys ?? []
    return keys.map { key, use in
      let kinds = use.sortedKinds.map { "\($0.kind) \($0.count)" }.joined(separator: ", ")
      let elements = use.elements.map {
        " [" + $0.sortedKinds.map { "\($0.kind) \($0.count)" }.joined(separator: ", ") + "]"
      }
      return "\(key) of \(use.count): \(kinds)\(elements ?? "")"
    }
  }

  /// Two boxes in an array, one of which holds the array; a third that nothing leads to.
  private let boxes: [HandmadeList] = [
    ["NS.objects": [.uid(2), .uid(3), .uid(2)], "$class": .uid(7)],
    ["name": .uid(5), "size": 1, "all": .uid(1), "$class": .uid(6)],
    ["name": .uid(0), "size": .uid(8), "$class": .uid(6)], ["secret": 1, "$class": .uid(9)], "text",
    Self.box, Self.array, 2.5, .classRecord("App.Secret", "NSObject"),
  ]

  @Test("classes with their objects, places, keys and kinds; what nothing leads to is not made")
  func classes() throws {
    let audit = try audit(boxes)
    #expect(audit.classNames == ["App.Box", "NSArray", "NSNumber", "NSString"])
    #expect(audit.classes.map(\.count) == [2, 1, 1, 1] && audit.objectCount == 5 && audit.archiveCount == 1)
    #expect(audit.classes[0].descriptions == [ClassDescription(name: "App.Box", chain: ["App.Box", "NSObject"])])
    #expect(audit.classes.map(\.paths) == [["root[0]"], ["root"], ["root[1].size"], ["root[0].name"]])
    #expect(
      keys(audit, "App.Box") == [
        "all of 1: NSArray 1 [App.Box 3]", "name of 2: nil 1, string object 1", "size of 2: double object 1, integer 1",
      ])
  }

  @Test("what is on top, and in collections there, is what a caller must allow")
  func top() throws {
    #expect(try audit(boxes).topClassNames == ["App.Box", "NSArray"])
    let single: [HandmadeList] = [["name": .uid(3), "$class": .uid(2)], Self.box, "text"]
    #expect(try audit(single).topClassNames == ["App.Box"])
    #expect(try audit(single).classNames == ["App.Box", "NSString"])
  }

  @Test("what stands in a text's attributes must be allowed where the text is, or it does not come out")
  func contents() throws {
    let data = HandmadeList.archive([
      ["NS.objects": [.uid(2), .uid(4)], "$class": .uid(9)],
      ["NSString": .uid(4), "NSAttributes": .uid(3), "$class": .uid(7)],
      ["NS.keys": [.uid(4)], "NS.objects": [.uid(5)], "$class": .uid(8)], "text",
      ["name": .uid(4), "$class": .uid(6)], Self.box, .classRecord("NSAttributedString", "NSObject"),
      .classRecord("NSDictionary", "NSObject"), Self.array,
    ])
    let audit = try ArchiveAudit(of: KeyedArchive(data))
    #expect(audit.topClassNames == ["App.Box", "NSArray", "NSAttributedString", "NSString"])
    let types: [any KeyedCoding.Type] = [ArchivedArray.self, ArchivedAttributedString.self, String.self]
    let value = try KeyedUnarchiver.unarchivedObject(ofClasses: types + [AppBox.self], from: data)
    let text = (value as? ArchivedArray)?.elements.first as? ArchivedAttributedString
    #expect((text?.attributeSets.first?["text"] as? AppBox)?.name == "text")
    #expect(throws: KeyedArchiveError.self) { try KeyedUnarchiver.unarchivedObject(ofClasses: types, from: data) }
  }

  @Test("audits of several archives are one; keys that are missing somewhere are counted")
  func merging() throws {
    var all = ArchiveAudit()
    #expect(all.classNames == [])
    all.merge(try audit([["a": 1, "b": true, "$class": .uid(2)], Self.box]))
    all.merge(try audit([["a": .uid(3), "$class": .uid(2)], .classRecord("App.Box", "Base", "NSObject"), "x"]))
    #expect(all.archiveCount == 2 && all.classNames == ["App.Box", "NSString"])
    #expect(keys(all, "App.Box") == ["a of 2: integer 1, string object 1", "b of 1: boolean 1"])
    #expect(all.classes[0].descriptions.map(\.chain) == [["App.Box", "NSObject"], ["App.Box", "Base", "NSObject"]])
    #expect(all.classes[0].count == 2 && all.classes[0].paths == ["root"])
  }

  @Test("counts a place once, however many archives have it and whatever its indexes")
  func places() throws {
    /// An archive of an array with a string at one index and a box at others.
    func list(_ count: UInt64, string: UInt64) throws -> ArchiveAudit {
      let elements = (0..<count).map { HandmadeList.uid($0 == string ? 4 : 5) }
      return try audit([
        ["NS.objects": .array(elements), "$class": .uid(2)], Self.array, Self.box, "x",
        ["deep": .uid(6), "$class": .uid(3)], ["$class": .uid(3)],
      ])
    }
    var all = try list(2, string: 0)
    let one = all
    all.merge(one)
    for string in 0..<3 { all.merge(try list(3, string: UInt64(string))) }
    all.merge(try audit([["$class": .uid(2)], Self.box]))
    let uses = Dictionary(uniqueKeysWithValues: all.classes.map { ($0.name, $0) })
    #expect(uses["NSArray"]?.paths == ["root"] && uses["NSArray"]?.placeCount == 1)
    #expect(uses["NSString"]?.paths == ["root[0]"] && uses["NSString"]?.placeCount == 1)
    // The path with the fewest steps is first, though its archive was last.
    #expect(uses["App.Box"]?.paths == ["root", "root[1]", "root[1].deep"] && uses["App.Box"]?.placeCount == 3)
  }

  @Test("counts a place in archives that are data once, whatever the indexes of the data")
  func nestedPlaces() throws {
    func inner(_ key: String) -> HandmadeList {
      .data([UInt8](HandmadeList.archive([["$class": .uid(2)], Self.box], top: [(key, .uid(1))])))
    }
    let nested = try audit(
      [
        ["NS.objects": [.uid(3), .uid(4), .uid(5)], "$class": .uid(2)], Self.array, inner("a"), inner("a"), inner("b"),
      ],
      nested: true)
    let box = try #require(nested.classes.first { $0.name == "App.Box" })
    #expect(box.count == 3 && box.placeCount == 2 && box.paths == ["root[0] > a", "root[2] > b"])
  }

  @Test("archives in data are looked into on request, also those in them")
  func nested() throws {
    let inner = HandmadeList.archive([["secret": 1, "$class": .uid(2)], .classRecord("App.Secret", "NSObject")])
    let middle = HandmadeList.archive([["data": .data([UInt8](inner)), "$class": .uid(2)], Self.box])
    let outer: [HandmadeList] = [
      ["state": .uid(3), "other": .data([UInt8]("bplist00, not".utf8)), "$class": .uid(2)],
      .classRecord("Outer", "NSObject"), .data([UInt8](middle)),
    ]
    #expect(try audit(outer).classNames == ["NSData", "Outer"])
    let audit = try audit(outer, nested: true)
    #expect(audit.classNames == ["App.Box", "App.Secret", "NSData", "Outer"])
    #expect(audit.archiveCount == 1 && audit.nestedArchiveCount == 2)
    #expect(audit.topClassNames == ["Outer"] && audit.nestedTopClassNames == ["App.Box", "App.Secret"])
    #expect(
      audit.classes.map(\.paths) == [
        ["root.state > root"], ["root.state > root.data > root"], ["root.state"], ["root"],
      ])
    // One that is damaged inside is counted and passed over.
    let bad = HandmadeList.archive([["a": .uid(9), "$class": .uid(2)], Self.box])
    let around = try self.audit([["d": .data([UInt8](bad)), "$class": .uid(2)], .classRecord("Outer")], nested: true)
    #expect(around.classNames == ["Outer"] && around.damagedNestedArchiveCount == 1)
  }

  @Test("archives that are data of archives, each many times over, have an end")
  func nestedBomb() throws {
    var data = HandmadeList.archive([["a": 1, "$class": .uid(2)], Self.box])
    for _ in 0..<12 {
      let copies = [HandmadeList](repeating: .data([UInt8](data)), count: 3)
      data = HandmadeList.archive(
        [["NS.objects": .array((0..<3).map { .uid($0 + 3) }), "$class": .uid(2)], Self.array] + copies)
      guard data.count < 300_000 else { break }
    }
    let audit = try ArchiveAudit(of: KeyedArchive(data), followingNestedArchives: true)
    #expect(audit.nestedArchiveCount > 100)
  }

  /// 20,000 bytes of each; with `WHOLE_TESTS`, 100,000, with the time in the same proportion.
  @Test("files in which much is shared are looked at in a time that they are worth", arguments: Bombs.all.indices)
  func bombs(index: Int) throws {
    let byteCount = Sample.count(20_000, of: 100_000)
    let file = Bombs.all[index].make(byteCount)
    let time = System.time {
      do throws(KeyedArchiveError) {
        let archive = try KeyedArchive(file)
        _ = try ArchiveAudit(of: archive, followingNestedArchives: true).swiftAllowList()
      } catch {
        #expect(
          [.limitReached, .damagedArchive, .notAnArchive].contains(error.code), "\(Bombs.all[index].name): \(error)")
      }
    }
    #expect(time < .seconds(30) * byteCount / 100_000, "\(Bombs.all[index].name)")
  }

  @Test("damage is an error")
  func damage() {
    #expect(throws: KeyedArchiveError.self) { try audit([["a": .uid(9), "$class": .uid(2)], Self.box]) }
    #expect(throws: KeyedArchiveError.self) { try audit([["a": 1, "$class": .uid(2)], "x"]) }
  }

  // MARK: Allow-lists

  /// The page has a table row for each class that a type of the package represents.
  @Test("the list has a type for each class of the page Archived classes")
  func classesOfPage() throws {
    let page = "Sources/ArchivedClasses/ArchivedClasses.docc/ClassesAndKeys.md"
    let text = try String(contentsOf: Locations.package.appending(path: page), encoding: .utf8)
    var names: [String] = []
    for line in text.split(separator: "\n") where line.hasPrefix("| `") {
      let cell = line.split(separator: "|")[0]
      for match in cell.matches(of: /`(NS\w+|UI\w+)`/) { names.append(String(match.1)) }
    }
    #expect(names.count > 60 && names.contains("NSDateComponents"))
    // A part of a predicate, which has a type only as a whole.
    for name in names where name != "NSEqualityPredicateOperator" {
      // A unit is recognized by its superclasses.
      let isUnit = name.hasPrefix("NSUnit") && !name.hasPrefix("NSUnitConverter")
      let superclasses = isUnit ? ["NSDimension", "NSUnit", "NSObject"] : ["NSObject"]
      let description = ClassDescription(name: name, chain: [name] + superclasses)
      #expect(ArchiveAudit.valueType(of: description) != nil, "\(name)")
    }
  }

  @Test("the list has the members of a collection that only class hints name, and decodes them")
  func hintedCollection() throws {
    let hinted = HandmadeList.dictionary([
      ("$classname", "App.List"), ("$classes", ["App.List", "NSObject"]), ("$classhints", ["NSArray"]),
    ])
    let objects: [HandmadeList] = [
      ["NS.objects": [.uid(3)], "$class": .uid(2)], hinted, ["NS.time": 1.5, "$class": .uid(4)],
      .classRecord("NSDate", "NSObject"),
    ]
    let audit = try audit(objects)
    #expect(audit.topClassNames == ["App.List", "NSDate"])
    let types = audit.topTypes.types
    let data = HandmadeList.archive(objects)
    let list = try KeyedUnarchiver.unarchivedObject(ofClasses: types, from: data) as? ArchivedArray
    #expect(list?.elements.first as? Date == Date(timeIntervalSinceReferenceDate: 1.5))
    #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClasses: [ArchivedArray.self], from: data)
    }
  }

  /// The first list of the source, without the lines around its types.
  private func firstList(_ source: String) -> [String] {
    let lines = source.split(separator: "\n").map(String.init)
    return Array(lines.drop { $0 != "  [" }.dropFirst().prefix { $0 != "  ]" }).map { String($0.dropFirst(4)) }
  }

  @Test("collections with members of one type are in the list with that type, which decodes them")
  func typedCollections() throws {
    func list(_ objects: [HandmadeList], _ top: [(String, HandmadeList)] = [("root", .uid(1))]) throws -> [String] {
      let data = HandmadeList.archive(objects, top: top)
      return firstList(try ArchiveAudit(of: KeyedArchive(data)).swiftAllowList())
    }
    let dates: [HandmadeList] = [
      ["NS.objects": [.uid(2), .uid(2)], "$class": .uid(3)], ["NS.time": 1.5, "$class": .uid(4)], Self.array,
      .classRecord("NSDate", "NSObject"),
    ]
    #expect(try list(dates) == ["[Date].self,  // NSArray with NSDate"])
    let made = try KeyedUnarchiver.unarchivedObject(ofClasses: [[Date].self], from: HandmadeList.archive(dates))
    #expect((made as? [Date])?.count == 2)
    let boxes: [HandmadeList] = [
      ["NS.objects": [.uid(2)], "$class": .uid(3)], ["a": 1, "$class": .uid(4)], Self.array, Self.box,
    ]
    #expect(try list(boxes) == ["[Box].self,  // NSArray with App.Box, your type"])
    #expect(
      try list(boxes, [("root", .uid(1)), ("box", .uid(2))]) == [
        "[Box].self,  // NSArray with App.Box, your type", "Box.self,  // App.Box, your type",
      ])
    let nested: [HandmadeList] = [
      ["NS.keys": [.uid(2)], "NS.objects": [.uid(3)], "$class": .uid(4)], "key",
      ["NS.objects": [.uid(2)], "$class": .uid(5)], .classRecord("NSDictionary", "NSObject"), Self.array,
    ]
    #expect(try list(nested) == ["[String: [String]].self,  // NSDictionary with NSString"])
    // An array of boxes and one of texts: one type of arrays would not decode both.
    let mixed: [HandmadeList] = [
      ["NS.objects": [.uid(3)], "$class": .uid(5)], ["NS.objects": [.uid(4)], "$class": .uid(5)],
      ["a": 1, "$class": .uid(6)], "text", Self.array, Self.box,
    ]
    #expect(
      try list(mixed, [("a", .uid(1)), ("b", .uid(2))]) == [
        "ArchivedArray.self,  // NSArray", "String.self,  // NSString", "Box.self,  // App.Box, your type",
      ])
    // The type of these members needs a name that you choose.
    let unnamed: [HandmadeList] = [
      ["NS.objects": [.uid(2)], "$class": .uid(3)], ["a": 1, "$class": .uid(4)], Self.array,
      .classRecord("a box", "NSObject"),
    ]
    #expect(try list(unnamed).first == "ArchivedArray.self,  // NSArray")
    // The user info of an error is decoded with the list.
    let errors: [HandmadeList] = [
      ["NS.objects": [.uid(2)], "$class": .uid(6)],
      ["NSDomain": .uid(3), "NSCode": 1, "NSUserInfo": .uid(4), "$class": .uid(7)], "domain",
      ["NS.keys": [.uid(3)], "NS.objects": [.uid(5)], "$class": .uid(8)],
      ["NS.objects": [.uid(3)], "$class": .uid(6)], Self.array, .classRecord("NSError", "NSObject"),
      .classRecord("NSDictionary", "NSObject"),
    ]
    #expect(try list(errors).contains("ArchivedArray.self,  // NSArray"))
  }

  @Test("a class whose type another class has is named in the list as Swift")
  func takenTypes() throws {
    let list = try audit([
      ["NS.objects": [.uid(3), .uid(4)], "$class": .uid(2)], Self.array, ["$class": .uid(5)], ["$class": .uid(6)],
      .classRecord("Farm.Creature", "NSObject"), .classRecord("Zoo.Creature", "NSObject"),
    ]).swiftAllowList()
    #expect(list.contains("    Creature.self,  // Farm.Creature, your type\n"))
    #expect(
      list.contains(
        "    // \"Zoo.Creature\": the name Creature is taken. Declare a type of another name, and add it.\n"))
  }

  @Test("a class has a type of this package only if all of its records have, in whatever order they occur")
  func differentHints() throws {
    func file(_ hints: HandmadeList?) throws -> ArchiveAudit {
      let names: [(String, HandmadeList)] = [("$classname", "C"), ("$classes", ["C", "NSObject"])]
      return try audit([
        ["c": .uid(3), "$class": .uid(2)], Self.box, ["v": 1, "$class": .uid(4)],
        .dictionary(names + (hints.map { [("$classhints", $0)] } ?? [])),
      ])
    }
    #expect(GeneratedSwift(try file(["NSUUID"])).types.contains("UUID.self"))
    var (first, second) = (try file(["NSUUID"]), try file(nil))
    first.merge(try file(nil))
    second.merge(try file(["NSUUID"]))
    for audit in [first, second] {
      #expect(GeneratedSwift(audit).types.contains("class C"))
      #expect(audit.swiftAllowList().contains("C.self,  // C, your type"))
    }
  }

  @Test("the list as Swift: this package's types, types of yours by their names, the others in comments")
  func swift() throws {
    let names = [
      "_TtCV3App4ShopP33_72E6A7C92484813DBC1277D23D3B40374Till",
      "App.Box", "_TtC3App5Crate", "NSWindow", "NSMutableString", "UIColor", "Evil.String", "Box\n.self]; exit(0) //",
      "class", "A.B-C",
      "", "Type", "App.func", "*/",
    ]
    let objects = names.enumerated().flatMap { index, name -> [HandmadeList] in
      [["$class": .uid(UInt64(2 * index + 4))], .classRecord(name, "NSObject")]
    }
    let uids = names.indices.map { HandmadeList.uid(UInt64(2 * $0 + 3)) }
    let list = try audit([["NS.objects": .array(uids), "$class": .uid(2)], Self.array] + objects).swiftAllowList()
    let expected = """
      var allowedClasses: [any KeyedCoding.Type] {
        [
          String.self,  // NSMutableString
          ArchivedArray.self,  // NSArray
          ArchivedUIColor.self,  // UIColor
          // The class name "" is not a valid type name.
          // The class name "* /" is not a valid type name.
          // The class name "A.B-C" is not a valid type name.
          Box.self,  // App.Box, your type
          `func`.self,  // App.func, your type
          // The class name "Box\\u{a}.self]; exit(0) //" is not a valid type name.
          // "Evil.String": the name String is taken. Declare a type of another name, and add it.
          NSWindow.self,  // NSWindow, your type
          // The class name "Type" is not a valid type name.
          Crate.self,  // _TtC3App5Crate, your type
          Till.self,  // _TtCV3App4ShopP33_72E6A7C92484813DBC1277D23D3B40374Till, your type
          `class`.self,  // class, your type
        ]
      }

      """
    let found = list.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(Set(found) == Set(expected.split(separator: "\n", omittingEmptySubsequences: false)).union(found.prefix(9)))
    #expect(found.count == expected.split(separator: "\n", omittingEmptySubsequences: false).count + 9)
    #expect(found[8] == "/// request it by itself, with KeyedArchiveDecoder().decode(_:from:).")
  }
}

private final class AppBox: SecureKeyedCoding {
  static var archiveClassName: String { "App.Box" }
  let name: String

  func encode(with coder: KeyedArchiver) { coder.encode(name, forKey: "name") }
  init?(coder: KeyedUnarchiver) throws { name = try coder.decode(String.self, forKey: "name") }
}
