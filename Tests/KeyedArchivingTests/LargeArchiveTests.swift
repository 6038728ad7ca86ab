// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing

@testable import KeyedArchiving

/// An object with a value of each kind that the archiver keeps apart.
private final class Part: SecureKeyedCoding, Hashable {
  static var archiveClassName: String { "Part" }
  let name: String
  let number: Int
  let weight: Double
  let isMarked: Bool
  let count: Int
  let width: Float
  var parts: [Part] = []

  init(_ number: Int) {
    name = number % 3 == 0 ? "part \(number)" : "a part with the number \(number)"
    self.number = number
    weight = Double(number) / 8 + 0.5
    isMarked = number % 5 == 0
    count = number % 1000 + 1
    width = Float(number) + 0.25
  }

  func encode(with coder: KeyedArchiver) {
    coder.encode(name, forKey: "name")
    coder.encode(number, forKey: "number")
    coder.encode(weight, forKey: "weight")
    coder.encode(isMarked, forKey: "isMarked")
    coder.encodeObject(count, forKey: "count")
    coder.encodeObject(width, forKey: "width")
    coder.encode(parts, forKey: "parts")
  }

  init(coder: KeyedUnarchiver) throws {
    name = try coder.decode(String.self, forKey: "name")
    number = coder.decodeInteger(forKey: "number")
    weight = coder.decodeDouble(forKey: "weight")
    isMarked = coder.decodeBool(forKey: "isMarked")
    count = try coder.decode(Int.self, forKey: "count")
    width = try coder.decode(Float.self, forKey: "width")
    parts = try coder.decode([Part].self, forKey: "parts")
  }

  static func == (a: Part, b: Part) -> Bool {
    a.name == b.name && a.number == b.number && a.weight == b.weight && a.isMarked == b.isMarked && a.count == b.count
      && a.width == b.width && a.parts.map(\.number) == b.parts.map(\.number)
  }

  func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// Objects in sets, and as keys of a dictionary, whose order follows from what is archived.
private struct Groups: SecureKeyedCoding, Equatable {
  static let archiveClassName = "Groups"
  var sets: [Set<Part>]
  var places: [Part: Int]

  init(sets: [Set<Part>], places: [Part: Int]) { (self.sets, self.places) = (sets, places) }

  func encode(with coder: KeyedArchiver) {
    coder.encode(sets, forKey: "sets")
    coder.encode(places, forKey: "places")
  }

  init(coder: KeyedUnarchiver) throws {
    sets = try coder.decode([Set<Part>].self, forKey: "sets")
    places = try coder.decode([Part: Int].self, forKey: "places")
  }
}

@Suite("An archive of more than 65,536 objects, whose recorded values are discarded while it is written")
struct LargeArchiveTests {
  enum Shape: CaseIterable {
    /// The parts finish in the order in which they are written.
    case list
    /// Chains of 200 parts, which finish in the reverse order.
    case chains
    /// Each part has the four that follow it among the parts of a tree.
    case tree
    /// Each part refers to three that others refer to.
    case shared

    func children(of part: Int, among count: Int) -> [Int] {
      switch self {
      case .list: []
      case .chains: part % 200 < 199 && part + 1 < count ? [part + 1] : []
      case .tree: (4 * part + 1..<4 * part + 5).filter { $0 < count }
      case .shared: [2, 3, 7].map { part * $0 + 1 }.filter { $0 < count }
      }
    }
  }

  /// A third of the archives; with `WHOLE_TESTS`, all.
  @Test(
    "has each value of each object",
    arguments: Sample.cases(
      Shape.allCases.map { ($0, ArchiveLayout.apple) } + [(.shared, .compact), (.list, .compact)], each: 3))
  func values(_ shape: Shape, layout: ArchiveLayout) throws {
    // The compact layout has one object for equal numbers.
    let parts = (0..<(layout == .apple ? 6000 : 16_000)).map(Part.init)
    for (place, part) in parts.enumerated() {
      part.parts = shape.children(of: place, among: parts.count).map { parts[$0] }
    }
    let archive = try KeyedArchiver.archivedData(withRootObject: parts, requiringSecureCoding: true, layout: layout)
    #expect(objectCount(of: archive) > 65_536)
    let decoded = try KeyedUnarchiver.unarchivedObject(ofClass: [Part].self, from: archive)
    #expect(decoded?.count == parts.count)
    let different = zip(decoded ?? [], parts).filter { $0 != $1 }.map(\.1.number)
    #expect(different == [])
  }

  /// The number of objects of the property list, which its trailer has.
  private func objectCount(of archive: Data) -> Int { archive.suffix(24).prefix(8).reduce(0) { $0 << 8 | Int($1) } }

  @Test("has each object of sets, and each key that is an object")
  func sets() throws {
    let parts = (0..<6000).map(Part.init)
    let groups = Groups(
      sets: (0..<60).map { first in Set(stride(from: first, to: 5400, by: 60).map { parts[$0] }) },
      places: Dictionary(uniqueKeysWithValues: parts[5400...].map { ($0, 7 * $0.number) }))
    let archive = try KeyedArchiver.archivedData(withRootObject: groups, requiringSecureCoding: true)
    #expect(objectCount(of: archive) > 65_536)
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Groups.self, from: archive) == groups)
  }

  @Test("has each element of a large array of strings")
  func strings() throws {
    let texts = (0..<70_000).map { $0 % 2 == 0 ? "text \($0)" : "one of \($0 % 100)" }
    let archive = try KeyedArchiver.archivedData(withRootObject: texts, requiringSecureCoding: true)
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: [String].self, from: archive) == texts)
  }

  @Test("the parts of an array are read when all of their elements are, in any order", arguments: 1...4)
  func unreadParts(_ seed: Int) {
    let count = 3 * UnreadParts.size + 1000
    var parts = UnreadParts(count)
    // Ranges of 1 to 700 elements, of which some are in two parts.
    var ranges: [Range<Int>] = []
    var start = 0
    while start < count {
      let end = min(count, start + 1 + (start &* 31 &+ seed &* 977) % 700)
      ranges.append(start..<end)
      start = end
    }
    var isRead = [Bool](repeating: false, count: count)
    var returned: [Int] = []
    for range in ranges.shuffled() {
      parts.remove(range.lowerBound, range.count)
      for element in range { isRead[element] = true }
      while let part = parts.popRead(of: count) {
        #expect(part.allSatisfy { isRead[$0] })
        returned += part
      }
    }
    #expect(returned.sorted() == Array(0..<count))
  }
}
