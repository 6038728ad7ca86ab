// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
@_spi(Archiving) import PropertyListFormat

/// The data that a decoder returned without copying the bytes.
///
/// This data shares the decoder's own copy of the file. A `Data` changes its memory in place if it is the only owner of it,
/// so three rules keep the values apart:
/// - The list holds each data that it returned, and returns it again for the same bytes. While the decoder exists, data
///   therefore has two owners, and a change copies it. The decoder never reads changed bytes.
/// - Data that overlaps with, or precedes, other returned data is copied. A file of an archiver has its objects in order.
/// - Small data is copied, and so is data of a file that contains mostly other things. One small value would keep the
///   memory of the whole file.
struct LentData {
  /// The smallest size of data that is not copied.
  static let minimumByteCount = 4096

  /// In ascending order, and without overlaps.
  private var items: [(offset: Int, data: Data)] = []
  /// Whether the file contains mostly large data, once it is known.
  private var isMostlyData: Bool?

  /// Returns the data of an item, or nil if it must be copied.
  mutating func data(
    _ item: BinaryItem, of table: BinaryTable, in bytes: ContiguousArray<UInt8>
  ) -> Data? {
    let end = items.last.map { $0.offset + $0.data.count } ?? 0
    if item.content < end {
      let index = firstIndex(from: item.content)
      guard items[index].offset == item.content, items[index].data.count == item.count else { return nil }
      return items[index].data
    }
    if isMostlyData == nil { isMostlyData = Self.isMostlyData(table, bytes.span) }
    guard isMostlyData == true else { return nil }
    let data = bytes.sharedData(in: item.content..<item.content + item.count)
    items.append((item.content, data))
    return data
  }

  /// Returns the index of the first item at an offset or after it, or else that of the last item.
  private func firstIndex(from offset: Int) -> Int {
    var (low, high) = (0, items.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if items[middle].offset < offset { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns whether at least half of a file is large data, and no object before that is damaged.
  private static func isMostlyData(_ table: BinaryTable, _ bytes: Span<UInt8>) -> Bool {
    var count = 0
    for index in 0..<table.objectCount {
      // Each damaged row costs an error. A file with one is not worth more of them.
      guard let item = try? table.item(ObjectRef(rawValue: UInt32(truncatingIfNeeded: index)), in: bytes) else {
        return false
      }
      guard item.kind == .data, item.count >= minimumByteCount else { continue }
      count += item.count
      // Rows of a hostile file can overlap.
      if count >= bytes.count / 2 { return true }
    }
    return false
  }
}

extension ArchiveSource {
  /// Returns the bytes of data, which large data shares with this source.
  func data(_ item: BinaryItem) -> Data {
    if item.count >= LentData.minimumByteCount, let data = lentData(item) { return data }
    return bytes.span.data(in: item.content..<item.content + item.count)
  }
}
