// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The error of a check that fails. Its description has everything that a reader needs, so the test library only has to
/// print it.
public struct FixtureFailure: Error, Sendable, CustomStringConvertible {
  /// One problem of a fixture.
  public struct Problem: Sendable, CustomStringConvertible {
    /// The kind of a problem. New kinds may be added, so a `switch` over kinds needs a `default`.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
      /// The stable name of the kind.
      public var description: String { "\(name)" }
      private let name: StaticName

      private enum StaticName {
        case missing, unreadable, undecodable, unreadKeys, noText, text, notArchivable, differences, bytes
        case changedFormat, abandonedText, unexpectedFile, acceptedDamage, unusedException, ambiguousKey
        case exitTest, refusedRecording, recorded
      }

      private init(_ name: StaticName) { self.name = name }

      /// The fixture or the folder does not exist.
      public static let missing = Kind(.missing)
      /// The file cannot be read or written, or is not a keyed archive.
      public static let unreadable = Kind(.unreadable)
      /// The fixture cannot be decoded as the type.
      public static let undecodable = Kind(.undecodable)
      /// The archive has keys that decoding did not read.
      public static let unreadKeys = Kind(.unreadKeys)
      /// The fixture has no text.
      public static let noText = Kind(.noText)
      /// The decoded value is another one than the text says.
      public static let text = Kind(.text)
      /// The decoded value cannot be archived.
      public static let notArchivable = Kind(.notArchivable)
      /// The decoded value is archived with other contents than the fixture has.
      public static let differences = Kind(.differences)
      /// The decoded value is archived with equal contents, but with other bytes.
      public static let bytes = Kind(.bytes)
      /// Today's code does not archive the value as the fixture of today's version.
      public static let changedFormat = Kind(.changedFormat)
      /// A text has no fixture.
      public static let abandonedText = Kind(.abandonedText)
      /// The folder has an entry that the check does not examine, such as a symbolic link.
      public static let unexpectedFile = Kind(.unexpectedFile)
      /// Damaged copies of the fixture were decoded without an error.
      public static let acceptedDamage = Kind(.acceptedDamage)
      /// An optional key or a tolerated damage that the check was told about does not occur.
      public static let unusedException = Kind(.unusedException)
      /// An optional key that the check was told about is one of several classes.
      public static let ambiguousKey = Kind(.ambiguousKey)
      /// The process of an exit test found problems with damaged copies, or ended early.
      public static let exitTest = Kind(.exitTest)
      /// The environment asks for recording in continuous integration.
      public static let refusedRecording = Kind(.refusedRecording)
      /// The check wrote a file, as the environment asks.
      public static let recorded = Kind(.recorded)
    }

    /// The kind of the problem.
    public let kind: Kind

    /// The name of the fixture.
    public let fixture: String

    /// The reason for the problem and its remedy, in one or more lines.
    public let detail: String

    /// The name of the fixture and the detail.
    public var description: String { "\(fixture): \(detail)" }
  }

  /// All problems that the check found.
  public let problems: [Problem]

  /// The problems, one after the other.
  public var description: String { problems.map(\.description).joined(separator: "\n") }
}

extension FixtureFailure: LocalizedError {
  /// The text of ``description``.
  public var errorDescription: String? { description }
}
