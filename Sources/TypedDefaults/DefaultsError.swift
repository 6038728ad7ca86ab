// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import PropertyListFormat

/// Why a value or a store could not be read or written.
///
/// Match on ``code``; the rest says where it happened and what to do. Two errors are equal when code and key are.
public struct DefaultsError: Error, Sendable {
  /// What went wrong. New codes may be added, so a `switch` over codes needs a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The stable name of the code.
    public let name: String

    /// Makes a code; for stores and conversions with mistakes of their own.
    public init(_ name: String) { self.name = name }

    /// The stable name of the code.
    public var description: String { name }

    /// What is stored is not what the key's type is stored as. It stays where it is.
    public static let undecodable = Code("undecodable")
    /// The value could not be encoded.
    public static let unencodable = Code("unencodable")
    /// The store could not be read.
    public static let cannotRead = Code("cannotRead")
    /// The store could not be written; it holds what it held before.
    public static let cannotWrite = Code("cannotWrite")
    /// The file is damaged. It is set aside, whole, before another takes its place.
    public static let damaged = Code("damaged")
    /// Another process holds the file's lock for too long.
    public static let busy = Code("busy")
    /// A change was made within a transaction, but not by way of it.
    public static let nestedTransaction = Code("nestedTransaction")
    /// A migration failed; everything is as it was before it.
    public static let migrationFailed = Code("migrationFailed")
  }

  /// What went wrong.
  public var code: Code
  /// The key concerned, if it is about one.
  public var key: String?
  /// The file concerned, if it is about one.
  public var path: String?
  /// What was expected and what was found, for people.
  public var detail: String
  /// What to do about it, for people.
  public var remedy: String?
  /// The error below this one: of a coder, with the place in the value.
  public var underlying: (any Error)?

  /// Makes an error.
  public init(
    _ code: Code, key: String? = nil, path: String? = nil, _ detail: String, remedy: String? = nil,
    underlying: (any Error)? = nil
  ) {
    self.code = code
    self.key = key
    self.path = path
    self.detail = detail
    self.remedy = remedy
    self.underlying = underlying
  }
}

extension DefaultsError: Equatable {
  /// Equal when code and key are.
  public static func == (a: Self, b: Self) -> Bool { a.code == b.code && a.key == b.key }
}

extension DefaultsError: CustomStringConvertible, LocalizedError {
  /// Where, what, and what to do.
  public var description: String {
    let place = [path, key.map { "'\($0)'" }].compactMap(\.self).joined(separator: ", ")
    let text = [detail, remedy].compactMap(\.self).joined(separator: ". ")
    return place.isEmpty ? text : "\(place): \(text)"
  }

  /// The same text as ``description``.
  public var errorDescription: String? { description }
}

extension DefaultsError {
  /// What the errors of coders say, in one line.
  static func reason(_ error: any Error) -> String {
    func text(_ context: String, _ path: [any CodingKey]) -> String {
      path.isEmpty ? context : "\(path.map(\.stringValue).joined(separator: ".")): \(context)"
    }
    switch error {
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.keyNotFound(_, let context), DecodingError.dataCorrupted(let context):
      return text(context.debugDescription, context.codingPath)
    case EncodingError.invalidValue(_, let context): return text(context.debugDescription, context.codingPath)
    default: return "\(error)"
    }
  }
}
