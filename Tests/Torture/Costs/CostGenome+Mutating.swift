// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import HarnessSupport

extension CostGenome {
  /// Changes it in one way, perhaps by making another list a part of it.
  mutating func mutate(_ random: inout SeededRandom, with other: CostGenome) {
    switch Int.random(in: 0..<18, using: &random) {
    case 0, 1: repeatReferences(&random)
    case 2: lengthenText(&random)
    case 3: addObjects(&random)
    case 4: share(&random)
    case 5: addKeys(&random)
    case 6: redirect(&random)
    case 7: lengthenRecord(&random)
    case 8: nest(&random)
    case 9: shrink(&random)
    case 10: chain(&random)
    case 11: renameClass(&random)
    case 12: addField(&random)
    case 13: setNumber(&random)
    case 14: combine(other, &random)
    case 15: removeUnreachable()
    case 16: retype(&random)
    default: copyRow(&random)
    }
  }

  func places(_ isWanted: (TableFile.Row) -> Bool) -> [Int] { rows.indices.filter { isWanted(rows[$0]) } }

  func pick(_ random: inout SeededRandom, _ isWanted: (TableFile.Row) -> Bool) -> Int? {
    places(isWanted).randomElement(using: &random)
  }

  static func isArray(_ row: TableFile.Row) -> Bool { if case .array = row { true } else { false } }
  static func isText(_ row: TableFile.Row) -> Bool { if case .string = row { true } else { false } }
  static func isUID(_ row: TableFile.Row) -> Bool { if case .uid = row { true } else { false } }
  static func isDictionary(_ row: TableFile.Row) -> Bool {
    if case .dictionary = row { true } else { false }
  }

  static func count(_ random: inout SeededRandom) -> Int { 1 << Int.random(in: 1...12, using: &random) }

  mutating func add(_ row: TableFile.Row) -> Int {
    rows.append(row)
    return rows.count - 1
  }

  /// An array holds one of its elements, or any row, many times more.
  private mutating func repeatReferences(_ random: inout SeededRandom) {
    guard let place = pick(&random, Self.isArray), case .array(let elements) = rows[place] else { return }
    let element = elements.randomElement(using: &random) ?? Int.random(in: rows.indices, using: &random)
    let many = [Int](repeating: element, count: Self.count(&random))
    rows[place] = .array(Bool.random(using: &random) ? elements + many : many)
  }

  /// A text becomes long, by one of the characters that readers have trouble with.
  private mutating func lengthenText(_ random: inout SeededRandom) {
    guard let place = pick(&random, Self.isText), case .string(let text) = rows[place] else { return }
    let parts = ["a", "\u{301}", "\u{323}", "$", ".", "1", "\u{1F468}\u{200D}", "é", "&", "NS.object.", "\0"]
    let part = parts.randomElement(using: &random) ?? "a"
    let long = String(repeating: part, count: Self.count(&random))
    switch Int.random(in: 0..<3, using: &random) {
    case 0: rows[place] = .string(text + long)
    case 1: rows[place] = .string(long + text)
    default: rows[place] = .string(text + text + part)
    }
  }

  /// Many elements of `$objects` are one row, and an array refers to all of them.
  private mutating func addObjects(_ random: inout SeededRandom) {
    guard let objects, case .array(let elements) = rows[objects], let one = elements.randomElement(using: &random)
    else { return }
    let count = Self.count(&random) / 2
    let first = elements.count
    rows[objects] = .array(elements + [Int](repeating: one, count: count))
    guard let place = pick(&random, Self.isArray), place != objects, case .array(let old) = rows[place] else { return }
    rows[place] = .array(old + (first..<first + count).map { add(.uid($0)) })
  }

  /// A row becomes the twin of another one, or a value of a dictionary becomes that of another one.
  private mutating func share(_ random: inout SeededRandom) {
    let place = Int.random(in: rows.indices, using: &random)
    let other = Int.random(in: rows.indices, using: &random)
    guard case .dictionary(var pairs) = rows[place], !pairs.isEmpty else { return }
    pairs[Int.random(in: pairs.indices, using: &random)].value = other
    rows[place] = .dictionary(pairs)
  }

  /// A dictionary gets many keys: numbered ones, ones of equal hash, long ones, or one key many times.
  private mutating func addKeys(_ random: inout SeededRandom) {
    guard let place = pick(&random, Self.isDictionary), case .dictionary(let pairs) = rows[place] else { return }
    let count = Self.count(&random) / 4
    let value = pairs.randomElement(using: &random)?.value ?? 0
    let kind = Int.random(in: 0..<5, using: &random)
    let long = String(repeating: ["a", "\u{301}", "$"].randomElement(using: &random) ?? "a", count: 200)
    let shared = add(.string(long))
    let added = (0..<count).map { number -> (key: Int, value: Int) in
      switch kind {
      case 0: (add(.string("NS.object.\(number)")), value)
      case 1: (add(.string("$\(number)")), value)
      case 2: (add(.string(String(repeating: "a", count: 34) + "\(10_000_000 + number)" + long)), value)
      case 3: (add(.string("k\(number)")), value)
      default: (shared, value)
      }
    }
    rows[place] = .dictionary(Bool.random(using: &random) ? pairs + added : added + pairs)
  }

  /// A reference leads to another object.
  private mutating func redirect(_ random: inout SeededRandom) {
    guard let objects, case .array(let elements) = rows[objects], !elements.isEmpty,
      let place = pick(&random, Self.isUID)
    else { return }
    rows[place] = .uid(Int.random(in: elements.indices, using: &random))
  }

  /// A class record gets many superclasses or hints.
  private mutating func lengthenRecord(_ random: inout SeededRandom) {
    guard let place = classRecords.randomElement(using: &random), case .dictionary(var pairs) = rows[place],
      let name = pick(&random, Self.isText)
    else { return }
    let list = add(.array([Int](repeating: name, count: Self.count(&random)) + [name]))
    let key = Bool.random(using: &random) ? "$classes" : "$classhints"
    pairs.removeAll { if case .string(key) = rows[$0.key] { true } else { false } }
    pairs.append((key: add(.string(key)), value: list))
    rows[place] = .dictionary(pairs)
  }

  /// An array holds itself in an array, many times.
  private mutating func nest(_ random: inout SeededRandom) {
    guard let place = pick(&random, Self.isArray), place != objects else { return }
    let inner = add(rows[place])
    rows[place] = .array([Int](repeating: inner, count: Self.count(&random)))
  }

  /// An array or dictionary loses half of what it holds, or a text half its letters.
  private mutating func shrink(_ random: inout SeededRandom) {
    let place = Int.random(in: rows.indices, using: &random)
    switch rows[place] {
    case .array(let elements) where place != objects: rows[place] = .array(Array(elements.prefix(elements.count / 2)))
    case .dictionary(let pairs) where pairs.count > 4: rows[place] = .dictionary(Array(pairs.prefix(pairs.count / 2)))
    case .string(let text) where text.utf8.count > 24: rows[place] = .string(String(text.prefix(text.count / 2)))
    case .data(let count): rows[place] = .data(count / 2)
    default: break
    }
  }

  /// A chain of objects like one that there is, each of which refers to the next one, perhaps twice.
  private mutating func chain(_ random: inout SeededRandom) {
    guard let objects, case .array(var elements) = rows[objects],
      let model = elements.filter({ Self.isDictionary(rows[$0]) }).randomElement(using: &random),
      case .dictionary(let pairs) = rows[model], let place = pick(&random, Self.isUID)
    else { return }
    let count = min(Self.count(&random), 300)
    let first = elements.count
    for number in 0..<count {
      let next = add(.uid(first + (number + 1) % count))
      let linked = pairs.map { pair -> (key: Int, value: Int) in
        if case .string("$class") = rows[pair.key] { return pair }
        if Self.isArray(rows[pair.value]) { return (pair.key, add(.array([next, next]))) }
        return (pair.key, Self.isUID(rows[pair.value]) ? next : pair.value)
      }
      elements.append(add(.dictionary(linked)))
    }
    rows[objects] = .array(elements)
    rows[place] = .uid(first)
  }

  /// A row becomes what another one is.
  private mutating func copyRow(_ random: inout SeededRandom) {
    let place = Int.random(in: rows.indices, using: &random)
    guard place != top, place != objects, let other = rows.indices.randomElement(using: &random), other != objects
    else { return }
    if case .same = rows[other] { return }
    rows[place] = rows[other]
  }
}
