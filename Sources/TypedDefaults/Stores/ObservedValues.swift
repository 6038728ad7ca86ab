// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// Values in memory with one writer at a time and observers: what most stores are made of.
///
/// Those who write a store of their own keep here what observers were told of, and need not think about threads: a
/// change is made within ``write(_:)``, and observers are told when that is over.
public final class ObservedValues: Sendable {
  private let core: StoreCore

  /// These values.
  public init(_ values: PropertyListDictionary = [:]) { core = StoreCore(DefaultsSnapshot(values).merged) }

  /// The value for a key; nil if there is none.
  public func rawValue(for key: String) -> PropertyListValue? { core.value(BytewiseString(key)) }

  /// All values of one moment.
  public func snapshot() -> DefaultsSnapshot { DefaultsSnapshot([core.values()]) }

  /// The only one who changes values at the time.
  public struct Writer {
    fileprivate let core: StoreCore
    fileprivate var touched: [Observer] = []

    /// Has a value, or none if it is nil, and has its observers told later if it is another one.
    public mutating func set(_ value: PropertyListValue?, for key: String, origin: ChangeOrigin) {
      core.set(BytewiseString(key), value, origin, &touched)
    }

    /// Has some values at once, or none where they are nil: no snapshot shows half of them.
    /// - Parameters:
    ///   - changes: the values, as ``DefaultsTransaction/changedValues`` has them; of equal keys the last counts.
    ///   - origin: who changes them.
    public mutating func set(_ changes: [(key: String, value: PropertyListValue?)], origin: ChangeOrigin) {
      core.apply(Dictionary(changes.map { (BytewiseString($0.key), $0.value) }) { $1 }, origin, &touched)
    }

    /// Has these values in the place of all.
    public mutating func replace(_ values: PropertyListDictionary, origin: ChangeOrigin) {
      core.replace(DefaultsSnapshot(values).merged, origin, &touched)
    }
  }

  /// Does something as the only writer; observers are told when it is over.
  /// - Throws: ``DefaultsError`` with code ``DefaultsError/Code/nestedTransaction`` if this thread is the writer already,
  ///   and what the closure throws.
  public func write<Result>(_ body: (inout Writer) throws -> Result) throws -> Result {
    try core.write { touched in
      var writer = Writer(core: core)
      defer { touched += writer.touched }
      return try body(&writer)
    }
  }

  /// As ``DefaultsStore/observe(_:initial:ignoring:_:)``.
  public func observe(
    _ keys: [String]?, initial: Bool, ignoring origin: ChangeOrigin?,
    _ handler: @escaping @Sendable (DefaultsChanges) -> Void
  ) -> DefaultsObservation {
    core.observe(keys, initial: initial, ignoring: origin, handler)
  }

  /// As ``DefaultsStore/changes(of:initial:ignoring:)``.
  public func changes(of keys: [String]?, initial: Bool, ignoring origin: ChangeOrigin?) -> DefaultsChangeSequence {
    DefaultsChangeSequence(core, keys, initial: initial, ignoring: origin)
  }
}
