// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A rating as the page shows it.
enum GalleryRating: Equatable {
  /// 0.
  case none
  /// In tenths: 1 to 50.
  case tenths(Int)
  /// Not a number, or not from 0 to 5.
  case invalid

  init(_ rating: Float) {
    switch rating {
    case 0: self = .none
    // What rounds to nothing is still not nothing.
    case _ where rating > 0 && rating <= 5: self = .tenths(max(1, Int(rating * 10 + 0.5)))
    default: self = .invalid
    }
  }

  /// Whole points, as the filter counts them.
  var points: Int { sortKey / 10 }

  /// Tenths; 0 without a valid rating.
  var sortKey: Int {
    if case .tenths(let count) = self { return count }
    return 0
  }

  /// Half faces to colour, 0 to 10, rounded to the nearest; 0 only without a valid rating.
  var halves: Int { sortKey == 0 ? 0 : max(1, (sortKey * 2 + 5) / 10) }

  /// What is read aloud.
  var words: String {
    switch self {
    case .none: "not rated"
    case .tenths(let count) where count % 10 == 0: "rating \(count / 10) of 5"
    case .tenths(let count): "rating \(count / 10).\(count % 10) of 5"
    case .invalid: "no valid rating"
    }
  }
}
