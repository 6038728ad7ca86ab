// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import PropertyListFormat

/// A string, number, boolean or data, as it stands in an archive without a class record.
public enum ArchivePrimitive: Hashable, Sendable {
  /// A string.
  case string(String)
  /// A number or boolean.
  case number(ArchiveNumber)
  /// Bytes.
  case data(Data)

  /// Equal if the kind and the value are; strings are compared by their bytes.
  public static func == (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.string(let a), .string(let b)): a == b
    case (.number(let a), .number(let b)): a == b
    case (.data(let a), .data(let b)): a == b
    default: false
    }
  }

  /// Hashes the value.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .string(let text): hasher.combine(text)
    case .number(let number): hasher.combine(number)
    case .data(let bytes): hasher.combine(bytes)
    }
  }
}

/// An object that is archived as a bare value, and of which no other takes the place however equal.
package protocol IdentifiedPrimitive: AnyObject, KeyedCoding {
  /// The value.
  var value: ArchivePrimitive { get }
  /// The archive that it was read from.
  var origin: SourceArchive? { get }
  /// The row in that archive's object table.
  var row: UInt32 { get }
}
