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
  public indirect enum Value {
    /// A reference to nothing.
    case null
    /// A reference to an object.
    case object(ArchivedObject)
    /// A reference to an object that is archived only if something else archives it too; one that nothing archives is
    /// nil.
    case conditionalObject(ArchivedObject)
    /// A reference to a string, number, boolean or data that is an object of its own.
    case scalar(ArchivedScalar)
    /// A reference to anything that can be archived. Reading makes none of these.
    case value(any KeyedCoding)
    /// References in a row, as `NS.objects` holds them.
    case references([Value])

    /// A boolean, stored inside the object; so are the rest.
    case boolean(Bool)
    /// An integer.
    case integer(Int64)
    /// An integer stored in 16 bytes, as unsigned 64-bit numbers are.
    case unsigned(UInt64)
    /// A 4-byte real.
    case float(Float)
    /// An 8-byte real.
    case double(Double)
    /// Bytes.
    case data(Data)
    /// A string, as that of a mutable string is stored.
    case string(String)

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
  /// The object that it refers to.
  public var object: ArchivedObject? {
    switch self {
    case .object(let object), .conditionalObject(let object): object.isPlaceholder ? nil : object
    default: nil
    }
  }

  /// Whether it is a reference to nothing, or to an object that was not archived.
  public var isNull: Bool {
    switch self {
    case .null: true
    case .conditionalObject(let object): object.isPlaceholder
    default: false
    }
  }

  /// The text of a string, stored inside the object or as one of its own, mutable or not.
  public var string: String? {
    switch self {
    case .string(let text): text
    case .scalar(let scalar): if case .string(let text) = scalar.value { text } else { nil }
    case .object(let object) where ["NSMutableString", "NSString"].contains(object.archivedClass.name):
      object["NS.string"]?.string
    default: nil
    }
  }

  /// The number, stored inside the object or as one of its own.
  public var number: ArchiveNumber? {
    switch self {
    case .boolean(let value): .boolean(value)
    case .integer(let value): .integer(value)
    case .unsigned(let value): .unsigned(value)
    case .float(let value): .float(value)
    case .double(let value): .double(value)
    case .scalar(let scalar): if case .number(let number) = scalar.value { number } else { nil }
    default: nil
    }
  }

  /// The bytes of data, stored inside the object or as an object of its own, mutable or not.
  public var data: Data? {
    switch self {
    case .data(let bytes): bytes
    case .scalar(let scalar): if case .data(let bytes) = scalar.value { bytes } else { nil }
    case .object(let object) where ["NSMutableData", "NSData"].contains(object.archivedClass.name):
      object["NS.data"]?.data
    default: nil
    }
  }

  /// The references of an array inside the object, or of a collection that it refers to.
  public var references: [ArchivedObject.Value]? {
    switch self {
    case .references(let values): values
    case .object(let object):
      if case .references(let values)? = object["NS.objects"] { values } else { nil }
    default: nil
    }
  }
}
