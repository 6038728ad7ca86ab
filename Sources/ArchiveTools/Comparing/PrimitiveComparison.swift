// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
import PropertyListFormat

/// Compares primitives of two archives bit for bit.
///
/// Long contents that containers share are numbered, where equal ones have the same number. So each is read once, however
/// many containers have it.
final class PrimitiveComparison {
  private var numbers: [PropertyListValue: Int] = [:]
  private let old: KeyedArchive
  private let new: KeyedArchive
  private var oldNumbers: [ObjectRef: Int] = [:]
  private var newNumbers: [ObjectRef: Int] = [:]

  init(_ old: KeyedArchive, _ new: KeyedArchive) {
    self.old = old
    self.new = new
  }

  /// Compares a primitive of the old archive with one of the new archive.
  func match(_ a: KeyedArchive.StoredValue, _ b: KeyedArchive.StoredValue) -> KeyedArchive.StoredValue.Match {
    guard let first = old.sharedRow(of: a), let second = new.sharedRow(of: b) else { return a.match(with: b) }
    return number(of: a, first, &oldNumbers) == number(of: b, second, &newNumbers) ? .equal : .different
  }

  private func number(
    of value: KeyedArchive.StoredValue, _ row: ObjectRef, _ known: inout [ObjectRef: Int]
  ) -> Int? {
    if let number = known[row] { return number }
    let content: PropertyListValue
    switch value {
    case .string(let text): content = .string(text)
    case .data(let bytes): content = .data(bytes)
    default: return nil
    }
    let number = numbers[content] ?? numbers.count
    numbers[content] = number
    known[row] = number
    return number
  }
}
