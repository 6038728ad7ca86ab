// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The notes of all objects in work, those of an object behind those of its parent.
///
/// Kinds and payloads are kept apart: a long chain has the notes of all its objects here at once, and nine bytes for each
/// are less than sixteen.
struct NoteStack {
  private var payloads: [UInt64] = []
  private var kinds: [_ArchiverNote.Kind] = []

  @inline(__always)
  var count: Int { payloads.count }

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
    kinds.append(note.kind)
    payloads.append(note.payload)
  }

  @inline(__always)
  mutating func removeLast(_ count: Int) {
    kinds.removeLast(count)
    payloads.removeLast(count)
  }
}
