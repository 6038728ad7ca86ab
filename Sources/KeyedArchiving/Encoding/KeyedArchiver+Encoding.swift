// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// Numbers and bytes stored inside the object that encodes them.
extension KeyedArchiver {
  /// Stores a boolean under a key.
  public func encode(_ value: Bool, forKey key: String) { record(_RecordedValue(.boolean, value ? 1 : 0), key) }

  /// Stores an integer under a key.
  public func encode(_ value: Int, forKey key: String) { encode(Int64(value), forKey: key) }

  /// Stores an integer under a key.
  public func encode(_ value: Int32, forKey key: String) {
    record(_RecordedValue(.int32, UInt64(bitPattern: Int64(value))), key)
  }

  /// Stores an integer under a key.
  public func encode(_ value: Int64, forKey key: String) {
    record(_RecordedValue(.int64, UInt64(bitPattern: value)), key)
  }

  /// Stores a 4-byte real under a key.
  public func encode(_ value: Float, forKey key: String) {
    record(_RecordedValue(.float, UInt64(value.bitPattern)), key)
  }

  /// Stores an 8-byte real under a key.
  public func encode(_ value: Double, forKey key: String) { record(_RecordedValue(.double, value.bitPattern), key) }

  /// Stores bytes under a key, inside the object. Data that is to be an object of its own goes to
  /// ``encode(_:forKey:)-(Value,_)``.
  public func encodeBytes(_ bytes: Data, forKey key: String) {
    record(_RecordedValue(.bytes, storage.state.keep(bytes)), key)
  }
}

// Objects: a reference is stored, and the object itself once in the archive.
extension KeyedArchiver {
  /// Archives a string under a key.
  public func encode(_ value: String, forKey key: String) { record(value._record(in: self), key) }

  /// Archives an object under a key. Classes keep their identity; a struct or enum is a new object each time.
  @inlinable
  public func encode<Value: KeyedCoding>(_ object: Value, forKey key: String) { record(object._record(in: self), key) }

  /// Archives an object, or nil, under a key.
  public func encode(_ object: (any KeyedCoding)?, forKey key: String) {
    record(object.map { $0._record(in: self) } ?? _RecordedValue(.null), key)
  }

  /// Archives a value as an object of its own, also a number, which ``encode(_:forKey:)-(Int,_)`` would store inside the
  /// object that encodes it. Readers that require secure coding and ask for an object expect this form.
  @inlinable
  public func encodeObject<Value: KeyedCoding>(_ value: Value?, forKey key: String) {
    guard let value else { return recordNull(key) }
    recordObject(value._record(in: self), key)
  }

  /// Archives a reference to an object only if the object is archived by somebody else too; else it comes out as nil.
  /// Use it for references that point back, as to a parent.
  public func encodeConditionalObject<Object: KeyedCoding & AnyObject>(_ object: Object?, forKey key: String) {
    guard let object else { return record(_RecordedValue(.null), key) }
    record(note(object, conditional: true), key)
  }

  /// Archives an object without a key. What is decoded without keys must be decoded in the same order.
  public func encode(_ object: (any KeyedCoding)?) {
    let note = object.map { $0._record(in: self) } ?? _RecordedValue(.null)
    if storage.state.recordUnkeyed(note) { resolve() }
  }

  /// Archives a reference without a key, as ``encodeConditionalObject(_:forKey:)`` does with one.
  public func encodeConditionalObject<Object: KeyedCoding & AnyObject>(_ object: Object?) {
    let noted = object.map { note($0, conditional: true) } ?? _RecordedValue(.null)
    if storage.state.recordUnkeyed(noted) { resolve() }
  }

  /// The note of an instance of a class.
  @usableFromInline @inline(never)
  package func note(_ object: any KeyedCoding & AnyObject, conditional: Bool) -> _RecordedValue {
    storage.state.note(
      reference: object, address: UInt(bitPattern: ObjectIdentifier(object)), conditional: conditional)
  }
}

extension KeyedArchiver {
  @usableFromInline
  func recordNull(_ key: String) { record(_RecordedValue(.null), key) }

  @usableFromInline
  func recordObject(_ note: _RecordedValue, _ key: String) { record(note.kind == .value ? note.asElement : note, key) }
}

extension KeyedCoding {
  /// The note of a struct or enum: a new object.
  @inlinable
  public func _record(in coder: KeyedArchiver) -> _RecordedValue { coder.note(value: self) }
}

extension KeyedCoding where Self: AnyObject {
  /// The note of an instance of a class: the same for the same instance.
  @inlinable
  public func _record(in coder: KeyedArchiver) -> _RecordedValue { coder.note(self, conditional: false) }
}

// What collections need beyond the above.
extension KeyedArchiver {
  /// Stores an array of references inside the object that is being encoded, as `NS.objects` is.
  func encodeReferences<Elements: Collection>(
    to elements: Elements, forKey key: String, order: _RecordedValue.ArrayOrder = .given
  ) where Elements.Element: KeyedCoding {
    beginReferences(elements.count, forKey: key, order: order)
    if Elements.Element.self is AnyClass { storage.state.reserveReferences(elements.count) }
    for element in elements { append(element._record(in: self)) }
  }

  /// The same for elements of more than one type.
  func encodeReferences(toMixed elements: [any KeyedCoding], forKey key: String) {
    beginReferences(elements.count, forKey: key)
    for element in elements { append(element._record(in: self)) }
  }

  /// Begins an array of references, as many as `count` says.
  func beginReferences(_ count: Int, forKey key: String, order: _RecordedValue.ArrayOrder = .given) {
    guard storage.state.isRecording else {
      return failWithError(
        KeyedArchiveError(
          .notEncodable, "the elements of a collection were encoded outside of any object",
          remedy: "Encode the collection itself, with encode(_:forKey:)"))
    }
    record(_RecordedValue(_RecordedValue.ArrayHead(count: count, order: count > 1 ? order : .given)), key)
  }

  /// Adds an element to the array that was begun; nil becomes the object that stands for it there.
  @inline(__always)
  func append(_ note: _RecordedValue) { storage.state.append(note.asElement) }

  /// Stores a string inside the object that is being encoded, as `NS.string` is.
  func encodeText(_ text: String, forKey key: String) { record(_RecordedValue(.text, storage.state.keep(text)), key) }
}
