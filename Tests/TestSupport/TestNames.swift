// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation

/// The tests of the package by their names, for pages that say which test shows what.
public struct TestNames {
  private var sources: [Substring: [String]] = [:]

  /// Reads sources when they are asked about.
  public init() {}

  /// Whether there is a test with a name such as `Module.Suite/function`.
  public mutating func contains(_ name: some StringProtocol) throws -> Bool {
    guard let parts = String(name).wholeMatch(of: /(\w+Tests)\.(\w+)\/(\w+)/) else { return false }
    let (module, suite, function) = (parts.1, parts.2, parts.3)
    let texts =
      try sources[module]
      ?? TestFile.all(below: Locations.package.appending(path: "Tests/\(module)"))
      .filter { $0.name.hasSuffix(".swift") }.map { String(decoding: try $0.data(), as: UTF8.self) }
    sources[module] = texts
    return texts.contains { text in
      text.split(separator: "\n@Suite").contains { part in
        part.contains("struct \(suite) {") && part.contains(" func \(function)(")
      }
    }
  }
}
