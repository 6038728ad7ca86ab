// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveGenerators
import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing

@testable import ArchiveTools

@Suite("Two archives are compared as graphs")
struct DifferenceTests {
  /// The differences of two archives that are written down, in a line each.
  private func lines(
    _ old: [HandmadeList], _ new: [HandmadeList], ignoring ignored: Set<ArchiveDifference.Kind> = []
  ) throws -> [String] {
    try lines(HandmadeList.archive(old), HandmadeList.archive(new), ignoring: ignored)
  }

  private func lines(
    _ old: Data, _ new: Data, ignoring ignored: Set<ArchiveDifference.Kind> = []
  ) throws -> [String] {
    let (old, new) = (try KeyedArchive(old, archivers: .any), try KeyedArchive(new, archivers: .any))
    #expect(try old.differences(from: old).isEmpty)
    #expect(try new.differences(from: new).isEmpty)
    let haveEqualValues = try new.differences(from: old, ignoring: [.form, .sharing]).isEmpty
    #expect(try GraphComparison.haveEqualValues(old, new) == haveEqualValues)
    return try new.differences(from: old, ignoring: ignored).map(\.description)
  }

  private let box = HandmadeList.classRecord("Box", "NSObject")
  private let array = HandmadeList.classRecord("NSArray", "NSObject")
  private let set = HandmadeList.classRecord("NSSet", "NSObject")
  private let dictionary = HandmadeList.classRecord("NSDictionary", "NSObject")

  /// An array object of bare strings, as `root`.
  private func strings(_ texts: String...) -> [HandmadeList] {
    [["NS.objects": .array(texts.indices.map { .uid(UInt64($0) + 3) }), "$class": .uid(2)], array]
      + texts.map { .string($0) }
  }

  // MARK: Values

  @Test("added, removed and changed values, by their ways; in the order of the newer archive")
  func values() throws {
    let old: [HandmadeList] = [
      ["same": 1, "gone": .uid(3), "text": .uid(3), "other": .uid(4), "$class": .uid(2)], box, "Ghost",
      ["deep": 1, "$class": .uid(2)],
    ]
    let new: [HandmadeList] = [
      ["other": .uid(2), "fresh": true, "text": .uid(4), "same": 1, "$class": .uid(3)], ["deep": 2, "$class": .uid(3)],
      box, "Yeti",
    ]
    #expect(
      try lines(old, new) == [
        "changed root.other.deep: 1 -> 2", "added root.fresh: true", #"changed root.text: "Ghost" #3 -> "Yeti" #4"#,
        #"removed root.gone: "Ghost" #3"#,
      ])
  }

  @Test("numbers of objects, order of keys, unreferenced objects and the file's format are no differences")
  func noDifferences() throws {
    let old = HandmadeList.archive([["a": .uid(2), "b": 2, "$class": .uid(3)], "x", box])
    let new = HandmadeList.archive(
      [box, "nobody's", "x", ["$class": .uid(1), "b": 2, "a": .uid(3)]], top: [("root", .uid(4))])
    #expect(try lines(old, new) == [])
    #expect(try lines(old, KeyedArchive(new).data(format: .xml)) == [])
  }

  @Test("top-level keys and the archiver's name")
  func top() throws {
    let old = HandmadeList.archive(["x"], top: [("root", .uid(1)), ("count", 1), ("gone", true)])
    let new = HandmadeList.dictionary([
      ("$version", 100_000), ("$archiver", "OtherKeyedArchiver"), ("$objects", ["$null", "x"]),
      ("$top", ["count": 2, "root": .uid(1), "more": .uid(0)]),
    ]).binary
    #expect(
      try lines(old, new) == [
        #"archiver $archiver: "NSKeyedArchiver" -> "OtherKeyedArchiver""#, "changed count: 1 -> 2", "added more: nil",
        "removed gone: true",
      ])
  }

  @Test(
    "numbers are compared bit for bit, with their kinds",
    arguments: [
      (.real(.nan), .real(.nan), nil), (.real(0), .real(-0.0), "changed"), (1, .real(1), "changed"),
      (1, true, "changed"), (true, false, "changed"), (.real(1.5), .real(1.5), nil), (1, 1, nil), (-1, 1, "changed"),
      // 1 in 16 bytes and in one, 2.5 in 4 bytes and in 8; 0.1 in 4 bytes is another number.
      (1, .raw([0x14] + [UInt8](repeating: 0, count: 15) + [1]), "form"), (1, .raw([0x10, 1]), nil),
      (.real(2.5), .raw([0x22, 0x40, 0x20, 0, 0]), "form"),
      (.real(0.1), .raw([0x22, 0x3D, 0xCC, 0xCC, 0xCD]), "changed"),
      (.raw([0x22, 0x7F, 0xC0, 0, 0]), .real(.nan), "form"),
      // 2^64 - 1 and -1.
      (-1, .raw([0x14] + [UInt8](repeating: 0, count: 8) + [UInt8](repeating: 255, count: 8)), "changed"),
      (.data([1, 2]), .data([1, 2]), nil), (.data([1, 2]), .data([1, 3]), "changed"), ("a", .data([97]), "changed"),
      // The same letter, composed and decomposed.
      ("\u{E9}", "e\u{301}", "changed"),
    ] as [(HandmadeList, HandmadeList, String?)])
  func plain(a: HandmadeList, b: HandmadeList, kind: String?) throws {
    for (a, b) in [(a, b), (b, a)] {
      let inline = try lines([["v": a, "$class": .uid(2)], box], [["v": b, "$class": .uid(2)], box])
      #expect(inline.map { $0.split(separator: " ")[0] } == [kind].compactMap { $0?[...] }, "\(inline)")
      let boxed = try lines(
        [["v": .uid(3), "$class": .uid(2)], box, a], [["v": .uid(3), "$class": .uid(2)], box, b])
      #expect(boxed.map { $0.split(separator: " ")[0] } == [kind].compactMap { $0?[...] }, "\(boxed)")
    }
  }

  @Test(
    "the stored order of a set, or of a dictionary with objects as keys, is no difference if members share objects",
    arguments: [1, 2, 10, 17, 40])
  func orderOfMembers(_ count: Int) throws {
    // The root, its collection, and pairs of members that share an object which refers to the root.
    func archive(_ isSet: Bool, reversed isReversed: Bool) -> [HandmadeList] {
      var objects: [HandmadeList] = [
        ["members": .uid(2), "$class": .uid(3)], true, box, isSet ? set : dictionary,
      ]
      var members: [HandmadeList] = []
      for number in 0..<count {
        let shared = UInt64(objects.count + 1)
        objects.append(["root": .uid(1), "id": .integer(Int64(number)), "$class": .uid(3)])
        for side in 0..<2 {
          members.append(.uid(UInt64(objects.count + 1)))
          objects.append(["shared": .uid(shared), "n": .integer(Int64(2 * number + side)), "$class": .uid(3)])
        }
      }
      if isReversed { members.reverse() }
      let values = [HandmadeList](repeating: .uid(0), count: members.count)
      objects[1] =
        isSet
        ? ["NS.objects": .array(members), "$class": .uid(4)]
        : ["NS.keys": .array(members), "NS.objects": .array(values), "$class": .uid(4)]
      return objects
    }
    for isSet in [true, false] {
      #expect(try lines(archive(isSet, reversed: false), archive(isSet, reversed: true)) == [], "set: \(isSet)")
      var changed = archive(isSet, reversed: true)
      changed[4] = ["root": .uid(1), "id": -1, "$class": .uid(3)]
      #expect(try lines(archive(isSet, reversed: false), changed) != [])
    }
  }

  /// A graph of objects and sets, which is written with its objects, keys and members in any order.
  private struct Graph {
    struct Object {
      var classNumber: Int
      var isSet: Bool
      var references: [Int]
      var value: Int64
    }
    var objects: [Object] = []

    init(_ random: inout SeededRandom) {
      let count = Int.random(in: 2...10, using: &random)
      let greatest = [1, 2, 100].randomElement(using: &random) ?? 1
      for _ in 0..<count {
        let isSet = Int.random(in: 0..<3, using: &random) == 0
        let length = Int.random(in: 0...3, using: &random)
        let references = (0..<length).map { _ in Int.random(in: 0..<count, using: &random) }
        objects.append(
          Object(
            classNumber: Int.random(in: 0..<3, using: &random), isSet: isSet,
            references: isSet ? Array(Set(references)).sorted() : references,
            value: Int64.random(in: 0..<Int64(greatest), using: &random)))
      }
    }

    /// The objects that the first one leads to.
    var reachable: Set<Int> {
      var (reached, rest): (Set<Int>, [Int]) = ([], [0])
      while let next = rest.popLast() { if reached.insert(next).inserted { rest += objects[next].references } }
      return reached
    }

    func archive(_ random: inout SeededRandom) -> Data {
      let order = objects.indices.shuffled(using: &random)
      var uids = [UInt64](repeating: 0, count: objects.count)
      for (place, number) in order.enumerated() { uids[number] = UInt64(place) + 1 }
      var written = order.map { number -> HandmadeList in
        let object = objects[number]
        let references = object.references.map { HandmadeList.uid(uids[$0]) }
        let classUID = HandmadeList.uid(UInt64(objects.count + 1 + (object.isSet ? 3 : object.classNumber)))
        guard !object.isSet else {
          return .dictionary([("NS.objects", .array(references.shuffled(using: &random))), ("$class", classUID)])
        }
        let entries = references.enumerated().map { ("r\($0.offset)", $0.element) } + [("v", .integer(object.value))]
        return .dictionary(entries.shuffled(using: &random) + [("$class", classUID)])
      }
      written += (0..<3).map { HandmadeList.classRecord("C\($0)", "NSObject") }
      return HandmadeList.archive(written + [.classRecord("NSSet", "NSObject")], top: [("root", .uid(uids[0]))])
    }
  }

  @Test("a graph written twice in random orders has no differences, and a changed value is one", arguments: 0..<8)
  func randomOrders(_ part: UInt64) throws {
    for seed in Sample.cases(part * 100..<part * 100 + 100, each: 10) {
      var random = SeededRandom(seed: seed)
      var graph = Graph(&random)
      let data = graph.archive(&random)
      let same = try lines(data, graph.archive(&random))
      #expect(same == [], "seed \(seed)")
      let changeable = graph.reachable.filter { !graph.objects[$0].isSet }.sorted()
      guard let changed = changeable.randomElement(using: &random) else { continue }
      graph.objects[changed].value += 1000
      #expect(try lines(data, graph.archive(&random)) != [], "seed \(seed)")
    }
  }

  @Test("the same value inside its object and as an object of its own is the same in another form")
  func form() throws {
    let old: [HandmadeList] = [["Title": .uid(3), "Rating": 5, "$class": .uid(2)], box, "Ghost"]
    let new: [HandmadeList] = [["Title": .uid(3), "Rating": .uid(4), "$class": .uid(2)], box, "Ghost", 5]
    #expect(try lines(old, new) == ["form root.Rating: 5 -> 5 #4"])
    #expect(try lines(new, old) == ["form root.Rating: 5 #4 -> 5"])
    #expect(try lines(old, new, ignoring: [.form]) == [])
    #expect(try lines(old, Array(new.dropLast()) + [6], ignoring: [.form]) == ["changed root.Rating: 5 -> 6 #4"])
  }

  @Test("a string or data that can change holds the same as one that cannot, also where elements find each other")
  func changeable() throws {
    func archive(_ text: HandmadeList, _ bytes: HandmadeList) -> [HandmadeList] {
      [
        ["text": .uid(3), "set": .uid(4), "bytes": .uid(5), "$class": .uid(2)], box, text,
        ["NS.objects": [.uid(3)], "$class": .uid(8)], bytes,
        .classRecord("NSMutableString", "NSString", "NSObject"), .classRecord("NSMutableData", "NSData", "NSObject"),
        .classRecord("NSSet", "NSObject"),
      ]
    }
    let changeable = archive(["NS.string": "x", "$class": .uid(6)], ["NS.data": .data([1]), "$class": .uid(7)])
    #expect(try lines(changeable, archive("x", .data([1])), ignoring: [.form]) == [])
    #expect(
      try Set(lines(archive("x", .data([1])), changeable)) == [
        "form root.text: \"x\" #3 -> NSMutableString #3", "form root.set[0]: \"x\" #3 -> NSMutableString #3",
        "form root.bytes: <1 bytes> #5 -> NSMutableData #5",
      ])
    #expect(
      try lines(changeable, archive("x", .data([2])), ignoring: [.form]) == [
        "changed root.bytes: NSMutableData #5 -> <1 bytes> #5"
      ])
    // With anything else in it, it is more than a text.
    let marked = archive(["NS.string": "x", "mark": 1, "$class": .uid(6)], .data([1]))
    #expect(
      try lines(marked, archive("x", .data([1]))).contains("changed root.text: NSMutableString #3 -> \"x\" #3"))
  }

  @Test("nil is a value; a key that is missing is none; a place that was reserved for an object is nil")
  func null() throws {
    let old: [HandmadeList] = [["a": .uid(0), "b": .uid(3), "c": .uid(0), "$class": .uid(2)], box, "$null"]
    let new: [HandmadeList] = [["a": .uid(3), "b": .uid(0), "d": .uid(0), "$class": .uid(2)], box, "$null"]
    #expect(try lines(old, new) == ["added root.d: nil", "removed root.c: nil"])
    #expect(
      try lines(old, [["a": 1, "b": .uid(3), "c": .uid(0), "$class": .uid(2)], box, "$null"])
        == ["changed root.a: nil -> 1"])
  }

  // MARK: Classes

  @Test("another class is told once, with the number of objects, and what is in them is compared all the same")
  func classes() throws {
    func archive(_ record: HandmadeList, _ last: HandmadeList) -> [HandmadeList] {
      [["NS.objects": [.uid(3), .uid(4), .uid(5)], "$class": .uid(2)], array]
        + [1, 2, last].map { ["v": $0, "$class": .uid(6)] } + [record]
    }
    let old = archive(.classRecord("App.Box", "NSObject"), 3)
    #expect(
      try lines(old, archive(.classRecord("New.Box", "NSObject"), 4)) == [
        "class root[0]: App.Box < NSObject -> New.Box < NSObject (3 objects)", "changed root[2].v: 3 -> 4",
      ])
    #expect(
      try lines(old, archive(.classRecord("App.Box", "Base", "NSObject"), 3)) == [
        "class root[0]: App.Box < NSObject -> App.Box < Base < NSObject (3 objects)"
      ])
    #expect(try lines(old, archive(["$classname": "App.Box"], 3), ignoring: [.className]) == [])
  }

  @Test("objects of other classes that have no key in common are another value")
  func otherObject() throws {
    let other = HandmadeList.classRecord("Other", "NSObject")
    let old: [HandmadeList] = [["o": .uid(3), "$class": .uid(2)], box, ["a": 1, "b": 2, "$class": .uid(2)]]
    let new: [HandmadeList] = [["o": .uid(3), "$class": .uid(2)], box, ["c": 1, "d": 2, "$class": .uid(4)], other]
    #expect(try lines(old, new) == ["changed root.o: Box #3 -> Other #3"])
    let list: [HandmadeList] = [["o": .uid(3), "$class": .uid(2)], box, ["NS.objects": [], "$class": .uid(4)], array]
    #expect(try lines(old, list) == ["changed root.o: Box #3 -> NSArray #3"])
    #expect(try lines(old, [["o": 7, "$class": .uid(2)], box]) == ["changed root.o: Box #3 -> 7"])
  }

  // MARK: Collections

  @Test(
    "elements of an array: what was put between others, taken out, or changed, and nothing else",
    arguments: [
      (["a", "b", "c"], ["a", "x", "b", "c"], ["added root[1]"]), (["a", "b", "c"], ["b", "c"], ["removed root[0]"]),
      (["a", "b", "c"], ["a", "x", "c"], ["changed root[1]"]),
      (["a", "b"], ["b", "a"], ["removed root[0]", "added root[1]"]),
      ([], ["a"], ["added root[0]"]), (["a", "a", "a"], ["a", "a"], ["removed root[2]"]),
      (["a", "b", "c", "d"], ["x", "a", "c", "d", "y"], ["added root[0]", "removed root[1]", "added root[4]"]),
      (["a", "b"], ["x", "y"], ["changed root[0]", "changed root[1]"]),
    ] as [([String], [String], [String])])
  func arrays(old: [String], new: [String], expected: [String]) throws {
    func archive(_ texts: [String]) -> [HandmadeList] {
      [["NS.objects": .array(texts.indices.map { .uid(UInt64($0) + 3) }), "$class": .uid(2)], array]
        + texts.map { .string($0) }
    }
    let found = try lines(archive(old), archive(new)).map { $0.prefix { $0 != ":" } }
    #expect(Set(found) == Set(expected.map { $0[...] }) && found.count == expected.count, "\(found)")
  }

  @Test("an object that was changed keeps its place beside one that was put in front of it")
  func changedBesideAdded() throws {
    func archive(_ objects: [(String, Int64)]) -> [HandmadeList] {
      let uids = objects.indices.map { UInt64($0) + 4 }
      return [["NS.objects": .array(uids.map { .uid($0) }), "$class": .uid(2)], array, box]
        + objects.map { ["name": .string($0.0), "size": .integer($0.1), "$class": .uid(3)] }
    }
    #expect(
      try lines(archive([("a", 1), ("b", 2), ("c", 3)]), archive([("new", 9), ("a", 7), ("b", 2), ("c", 3)])) == [
        "added root[0]: Box #4", "changed root[1].size: 1 -> 7",
      ])
    let found = try KeyedArchive(HandmadeList.archive(archive([("new", 9), ("a", 7), ("b", 2)]))).differences(
      from: KeyedArchive(HandmadeList.archive(archive([("a", 1), ("b", 2)]))))
    #expect(found.map(\.path) == ["root[0]", "root[1].size"] && found.map(\.oldPath) == [nil, "root[0].size"])
  }

  @Test("dictionaries by their keys, sets by what they hold, counted sets by both")
  func unordered() throws {
    func pairs(_ pairs: [(HandmadeList, HandmadeList)]) -> [HandmadeList] {
      let keys = pairs.indices.map { HandmadeList.uid(UInt64($0) + 3) }
      return [
        ["NS.keys": .array(keys), "NS.objects": .array(pairs.map(\.1)), "$class": .uid(2)], dictionary,
      ] + pairs.map(\.0)
    }
    #expect(
      try lines(pairs([("a", 1), ("b c", 2), (7, 3), ("d", 4)]), pairs([(7, 30), ("e", 5), ("b c", 20), ("a", 1)])) == [
        "changed root[0]: 3 -> 30", "added root.e: 5", #"changed root["b c"]: 2 -> 20"#, "removed root.d: 4",
      ])
    func elements(_ values: [HandmadeList]) -> [HandmadeList] {
      [["NS.objects": .array(values.indices.map { .uid(UInt64($0) + 3) }), "$class": .uid(2)], set] + values
    }
    #expect(try lines(elements(["a", "b", 1]), elements([1, "a", "b"])) == [])
    #expect(
      try lines(elements(["a", "b", 1]), elements(["c", 1, "a"])) == [
        #"added root[0]: "c" #3"#, #"removed root[1]: "b" #4"#,
      ])
    let counted = HandmadeList.classRecord("NSCountedSet", "NSMutableSet", "NSSet", "NSObject")
    func counts(_ values: [(HandmadeList, Int64)]) -> [HandmadeList] {
      var keys: [(String, HandmadeList)] = [("NS.count", .integer(Int64(values.count))), ("$class", .uid(2))]
      for (place, value) in values.enumerated() {
        keys += [("NS.object\(place)", .uid(UInt64(place) + 3)), ("NS.count\(place)", .integer(value.1))]
      }
      return [.dictionary(keys), counted] + values.map(\.0)
    }
    #expect(try lines(counts([("a", 1), ("b", 2)]), counts([("b", 2), ("a", 1)])) == [])
    #expect(
      try lines(counts([("a", 1), ("b", 2)]), counts([("b", 3), ("a", 1)])) == ["changed root.NS.count0: 2 -> 3"])
  }

  @Test(
    "an empty collection and an object that stores none have different forms",
    arguments: [
      ("NSArray", ["NS.objects": []]), ("NSSet", ["NS.objects": []]), ("Foo", ["NS.objects": []]),
      ("NSDictionary", ["NS.keys": [], "NS.objects": []]), ("Foo", ["NS.keys": [], "NS.objects": []]),
    ] as [(String, [String: HandmadeList])])
  func empty(name: String, members: [String: HandmadeList]) throws {
    func archive(_ members: [String: HandmadeList]) -> [HandmadeList] {
      let entries = members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
      return [.dictionary(entries + [("$class", .uid(2))]), HandmadeList.classRecord(name, "NSObject")]
    }
    let form = "form root: \(name) #1 -> \(name) #1"
    #expect(try lines(archive([:]), archive(members)) == [form])
    #expect(try lines(archive(members), archive([:])) == [form])
    #expect(try lines(archive(members), archive(members)) == [])
  }

  @Test("the keys of a dictionary under one key or under one each are another form, as are the values")
  func numberedKeys() throws {
    func archive(_ keys: (String, HandmadeList), _ value: (String, HandmadeList)) -> [HandmadeList] {
      [.dictionary([keys, value, ("$class", .uid(2))]), dictionary, "k", "v"]
    }
    let forms: [[HandmadeList]] = [
      archive(("NS.keys", [.uid(3)]), ("NS.objects", [.uid(4)])),
      archive(("NS.keys", [.uid(3)]), ("NS.object.0", .uid(4))),
      archive(("NS.key.0", .uid(3)), ("NS.objects", [.uid(4)])),
      archive(("NS.key.0", .uid(3)), ("NS.object.0", .uid(4))),
    ]
    for (i, old) in forms.enumerated() {
      for (j, new) in forms.enumerated() {
        let expected = i == j ? [] : ["form root: NSDictionary #1 -> NSDictionary #1"]
        #expect(try lines(old, new) == expected, "\(i) \(j)")
      }
    }
  }

  /// A list of chains of objects, and a set of objects that refer to the ends of the chains. The elements differ only in
  /// what is at the other end of the chain.
  @Test(
    "elements of sets are matched whatever their order, also if what tells them apart is far away", arguments: 1...5)
  func distantElements(length: Int) throws {
    for round in Sample.cases(0..<20, each: 3) {
      var random = SeededRandom(seed: UInt64(20 * length + round))
      let count = Int.random(in: 2...4, using: &random)
      func archive(_ order: [Int], isDictionary: Bool) -> [HandmadeList] {
        // The objects of chain c have the numbers 6 + c * length and following; then come the elements.
        func link(_ chain: Int, _ index: Int) -> HandmadeList { .uid(UInt64(6 + chain * length + index)) }
        let element = { (chain: Int) in HandmadeList.uid(UInt64(6 + count * length + chain)) }
        let links = (0..<count).flatMap { chain in (0..<length).map { link(chain, $0) } }
        var objects: [HandmadeList] = [
          ["a": .uid(2), "b": .uid(3), "$class": .uid(4)],
          ["NS.objects": .array(links), "$class": .uid(5)],
          isDictionary
            ? ["NS.keys": .array(order.map(element)), "NS.objects": .array(order.map(element)), "$class": .uid(4)]
            : ["NS.objects": .array(order.map(element)), "$class": .uid(UInt64(6 + count * (length + 1)))],
          box, array,
        ]
        for chain in 0..<count {
          objects.append(["v": .integer(Int64(chain)), "$class": .uid(4)])
          for index in 1..<max(length, 1) { objects.append(["next": link(chain, index - 1), "$class": .uid(4)]) }
        }
        for chain in 0..<count { objects.append(["last": link(chain, length - 1), "$class": .uid(4)]) }
        return objects + [set]
      }
      let order = Array(0..<count)
      let isDictionary = round % 2 == 1
      #expect(
        try lines(
          archive(order, isDictionary: isDictionary),
          archive(order.shuffled(using: &random), isDictionary: isDictionary)) == [])
      // An element that refers to another chain is a difference.
      let other = Array(order.dropLast()) + [0]
      #expect(
        try !lines(archive(order, isDictionary: isDictionary), archive(other, isDictionary: isDictionary)).isEmpty)
    }
  }

  @Test("members of a set that differ only in objects which others lead to first", arguments: [false, true])
  func distantMembers(_ ignoresSharing: Bool) throws {
    func archive(_ members: [HandmadeList]) -> [HandmadeList] {
      [
        ["NS.objects": [.uid(2), .uid(3), .uid(4)], "$class": .uid(11)],
        ["NS.objects": [.uid(5), .uid(6)], "$class": .uid(11)],
        ["NS.objects": [.uid(7), .uid(8)], "$class": .uid(11)],
        ["NS.objects": .array(members), "$class": .uid(12)], ["v": .uid(14), "$class": .uid(13)],
        ["v": .uid(15), "$class": .uid(13)], ["c": .uid(5), "$class": .uid(13)], ["c": .uid(6), "$class": .uid(13)],
        ["r": .uid(7), "$class": .uid(13)], ["r": .uid(8), "$class": .uid(13)], array, set, box, "a", "b",
      ]
    }
    let ignored: Set<ArchiveDifference.Kind> = ignoresSharing ? [.sharing] : []
    #expect(try lines(archive([.uid(9), .uid(10)]), archive([.uid(10), .uid(9)]), ignoring: ignored) == [])
  }

  @Test("an object in a set that has something in common with one that is gone is that one, changed")
  func changedInSet() throws {
    func archive(_ size: Int64) -> [HandmadeList] {
      [
        ["NS.objects": [.uid(3), .uid(4)], "$class": .uid(2)], set,
        ["name": "a", "size": .integer(size), "$class": .uid(5)],
        ["name": "b", "size": 1, "$class": .uid(5)], box,
      ]
    }
    #expect(try lines(archive(1), archive(2)) == ["changed root[0].size: 1 -> 2"])
  }

  @Test("numbered keys are the same elements in another form")
  func numbered() throws {
    let old: [HandmadeList] = [["NS.objects": [.uid(3)], "$class": .uid(2)], array, "x"]
    let new: [HandmadeList] = [["NS.object.0": .uid(3), "$class": .uid(2)], array, "x"]
    #expect(try lines(old, new) == ["form root: NSArray #1 -> NSArray #1"])
    #expect(try lines(old, new, ignoring: [.form]) == [])
  }

  @Test("containers inside of an object")
  func inner() throws {
    func archive(_ value: HandmadeList, _ last: Int64) -> [HandmadeList] {
      [["list": [.uid(3), [value, .integer(last)]], "map": ["a": value], "$class": .uid(2)], box, "x"]
    }
    #expect(
      try lines(archive(1, 7), archive(2, 7)) == ["changed root.list[1][0]: 1 -> 2", "changed root.map.a: 1 -> 2"])
    #expect(
      try lines(archive(1, 7), [["list": 1, "map": [], "$class": .uid(2)], box]) == [
        "changed root.list: array of 2 -> 1", "changed root.map: dictionary of 1 -> array of 0",
      ])
  }

  // MARK: Sharing

  /// An object with references to others, in pairs of key and number.
  private func references(_ keys: KeyValuePairs<String, UInt64>) -> HandmadeList {
    .dictionary(keys.map { ($0.key, .uid($0.value)) } + [("$class", .uid(2))])
  }

  @Test("one object that became two, or two that became one, is one change of sharing; so is each further reference")
  func copies() throws {
    let leaf: HandmadeList = ["v": 1, "child": .uid(5), "$class": .uid(2)]
    let other: HandmadeList = ["v": 1, "child": .uid(6), "$class": .uid(2)]
    let inner: HandmadeList = ["w": 1, "$class": .uid(2)]
    let old = [references(["x": 3, "y": 3, "z": 3]), box, leaf, other, inner, inner]
    let new = [references(["x": 3, "y": 4, "z": 4]), box, leaf, other, inner, inner]
    #expect(try lines(old, new) == ["sharing root.y: the object at root.x -> an unshared object"])
    #expect(try lines(new, old) == ["sharing root.y: an unshared object -> the object at root.x"])
    #expect(try lines(old, new, ignoring: [.sharing]) == [])
    // What differs in the copy is told too.
    let edited: HandmadeList = ["w": 2, "$class": .uid(2)]
    #expect(
      try lines(old, [references(["x": 3, "y": 4, "z": 4]), box, leaf, other, inner, edited]) == [
        "sharing root.y: the object at root.x -> an unshared object", "changed root.y.child.w: 1 -> 2",
      ])
  }

  @Test("a reference that leads to another object is that, and not a change of what is in both")
  func otherReference() throws {
    func archive(_ selected: UInt64) -> [HandmadeList] {
      [
        references(["selected": selected, "items": 3]), box, ["NS.objects": [.uid(4), .uid(5)], "$class": .uid(6)],
        ["v": 1, "$class": .uid(2)], ["v": 2, "$class": .uid(2)], array,
      ]
    }
    #expect(
      try lines(archive(4), archive(5)) == [
        "sharing root.selected: the object at root.items[0] -> the object at root.items[1]"
      ])
    #expect(try lines(archive(4), archive(5), ignoring: [.sharing]) == ["changed root.selected.v: 1 -> 2"])
  }

  @Test("equal strings and numbers that are one object or several are no difference")
  func plainIdentity() throws {
    #expect(
      try lines([references(["x": 3, "y": 3]), box, "s"], [references(["x": 3, "y": 4]), box, "s", "s"]) == [])
    #expect(
      try lines([references(["x": 3, "y": 3]), box, "s"], [references(["x": 3, "y": 3]), box, "t"]).count == 2)
  }

  // MARK: Circles

  @Test("circles end: equal ones, changed ones, and of other lengths")
  func rings() throws {
    func ring(_ length: Int, _ last: Int64 = 0) -> [HandmadeList] {
      [box]
        + (0..<length).map { place -> HandmadeList in
          let value: HandmadeList = .integer(place == length - 1 ? last : 0)
          return ["next": .uid(UInt64((place + 1) % length) + 2), "v": value, "$class": .uid(1)]
        }
    }
    func archive(_ objects: [HandmadeList]) -> Data { HandmadeList.archive(objects, top: [("root", .uid(2))]) }
    #expect(try lines(archive(ring(1)), archive(ring(1))) == [])
    #expect(try lines(archive(ring(3)), archive(ring(3, 7))) == ["changed root.next.next.v: 0 -> 7"])
    #expect(
      try lines(archive(ring(2)), archive(ring(3))) == [
        "sharing root.next.next: the object at root -> an unshared object",
        "sharing root.next.next.next: the object at root.next -> the object at root",
      ])
    #expect(try lines(archive(ring(2)), archive(ring(3)), ignoring: [.sharing]) == [])
    // 399 times 400 pairs would be compared if each were.
    let time = try System.time { () throws in
      #expect(try lines(archive(ring(400)), archive(ring(399)), ignoring: [.sharing]) == [])
      #expect(try lines(archive(ring(400)), archive(ring(399, 1)), ignoring: [.sharing]).isEmpty == false)
    }
    #expect(time < .seconds(3))
  }

  @Test("ways of many steps begin with an object's number")
  func longWay() throws {
    func link(_ next: UInt64, _ value: Int64) -> HandmadeList {
      ["next": .uid(next), "v": .integer(value), "$class": .uid(1)]
    }
    func chain(_ last: Int64) -> Data {
      let links = (0..<999).map { link(UInt64($0) + 3, 0) }
      return HandmadeList.archive([box] + links + [link(0, last)], top: [("root", .uid(2))])
    }
    let found = try lines(chain(1), chain(2))
    #expect(found.count == 1 && found[0].hasPrefix("changed #") && found[0].hasSuffix(".next.next.v: 1 -> 2"))
    #expect(found[0].count < 300)
  }

  @Test("ways through more inline containers than the limit of steps begin at an object or are whole")
  func deepInlineContainers() throws {
    func archive(_ leaf: Int64, linkCount: Int) -> [HandmadeList] {
      let deep = (0..<32).reversed().reduce(HandmadeList.integer(leaf)) { [("k\($1)"): $0] }
      let links = (0..<linkCount).map {
        HandmadeList.dictionary([("next", .uid(UInt64($0 + 2))), ("$class", .uid(UInt64(linkCount + 2)))])
      }
      return links + [["deep": deep, "$class": .uid(UInt64(linkCount + 2))], box]
    }
    let keys = (0..<32).map { ".k\($0)" }.joined()
    #expect(
      try lines(archive(1, linkCount: 0), archive(2, linkCount: 0)) == ["changed root.deep\(keys): 1 -> 2"])
    #expect(
      try lines(archive(1, linkCount: 4), archive(2, linkCount: 4)) == ["changed #5.deep\(keys): 1 -> 2"])
  }

  @Test("a comparison has state for objects that are reached, and not for each element of '$objects'")
  func unreachedObjects() throws {
    var file = ArchiveFile()
    let text = file.text("text")
    let root = file.object(row: file.fields(file.classUID("Box", "NSObject"), [("nil", file.reference(0))]))
    for _ in 0..<10_000 { _ = file.object(row: text) }
    let archive = try KeyedArchive(file.data(root: root))
    var budget = archive.budget
    #expect(try GraphIndex(archive, budget: &budget).placeCount == 2)
    #expect(try archive.differences(from: archive) == [])
  }

  // MARK: Errors

  @Test("damage is an error, with the object")
  func damage() throws {
    let sound = try KeyedArchive(HandmadeList.archive([["a": 1, "$class": .uid(2)], box]))
    for objects in [
      [["a": .uid(9), "$class": .uid(2)], box], [["a": 1]], [["a": 1, "$class": .uid(2)], "x"],
      [["a": [[["$class": 1]]], "$class": .uid(1)]],
    ] as [[HandmadeList]] {
      let damaged = try KeyedArchive(HandmadeList.archive(objects))
      let error = #expect(throws: KeyedArchiveError.self) { try damaged.differences(from: sound) }
      #expect(error?.code == .damagedArchive)
      #expect(throws: KeyedArchiveError.self) { try sound.differences(from: damaged) }
    }
  }

  @Test("finds renamed classes of dictionaries' keys, however many there are, and in sets", arguments: [1, 3, 100])
  func renamedKeys(count: Int) throws {
    let keys = (0..<count).map { HandmadeList.uid(UInt64(5 + $0)) }
    let values = (0..<count).map { _ in HandmadeList.uid(4) }
    func archive(_ name: String) throws -> KeyedArchive {
      try KeyedArchive(
        HandmadeList.archive(
          [
            ["NS.keys": .array(keys), "NS.objects": .array(values), "$class": .uid(2)],
            .classRecord("NSDictionary", "NSObject"), .classRecord(name, "NSObject"), "value",
          ]
            + (0..<count).map {
              ["title": .integer(Int64($0)), "next": .uid(UInt64(5 + ($0 + 1) % count)), "$class": .uid(3)]
            }))
    }
    let (old, new) = (try archive("Old"), try archive("New"))
    #expect(try new.differences(from: old).map(\.kind) == [.className])
    #expect(try new.differences(from: old, ignoring: [.className]) == [])
  }
}
