// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  public import Foundation
#endif
public import KeyedArchiving
import PropertyListFormat

/// A string, number, boolean or data that stands in an archive as an object, with its identity: as long as it is the same
/// one it is archived once, and no equal one is taken for it. Only for one that was read, and is so small that an Apple
/// process holds it in a pointer, an equal plain value is.
///
/// Where identity does not matter ask for `String`, `ArchiveNumber` or `Data`.
public final class ArchivedScalar: SecureKeyedCoding, IdentifiedPrimitive {
  /// What it holds.
  public let value: ArchivePrimitive
  /// The archive that it was read from, and the row in its object table.
  package let origin: SourceArchive?
  package let row: UInt32

  /// Makes one.
  public init(_ value: ArchivePrimitive) {
    self.value = value
    origin = nil
    row = 0
  }

  init(_ value: ArchivePrimitive, from origin: SourceArchive, row: UInt32) {
    self.value = value
    self.origin = origin
    self.row = row
  }

  /// `NSString`, though it may as well be a number or data.
  public static var archiveClassName: String { "NSString" }

  /// It is archived as a bare value; as an object's content there is nothing to encode.
  public func encode(with coder: KeyedArchiver) {}

  /// It is never an object with keys.
  public init?(coder: KeyedUnarchiver) throws {
    throw coder.malformed("expected a bare string, number, boolean or data, found an object with keys")
  }

  /// The one for the object with a number.
  public static func _decode(from uid: ArchiveUID, _ coder: KeyedUnarchiver) throws -> ArchivedScalar? {
    switch try coder.graphValue(uid.rawValue) {
    case .null, .conditionalObject: return nil
    case .scalar(let scalar): return scalar
    default:
      let name = try coder.storage.state.classUID(of: uid.rawValue).map { try coder.classRecord($0).name }
      throw KeyedArchiveError(
        .classNotAllowed,
        "the archive has an object of class '\(name ?? "")' where a bare string, number, boolean or data is allowed",
        keyPath: coder.storage.state.keyPath(), uid: uid, className: name, remedy: "Ask for ArchivedObject")
    }
  }
}
