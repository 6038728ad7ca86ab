// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// Who made a change, so that observers can tell their own changes from those of others.
public struct ChangeOrigin: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name.
  public let name: String

  /// An origin with a name.
  public init(_ name: String) { self.name = name }

  /// An origin with a name.
  public init(stringLiteral value: String) { name = value }

  /// The name.
  public var description: String { name }

  /// This program, without saying which part of it.
  public static let program = ChangeOrigin("program")
  /// Another process, or another store on the same file.
  public static let external = ChangeOrigin("external")
}

/// What has happened to one key since its observer was told last.
public struct DefaultsChange: Hashable, Sendable {
  /// The key.
  public let key: String
  /// What was stored when the observer was told last; nil if nothing was.
  public let old: PropertyListValue?
  /// What is stored now; nil if nothing is.
  public let new: PropertyListValue?
  /// Who changed it last.
  public let origin: ChangeOrigin
  /// Whether it is no change but the value that was there when observing began.
  public let isInitial: Bool
}

/// All that happened since an observer was told last: of one transaction, or of several that came before it had time.
public struct DefaultsChanges: Hashable, Sendable {
  /// The changes, each key once, in the order of the keys' bytes.
  public let changes: [DefaultsChange]

  /// The changed keys.
  public var keys: [String] { changes.map(\.key) }

  /// What happened to a key; nil if nothing did.
  public subscript(key: String) -> DefaultsChange? { changes.first { $0.key.hasSameBytes(as: key) } }
}

/// An ongoing observation. It ends when it is cancelled or when nobody keeps it any more.
///
/// After ``cancel()`` the handler is not called any more; a call that another thread is in the middle of is not waited
/// for, so it may be cancelled within the handler itself.
public final class DefaultsObservation: Sendable {
  private let end: @Sendable () -> Void

  /// An observation that is ended by a function, which may be called more than once.
  public init(ending end: @escaping @Sendable () -> Void) { self.end = end }

  deinit { end() }

  /// Ends it.
  public func cancel() { end() }
}
