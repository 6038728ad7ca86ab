// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SystemFiles

/// The lines of an XML file's elements, which errors about the values name. The file is read again for the first of them.
package final class XMLLines: Sendable {
  /// The bytes of the file.
  let xml: Data
  private let limits: ReadLimits
  private let known = Locked(Known.unread)

  private enum Known {
    case unread
    case unknown
    /// The offset of each object in the converted form, in ascending order, and its line; 0 for a key.
    case read(offsets: [Int], lines: [UInt32])
  }

  init(_ xml: Data, limits: ReadLimits) {
    self.xml = xml
    self.limits = limits
  }

  /// Returns the line of an object; nil for a key.
  package func line(of row: ObjectRef) -> Int? { line { _ in row.index } }

  /// Returns the line of the object at an offset of the converted form; nil for a key, and if no object begins there.
  package func line(ofByte offset: Int) -> Int? {
    line { offsets in
      var (low, high) = (0, offsets.count)
      while low < high {
        let middle = (low + high) / 2
        if offsets[middle] < offset { low = middle + 1 } else { high = middle }
      }
      return low < offsets.count && offsets[low] == offset ? low : nil
    }
  }

  private func line(_ index: ([Int]) -> Int?) -> Int? {
    known.withLock { known in
      if case .unread = known { known = read() }
      guard case .read(let offsets, let lines) = known, let index = index(offsets), lines.indices.contains(index),
        lines[index] > 0
      else { return nil }
      return Int(lines[index])
    }
  }

  private func read() -> Known {
    do throws(PropertyListError) {
      var reader = try XMLReader(xml, limits: limits, recordingLines: true)
      let (list, lines) = try reader.readWithLines()
      let table = try BinaryTable(parsing: list.span, limits: .none)
      var offsets: [Int] = []
      offsets.reserveCapacity(lines.count)
      for index in lines.indices {
        offsets.append(try table.offset(of: ObjectRef(rawValue: UInt32(index)), in: list.span))
      }
      return .read(offsets: offsets, lines: lines)
    } catch {
      return .unknown
    }
  }
}
