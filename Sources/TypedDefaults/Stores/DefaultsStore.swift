// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Keys with property-list objects, which can be observed.
///
/// Keys are any texts, and two keys are the same when their bytes are. Reading never waits for a disk or another process;
/// what others write is there once ``refresh()`` or the store itself has seen it. Stores may be used from any thread.
///
/// Most code uses the typed functions on top, such as ``value(for:)`` and ``set(_:for:origin:)``. Whoever writes a store of
/// their own checks it with the `StoreConformance` of the module `TypedDefaultsTesting`.
public protocol DefaultsStore: AnyObject, Sendable {
  /// What is stored for a key, whatever it is; nil if there is nothing.
  func rawValue(for key: String) -> PropertyListValue?

  /// All values of one moment.
  func snapshot() -> DefaultsSnapshot

  /// Stores an object, or removes what is there if it is nil. Nothing happens if it is there already.
  /// - Throws: ``DefaultsError``; the store is then as it was before.
  func setRawValue(_ value: PropertyListValue?, for key: String, origin: ChangeOrigin) throws

  /// Changes several keys at once: in one write and with one notification, and nobody writes in between.
  ///
  /// The closure sees its own changes. If it throws, nothing is changed.
  /// - Throws: ``DefaultsError``, and what the closure throws.
  func update<Result>(
    origin: ChangeOrigin, _ body: (inout DefaultsTransaction) throws -> Result
  ) throws -> Result

  /// Calls a function whenever one of some keys was changed, by anybody.
  ///
  /// The function is called by the thread that changed something, or by another that was about to call it anyway; never
  /// twice at the same time. What happens while it runs is told afterwards, each key once, the last value always. It may
  /// write to the store.
  /// - Parameters:
  ///   - keys: the keys; nil for all.
  ///   - initial: whether it is called first with what is there.
  ///   - origin: changes of this origin are not told.
  ///   - handler: the function.
  /// - Returns: what ends the observation when it is no longer kept.
  func observe(
    _ keys: [String]?, initial: Bool, ignoring origin: ChangeOrigin?,
    _ handler: @escaping @Sendable (DefaultsChanges) -> Void
  ) -> DefaultsObservation

  /// Changes of some keys to be waited for; they are kept, each key once, until somebody does.
  /// - Parameters:
  ///   - keys: the keys; nil for all.
  ///   - initial: whether what is there comes first.
  ///   - origin: changes of this origin are not told.
  /// - Returns: a sequence for one task.
  func changes(of keys: [String]?, initial: Bool, ignoring origin: ChangeOrigin?) -> DefaultsChangeSequence

  /// Looks for changes by others now.
  /// - Throws: ``DefaultsError`` if the store cannot be read; its values are those it had.
  func refresh() throws

  /// Writes now what was not written yet.
  /// - Throws: ``DefaultsError`` if the store cannot be written; it is tried again later.
  func flush() throws

  /// Tells of something that went wrong and that nobody could be thrown.
  func report(_ error: DefaultsError)
}

extension DefaultsStore {
  /// Stores an object, or removes what is there if it is nil.
  /// - Throws: ``DefaultsError``; the store is then as it was before.
  public func setRawValue(_ value: PropertyListValue?, for key: String) throws {
    try setRawValue(value, for: key, origin: .program)
  }

  /// Changes several keys at once.
  /// - Throws: ``DefaultsError``, and what the closure throws; nothing is changed then.
  public func update<Result>(_ body: (inout DefaultsTransaction) throws -> Result) throws -> Result {
    try update(origin: .program, body)
  }

  /// Removes the values of some keys at once.
  /// - Throws: ``DefaultsError``; none is removed then.
  public func remove(_ keys: [String], origin: ChangeOrigin = .program) throws {
    try update(origin: origin) { for key in keys { $0.setRawValue(nil, for: key) } }
  }

  /// Removes all values at once.
  /// - Throws: ``DefaultsError``; none is removed then.
  public func removeAll(origin: ChangeOrigin = .program) throws {
    try update(origin: origin) { for key in $0.keys { $0.setRawValue(nil, for: key) } }
  }

  /// The keys that have a value, in the order of their bytes.
  public var keys: [String] { snapshot().keys }
}

/// Where the reports of stores go.
public enum DefaultsReports {
  /// Writes a line to the standard error; what stores do unless they are told otherwise.
  public static let standardError: @Sendable (DefaultsError) -> Void = { FileCalls.complain(line("\($0)")) }

  /// A line for a terminal: keys and names in it may be of somebody else's, and could command the terminal.
  static func line(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "TypedDefaults: ") { line, scalar in
      if scalar.properties.generalCategory == .control {
        line += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        line.unicodeScalars.append(scalar)
      }
    }
  }
}
