// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// An array whose elements were noted when it was, in code compiled for its type.
///
/// Otherwise it would wait as a value of any type until its turn comes, and then go through its elements in code for any
/// type, which costs several times as much for each of them. Numbers are given when its turn comes, as to any other.
struct RecordedArray: BitwiseCopyable {
  var type: Int32
  /// Where its elements begin among ``ArchiverState/collected``, and how many there are.
  var start: Int
  var count: Int
}

extension ArchiverState {
  /// Makes room for the notes of so many elements; nil where somebody may want to see the array itself.
  mutating func beginCollection(_ type: ObjectIdentifier, count: Int) -> NoteOfCollection {
    guard !hasDelegate else { return .impossible }
    guard let number = typeNumber(type) else { return .unknownType }
    guard !types[number].replaces, !types[number].varies else { return .impossible }
    guard !hasFailed, mayCollect(count) else { return .impossible }
    let start = collected.count
    for _ in 0..<count { collected.append(_RecordedValue(.null)) }
    collections.append(RecordedArray(type: Int32(truncatingIfNeeded: number), start: start, count: count))
    return .begun(collections.count - 1, start)
  }

  /// Archives a collection in waiting: its elements become the notes of an object with one key.
  mutating func settleCollection(_ cursor: Int, _ number: Int) -> Step {
    let collection = collections[number]
    guard begin(cursor, add(Entry(.null)), Int(collection.type), .element) else { return .settled }
    if hasDelegate { objectsInWork.append(nil) }
    frames[frames.count &- 1].node = tree.child(of: node, key: "NS.objects")
    notes.append(_RecordedValue(_RecordedValue.ArrayHead(count: collection.count)))
    for place in collection.start..<collection.start &+ collection.count { notes.append(collected[place].asElement) }
    // The last one to come is the first to go nearly always; others go with the object that has them.
    if number == collections.count &- 1 {
      forgetCollections(from: number, collection.start)
      frames[frames.count &- 1].collections = collections.count
      frames[frames.count &- 1].collected = collected.count
      // The notes of a large one are gone through now; nobody else is likely to need as much room.
      if collection.count > 4096, collected.isEmpty { collected = TrivialArray() }
    }
    return .entered
  }
}

extension ArchiverState {
  /// Takes collections in waiting, and their elements, off their stacks down to these counts.
  @inline(__always)
  mutating func forgetCollections(from collection: Int, _ element: Int) {
    if collections.count > collection { collections.removeAll(from: collection) }
    if collected.count > element { collected.removeAll(from: element) }
  }
}

/// What became of the wish to note an array by its elements.
@usableFromInline
enum NoteOfCollection {
  /// Its number among those in waiting, and where the notes of its elements go.
  case begun(Int, Int)
  case unknownType
  case impossible
}

extension KeyedArchiver {
  /// The note of an array.
  @inlinable
  package func note<Element: KeyedCoding>(array: [Element]) -> _RecordedValue {
    guard
      case .begun(let number, let start) = beginCollection(
        [Element].self, ObjectIdentifier([Element].self), array.count)
    else { return note(value: array) }
    if Element.self is AnyClass { reserveReferences(array.count) }
    for place in array.indices { setCollected(start &+ place, array[place]._record(in: self)) }
    return noteOfCollection(number)
  }

  @usableFromInline
  func beginCollection(_ type: any KeyedCoding.Type, _ id: ObjectIdentifier, _ count: Int) -> NoteOfCollection {
    let begun = storage.state.beginCollection(id, count: count)
    guard case .unknownType = begun else { return begun }
    describe(type)
    return storage.state.beginCollection(id, count: count)
  }

  @usableFromInline
  func setCollected(_ place: Int, _ note: _RecordedValue) { storage.state.collected[place] = note }

  @usableFromInline
  func noteOfCollection(_ number: Int) -> _RecordedValue {
    _RecordedValue(.collection, UInt64(truncatingIfNeeded: number))
  }

  @usableFromInline
  func reserveReferences(_ count: Int) { storage.state.reserveReferences(count) }

  @usableFromInline
  func note(value: any KeyedCoding) -> _RecordedValue { storage.state.note(value: value) }
}
