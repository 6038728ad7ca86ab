// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import Foundation

/// Compiles source against the modules built beside the tests.
public enum SwiftCompiler {
  private static let program = Program.installed("swiftc")

  /// The folder of the built tests, with `Modules` and the objects of each module below it.
  private static let products = Program.productFolders.first {
    FileManager.default.fileExists(atPath: $0.appending(path: "Modules/KeyedArchiving.swiftmodule").path)
  }

  /// Whether the compiler and the modules exist.
  public static var isPresent: Bool { products != nil && program != nil }

  /// Whether a module was built with the tests.
  public static func hasModule(_ name: String) -> Bool {
    guard let products else { return false }
    return FileManager.default.fileExists(atPath: products.appending(path: "Modules/\(name).swiftmodule").path)
  }

  /// Why a test that needs the compiler is skipped.
  public static let isAbsent = "swiftc is not installed, or the modules do not lie beside the tests"

  /// Returns the symbol graphs of a module of the toolchain, or of one that was built with the tests; nil if the
  /// toolchain has no extractor.
  ///
  /// The first is the module's own, followed by those of its extensions of other modules.
  ///
  /// The graphs of Foundation are made once.
  public static func symbolGraphs(of module: String) throws -> [Data]? {
    module == "Foundation" ? try graphsOfFoundation.get() : try makeSymbolGraphs(of: module)
  }

  private static let graphsOfFoundation = Result { try makeSymbolGraphs(of: "Foundation") }

  private static func makeSymbolGraphs(of module: String) throws -> [Data]? {
    let installed = Program.installed("swift-symbolgraph-extract")
    guard let program, let products, let extractor = installed ?? extractor(beside: program.url) else { return nil }
    let info = try program.run(["-print-target-info"]).data
    guard let json = try JSONSerialization.jsonObject(with: info) as? [String: Any],
      let triple = (json["target"] as? [String: Any])?["triple"] as? String
    else { return nil }
    let folder = try ScratchFolder()
    let run = try extractor.run([
      "-module-name", module, "-target", triple, "-output-dir", folder.url.path, "-minimum-access-level", "public",
      "-I", products.appending(path: "Modules").path,
    ])
    guard run.code == 0 else { throw Failure(errors: run.errors) }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { $0.hasSuffix(".json") }
    // The module's own graph has the shortest name.
    return try names.sorted { ($0.count, $0) < ($1.count, $1) }.map {
      try Data(contentsOf: folder.url.appending(path: $0))
    }
  }

  private static func extractor(beside compiler: URL) -> Program? {
    let url = compiler.resolvingSymlinksInPath().deletingLastPathComponent().appending(
      path: "swift-symbolgraph-extract")
    return FileManager.default.isExecutableFile(atPath: url.path) ? Program(at: url) : nil
  }

  /// Returns the compiler's messages for sources, each a file of one module; none if they are valid.
  public static func errors(_ sources: [String: String]) throws -> String {
    try compile(sources, ["-typecheck"], in: ScratchFolder())
  }

  /// Builds and runs a program.
  public static func run(_ sources: [String: String], _ arguments: [String]) throws -> Program.Run {
    guard let products else { throw CocoaError(.fileNoSuchFile) }
    let folder = try ScratchFolder()
    var objects: [String] = []
    for module in [
      "ArchiveTools", "ArchivedClasses", "KeyedArchives", "KeyedArchiving", "CanonicalGraphs", "PropertyListFormat",
      "RuntimeNames", "SystemFiles",
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

  /// The compiler rejects a program, or the extractor a module.
  public struct Failure: Error {
    /// The compiler's messages.
    public var errors: String
  }

  private static func compile(
    _ sources: [String: String], _ options: [String], in folder: ScratchFolder
  ) throws -> String {
    guard let program, let products else { return isAbsent }
    let paths = try sources.sorted { $0.key < $1.key }.map { try folder.file($0.key, Data($0.value.utf8)) }
    // One process for all files loads the modules once.
    let modules = [
      "-I", products.appending(path: "Modules").path, "-swift-version", "6", "-warnings-as-errors",
      "-whole-module-optimization", "-Onone",
    ]
    let run = try program.run(paths + modules + options, in: folder.url)
    let messages = run.errors + run.output
    // A signal ends the compiler without a message.
    return run.code == 0 ? run.errors : messages.isEmpty ? "swiftc ended with \(run.code)" : messages
  }
}
