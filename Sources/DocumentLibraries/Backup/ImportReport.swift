// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The result of an import.
public struct ImportReport: Sendable {
  /// An imported document.
  public struct Document: Sendable {
    /// Its name in the source.
    public var source: String
    /// Its number in the library.
    public var number: DocumentNumber
    /// The defects of its data that did not prevent the import.
    public var warnings: [DocumentWarning]
    /// The reason why its values cannot be read; nil if they can. Such a document is restored as it is.
    public var damage: (any Error)?
    /// The reasons why attachments are invalid; none without a check. They are restored as they are.
    public var damagedAttachments: [any Error] = []
  }

  /// An entry that the library has already, with the same content.
  public struct Present: Sendable {
    /// Its name in the source.
    public var source: String
    /// The number of the document in the library; nil if the entry is not a document.
    public var number: DocumentNumber?
  }

  /// An entry or a document that was not imported.
  public struct Refusal: Sendable {
    /// Its name in the source.
    public var source: String
    /// The reason.
    public var error: any Error
  }

  /// The imported documents, in the order of the source.
  public package(set) var documents: [Document] = []
  /// The rejected documents, and the entries that belong to no document.
  public package(set) var refused: [Refusal] = []
  /// The entries of a backup that the library has already.
  public package(set) var present: [Present] = []
  /// The restored entries of a backup that are not documents: those of the trash, and other files and folders.
  public package(set) var others: [String] = []
  /// The entries of a backup that are not documents, and are not restored, because documents get new numbers. The folder
  /// `__MACOSX`, which the Finder adds to files that it compresses, is never restored.
  public package(set) var omitted: [String] = []

  package init() {}

  package mutating func accept(_ source: String, as number: DocumentNumber, _ warnings: [DocumentWarning]) {
    documents.append(Document(source: source, number: number, warnings: warnings))
  }

  package mutating func refuse(_ source: String, _ error: any Error) {
    refused.append(Refusal(source: source, error: error))
  }
}
