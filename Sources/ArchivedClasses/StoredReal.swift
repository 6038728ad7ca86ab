// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving

/// A real as it was stored: in 4 bytes, in 8 bytes, or as an integer. A value that did not change is stored likewise.
struct StoredReal: Sendable {
  /// The number if it was not stored in 8 bytes.
  private var stored: ArchiveNumber?
  /// The value; nil if no value is stored.
  var value: Double? {
    // By bits, because -0.0 and 0.0 are equal.
    didSet { if value?.bitPattern != oldValue?.bitPattern { stored = nil } }
  }

  /// The value for properties of 4 bytes. A new value is stored in 4 bytes.
  var float: Float? {
    get { value.map { Float($0) } }
    set { if float?.bitPattern != newValue?.bitPattern { self = StoredReal(newValue) } }
  }

  init(_ value: Double? = nil) { self.value = value }

  /// Creates a value that is stored in 4 bytes.
  init(_ value: Float?) {
    self.value = value.map { Double($0) }
    stored = value.map { .float($0) }
  }

  /// Decodes a finite number, if the key is present.
  init(_ coder: KeyedUnarchiver, _ key: String) throws {
    value = try coder.real(key)
    let number = try coder.primitive(ArchiveNumber.self, key)
    if case .double? = number { stored = nil } else { stored = number }
  }

  /// Decodes a finite number that must be present.
  init(needed key: String, _ coder: KeyedUnarchiver) throws {
    self = try Self(coder, key)
    if value == nil { value = try coder.finite(key) }
  }

  /// Encodes the value, which must be finite, if it is not nil. A new value is stored in 8 bytes.
  func encode(with coder: KeyedArchiver, _ key: String) {
    guard let value else { return }
    guard let stored else { return coder.encode(finite: value, forKey: key) }
    coder.record(stored.record(in: coder).inlined, key)
  }
}

// The form in which a number was stored is not part of the value.
extension StoredReal: Hashable {
  static func == (a: Self, b: Self) -> Bool { a.value == b.value }

  func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
