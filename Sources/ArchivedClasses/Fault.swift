// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
import PropertyListFormat

/// The reason why a value is invalid. A decoder rejects such a value, so it is not archived either: a saved file could
/// not be opened again.
struct Fault {
  var code: KeyedArchiveError.Code
  var detail: String
  /// The key of the invalid or missing value.
  var key: String?

  init(_ detail: String, code: KeyedArchiveError.Code = .malformedValue, key: String? = nil) {
    self.code = code
    self.detail = detail
    self.key = key
  }
}

extension KeyedUnarchiver {
  /// Throws an error if a decoded value is invalid.
  func check(_ fault: Fault?) throws {
    guard let fault else { return }
    throw KeyedArchiveError(
      fault.code, fault.detail, at: place(to: fault.key),
      remedy: fault.code == .malformedValue ? nil : PropertyListError.useAnotherCopy)
  }
}

extension KeyedArchiver {
  /// Returns whether a value is valid. Archiving fails if it is not.
  func isValid(_ fault: Fault?) -> Bool {
    guard let fault else { return true }
    failWithError(
      KeyedArchiveError(
        .notEncodable, fault.detail, remedy: "Correct the value: a decoder would reject it"))
    return false
  }
}

/// A real as it was stored: in 4 bytes, in 8 bytes, or as an integer. A value that did not change is stored likewise.
struct StoredReal: Sendable {
  /// The number if it was not stored in 8 bytes.
  private var stored: ArchiveNumber?
  /// The value; nil if no value is stored.
  var value: Double? {
    didSet { if value != oldValue { stored = nil } }
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
