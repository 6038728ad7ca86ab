// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The arguments are wrong.
struct UsageError: Error {}

/// Something is not as it should be.
struct Breach: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// A command, its operands and its options.
struct Arguments {
  let command: String
  private var operands: [String] = []
  private var options: [String: String] = [:]

  init(_ arguments: some Sequence<String>) throws {
    var rest = Array(arguments)[...]
    guard let command = rest.popFirst() else { throw UsageError() }
    self.command = command
    while let argument = rest.popFirst() {
      if argument.hasPrefix("--") {
        guard let value = rest.popFirst() else { throw UsageError() }
        options[String(argument.dropFirst(2))] = value
      } else {
        operands.append(argument)
      }
    }
  }

  /// The next operand.
  mutating func operand() throws -> String {
    guard !operands.isEmpty else { throw UsageError() }
    return operands.removeFirst()
  }

  /// A number; its default if the option is not there.
  mutating func number(_ name: String, _ standard: Int) throws -> Int {
    guard let text = options.removeValue(forKey: name) else { return standard }
    guard let number = Int(text), number >= 0 else { throw UsageError() }
    return number
  }

  /// A time in milliseconds, such as `200ms` or `1s`.
  mutating func milliseconds(_ name: String) throws -> Int? {
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
  mutating func folder() -> WorkPlace { WorkPlace(options.removeValue(forKey: "at")) }

  /// Nothing may be left.
  func finish() throws {
    guard operands.isEmpty, options.isEmpty else { throw UsageError() }
  }
}

/// A new folder to work in.
struct WorkPlace {
  let url: URL

  init(_ parent: String?) {
    let parent = parent.map { URL(filePath: $0) } ?? FileManager.default.temporaryDirectory
    url = parent.appending(path: "library-stress-\(UUID().uuidString)")
  }

  /// Does something there and removes the folder; after a failure it stays, to be looked at.
  func use(_ body: (URL) throws -> Void) throws {
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
