// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools

extension Tool {
  /// The tool for all keyed archives, whatever they hold.
  static let keyedarchive = Tool(
    name: "keyedarchive", version: "0.1.0",
    summary: "look at, check and convert keyed archives (files of Apple's NSKeyedArchiver)",
    notes: [
      "FILE is a binary or XML file; '-' is standard input. With several files the tool goes on after a bad one, "
        + "and the highest exit code wins."
    ],
    commands: [
      TreeCommand.self, InfoCommand.self, ValidateCommand.self, ConvertCommand.self, RoundtripCommand.self,
      GetCommand.self, AuditCommand.self, GenerateCommand.self, DiffCommand.self, GraphCommand.self,
      MigrateCommand.self, ScanCommand.self,
    ],
    exitMeanings: [.negative: "the answer is no: findings, not preserved, not found, different"])
}
