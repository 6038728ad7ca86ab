// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// The memory that coders leave to later coders of their thread.
///
/// Each thread has its own, because a lock or a reference count that threads share takes longer than what is kept saves.
/// It is released when the thread ends. On a system without a known threads library, nothing is kept.
struct ThreadMemory: ~Copyable {
  private static let memories = ThreadLocal<CoderStorage<ThreadMemory>>()

  /// The memory of the current thread.
  static var current: CoderStorage<ThreadMemory> { memories.object { CoderStorage(ThreadMemory()) } }

  /// The state of an archiver that finished a small archive.
  var archiverState: CoderStorage<ArchiverState>?
  /// The state of a decoder of a small archive that was released.
  var unarchiverState: CoderStorage<UnarchiverState>?
  /// The addresses of the thread's stack; nil if the system does not provide them.
  ///
  /// glibc reads `/proc/self/maps` for those of the main thread, which takes 250,000 instructions. musl returns the part that
  /// is in use, which grows. A program that lowers the limit on the stack of its main thread must do so before it decodes.
  var stackBounds: Range<UInt>? {
    mutating get {
      #if canImport(Musl)
        return ThreadStack.bounds()
      #else
        return fixedStackBounds
      #endif
    }
  }
  private lazy var fixedStackBounds = ThreadStack.bounds()
  var typeFacts = TypeFacts.Cache()
  /// The default class names of types, which depend on nothing but the types.
  var typeNames: [ObjectIdentifier: String] = [:]
}

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
    pathBudget = Self.maximumPathBudget
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
      && conditionalElements.isEmpty && finalUIDs.isEmpty && decodedPrimitives.isEmpty && originNumbers.isEmpty
      && decodedStrings.isEmpty
      && decodedNumbers.isEmpty && topLayout == nil && typeOfVariant.isEmpty && sharedObjects.isEmpty
      && repeatedKeys.isEmpty && topKeySet.isEmpty && classNames.isEmpty && typeLayoutCount >= 0
  }

  /// Whether the state would keep little memory. ``TrivialArray/empty()`` limits the arrays of trivial elements.
  private var isSmall: Bool {
    types.count <= KeyTrie.linearSearchLimit && classRecords.isEmpty && values.capacity <= Self.reusedCapacity
      && trie.isReusable
  }
}

/// The states of decoders of small archives, which the next decoders of the same thread use.
///
/// A reused state has the memory of its arrays and the names of its keys. Everything else is the next archive's own: its
/// bytes, the allow-list decisions, the decoded objects, and the settings of its decoder.
enum IdleUnarchiverStates {
  /// Returns a state that begins to decode an archive.
  static func storage(
    reading source: consuming ArchiveSource
  ) throws(KeyedArchiveError) -> CoderStorage<UnarchiverState> {
    guard source.bytes.count <= UnarchiverState.reusedByteCount,
      let idle = ThreadMemory.current.state.unarchiverState.take()
    else {
      return CoderStorage(try UnarchiverState(source))
    }
    try idle.state.begin(source)
    return idle
  }

  /// Adds the state of a released decoder, if another one can use it.
  static func add(_ storage: CoderStorage<UnarchiverState>) {
    guard storage.state.isReusable else { return }
    // The `deinit` of an object runs here, while no access to the state is open.
    var instances = storage.state.objects.takeInstances()
    instances.removeAll(keepingCapacity: instances.capacity <= 64)
    storage.state.prepareForReuse(instances)
    ThreadMemory.current.state.unarchiverState = storage
  }
}
