// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) package import PropertyListFormat

extension KeyedArchive {
  /// Returns the row of a long text or data that was read from the archive more than once, or of a long key.
  ///
  /// It identifies the content: a row is read once, however many containers have it. An array can have one row of a
  /// megabyte a million times. So an algorithm that reads all bytes of contents keeps its result for a row.
  package func sharedRow(of value: StoredValue) -> ObjectRef? {
    guard let memory = value.longContentMemory else { return nil }
    return reading.sharedRow(in: memory) ?? addedContents[memory]
  }
}

extension String {
  /// Whether the text takes longer to read than a look-up in a cache.
  package var isLongContent: Bool { utf8.count > ArchiveReading.longContent }
}

extension KeyedArchive.StoredValue {
  /// Whether the value is a text or data that takes longer to read than a look-up in a cache.
  package var isLongContent: Bool {
    switch self {
    case .string(let text): text.isLongContent
    case .data(let bytes): bytes.count > ArchiveReading.longContent
    default: false
    }
  }

  /// The memory of a long text or data; nil for other values.
  package var longContentMemory: MemoryRange? {
    guard isLongContent else { return nil }
    return switch self {
    case .string(let text): MemoryRange(text)
    case .data(let bytes): MemoryRange(bytes)
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
