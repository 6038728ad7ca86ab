// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

// What a type needs whose values were read as data and are archived again as they stood in the file.
extension KeyedArchiver {
  /// Records a value of the innermost object for a key that is written as it is.
  package func record(_ value: _RecordedValue, storedKey key: String) {
    guard storage.state.isRecording else { return }
    storage.state.node = storage.state.tree.child(of: storage.state.node, rawKey: key)
    storage.state.notes.append(value)
  }

  /// Records an element of the array whose head was recorded last.
  package func record(element value: _RecordedValue) { storage.state.append(value) }

  /// Records a value at the top level for a key that is written as it is, and archives it.
  package func record(topLevel value: _RecordedValue, storedKey key: String) throws {
    if storage.state.recordTop(value, key, isRaw: true) { resolve() }
  }

  /// The order of the keys at the top level, if they are archived as they were read.
  package var topLevelLayout: ArchivedLayout? {
    get { storage.state.topLayout }
    set { storage.state.topLayout = newValue }
  }

  /// How to store a value that was read from a row of an archive: once for all references to that row. Nil for a boolean,
  /// of which there are only two.
  package func recorded(_ value: ArchivePrimitive, row: UInt32, of origin: SourceArchive) -> _RecordedValue? {
    storage.state.note(value, storage.state.identity(row, in: origin))
  }

  /// How to store a value inside the object that encodes it.
  package func recorded(inline value: ArchivePrimitive) -> _RecordedValue {
    switch value {
    case .number(.boolean(let value)): _RecordedValue(.boolean, value ? 1 : 0)
    case .number(.integer(let value)): _RecordedValue(.int64, UInt64(bitPattern: value))
    case .number(.unsigned(let value)): _RecordedValue(.uint64, value)
    case .number(.float(let value)): _RecordedValue(.float, UInt64(value.bitPattern))
    case .number(.double(let value)): _RecordedValue(.double, value.bitPattern)
    case .data(let bytes): _RecordedValue(.bytes, storage.state.keep(bytes))
    case .string(let text): _RecordedValue(.text, storage.state.keep(text))
    }
  }
}

extension _RecordedValue {
  /// A reference to nothing.
  package static var nullReference: Self { Self(.null) }

  /// The head of an array of so many references.
  package static func array(count: Int) -> Self { Self(ArrayHead(count: count)) }

  /// Whether it is stored as a reference.
  package var isReference: Bool {
    switch kind {
    case .boolean, .int32, .int64, .uint64, .float, .double, .bytes, .text, .array, .readValue: false
    default: true
    }
  }
}
