// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import HarnessSupport
import Foundation
import KeyedArchiving

/// An enum that is the value of its case.
package enum Temper: String, Codable, CaseIterable {
  case calm, wild
}

/// A class that conforms in one line, with references of every kind.
package final class Knot: KeyedCodable {
  let id: Int
  var text = ""
  var number: Double?
  var spot = Spot()
  var values: [Value] = []
  var table: [String: Knot] = [:]
  var children: [Knot] = []
  var plain: Plain?
  var hand: Hand?
  var spots: Set<Spot> = []
  @ArchiveReference var next: Knot?
  @ArchiveBackReference var back: Knot?
  @ArchiveReference var other: Hand.Twin?

  init(_ id: Int) { self.id = id }
}

/// A class that is Codable only.
final class Plain: Codable {
  let id: Int
  var knots: [Knot] = []
  var maybe: [Int?] = []
  var spot: Spot?

  init(_ id: Int) { self.id = id }
}

/// A struct that is Codable only.
struct Spot: Codable, Hashable {
  var x = 0
  var name: String?
  var when = Date(timeIntervalSinceReferenceDate: 0)
}

/// An enum with values of all kinds, objects among them.
indirect enum Value: KeyedCodable {
  case none
  case number(Int64)
  case text(String)
  case bytes(Data)
  case list([Value])
  case table([String: Value])
  case spot(Spot, id: UUID)
  case knot(Knot)
  case temper(Temper)
}

/// A class that encodes and decodes itself by hand. That it is Codable lets others that are hold it; it is not made use of.
final class Hand: KeyedCodable {
  let id: Int
  var flag = false
  var knot: Knot?
  var next: Hand?
  var coin = Coin()
  var twin: Twin?

  /// A class within, that is Codable and refers to whoever.
  final class Twin: KeyedCodable {
    let id: Int
    @ArchiveReference var knot: Knot?
    init(_ id: Int) { self.id = id }
  }

  init(_ id: Int) { self.id = id }

  /// A coder that passes over what a type does by hand.
  struct PassedOver: Error {}

  func encode(to encoder: any Encoder) throws { throw PassedOver() }
  init(from decoder: any Decoder) throws { throw PassedOver() }

  func encode(with coder: KeyedArchiver) {
    coder.encode(id, forKey: "id")
    coder.encode(flag, forKey: "flag")
    coder.encode(knot, forKey: "knot")
    coder.encode(next, forKey: "next")
    coder.encode(coin, forKey: "coin")
    coder.encode(twin, forKey: "twin")
  }

  init(coder: KeyedUnarchiver) throws {
    id = coder.decodeInteger(forKey: "id")
    flag = coder.decodeBool(forKey: "flag")
    coin = try coder.decode(Coin.self, forKey: "coin")
    coder.decodeObject(of: Knot.self, forKey: "knot") { self.knot = $0 }
    coder.decodeObject(of: Hand.self, forKey: "next") { self.next = $0 }
    twin = coder.decodeObject(of: Twin.self, forKey: "twin")
  }
}

/// A struct that encodes and decodes itself by hand.
struct Coin: SecureKeyedCoding {
  var value: Float = 0
  var link: URL?

  init() {}

  func encode(with coder: KeyedArchiver) {
    coder.encode(value, forKey: "value")
    coder.encode(link, forKey: "link")
  }

  init(coder: KeyedUnarchiver) throws {
    value = coder.decodeFloat(forKey: "value")
    link = try coder.decodeIfPresent(URL.self, forKey: "link")
  }
}

/// A random graph: what is decoded at once leads from lower to higher numbers, the rest anywhere.
package struct RandomGraph {
  package let knots: [Knot]
  let plains: [Plain]
  let hands: [Hand]
  let twins: [Hand.Twin]

  package init(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let count = Int.random(in: 1...16, using: &random)
    knots = (0..<count).map(Knot.init)
    plains = (0..<count).map(Plain.init)
    hands = (0..<count).map(Hand.init)
    twins = (0..<count).map(Hand.Twin.init)
    for place in 0..<count { fill(place, &random) }
  }

  /// Whether an object refers back to one that nothing else refers to.
  var losesReferences: Bool { GraphText.losesReferences(knots[0]) }

  /// Undoes the circles, so that the objects are freed.
  package func takeApart() {
    for knot in knots {
      knot.next = nil
      knot.other = nil
      knot.hand = nil
      knot.children = []
      knot.table = [:]
      knot.values = []
    }
    for hand in hands {
      hand.knot = nil
      hand.next = nil
      hand.twin = nil
    }
    for twin in twins { twin.knot = nil }
  }

  private func fill(_ place: Int, _ random: inout SeededRandom) {
    let knot = knots[place]
    func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    func later<Element>(_ all: [Element]) -> Element? { all[(place + 1)...].randomElement(using: &random) }
    knot.text = RandomGraph.text(&random)
    knot.number = chance(50) ? Double.random(in: -1e6...1e6, using: &random) : nil
    knot.spot = RandomGraph.spot(&random)
    knot.spots = Set((0..<Int.random(in: 0..<4, using: &random)).map { _ in RandomGraph.spot(&random) })
    knot.values = (0..<Int.random(in: 0..<4, using: &random)).map { _ in value(place, depth: 2, &random) }
    for _ in 0..<Int.random(in: 0..<3, using: &random) {
      if let child = later(knots) { knot.children.append(child) }
      if let child = later(knots) { knot.table[RandomGraph.text(&random)] = child }
    }
    if chance(60) { knot.plain = later(plains) }
    if chance(60) { knot.hand = hands.randomElement(using: &random) }
    if chance(60) { knot.next = knots.randomElement(using: &random) }
    if chance(40) { knot.back = knots.randomElement(using: &random) }
    if chance(40) { knot.other = twins.randomElement(using: &random) }
    let plain = plains[place]
    plain.knots = (0..<Int.random(in: 0..<3, using: &random)).compactMap { _ in later(knots) }
    plain.maybe = (0..<Int.random(in: 0..<4, using: &random)).map { chance(30) ? nil : $0 }
    plain.spot = chance(50) ? RandomGraph.spot(&random) : nil
    let hand = hands[place]
    hand.flag = chance(50)
    hand.coin.value = Float(Int.random(in: -9...9, using: &random)) / 2
    hand.coin.link = chance(30) ? URL(filePath: "/coin/\(place)") : nil
    if chance(70) { hand.knot = knots.randomElement(using: &random) }
    if chance(50) { hand.next = hands.randomElement(using: &random) }
    if chance(50) { hand.twin = twins.randomElement(using: &random) }
    if chance(70) { twins[place].knot = knots.randomElement(using: &random) }
  }

  private func value(_ place: Int, depth: Int, _ random: inout SeededRandom) -> Value {
    switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &random) {
    case 0: return .none
    case 1: return .number(Int64.random(in: .min ... .max, using: &random))
    case 2: return .text(RandomGraph.text(&random))
    case 3: return .bytes(Data((0..<Int.random(in: 0..<6, using: &random)).map(UInt8.init)))
    case 4: return .temper(Temper.allCases.randomElement(using: &random) ?? .calm)
    case 5:
      guard let knot = knots[(place + 1)...].randomElement(using: &random) else { return .none }
      return .knot(knot)
    case 6: return .list((0..<3).map { _ in value(place, depth: depth - 1, &random) })
    case 7: return .table(["a": value(place, depth: depth - 1, &random), "b": value(place, depth: depth - 1, &random)])
    default:
      return .spot(
        RandomGraph.spot(&random), id: UUID(uuid: (UInt8(place), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)))
    }
  }

  static func text(_ random: inout SeededRandom) -> String {
    String((0..<Int.random(in: 0..<16, using: &random)).map { _ in "abé😀 $".randomElement(using: &random) ?? "a" })
  }

  private static func spot(_ random: inout SeededRandom) -> Spot {
    Spot(
      x: Int.random(in: -300...300, using: &random), name: Bool.random(using: &random) ? text(&random) : nil,
      when: Date(timeIntervalSinceReferenceDate: Double.random(in: -1e9...1e9, using: &random)))
  }
}

/// A graph as text: each object by a number in the order in which it is met, and what it holds where it is met first.
struct GraphText {
  private var numbers: [ObjectIdentifier: Int] = [:]
  private var todo: [AnyObject] = []
  private var lines: [String] = []
  /// The objects that something refers to by itself; a back reference to another one is lost.
  private let isKept: (Knot) -> Bool

  static func of(_ root: Knot) -> String {
    // First who is there, then what it looks like.
    var kept = GraphText { _ in false }
    kept.describe(root)
    let found = kept.numbers
    var text = GraphText { found[ObjectIdentifier($0)] != nil }
    text.describe(root)
    return text.lines.joined(separator: "\n")
  }

  static func losesReferences(_ root: Knot) -> Bool {
    var kept = GraphText { _ in false }
    kept.describe(root)
    return kept.todo.contains { object in
      guard let back = (object as? Knot)?.back else { return false }
      return kept.numbers[ObjectIdentifier(back)] == nil
    }
  }

  private init(_ isKept: @escaping (Knot) -> Bool) { self.isKept = isKept }

  private mutating func describe(_ root: Knot) {
    _ = name(root)
    var done = 0
    while done < todo.count {
      let object = todo[done]
      switch object {
      case let knot as Knot: describe(knot, done)
      case let plain as Plain:
        let knots = plain.knots.map { name($0) }
        lines.append("#\(done) plain \(plain.id) \(knots) \(plain.maybe) \(text(plain.spot))")
      case let hand as Hand:
        let (knot, next, twin) = (name(hand.knot), name(hand.next), name(hand.twin))
        lines.append(
          "#\(done) hand \(hand.id) \(hand.flag) \(knot) \(next) \(twin) \(hand.coin.value) "
            + "\(hand.coin.link?.absoluteString ?? "-")")
      case let twin as Hand.Twin: lines.append("#\(done) twin \(twin.id) \(name(twin.knot))")
      default: lines.append("?")
      }
      done += 1
    }
  }

  private mutating func describe(_ knot: Knot, _ number: Int) {
    var parts = ["#\(number) knot \(knot.id) \(knot.text.debugDescription) \(knot.number.map { "\($0)" } ?? "-")"]
    parts.append(text(knot.spot))
    parts.append("\(knot.spots.map { text($0) }.sorted())")
    for value in knot.values { parts.append(text(value)) }
    for key in knot.table.keys.sorted() { parts.append("\(key.debugDescription): \(name(knot.table[key]))") }
    for child in knot.children { parts.append(name(child)) }
    parts += [name(knot.plain), name(knot.hand), name(knot.next), name(knot.other)]
    if let back = knot.back, isKept(back) { parts.append("back \(name(back))") }
    lines.append(parts.joined(separator: " "))
  }

  private mutating func name(_ object: AnyObject?) -> String {
    guard let object else { return "-" }
    if let number = numbers[ObjectIdentifier(object)] { return "#\(number)" }
    numbers[ObjectIdentifier(object)] = todo.count
    todo.append(object)
    return "#\(todo.count - 1)"
  }

  private func text(_ spot: Spot?) -> String {
    spot.map { "(\($0.x) \($0.name.debugDescription) \($0.when.timeIntervalSinceReferenceDate))" } ?? "-"
  }

  private mutating func text(_ value: Value) -> String {
    switch value {
    case .none: return "none"
    case .number(let number): return "\(number)"
    case .text(let text): return text.debugDescription
    case .bytes(let data): return "\([UInt8](data))"
    case .temper(let temper): return "\(temper)"
    case .knot(let knot): return name(knot)
    case .spot(let spot, let id): return "\(text(spot)) \(id)"
    case .list(let list):
      var parts: [String] = []
      for value in list { parts.append(text(value)) }
      return "\(parts)"
    case .table(let table):
      var parts: [String] = []
      for key in table.keys.sorted() { parts.append("\(key): \(table[key].map { text($0) } ?? "-")") }
      return "\(parts)"
    }
  }
}
