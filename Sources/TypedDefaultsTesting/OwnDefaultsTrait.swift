// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(Testing)
  public import PropertyListFormat
  public import Testing
  import TypedDefaults

  /// A trait of Swift Testing that gives each test a separate default store, in memory.
  ///
  /// Property wrappers and other code without an explicit store use `StandardDefaults.store`. With this trait, tests can
  /// run at the same time, do not see each other's values, and leave no file behind. Each case of a test with arguments has
  /// its own store, too. Tasks that the test starts use it as well, except for detached ones.
  ///
  /// ```swift
  /// @Suite(.ownDefaults) struct SettingsTests {
  ///   @Test func launches() { … }
  ///   @Test(.ownDefaults(["launches": 3])) func manyLaunches() { … }
  /// }
  /// ```
  public struct OwnDefaultsTrait: TestTrait, SuiteTrait, TestScoping {
    private let values: PropertyListDictionary

    fileprivate init(_ values: PropertyListDictionary) { self.values = values }

    /// The trait of a suite applies to all tests in it.
    public var isRecursive: Bool { true }

    /// Runs a test with a separate store.
    /// - Parameters:
    ///   - test: The test.
    ///   - testCase: The case of the test.
    ///   - function: The function that runs it.
    /// - Throws: The errors of the test.
    public func provideScope(
      for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
      try await StandardDefaults.$substitute.withValue(MemoryStore(values)) { try await function() }
    }
  }

  extension Trait where Self == OwnDefaultsTrait {
    /// Gives each test an empty default store.
    public static var ownDefaults: Self { Self([:]) }

    /// Gives each test a default store with values.
    /// - Parameter values: The values.
    /// - Returns: The trait.
    public static func ownDefaults(_ values: PropertyListDictionary) -> Self { Self(values) }
  }
#endif
