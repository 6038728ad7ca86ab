// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport

/// The toolchain's demangler: the compiler's own implementation of both manglings.
enum Demangler {
  private static let program = Program.installed("swift-demangle")

  static let isPresent = program != nil
  static let isAbsent = "the toolchain has no swift-demangle"

  /// Returns the runtime names of types by their mangled names; nil for those that have none.
  static func runtimeNames(_ mangledNames: [String]) throws -> [String?] {
    // The module of Foundation on Apple's systems. Names that have a word in common with the longer name would change.
    let symbols = mangledNames.map {
      "$s" + $0.replacingOccurrences(of: "20FoundationEssentials", with: "10Foundation") + "D"
    }
    return try run(["--remangle-objc-rt"], symbols).map { $0.hasPrefix("_Tt") ? $0 : nil }
  }

  /// Returns the names in Swift of names in the runtime.
  static func swiftNames(_ runtimeNames: [String]) throws -> [String] {
    try run(["--compact", "--no-sugar"], runtimeNames)
  }

  private static func run(_ arguments: [String], _ names: [String]) throws -> [String] {
    guard let program else { throw CocoaError(.fileNoSuchFile) }
    let run = try program.run(arguments + names)
    // A name that it cannot mangle again ends it.
    var lines = run.output.split(separator: "\n").map(String.init)
    if lines.count < names.count, names.count > 1 {
      lines.append(contentsOf: repeatElement("", count: 1))
      lines += try self.run(arguments, Array(names[lines.count...]))
    }
    return lines.isEmpty ? [""] : lines
  }
}

/// The symbols of an object file, as the compiler wrote it.
enum CompiledSymbols {
  private static let program = Program.installed("nm")
  private static let folder = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    .deletingLastPathComponent()

  static let arePresent = program != nil && FileManager.default.fileExists(atPath: file("Animals.swift.o", "Zoo").path)
  static let areAbsent = "nm is not installed, or object files do not lie beside the tests"

  private static func file(_ name: String, _ module: String) -> URL {
    folder.appending(path: "\(module).build/\(name)")
  }

  /// Returns the mangled names of the classes in a file.
  static func classes(in name: String, of module: String) throws -> [String] {
    guard let program else { throw CocoaError(.fileNoSuchFile) }
    let symbols = try program.run([file(name, module).path]).output.split(separator: "\n").compactMap {
      $0.split(separator: " ").last
    }
    return symbols.filter { $0.hasPrefix("$s") && $0.hasSuffix("CN") }.map { String($0.dropFirst(2).dropLast()) }
  }
}
