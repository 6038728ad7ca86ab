// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import Foundation
import TestSupport
import Testing
import ToolTestSupport

@testable import KeyedArchiveTool

@Suite(
  "Hostile files, as records and inside of property lists",
  .enabled(
    if: Python.isPresent && generator != nil, "\(Python.isAbsent), or \(Locations.sharedIsAbsent)")
)
struct HostileRecordTests {
  private let files: [TestFile]
  private let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
    let generator = try #require(generator)
    _ = try Python.run(
      "import runpy, sys; sys.dont_write_bytecode = True; sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')",
      [generator, folder.url.path])
    files = TestFile.all(below: folder.url).filter { !$0.name.hasSuffix(".json") }
  }

  /// The lines of a run, each of which must be JSON with the name of its record.
  private func names(_ run: ToolRun) throws -> [String] {
    try run.output.split(separator: "\n").map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return try #require(object?["record"] as? String, "\(line.prefix(200))")
    }
  }

  @Test("each command prints a line for each record", arguments: ["info", "validate", "audit"])
  func records(command: String) throws {
    #expect(files.count > 600)
    var input = Data()
    for file in files { input += Data("\(file.name)\t\(try file.data().base64EncodedString())\n".utf8) }
    let run = ToolRun([command, "--records"], input: input)
    #expect(run.code == .fine && run.errors == "")
    #expect(try names(run) == files.map(\.name))
  }

  @Test("archives inside of property lists give the same lines as these archives")
  func inside() throws {
    var flat = Data()
    var nested = Data()
    for file in files {
      let data = try file.data()
      let list = HandmadeList.dictionary([("a", 1), ("b", .data([UInt8](data)))]).binary
      flat += Data("\(file.name)\t\(data.base64EncodedString())\n".utf8)
      nested += Data("\(file.name)\t\(list.base64EncodedString())\n".utf8)
    }
    let run = ToolRun("info", "--records", "--inside", "b", input: nested)
    #expect(run.code == .fine && run.errors == "")
    #expect(try names(run) == files.map(\.name))
    func good(_ run: ToolRun) throws -> [String] {
      try run.json.filter { $0["error"] == nil }.compactMap { $0["record"] as? String }
    }
    let found = try good(run)
    #expect(found.count > 50)
    #expect(try found == good(ToolRun("info", "--records", input: flat)))
    // A damaged archive in data is reported, and no other record is lost.
    let scan = ToolRun("scan", "--records", "--nested", input: nested)
    #expect(scan.code == .fine && scan.errors == "")
    #expect(try Set(names(scan)).isSubset(of: files.map(\.name)))
  }
}

/// The program that writes the hostile files.
private let generator: String? = {
  guard let path = Locations.shared?.appending(path: "hostile/generate.py").path else { return nil }
  return FileManager.default.fileExists(atPath: path) ? path : nil
}()
