// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
@_spi(Archiving) import PropertyListFormat

/// The limits of an archive. Values without identity are archived once for each reference, so a few arrays that each
/// hold the next one twice can exceed the memory.
extension ArchiverState {
  /// The default limits.
  static let defaultObjectCount = 1 << 24
  static let defaultByteCount = Int(clamping: 1 << 32 as Int64)

  /// The maximum number of values that objects in progress record. It only limits the memory, because most values add no
  /// object.
  private var maximumRecordCount: Int { max(maximumObjectCount, Self.defaultObjectCount) }

  /// Returns whether an object can be begun; otherwise records a failure.
  @inline(__always)
  mutating func mayAddObject() -> Bool {
    guard entries.count <= maximumObjectCount else { return refuseObjects() }
    return records.count <= maximumRecordCount || refuseValues()
  }

  /// Returns whether the objects so far, primitives and class records included, are within the limit; otherwise records a
  /// failure.
  @inline(__always)
  mutating func checkObjectCount() -> Bool { entries.count <= maximumObjectCount || refuseObjects() }

  /// Returns whether `count` more elements of arrays can be recorded; otherwise records a failure.
  mutating func mayCollect(_ count: Int) -> Bool {
    collected.count + count <= maximumRecordCount || refuseValues()
  }

  @inline(never)
  private mutating func refuseValues() -> Bool {
    fail(
      KeyedArchiveError(
        .limitReached, "value limit reached: the objects in progress would have more than \(maximumRecordCount) values",
        keyPath: keyPath(),
        remedy: "Store the numbers of a large array as data, or raise KeyedArchiver.maximumObjectCount"))
    return false
  }

  @inline(never)
  private mutating func refuseObjects() -> Bool {
    fail(
      KeyedArchiveError(
        .limitReached,
        "object limit reached: the archive would have more than \(maximumObjectCount) objects; arrays, structs and other "
          + "values are archived once for each reference to them",
        keyPath: keyPath(),
        remedy:
          "Share instances of classes or ArchivedArray instead of values, or raise KeyedArchiver.maximumObjectCount"))
    return false
  }

  /// Checks the size of all strings and data.
  /// - Throws: ``KeyedArchiveError`` with code `limitReached` if they exceed ``maximumByteCount``.
  func checkByteCount() throws(KeyedArchiveError) {
    // Values that share their memory count once for each reference, so the sum can exceed 32 bits.
    var count: Int64 = 0
    for text in strings { count += Int64(text.utf8.count) }
    for bytes in data { count += Int64(bytes.count) }
    guard count > maximumByteCount else { return }
    throw KeyedArchiveError(
      .limitReached,
      "size limit reached: found \(count) bytes of strings and data; expected at most \(maximumByteCount)",
      remedy: "Archive less, or raise KeyedArchiver.maximumByteCount")
  }
}

/// A chain of values, each of which is archived as the next one because that is its single value.
///
/// The chain of a value that encodes itself never ends. Each turn replaces the entry and the recorded values of the former one,
/// so that no other limit ends it.
struct SingleValueChain {
  /// A decoder needs a level of the stack for each value.
  static let maximumCount = 1 << 16

  private(set) var count = 0
  private var cursor = -1
  private var number: UInt64 = 0

  /// Notes the single value of the value at a cursor. The pending values of one chain have ascending numbers.
  mutating func note(_ value: RecordedValue, at cursor: Int) {
    guard value.kind == .value || value.kind == .elementValue else { return count = 0 }
    count = cursor == self.cursor && value.payload > number ? count + 1 : 0
    (self.cursor, number) = (cursor, value.payload)
  }
}

/// Estimates of the output's size.
extension ArchiverState {
  /// An upper bound of the number of objects in the file. Each archived object has its `$class` besides its fields.
  var boundOfObjectCount: Int {
    var bound = 16 + 2 * entries.count + fields.count + arrayElements.count + trie.texts.count
    for index in types.indices { bound += types[index].chain.count + types[index].hints.count + 3 }
    guard BinaryLayout.width(of: UInt64(bound)) != BinaryLayout.width(of: UInt64(entries.count)) else { return bound }
    // The exact number of objects with a class is only counted if it can change the width of a reference: a wrong width
    // means that the whole archive is written again.
    for index in 0..<entries.count where entries[index].kind != .object { bound -= 1 }
    return bound
  }

  /// Returns an estimate of the number of bytes, preferably too large, because growing a large buffer copies it.
  func byteCount(referenceWidth: Int) -> Int {
    let referenceWidth = Int64(referenceWidth)
    if fieldKinds.count <= Self.reusedCapacity, entries.count <= Self.reusedCapacity {
      // The block for a small archive is reused, and need not fit exactly.
      var size = 256 + 32 * Int64(entries.count + fields.count) + 8 * Int64(arrayElements.count)
      size += Int64(trie.textByteCount) + 128 * Int64(types.count)
      for text in strings { size += Int64(text.utf8.count) }
      for data in data { size += Int64(data.count) }
      return Int(clamping: size)
    }
    let uidSize = 1 + Int64(BinaryLayout.width(of: UInt64(entries.count)))
    var size: Int64 = 256 + Int64(entries.count) * (3 + 3 * referenceWidth + uidSize)
    size += Int64(arrayElements.count) * (uidSize + referenceWidth) + Int64(fields.count) * 2 * referenceWidth
    for field in 0..<fieldKinds.count {
      switch fieldKinds[field] {
      case .uid, .conditionalUID: size += uidSize
      case .boolean: size += 1
      case .float: size += 5
      default: size += 9
      }
    }
    for index in 0..<entries.count where entries[index].kind != .object { size += 9 }
    for text in strings { size += Int64(text.utf8.count) + 3 }
    for data in data { size += Int64(data.count) }
    for text in trie.texts { size += Int64(text.utf8.count) + 3 }
    for index in types.indices {
      size += 2 * Int64(types[index].name.utf8.count) + 16
      for name in types[index].chain { size += Int64(name.utf8.count) + 3 + referenceWidth }
      for name in types[index].hints { size += Int64(name.utf8.count) + 3 + referenceWidth }
    }
    return Int(clamping: size)
  }
}
