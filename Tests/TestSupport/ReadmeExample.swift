// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import Testing

/// An example of the README, which stands between comments in a test's source as well, so that it is compiled and run.
public enum ReadmeExample {
  /// Expects that a page, the README by default, and a source have the same lines, but for how far they are indented.
  public static func check(_ name: String, in sourceFile: String, page: String = "README.md") throws {
    let readme = try String(contentsOf: Locations.package.appending(path: page), encoding: .utf8)
    let source = try String(contentsOf: URL(filePath: sourceFile), encoding: .utf8)
    func lines(_ text: String, from start: String, to end: String) -> [String] {
      let all = text.split(separator: "\n", omittingEmptySubsequences: false).map {
        $0.drop { $0 == " " }
      }
      let first = all.drop { $0 != start }.dropFirst()
      return first.prefix { $0 != end }.map(String.init).filter { !$0.isEmpty && !$0.hasPrefix("```") }
    }
    let shown = lines(readme, from: "<!-- example: \(name) -->", to: "```")
    let compiled = lines(source, from: "// example: \(name)", to: "// end of example")
    #expect(!shown.isEmpty)
    #expect(shown == compiled)
  }
}
