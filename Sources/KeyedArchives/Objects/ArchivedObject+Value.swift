// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import KeyedArchiving
import PropertyListFormat

extension ArchivedObject {
  /// A value of an object.
  public enum Value {
    /// The value nil.
    case null
    /// A reference to an object.
    case object(ArchivedObject)
    /// A reference that is archived only if another reference archives its object; otherwise it is archived as nil.
    case conditionalObject(ArchivedObject)
    /// A reference to a boxed primitive.
    case boxed(BoxedPrimitive)
    /// A reference to any value that can be archived. Decoding creates only values of the types that were passed to
    /// `KeyedUnarchiver.decodeTopLevel(makingValues:)`.
    indirect case value(any KeyedCoding)
    /// An inline array of references, such as the value of `NS.objects`.
    case references([Value])
    /// An inline primitive.
    case primitive(ArchivePrimitive)

    /// An inline string.
    /// - Parameter text: The string.
    /// - Returns: The value.
    public static func string(_ text: String) -> Self { .primitive(.string(text)) }

    /// An inline number or Boolean.
    /// - Parameter number: The number.
    /// - Returns: The value.
    public static func number(_ number: ArchiveNumber) -> Self { .primitive(.number(number)) }

    /// Inline data.
    /// - Parameter bytes: The bytes.
    /// - Returns: The value.
    public static func data(_ bytes: Data) -> Self { .primitive(.data(bytes)) }

    func collectObjects(into objects: inout [ArchivedObject]) {
      switch self {
      case .object(let object), .conditionalObject(let object): objects.append(object)
      case .references(let values): for value in values { value.collectObjects(into: &objects) }
      default: break
      }
    }
  }
}

extension ArchivedObject.Value {
  /// The object that the value refers to.
  public var object: ArchivedObject? {
    switch self {
    case .object(let object), .conditionalObject(let object): object.isPlaceholder ? nil : object
    default: nil
    }
  }

  /// A Boolean value that indicates whether the value is nil or refers to an object that was not archived.
  public var isNull: Bool {
    switch self {
    case .null: true
    case .conditionalObject(let object): object.isPlaceholder
    default: false
    }
  }

  /// The primitive, boxed or inline.
  private var primitive: ArchivePrimitive? {
    switch self {
    case .primitive(let value): value
    case .boxed(let box): box.value
    default: nil
    }
  }

  private var primitiveString: String? { if case .string(let text)? = primitive { text } else { nil } }

  private var primitiveData: Data? { if case .data(let bytes)? = primitive { bytes } else { nil } }

  // The content of a mutable string or mutable data must be a primitive: in a damaged archive, it can be the object itself.

  /// The text of a string: boxed, inline or mutable.
  public var string: String? {
    if case .object(let object) = self, ["NSMutableString", "NSString"].contains(object.archivedClass.name) {
      return object["NS.string"]?.primitiveString
    }
    return primitiveString
  }

  /// The number or Boolean, boxed or inline.
  public var number: ArchiveNumber? { if case .number(let number)? = primitive { number } else { nil } }

  /// The bytes of data: boxed, inline or mutable.
  public var data: Data? {
    if case .object(let object) = self, ["NSMutableData", "NSData"].contains(object.archivedClass.name) {
      return object["NS.data"]?.primitiveData ?? object["NS.bytes"]?.primitiveData
    }
    return primitiveData
  }

  /// The references of an inline array, or of a collection object.
  ///
  /// The value is nil for an `NSCountedSet`: an array would omit the counts. Its elements and counts have the keys
  /// `NS.object0`, `NS.count0`, `NS.object1` and so on.
  public var references: [ArchivedObject.Value]? {
    switch self {
    case .references(let values): values
    case .object(let object): object.members(.objects)
    default: nil
    }
  }
}

extension ArchivedObject {
  /// The members of a collection object, in either layout of Foundation.
  private func members(_ kind: KeyedUnarchiver.ElementKind) -> [Value]? {
    switch CollectionMembers(kind, first: { self[$0] }, keys: { entries.lazy.map { ($0.key, $0.value) } }) {
    case .array(.references(let values))?: values
    case .numbered(let values)?: values
    case .array?, nil: nil
    }
  }
}
