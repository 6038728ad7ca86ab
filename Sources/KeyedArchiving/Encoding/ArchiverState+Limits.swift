// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// What an archive may become. Values that have no identity are archived once for each reference to them, so a few arrays
/// that hold the next one twice can ask for more objects than there is memory.
extension ArchiverState {
  /// The limits unless others are set.
  static let defaultObjectCount = 1 << 24
  static let defaultByteCount = 1 << 32

  /// Fails if the archive would have more objects than it may; returns whether it may have one more.
  @inline(__always)
  mutating func mayAddObject() -> Bool {
    guard entries.count < maximumObjectCount, notes.count <= maximumObjectCount else { return refuseObjects() }
    return true
  }

  /// The same for the elements of an array, which are noted before their turn comes.
  mutating func mayCollect(_ count: Int) -> Bool {
    guard collected.count <= maximumObjectCount - count else { return refuseObjects() }
    return true
  }

  @inline(never)
  private mutating func refuseObjects() -> Bool {
    fail(
      KeyedArchiveError(
        .limitReached,
        "the archive would have more than \(maximumObjectCount) objects; arrays, structs and other values are archived "
          + "once for each reference to them",
        keyPath: keyPath(),
        remedy: "Share classes or ArchivedArray instead of values, or raise KeyedArchiver.maximumObjectCount"))
    return false
  }

  /// Throws if the file would have more bytes than it may.
  func checkByteCount() throws(KeyedArchiveError) {
    var count = 0
    for text in strings { count += text.utf8.count }
    for bytes in data { count += bytes.count }
    guard count > maximumByteCount else { return }
    throw KeyedArchiveError(
      .limitReached, "the archive would have \(count) bytes of strings and data, more than \(maximumByteCount)",
      remedy: "Archive less, or raise KeyedArchiver.maximumByteCount")
  }
}
