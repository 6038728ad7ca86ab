// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

// Calls for types that archive decoded objects again with the layout of their file.
extension KeyedArchiver {
  /// Records a value of the current object for a key that is written unescaped.
  package func record(_ value: RecordedValue, storedKey key: String) {
    if storage.state.isRecording { storage.state.record(value, rawKey: key) }
  }

  /// Begins an array of `count` references of the current object for a key that is written unescaped.
  package func beginReferences(_ count: Int, storedKey key: String) {
    guard isRecordingReferences() else { return }
    record(RecordedValue(RecordedValue.ArrayHead(count: count)), storedKey: key)
    storage.state.openElements = count
  }

  /// Records an element of the array that was begun. Unlike an element of a collection, it can be nil.
  package func record(element value: RecordedValue) {
    // A struct or enum must not collapse into an inline number, which would be taken for a UID.
    storage.state.appendOpen(value.kind == .value ? value.asElement : value)
  }

  /// Records and resolves a top-level value for a key that is written unescaped.
  package func record(topLevel value: RecordedValue, storedKey key: String) throws {
    if storage.state.recordTop(value, key, isRaw: true) { resolve() }
  }

  /// The decoded order of the top-level keys, if it is to be kept.
  package var topLevelLayout: ArchivedLayout? {
    get { storage.state.topLayout }
    set { storage.state.topLayout = newValue }
  }

  /// Records a primitive that was decoded from a row of an archive. It is stored once for all references to that row.
  /// - Returns: The recorded value; nil for a Boolean, because only two Booleans exist.
  package func recorded(_ value: ArchivePrimitive, row: UInt32, of origin: SourceArchive) -> RecordedValue? {
    storage.state.recorded(value, storage.state.identity(row, in: origin))
  }

  /// Records an inline primitive.
  package func recorded(inline value: ArchivePrimitive) -> RecordedValue {
    switch value {
    case .number(.boolean(let value)): RecordedValue(.boolean, value ? 1 : 0)
    case .number(.integer(let value)): RecordedValue(.int64, UInt64(bitPattern: value))
    case .number(.unsigned(let value)): RecordedValue(.uint64, value)
    case .number(.float(let value)): RecordedValue(.float, UInt64(value.bitPattern))
    case .number(.double(let value)): RecordedValue(.double, value.bitPattern)
    case .data(let bytes): RecordedValue(.bytes, storage.state.add(data: bytes))
    case .string(let text): RecordedValue(.text, storage.state.add(string: text))
    }
  }
}

extension RecordedValue {
  /// A reference to nil.
  package static var nullReference: Self { Self(.null) }

  /// Whether the value is stored as a reference.
  package var isReference: Bool {
    switch kind {
    case .boolean, .int32, .int64, .uint64, .float, .double, .bytes, .text, .array, .decoded: false
    default: true
    }
  }
}

extension KeyedArchiver {
  /// Records the object that represents all values with a name, such as a time zone in the system's cache.
  /// - Parameters:
  ///   - name: The name, which includes the class's name.
  ///   - make: Creates the object the first time.
  /// - Returns: The recorded reference.
  package func recorded(sharedAs name: String, _ make: () -> any KeyedCoding & AnyObject) -> RecordedValue {
    let exact = BytewiseString(name)
    if let known = storage.state.sharedObjects[exact] { return recorded(known, conditional: false) }
    let object = make()
    storage.state.sharedObjects[exact] = object
    return recorded(object, conditional: false)
  }

  /// Returns whether an Apple process stores a string in a tagged pointer, so that equal strings are one object.
  package func isTagged(_ text: String) -> Bool { SharedStrings.tagged(text) != nil }
}

/// A value with one object per program, such as null or a time zone. Equal values are archived once.
package protocol SharedByValue: KeyedCoding {}

extension KeyedArchiveError {
  /// Returns the error for a key that one object encoded twice.
  static func repeatedKey(_ key: String, keyPath: String?, className: String?) -> KeyedArchiveError {
    KeyedArchiveError(
      .notEncodable, "duplicate key '\(key)': two values were encoded for it, and the first would be lost",
      keyPath: keyPath,
      className: className,
      remedy: "Use each key once; a subclass must not reuse the keys of its superclass. To keep the later value, set "
        + "repeatedKeyPolicy to .keepLast")
  }
}
