// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// A type whose values can be archived and decoded from an archive, as with `NSCoding` on Apple's systems.
///
/// Classes, structs and enums can conform. Instances of classes keep their identity: an object that is referenced twice
/// is archived once and decoded as one object. Each struct or enum value is archived as a separate object.
///
/// ```swift
/// final class Creature: SecureKeyedCoding {
///   var title: String
///   var rating: Float
///
///   func encode(with coder: KeyedArchiver) {
///     coder.encode(title, forKey: "Title")
///     coder.encode(rating, forKey: "Rating")
///   }
///
///   init?(coder: KeyedUnarchiver) {
///     guard let title = coder.decodeObject(of: String.self, forKey: "Title") else { return nil }
///     self.title = title
///     rating = coder.decodeFloat(forKey: "Rating")
///   }
/// }
/// ```
public protocol KeyedCoding {
  /// Encodes this value's contents.
  ///
  /// The archiver only records the objects it gets here. It archives them after this method returns.
  /// - Parameter coder: The archiver that encodes this value.
  /// - Throws: Any error that should make the archiving fail.
  func encode(with coder: KeyedArchiver) throws

  /// Creates a value from its archived contents.
  ///
  /// Return nil, throw, or call ``KeyedUnarchiver/failWithError(_:)`` if required contents are missing or invalid. A
  /// nonthrowing decoding call that fails returns nil or zero, and later calls continue. The object then fails with the
  /// first such error, whatever this initializer returns. An error that is thrown and caught here has no further
  /// effect.
  /// - Parameter coder: The unarchiver that decodes this value.
  /// - Throws: Any error that should make the decoding of the object fail.
  init?(coder: KeyedUnarchiver) throws

  /// The type's class name in archives. The default for a class is its name in Apple's runtime, `Module.Type`. The names of
  /// generic, private and nested classes begin with `_Tt`; see <doc:ClassNames>. The default for a struct or enum is
  /// `Module.Outer.Type`.
  ///
  /// Declare a name if the type may be renamed or moved, or if archives of other programs use another name. A generic
  /// type that declares a name must declare a different one for each of its arguments.
  static var archiveClassName: String { get }

  /// Former or foreign class names that the type matches when it is decoded. The default is empty.
  ///
  /// A class whose name is mangled also matches its name in Swift, and the reverse.
  static var archiveClassAliases: [String] { get }

  /// The archived superclass chain: the type's name, followed by those of its superclasses.
  ///
  /// Decoders on Apple's systems can substitute a superclass that they know. The default is the names of the type
  /// and its superclasses, and `NSObject`.
  static var archiveClassChain: [String] { get }

  /// The types that may substitute for this one. The default is empty, because a name in an archive must never select a
  /// type that the program did not name.
  ///
  /// A class declares subclasses. They, and those that they declare, are allowed wherever the class is requested. Types
  /// that are not subclasses are ignored: a subclass inherits the declaration, which contains itself and its siblings.
  ///
  /// A struct or enum declares the members of a closed set of types. They are allowed by a list of types that contains
  /// it, as in `decodeObject(of: [Shape.self], forKey:)`. A request for the type alone allows only its own values,
  /// because no other value has this type.
  static var archiveSubclasses: [any KeyedCoding.Type] { get }

  /// A Boolean value that indicates whether the type supports secure coding.
  ///
  /// The default is `false`; for types that conform to ``SecureKeyedCoding`` it is `true`.
  static var supportsSecureCoding: Bool { get }

  /// Records this value in an archiver, as what refers to it in the archive.
  ///
  /// By default, an instance of a class is recorded as a reference to one object. A value of another type is recorded
  /// as a separate object, with what ``encode(with:)`` encodes. A type that wraps a value can record that value
  /// instead:
  ///
  /// ```swift
  /// struct Title: SecureKeyedCoding {
  ///   var text: String
  ///
  ///   func record(in coder: KeyedArchiver) -> RecordedValue { text.record(in: coder) }
  ///
  ///   static func decode(_ uid: ArchiveUID, in coder: KeyedUnarchiver) throws -> Title? {
  ///     try String.decode(uid, in: coder).map(Title.init)
  ///   }
  ///
  ///   func encode(with coder: KeyedArchiver) {}
  ///   init?(coder: KeyedUnarchiver) { nil }
  /// }
  /// ```
  ///
  /// The archive then contains the string alone, without a class record for `Title`.
  /// - Parameter coder: The archiver that encodes this value. It must record the result before another call.
  /// - Returns: The recorded value to store in the archive.
  func record(in coder: KeyedArchiver) -> RecordedValue

  /// Decodes a value from an object of the archive.
  ///
  /// The default decodes an object of this type's class, under the current allow list. Implement it together with
  /// ``record(in:)``. A type that implements it can be requested by itself, but a list of types does not find it by its
  /// class name.
  /// - Parameters:
  ///   - uid: The UID of the object.
  ///   - coder: The unarchiver that decodes the object.
  /// - Returns: The value, or nil if the archive stores nil.
  /// - Throws: ``KeyedArchiveError`` if the object is damaged, has another type, or its initializer fails. An
  ///   implementation may throw other errors.
  static func decode(_ uid: ArchiveUID, in coder: KeyedUnarchiver) throws -> Self?
}

/// A type that may be decoded where secure coding is required, as with `NSSecureCoding` on Apple's systems.
public protocol SecureKeyedCoding: KeyedCoding {
  /// A Boolean value that indicates whether the type supports secure coding.
  ///
  /// A subclass whose `init(coder:)` does not decode securely can return `false`.
  // Not the requirement of `KeyedCoding` again: a subclass may adopt secure coding although its superclass, whose
  // `KeyedCoding` conformance it inherits, does not.
  @_nonoverride static var supportsSecureCoding: Bool { get }
}

extension SecureKeyedCoding {
  /// The default implementation returns `true`.
  public static var supportsSecureCoding: Bool { true }
}

enum SecureCoding {
  /// Returns how to make a type adopt secure coding, in the imperative.
  static func remedy(for type: any KeyedCoding.Type) -> String {
    if type is any SecureKeyedCoding.Type { return "Let supportsSecureCoding of \(type) return true" }
    guard isFoundationObject(type) else { return "Conform \(type) to SecureKeyedCoding" }
    return "Conform \(type) to NSSecureCoding and FoundationCoding, or without NSCoder to SecureKeyedCoding"
  }

  /// Returns whether a class is a subclass of Foundation's `NSObject`, as classes for `NSCoder` are.
  private static func isFoundationObject(_ type: Any.Type) -> Bool {
    var current: AnyClass? = type as? AnyClass
    while let superclass = current.flatMap({ _getSuperclass($0) }) { current = superclass }
    guard let root = current, root != type as? AnyClass else { return false }
    return String(describing: root).hasSameBytes(as: "NSObject")
  }

  /// Returns whether a type supports secure coding. Only a subclass that adopts it although its superclass, whose
  /// `KeyedCoding` conformance it inherits, does not, needs the cast.
  static func isAdopted(by type: any KeyedCoding.Type) -> Bool {
    type.supportsSecureCoding || (type as? any SecureKeyedCoding.Type)?.supportsSecureCoding ?? false
  }
}

/// A type whose values can be replaced when they are archived.
public protocol ArchiveReplacing: KeyedCoding {
  /// Returns the value to archive instead of this one.
  /// - Parameter coder: The archiver that is about to encode this value.
  /// - Returns: The replacement, which may be this value; nil archives nil.
  func replacementObject(for coder: KeyedArchiver) -> (any KeyedCoding)?
}

/// A class whose instances can be replaced right after they are decoded.
public protocol ArchiveAwakening: KeyedCoding, AnyObject {
  /// Returns the object to use instead of this one.
  /// - Parameter coder: The unarchiver that decoded this object.
  /// - Returns: The replacement, which must have the requested type and may be this object.
  /// - Throws: Any error that should make the decoding of the object fail.
  func awakeAfter(using coder: KeyedUnarchiver) throws -> Self
}

/// A class that finds its subclasses by their archived names.
///
/// The bridged classes of `KeyedArchivingFoundation` conform to it, as Foundation's decoders find subclasses by name.
/// For other classes, ``KeyedCoding/archiveSubclasses`` is simpler, and allows only the classes it lists.
public protocol ArchiveClassResolving: KeyedCoding, AnyObject {
  /// Returns a subclass that ``KeyedCoding/archiveSubclasses`` does not declare. The decoder ignores any other class.
  /// - Parameter name: The class name in the archive.
  /// - Returns: The subclass, or nil if none has the name.
  static func archiveSubclass(named name: String) -> (any KeyedCoding.Type)?

  /// Returns the class to decode objects of this class as. The default is the class itself.
  ///
  /// The decoder calls it for each class record, after it allowed this class. The request must allow the result too, as a
  /// class of its list or a subclass of the requested class.
  /// - Returns: The class, which must conform to ``KeyedCoding``.
  static func classForUnarchiver() -> AnyClass
}

extension ArchiveClassResolving {
  /// The default implementation returns nil.
  /// - Parameter name: The class name in the archive.
  /// - Returns: Always nil.
  public static func archiveSubclass(named name: String) -> (any KeyedCoding.Type)? { nil }

  /// The default implementation returns the class itself.
  /// - Returns: The class.
  public static func classForUnarchiver() -> AnyClass { Self.self }
}

extension KeyedCoding {
  /// The default name: that of ``RuntimeClassName`` for a class, and `Module.Outer.Type` for other types, without the parts
  /// that Swift adds for private and local types.
  public static var archiveClassName: String { TypeName.archived(Self.self) }

  /// The default implementation returns `false`.
  public static var supportsSecureCoding: Bool { false }

  /// The default implementation returns an empty array.
  public static var archiveClassAliases: [String] { [] }

  /// The default implementation returns an empty array.
  public static var archiveSubclasses: [any KeyedCoding.Type] { [] }

  /// The default chain: the type's name and `NSObject`.
  public static var archiveClassChain: [String] { [archiveClassName, "NSObject"] }
}

extension KeyedCoding where Self: AnyObject {
  /// The default chain: the names of the type and of its archivable superclasses, and `NSObject`.
  public static var archiveClassChain: [String] { TypeName.chain(of: Self.self) }
}
