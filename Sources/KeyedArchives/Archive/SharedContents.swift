// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) package import PropertyListFormat

extension KeyedArchive {
  /// Returns the row of a long text or data that was read from the archive more than once; nil for other values.
  ///
  /// It identifies the content: a row is read once, however many containers have it. An array can have one row of a
  /// megabyte a million times. So an algorithm that reads all bytes of contents keeps its result for a row.
  package func sharedRow(of value: StoredValue) -> ObjectRef? {
    guard let memory = value.longContentMemory else { return nil }
    return reading.sharedRow(in: memory) ?? addedContents[memory]
  }
}

extension KeyedArchive.StoredValue {
  /// The memory of a long text or data; nil for other values.
  package var longContentMemory: MemoryRange? {
    switch self {
    case .string(let text): text.utf8.count > ArchiveReading.longContent ? MemoryRange(text) : nil
    case .data(let bytes): bytes.count > ArchiveReading.longContent ? MemoryRange(bytes) : nil
    default: nil
    }
  }
}

/// The results of a function for values of an archive. For a long text or data that several containers share, it is called
/// once.
package final class SharedContents<Result> {
  private let archive: KeyedArchive
  private let function: (KeyedArchive.StoredValue) -> Result
  private var results: [ObjectRef: Result] = [:]

  /// Creates the results of a function.
  package init(of archive: KeyedArchive, _ function: @escaping (KeyedArchive.StoredValue) -> Result) {
    self.archive = archive
    self.function = function
  }

  /// The result for a value.
  package subscript(value: KeyedArchive.StoredValue) -> Result {
    guard let row = archive.sharedRow(of: value) else { return function(value) }
    if let known = results[row] { return known }
    let result = function(value)
    results[row] = result
    return result
  }
}
