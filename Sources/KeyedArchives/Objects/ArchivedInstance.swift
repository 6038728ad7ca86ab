// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving

/// A value with the identity of the object that it was made of: it is archived once, however many refer to it.
///
/// Structs have no identity of their own, objects of an archive have. In a graph that is data each value that
/// `KeyedUnarchiver.decodeTopLevel(makingValues:)` made stands in one of these.
public final class ArchivedInstance: SecureKeyedCoding, DynamicArchiveClass {
  /// The value.
  public let value: any SecureKeyedCoding

  /// Gives a value an identity.
  public init(_ value: any SecureKeyedCoding) { self.value = value }

  /// `NSObject`; each instance is archived under the class of its value.
  public static var archiveClassName: String { "NSObject" }
  /// True.
  public static var _hasDynamicClass: Bool { true }

  package var archivedClass: ClassDescription {
    if let varying = value as? any DynamicArchiveClass { return varying.archivedClass }
    let type = type(of: value)
    return ClassDescription(name: type.archiveClassName, chain: type.archiveClassChain)
  }

  /// Stores what the value stores.
  public func encode(with coder: KeyedArchiver) throws { try value.encode(with: coder) }

  /// An object by itself does not say which type it is to be made as.
  public init?(coder: KeyedUnarchiver) throws {
    throw coder.malformed("an instance is made by decodeTopLevel(makingValues:) only")
  }
}
