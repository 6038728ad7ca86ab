// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing
import ToolTestSupport

@testable import CommandLineTools

@Suite("Tool")
struct ToolTests {
  @Test("the remedy of a limit is replaced if it raises limits that the user of a tool cannot raise, whatever its text")
  func remedies() {
    let error = PropertyListError(.limitReached, "too deep", remedy: "Move the file that ReadLimits names")
    #expect(Failure(error).remedy == "Move the file that ReadLimits names")
    let raising = [error.advising(.raiseLimit, "Accept more"), PropertyListError(.limitReached, "too deep")]
    for error in raising {
      #expect(Failure(error).remedy == Failure.fixedLimits)
      #expect(Failure(KeyedArchiveError(error)).remedy == Failure.fixedLimits)
    }
    var changed = KeyedArchiveError(raising[0])
    changed.remedy = "Move it up"
    #expect(Failure(changed).remedy == "Move it up")
  }

  @Test("the version of the package's tools is that of the changelog's first heading")
  func version() throws {
    let page = "Sources/KeyedArchiving/KeyedArchiving.docc/Changelog.md"
    let text = try String(contentsOf: Locations.package.appending(path: page), encoding: .utf8)
    let heading = try #require(text.split(separator: "\n").first { $0.hasPrefix("## ") })
    #expect(heading.dropFirst(3).split(separator: ",").first.map(String.init) == Tool.packageVersion)
  }

  @Test("the overview lists its own commands and the common ones")
  func overview() {
    let page = ToolRun(.beasts, ["--help"]).output
    #expect(page.hasPrefix("beasts: keep beasts\n\nUsage: beasts COMMAND [options] [ARGUMENT...]\n\nCommands:\n"))
    for name in ["list", "delete", "pack", "completions", "manual"] { #expect(page.contains("\n  \(name) ")) }
    #expect(page.contains("\n  1  no such beast\n") && page.contains("\n  0  ok\n"))
    #expect(ToolRun(.beasts, ["--version"]).output == "beasts 3.1\n")
  }

  @Test("a page without operands has no empty section")
  func page() {
    let page = ToolRun(.beasts, ["list", "--help"]).output
    #expect(page.hasPrefix("beasts list: list all beasts\n\nUsage: beasts list [options]\n\nOptions:\n      --json"))
    #expect(!page.contains("\n\n\n"))
  }

  @Test("reports usage errors with the tool's name and exit code 2")
  func mistakes() {
    let run = ToolRun(.beasts, ["lst"])
    #expect(run.code == .usage && run.errors == "beasts: unknown command 'lst'. Did you mean 'list'?\n")
    let topic = ToolRun(.beasts, ["manual", "lst"])
    #expect(topic.code == .usage && topic.errors.contains("manual: unknown command 'lst'"))
  }

  @Test("each JSON object on both streams begins with the schema")
  func schema() {
    #expect(ToolRun(.beasts, ["list", "--json"]).output == #"{"schema":7,"name":"Ghost"}"# + "\n")
    let run = ToolRun(.beasts, ["delete", "--json", "--force", "11", "3"])
    #expect(
      run.errors
        == #"{"schema":7,"error":{"code":"notFound","exit":1,"beast":"11","message":"no such beast"}}"#
        + "\n" + #"{"schema":7,"summary":{"beasts":2,"exit":1}}"# + "\n")
  }

  @Test("a run continues after a failure and ends with a summary and the highest code")
  func several() {
    let run = ToolRun(.beasts, ["delete", "-f", "11", "3"])
    #expect(run.code == .negative && run.output == "deleted 3\n")
    #expect(run.errors == "beasts: 11: no such beast\nbeasts: 2 beasts: 1 ok; 1 no such beast (exit 1)\n")
  }

  @Test("JSON has numbers, and strings for infinities")
  func numbers() throws {
    var json = JSONWriter()
    json.beginObject()
    json.field("float", Float(0.1))
    json.field("large", 1e300)
    json.field("none", -Double.infinity)
    json.endObject()
    #expect(String(decoding: json.bytes, as: UTF8.self) == #"{"float":0.1,"large":1e+300,"none":"-inf"}"#)
    let value = try JSONReader.read(Data(json.bytes))
    #expect(value["none"]?.string == "-inf")
  }
}
