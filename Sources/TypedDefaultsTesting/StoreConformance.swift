// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
public import TypedDefaults

/// What every store has to do. Run it against a store of your own:
///
/// ```swift
/// @Test(arguments: StoreConformance.checks)
/// func conforms(_ check: StoreConformance.Check) async throws {
///   try await check.run { MyStore() }
/// }
/// ```
///
/// It needs no test framework: a check that fails throws a ``StoreConformance/Failure``.
public enum StoreConformance {
  /// Something that a store has to do.
  public struct Check: Sendable, CustomStringConvertible {
    /// What it is.
    public let name: String
    private let body: @Sendable (any DefaultsStore) async throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (any DefaultsStore) async throws -> Void) {
      self.name = name
      self.body = body
    }

    /// Checks a store, which must be new and empty.
    /// - Throws: ``Failure``, or what the store throws.
    public func run(_ makeStore: () async throws -> any DefaultsStore) async throws {
      try await body(makeStore())
    }

    /// What it is.
    public var description: String { name }
  }

  /// What a store does not do as it should.
  public struct Failure: Error, CustomStringConvertible {
    /// Which check failed, and how.
    public let description: String
  }

  /// Runs all checks, each with a new store.
  /// - Throws: ``Failure`` for the first that fails.
  public static func run(_ makeStore: () async throws -> any DefaultsStore) async throws {
    for check in checks { try await check.run(makeStore) }
  }

  /// Keys that have given others trouble: with dots, at signs, dollar signs, spaces, colours, nothing at all.
  static let oddKeys = [
    "a.b.c", ".", "@count", "user@example.com", "$null", "$objects", "two words", " ", "", "🎈", "ключ", "e\u{301}",
    "line\nbreak", "a/b", "%d", "__proto__", String(repeating: "long", count: 300),
  ]

  /// A value of each kind.
  static let values: [PropertyListValue] = [
    true, false, 0, .integer(.min), .integer(.max), 1.5, .double(-0.0), "", "$null", "text ✓", .data(Data([0, 255])),
    .data(Data()), .date(Date(timeIntervalSinceReferenceDate: 86400)), [], [:], [1, "a", [true]],
    ["a": ["b.c": 1], "$null": "x"],
  ]

  static func expect(_ condition: Bool, _ what: @autoclosure () -> String) throws {
    if !condition { throw Failure(description: what()) }
  }

  /// All checks.
  public static let checks: [Check] = reading + observing + together
}
