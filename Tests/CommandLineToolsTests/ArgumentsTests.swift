// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import Testing

@Suite("Arguments")
struct ArgumentsTests {
  private let help = CommandHelp(
    name: "test", summary: "", operands: [.init(name: "FILE", meaning: "", repeats: true)],
    options: [Option("width", short: "w", value: "N", ""), Option("raw", short: "r", ""), .json], examples: [])

  @Test(
    "parses long and short options with their values in all forms and any order",
    arguments: [
      ["--width", "3", "--raw", "a"], ["--width=3", "a", "--raw"], ["-w3", "-r", "a"], ["-rw", "3", "a"],
      ["a", "-rw3"],
    ])
  func forms(arguments: [String]) throws {
    let parsed = try Arguments(arguments, for: help)
    #expect(parsed.operands == ["a"] && parsed.has("raw") && !parsed.has("json"))
    #expect(try parsed.count("width") == 3)
  }

  @Test("treats everything after '--', and '-' itself, as operands")
  func operands() throws {
    #expect(try Arguments(["-", "--", "--raw", "-", "--"], for: help).operands == ["-", "--raw", "-", "--"])
  }

  @Test("returns the last value of a repeated option")
  func repeated() throws {
    let parsed = try Arguments(["-w1", "--width=2"], for: help)
    #expect(parsed.value("width") == "2" && parsed.values("width") == ["1", "2"])
  }

  /// Options with and without a path.
  private let pack = CommandHelp(
    name: "pack", summary: "",
    options: [
      Option("into", short: "i", value: "DIR", kind: .folder, ""), Option("list", value: "FILE", kind: .file, ""),
      Option("name", short: "n", value: "NAME", ""), Option("raw", short: "r", ""),
    ])

  @Test(
    "rejects an empty path in all forms, also before another one",
    arguments: [
      (["--into", ""], "--into"), (["--into="], "--into"), (["-i", ""], "--into"), (["-ri", ""], "--into"),
      (["--list", ""], "--list"), (["--list", "", "--list", "a"], "--list"), (["--list=a", "--list="], "--list"),
    ] as [([String], String)])
  func emptyPath(arguments: [String], option: String) throws {
    let error = try #require(throws: UsageError.self) { try Arguments(arguments, for: pack) }
    #expect(error.detail.contains("'\(option)' is empty") && error.remedy?.contains("variable") == true)
  }

  @Test("rejects an empty path among the operands, and accepts an empty text")
  func emptyOperand() throws {
    let help = CommandHelp(
      name: "get", summary: "",
      operands: [.init(name: "FILE", meaning: "", kind: .file), .init(name: "KEY", meaning: "", repeats: true)])
    let error = try #require(throws: UsageError.self) {
      try Arguments(["", "a"], for: help).checkOperands(of: help, usage: "u")
    }
    #expect(error.detail == "FILE is empty: expected a path" && error.remedy == "Check the variable that it comes from")
    #expect(throws: Never.self) { try Arguments(["a", "", ""], for: help).checkOperands(of: help, usage: "u") }
  }

  @Test("accepts an empty text")
  func emptyText() throws {
    #expect(try Arguments(["--name", ""], for: pack).value("name") == "")
    #expect(try Arguments(["-n", ""], for: pack).value("name") == "")
  }

  /// A required operand and an optional one.
  private let show = CommandHelp(
    name: "show", summary: "",
    operands: [
      .init(name: "KIND", meaning: "", choices: ["ghost", "slug"]),
      .init(name: "N", meaning: "", isOptional: true),
    ])

  @Test("usage lines show optional and repeating operands, and options")
  func usage() {
    #expect(show.usage == "show KIND [N]")
    #expect(help.usage == "test FILE... [options]")
    #expect(CommandHelp(name: "list", summary: "").usage == "list")
  }

  @Test("accepts the right number of operands with allowed values", arguments: [["ghost"], ["slug", "3"]])
  func operandsFit(arguments: [String]) throws {
    #expect(throws: Never.self) { try Arguments(arguments, for: show).checkOperands(of: show, usage: "u") }
  }

  @Test(
    "rejects missing, surplus and unknown operands",
    arguments: [
      ([], "KIND is missing: expected one of ghost, slug"),
      (["ghost", "1", "2"], "unexpected argument '2'"),
      (["gost"], "invalid value 'gost' for KIND: expected one of ghost, slug"),
    ] as [([String], String)])
  func operandsDoNotFit(arguments: [String], message: String) throws {
    let error = try #require(throws: UsageError.self) {
      try Arguments(arguments, for: show).checkOperands(of: show, usage: "u")
    }
    #expect(error.detail == message)
  }

  @Test(
    "standard input can be given once, under any of its names",
    arguments: [["-", "/dev/stdin"], ["-", "-"], ["/dev/fd/0", "-"], ["/proc/self/fd/0", "/dev/fd/0"]])
  func inputTwice(operands: [String]) throws {
    let files = CommandHelp(
      name: "files", summary: "", operands: [.init(name: "FILE", meaning: "", repeats: true, kind: .file)])
    let error = #expect(throws: UsageError.self) {
      try Arguments(operands, for: files).checkOperands(of: files, usage: "u")
    }
    #expect(error?.detail == "standard input is given twice")
    // Also for operands of several kinds, whose command checks it.
    #expect(throws: UsageError.self) { try Arguments(operands, for: show).checkStandardInput() }
    try Arguments(["-", "a"], for: show).checkStandardInput()
  }

  @Test("an option with a file to read can name standard input instead of an operand, and one with an output beside it")
  func inputOfOption() throws {
    let help = CommandHelp(
      name: "files", summary: "", operands: [.init(name: "FILE", meaning: "", repeats: true, kind: .file)],
      options: [
        Option("rules", value: "FILE", kind: .file, ""), Option("output", short: "o", value: "OUT", kind: .output, ""),
      ])
    func check(_ words: String...) throws { try Arguments(words, for: help).checkOperands(of: help, usage: "u") }
    try check("--rules", "-", "a")
    try check("-", "-o", "-")
    #expect(throws: UsageError.self) { try check("--rules", "-", "-") }
    #expect(throws: UsageError.self) { try check("--rules", "-", "--rules=/dev/stdin", "a") }
  }

  @Test("options with files to read do not name standard input twice, also without an operand that is a file")
  func inputsOfOptions() throws {
    let options = [Option("image", value: "FILE", kind: .file, ""), Option("thumb", value: "FILE", kind: .file, "")]
    for operands in [[], [CommandHelp.Operand(name: "TITLE", meaning: "", isOptional: true)]] {
      let help = CommandHelp(name: "add", summary: "", operands: operands, options: options)
      func check(_ words: String...) throws { try Arguments(words, for: help).checkOperands(of: help, usage: "u") }
      #expect(throws: UsageError.self) { try check("--image", "-", "--thumb", "-") }
      try check("--image", "-", "--thumb", "a")
      // A title is not a file.
      if !operands.isEmpty { try check("-", "--image", "-") }
    }
  }

  @Test(
    "edit distance counts insertions, deletions, substitutions and swaps",
    arguments: [
      ("tree", "tree", 0), ("tre", "tree", 1), ("teer", "tree", 2), ("rtee", "tree", 1), ("", "abc", 3),
      ("xyz", "abc", 3),
    ])
  func distance(a: String, b: String, expected: Int) {
    #expect(Suggestion.distance(Array(a.unicodeScalars), Array(b.unicodeScalars)) == expected)
  }
}
