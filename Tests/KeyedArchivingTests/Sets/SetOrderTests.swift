// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveGenerators
import ArchiveTools
import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing

/// Tests of random graphs try a sample of them; see ``Sample``.
@Suite("Sets and dictionaries with object keys")
struct SetOrderTests {
  private func archive(
    _ graph: MeshGraph, salt: UInt64, layout: ArchiveLayout = .apple, delegate: (any KeyedArchiverDelegate)? = nil
  ) throws -> (data: Data, calls: [Int: Int]) {
    let build = graph.build(salt: salt)
    defer { build.takeApart() }
    let archiver = KeyedArchiver(requiringSecureCoding: true, layout: layout)
    archiver.delegate = delegate
    archiver.encode(build.root, forKey: "root")
    return (try archiver.encodedData, build.log.calls)
  }

  @Test("archive the same bytes however Swift enumerates them, and each object once", arguments: 0..<12)
  func sameBytes(part: UInt64) throws {
    for seed in Sample.cases(part * 12..<part * 12 + 12, each: 4) {
      let graph = MeshGraph(seed: seed)
      let (data, calls) = try archive(graph, salt: 1)
      #expect(calls.values.allSatisfy { $0 == 1 }, "seed \(seed)")
      for salt in 2..<5 as Range<UInt64> {
        let other = try archive(graph, salt: salt)
        #expect(other.data == data, "seed \(seed), salt \(salt)")
        #expect(other.calls == calls, "seed \(seed), salt \(salt)")
      }
    }
  }

  @Test(
    "archive the same bytes in each layout, and for a delegate that only looks",
    arguments: Sample.cases(0..<UInt64(40), each: 5))
  func layouts(seed: UInt64) throws {
    final class Spectator: KeyedArchiverDelegate {}
    let graph = MeshGraph(seed: 1000 + seed)
    for layout in [ArchiveLayout.apple, .appleLegacy, .compact] {
      let data = try archive(graph, salt: 1, layout: layout).data
      #expect(try archive(graph, salt: 2, layout: layout).data == data, "\(layout)")
      #expect(try archive(graph, salt: 3, layout: layout, delegate: Spectator()).data == data, "\(layout)")
    }
  }

  @Test("come back as they were, circles included", arguments: Sample.cases(0..<UInt64(60), each: 6))
  func roundTrip(seed: UInt64) throws {
    let graph = MeshGraph(seed: 2000 + seed, isDistinct: true)
    let build = graph.build(salt: 1)
    defer { build.takeApart() }
    let data = try KeyedArchiver.archivedData(withRootObject: build.root, requiringSecureCoding: true)
    let decoded = try KeyedUnarchiver.unarchivedObject(ofClass: Mesh.self, from: data)
    #expect(decoded.map { MeshText.of($0) } == MeshText.of(build.root))
    // References back to what nothing else refers to are lost the first time, and then nothing is.
    let again = try KeyedArchiver.archivedData(withRootObject: decoded, requiringSecureCoding: true)
    let third = try KeyedUnarchiver.unarchivedObject(ofClass: Mesh.self, from: again)
    #expect(try KeyedArchiver.archivedData(withRootObject: third, requiringSecureCoding: true) == again)
  }

  /// The calls that decode a graph, each with the archive it takes.
  enum Way: CaseIterable {
    case typed, flatList, deferred, unkeyed, decodable, alias, mappedName, delegate, insecure, xml, asData

    func decode(_ data: Data) throws -> Mesh? {
      let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
      switch self {
      case .typed, .xml: return try KeyedUnarchiver.unarchivedObject(ofClass: Mesh.self, from: data)
      case .flatList:
        return try KeyedUnarchiver.unarchivedObject(ofClasses: [String.self, Mesh.self], from: data) as? Mesh
      case .deferred:
        var mesh: Mesh?
        unarchiver.decodeObject(of: Mesh.self, forKey: "root") { mesh = $0 }
        if let error = unarchiver.error { throw error }
        return mesh
      case .unkeyed: return try unarchiver.decodeTopLevelObject(of: Mesh.self, forKey: "root")
      case .decodable: return try KeyedUnarchiver.unarchivedObject(ofClass: Holder.self, from: data)?.mesh
      case .alias: return try KeyedUnarchiver.unarchivedObject(ofClass: Mesh.self, from: data)
      case .mappedName:
        unarchiver.setClass(Mesh.self, forClassName: "Old")
        return try unarchiver.decode(Mesh.self, forKey: "root")
      case .delegate:
        final class Spectator: KeyedUnarchiverDelegate {}
        let spectator = Spectator()
        return try withExtendedLifetime(spectator) {
          unarchiver.delegate = spectator
          return try unarchiver.decode(Mesh.self, forKey: "root")
        }
      case .insecure:
        return try KeyedUnarchiver.unarchiveTopLevelObjectWithData(data, classes: [Mesh.self]) as? Mesh
      case .asData: return try KeyedUnarchiver.unarchivedObject(ofClass: Mesh.self, from: RebuiltArchive(of: data).data)
      }
    }

    func archive(_ root: Mesh) throws -> Data {
      let archiver = KeyedArchiver(
        requiringSecureCoding: self != .insecure, layout: self == .flatList ? .compact : .apple)
      if self == .xml { archiver.outputFormat = .xml }
      if self == .mappedName { archiver.setClassName("Old", for: Mesh.self) }
      if self == .alias { archiver.setClassName("Mesh v1", for: Mesh.self) }
      if self == .decodable {
        archiver.encode(Holder(mesh: root), forKey: "root")
      } else {
        archiver.encode(root, forKey: "root")
      }
      return try archiver.encodedData
    }
  }

  /// A struct that is archived by `Codable`, around a class that archives itself.
  struct Holder: KeyedCodable {
    var mesh: Mesh
    init(mesh: Mesh) { self.mesh = mesh }
    init(from decoder: any Decoder) throws {
      guard let coder = decoder.keyedUnarchiver else { throw CancellationError() }
      mesh = try coder.decode(Mesh.self, forKey: "mesh")
    }
    func encode(to encoder: any Encoder) throws { encoder.keyedArchiver?.encode(mesh, forKey: "mesh") }
  }

  @Test("come back as they were by each call that decodes", arguments: Way.allCases)
  func ways(way: Way) throws {
    for seed in Sample.cases(0..<12, each: 4) {
      let build = MeshGraph(seed: 4000 + UInt64(seed), isDistinct: true).build(salt: 1)
      defer { build.takeApart() }
      let decoded = try way.decode(way.archive(build.root))
      #expect(decoded.map { MeshText.of($0) } == MeshText.of(build.root), "seed \(seed)")
    }
  }

  @Test("are numbered as a recursive archiver would number them in that order", arguments: 0..<10)
  func numbering(part: UInt64) throws {
    for seed in Sample.cases(3000 + part * 10..<3010 + part * 10, each: 5) {
      let build = MeshGraph(seed: seed).build(salt: 1)
      defer { build.takeApart() }
      let archive = try KeyedArchive(
        KeyedArchiver.archivedData(withRootObject: build.root, requiringSecureCoding: true))
      let numbers = try RecursiveNumbering.numbers(
        in: archive, keyOrder: MeshGraph.keyOrder, conditionalKeys: ["back"])
      #expect(numbers == (0..<UInt32(archive.objectCount)).map { $0 }, "seed \(seed)")
    }
  }

  // MARK: What was wrong once

  @Test("archive two children that refer back to their owner")
  func circle() throws {
    let log = MeshLog(archivesNumbers: false)
    let owner = Mesh(0, salt: 0, log: log)
    for id in 1...2 {
      let child = Mesh(id, salt: id, log: log)
      child.link = owner
      owner.set.insert(child)
    }
    defer { owner.set = [] }
    let data = try KeyedArchiver.archivedData(withRootObject: owner, requiringSecureCoding: true)
    let archive = try KeyedArchive(data)
    #expect(archive.root["set"].array?.count == 2)
    #expect(log.calls == [0: 1, 1: 1, 2: 1])
  }

  @Test("call encode(with:) once for each object of a chain of sets")
  func chain() throws {
    let log = MeshLog(archivesNumbers: false)
    let root = Mesh(0, salt: 0, log: log)
    var last = root
    for id in 1...2000 {
      let next = Mesh(2 * id, salt: 2 * id, log: log)
      last.set = [next, Mesh(2 * id + 1, salt: 2 * id + 1, log: log)]
      last = next
    }
    _ = try KeyedArchiver.archivedData(withRootObject: root, requiringSecureCoding: true)
    #expect(log.calls.count == 4001 && log.calls.values.allSatisfy { $0 == 1 })
    // Freed from its end, a long chain does not need the stack that Swift takes to free it from its beginning.
    var mesh: Mesh? = root
    while let current = mesh {
      mesh = current.set.first { !$0.set.isEmpty }
      current.set = []
    }
  }

  /// An element that needs what its archiver carries.
  private struct Measure: SecureKeyedCoding, Hashable {
    static let archiveClassName = "Measure"
    static let unit = CodingUserInfoKey(rawValue: "unit")
    var value: Int

    init(_ value: Int) { self.value = value }

    func encode(with coder: KeyedArchiver) throws {
      guard let key = Self.unit, let unit = coder.userInfo[key] as? String else {
        throw KeyedArchiveError(.notEncodable, "no unit")
      }
      coder.encode("\(value) \(unit)", forKey: "text")
    }

    init?(coder: KeyedUnarchiver) { nil }
  }

  @Test("hand the caller's archiver to each element")
  func userInfo() throws {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.userInfo[try #require(Measure.unit)] = "m"
    archiver.setClassName("Length", for: Measure.self)
    archiver.encode([Measure(3), Measure(1), Measure(2)] as Set, forKey: "root")
    let elements = try #require(try KeyedArchive(archiver.encodedData).root.array)
    #expect(elements.map { $0["text"].string } == ["1 m", "2 m", "3 m"])
    #expect(elements.allSatisfy { $0.className == "Length" })
  }

  @Test("hold values that were read: the first of equal short ones is the same object as an equal plain value")
  func readValues() throws {
    let data = HandmadeList.archive([
      Hostile.object(2, [("NS.objects", [.uid(3), .uid(4), .uid(5), .uid(6)])]), Hostile.array, "short", "short", 7, 7,
    ])
    let list = try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedObject.self, from: data)?["NS.objects"]
    let read: [any KeyedCoding] = (list?.references ?? []).compactMap {
      if case .boxed(let scalar) = $0 { scalar } else { nil }
    }
    #expect(read.count == 4)
    for order in [[0, 1, 4, 2, 3, 5], [4, 0, 1, 5, 2, 3], [1, 4, 0, 3, 5, 2]] {
      let values = read + ["short", 7]
      let root = try KeyedArchive(
        KeyedArchiver.archivedData(
          withRootObject: ArchivedArray(order.map { values[$0] }), requiringSecureCoding: true)
      ).root
      func uid(_ value: Int) -> ArchiveUID? { order.firstIndex(of: value).flatMap { root[$0].uid } }
      for (first, plain) in [(0, 4), (2, 5)] {
        let isFirst = (order.firstIndex(of: first) ?? 0) < (order.firstIndex(of: first + 1) ?? 0)
        #expect(uid(plain) == uid(isFirst ? first : first + 1), "\(order)")
        #expect(uid(plain) != uid(isFirst ? first + 1 : first), "\(order)")
      }
    }
  }

  @Test("are told apart by names that only what their own sets hold has")
  func distantNames() throws {
    func archive(_ salts: [Int]) throws -> Data {
      let log = MeshLog(archivesNumbers: false)
      let root = Mesh(-1, salt: 0, log: log)
      let owners = salts.enumerated().map { Mesh($0, salt: $1, log: log) }
      for (number, owner) in owners.enumerated() {
        let owned = Mesh(100 + number, salt: number, log: log)
        owned.name = "what the owner with number \(number) holds"
        owner.set = [owned]
      }
      root.set = Set(owners)
      return try KeyedArchiver.archivedData(withRootObject: root, requiringSecureCoding: true)
    }
    let data = try archive([1, 2, 3, 4, 5, 6])
    #expect(try archive([6, 5, 4, 3, 2, 1]) == data)
    #expect(try archive([3, 9, 4, 1, 7, 2]) == data)
  }

  @Test("tell an object apart that is referred to elsewhere")
  func referredTo() throws {
    // The first of four that look the same is archived before or behind the set.
    for isBehind in [false, true] {
      let archives = try (0..<20).map { salt in
        let log = MeshLog(archivesNumbers: false)
        var random = SeededRandom(seed: UInt64(salt))
        let meshes = (0..<4).map { Mesh($0, salt: Int(truncatingIfNeeded: random.next()), log: log) }
        let archiver = KeyedArchiver(requiringSecureCoding: true)
        if !isBehind { archiver.encode(meshes[0], forKey: "first") }
        archiver.encode(Set(meshes), forKey: "all")
        if isBehind { archiver.encode(meshes[0], forKey: "first") }
        return try archiver.encodedData
      }
      #expect(Set(archives).count == 1)
    }
  }

  @Test("are sorted by the bytes of strings and the values of numbers")
  func plain() throws {
    func root(_ value: some KeyedCoding) throws -> KeyedArchive.Node {
      try KeyedArchive(KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)).root
    }
    var texts = ["é", "e\u{301}", "z", "", "abcdefgh", "abcdefg", "abcdefgh\0", "\u{10000}", "\u{FFFF}"]
    // So many with one beginning that Swift's order is not that of their bytes by chance.
    texts += (0..<20).map { "abcdefgh\($0)" }
    let ordered = texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    // Swift takes the first two for one.
    let set = Set(texts)
    #expect(
      try root(set).array?.map { $0.string ?? "" }
        == ordered.filter { text in
          set.contains { Array($0.utf8) == Array(text.utf8) }
        })
    let reals: Set<Double> = [1, -1, 0, .infinity, -.infinity, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, -2.5]
    #expect(try root(reals).array?.map(\.number) == reals.sorted().map { .double($0) })
    let integers: Set<Int64> = [3, -3, .min, .max, 0]
    #expect(try root(integers).array?.map(\.number) == integers.sorted().map { .integer($0) })
    let floats: Set<Float> = [1, -1, 0, 0.5, -.infinity]
    #expect(try root(floats).array?.map(\.number) == floats.sorted().map { .float($0) })
  }

  @Test("archive the same bytes for real numbers that are not numbers")
  func notANumber() throws {
    let archives = try (0..<8).map { count in
      var set = Set<Double>(minimumCapacity: 8 << count)
      for _ in 0..<3 { set.insert(.nan) }
      for value in [2.0, -1, 7] { set.insert(value) }
      return try KeyedArchiver.archivedData(withRootObject: set, requiringSecureCoding: true)
    }
    #expect(Set(archives).count == 1)
  }

  @Test("archive the same bytes for keys that are not numbers, which only their values tell apart")
  func notANumberKeys() throws {
    func archives<Key: KeyedCoding & Hashable>(_ keys: [Key]) throws -> Set<Data> {
      try Set(
        (0..<8).map { count in
          var dictionary = [Key: String](minimumCapacity: 8 << count)
          for (number, key) in keys.enumerated() { dictionary[key] = "value \(number)" }
          #expect(dictionary.count == keys.count)
          return try KeyedArchiver.archivedData(withRootObject: dictionary, requiringSecureCoding: true)
        })
    }
    #expect(try archives([Double.nan, 2, .nan, -1, .nan, .nan, .nan]).count == 1)
    #expect(try archives([Float.nan, 2, .nan, -1, .nan, .nan, .nan]).count == 1)
  }

  /// An element that is archived as nil.
  private struct Absent: SecureKeyedCoding, ArchiveReplacing, Hashable {
    static let archiveClassName = "Absent"
    var number: Int
    init(_ number: Int) { self.number = number }
    func replacementObject(for coder: KeyedArchiver) -> (any KeyedCoding)? { number > 1 ? nil : self }
    func encode(with coder: KeyedArchiver) { coder.encode(number, forKey: "number") }
    init?(coder: KeyedUnarchiver) { nil }
  }

  /// An element with a list.
  private struct Crowd: SecureKeyedCoding, Hashable {
    static let archiveClassName = "Crowd"
    var members: [Absent]
    init(_ members: [Absent]) { self.members = members }
    func encode(with coder: KeyedArchiver) { coder.encode(members, forKey: "members") }
    init?(coder: KeyedUnarchiver) { nil }
  }

  @Test("archive elements, keys and values that are replaced by nil as nil")
  func nilElements() throws {
    func root(_ value: some KeyedCoding) throws -> KeyedArchive.Node {
      try KeyedArchive(KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)).root
    }
    let set = try root(Set((1...3).map { Absent($0) }))
    #expect(set.array?.count { $0.isNull } == 2 && set.array?.count { $0["number"].number == .integer(1) } == 1)
    let crowds = try root(Set([Crowd([Absent(1), Absent(2)]), Crowd([Absent(1), Absent(3)])]))
    #expect(crowds.array?.map { $0["members"].array?.map(\.isNull) } == [[false, true], [false, true]])
    let table = try root([Absent(1): Absent(5), Absent(2): Absent(1), Absent(3): Absent(4)])
    let pairs = try #require(table.dictionary).map { [$0.key.isNull, $0.value.isNull] }
    #expect(Set(pairs) == [[false, true], [true, false], [true, true]])
  }

  @Test("hold objects whose lists hold nil, as they were read")
  func readNil() throws {
    struct Keeper: SecureKeyedCoding, Hashable {
      static let archiveClassName = "Keeper"
      let number: Int
      let list: ArchivedObject
      init(_ number: Int, _ list: ArchivedObject) { (self.number, self.list) = (number, list) }
      static func == (a: Keeper, b: Keeper) -> Bool { a.number == b.number }
      func hash(into hasher: inout Hasher) { hasher.combine(number) }
      func encode(with coder: KeyedArchiver) { coder.encode(list, forKey: "list") }
      init?(coder: KeyedUnarchiver) { nil }
    }
    let keepers = (0..<2).map { number in
      Keeper(
        number, ArchivedObject(classes: "NSArray", "NSObject", entries: [.init("NS.objects", .references([.null]))]))
    }
    let data = try KeyedArchiver.archivedData(withRootObject: Set(keepers), requiringSecureCoding: true)
    #expect(try KeyedArchive(data).root.array?.map { $0["list"][0].isNull } == [true, true])
  }

  /// Seconds of processor time that archiving takes, the least of three times.
  private func cost(_ value: some KeyedCoding, _ layout: ArchiveLayout) throws -> Double {
    try System.leastTime {
      _ = try KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true, layout: layout)
    }
  }

  @Test("archive a dictionary with 50,000 string keys about as fast as arrays of its keys and values")
  func stringKeys() throws {
    let keys = (0..<50_000).map { "key number \($0 &* 2_654_435_761 % 1_000_003)-\($0)" }
    let dictionary = Dictionary(uniqueKeysWithValues: keys.enumerated().map { ($1, $0) })
    _ = try cost(keys, .apple)
    // A sort in debug is most of it. With a comparison through key paths and casts, it was 40 times as much as the keys.
    let arrays = try cost(keys, .apple) + cost(Array(dictionary.values), .apple)
    #expect(try cost(dictionary, .apple) < 8 * arrays)
  }

  @Test("archive data with equal beginnings in the compact layout as fast as other data")
  func equalBeginnings() throws {
    func items(_ isEqual: Bool) -> [Data] {
      (0..<4000).map { number in
        var data = Data(repeating: 7, count: 96)
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        if isEqual { data.append(contentsOf: bytes) } else { data.replaceSubrange(0..<4, with: bytes) }
        return data
      }
    }
    _ = try cost(items(false), .compact)
    #expect(try cost(items(true), .compact) < 4 * cost(items(false), .compact))
  }
}
