// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A type whose values can be archived and made again from an archive: what `NSCoding` is on Apple's systems.
///
/// Classes, structs and enums may conform. Instances of classes keep their identity: an object that is referred to twice
/// is archived once and comes out as one object. Structs and enums are archived as objects of their own.
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
  /// Hands the coder what is to be archived of this value.
  ///
  /// The coder takes note of objects here and archives them when this method has returned.
  /// - Throws: whatever should make the archiving fail.
  func encode(with coder: KeyedArchiver) throws

  /// Makes a value from what the coder has for it.
  ///
  /// Return nil, throw, or call ``KeyedUnarchiver/failWithError(_:)`` when it has not what is needed. A nonthrowing
  /// decoding call that fails returns nil or zero, and later calls go on. The object then fails with the first such error,
  /// whatever is returned here. An error that is thrown and caught here is over.
  init?(coder: KeyedUnarchiver) throws

  /// The name the type has in archives. Unless you say otherwise it is `Module.Type`, as for a Swift class on Apple's
  /// systems. Give a name when the type may be renamed or moved, or when an archive by others uses another: a class that is
  /// generic, private or inside another type has one there that begins with `_Tt`, where here it is `Module.Outer.Type` or
  /// `Module.Type<Swift.Int>`. A generic type that gives a name must give another for each of its arguments.
  static var archiveClassName: String { get }

  /// Former or foreign names that the type answers to when it is decoded. None unless you say otherwise.
  static var archiveClassAliases: [String] { get }

  /// What an archive records of the type's ancestry: its own name first, then its superclasses'. Decoders on Apple's
  /// systems fall back on a superclass that they know. Unless you say otherwise, the superclasses' names and `NSObject`.
  static var archiveClassChain: [String] { get }

  /// Types that may come out in place of this one. None by default, because a name in an archive must never select a type
  /// that the program did not name.
  ///
  /// A class declares subclasses. They, and those that they declare, come out wherever the class is requested. Types that
  /// are no subclasses are ignored: a subclass inherits the declaration, in which its siblings and itself are.
  ///
  /// A struct or enum declares the members of a closed family. They come out under a list of types that has it, as in
  /// `decodeObject(of: [Shape.self], forKey:)`. Where it is requested alone, only its own values come out, because no
  /// other value is of its type.
  static var archiveSubclasses: [any KeyedCoding.Type] { get }

  // The ones below are how the coders reach a value, and what there is to know of a type, without casts. They exist twice,
  // for classes and for other types, or for types that adopt secure coding and for others, and the compiler picks one where
  // a type conforms. Do not implement them.

  /// Not to be implemented: how a reference to this value is noted.
  func _record(in coder: KeyedArchiver) -> _RecordedValue
  /// Not to be implemented: how a value is made from an object of the archive.
  static func _decode(from uid: ArchiveUID, _ coder: KeyedUnarchiver) throws -> Self?
  /// Not to be implemented: whether the type is known to adopt secure coding. False for one that may all the same, as a
  /// subclass of one that does not.
  static var _isStaticallySecure: Bool { get }
  /// Not to be implemented: whether values of the type say themselves under which class they are archived.
  static var _hasDynamicClass: Bool { get }
}

/// A type that may be decoded where secure coding is required: what `NSSecureCoding` is on Apple's systems.
public protocol SecureKeyedCoding: KeyedCoding {
  /// Whether the type keeps what it adopted. A subclass that overrides `init(coder:)` without care may say no.
  static var supportsSecureCoding: Bool { get }
}

extension SecureKeyedCoding {
  /// True.
  public static var supportsSecureCoding: Bool { true }

  /// Whether the type keeps what it adopted.
  public static var _isStaticallySecure: Bool { supportsSecureCoding }
}

enum SecureCoding {
  /// Whether a type adopts secure coding and keeps to it. The compiler knows it of nearly all types.
  static func isAdopted(by type: any KeyedCoding.Type) -> Bool {
    type._isStaticallySecure || (type as? any SecureKeyedCoding.Type)?.supportsSecureCoding ?? false
  }
}

/// A type that puts another value in its place when it is archived.
public protocol ArchiveReplacing: KeyedCoding {
  /// The value to archive in place of this one; nil archives nil.
  func replacementObject(for coder: KeyedArchiver) -> (any KeyedCoding)?
}

/// A class whose instances may put another in their place right after they were decoded.
public protocol ArchiveAwakening: KeyedCoding, AnyObject {
  /// The object to hand out in place of this one. It must be of the type that was asked for.
  func awakeAfter(using coder: KeyedUnarchiver) throws -> Self
}

extension KeyedCoding {
  /// `Module.Type`, without what Swift adds for types that are private to a file or local to a function.
  public static var archiveClassName: String { TypeName.archived(Self.self) }

  /// False.
  public static var _isStaticallySecure: Bool { false }

  /// False.
  public static var _hasDynamicClass: Bool { false }

  /// None.
  public static var archiveClassAliases: [String] { [] }

  /// None.
  public static var archiveSubclasses: [any KeyedCoding.Type] { [] }

  /// The type's own name and `NSObject`.
  public static var archiveClassChain: [String] { [archiveClassName, "NSObject"] }
}

extension KeyedCoding where Self: AnyObject {
  /// The type's own name, the names of those superclasses that can be archived too, and `NSObject`.
  public static var archiveClassChain: [String] { TypeName.chain(of: Self.self) }
}
