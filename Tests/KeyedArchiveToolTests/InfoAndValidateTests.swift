// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import Foundation
import KeyedArchiving
import TestSupport
import Testing
import ToolTestSupport

@testable import KeyedArchiveTool

@Suite("info and validate say what a file is and what is wrong with it")
struct InfoAndValidateTests {
  @Test("a line for people")
  func line() {
    #expect(
      ToolRun("info", nsurl).lines == ["\(nsurl): binary, NSKeyedArchiver, top root, 4 objects, 1 class, 263 bytes"])
  }

  @Test("an object for programs, with exactly these keys in this order")
  func json() {
    #expect(
      ToolRun("info", "--json", nsurl).lines == [
        #"{"file":"\#(nsurl)","format":"binary","archiver":"NSKeyedArchiver","version":100000,"topKeys":["root"],"#
          + #""objects":4,"classes":["NSURL"],"cyclic":false,"bytes":263}"#
      ])
  }

  @Test("a ring is cyclic")
  func cyclic() throws {
    #expect(ToolRun("info", "-", input: try Creature.pair()).output.contains(", cyclic, "))
    let json = try ToolRun("info", "-j", "-", input: try Creature.pair()).json
    #expect(json[0]["cyclic"] as? Bool == true)
    #expect(
      json[0]["classes"] as? [String] == ["NSArray", "NSDate", "NSDictionary", "NSURL", "NSUUID", "Zoo.Creature"])
  }

  /// Archives with one thing wrong each: what `info` says of them, and the code `validate` has for it.
  static let broken: [(name: String, data: Data, message: String, code: String?)] = [
    ("no archiver", HandmadeList.dictionary([("$version", 100_000)]).binary, "has no '$archiver'", nil),
    ("other archiver", Handmade.archive(["x"], archiver: "NSArchiver"), "--any-archiver", nil),
    ("other version", Handmade.archive(["x"], version: 10), "must be 100000, it is 10 (byte", nil),
    ("no plist", Data("hello".utf8), " ", nil),
    (
      "dangling", Handmade.archive([["a": .uid(7), "$class": .uid(2)], Handmade.classRecord("A")]),
      "'a' refers to object #7", "danglingReference"
    ),
    ("no class", Handmade.archive([["a": 1]]), "without a '$class' (object #1, byte", "noClass"),
    ("no record", Handmade.archive([["$class": .uid(2)], "x"]), "(object #1, byte", "badClassRecord"),
    ("misspelt root", Handmade.archive(["x"], top: ["rooty": .uid(1)]), "'$top' has no 'root'", "misspelledRoot"),
  ]

  @Test(
    "what is no sound archive is refused with exit code 4, and the message says what and where",
    arguments: broken.indices)
  func refuses(index: Int) throws {
    let (name, data, message, code) = Self.broken[index]
    let run = ToolRun("info", "-", input: data)
    #expect(run.code == .notAnArchive && run.output == "", "\(name)")
    #expect(run.errors.hasPrefix("keyedarchive: -: ") && run.errors.contains(message), "\(name)")
    let validate = ToolRun("validate", "--json", "-", input: data)
    guard let code else { return #expect(validate.code == .notAnArchive && validate.output == "") }
    let findings = try #require(try validate.json[0]["findings"] as? [[String: Any]])
    #expect(validate.code == .negative)
    #expect(findings.first { $0["severity"] as? String == "error" }?["code"] as? String == code)
  }

  @Test("with --json an error is JSON too, with its code, exit code and the line for people")
  func jsonError() throws {
    let run = ToolRun("info", "--json", "/no/such/file")
    let error = try #require(
      (JSONSerialization.jsonObject(with: Data(run.errors.utf8)) as? [String: [String: Any]])?["error"])
    #expect(error["code"] as? String == "fileAccess" && error["exit"] as? Int == 3)
    #expect(error["file"] as? String == "/no/such/file")
    #expect(error["message"] as? String == "keyedarchive: /no/such/file: no such file")
  }

  @Test("with several files the tool goes on, the worst code wins and a summary ends it")
  func several() {
    let run = ToolRun("info", nsurl, "/no/such/file", "-", nsurl, input: Data("hello".utf8))
    #expect(run.code == .notAnArchive && run.lines.count == 2)
    #expect(run.errors.contains("keyedarchive: /no/such/file: no such file\n"))
    #expect(run.errors.contains("keyedarchive: 4 files: 2 fine; 1 a file cannot be read; 1 not a keyed archive"))
    #expect(ToolRun("info", nsurl, nsurl).errors == "")
  }

  @Test("validate: sound, and only the allowed classes")
  func allow() {
    #expect(ToolRun("validate", nsurl).lines == ["\(nsurl): sound"])
    #expect(ToolRun("validate", "--allow", "NSURL", nsurl).code == .fine)
    let run = ToolRun("validate", "--allow", "NSDate", "--allow=NSArray", nsurl)
    #expect(run.code == .classNotAllowed)
    #expect(run.output.hasPrefix("\(nsurl): error classNotAllowed: the class 'NSURL' is not on the list (object #3"))
  }

  @Test("a worse error beats a class that is not allowed, and notes are no errors")
  func severity() {
    let dangling = Handmade.archive([["a": .uid(7), "$class": .uid(2)], Handmade.classRecord("A")])
    #expect(ToolRun("validate", "--allow", "B", "-", input: dangling).code == .negative)
    let unused = Handmade.archive(["x", "nobody's"])
    let run = ToolRun("validate", "-", input: unused)
    #expect(run.code == .fine && run.output.contains("note unreferencedObject") && run.output.hasSuffix("-: sound\n"))
  }

  @Test("folders, missing files and files without permission are unreadable")
  func unreadable() {
    for (path, message) in [
      ("/tmp", "is a folder"), ("", "no such file"), ("/no/such", "no such file"), ("a\0b", "no such file"),
    ] {
      let run = ToolRun("tree", path)
      #expect(run.code == .unreadable && run.errors.contains(message))
    }
  }
}
