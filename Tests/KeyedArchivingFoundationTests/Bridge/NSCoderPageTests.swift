// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing

@Suite("The page of NSCoder's methods")
struct NSCoderPageTests {
  /// The rows of the tables: the methods of Foundation on Linux, those that this module adds, and those of Apple's systems
  /// alone.
  private func tables() throws -> [[[String]]] {
    let page = Locations.package.appending(
      path: "Sources/KeyedArchivingFoundation/KeyedArchivingFoundation.docc/NSCoderMethods.md")
    let tables = try MarkdownTable.all(in: String(contentsOf: page, encoding: .utf8)).map(\.rows)
    try #require(tables.count == 3)
    return tables
  }

  @Test("each bridged method has a test that exists")
  func tests() throws {
    var names = TestNames()
    for row in try tables().prefix(2).joined() {
      let test = MarkdownTable.code(in: row[2]).first
      #expect(test != nil || row[1].hasPrefix("No: "), "\(row[0])")
      if let test { #expect(try names.contains(test), "\(test)") }
    }
  }

  @Test(
    "the table has the methods of the toolchain's NSCoder",
    .enabled(if: SwiftCompiler.isPresent, "\(SwiftCompiler.isAbsent)"))
  func interface() throws {
    // The first graph is the module's own.
    guard let data = try SwiftCompiler.symbolGraphs(of: "Foundation")?.first else { return }
    let graph = try JSONDecoder().decode(Graph.self, from: data)
    let declared = graph.symbols.filter {
      $0.pathComponents.count == 2 && $0.pathComponents[0] == "NSCoder"
        && ["swift.method", "swift.property"].contains($0.kind.identifier)
    }.map { $0.declarationFragments.map(\.spelling).joined() }
    let listed = try tables()[0].compactMap { MarkdownTable.code(in: $0[0]).first }
    let added = try tables()[1].compactMap { MarkdownTable.code(in: $0[0]).first }
    #expect(declared.count > 50)
    #expect(Set(declared).subtracting(listed) == [])
    #expect(Set(listed).subtracting(declared) == [])
    // A method that Foundation gets must not be added any longer.
    let names = Set(declared.map { Self.name($0) })
    #expect(!added.isEmpty && added.allSatisfy { !names.contains(Self.name($0)) })
  }

  @Test("each member of Apple's NSCoder has a row: in the first two tables, or with a reason why not in the third")
  func appleMembers() throws {
    // The page has every name of Apple's reference, which its own tests check.
    let page = Locations.package.appending(
      path: "Sources/KeyedArchiving/KeyedArchiving.docc/ComingFromNSCoding.md")
    let names = try String(contentsOf: page, encoding: .utf8).matches(of: /\| `NSCoder\.([^`]+)`/).map { String($0.1) }
    let apple = Set(names).filter { !$0.hasPrefix("DecodingFailurePolicy") }
    #expect(apple.count > 60)
    let tables = try tables()
    let bridged = Set(tables.prefix(2).joined().compactMap { MarkdownTable.code(in: $0[0]).first.map(Self.label) })
    let others = tables[2].flatMap { MarkdownTable.code(in: $0[0]) }
    #expect(apple.subtracting(bridged).subtracting(others) == [])
    #expect(Set(others).subtracting(apple) == [])
    #expect(Set(others).intersection(bridged) == [])
    #expect(Set(others).count == others.count)
    for row in tables[2] { #expect(row.count == 2 && row[1].count > 20, "\(row)") }
  }

  /// Returns the name of a declaration with its labels, as in `decodeObject(of:forKey:)`.
  private static func label(_ declaration: String) -> String {
    let text = declaration.replacing("func ", with: "").replacing("var ", with: "")
    guard !declaration.hasPrefix("var "),
      let open = text.firstIndex(of: "(")
    else { return String(text.prefix { $0 != ":" }) }
    let name = text[..<open].prefix { $0 != "<" }
    var labels: [Substring] = []
    var depth = 0
    var begin = text.index(after: open)
    for index in text.indices where index >= open {
      switch text[index] {
      case "(", "<", "[":
        depth += 1
        continue
      case ")", "]": depth -= 1
      case ">" where text[text.index(before: index)] != "-": depth -= 1
      case "," where depth == 1: break
      default: continue
      }
      let isEnd = depth == 0 && text[index] == ")"
      guard isEnd || (depth == 1 && text[index] == ",") else { continue }
      let label = text[begin..<index].drop { $0 == " " }.prefix { $0 != " " && $0 != ":" }
      if !label.isEmpty { labels.append(label) }
      begin = text.index(after: index)
      if isEnd { break }
    }
    return "\(name)(\(labels.map { "\($0):" }.joined()))"
  }

  /// What a declaration has before its parameters.
  private static func name(_ declaration: String) -> String {
    String(declaration.prefix { $0 != "(" && $0 != "<" })
  }

  private struct Graph: Decodable {
    struct Symbol: Decodable {
      struct Kind: Decodable {
        var identifier: String
      }
      struct Fragment: Decodable {
        var spelling: String
      }
      var kind: Kind
      var pathComponents: [String]
      var declarationFragments: [Fragment]
    }
    var symbols: [Symbol]
  }
}
