// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools

extension Tool {
  /// The tool for keyed archives of any content.
  static let keyedarchive = Tool(
    name: "keyedarchive", version: Tool.packageVersion,
    summary: "inspect, check and convert keyed archives (files of Apple's NSKeyedArchiver)",
    notes: [
      "FILE is a binary or XML file; '-' is standard input. With several files, the tool continues after a failure and "
        + "ends with the highest exit code.",
      "Each object of JSON begins with schema: 1. The number increases with each incompatible change. The JSON of 'get' "
        + "and 'convert' does not have it: it is a value of the archive, which can be an array or have that key, or a file "
        + "with the version keyedarchive: 1.",
      "An archive can be data in a file, such as in preferences. 'scan --nested' finds it and prints its path as 'inside'; "
        + "other commands open it with --inside and that path: windows[0].state, [\"a key\"], or in an archive #3 or "
        + "root.state. For data in such data, repeat the option, or join the paths with ' > '.",
    ],
    commands: [
      TreeCommand.self, InfoCommand.self, ValidateCommand.self, ConvertCommand.self, RoundtripCommand.self,
      GetCommand.self, AuditCommand.self, GenerateCommand.self, DiffCommand.self, GraphCommand.self,
      MigrateCommand.self, ScanCommand.self, TextconvCommand.self, InstallGitCommand.self,
    ],
    exitMeanings: [.negative: "negative result (differences, findings, not found)"], schema: 1)
}

extension CommandHelp.Operand {
  static let file = Self(name: "FILE", meaning: "a keyed archive, binary or XML; '-' is standard input", kind: .file)
  static let files = Self(
    name: "FILE", meaning: "keyed archives, binary or XML; '-' is standard input", repeats: true, kind: .file)
}

extension Option {
  static let anyArchiver = Option("any-archiver", "accept any '$archiver' name")

  /// See ``Input``.
  static let inside = Option(
    "inside", value: "KEYPATH", "open the archive that is data at KEYPATH of the file; repeatable for data in data")
}
