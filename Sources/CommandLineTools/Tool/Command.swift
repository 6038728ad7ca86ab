// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// One of a tool's commands: its own file, and a row in the tool's table.
package protocol Command: Sendable {
  /// Name, arguments and help.
  static var help: CommandHelp { get }
  /// Takes the command's own arguments, whose number and options are known to be right.
  init(_ arguments: Arguments) throws(UsageError)
  /// Does it.
  func run(on console: Console) throws(UsageError) -> ExitCode
}
