// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// Inline values: numbers and bytes stored under a key of their object.
extension KeyedArchiver {
  /// Encodes a Boolean inline.
  /// - Parameters:
  ///   - value: The Boolean.
  ///   - key: The key, which the object uses once.
  public func encode(_ value: Bool, forKey key: String) { record(RecordedValue(.boolean, value ? 1 : 0), key) }

  /// Encodes an integer inline.
  /// - Parameters:
  ///   - value: The integer.
  ///   - key: The key, which the object uses once.
  public func encode(_ value: Int, forKey key: String) { encode(Int64(value), forKey: key) }

  /// Encodes an integer inline.
  /// - Parameters:
  ///   - value: The integer.
  ///   - key: The key, which the object uses once.
  public func encode(_ value: Int32, forKey key: String) {
    record(RecordedValue(.int32, UInt64(bitPattern: Int64(value))), key)
  }

  /// Encodes an integer inline.
  /// - Parameters:
  ///   - value: The integer.
  ///   - key: The key, which the object uses once.
  public func encode(_ value: Int64, forKey key: String) {
    record(RecordedValue(.int64, UInt64(bitPattern: value)), key)
  }

  /// Encodes a single-precision number inline.
  /// - Parameters:
  ///   - value: The number.
  ///   - key: The key, which the object uses once.
  public func encode(_ value: Float, forKey key: String) {
    record(RecordedValue(.float, UInt64(value.bitPattern)), key)
  }

  /// Encodes a double-precision number inline.
  /// - Parameters:
  ///   - value: The number.
  ///   - key: The key, which the object uses once.
  public func encode(_ value: Double, forKey key: String) { record(RecordedValue(.double, value.bitPattern), key) }

  /// Encodes bytes inline. To archive data as an object, call ``encode(_:forKey:)-(Value,_)``.
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - key: The key, which the object uses once.
  public func encodeBytes(_ bytes: Data, forKey key: String) {
    record(RecordedValue(.bytes, storage.state.add(data: bytes)), key)
  }
}

// Objects: the parent stores a reference, and the archive stores the object once.
extension KeyedArchiver {
  /// Encodes an object. Instances of classes keep their identity; a struct or enum is a new object each time.
  /// - Parameters:
  ///   - object: The object.
  ///   - key: The key, which the object uses once.
  @inlinable
  public func encode<Value: KeyedCoding>(_ object: Value, forKey key: String) { record(object.record(in: self), key) }

  /// Encodes an object or nil.
  /// - Parameters:
  ///   - object: The object, or nil.
  ///   - key: The key, which the object uses once.
  public func encode(_ object: (any KeyedCoding)?, forKey key: String) {
    record(object.map { $0.record(in: self) } ?? RecordedValue(.null), key)
  }

  /// Encodes a value as an object, even a number, which ``encode(_:forKey:)-(Int,_)`` would store inline.
  ///
  /// Readers that require secure coding and request an object expect this form.
  /// - Parameters:
  ///   - value: The value, or nil.
  ///   - key: The key, which the object uses once.
  @inlinable
  public func encodeObject<Value: KeyedCoding>(_ value: Value?, forKey key: String) {
    guard let value else { return recordNull(key) }
    recordObject(value.record(in: self), key)
  }

  /// Encodes a reference to an object that is archived only if another object archives it unconditionally.
  ///
  /// Otherwise the reference decodes as nil. Use it for references that point back, as to a parent.
  /// - Parameters:
  ///   - object: The object, or nil.
  ///   - key: The key, which the object uses once.
  public func encodeConditionalObject<Object: KeyedCoding & AnyObject>(_ object: Object?, forKey key: String) {
    guard let object else { return record(RecordedValue(.null), key) }
    record(recorded(object, conditional: true), key)
  }

  /// Encodes an object without a key. Objects without keys must be decoded in the same order.
  /// - Parameter object: The object, or nil.
  public func encode(_ object: (any KeyedCoding)?) {
    let value = object.map { $0.record(in: self) } ?? RecordedValue(.null)
    if storage.state.recordUnkeyed(value) { resolve() }
  }

  /// Encodes a conditional reference without a key, as ``encodeConditionalObject(_:forKey:)`` does with one.
  /// - Parameter object: The object, or nil.
  public func encodeConditionalObject<Object: KeyedCoding & AnyObject>(_ object: Object?) {
    let value = object.map { recorded($0, conditional: true) } ?? RecordedValue(.null)
    if storage.state.recordUnkeyed(value) { resolve() }
  }

  /// Records an instance of a class.
  @usableFromInline @inline(never)
  package func recorded(_ object: any KeyedCoding & AnyObject, conditional: Bool) -> RecordedValue {
    storage.state.recorded(
      reference: object, address: UInt(bitPattern: ObjectIdentifier(object)), conditional: conditional)
  }
}

extension KeyedArchiver {
  @usableFromInline
  func recordNull(_ key: String) { record(RecordedValue(.null), key) }

  @usableFromInline
  func recordObject(_ value: RecordedValue, _ key: String) {
    record(value.kind == .value ? value.asElement : value, key)
  }
}

extension KeyedCoding {
  /// Records a struct or enum as a new object.
  /// - Parameter coder: The archiver that records the value.
  /// - Returns: The recorded value.
  @inlinable
  public func record(in coder: KeyedArchiver) -> RecordedValue { coder.recorded(value: self) }
}

extension KeyedCoding where Self: AnyObject {
  /// Records an instance of a class. The same instance is the same object each time.
  /// - Parameter coder: The archiver that records the instance.
  /// - Returns: The recorded value.
  @inlinable
  public func record(in coder: KeyedArchiver) -> RecordedValue { coder.recorded(self, conditional: false) }
}

// Collections.
extension KeyedArchiver {
  /// Encodes an array of references inline, as `NS.objects` is.
  func encodeReferences<Elements: Collection>(
    to elements: Elements, forKey key: String, order: RecordedValue.ArrayOrder = .given
  ) where Elements.Element: KeyedCoding {
    beginReferences(elements.count, forKey: key, order: order)
    if Elements.Element.self is AnyClass { storage.state.reserveReferences(elements.count) }
    for element in elements { append(element.record(in: self)) }
  }

  /// Encodes an inline array of references to elements of several types.
  func encodeReferences(
    toMixed elements: [any KeyedCoding], forKey key: String, order: RecordedValue.ArrayOrder = .given
  ) {
    beginReferences(elements.count, forKey: key, order: order)
    for element in elements { append(element.record(in: self)) }
  }

  /// Encodes the elements of a set, each as `record` records it, in an order that does not depend on hash seeds.
  func encodeSet<Element: Hashable>(_ elements: [Element], _ record: (Element) -> RecordedValue) throws {
    try checkHashes(of: elements)
    let places = PlainValueOrder.places(elements)
    beginReferences(elements.count, forKey: "NS.objects", order: places == nil ? .any : .given)
    if Element.self is AnyClass { storage.state.reserveReferences(elements.count) }
    for place in places ?? Array(elements.indices) { append(record(elements[place])) }
  }

  /// Encodes the pairs of a dictionary, each key and value as a closure records it, in an order that does not depend on hash
  /// seeds.
  func encodeDictionary<Key: Hashable, Value>(
    _ dictionary: [Key: Value], key recordKey: (Key) -> RecordedValue, value recordValue: (Value) -> RecordedValue
  ) throws {
    let (keys, values) = (Array(dictionary.keys), Array(dictionary.values))
    try checkHashes(of: keys)
    let known = PlainValueOrder.places(keys)
    let places = known ?? Array(keys.indices)
    beginReferences(keys.count, forKey: "NS.keys", order: known == nil ? .anyWithNext : .given)
    for place in places { append(recordKey(keys[place])) }
    beginReferences(values.count, forKey: "NS.objects")
    if Value.self is AnyClass { storage.state.reserveReferences(values.count) }
    for place in places { append(recordValue(values[place])) }
  }

  /// Checks that a decoder would accept the keys of a dictionary or the elements of a set.
  private func checkHashes<Value: Hashable>(of values: [Value]) throws {
    guard !EqualHashes.areFew(in: values) else { return }
    throw KeyedArchiveError(
      .notEncodable,
      "too many values of type \(Value.self) have the same hash: found more than \(EqualHashes.maximum), which a decoder "
        + "would reject",
      remedy: "Hash more of the value in hash(into:), or encode an array")
  }

  /// Encodes the elements of a set of several types as `NS.objects`, in an order that depends on their contents only.
  package func encodeElements(inAnyOrder elements: [any KeyedCoding]) {
    if let texts = elements as Any as? [String], let places = PlainValueOrder.places(texts) {
      encodeReferences(toMixed: places.map { elements[$0] }, forKey: "NS.objects")
    } else {
      encodeReferences(toMixed: elements, forKey: "NS.objects", order: .any)
    }
  }

  /// Encodes the keys and values of a dictionary of several types as `NS.keys` and `NS.objects`, in an order that depends
  /// on their contents only.
  package func encodePairs(inAnyOrder keys: [any KeyedCoding], values: [any KeyedCoding]) {
    if let texts = keys as Any as? [String], let places = PlainValueOrder.places(texts) {
      encodeReferences(toMixed: places.map { keys[$0] }, forKey: "NS.keys")
      encodeReferences(toMixed: places.map { values[$0] }, forKey: "NS.objects")
    } else {
      encodeReferences(toMixed: keys, forKey: "NS.keys", order: .anyWithNext)
      encodeReferences(toMixed: values, forKey: "NS.objects")
    }
  }

  /// Begins an inline array of `count` references, each of which ``append(_:)`` adds.
  func beginReferences(_ count: Int, forKey key: String, order: RecordedValue.ArrayOrder = .given) {
    guard isRecordingReferences() else { return }
    record(RecordedValue(RecordedValue.ArrayHead(count: count, order: count > 1 ? order : .given)), key)
    storage.state.openElements = count
  }

  /// Returns whether an object is being encoded. Otherwise, the archiving fails.
  func isRecordingReferences() -> Bool {
    guard !storage.state.isRecording else { return true }
    failWithError(
      KeyedArchiveError(
        .notEncodable, "the elements of a collection were encoded outside any object",
        remedy: "Encode the collection itself, with encode(_:forKey:)"))
    return false
  }

  /// Adds an element to the array that was begun. Nil becomes the null object of collections.
  @inline(__always)
  func append(_ value: RecordedValue) { storage.state.appendOpen(value.asElement) }

  /// Encodes a string inline, as `NS.string` is.
  func encodeText(_ text: String, forKey key: String) {
    record(RecordedValue(.text, storage.state.add(string: text)), key)
  }
}
