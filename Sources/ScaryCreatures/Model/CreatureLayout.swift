// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// How a creature's data file is laid out, told by how it differs from the layout that is written now: class
/// `ScaryCreatures.ScaryCreatureData` under `root`, `Title` and `Rating` both references to objects of their own.
///
/// All are read. An insecure file differs from a secure one in the place of the rating alone, so a reader must look at the
/// value itself: by name and version the two are the same.
public struct CreatureLayout: Hashable, Sendable {
  /// A difference.
  public enum Difference: Hashable, Sendable {
    /// The rating stands inside the creature's object, where archives without secure coding have it.
    case inlineRating
    /// The rating is a number of another kind than a 4-byte real.
    case ratingKind(String)
    /// There is no rating.
    case noRating
    /// The creature is under another top-level key than `root`; `Data` in the Objective-C generation.
    case topKey(String)
    /// The keys begin with small letters, as in the Mac app.
    case lowerCaseKeys
    /// The class has another name.
    case className(String)
    /// The file is an XML property list.
    case xml

    /// Equal if the kind and its text are; texts are compared by their bytes.
    public static func == (a: Self, b: Self) -> Bool { a.parts == b.parts }

    /// Hashes the kind and its text.
    public func hash(into hasher: inout Hasher) { hasher.combine(parts) }

    private var parts: [BytewiseString] {
      switch self {
      case .inlineRating: ["inlineRating"]
      case .ratingKind(let kind): ["ratingKind", BytewiseString(kind)]
      case .noRating: ["noRating"]
      case .topKey(let key): ["topKey", BytewiseString(key)]
      case .lowerCaseKeys: ["lowerCaseKeys"]
      case .className(let name): ["className", BytewiseString(name)]
      case .xml: ["xml"]
      }
    }
  }

  /// The differences, in the order in which they were found.
  public internal(set) var differences: [Difference] = []

  /// Whether it is the layout that is written now.
  public var isCurrent: Bool { differences.isEmpty }

  /// The names under which the class is known, without the module in front.
  static let classNames: Set<BytewiseString> = [
    "ScaryCreatureData", "ScaryBugData", "RWTScaryBugData", "HQLScaryBugData", "Creature",
  ]
}

extension CreatureLayout: CustomStringConvertible {
  /// `secure`, or the differences in words.
  public var description: String {
    guard !isCurrent else { return "secure" }
    return differences.map(\.description).joined(separator: ", ")
  }
}

extension CreatureLayout.Difference: CustomStringConvertible {
  /// The difference in words.
  public var description: String {
    switch self {
    case .inlineRating: "insecure"
    case .ratingKind(let kind): "rating is \(kind)"
    case .noRating: "no rating"
    case .topKey(let key): "top key \(key)"
    case .lowerCaseKeys: "lower-case keys"
    case .className(let name): "class \(name)"
    case .xml: "XML"
    }
  }
}
