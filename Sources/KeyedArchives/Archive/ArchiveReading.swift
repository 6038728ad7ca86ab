// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
@_spi(Archiving) import PropertyListFormat
import SystemFiles

/// Caches and read limits of an archive, shared by all of its copies.
///
/// - Long keys: each becomes a `String` once, however many objects have it.
/// - The total of what nodes read. An accessor reads a container or text once per object that holds it, and again for
///   each call. If objects share their bytes, the sum over all objects may be quadratic in the file's size, so
///   `ReadLimits.maximumExpansion` limits it.
final class ArchiveReading: Sendable {
  private struct State {
    var longKeys: [ObjectRef: String] = [:]
    /// The bytes that may still be cached, because long keys and contents may share bytes of the file.
    var cacheableBytes: Int64
    /// Long texts and data that were read, and those among them that were read twice.
    var readContents: Set<ObjectRef> = []
    var sharedContents: [ObjectRef: KeyedArchive.StoredValue] = [:]
    /// The rows of the shared contents and of the longest keys by their memory, which they keep.
    var sharedRows: [MemoryRange: ObjectRef] = [:]
    /// The results of reading class records, errors included; nil for records that exceeded the budget.
    var classes: [ArchiveUID: Result<ClassDescription, KeyedArchiveError>?] = [:]
    var seen: Set<Seen> = []
    /// The long keys that were compared, with the objects that have them.
    var compared: Set<Seen> = []
    /// The two values that nodes asked for last, and whether they may read them. Each property of a node asks for the
    /// object, and some ask for one of its values.
    var lastReads = (first: AllowedRead(), second: AllowedRead())
    /// The object whose role was read last. Programs mostly use several properties of one node before the next.
    var last: (object: Seen, role: ObjectRole)?
    var budget: ExpansionBudget
  }

  /// A row and the object through which a node reached it.
  private struct Seen: Hashable {
    var row: UInt32
    var owner: UInt32

    init(_ row: ObjectRef, _ owner: ArchiveUID?) {
      self.row = row.rawValue
      self.owner = owner?.rawValue ?? .max
    }
  }

  /// Whether a node may read a value.
  private struct AllowedRead {
    var value: Seen?
    var isAllowed = false
  }

  /// The keys of an object that tell which kind of object it is.
  struct ObjectRole {
    /// Whether the object is a class record.
    var isClassRecord = false
    /// The row of the reference to the object's class.
    var classRow: ObjectRef?
    /// The UID of the class record.
    var classUID: ArchiveUID?
  }

  /// The greatest length of a key that is not cached, because reading it is as fast as finding it in a cache.
  static let shortKey = 32
  /// The greatest length of a text or data that is not cached, because reading it is as fast as finding it in a cache.
  static let longContent = 256
  /// The greatest weight of a value that is not recorded. The accesses themselves take more time in sum.
  static let smallWeight: Int64 = 256

  private let state: Locked<State>

  init(_ list: PropertyList) {
    state = Locked(
      State(
        cacheableBytes: 4 * max(Int64(list.byteCount), ExpansionBudget.leastByteCount),
        budget: ExpansionBudget(byteCount: Int64(list.byteCount), limits: list.limits)))
  }

  /// Returns the cached long key of a row.
  func longKey(_ row: ObjectRef) -> String? { state.withLock { $0.longKeys[row] } }

  /// Caches a long key, unless the cache is full.
  func cache(_ key: String, _ row: ObjectRef) {
    state.withLock { state in
      guard state.cacheableBytes >= Int64(key.utf8.count), state.longKeys[row] == nil else { return }
      state.cacheableBytes -= Int64(key.utf8.count)
      state.longKeys[row] = key
      if let memory = KeyedArchive.StoredValue.string(key).longContentMemory { state.sharedRows[memory] = row }
    }
  }

  /// Returns the cached long text or data of a row.
  func sharedContent(_ row: ObjectRef) -> KeyedArchive.StoredValue? { state.withLock { $0.sharedContents[row] } }

  /// Caches a long text or data when it is read for the second time, unless the cache is full.
  ///
  /// A value that is read once is not cached, so traversing an archive takes no memory beyond what the caller keeps.
  func cacheIfShared(_ value: KeyedArchive.StoredValue, _ row: ObjectRef) {
    let count: Int64
    switch value {
    case .string(let text): count = Int64(text.utf8.count)
    case .data(let data): count = Int64(data.count)
    default: return
    }
    state.withLock { state in
      guard !state.readContents.insert(row).inserted, state.cacheableBytes >= count,
        state.sharedContents[row] == nil
      else { return }
      state.cacheableBytes -= count
      state.sharedContents[row] = value
      if let memory = value.longContentMemory { state.sharedRows[memory] = row }
    }
  }

  /// Returns the row of the cached long text, data or key in some memory.
  func sharedRow(in memory: MemoryRange) -> ObjectRef? { state.withLock { $0.sharedRows[memory] } }

  /// Returns the result of reading a class record earlier. The result is nil within the optional if the record exceeded the
  /// budget.
  /// - Parameter uid: The UID of the record.
  /// - Returns: The result, or nil if the record was not read.
  func knownClass(_ uid: ArchiveUID) -> Result<ClassDescription, KeyedArchiveError>?? {
    state.withLock { $0.classes[uid] }
  }

  /// Returns the result of reading a class record of an unedited archive, which is read once.
  /// - Parameters:
  ///   - uid: The UID of the record.
  ///   - read: Reads the record.
  /// - Returns: The result, or nil if the budget is exhausted.
  func classDescription(
    _ uid: ArchiveUID, _ read: () -> Result<ClassDescription, KeyedArchiveError>
  ) -> Result<ClassDescription, KeyedArchiveError>? {
    let (known, mayRead) = state.withLock { ($0.classes[uid], !$0.budget.isExhausted) }
    if let known { return known }
    guard mayRead else { return nil }
    let found = read()
    return state.withLock { state in
      // Records may share their lists.
      let description = try? found.get()
      let count = (description?.chain.count ?? 0) + (description?.hints.count ?? 0) + 1
      let isCached = state.budget.take(ExpansionBudget.element * Int64(count))
      state.classes[uid] = .some(isCached ? found : nil)
      return isCached ? found : nil
    }
  }

  /// Returns the role of an object of an unedited archive if it was kept last. To find its keys, all keys of the object may
  /// be compared.
  /// - Parameters:
  ///   - row: The row of the object.
  ///   - owner: The object through which a node reached the row.
  /// - Returns: The role, or nil if that of another object was kept last.
  func lastRole(of row: ObjectRef, _ owner: ArchiveUID?) -> ObjectRole? {
    let object = Seen(row, owner)
    return state.withLock { state in
      guard let last = state.last, last.object == object else { return nil }
      return last.role
    }
  }

  /// Keeps the role of an object, which was read within the budget of ``mayRead(_:of:weight:)``. An object that may not be
  /// read once cannot be read later, so the role does not change.
  func keepLast(_ role: ObjectRole, of row: ObjectRef, _ owner: ArchiveUID?) {
    state.withLock { $0.last = (Seen(row, owner), role) }
  }

  /// Returns whether a node may compare a long key of an object with another text of the same length. The first comparison
  /// charges for all, because programs look up one key many times. Thousands of objects can share the bytes of a key.
  func mayCompare(_ row: ObjectRef, of owner: ArchiveUID?, byteCount: Int64) -> Bool {
    state.withLock { state in
      let seen = Seen(row, owner)
      guard !state.compared.contains(seen) else { return true }
      guard state.budget.touch(byteCount) else { return false }
      state.compared.insert(seen)
      return true
    }
  }

  /// Returns whether a node may read a value of the given weight.
  func mayRead(_ row: ObjectRef, of owner: ArchiveUID?, weight: Int64) -> Bool {
    guard weight > Self.smallWeight else { return true }
    return state.withLock { state in
      let seen = Seen(row, owner)
      if state.lastReads.first.value == seen { return state.lastReads.first.isAllowed }
      if state.lastReads.second.value == seen {
        swap(&state.lastReads.first, &state.lastReads.second)
        return state.lastReads.first.isAllowed
      }
      // A value that exceeds the budget leaves it to smaller ones, and exceeds it later as well.
      let isKnown = state.seen.contains(seen)
      let isAllowed = isKnown || state.budget.take(weight)
      if isAllowed, !isKnown { state.seen.insert(seen) }
      state.lastReads = (AllowedRead(value: seen, isAllowed: isAllowed), state.lastReads.first)
      return isAllowed
    }
  }
}

extension BinaryItem {
  /// Whether the item is a text or data whose reading takes longer than a look-up in the cache.
  var isLongContent: Bool { count > ArchiveReading.longContent && (kind == .data || kind == .ascii || kind == .utf16) }
}
