// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport

/// Compiles generated source against the modules built beside the tests.
enum SwiftCompiler {
  private static let program = Program.installed("swiftc")

  /// The folder of the built program, with `Modules` and the objects of each module below it.
  private static let products = Program.built("keyedarchive")?.url.deletingLastPathComponent()

  /// Whether the compiler and the modules exist.
  static var isPresent: Bool {
    guard let products, program != nil else { return false }
    return FileManager.default.fileExists(atPath: products.appending(path: "Modules/KeyedArchiving.swiftmodule").path)
  }

  /// Why a test that needs the compiler is skipped.
  static let isAbsent = "swiftc is not installed, or the modules do not lie beside the tests"

  /// Returns the compiler's messages for sources, each a file of one module; none if they are valid.
  static func errors(_ sources: [String: String]) throws -> String {
    try compile(sources, ["-typecheck"], in: ScratchFolder())
  }

  /// Builds and runs a program.
  static func run(_ sources: [String: String], _ arguments: [String]) throws -> Program.Run {
    guard let products else { throw CocoaError(.fileNoSuchFile) }
    let folder = try ScratchFolder()
    var objects: [String] = []
    for module in [
      "ArchiveTools", "ArchivedClasses", "KeyedArchives", "KeyedArchiving", "CanonicalGraphs", "PropertyListFormat",
      "SystemFiles",
    ] {
      let built = products.appending(path: "\(module).build")
      // Objects of deleted files remain in the folder.
      let sources = FileManager.default.enumerator(atPath: Locations.package.appending(path: "Sources/\(module)").path)
      for case let source as String in sources ?? .init() where source.hasSuffix(".swift") {
        objects.append(built.appending(path: URL(filePath: source).lastPathComponent + ".o").path)
      }
    }
    let path = folder.path("program")
    let errors = try compile(sources, objects + ["-o", path], in: folder)
    guard errors.isEmpty else { throw Failure(errors: errors) }
    return try Program(at: URL(filePath: path)).run(arguments)
  }

  struct Failure: Error {
    var errors: String
  }

  private static func compile(
    _ sources: [String: String], _ options: [String], in folder: ScratchFolder
  ) throws -> String {
    guard let program, let products else { return isAbsent }
    let paths = try sources.sorted { $0.key < $1.key }.map { try folder.file($0.key, Data($0.value.utf8)) }
    let modules = ["-I", products.appending(path: "Modules").path, "-swift-version", "6", "-warnings-as-errors"]
    let run = try program.run(paths + modules + options, in: folder.url)
    return run.code == 0 && run.errors.isEmpty ? "" : run.errors + run.output
  }
}
