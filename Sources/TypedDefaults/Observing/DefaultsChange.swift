// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import PropertyListFormat

/// The origin of a change, so that observers can recognize their own changes.
public struct ChangeOrigin: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name.
  public let name: String

  /// Creates an origin.
  /// - Parameter name: The name.
  public init(_ name: String) { self.name = name }

  /// Creates an origin from a literal.
  /// - Parameter value: The name.
  public init(stringLiteral value: String) { name = value }

  /// The name.
  public var description: String { name }

  /// The default origin: any part of this program.
  public static let program = ChangeOrigin("program")
  /// Another process, or another store on the same file.
  ///
  /// A write can give the file a format that cannot hold other values as they are. This is also the origin of their changes.
  public static let external = ChangeOrigin("external")
}

/// A change of one key since the last report to the observer.
public struct DefaultsChange: Hashable, Sendable {
  /// The key.
  public let key: String
  /// The property-list value before the first of the changes that are reported together, or nil if the key had none. It is
  /// nil for an initial value.
  ///
  /// It differs from ``new`` in the last report if changes between the two had the ignored origin. It equals ``new`` if the
  /// value has changed and changed back. A registered default of `UserDefaults` counts as a value.
  public let old: PropertyListValue?
  /// The property-list value after the last change, or nil if the key has none.
  public let new: PropertyListValue?
  /// The origin of the last change.
  public let origin: ChangeOrigin
  /// A Boolean value that indicates whether this is the initial value and not a change.
  public let isInitial: Bool
}

/// All changes since the last report to the observer, of one or more transactions.
public struct DefaultsChanges: Hashable, Sendable {
  /// The changes, one for each key, in the order of the keys' bytes.
  public let changes: [DefaultsChange]

  /// The changed keys.
  public var keys: [String] { changes.map(\.key) }

  /// The change of a key, or nil if it did not change.
  /// - Parameter key: The key.
  public subscript(key: String) -> DefaultsChange? { changes.first { $0.key.hasSameBytes(as: key) } }
}

/// An active observation. It ends when it is canceled or released.
///
/// ``cancel()`` does not wait for a call in progress, so the handler itself can use it. A call that another thread was about
/// to make can therefore still come after ``cancel()``. No other call follows.
public final class DefaultsObservation: Sendable {
  private let end: @Sendable () -> Void

  /// Creates an observation.
  /// - Parameter end: A function that ends it. It can be called more than once.
  public init(ending end: @escaping @Sendable () -> Void) { self.end = end }

  deinit { end() }

  /// Ends the observation.
  public func cancel() { end() }
}
