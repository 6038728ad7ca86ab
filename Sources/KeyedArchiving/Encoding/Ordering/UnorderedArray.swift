// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// An array of references whose order is not the caller's: the elements of a Swift set, or the keys of a dictionary.
///
/// They were recorded in the order in which Swift enumerates them, which differs from process to process.
struct UnorderedArray {
  /// The place of the array's slot among ``ArchiverState/slots``.
  let slot: Int
  /// Whether the array in the next slot holds a value for each of these keys.
  let isPaired: Bool
  /// The object that holds the array.
  let owner: UInt32

  init(slot: Int, _ head: _RecordedValue.ArrayHead, of owner: UInt32) {
    self.slot = slot
    isPaired = head.order == .anyWithNext
    self.owner = owner
  }
}

/// Elements of an unordered array that what they and their nearest objects hold does not tell apart.
struct TiedElements {
  let slot: Int
  let owner: UInt32
  /// Their places among ``ArchiverState/arrayElements``.
  let places: Range<Int>
  /// How far behind its key the value of each is; nil for a set.
  let distanceToValues: Int?
}

extension ArchiverState {
  /// Keeps the places of conditional references among the elements of an array that is about to be stored.
  mutating func noteConditionalElements(_ places: Range<Int>) {
    for (offset, place) in places.enumerated() where notes[place].kind == .conditionalUID {
      conditionalElements.insert(arrayElements.count + offset)
    }
  }
}
