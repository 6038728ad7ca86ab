// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

package import KeyedArchiving
@_spi(Archiving) package import PropertyListFormat

/// A value of a binary or an edited property list that XML would change without an error, such as the fraction of a date.
///
/// XML has equal numbers of other widths for 4-byte reals and 16-byte integers. Values that XML has no form for at all are
/// errors of the writer.
package struct XMLLoss: Sendable {
  /// The reason, as what XML cannot hold.
  let what: String
  /// The path to the value; nil if a key on it is not a string.
  let path: String?

  /// Finds the first such value; nil if XML holds all values.
  /// - Parameters:
  ///   - list: The property list.
  ///   - countsWidths: Whether a number of another width is a loss.
  /// - Throws: `KeyedArchiveError` with code `KeyedArchiveError.Code.limitReached` if not all values can be checked.
  package init?(in list: PropertyList, countsWidths: Bool = false) throws(KeyedArchiveError) {
    guard list.format != .xml || list.isEdited else { return nil }
    // Any number of dictionaries can share a long key, and each key is read once.
    var isUIDKey: [ObjectRef: Bool] = [:]
    func hasUIDKey(_ key: ObjectRef) -> Bool {
      if let known = isUIDKey[key] { return known }
      let found = if case .string("CF$UID")? = try? list.object(key) { true } else { false }
      isUIDKey[key] = found
      return found
    }
    func loss(of object: PropertyListObject) -> String? {
      Self.loss(of: object, in: list, hasUIDKey) ?? (countsWidths ? Self.width(of: object) : nil)
    }
    var budget = ExpansionBudget(byteCount: Int64(list.byteCount), editedWeight: list.editedWeight, limits: list.limits)
    var walk = DataWalk(list, isArchive: true)
    guard let object = walk.next(where: { loss(of: $0) != nil }, budget: &budget), let what = loss(of: object) else {
      try walk.checkCompleteness(budget)
      return nil
    }
    self.what = what
    path = walk.path(budget: &budget)
  }

  /// The error of writing the list as XML.
  package var error: KeyedArchiveError {
    let place = path.map { " at \(EscapedText.plain(MessageText.shortened($0)))" } ?? ""
    return KeyedArchiveError(
      PropertyListError(
        .notRepresentable, "unsupported value\(place): XML property lists cannot hold \(what)",
        remedy: "Write the binary format"))
  }

  /// Returns the width of a number that XML has in another one.
  private static func width(of object: PropertyListObject) -> String? {
    switch object {
    case .float: "4-byte reals"
    case .wideInteger(let high, let low) where Int64(exactly: WideInteger(high: high, low: low)) != nil:
      "16 bytes for an integer that fits into 8"
    default: nil
    }
  }

  /// Returns what XML cannot hold of an object; nil if it holds the object.
  private static func loss(
    of object: PropertyListObject, in list: PropertyList, _ hasUIDKey: (ObjectRef) -> Bool
  ) -> String? {
    switch object {
    case .date(let seconds):
      let isWhole = seconds.rounded(.down).bitPattern == seconds.bitPattern && seconds.bitPattern != (-0.0).bitPattern
      return isWhole ? nil : "fractions of seconds in a date"
    case .double(let value) where value.isNaN && value.bitPattern != Double.nan.bitPattern:
      return "the payload of a NaN"
    case .float(let value) where value.isNaN && value.bitPattern != Float.nan.bitPattern: return "the payload of a NaN"
    case .uid(let number) where number > UInt32.max: return "a UID of more than 32 bits"
    case .dictionary(let keys, let values) where keys.count == 1:
      guard hasUIDKey(keys[0]) else { return nil }
      switch try? list.object(values[0]) {
      case .integer(0...Int64(UInt32.max)), .wideInteger(0, 0...UInt64(UInt32.max)):
        return "a dictionary with just an integer for CF$UID, which is the form of a UID"
      default: return nil
      }
    default: return nil
    }
  }
}
