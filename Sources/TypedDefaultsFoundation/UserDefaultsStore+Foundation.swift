// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import Foundation
import PropertyListFormat
public import TypedDefaults

extension UserDefaultsStore {
  #if canImport(Darwin)
    /// The store of `UserDefaults.standard`, which is the default store of the program.
    public static var standard: UserDefaultsStore { ofProgram }
  #else
    /// The store of `UserDefaults.standard`.
    public static let standard = UserDefaultsStore(
      .standard, domain: Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName)
  #endif

  /// Creates a store of a suite, or returns nil if the suite name is not valid.
  /// - Parameters:
  ///   - suiteName: The name of the suite.
  ///   - reports: A function for errors of functions that do not throw.
  public convenience init?(
    suiteName: String, reports: @escaping @Sendable (DefaultsError) -> Void = DefaultsReports.standardError
  ) {
    guard let defaults = UserDefaults(suiteName: suiteName) else { return nil }
    self.init(defaults, domain: suiteName, reports: reports)
  }

  /// Creates a store of existing defaults.
  /// - Parameters:
  ///   - defaults: The defaults.
  ///   - domain: The name of their domain: the suite name, or the bundle identifier for the standard defaults.
  ///   - reports: A function for errors of functions that do not throw.
  public convenience init(
    _ defaults: UserDefaults, domain: String,
    reports: @escaping @Sendable (DefaultsError) -> Void = DefaultsReports.standardError
  ) {
    self.init(SharedDefaults(defaults), domain: domain, reports: reports)
  }
}
