// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
package import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// Compares what two archives hold below two objects.
package struct NodeComparison {
  private struct Pair: Hashable {
    var a: ArchiveUID
    var b: ArchiveUID
  }

  /// Whether the keys must be in the same order.
  private let ordered: Bool
  /// Whether a collection may have become one of the other stored form.
  private let ignoresForms: Bool
  private var seen: Set<Pair> = []

  package init(ordered: Bool, ignoresForms: Bool = false) {
    self.ordered = ordered
    self.ignoresForms = ignoresForms
  }

  /// The way to the first difference; nil if there is none.
  package mutating func difference(_ a: KeyedArchive.Node, _ b: KeyedArchive.Node) -> String? {
    guard a.kind == b.kind else { return ": \(a.kind) became \(b.kind)" }
    if let one = a.uid, let other = b.uid, !seen.insert(Pair(a: one, b: other)).inserted { return nil }
    switch a.kind {
    case .object: return objectDifference(a, b)
    case .array:
      let (left, right) = (a.array ?? [], b.array ?? [])
      guard left.count == right.count else { return ": \(left.count) elements became \(right.count)" }
      for (place, pair) in zip(left, right).enumerated() {
        if let found = difference(pair.0, pair.1) { return "[\(place)]" + found }
      }
      return nil
    case .primitive(.string): return a.string == b.string ? nil : ": \(a.string ?? "") became \(b.string ?? "")"
    case .primitive(.data): return a.data == b.data ? nil : ": data differ"
    case .null, .missing: return nil
    case .primitive where a.number?.real?.isNaN ?? false:
      return b.number?.real?.isNaN ?? false ? nil : ": no number is one"
    default: return a.number == b.number ? nil : ": \(a.number as Any) became \(b.number as Any)"
    }
  }

  private mutating func objectDifference(_ a: KeyedArchive.Node, _ b: KeyedArchive.Node) -> String? {
    // Posing, as old nibs show it, is not the value's.
    let chain = (a.classDescription?.chain ?? []).filter { !$0.hasPrefix("%") }
    // Before 2008 the list of this class had no more in it.
    let isDecimal = a.className == "NSDecimalNumberPlaceholder" && b.className == a.className
    let isSame = a.classDescription == b.classDescription || chain == b.classDescription?.chain
    guard isSame || chain.isEmpty || isDecimal else {
      return ": \(a.classDescription?.chain ?? []) became \(b.classDescription?.chain ?? [])"
    }
    if ignoresForms, !a.keys.contains("NS.objects"), b.keys.contains("NS.objects") { return elementDifference(a, b) }
    guard ordered ? a.keys == b.keys : Set(a.keys) == Set(b.keys) else { return ": keys \(a.keys) became \(b.keys)" }
    if isDecimal { return decimal(a) == decimal(b) ? nil : ": \(decimal(a)) became \(decimal(b))" }
    for key in a.keys {
      if let found = difference(a[key], b[key]) { return ".\(key)" + found }
    }
    return nil
  }

  /// Compares what collections hold, whichever form they have.
  private mutating func elementDifference(_ a: KeyedArchive.Node, _ b: KeyedArchive.Node) -> String? {
    let keys = (a.dictionary ?? [], b.dictionary ?? [])
    for (left, right) in [(a.array ?? [], b.array ?? []), (keys.0.map(\.key), keys.1.map(\.key))] {
      guard left.count == right.count else { return ": \(left.count) elements became \(right.count)" }
      for (place, pair) in zip(left, right).enumerated() {
        if let found = difference(pair.0, pair.1) { return "[\(place)]" + found }
      }
    }
    return nil
  }

  /// What a decimal says, in one form: PowerPC had its digits the other way round, behind them is what stood in memory,
  /// and not all were made as short as they can be.
  private func decimal(_ node: KeyedArchive.Node) -> String {
    let length = node["NS.length"].number?.integer ?? 0
    let bytes = [UInt8](node["NS.mantissa"].data ?? Data())
    let isNegative = node["NS.negative"].number == .boolean(true)
    guard length > 0 else { return isNegative ? "not a number" : "0" }
    let isLittle = node["NS.mantissa.bo"].number == .integer(1)
    var mantissa = WideMagnitude.zero
    for digit in (0..<length).reversed() {
      let pair = (UInt16(bytes[2 * digit]), UInt16(bytes[2 * digit + 1]))
      mantissa.append(isLittle ? pair.1 << 8 | pair.0 : pair.0 << 8 | pair.1)
    }
    var exponent = node["NS.exponent"].number?.integer ?? 0
    while !mantissa.isZero {
      let (quotient, remainder) = mantissa.quotientAndRemainder(dividingBy: 10)
      guard remainder == 0 else { break }
      (mantissa, exponent) = (quotient, exponent + 1)
    }
    return "\(isNegative ? "-" : "")\(mantissa)e\(exponent)"
  }
}
