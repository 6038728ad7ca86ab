// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import KeyedArchiving
import PropertyListFormat

/// Line breaking for generated source.
enum SourceText {
  /// Returns items between a start and an end, in one line or with one line per item.
  static func wrapped(
    _ start: String, _ items: [String], _ end: String, indent: Int, from width: Int = 110
  ) -> [String] {
    let line = start + items.joined(separator: ", ") + end
    guard line.utf8.count > width else { return [line] }
    let blanks = String(repeating: " ", count: indent)
    let last = String(repeating: " ", count: max(indent - 2, 0)) + end
    return [start] + items.indices.map { blanks + items[$0] + ($0 < items.count - 1 ? "," : "") } + [last]
  }
}

/// The imports of generated source.
enum SwiftImports {
  /// Returns the import lines for Foundation and for each module of this package whose types the source uses.
  static func lines(for source: some Sequence<String>) -> [String] {
    var moduleOfType: [BytewiseString: String] = [:]
    for type in ValueTypeNames.types {
      // "ArchivedClasses.ArchivedColor"
      let name = String(reflecting: type)
      guard let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")) else { continue }
      moduleOfType[BytewiseString("\(type)")] = String(name[..<dot])
    }
    moduleOfType["KeyedArchive"] = "KeyedArchives"
    var modules: Set<BytewiseString> = ["Foundation", "KeyedArchiving"]
    let optional: Set<BytewiseString> = ["ArchivedClasses", "KeyedArchives"]
    let longest = moduleOfType.keys.map(\.text.utf8.count).max() ?? 0
    for line in source {
      if modules.isSuperset(of: optional) { break }
      for word in line.utf8.split(whereSeparator: { !$0.isIdentifier }) {
        // Names of an archive can be long, and each use repeats them.
        guard word.count <= longest, let module = moduleOfType[BytewiseString(String(Substring(word)))] else {
          continue
        }
        if optional.contains(BytewiseString(module)) { modules.insert(BytewiseString(module)) }
      }
    }
    return modules.sorted().map { "import \($0.text)" }
  }
}

extension UInt8 {
  /// Whether the byte can be part of the name of a type in this package.
  fileprivate var isIdentifier: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
