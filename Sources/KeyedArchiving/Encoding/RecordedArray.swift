// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// An array whose elements were recorded together with it, by code specialized for the element type.
///
/// Recorded as an existential, it would be enumerated later by unspecialized code at several times the cost. UIDs are
/// still assigned in its turn, so the bytes are the same.
struct RecordedArray: BitwiseCopyable {
  var type: Int32
  /// The elements' start and count in ``ArchiverState/collected``.
  var start: Int
  var count: Int
}

extension ArchiverState {
  /// The number of arrays in each other that are recorded by recursion.
  private static var maximumOpenElements: Int { 32 }

  /// Adds a pending array with a placeholder for each element. Returns `.impossible` if a delegate may need the array
  /// itself, or if it is in too many others.
  mutating func beginCollection(_ type: ObjectIdentifier, count: Int) -> CollectionRecording {
    // Deeper arrays are recorded as values, which takes no more stack.
    guard !hasDelegate, openElements < Self.maximumOpenElements else { return .impossible }
    guard let number = typeNumber(type) else { return .unknownType }
    guard !types[number].replaces, !types[number].varies else { return .impossible }
    guard !hasFailed, mayCollect(count) else { return .impossible }
    let start = collected.count
    collected.reserve(more: count)
    for _ in 0..<count { collected.append(RecordedValue(.null)) }
    collections.append(RecordedArray(type: Int32(truncatingIfNeeded: number), start: start, count: count))
    openElements &+= 1
    return .begun(collections.count - 1, start)
  }

  /// Begins a pending array: its elements become the recorded values of an object with one key.
  mutating func resolveCollection(_ cursor: Int, _ number: Int) -> Step {
    let collection = collections[number]
    guard begin(cursor, add(Entry(.null)), Int(collection.type), .element) else { return .finished }
    frames[frames.count &- 1].node = trie.child(of: node, key: "NS.objects")
    records.reserve(more: collection.count &+ 1)
    records.append(RecordedValue(RecordedValue.ArrayHead(count: collection.count)))
    // The last pending array is nearly always resolved first; others are removed with their object.
    let isLast = number == collections.count &- 1
    let end = collection.start &+ collection.count
    var first = collection.start
    // The elements of a large array are discarded while they are copied.
    while isLast, end &- first > UnreadParts.size {
      for index in first..<first &+ UnreadParts.size { records.append(collected[index].asElement) }
      collected.discard(first..<first &+ UnreadParts.size)
      first &+= UnreadParts.size
    }
    for index in first..<end { records.append(collected[index].asElement) }
    if isLast {
      forgetCollections(from: number, collection.start)
      frames[frames.count &- 1].collections = collections.count
      frames[frames.count &- 1].collected = collected.count
      // After a large array, later ones are unlikely to need as much memory.
      if collection.count > 4096, collected.isEmpty { collected.empty(keepingMapping: true) }
    }
    return .collectionBegun
  }
}

extension ArchiverState {
  /// Removes pending collections and their elements until these numbers remain.
  @inline(__always)
  mutating func forgetCollections(from collection: Int, _ element: Int) {
    if collections.count > collection { collections.removeAll(from: collection) }
    if collected.count > element { collected.removeAll(from: element) }
  }
}

/// The result of beginning to record an array by its elements.
@usableFromInline
enum CollectionRecording {
  /// The index of the pending array, and the start of its elements.
  case begun(Int, Int)
  case unknownType
  case impossible
}

extension KeyedArchiver {
  @usableFromInline
  func beginCollection(_ type: any KeyedCoding.Type, _ id: ObjectIdentifier, _ count: Int) -> CollectionRecording {
    let begun = storage.state.beginCollection(id, count: count)
    guard case .unknownType = begun else { return begun }
    describe(type)
    return storage.state.beginCollection(id, count: count)
  }

  @usableFromInline
  func setCollected(_ index: Int, _ value: RecordedValue) { storage.state.collected[index] = value }

  @usableFromInline
  func recordedCollection(_ number: Int) -> RecordedValue {
    storage.state.openElements &-= 1
    return RecordedValue(.collection, UInt64(truncatingIfNeeded: number))
  }

  @usableFromInline
  func reserveReferences(_ count: Int) { storage.state.reserveReferences(count) }

  @usableFromInline
  func reserveStrings(_ count: Int) { storage.state.reserveStrings(count) }

  @usableFromInline
  func recorded(value: any KeyedCoding) -> RecordedValue { storage.state.recorded(value: value) }
}
