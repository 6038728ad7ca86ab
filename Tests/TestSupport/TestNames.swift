// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation

/// The tests of the package by their names, for pages that say which test shows what.
public struct TestNames {
  /// The tests of each module, as `Suite/function`.
  private var known: [Substring: Set<String>] = [:]

  /// Reads sources when they are asked about.
  public init() {}

  /// Whether there is a test with a name such as `Module.Suite/function`.
  public mutating func contains(_ name: some StringProtocol) throws -> Bool {
    guard let parts = String(name).wholeMatch(of: /(\w+Tests)\.(\w+)\/(\w+)/) else { return false }
    let (module, suite, function) = (parts.1, parts.2, parts.3)
    let names = try known[module] ?? Self.names(in: module)
    known[module] = names
    return names.contains("\(suite)/\(function)")
  }

  /// Reads the sources of a module line by line, because a search of whole texts takes long without optimization.
  private static func names(in module: Substring) throws -> Set<String> {
    var names: Set<String> = []
    for file in TestFile.all(below: Locations.package.appending(path: "Tests/\(module)"))
    where file.name.hasSuffix(".swift") {
      for part in String(decoding: try file.data(), as: UTF8.self).components(separatedBy: "\n@Suite") {
        let lines = part.components(separatedBy: "\n")
        let suites = lines.compactMap { name(after: "struct ", in: $0, before: " {") }
        let functions = lines.compactMap { name(after: " func ", in: $0, before: "(") }
        for suite in suites { for function in functions { names.insert("\(suite)/\(function)") } }
      }
    }
    return names
  }

  private static func name(after start: String, in line: String, before end: String) -> String? {
    guard let first = line.range(of: start)?.upperBound,
      let last = line.range(of: end, range: first..<line.endIndex)?.lowerBound
    else { return nil }
    return String(line[first..<last])
  }
}
