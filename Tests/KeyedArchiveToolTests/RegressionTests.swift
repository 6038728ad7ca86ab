// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import Foundation
import TestSupport
import Testing
import ToolTestSupport

@testable import KeyedArchiveTool

@Suite("keyedarchive regressions")
struct RegressionTests {
  @Test("rejects a sign in four hexadecimal digits", arguments: ["-000", "+041"])
  func signs(digits: String) {
    #expect(throws: Failure.self) { try JSONReader.read(Data("\"\\u\(digits)\"".utf8)) }
  }

  @Test("rejects JSON numbers that are not finite as floats", arguments: [#"{"float":1e50}"#, #"{"double":1e999}"#])
  func infinite(row: String) throws {
    let folder = try ScratchFolder()
    let nsurl = Locations.fixtures.appending(path: "apple/NSURL.plist").path
    let json = ToolRun("convert", nsurl, "--to", "json").output
    let edited = json.replacing("{\"integer\":100000}", with: row)
    // The version is the only number of that archive.
    let path = try folder.file(
      "edited.json", Data((edited == json ? json.replacing("100000", with: row) : edited).utf8))
    #expect(ToolRun("convert", path, "--to", "binary", "-o", folder.path("out")).code != .fine)
  }

  @Test("keeps the backup next to the target of a symbolic link")
  func backupOfLink() throws {
    let folder = try ScratchFolder()
    let source = Locations.fixtures.appending(path: "creatures/insecure/1.scarycreature/Data.plist")
    try FileManager.default.createDirectory(atPath: folder.path("v2"), withIntermediateDirectories: true)
    let file = try folder.file("v2/archive.plist", Data(contentsOf: source))
    try FileManager.default.createSymbolicLink(atPath: folder.path("current"), withDestinationPath: file)
    let rules = Locations.fixtures.appending(path: "migration/creatures.json").path
    let run = ToolRun(
      "migrate", "--force", "--json", "--rules", rules, "--backup-suffix", ".old", folder.path("current"))
    #expect(run.code == .fine)
    #expect(run.output.contains("v2/archive.plist.old") && FileManager.default.fileExists(atPath: file + ".old"))
  }

  @Test("names the backup of a link whose name is the end of its target's", arguments: ["links/a.plist", "xa.plist"])
  func linkOfSimilarName(link: String) throws {
    let folder = try ScratchFolder()
    for name in ["real", "links"] {
      try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
    }
    let file = try folder.file("real/a.plist", Handmade.archive([["$class": .uid(2)], Handmade.classRecord("A")]))
    try FileManager.default.createSymbolicLink(atPath: folder.path(link), withDestinationPath: file)
    let arguments = ["migrate", "--json", "--rename-class", "A=B", "--backup-suffix", ".bak", folder.path(link)]
    #expect(ToolRun(arguments + ["-n"]).code == .fine)
    let backup = try #require(try ToolRun(arguments).json.first?["backup"] as? String)
    #expect(FileManager.default.fileExists(atPath: backup), "\(backup)")
    #expect(URL(filePath: backup).resolvingSymlinksInPath() == URL(filePath: file + ".bak").resolvingSymlinksInPath())
  }
}
