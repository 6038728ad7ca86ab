// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The arguments are wrong.
package struct UsageError: Error {
  package init() {}
}

/// Something is not as it should be.
package struct Breach: Error, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }
}

/// A command, its operands and its options.
package struct Arguments {
  package let command: String
  private var operands: [String] = []
  private var options: [String: String] = [:]

  /// Takes arguments apart; `flags` are options without a value.
  package init(_ arguments: some Sequence<String>, flags: Set<String> = []) throws {
    var rest = Array(arguments)[...]
    guard let command = rest.popFirst() else { throw UsageError() }
    self.command = command
    while let argument = rest.popFirst() {
      if argument.hasPrefix("--"), flags.contains(String(argument.dropFirst(2))) {
        options[String(argument.dropFirst(2))] = ""
      } else if argument.hasPrefix("--") {
        guard let value = rest.popFirst() else { throw UsageError() }
        options[String(argument.dropFirst(2))] = value
      } else {
        operands.append(argument)
      }
    }
  }

  /// The next operand.
  package mutating func operand() throws -> String {
    guard !operands.isEmpty else { throw UsageError() }
    return operands.removeFirst()
  }

  /// The files that the remaining operands name, and those in the folders that they name, in the order of their names.
  package mutating func files() throws -> [String] {
    var files: [String] = []
    for operand in operands {
      let attributes = try? FileManager.default.attributesOfItem(atPath: operand)
      if attributes?[.type] as? FileAttributeType == .typeDirectory {
        let names = try FileManager.default.subpathsOfDirectory(atPath: operand)
        files += names.map { "\(operand)/\($0)" }.filter { (try? Data(contentsOf: URL(filePath: $0))) != nil }.sorted()
      } else {
        files.append(operand)
      }
    }
    operands = []
    guard !files.isEmpty else { throw UsageError() }
    return files
  }

  /// A number; its default if the option is not there.
  package mutating func number(_ name: String, _ standard: Int) throws -> Int {
    guard let text = options.removeValue(forKey: name) else { return standard }
    guard let number = Int(text), number >= 0 else { throw UsageError() }
    return number
  }

  /// Whether an option without a value is there.
  package mutating func flag(_ name: String) -> Bool { options.removeValue(forKey: name) != nil }

  /// A text; nil if the option is not there.
  package mutating func text(_ name: String) -> String? { options.removeValue(forKey: name) }

  /// A time in milliseconds, such as `200ms` or `1s`.
  package mutating func milliseconds(_ name: String) throws -> Int? {
    guard let text = options.removeValue(forKey: name) else { return nil }
    let digits = text.prefix { $0.isNumber }
    guard let number = Int(digits), number > 0 else { throw UsageError() }
    switch text.dropFirst(digits.count) {
    case "ms", "": return number
    case "s": return number * 1000
    default: throw UsageError()
    }
  }

  /// The folder to work in: the given one, or a new one that is removed in the end.
  package mutating func folder() -> WorkPlace { WorkPlace(options.removeValue(forKey: "at")) }

  /// Nothing may be left.
  package func finish() throws {
    guard operands.isEmpty, options.isEmpty else { throw UsageError() }
  }
}

/// A new folder to work in.
package struct WorkPlace {
  package let url: URL

  package init(_ parent: String?) {
    let parent = parent.map { URL(filePath: $0) } ?? FileManager.default.temporaryDirectory
    url = parent.appending(path: "library-stress-\(UUID().uuidString)")
  }

  /// Does something there and removes the folder; after a failure it stays, to be looked at.
  package func use(_ body: (URL) throws -> Void) throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    do {
      try body(url)
    } catch {
      print("left to be looked at: \(url.path)")
      throw error
    }
    try FileManager.default.removeItem(at: url)
  }
}
