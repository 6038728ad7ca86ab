// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import HarnessSupport
import KeyedArchiving

/// Changes that use more than one row: classes, fields, other lists.
extension CostGenome {
  /// The rows of class records.
  var classRecords: [Int] {
    rows.indices.filter {
      guard case .dictionary(let pairs) = rows[$0] else { return false }
      return pairs.contains { if case .string("$classname") = rows[$0.key] { true } else { false } }
    }
  }

  /// The classes that decoders know.
  private static let classNames: [String] =
    KeyedUnarchiver.valueTypes.map { $0.archiveClassName } + ["HNode", "HCreature", "Box", "NSObject"]

  /// Keys of those classes.
  private static let keys = [
    "NS.keys", "NS.objects", "NS.object.0", "NS.count", "NS.count0", "NS.object0", "NS.string", "NS.data", "NS.bytes",
    "NS.time", "NS.base", "NS.relative", "NS.uuidbytes", "NS.name", "NS.userinfo", "NS.object", "NS.reason",
    "NS.format",
    "NS.special", "NS.value", "NS.unit", "NS.symbol", "NS.converter", "NS.timeZone", "NS.mantissa", "NS.length",
    "NSString", "NSAttributes", "NSAttributeInfo", "NSDelegate", "NSDomain", "NSCode", "NSUserInfo", "NSRangeCount",
    "NSRangeData", "NSRange", "NSLocation", "NSLength", "NSSubpredicates", "NSCompoundPredicateType", "NSOperand",
    "NSArguments", "NSSelectorName", "NSLeftExpression", "NSRightExpression", "NSPredicateOperator", "NSExpressionType",
    "NSConstantValue", "NSKeyPath", "NSPattern", "NSOptions", "NSRangeArray", "NSRegularExpression", "NSKey",
    "NSAscending",
    "NSSelector", "NSColorSpace", "NSRGB", "NSWhite", "NSComponents", "NSCustomColorSpace", "NSICC", "NSCatalogName",
    "NSColorName", "NSColor", "NSName", "NSSize", "NSReps", "NSTIFFRepresentation", "NSIntegerIndexesCount",
    "NSIndexPathLength", "NSIndexPathData", "NSIndexPathValue", "NSCharacterSet", "NSBinaryData", "NS.startDate",
    "NS.duration",
    "identifier", "NSPersonNameComponents", "NSPhoneticRepresentation", "name", "next", "children", "info", "title",
    "$class",
    "$top", "root",
  ]

  /// A class record gets the name of another class.
  mutating func renameClass(_ random: inout SeededRandom) {
    guard let place = classRecords.randomElement(using: &random), case .dictionary(var pairs) = rows[place] else {
      return
    }
    let name = add(.string(Self.classNames.randomElement(using: &random) ?? "NSArray"))
    let list = add(.array([name] + (Bool.random(using: &random) ? [add(.string("NSObject"))] : [])))
    for index in pairs.indices {
      switch rows[pairs[index].key] {
      case .string("$classname"): pairs[index].value = name
      case .string("$classes"): pairs[index].value = list
      default: break
      }
    }
    rows[place] = .dictionary(pairs)
  }

  /// An object gets a key that its class can have, or one of its keys becomes another.
  mutating func addField(_ random: inout SeededRandom) {
    guard let place = pick(&random, Self.isDictionary), case .dictionary(var pairs) = rows[place], place != top else {
      return
    }
    let key = add(.string(Self.keys.randomElement(using: &random) ?? "NS.objects"))
    if Bool.random(using: &random), !pairs.isEmpty {
      pairs[Int.random(in: pairs.indices, using: &random)].key = key
    } else {
      pairs.append((key, Int.random(in: rows.indices, using: &random)))
    }
    rows[place] = .dictionary(pairs)
  }

  /// A number, or any row without contents, becomes an extreme number or date.
  mutating func setNumber(_ random: inout SeededRandom) {
    guard
      let place = pick(
        &random,
        {
          switch $0 {
          case .integer, .real, .date, .boolean, .data: true
          default: false
          }
        })
    else { return }
    let integers = [0, 1, -1, 255, 1 << 16, 1 << 24, 1 << 31, 1 << 32, 1 << 53, .max, .min]
    let reals = [0, -0.0, 1e308, .leastNonzeroMagnitude, 0.1, .infinity, .nan, 1.0e22, 9.007199254740993e15]
    switch Int.random(in: 0..<4, using: &random) {
    case 0: rows[place] = .real(reals.randomElement(using: &random) ?? 0)
    case 1: rows[place] = .date(reals.randomElement(using: &random) ?? 0)
    case 2: rows[place] = .data(Self.count(&random))
    default: rows[place] = .integer(integers.randomElement(using: &random) ?? 0)
    }
  }

  /// A row without contents becomes one of another kind.
  mutating func retype(_ random: inout SeededRandom) {
    guard let place = pick(&random, { !Self.isArray($0) && !Self.isDictionary($0) && !Self.isText($0) }) else { return }
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      rows[place] = .string(["", "1", "{1, 2}", "http://a/", "en_US", "a.b.c"].randomElement(using: &random) ?? "")
    case 1: rows[place] = .uid(Int.random(in: 0..<objectRows.count + 1, using: &random))
    case 2: rows[place] = .array([])
    case 3: rows[place] = .boolean(true)
    default: rows[place] = .data(Self.count(&random) / 4)
    }
  }

  /// The rows of the archive's objects.
  private var objectRows: [Int] {
    guard let objects, case .array(let elements) = rows[objects] else { return [] }
    return elements
  }

  /// Adds the objects of another archive, and an array that refers to them, perhaps many times.
  mutating func combine(_ other: CostGenome, _ random: inout SeededRandom) {
    guard let objects, let place = pick(&random, Self.isArray), place != objects else { return }
    let added = other.objectRows
    guard !added.isEmpty else { return }
    let (shift, first) = (rows.count, objectRows.count)
    for row in other.rows {
      switch row {
      case .uid(let uid): rows.append(.uid(uid < added.count ? uid + first : uid))
      case .array(let elements): rows.append(.array(elements.map { $0 + shift }))
      case .dictionary(let pairs): rows.append(.dictionary(pairs.map { ($0.key + shift, $0.value + shift) }))
      case .same(let row): rows.append(.same(row + shift))
      default: rows.append(row)
      }
    }
    rows[objects] = .array(objectRows + added.map { $0 + shift })
    guard case .array(let elements) = rows[place] else { return }
    let reference = add(.uid(first + Int.random(in: added.indices, using: &random)))
    rows[place] = .array(elements + [Int](repeating: reference, count: Self.count(&random) / 8 + 1))
    removeUnreachable()
  }

  /// Removes the rows that no row refers to, and the contents of objects that no object refers to, so that the same cost has
  /// fewer bytes.
  mutating func removeUnreachable() {
    if let objects, case .array(var elements) = rows[objects], !elements.isEmpty {
      let reached = reachedObjects(elements, besides: objects)
      for uid in elements.indices.dropFirst() where !reached[uid] { elements[uid] = elements[0] }
      if let last = reached.lastIndex(of: true) { elements.removeLast(elements.count - 1 - last) }
      rows[objects] = .array(elements)
    }
    var isReached = [Bool](repeating: false, count: rows.count)
    mark(top, &isReached)
    var numbers = [Int](repeating: 0, count: rows.count)
    var kept: [TableFile.Row] = []
    for row in rows.indices where isReached[row] {
      numbers[row] = kept.count
      kept.append(rows[row])
    }
    renumber(kept, numbers)
  }

  /// Returns which objects the envelope refers to, directly or by other objects.
  private func reachedObjects(_ elements: [Int], besides objects: Int) -> [Bool] {
    var reached = [Bool](repeating: false, count: elements.count)
    reached[0] = true
    var isReached = [Bool](repeating: false, count: rows.count)
    isReached[objects] = true
    var unvisited = [top]
    while let row = unvisited.popLast() {
      var uids: [Int] = []
      mark(row, &isReached) { uids.append($0) }
      for uid in uids where elements.indices.contains(uid) && !reached[uid] {
        reached[uid] = true
        unvisited.append(elements[uid])
      }
    }
    return reached
  }

  /// Marks a row and the rows that it refers to.
  private func mark(_ row: Int, _ isReached: inout [Bool], _ visitUID: (Int) -> Void = { _ in }) {
    var unvisited = [row]
    while let row = unvisited.popLast() {
      guard rows.indices.contains(row), !isReached[row] else { continue }
      isReached[row] = true
      switch rows[row] {
      case .uid(let uid): visitUID(uid)
      case .array(let elements): unvisited += elements
      case .dictionary(let pairs): for pair in pairs { unvisited += [pair.key, pair.value] }
      case .same(let other): unvisited.append(other)
      default: break
      }
    }
  }
}
