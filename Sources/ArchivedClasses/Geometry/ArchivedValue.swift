// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchives
public import KeyedArchiving

/// What an `NSValue` holds, where that is not known beforehand.
public enum ArchivedValue: SecureKeyedCoding {
  /// A point.
  case point(ArchivedPoint)
  /// A size.
  case size(ArchivedSize)
  /// A rectangle.
  case rect(ArchivedRect)
  /// A range.
  case range(ArchivedRange)
  /// Distances from the edges.
  case edgeInsets(ArchivedEdgeInsets)
  /// Anything else, such as a structure of C.
  case other(ArchivedObject)

  /// `NSValue`.
  public static var archiveClassName: String { "NSValue" }

  /// Stores what it holds.
  public func encode(with coder: KeyedArchiver) throws {
    switch self {
    case .point(let value): value.encode(with: coder)
    case .size(let value): value.encode(with: coder)
    case .rect(let value): value.encode(with: coder)
    case .range(let value): value.encode(with: coder)
    case .edgeInsets(let value): value.encode(with: coder)
    case .other(let object): try object.encode(with: coder)
    }
  }

  /// Reads what the value says it holds.
  public init?(coder: KeyedUnarchiver) throws {
    switch try coder.bare(Int.self, "NS.special") {
    case 1: self = .point(try ArchivedPoint.made(by: coder))
    case 2: self = .size(try ArchivedSize.made(by: coder))
    case 3: self = .rect(try ArchivedRect.made(by: coder))
    case 4: self = .range(try ArchivedRange.made(by: coder))
    case 12: self = .edgeInsets(try ArchivedEdgeInsets.made(by: coder))
    case nil, 0: self = .other(try ArchivedObject.made(by: coder))
    case let kind?: throw coder.malformed("'NS.special' of a value is \(kind), which stands for no kind that is known")
    }
  }
}
