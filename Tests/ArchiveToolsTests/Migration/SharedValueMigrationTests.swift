// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

@Suite("Migrations of archives that share values")
struct SharedValueMigrationTests {
  private let box = HandmadeList.classRecord("Foo", "NSObject")

  /// An array of objects that refer to object 4 by the key `n`.
  private func sharing(_ value: HandmadeList, count: UInt64) -> [HandmadeList] {
    [
      ["NS.objects": .array((0..<count).map { .uid(5 + $0) }), "$class": .uid(2)],
      .classRecord("NSArray", "NSObject"), box, value,
    ] + (0..<count).map { _ in ["n": .uid(4), "$class": .uid(3)] }
  }

  @Test("transformed and converted objects stay shared")
  func sharedResults() throws {
    let text = String(repeating: "long ", count: 20_000)
    let old = HandmadeList.archive(sharing(.string(text), count: 300))
    let migrated = try KeyedArchive(old).migrated(by: [
      .transform("n", of: "Foo") { value in
        guard case .string(let text) = value, text.hasPrefix("long") else { return value }
        return .string("very " + text)
      }
    ])
    let new = migrated.archive
    #expect(migrated.changes.count == 300 && new.root[0]["n"].string == "very " + text)
    #expect(Set((0..<300).map { new.root[$0]["n"].uid }).count == 1)
    #expect(try new.data().count < old.count + 20_000)
    let numbers = try KeyedArchive(HandmadeList.archive(sharing(5, count: 2)))
    let converted = try numbers.migrated(by: [.convertNumber("n", to: .double, of: "Foo")]).archive
    #expect(converted.root[0]["n"].number == .double(5) && converted.root[0]["n"].uid == converted.root[1]["n"].uid)
    // The object that both shared, and no other, remains as `$null`.
    #expect(converted.objectCount == numbers.objectCount + 1)
  }

  @Test("each rule for a shared object has its own result, which stays shared")
  func severalRules() throws {
    let objects: [HandmadeList] = [
      ["a": .uid(3), "b": .uid(3), "c": .uid(3), "next": .uid(4), "$class": .uid(2)], box, 5,
      ["a": .uid(3), "b": .uid(3), "c": .uid(3), "$class": .uid(2)],
    ]
    let new = try KeyedArchive(HandmadeList.archive(objects)).migrated(by: [
      .convertNumber("a", to: .float, of: "Foo"), .convertNumber("b", to: .double, of: "Foo"),
    ]).archive
    let (first, second) = (new.root, new.root["next"])
    #expect(first["a"].number == .float(5) && first["b"].number == .double(5) && first["c"].number == .integer(5))
    for key in ["a", "b", "c"] { #expect(first[key].uid == second[key].uid, "\(key)") }
    #expect(Set(["a", "b", "c"].map { first[$0].uid }).count == 3)
  }

  @Test("a default value is one object")
  func defaultValue() throws {
    let old = try KeyedArchive(HandmadeList.archive(sharing(5, count: 10)))
    let new = try old.migrated(by: [.defaultValue(.string("none"), forKey: "note", of: "Foo")]).archive
    #expect(new.objectCount == old.objectCount + 1 && new.root[9]["note"].string == "none")
    #expect(Set((0..<10).map { new.root[$0]["note"].uid }).count == 1)
  }

  /// Elements of `$objects` that share one dictionary, which has the given entries.
  private func sameObject(_ count: Int, _ make: (inout ArchiveFile) -> [(String, Int)]) -> Data {
    var file = ArchiveFile()
    let foo = file.classUID("Foo", "NSObject")
    let entries = make(&file)
    let row = file.fields(foo, entries)
    let root = file.object(row: row)
    for _ in 1..<count { _ = file.object(row: row) }
    return file.data(root: root)
  }

  @Test("removing a value that many objects share reaches the limit before it takes the time and memory of all")
  func removedBomb() throws {
    let data = sameObject(1200) { file in
      let element = file.reference(1)
      return [("junk", file.row(.array([Int](repeating: element, count: 20_000))))]
    }
    let archive = try KeyedArchive(data)
    // All values would take 1200 * 20,000 * 56 bytes.
    let time = System.time {
      let error = #expect(throws: KeyedArchiveError.self) { try archive.migrated(by: [.removeKey("junk", of: "Foo")]) }
      #expect(error?.code == .limitReached)
    }
    #expect(time < .seconds(20))
  }

  @Test("storing all numbers reads no texts", arguments: [MigrationRule.NumberForm.objects, .inline])
  func numbersBesideTexts(form: MigrationRule.NumberForm) throws {
    func time(_ length: Int) throws -> Double {
      let data = sameObject(100) { file in
        let inline = file.text(String(repeating: "x", count: length))
        let boxed = file.reference(file.object(row: inline))
        return (0..<50).flatMap { [("i\($0)", inline), ("b\($0)", boxed)] }
      }
      let archive = try KeyedArchive(data)
      return try System.leastTime(of: 2) { () throws(KeyedArchiveError) in
        let migrated = try archive.migrated(by: [.storeNumbers(as: form, of: "Foo")])
        #expect(!migrated.isChanged)
      }
    }
    // Reading the texts would be 5 GB.
    #expect(try time(500_000) < 10 * time(50_000) + 1)
  }

  @Test("a key that is there twice is an error of the rule also if the rule names no keys")
  func twice() throws {
    let objects: [HandmadeList] = [.dictionary([("a", 1), ("a", 2), ("$class", .uid(2))]), box]
    let archive = try KeyedArchive(HandmadeList.archive(objects))
    let error = try #require(throws: KeyedArchiveError.self) {
      try archive.migrated(by: [.storeNumbers(as: .objects, of: "Foo")])
    }
    #expect(error.code == .notMigratable && error.keyPath == "root.a")
  }

  @Test("an archive whose only top-level key is like root is migrated as any other")
  func likeRoot() throws {
    let archive = try KeyedArchive(HandmadeList.archive([["a": 1, "$class": .uid(2)], box], top: [("room", .uid(1))]))
    let new = try archive.migrated(by: [.renameKey("a", to: "b", of: "Foo")]).archive
    #expect(new["room"]["b"].number == .integer(1))
  }

  @Test("an error has the path that the tool reads, with quotes where necessary")
  func quotedPath() throws {
    let objects: [HandmadeList] = [
      ["b": .uid(3), "$class": .uid(2)], box, ["x.y": 1.5, "$class": .uid(4)], .classRecord("Bar", "NSObject"),
    ]
    let archive = try KeyedArchive(
      HandmadeList.archive(objects, top: [("a", .uid(1)), ("a.b", .uid(3))]))
    let error = try #require(throws: KeyedArchiveError.self) {
      try archive.migrated(by: [.convertNumber("x.y", to: .integer, of: "Bar")])
    }
    #expect(error.keyPath == #"["a.b"]["x.y"]"#)
  }

  // MARK: Selectors

  @Test("a name after *. matches whole components at the end of a class name")
  func suffixes() throws {
    let selector = ClassSelector(["*.Outer.Creature", "*.Single"])
    let names = [
      ("Outer.Creature", true), ("Zoo.Outer.Creature", true), ("Old.Zoo.Outer.Creature", true), ("Creature", false),
      ("Zoo.Creature", false), ("SomeOuter.Creature", false), ("Outer.Creature.Inner", false), ("Single", true),
      ("A.B.C.Single", true), ("ASingle", false), ("", false), (".", false), ("..", false), (".Single", true),
    ]
    for (name, isSelected) in names { #expect(selector.matches(name) == isSelected, "\(name)") }
    try MigrationRules([.removeKey("a", of: "*.Outer.Creature")]).validate()
    let old = try KeyedArchive(
      HandmadeList.archive([["a": 1, "$class": .uid(2)], .classRecord("Zoo.Outer.Creature", "NSObject")]))
    #expect(try old.migrated(by: [.removeKey("a", of: "*.Outer.Creature")]).changes.count == 1)
  }

  @Test(
    "a rule that would make a class its own superclass is an error",
    arguments: ["*.Creature", ["Zoo.Creature", "Base.Creature"]] as [ClassSelector])
  func ownSuperclass(selector: ClassSelector) throws {
    let record = HandmadeList.classRecord("Zoo.Creature", "Base.Creature", "NSObject")
    let archive = try KeyedArchive(HandmadeList.archive([["a": 1, "$class": .uid(2)], record]))
    let error = try #require(throws: KeyedArchiveError.self) {
      try archive.migrated(by: [.renameClass(selector, to: "New.Creature")])
    }
    #expect(error.code == .notMigratable && error.detail.contains("'New.Creature' would be among its own superclasses"))
    // With the superclasses in the rule, it is clear what becomes of them.
    let rule = MigrationRule.renameClass(selector, to: "New.Creature", superclasses: ["NSObject"])
    let new = try archive.migrated(by: [rule]).archive
    #expect(new.root.classDescription?.chain == ["New.Creature", "NSObject"])
  }

  // MARK: Derived rules

  @Test("a conversion that one of the numbers does not permit is no rule, and the difference remains")
  func notConvertible() throws {
    func archive(_ first: HandmadeList, _ second: HandmadeList) throws -> KeyedArchive {
      try KeyedArchive(
        HandmadeList.archive([
          ["n": first, "m": 1, "next": .uid(3), "$class": .uid(2)], box, ["n": second, "m": 2, "$class": .uid(2)],
        ]))
    }
    let derived = try DerivedRules(
      from: archive(1, .integer(1 << 53 + 1)), to: archive(1.0, .real(Double(1 << 53))))
    #expect(derived.rules.rules.isEmpty)
    #expect(derived.remaining.filter { $0.kind == .changed }.map(\.path) == ["root.n", "root.next.n"])
  }

  /// An object of a class whose record has a name `count` times among its superclasses.
  private func repeatingSuperclass(_ name: String, _ count: Int) -> Data {
    var file = ArchiveFile()
    let names = file.row(.array([file.text("Foo")] + [Int](repeating: file.text(name), count: count)))
    let record = file.row(.dictionary([(file.text("$classname"), file.text("Foo")), (file.text("$classes"), names)]))
    let classUID = file.object(row: record)
    return file.data(root: file.object(row: file.fields(classUID, [])))
  }

  @Test("a renamed class has each name once in the file, however often its record refers to it")
  func repeatedClassNames() throws {
    let old = repeatingSuperclass(String(repeating: "n", count: 2000), 60)
    let new = try KeyedArchive(old).migrated(by: [.renameClass("Foo", to: "Zoo")]).archive
    let description = try new.classDescription(ArchiveUID(rawValue: 1))
    #expect(description.name == "Zoo" && description.chain.count == 61 && description.chain[0] == "Zoo")
    #expect(try new.data().count < old.count + 1000)
  }

  @Test("a class record whose names expand beyond the limit is not migrated")
  func expandedClassNames() throws {
    let archive = try KeyedArchive(repeatingSuperclass(String(repeating: "n", count: 20_000), 20_000))
    let error = #expect(throws: KeyedArchiveError.self) {
      try archive.migrated(by: [.renameClass("Foo", to: "Zoo")])
    }
    #expect(error?.code == .limitReached)
    // So are the names of many records.
    var file = ArchiveFile()
    let names = file.row(.array([Int](repeating: file.text(String(repeating: "n", count: 2000)), count: 100)))
    let objects = (0..<200).map { index in
      let pairs = [(key: file.text("$classname"), value: file.text("Foo")), (file.text("$classes"), names)]
      let record = file.object(row: file.row(.dictionary(pairs)))
      return (key: "\(index)", uid: file.object(row: file.fields(record, [])))
    }
    let records = try KeyedArchive(file.data(top: objects))
    let sum = #expect(throws: KeyedArchiveError.self) {
      try records.migrated(by: [.renameClass("Foo", to: "Zoo")])
    }
    #expect(sum?.code == .limitReached)
  }
}
