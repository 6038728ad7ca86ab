// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import DocumentLibraries
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// The layout of a creature's data file, described by its differences from the current layout. The current one has the
/// class `ScaryCreatures.ScaryCreatureData` under `root`, and boxed values for `Title` and `Rating`.
///
/// All layouts can be read. An insecure file differs from a secure one only in the rating, which is inline. Names and
/// versions are equal, so a reader must inspect the value.
public struct CreatureLayout: Hashable, Sendable {
  /// A difference from the current layout.
  public enum Difference: Hashable, Sendable {
    /// The rating is inline, as in archives without secure coding.
    case inlineRating
    /// The rating is a number of another type than a 4-byte real.
    case ratingKind(String)
    /// The file has no rating.
    case noRating
    /// The creature is under another top-level key than `root`: `Data` in the Objective-C versions.
    case topKey(String)
    /// The keys begin with lowercase letters, as in the Mac app.
    case lowerCaseKeys
    /// The class has another name.
    case className(String)
    /// The file is an XML property list.
    case xml

    /// Compares two differences.
    /// - Parameters:
    ///   - a: A difference.
    ///   - b: Another difference.
    /// - Returns: `true` if the kinds and their strings are equal. Strings are compared bytewise.
    public static func == (a: Self, b: Self) -> Bool { a.parts == b.parts }

    /// Hashes the kind and its string.
    /// - Parameter hasher: Receives the hashed values.
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

  /// The differences, in the order of discovery.
  public internal(set) var differences: [Difference] = []

  /// A Boolean value that indicates whether the layout is the current one.
  public var isCurrent: Bool { differences.isEmpty }

  /// The known names of the class, without the module.
  static let classNames: Set<BytewiseString> = [
    "ScaryCreatureData", "ScaryBugData", "RWTScaryBugData", "HQLScaryBugData", "Creature",
  ]
}

extension CreatureLayout: CustomStringConvertible {
  /// `secure`, or the differences.
  public var description: String {
    guard !isCurrent else { return "secure" }
    return differences.map(\.description).joined(separator: ", ")
  }
}

extension CreatureLayout.Difference: CustomStringConvertible {
  /// The difference as text.
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

extension CreatureLayout {
  /// The rules that migrate any known layout to the current one. If a file has a key of both, both remain: the older
  /// one is unknown content then.
  static let rules: MigrationRules = {
    let creature = ClassSelector([ScaryCreatureData.archiveClassName])
    let (title, rating) = (ScaryCreatureData.Keys.title.rawValue, ScaryCreatureData.Keys.rating.rawValue)
    let topKeys = ScaryCreatureData.formerTopKeys.map {
      MigrationRule.renameTopLevelKey($0, to: KeyedArchiver.rootKey, ifPresent: .keep)
    }
    return MigrationRules(
      topKeys + [
        .renameClass(
          ClassSelector(classNames.sorted().map { "*.\($0)" }), to: ScaryCreatureData.archiveClassName,
          superclasses: ["NSObject"]),
        .renameKey(title.lowercased(), to: title, of: creature, ifPresent: .keep),
        .renameKey(rating.lowercased(), to: rating, of: creature, ifPresent: .keep),
        .defaultValue(.float(0), forKey: rating, of: creature),
        .transform(rating, of: creature, asFloat), .storeNumbers([rating], as: .objects, of: creature),
      ], format: .binary)
  }()

  /// The rating as the model reads it. A reader rounds it with a warning, but a migration must not change it.
  @Sendable private static func asFloat(_ value: KeyedArchive.StoredValue) throws -> KeyedArchive.StoredValue {
    switch value {
    case .double(let value):
      guard value.isNaN || Double(Float(value)) == value else {
        throw LibraryError(
          .migrationFailed, "",
          "the rating \(value) cannot be kept: a 4-byte real can only hold \(Double(Float(value)))",
          remedy: "Set the rating, which also converts the file")
      }
      return .float(Float(value))
    case .integer(let value): return .float(Float(value))
    case .wideInteger(let high, let low): return .float(Float(WideInteger(high: high, low: low)))
    default: return value
    }
  }
}
