// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat
public import TypedDefaults

/// The requirements of all stores as checks. Run them with a custom store:
///
/// ```swift
/// @Test(arguments: StoreConformance.checks)
/// func conforms(_ check: StoreConformance.Check) async throws {
///   try await check.run { MyStore() }
/// }
/// ```
///
/// The checks need no test framework: a check that fails throws a ``StoreConformance/Failure``.
public enum StoreConformance {
  /// One requirement of stores.
  public struct Check: Sendable, CustomStringConvertible {
    /// The requirement.
    public let name: String
    private let body: @Sendable (any DefaultsStore) async throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (any DefaultsStore) async throws -> Void) {
      self.name = name
      self.body = body
    }

    /// Checks a store.
    /// - Parameters:
    ///   - patience: The time limit for a report of the store.
    ///   - makeStore: A function that returns a new, empty store.
    /// - Throws: ``Failure`` if the store does not meet the requirement, and the errors of the store.
    public func run(
      within patience: Duration = .seconds(60), _ makeStore: () async throws -> any DefaultsStore
    ) async throws {
      try await StoreConformance.$patience.withValue(patience) { try await body(makeStore()) }
    }

    /// The requirement.
    public var description: String { name }
  }

  /// The error of a check that fails.
  public struct Failure: Error, CustomStringConvertible {
    /// The reason for the failure.
    public let description: String
  }

  /// The time limit for a report of the store.
  @TaskLocal static var patience = Duration.seconds(60)

  /// Runs all checks, each with a new store.
  /// - Parameter makeStore: A function that returns a new, empty store.
  /// - Throws: ``Failure`` for the first check that fails, and the errors of the store.
  public static func run(_ makeStore: () async throws -> any DefaultsStore) async throws {
    for check in checks { try await check.run(makeStore) }
  }

  /// Keys that are difficult for some stores: with dots, at signs, dollar signs, spaces or emoji, or empty.
  static let oddKeys = [
    "a.b.c", ".", "@count", "user@example.com", "$null", "$objects", "two words", " ", "", "🎈", "ключ", "e\u{301}",
    "line\nbreak", "a/b", "%d", "__proto__", String(repeating: "long", count: 300),
  ]

  /// Values of all kinds that files and `UserDefaults` can hold.
  static let values: [PropertyListValue] = [
    true, false, 0, .integer(.min), .integer(.max), 1.5, "", "$null", "text ✓", .data(Data([0, 255])),
    .data(Data()), .date(Date(timeIntervalSinceReferenceDate: 86400)), [], [:], [1, "a", [true]],
    ["a": ["b.c": 1], "$null": "x"],
  ]

  static func expect(_ condition: Bool, _ what: @autoclosure () -> String) throws {
    if !condition { throw Failure(description: what()) }
  }

  /// All checks.
  public static let checks: [Check] = reading + observing + concurrency
}
