// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// The states of archivers that finished a small archive, which the next archivers of the same thread use.
///
/// A third of the cost of a small archive was to create and to destroy a state. A reused state has the memory of its
/// arrays and the trie of its types' keys. Each archive describes its types again, because a type may compute its names.
///
/// A thread keeps one state, and the size of the state is limited.
enum IdleArchiverStates {
  /// Removes and returns the thread's state for the layout `.apple`, or returns nil if it has none.
  static func take() -> CoderStorage<ArchiverState>? { ThreadMemory.current.state.archiverState.take() }

  /// Keeps the state of a released archiver, if another one can use it.
  static func add(_ storage: CoderStorage<ArchiverState>) {
    if storage.state.prepareForReuse() { ThreadMemory.current.state.archiverState = storage }
  }
}

extension ArchiverState {
  /// The number of elements for which a reused state keeps the memory of an array.
  static let reusedCapacity = 256

  /// Returns the state to its beginning, except for ``requiresSecureCoding``. Returns `false` if it is not worth that:
  /// the archive was large, was not finished, or needed what small archives seldom need.
  mutating func prepareForReuse() -> Bool {
    guard isFinished, isEncoded, !hasFailed, !isResolving, layout == .apple, isOrdinary, isSmall else {
      return false
    }
    entries.append(Entry(.null))
    hasConditionals = false
    for index in types.indices {
      types[index].uid = 0
      types[index].isCurrent = false
    }
    for index in recentTypes.indices { recentTypes[index].id = nil }
    trie.removeKeyLayouts(from: typeLayoutCount)
    typeLayoutCount = -1
    topCursor = 0
    node = -1
    unkeyedCount = 0
    openElements = 0
    topUnkeyedCount = 0
    encodedObject = EncodedObject()
    booleanUIDs = (0, 0)
    nullObjectUID = 0
    hasDelegate = false
    repeatedKeyPolicy = .fail
    maximumObjectCount = Self.defaultObjectCount
    maximumByteCount = Self.defaultByteCount
    outputFormat = .binary
    archiverName = ArchiveEnvelope.defaultArchiverName
    encoded = nil
    isFinished = false
    return true
  }

  /// Whether all that the archive recorded is archived and released, and none of it was of a rare kind.
  private var isOrdinary: Bool {
    entries.isEmpty && records.isEmpty && strings.isEmpty && data.isEmpty && references.isEmpty && values.isEmpty
      && valuesToRelease.isEmpty && collected.isEmpty && collections.isEmpty && frames.isEmpty && !isRecording
      && currentObjects.isEmpty && !hasSubject && singleValue == nil && unorderedArrays.isEmpty
      && conditionalElements.isEmpty && decodedPrimitives.isEmpty && originNumbers.isEmpty && decodedStrings.isEmpty
      && decodedNumbers.isEmpty && topLayout == nil && typeOfVariant.isEmpty && sharedObjects.isEmpty
      && repeatedKeys.entries.isEmpty && topKeySet.isEmpty && classNames.isEmpty && typeLayoutCount >= 0
  }

  /// Whether the state would keep little memory. ``TrivialArray/empty()`` limits the arrays of trivial elements.
  private var isSmall: Bool {
    types.count <= KeyTrie.linearSearchLimit && classRecords.isEmpty && values.capacity <= Self.reusedCapacity
      && trie.isReusable
  }
}
