// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import HTMLPages

/// The rules that say which creatures are shown, and in which order.
struct GalleryRules {
  /// The highest rating a filter asks for.
  static let highest = 5

  let entries: [GalleryEntry]

  /// How many creatures have at least some points.
  func count(atLeast points: Int) -> Int {
    entries.count { $0.rating.points >= points }
  }

  /// Style rules.
  var text: String {
    var text = ""
    for points in 1...Self.highest {
      let on = "body:has(#min-\(points):checked)"
      text +=
        "\(on) .card:is(\((0..<points).map { ".r\($0)" }.joined(separator: ","))),\(on) .count>.k0{display:none}\n"
      text += "\(on) .count>.k\(points)\(count(atLeast: points) == 0 ? ",\(on) .none" : ""){display:block}\n"
    }
    for (name, property) in [("title", "t"), ("rating", "r"), ("date", "d")] {
      text += "body:has(#by-\(name):checked) .card{order:var(--\(property))}\n"
    }
    let byTitle = ranks(by: titleKeys) { $0 < $1 }
    let byRating = ranks(by: entries.map(\.rating.sortKey)) { $0 > $1 }
    let byDate = ranks(by: entries.map { $0.modified?.seconds ?? -.infinity }) { $0 > $1 }
    for (i, entry) in entries.enumerated() {
      text += "#c\(entry.name){--t:\(byTitle[i]);--r:\(byRating[i]);--d:\(byDate[i])}\n"
    }
    return text
  }

  /// What titles are sorted by: upper and lower case alike, the same in every language. Nothing to see comes last.
  private var titleKeys: [TitleKey] {
    entries.map { TitleKey(isEmpty: !HTMLText.isVisible($0.title), text: TitleText.folded($0.title)) }
  }

  private struct TitleKey {
    let isEmpty: Bool
    let text: String

    static func < (a: TitleKey, b: TitleKey) -> Bool {
      a.isEmpty == b.isEmpty ? a.text < b.text : b.isEmpty
    }
  }

  /// The place of each element when they are sorted. Equal ones stay in order.
  private func ranks<Key>(by keys: [Key], _ isBefore: (Key, Key) -> Bool) -> [Int] {
    let order = keys.indices.sorted { a, b in
      if isBefore(keys[a], keys[b]) { return true }
      return !isBefore(keys[b], keys[a]) && a < b
    }
    var ranks = [Int](repeating: 0, count: keys.count)
    for (place, i) in order.enumerated() { ranks[i] = place }
    return ranks
  }
}
