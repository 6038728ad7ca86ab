// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// The notes of all objects in work, those of an object behind those of its parent.
///
/// Kinds and payloads are kept apart: a long chain has the notes of all its objects here at once, and nine bytes for each
/// are less than sixteen.
struct RecordStack: ~Copyable {
  private var payloads: TrivialArray<UInt64>
  private var kinds: TrivialArray<_RecordedValue.Kind>

  init(from block: inout SmallArena) {
    payloads = TrivialArray(12, from: &block)
    kinds = TrivialArray(12, from: &block)
  }

  /// A stack that makes room when it is used.
  init() {
    payloads = TrivialArray()
    kinds = TrivialArray()
  }

  @inline(__always)
  var count: Int { kinds.count }

  @inline(__always)
  subscript(place: Int) -> _RecordedValue {
    get { _RecordedValue(kinds[place], payloads[place]) }
    set {
      kinds[place] = newValue.kind
      payloads[place] = newValue.payload
    }
  }

  @inline(__always)
  mutating func append(_ note: _RecordedValue) {
    kinds.append(note.kind)
    payloads.append(note.payload)
  }

  @inline(__always)
  mutating func removeAll(from place: Int) {
    kinds.removeAll(from: place)
    payloads.removeAll(from: place)
  }
}
