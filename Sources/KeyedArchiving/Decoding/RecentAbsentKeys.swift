// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// The most recent requests for keys that are absent from their layouts.
struct RecentAbsentKeys {
  private struct Request {
    var layout: Int
    var key: String
    /// The outermost scope that requested the key since it was added, or ``Int/max``.
    var scope = Int.max
  }

  /// The number of requests that are kept, one for each bit of a scope's marks.
  private static let maximumCount = UInt16.bitWidth

  private var requests: [Request] = []
  /// The index of the request to replace next.
  private var oldest = 0
  /// The index of the last request.
  private var last = 0

  /// Returns whether the request at an index is for a key of a layout. Then it is the last request.
  @inline(__always)
  mutating func isRequest(_ index: Int, _ key: String, _ layout: Int) -> Bool {
    guard requests[index].layout == layout, requests[index].key.hasSameBytes(as: key) else { return false }
    last = index
    return true
  }

  /// Adds a request. Returns its index.
  mutating func note(_ key: String, _ layout: Int) -> Int8 {
    if let known = requests.indices.first(where: {
      requests[$0].layout == layout && requests[$0].key.hasSameBytes(as: key)
    }) {
      last = known
    } else if requests.count < Self.maximumCount {
      last = requests.count
      requests.append(Request(layout: layout, key: key))
    } else {
      last = oldest
      requests[last] = Request(layout: layout, key: key)
      oldest = (oldest + 1) % Self.maximumCount
    }
    return Int8(truncatingIfNeeded: last)
  }

  /// Records that a scope made the last request. Returns its mark.
  mutating func mark(in scope: Int) -> UInt16 {
    if scope < requests[last].scope { requests[last].scope = scope }
    return 1 << UInt16(truncatingIfNeeded: last)
  }

  /// Returns the keys that a scope requested, of which `marks` are its marks.
  ///
  /// Another scope can have replaced a key. If that scope is nested in this one, the mark is void.
  func keys(_ marks: UInt16, of layout: Int, in scope: Int) -> [String] {
    requests.indices.compactMap { index in
      let request = requests[index]
      let isMarked = marks & 1 << UInt16(truncatingIfNeeded: index) != 0
      return isMarked && request.layout == layout && request.scope <= scope ? request.key : nil
    }
  }

  mutating func removeAll() {
    guard !requests.isEmpty else { return }
    requests.removeAll(keepingCapacity: true)
    oldest = 0
    last = 0
  }
}
