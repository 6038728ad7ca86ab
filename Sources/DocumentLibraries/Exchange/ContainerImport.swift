// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// What became of the documents of one file.
public struct ContainerImport: Sendable {
  /// A document that was imported.
  public struct Document: Sendable {
    /// Its folder's name in the file.
    public var source: String
    /// The number that it has now.
    public var number: DocumentNumber
    /// What is not as it should be in its data.
    public var warnings: [DocumentWarning]
  }

  /// Something that was not imported.
  public struct Refusal: Sendable {
    /// What it is called in the file.
    public var source: String
    /// Why.
    public var error: any Error
  }

  /// The documents, in the order of their numbers in the file.
  public internal(set) var documents: [Document] = []
  /// What could not be imported, and what is no document.
  public internal(set) var refused: [Refusal] = []
}
