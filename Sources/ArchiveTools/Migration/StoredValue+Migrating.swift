// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
import KeyedArchiving
import PropertyListFormat

extension KeyedArchive.StoredValue {
  /// Whether the value is a string, number, Boolean or data.
  var isPrimitive: Bool { primitiveKind.map { $0 != .date } ?? false }

  /// Returns whether another value is equal bit for bit, in the same form.
  ///
  /// The values may be those of two archives, between which `primitives` compares.
  func isIdentical(to other: Self, by primitives: PrimitiveComparison? = nil) -> Bool {
    switch (self, other) {
    case (.reference(let a), .reference(let b)): a == b
    case (.array(let a), .array(let b)):
      a.count == b.count && zip(a, b).allSatisfy { $0.isIdentical(to: $1, by: primitives) }
    case (.dictionary(let a), .dictionary(let b)): a.isIdentical(to: b, by: primitives)
    default: (primitives?.match(self, other) ?? match(with: other)) == .equal
    }
  }

  /// A description for messages.
  var text: String {
    switch self {
    case .reference(.null): "nil"
    case .reference(let uid): "the object \(uid)"
    default: ArchiveDifference.Value.primitive(self, nil).description
    }
  }

  /// Returns the number converted to another kind, or nil if the value is not a number or not exactly representable. A
  /// Boolean becomes only an integer, and only an integer becomes a Boolean.
  func converted(to kind: MigrationRule.NumberKind) -> Self? {
    switch (self, kind) {
    case (.boolean, .boolean), (.float, .float), (.double, .double), (.integer, .integer), (.wideInteger, .integer):
      self
    case (.boolean(let value), .integer): .integer(value ? 1 : 0)
    case (.integer(let value), .boolean): value == 0 || value == 1 ? .boolean(value == 1) : nil
    case (.integer(let value), .float): Float(exactly: value).map { .float($0) }
    case (.integer(let value), .double): Double(exactly: value).map { .double($0) }
    case (.wideInteger(let high, let low), _):
      Int64(exactly: WideInteger(high: high, low: low)).flatMap { Self.integer($0).converted(to: kind) }
    case (.float(let value), .double):
      Float(Double(value)).bitPattern == value.bitPattern ? .double(Double(value)) : nil
    case (.double(let value), .float):
      Double(Float(value)).bitPattern == value.bitPattern ? .float(Float(value)) : nil
    case (.float(let value), .integer): Self.double(Double(value)).converted(to: kind)
    // The sign of -0 would be lost.
    case (.double(let value), .integer):
      value.bitPattern == (-0.0).bitPattern ? nil : Int64(exactly: value).map { .integer($0) }
    default: nil
    }
  }
}

extension [KeyedArchive.Entry] {
  /// Returns whether other entries are equal bit for bit, in the same order.
  func isIdentical(to other: Self, by primitives: PrimitiveComparison? = nil) -> Bool {
    count == other.count
      && zip(self, other).allSatisfy {
        $0.key.hasSameBytes(as: $1.key) && $0.value.isIdentical(to: $1.value, by: primitives)
      }
  }
}
