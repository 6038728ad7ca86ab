// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The notes of all objects in work, those of an object behind those of its parent.
///
/// Kinds and payloads are kept apart: a long chain has the notes of all its objects here at once, and nine bytes for each
/// are less than sixteen.
struct NoteStack {
  private var payloads: [UInt64] = []
  private var kinds: [_ArchiverNote.Kind] = []

  /// How many there are. What lies behind them in the arrays is left over and written over.
  private(set) var count = 0

  @inline(__always)
  subscript(place: Int) -> _ArchiverNote {
    get { _ArchiverNote(kinds[place], payloads[place]) }
    set {
      kinds[place] = newValue.kind
      payloads[place] = newValue.payload
    }
  }

  @inline(__always)
  mutating func append(_ note: _ArchiverNote) {
    if count < kinds.count {
      self[count] = note
    } else {
      kinds.append(note.kind)
      payloads.append(note.payload)
    }
    count &+= 1
  }

  @inline(__always)
  mutating func removeAll(from place: Int) { count = place }
}
