// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

extension MutableCollection where Self: RandomAccessCollection, Index == Int {
  /// Puts the elements in ascending order.
  ///
  /// Each element is compared with the next one before any is moved: where all are equal, as often in sets, that is all.
  /// - Parameter compare: Negative if the first comes first, 0 if the two are equal.
  /// - Returns: The ranges of elements that are equal, which together hold all.
  mutating func sortIntoRuns(by compare: (Element, Element) -> Int) -> [Range<Int>] {
    if let runs = runs(by: compare) { return runs }
    sort { compare($0, $1) < 0 }
    // Now none is less than the one before it.
    return runs(by: compare) ?? []
  }

  /// The ranges of equal elements; nil if an element is less than the one before it.
  private func runs(by compare: (Element, Element) -> Int) -> [Range<Int>]? {
    var runs: [Range<Int>] = []
    var start = startIndex
    for place in indices.dropFirst() {
      let order = compare(self[place - 1], self[place])
      if order > 0 { return nil }
      guard order < 0 else { continue }
      runs.append(start..<place)
      start = place
    }
    if start < endIndex { runs.append(start..<endIndex) }
    return runs
  }
}
