// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  public import Foundation
#endif
public import KeyedArchiving
import PropertyListFormat

/// A boxed primitive with object identity.
///
/// An instance is archived once, and is never merged with an equal value. One exception: a decoded instance that
/// Foundation would store in a tagged pointer shares the object of an equal plain value. If identity does not matter,
/// request `String`, `ArchiveNumber` or `Data`.
public final class BoxedPrimitive: SecureKeyedCoding, IdentifiedPrimitive {
  /// The primitive.
  public let value: ArchivePrimitive
  /// The archive that the primitive was read from.
  package let origin: SourceArchive?
  /// The row in the object table of that archive.
  package let row: UInt32

  /// Creates a boxed primitive.
  /// - Parameter value: The primitive.
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

  /// The class name of the type, `NSString`. An instance may also be a number or data.
  public static var archiveClassName: String { "NSString" }

  /// Encodes nothing, because a primitive has no keys.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {}

  /// Throws an error, because an object with keys is not a primitive.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError`.
  public init?(coder: KeyedUnarchiver) throws {
    throw coder.malformed("found an object with keys; expected a boxed string, number, Boolean or data")
  }

  /// Returns the primitive with a UID; the same instance for each reference to it.
  /// - Parameters:
  ///   - uid: The UID of the primitive.
  ///   - coder: The unarchiver.
  /// - Returns: The primitive, or nil if the reference is nil.
  /// - Throws: `KeyedArchiveError` if the object is damaged or has a class.
  public static func decode(_ uid: ArchiveUID, in coder: KeyedUnarchiver) throws -> BoxedPrimitive? {
    switch try coder.graphValue(uid.rawValue) {
    case .null, .conditionalObject: return nil
    case .boxed(let box): return box
    default:
      let name = try coder.storage.state.classUID(of: uid.rawValue).map { try coder.classRecord($0).name }
      throw KeyedArchiveError(
        .classNotAllowed,
        "class '\(name ?? "")' is not allowed here; allowed: boxed strings, numbers, Booleans and data",
        at: coder.storage.state.place(), uid: uid, className: name, remedy: "Request ArchivedObject")
    }
  }
}

/// A value with the identity of the object that it was decoded from. It is archived once, however many references it
/// has.
///
/// Structures have no identity, but the objects of an archive do. `KeyedUnarchiver.decodeTopLevel(makingValues:)` wraps
/// each decoded value in an instance.
public final class ArchivedInstance: SecureKeyedCoding, DynamicArchiveClass {
  /// The value.
  public let value: any SecureKeyedCoding

  /// Creates an instance with a new identity.
  /// - Parameter value: The value.
  public init(_ value: any SecureKeyedCoding) { self.value = value }

  /// The class name of the type, `NSObject`. Each instance is archived under the class of its value.
  public static var archiveClassName: String { "NSObject" }
  package var archivedClass: ClassDescription {
    if let dynamic = value as? any DynamicArchiveClass { return dynamic.archivedClass }
    let type = type(of: value)
    return ClassDescription(name: type.archiveClassName, chain: type.archiveClassChain)
  }

  /// Encodes the value.
  /// - Parameter coder: The archiver.
  /// - Throws: Any error that the value throws.
  public func encode(with coder: KeyedArchiver) throws { try value.encode(with: coder) }

  /// Throws an error, because the type of the value is unknown.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError`.
  public init?(coder: KeyedUnarchiver) throws {
    throw coder.malformed("ArchivedInstance cannot be requested; only decodeTopLevel(makingValues:) creates instances")
  }
}
