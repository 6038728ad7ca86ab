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
  /// The folder of the files, which is removed when the process ends.
  private static let folder = Result {
    let folder = try ScratchFolder()
    _ = try Python.run(
      "import runpy, sys; sys.dont_write_bytecode = True; sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')",
      [try #require(generator), folder.url.path])
    return folder
  }

  /// The files, and a sample of them: every sixth; with `WHOLE_TESTS`, all.
  private let all, files: [TestFile]

  init() throws {
    all = TestFile.all(below: try Self.folder.get().url).filter { !$0.name.hasSuffix(".json") }
    files = Sample.cases(all, each: 6)
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
    #expect(all.count > 600)
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
    #expect(found.count > Sample.count(20, of: 50))
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
