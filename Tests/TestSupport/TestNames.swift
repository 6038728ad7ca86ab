// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation

/// The tests of the package by their names, for pages that say which test shows what.
public struct TestNames {
  /// The names of each module, as `Suite/function`.
  private var names: [Substring: Set<String>] = [:]

  /// Reads sources when they are asked about.
  public init() {}

  /// Whether there is a test with a name such as `Module.Suite/function`.
  public mutating func contains(_ name: some StringProtocol) throws -> Bool {
    guard let parts = String(name).wholeMatch(of: /(\w+Tests)\.(\w+)\/(\w+)/) else { return false }
    let module = parts.1
    let known = try names[module] ?? Self.names(of: module)
    names[module] = known
    return known.contains("\(parts.2)/\(parts.3)")
  }

  /// The names in the sources of a module. The functions of a suite follow its attribute, up to that of the next one.
  private static func names(of module: Substring) throws -> Set<String> {
    var names: Set<String> = []
    for file in TestFile.all(below: Locations.package.appending(path: "Tests/\(module)"))
    where file.name.hasSuffix(".swift") {
      var suites: [String] = []
      for line in String(decoding: try file.data(), as: UTF8.self).utf8.split(separator: UInt8(ascii: "\n")) {
        if line.starts(with: "@Suite".utf8) { suites = [] }
        let words = line.split(separator: UInt8(ascii: " "))
        guard
          let keyword = words.firstIndex(where: { $0.elementsEqual("struct".utf8) || $0.elementsEqual("func".utf8) }),
          keyword + 1 < words.count
        else { continue }
        let name = String(decoding: words[keyword + 1].prefix { $0 != UInt8(ascii: "(") }, as: UTF8.self)
        if words[keyword].elementsEqual("struct".utf8) {
          suites.append(name)
        } else {
          for suite in suites { names.insert("\(suite)/\(name)") }
        }
      }
    }
    return names
  }
}
