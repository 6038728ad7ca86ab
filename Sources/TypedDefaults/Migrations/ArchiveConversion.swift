// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

public import KeyedArchiving
import PropertyListFormat

// The forms in which apps stored archived objects for a key of `UserDefaults`.

extension DefaultsConversion where Value: KeyedCoding & SendableMetatype {
  /// Returns a conversion to data with a keyed archive that does not require secure coding, as older apps stored objects.
  ///
  /// Nil is not stored. Types that do not adopt `SecureKeyedCoding` can be read, too. The type is the allow list nevertheless. To store
  /// secure archives from then on, use ``DefaultsMigration/secureArchive(_:of:from:)``.
  /// - Parameter topLevelKey: The key of the object in the archive. It is `root` unless the app created an archiver and
  ///   encoded the object for another key.
  /// - Returns: The conversion.
  public static func insecureKeyedArchive(topLevelKey: String = KeyedArchiver.rootKey) -> Self {
    Self(storing: { value in
      let archiver = KeyedArchiver(requiringSecureCoding: false)
      archiver.encode(value, forKey: topLevelKey)
      return .data(try archiver.encodedData)
    }) { object in
      let unarchiver = try ArchiveInData.unarchiver(object)
      unarchiver.requiresSecureCoding = false
      return try ArchiveInData.value(
        unarchiver.decodeTopLevelObject(of: Value.self, forKey: topLevelKey), unarchiver, topLevelKey)
    }
  }
}

extension DefaultsConversion where Value: Codable & SendableMetatype {
  /// Returns a conversion to data with a keyed archive of a Codable value, as Apple's `encodeEncodable(_:forKey:)` creates
  /// it. Nil is not stored.
  /// - Parameter topLevelKey: The key of the value in the archive.
  /// - Returns: The conversion.
  public static func codableArchive(topLevelKey: String = KeyedArchiver.rootKey) -> Self {
    Self(storing: { value in
      let archiver = KeyedArchiver(requiringSecureCoding: true)
      try archiver.encodeEncodable(value, forKey: topLevelKey)
      return .data(try archiver.encodedData)
    }) { object in
      let unarchiver = try ArchiveInData.unarchiver(object)
      return try ArchiveInData.value(
        unarchiver.decodeTopLevelDecodable(Value.self, forKey: topLevelKey), unarchiver, topLevelKey)
    }
  }
}

extension DefaultsConversion {
  /// Returns a conversion to a keyed archive of data that another conversion creates, for example of JSON. Some apps
  /// archived the result of an encoder.
  /// - Parameter inner: The conversion that creates the data, such as ``json()`` or ``propertyListData()``.
  /// - Returns: The conversion.
  public static func archivedData(_ inner: Self) -> Self {
    Self { value in
      switch try inner.serialize(value) {
      case nil: return nil
      case .data(let data)?:
        return .data(try KeyedArchiver.archivedData(withRootObject: data, requiringSecureCoding: true))
      case let other?: throw DefaultsConversionError("a conversion to data", other)
      }
    } deserialize: { object in
      try inner.deserialize(.data(DefaultsConversion<Data>.keyedArchive().deserialize(object)))
    }
  }

  /// Returns a conversion to an array whose elements another conversion creates, for example archives.
  /// - Parameter element: The conversion of the elements.
  /// - Returns: The conversion.
  public static func array<Element: SendableMetatype>(of element: DefaultsConversion<Element>) -> Self
  where Value == [Element] {
    Self { elements in
      .array(
        try elements.map { value in
          guard let object = try element.serialize(value) else {
            throw DefaultsConversionError("nil in an array: a store cannot hold it")
          }
          return object
        })
    } deserialize: { object in
      guard case .array(let objects) = object else { throw DefaultsConversionError("an array", object) }
      return try objects.map { try element.deserialize($0) }
    }
  }
}

extension DefaultsMigration {
  /// Returns a migration that stores an archived object securely.
  ///
  /// It reads a value in the old form, however the old app archived it, and stores it as
  /// ``DefaultsConversion/keyedArchive()`` does. A value in neither form is an error, and stays as it is.
  /// - Parameters:
  ///   - key: The key.
  ///   - type: The type, which is the allow list. Its `archiveClassName`, or one of its `archiveClassAliases`, is the
  ///     name of the class in the old archive.
  ///   - old: The conversion of the old form.
  /// - Returns: The migration.
  public static func secureArchive<Value: SecureKeyedCoding & SendableMetatype>(
    _ key: String, of type: Value.Type, from old: DefaultsConversion<Value> = .insecureKeyedArchive()
  ) -> Self {
    retype(key, from: old, to: .keyedArchive()) { $0 }.named("\(key): secure archive of \(Value.self)")
  }
}

/// The parts that the conversions from archives have in common.
private enum ArchiveInData {
  static func unarchiver(_ object: PropertyListValue) throws -> KeyedUnarchiver {
    guard case .data(let data) = object else { throw DefaultsConversionError("a keyed archive in data", object) }
    return try KeyedUnarchiver(forReadingFrom: data)
  }

  /// Ends decoding, and returns the value, which must not be nil.
  static func value<Value>(_ value: Value?, _ unarchiver: KeyedUnarchiver, _ key: String) throws -> Value {
    unarchiver.finishDecoding()
    guard let value else {
      throw DefaultsConversionError(
        "missing value: the keyed archive has nothing for the key '\(key)'; expected a value for \(Value.self)")
    }
    return value
  }
}
