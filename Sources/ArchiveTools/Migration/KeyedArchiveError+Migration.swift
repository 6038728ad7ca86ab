// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving

extension KeyedArchiveError.Code {
  /// Migration rules that contradict themselves, or name what cannot be changed.
  public static let invalidRules = KeyedArchiveError.Code("invalidRules")
  /// An archive that rules cannot be applied to without losing something.
  public static let notMigratable = KeyedArchiveError.Code("notMigratable")
  /// A migrated archive that could not be proved to hold what the old one does.
  public static let notProved = KeyedArchiveError.Code("notProved")
  /// A file that could not be written, or not without writing over what another program wrote.
  public static let fileNotWritten = KeyedArchiveError.Code("fileNotWritten")
}
