// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import Foundation
import Testing
import ToolTestSupport

@Suite("A tool is its table of commands")
struct ToolTests {
  @Test("commands of its own and those that every tool has are on its page")
  func overview() {
    let page = ToolRun(.beasts, ["--help"]).output
    #expect(page.hasPrefix("beasts: keep beasts\n\nUsage: beasts COMMAND [options] [ARGUMENT...]\n\nCommands:\n"))
    for name in ["list", "delete", "pack", "completions", "manual"] { #expect(page.contains("\n  \(name) ")) }
    #expect(page.contains("\n  1  no such beast\n") && page.contains("\n  0  fine\n"))
    #expect(ToolRun(.beasts, ["--version"]).output == "beasts 3.1\n")
  }

  @Test("a page without operands has no empty part")
  func page() {
    let page = ToolRun(.beasts, ["list", "--help"]).output
    #expect(page.hasPrefix("beasts list: list all beasts\n\nUsage: beasts list [options]\n\nOptions:\n  -j, --json"))
    #expect(!page.contains("\n\n\n"))
  }

  @Test("mistakes are told by the tool's name, with exit code 2")
  func mistakes() {
    let run = ToolRun(.beasts, ["lst"])
    #expect(run.code == .usage && run.errors == "beasts: there is no command 'lst'. Did you mean 'list'?\n")
    let topic = ToolRun(.beasts, ["manual", "lst"])
    #expect(topic.code == .usage && topic.errors.contains("manual: there is no command 'lst'"))
  }

  @Test("each JSON object begins with the number of the tool's schema, on both streams")
  func schema() {
    #expect(ToolRun(.beasts, ["list", "--json"]).output == #"{"schema":7,"name":"Ghost"}"# + "\n")
    let run = ToolRun(.beasts, ["delete", "--json", "--force", "11", "3"])
    #expect(
      run.errors
        == #"{"schema":7,"error":{"code":"notFound","exit":1,"beast":"11","message":"beasts: 11: no such beast"}}"#
        + "\n" + #"{"schema":7,"summary":{"beasts":2,"exit":1}}"# + "\n")
  }

  @Test("after a failure the others are done, the worst code wins, and a summary ends it")
  func several() {
    let run = ToolRun(.beasts, ["delete", "-f", "11", "3"])
    #expect(run.code == .negative && run.output == "deleted 3\n")
    #expect(run.errors == "beasts: 11: no such beast\nbeasts: 2 beasts: 1 fine; 1 no such beast (exit 1)\n")
  }

  @Test("JSON has numbers, and strings for what is none")
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
