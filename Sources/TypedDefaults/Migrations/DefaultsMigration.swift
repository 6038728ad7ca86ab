// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import PropertyListFormat

/// A one-time change of stored values for a new version of a program.
///
/// ```swift
/// try store.migrate([
///   .rename("colour", to: "color"),
///   .recode("profile", from: .json(), to: DefaultsConversion<Profile>.objects()),
///   DefaultsMigration("split the name") { store in … },
/// ])
/// ```
///
/// All migrations of one call are one transaction: the store writes their changes together with the record that they ran,
/// or nothing. Therefore a ``FileStore`` applies each once, even if two processes start at the same time or one is killed.
/// Never change a migration that was shipped; add another one.
///
/// With ``FileStore/Durability/deferred(_:)``, two processes that start at the same time both run the migrations, each on the
/// values in its memory. For each key, the later write wins.
///
/// `UserDefaults` has no transactions, so a ``UserDefaultsStore`` sets the record after all changes. If the process is killed
/// between them, the migrations run again. Some values have changed then. Two processes that start at the same time can both
/// run them.
///
/// Migrations of a ``LayeredStore`` change the store to which changes go. If that is the base, they do not see the
/// overrides. Otherwise they could replace a saved value by a launch argument.
public struct DefaultsMigration: Sendable {
  /// The name that the store records.
  public let name: String
  /// The function that makes the changes.
  public let body: @Sendable (inout DefaultsTransaction) throws -> Void

  /// Creates a migration.
  /// - Parameters:
  ///   - name: The name that the store records.
  ///   - body: The function that makes the changes.
  public init(_ name: String, _ body: @escaping @Sendable (inout DefaultsTransaction) throws -> Void) {
    self.name = name
    self.body = body
  }

  /// Returns a migration of one key to a new version. It has no effect if no value is stored.
  /// - Parameters:
  ///   - key: The key.
  ///   - version: The new version, which is a part of the recorded name.
  ///   - body: A function from the old property-list value to the new one, or nil to remove it.
  /// - Returns: The migration.
  public static func key(
    _ key: String, version: Int, _ body: @escaping @Sendable (PropertyListValue) throws -> PropertyListValue?
  ) -> Self {
    Self("\(key), version \(version)") { store in
      if let value = store.rawValue(for: key) { store.setRawValue(try body(value), for: key) }
    }
  }

  /// Returns a migration that renames a key. It has no effect if the new key has a value already.
  /// - Parameters:
  ///   - old: The old key.
  ///   - new: The new key.
  /// - Returns: The migration.
  public static func rename(_ old: String, to new: String) -> Self {
    Self("rename \(old) to \(new)") { store in
      guard let value = store.rawValue(for: old), store.rawValue(for: new) == nil else { return }
      store.setRawValue(value, for: new)
      store.setRawValue(nil, for: old)
    }
  }

  /// Returns a migration that stores a value with another conversion, for example as property-list values instead of
  /// JSON.
  ///
  /// A value that only the new conversion reads is unchanged. A value in neither form is an error. The recorded name has the
  /// type's name, as that of ``retype(_:from:to:_:)`` has.
  /// - Parameters:
  ///   - key: The key.
  ///   - old: The old conversion.
  ///   - new: The new conversion.
  /// - Returns: The migration.
  public static func recode<Value: SendableMetatype>(
    _ key: String, from old: DefaultsConversion<Value>, to new: DefaultsConversion<Value>
  ) -> Self {
    retype(key, from: old, to: new) { $0 }
  }

  /// Returns a migration that stores a value as another type.
  ///
  /// A value that only the new type reads is unchanged. A value of neither type is an error. A value that both types read, such
  /// as an integer for `Double` and `Int`, is converted. Store it under another key if the migration can run twice, as in a
  /// ``UserDefaultsStore`` whose process is killed during the migration.
  ///
  /// The recorded name has the names of the types, such as `age: String to Int`. If you rename a type later, keep the old name
  /// with ``named(_:)``, because the migration runs again under a new one.
  /// - Parameters:
  ///   - key: The key.
  ///   - old: The conversion of the old type.
  ///   - new: The conversion of the new type.
  ///   - convert: A function from an old value to a new one.
  /// - Returns: The migration.
  public static func retype<Old: SendableMetatype, New: SendableMetatype>(
    _ key: String, from old: DefaultsConversion<Old>, to new: DefaultsConversion<New>,
    _ convert: @escaping @Sendable (Old) throws -> New
  ) -> Self {
    Self("\(key): \(Old.self) to \(New.self)") { store in
      guard let stored = store.rawValue(for: key) else { return }
      let value: Old
      do {
        value = try old.deserialize(stored)
      } catch {
        guard (try? new.deserialize(stored)) == nil else { return }
        throw error
      }
      store.setRawValue(try new.serialize(convert(value)), for: key)
    }
  }

  /// Returns the migration with another name.
  ///
  /// Use it for a key that is migrated more than once in the same way. For example, all recodings of a key with the same type
  /// have one name. Use it also for a name with that of a type that can be renamed: stores have recorded the former name.
  /// - Parameter name: The name that the store records.
  /// - Returns: The migration.
  public func named(_ name: String) -> Self { Self(name, body) }
}

extension DefaultsStore {
  /// Runs the migrations that did not run yet, in their order, as one change.
  ///
  /// Each migration sees the changes of those before it, and no registered defaults of `UserDefaults`. Other threads and
  /// processes see all changes or none, except for those of a ``UserDefaultsStore``, which sets one key after the other. If all
  /// ran before, the function only reads the store.
  /// - Parameter migrations: The migrations, with different names.
  /// - Returns: The names of the migrations that ran now.
  /// - Throws: ``DefaultsError`` with code ``DefaultsError/Code/migrationFailed`` if a migration fails or two have
  ///   the same name. The error has another code if the store cannot be read or written. The store is then unchanged, unless
  ///   the code is ``DefaultsError/Code/notDurable``.
  @discardableResult
  public func migrate(_ migrations: [DefaultsMigration]) throws -> [String] {
    var all: Set<BytewiseString> = []
    for migration in migrations where !all.insert(BytewiseString(migration.name)).inserted {
      throw DefaultsError(
        .migrationFailed, "two migrations have the name '\(migration.name)': the second one would never run",
        remedy: "Give the later one another name with named(_:)")
    }
    // A program calls this function at each start, also from a disk that it cannot write to.
    try refresh()
    var current = DefaultsTransaction(snapshot())
    current.readMigratedValuesOnly()
    if all.isSubset(of: try current.migrations(Self.migrationsKey).known) { return [] }
    return try update(origin: "migration") { transaction in
      // A registered default or an override must not be converted and stored, nor count as the value of a new key.
      transaction.readMigratedValuesOnly()
      var (recorded, known) = try transaction.migrations(Self.migrationsKey)
      var names: [String] = []
      for migration in migrations where known.insert(BytewiseString(migration.name)).inserted {
        do {
          try migration.body(&transaction)
        } catch {
          throw DefaultsError(
            .migrationFailed, "the migration '\(migration.name)' failed: \(DefaultsError.reason(error))",
            remedy: "Nothing has changed. Try it on MemoryStore(copying:)",
            underlying: error)
        }
        recorded.append(.string(migration.name))
        names.append(migration.name)
      }
      if !names.isEmpty { transaction.setRawValue(.array(recorded), for: Self.migrationsKey) }
      return names
    }
  }
}

extension DefaultsTransaction {
  /// Returns the record of the migrations that ran, and their names.
  /// - Throws: ``DefaultsError`` with code ``DefaultsError/Code/migrationFailed`` if another value has its key.
  fileprivate func migrations(
    _ key: String
  ) throws(DefaultsError) -> (record: [PropertyListValue], known: Set<BytewiseString>) {
    switch rawValue(for: key) {
    case nil: return ([], [])
    case .array(let record)?:
      var known: Set<BytewiseString> = []
      for case .string(let name) in record { known.insert(BytewiseString(name)) }
      return (record, known)
    case let other?:
      throw DefaultsError(
        .migrationFailed, key: key, "type mismatch: found \(other.shortDescription); expected the names of migrations",
        remedy: "Move the value to another key, because this one is reserved")
    }
  }
}
