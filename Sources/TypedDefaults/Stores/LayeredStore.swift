// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// A store whose values are those of another store wherever that has one: launch arguments over what is saved, or a
/// scratch layer over real values.
///
/// Changes go to one of the two. What is removed there shows what the other has, if anything.
public final class LayeredStore: DefaultsStore {
  /// One of the two stores.
  public enum Layer: Sendable, Hashable {
    /// The store that counts first.
    case overrides
    /// The store below.
    case base
  }

  /// The store that counts first.
  public let overrides: any DefaultsStore
  /// The store below.
  public let base: any DefaultsStore
  private let changed: Layer
  /// What observers were told: the values as they come out of both layers.
  private let core: StoreCore
  private let observations: Locked<[DefaultsObservation]>

  /// Puts a store over another.
  /// - Parameters:
  ///   - overrides: the store that counts first.
  ///   - base: the store below.
  ///   - changed: the one that changes go to.
  public init(_ overrides: any DefaultsStore, over base: any DefaultsStore, changing changed: Layer = .base) {
    self.overrides = overrides
    self.base = base
    self.changed = changed
    core = StoreCore()
    observations = Locked([])
    let handler: @Sendable (DefaultsChanges) -> Void = { [weak self] in self?.follow($0) }
    // What they have now comes as the first of the changes.
    let found = [overrides, base].map { $0.observe(nil, initial: true, ignoring: nil, handler) }
    observations.withLock { $0 = found }
  }

  /// Has observers know what became of keys that were changed in a layer.
  private func follow(_ changes: DefaultsChanges) {
    // The gate cannot be closed to this thread: no function of the caller's runs within.
    try? core.write { touched in
      for change in changes.changes {
        // As it is by now: of two layers that tell at the same time, the later one has the last word.
        core.set(BytewiseString(change.key), rawValue(for: change.key), change.origin, &touched)
      }
    }
  }

  private var target: any DefaultsStore { changed == .base ? base : overrides }

  /// What is stored for a key, whatever it is; nil if there is nothing.
  public func rawValue(for key: String) -> PropertyListValue? {
    overrides.rawValue(for: key) ?? base.rawValue(for: key)
  }

  /// All values of one moment.
  public func snapshot() -> DefaultsSnapshot {
    DefaultsSnapshot(overrides.snapshot().layers + base.snapshot().layers)
  }

  /// Stores an object, or removes what is there if it is nil.
  /// - Throws: what the store that changes go to throws.
  public func setRawValue(_ value: PropertyListValue?, for key: String, origin: ChangeOrigin) throws {
    try target.setRawValue(value, for: key, origin: origin)
  }

  /// Changes several keys at once.
  /// - Throws: what the store that changes go to throws, and the closure.
  public func update<Result>(
    origin: ChangeOrigin, _ body: (inout DefaultsTransaction) throws -> Result
  ) throws -> Result {
    try target.update(origin: origin) { inner in
      let (result, changes) = try DefaultsTransaction.run(on: snapshot(), body)
      for (key, value) in changes { inner.setRawValue(value, for: key.text) }
      return result
    }
  }

  /// Calls a function whenever one of some keys was changed.
  public func observe(
    _ keys: [String]?, initial: Bool, ignoring origin: ChangeOrigin?,
    _ handler: @escaping @Sendable (DefaultsChanges) -> Void
  ) -> DefaultsObservation {
    core.observe(keys, initial: initial, ignoring: origin, handler)
  }

  /// Changes of some keys to be waited for.
  public func changes(of keys: [String]?, initial: Bool, ignoring origin: ChangeOrigin?) -> DefaultsChangeSequence {
    DefaultsChangeSequence(core, keys, initial: initial, ignoring: origin)
  }

  /// Looks for changes by others now.
  /// - Throws: what the two stores throw.
  public func refresh() throws {
    try overrides.refresh()
    try base.refresh()
  }

  /// Writes now what was not written yet.
  /// - Throws: what the two stores throw.
  public func flush() throws {
    try overrides.flush()
    try base.flush()
  }

  /// Tells of something that went wrong and that nobody could be thrown.
  public func report(_ error: DefaultsError) { target.report(error) }
}
