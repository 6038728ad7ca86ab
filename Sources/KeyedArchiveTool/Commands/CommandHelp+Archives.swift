// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools

extension CommandHelp.Operand {
  static let file = Self(
    name: "FILE", meaning: "a keyed archive, binary or XML; '-' is standard input", kind: .file)
  static let files = Self(
    name: "FILE", meaning: "keyed archives, binary or XML; '-' is standard input", repeats: true, kind: .file)
}

extension Option {
  static let anyArchiver = Option("any-archiver", "take any '$archiver' for that of a keyed archive")
}
