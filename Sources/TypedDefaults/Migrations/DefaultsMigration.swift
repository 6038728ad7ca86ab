// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A change to what a store holds that is made once, when a program comes with a new version of its types.
///
/// ```swift
/// try store.migrate([
///   .rename("colour", to: "color"),
///   .recode("profile", from: .json(), to: DefaultsConversion<Profile>.objects()),
///   DefaultsMigration("split the name") { store in … },
/// ])
/// ```
///
/// Each one is a transaction: its change and the note that it was made are stored together, or nothing is. So it is made
/// once, also if two processes begin at the same time or one is killed. Never change one that was shipped; add another.
public struct DefaultsMigration: Sendable {
  /// What the store notes when it was made.
  public let name: String
  /// What it does.
  public let body: @Sendable (inout DefaultsTransaction) throws -> Void

  /// A migration by a function.
  public init(_ name: String, _ body: @escaping @Sendable (inout DefaultsTransaction) throws -> Void) {
    self.name = name
    self.body = body
  }

  /// A new version of one key: a function is given what is stored, if anything is, and returns what is to be.
  public static func key(
    _ key: String, version: Int, _ body: @escaping @Sendable (PropertyListValue) throws -> PropertyListValue?
  ) -> Self {
    Self("\(key), version \(version)") { store in
      if let value = store.rawValue(for: key) { store.setRawValue(try body(value), for: key) }
    }
  }

  /// Gives a value another key. If there is a value under the new one already, both stay.
  public static func rename(_ old: String, to new: String) -> Self {
    Self("rename \(old) to \(new)") { store in
      guard let value = store.rawValue(for: old), store.rawValue(for: new) == nil else { return }
      store.setRawValue(value, for: new)
      store.setRawValue(nil, for: old)
    }
  }

  /// Stores a value in another form, such as property-list objects in place of JSON data or of a keyed archive, as other
  /// libraries store them.
  ///
  /// What is in the new form already is left alone. What is in neither is an error.
  public static func recode<Value: SendableMetatype>(
    _ key: String, from old: DefaultsConversion<Value>, to new: DefaultsConversion<Value>
  ) -> Self {
    retype(key, from: old, to: new) { $0 }
  }

  /// Stores a value as one of another type.
  ///
  /// What is of the new type already is left alone. What is of neither is an error.
  public static func retype<Old: SendableMetatype, New: SendableMetatype>(
    _ key: String, from old: DefaultsConversion<Old>, to new: DefaultsConversion<New>,
    _ convert: @escaping @Sendable (Old) throws -> New
  ) -> Self {
    Self("\(key): \(Old.self) to \(New.self)") { store in
      guard let stored = store.rawValue(for: key) else { return }
      do {
        let value = try old.deserialize(stored)
        store.setRawValue(try new.serialize(convert(value)), for: key)
      } catch {
        guard (try? new.deserialize(stored)) == nil else { return }
        throw error
      }
    }
  }

  /// The same under another name, where a key is migrated more than once by the same means.
  public func named(_ name: String) -> Self { Self(name, body) }
}

extension DefaultsStore {
  /// The key under which a store notes which migrations were made.
  public static var migrationsKey: String { "TypedDefaults.migrations" }

  /// Makes those of some migrations that were not made yet, in this order.
  /// - Returns: the names of those that were made now.
  /// - Throws: ``DefaultsError`` with code ``DefaultsError/Code/migrationFailed``; the failed one has changed nothing, those
  ///   before it stay made. Or with another code if the store cannot be written.
  @discardableResult
  public func migrate(_ migrations: [DefaultsMigration]) throws -> [String] {
    var made: [String] = []
    for migration in migrations {
      let isNew = try update(origin: "migration") { transaction in
        var noted: [PropertyListValue] = []
        switch transaction.rawValue(for: Self.migrationsKey) {
        case nil: break
        case .array(let names)?: noted = names
        case let other?:
          throw DefaultsError(
            .migrationFailed, key: Self.migrationsKey,
            "expected the names of the migrations that were made, found \(other.shortDescription)",
            remedy: "Somebody else uses this key; move the value elsewhere")
        }
        guard !noted.contains(.string(migration.name)) else { return false }
        do {
          try migration.body(&transaction)
        } catch {
          throw DefaultsError(
            .migrationFailed, "the migration '\(migration.name)' failed: \(DefaultsError.reason(error))",
            remedy: "Nothing was changed by it; look at the value, and try it on MemoryStore(copying:)",
            underlying: error)
        }
        transaction.setRawValue(.array(noted + [.string(migration.name)]), for: Self.migrationsKey)
        return true
      }
      if isNew { made.append(migration.name) }
    }
    return made
  }
}
