// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// What somebody may have meant who mistyped a name.
package enum Suggestion {
  /// The name nearest to a word, if it is near enough.
  package static func nearest(to word: String, among names: [String]) -> String? {
    let word = Array(word.lowercased().unicodeScalars.prefix(64))
    guard !word.isEmpty else { return nil }
    let ranked = names.map { (name: $0, distance: distance(word, Array($0.lowercased().unicodeScalars.prefix(68)))) }
    guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(1, min(word.count, best.name.unicodeScalars.count) / 2) && best.distance <= 3
      ? best.name : nil
  }

  /// How many letters must be added, left out, changed or swapped with their neighbour.
  package static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var least = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = min(least, beforeLast[j - 1] + 1) }
        row.append(least)
      }
      beforeLast = last
      last = row
    }
    return last[b.count]
  }
}
