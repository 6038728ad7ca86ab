// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
import KeyedArchiving
@_spi(Archiving) import PropertyListFormat
import TestSupport
import Testing

@testable import ArchiveTools

@Suite("The budget of a comparison")
struct ComparisonBudgetTests {
  /// An archive of one object with numbers under its keys.
  private func archive(keyCount: Int, keyLength: Int) throws -> KeyedArchive {
    let keys = (0..<keyCount).map { "\($0)" + String(repeating: "k", count: keyLength) }
    return try KeyedArchive(
      HandmadeList.archive([
        .dictionary(keys.map { ($0, 1) } + [("$class", .uid(2))]), HandmadeList.classRecord("Box", "NSObject"),
      ]))
  }

  /// The greatest cost that a budget allows.
  private func greatestCost(_ budget: ExpansionBudget) -> Int64 {
    var (least, most) = (Int64(0), Int64(1) << 40)
    while least < most {
      let middle = (least + most + 1) / 2
      var budget = budget
      if budget.take(middle) { least = middle } else { most = middle - 1 }
    }
    return least
  }

  @Test("is ten times the one of reading both archives, with their edits")
  func size() throws {
    // A smaller file gets the budget of one of 8 KiB.
    var (old, new) = (try archive(keyCount: 2000, keyLength: 8), try archive(keyCount: 3000, keyLength: 8))
    for number in 0..<10 {
      _ = try old.addObject(.primitive(.string("old \(number)")))
      for _ in 0..<3 { _ = try new.addObject(.primitive(.integer(Int64(number)))) }
    }
    let reading = greatestCost(old.budget) + greatestCost(new.budget)
    #expect(greatestCost(old.comparisonBudget(with: new)) == 10 * reading)
    #expect(greatestCost(new.comparisonBudget(with: old)) == 10 * reading)
  }

  @Test(
    "is charged for each use of an object, because one large object can be compared with many",
    arguments: [(keyCount: 200, keyLength: 1), (keyCount: 1, keyLength: 100_000)])
  func repeatedUse(_ keyCount: Int, _ keyLength: Int) throws {
    let archive = try archive(keyCount: keyCount, keyLength: keyLength)
    var budget = archive.budget
    let index = try GraphIndex(archive, budget: &budget)
    let error = #expect(throws: KeyedArchiveError.self) {
      for _ in 0..<1000 { _ = try index.instance(ArchiveUID(rawValue: 1), &budget) }
    }
    #expect(error?.code == .limitReached)
  }
}
