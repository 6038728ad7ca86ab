// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
@_spi(Archiving) import PropertyListFormat
import Synchronization

/// What an archive remembers while it is looked at. All copies of the archive share it.
///
/// - Long keys, each of which becomes a `String` once, however many objects have it.
/// - What the accessors of nodes have read. Each may read a container or text once for each object that holds it, and
///   again as often as the caller likes. In a file whose objects share their bytes, the sum over all objects may be the
///   square of the file's size, so it is limited by `ReadLimits.maximumExpansion`.
final class ArchiveReading: Sendable {
  private struct State {
    var longKeys: [ObjectRef: String] = [:]
    /// Long keys may share bytes.
    var longKeyBytes: Int
    /// Long texts and data that were read, and those among them that were read twice.
    var readContents: Set<ObjectRef> = []
    var sharedContents: [ObjectRef: KeyedArchive.StoredValue] = [:]
    /// What class records say, those that are damaged included; nil for those that there was no room for.
    var classes: [ArchiveUID: Result<ClassDescription, KeyedArchiveError>?] = [:]
    var seen: Set<Seen> = []
    var room: ExpansionBudget
  }

  /// A row with the object through which a node came to it.
  private struct Seen: Hashable {
    var row: UInt32
    var owner: UInt32
  }

  /// Shorter keys are made as quickly as they are found.
  static let shortKey = 32
  /// Smaller values are not remembered: in sum they take no more time than the accesses themselves.
  static let smallWeight = 256

  private let state: Mutex<State>

  init(_ list: PropertyList) {
    state = Mutex(
      State(
        longKeyBytes: 4 * max(list.bytes.count, ExpansionBudget.leastByteCount),
        room: ExpansionBudget(byteCount: list.bytes.count, limits: list.limits)))
  }

  /// The long key in a row that was read before.
  func longKey(_ row: ObjectRef) -> String? { state.withLock { $0.longKeys[row] } }

  /// Keeps a long key, unless the file has more of them than it has bytes.
  func keep(_ key: String, _ row: ObjectRef) {
    state.withLock { state in
      guard state.longKeyBytes >= key.utf8.count, state.longKeys[row] == nil else { return }
      state.longKeyBytes -= key.utf8.count
      state.longKeys[row] = key
    }
  }

  /// The long text or data in a row that was read twice before.
  func sharedContent(_ row: ObjectRef) -> KeyedArchive.StoredValue? { state.withLock { $0.sharedContents[row] } }

  /// Keeps a long text or data if it was read before. What is read once is not kept, so that going through an archive
  /// takes no more memory than what the caller keeps of it. Rows may share bytes, so it is limited like long keys.
  func keepIfShared(_ value: KeyedArchive.StoredValue, _ row: ObjectRef) {
    let count: Int
    switch value {
    case .string(let text): count = text.utf8.count
    case .data(let data): count = data.count
    default: return
    }
    state.withLock { state in
      guard !state.readContents.insert(row).inserted, state.longKeyBytes >= count else { return }
      state.longKeyBytes -= count
      state.sharedContents[row] = value
    }
  }

  /// The class record with a UID in an archive that was not edited, which is read once; nil if there is no room for it.
  func classDescription(
    _ uid: ArchiveUID, _ read: () -> Result<ClassDescription, KeyedArchiveError>
  ) -> Result<ClassDescription, KeyedArchiveError>? {
    let (known, mayRead) = state.withLock { ($0.classes[uid], !$0.room.isExhausted) }
    if let known { return known }
    guard mayRead else { return nil }
    let found = read()
    return state.withLock { state in
      // Records may share their lists.
      let description = try? found.get()
      let count = (description?.chain.count ?? 0) + (description?.hints.count ?? 0) + 1
      let isKept = state.room.take(ExpansionBudget.element * count)
      state.classes[uid] = .some(isKept ? found : nil)
      return isKept ? found : nil
    }
  }

  /// Returns whether a node may compare a text with another one of the same length.
  func mayCompare(byteCount: Int) -> Bool {
    byteCount <= Self.smallWeight || state.withLock { $0.room.touch(byteCount) }
  }

  /// Returns whether a node may read a value of a weight.
  func mayRead(_ row: ObjectRef, of owner: ArchiveUID?, weight: Int) -> Bool {
    guard weight > Self.smallWeight else { return true }
    return state.withLock { state in
      let seen = Seen(row: row.rawValue, owner: owner?.rawValue ?? .max)
      guard !state.seen.contains(seen) else { return true }
      // What does not fit leaves room for what is smaller.
      guard state.room.take(weight) else { return false }
      state.seen.insert(seen)
      return true
    }
  }
}

extension BinaryItem {
  /// Whether it is a text or data that takes more than finding it again.
  var isLongContent: Bool { count > 256 && (kind == .data || kind == .ascii || kind == .utf16) }
}
