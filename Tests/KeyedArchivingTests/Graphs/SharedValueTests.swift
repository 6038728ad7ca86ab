// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import Foundation
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

@Suite("Values that are shared")
struct SharedValueTests {
  private static var types: [any KeyedCoding.Type] { KeyedUnarchiver.valueTypes }

  /// An archive of collections, each of which holds the next one twice.
  private func nested(_ levels: Int) -> Data {
    let names = ["NSArray", "NSSet", "NSOrderedSet", "NSCountedSet", "NSDictionary"]
    var objects: [HandmadeList] = names.map { .classRecord($0, "NSObject") } + ["a", "b"]
    for level in 0..<levels {
      let next = HandmadeList.uid(level + 1 < levels ? UInt64(objects.count + 2) : 6)
      let name = names[level % names.count]
      let values: [(String, HandmadeList)] =
        switch name {
        case "NSOrderedSet": [("NS.object.0", next), ("NS.object.1", next)]
        case "NSCountedSet":
          [("NS.count", 2), ("NS.object0", next), ("NS.count0", 1), ("NS.object1", next), ("NS.count1", 1)]
        case "NSDictionary": [("NS.keys", [.uid(6), .uid(7)]), ("NS.objects", [next, next])]
        default: [("NS.objects", [next, next])]
        }
      objects.append(Hostile.object(UInt64(level % names.count + 1), values))
    }
    return HandmadeList.archive(objects, top: [("root", .uid(8))])
  }

  @Test("collections of any types are archived once, however many hold them")
  func collections() throws {
    for layout in ArchiveLayout.allCases {
      let value = try #require(try KeyedUnarchiver.unarchivedObject(ofClasses: Self.types, from: nested(60)))
      let again = try KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true, layout: layout)
      let archive = try KeyedArchive(again)
      // The collections, the class records, the texts and nil.
      #expect((60...80).contains(archive.objectCount))
      #expect(archive.root["NS.objects"][0].uid == archive.root["NS.objects"][1].uid)
      let twice = try #require(try KeyedUnarchiver.unarchivedObject(ofClasses: Self.types, from: again))
      #expect(
        try KeyedArchiver.archivedData(withRootObject: twice, requiringSecureCoding: true, layout: layout) == again)
    }
  }

  @Test("a copy that is changed is another value, and the original is as it was")
  func copies() throws {
    let original = ArchivedArray(["a"])
    var copy = original
    copy.elements.append("b")
    #expect(original.elements.count == 1 && copy.elements.count == 2)
    var mutable = original
    mutable.isMutable = true
    #expect(!original.isMutable)
    var dictionary = ArchivedDictionary([("k", "v")])
    let before = dictionary
    dictionary.keys.append("l")
    dictionary.values.append("w")
    #expect(before["l"] == nil && dictionary["l"] as? String == "w")
    let all = ArchivedArray([original, original, copy, mutable, ArchivedArray(["a"])])
    let archive = try KeyedArchive(KeyedArchiver.archivedData(withRootObject: all, requiringSecureCoding: true))
    let uids = (0..<5).map { archive.root[$0].uid }
    #expect(uids[0] == uids[1] && Set(uids).count == 4)
  }

  @Test("a value that is changed after it was encoded does not change what was encoded")
  func encodedBefore() throws {
    var array = ArchivedArray(["a"])
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.encode(array, forKey: "first")
    array.elements.append("b")
    archiver.encode(array, forKey: "second")
    let archive = try KeyedArchive(archiver.encodedData)
    #expect(archive["first"].array?.count == 1 && archive["second"].array?.count == 2)
  }

  private final class Listener: KeyedArchiverDelegate {
    var seen: [String] = []
    func archiver(_ archiver: KeyedArchiver, willEncode object: any KeyedCoding) -> (any KeyedCoding)? {
      seen.append("\(type(of: object))")
      return (object as? ArchivedSet).map { ArchivedArray($0.elements) } ?? object
    }
    func archiver(_ archiver: KeyedArchiver, didEncode object: any KeyedCoding) {
      seen.append("did \(type(of: object))")
    }
  }

  @Test("delegates and class names are those of the value")
  func delegates() throws {
    let set = ArchivedSet([ArchivedNotification(name: "n")])
    let listener = Listener()
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.delegate = listener
    archiver.setClassName("List", for: ArchivedArray.self)
    archiver.encode(ArchivedArray([set, set]), forKey: "root")
    let archive = try KeyedArchive(archiver.encodedData)
    #expect(archive.root.className == "List" && archive.root[0].className == "List")
    #expect(archive.root[0].uid == archive.root[1].uid)
    #expect(
      listener.seen == [
        "ArchivedArray", "ArchivedSet", "ArchivedNotification", "did ArchivedNotification", "did ArchivedArray",
        "did ArchivedArray",
      ])
  }

  private indirect enum Tree: SecureKeyedCoding {
    case leaf
    case pair(Tree, Tree)

    static var archiveClassName: String { "Tree" }
    init?(coder: KeyedUnarchiver) { self = .leaf }
    init(depth: Int) {
      self = .leaf
      for _ in 0..<depth { self = .pair(self, self) }
    }
    func encode(with coder: KeyedArchiver) {
      guard case .pair(let a, let b) = self else { return }
      coder.encode(a, forKey: "a")
      coder.encode(b, forKey: "b")
    }
  }

  @Test("what has no identity is archived up to a limit")
  func limit() throws {
    let inner = [String](repeating: "text", count: 300)
    let nested = [[[String]]](repeating: [[String]](repeating: inner, count: 300), count: 300)
    for value in [Tree(depth: 60), nested] as [any SecureKeyedCoding] {
      let archiver = KeyedArchiver(requiringSecureCoding: true)
      archiver.maximumObjectCount = 20_000
      archiver.encode(value, forKey: "root")
      let error = #expect(throws: KeyedArchiveError.self) { try archiver.encodedData }
      #expect(error?.code == .limitReached && error?.remedy?.contains("maximumObjectCount") == true)
    }
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.maximumByteCount = 1_000_000
    archiver.encode([Data](repeating: Data(count: 10_000), count: 200), forKey: "root")
    let error = #expect(throws: KeyedArchiveError.self) { try archiver.encodedData }
    #expect(error?.code == .limitReached && error?.remedy?.contains("maximumByteCount") == true)
    #expect(throws: Never.self) {
      try KeyedArchiver.archivedData(withRootObject: Tree(depth: 8), requiringSecureCoding: true)
    }
  }

  @Test("an operator of a predicate can be changed without its copies")
  func predicateOperator() throws {
    let data = HandmadeList.archive([
      Hostile.object(2, [("NSOperatorType", 4), ("NSModifier", 0), ("NSOptions", 1)]),
      .classRecord("NSStringPredicateOperator", "NSPredicateOperator", "NSObject"),
    ])
    let original = try #require(
      try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedPredicateOperator.self, from: data))
    var copy = original
    copy.type = 5
    _ = try KeyedArchiver.archivedData(withRootObject: copy, requiringSecureCoding: true)
    #expect(original.type == 4 && original.otherValues == copy.otherValues)
    let again = try KeyedArchive(KeyedArchiver.archivedData(withRootObject: copy, requiringSecureCoding: true))
    #expect(again.root["NSOperatorType"].number == .integer(5) && again.root["NSOptions"].number == .integer(1))
  }
}
