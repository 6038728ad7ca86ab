// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
import KeyedArchiving
import PropertyListFormat

extension KeyedArchive.StoredValue {
  /// Whether it is a string, number, boolean or data.
  var isPlain: Bool {
    switch self {
    case .boolean, .integer, .wideInteger, .float, .double, .string, .data: true
    case .reference, .date, .array, .dictionary: false
    }
  }

  /// Whether another value is the same in the same form, bit for bit.
  func isIdentical(to other: Self) -> Bool {
    switch (self, other) {
    case (.reference(let a), .reference(let b)): a == b
    case (.array(let a), .array(let b)): a.count == b.count && zip(a, b).allSatisfy { $0.isIdentical(to: $1) }
    case (.dictionary(let a), .dictionary(let b)): a.isIdentical(to: b)
    default: likeness(to: other) == .same
    }
  }

  /// What it is, for messages.
  var text: String {
    switch self {
    case .reference(.null): "nil"
    case .reference(let uid): "the object \(uid)"
    default: ArchiveDifference.Value.plain(self, nil).description
    }
  }

  /// The number as another kind of number; nil if that one has no such value, or this is no number.
  func converted(to kind: MigrationRule.NumberKind) -> Self? {
    switch (self, kind) {
    case (.boolean, .boolean), (.float, .float), (.double, .double), (.integer, .integer), (.wideInteger, .integer):
      self
    case (.boolean(let value), .integer): .integer(value ? 1 : 0)
    case (.integer(let value), .boolean): value == 0 || value == 1 ? .boolean(value == 1) : nil
    case (.integer(let value), .float): Float(exactly: value).map { .float($0) }
    case (.integer(let value), .double): Double(exactly: value).map { .double($0) }
    case (.wideInteger(let value), _): Int64(exactly: value).flatMap { Self.integer($0).converted(to: kind) }
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
  /// Whether others are the same in the same order, bit for bit.
  func isIdentical(to other: Self) -> Bool {
    count == other.count
      && zip(self, other).allSatisfy { $0.key.hasSameBytes(as: $1.key) && $0.value.isIdentical(to: $1.value) }
  }
}
