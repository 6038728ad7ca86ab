// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

package import KeyedArchiving

/// The tutorial's model, as it is ported from `NSCoding`.
package class Creature: SecureKeyedCoding {
  package var title: String
  package var rating: Float

  package init(title: String, rating: Float) {
    self.title = title
    self.rating = rating
  }

  package class var archiveClassName: String { "ScaryCreatures.ScaryCreatureData" }

  package func encode(with coder: KeyedArchiver) {
    coder.encode(title, forKey: "Title")
    coder.encode(rating, forKey: "Rating")
  }

  package required init?(coder: KeyedUnarchiver) {
    guard let title = coder.decodeObject(of: String.self, forKey: "Title") else { return nil }
    self.title = title
    rating = coder.decodeFloat(forKey: "Rating")
  }
}
