// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import PropertyListFormat

/// An error that describes why a value or a store cannot be read or written.
///
/// Match on ``code``. The other properties describe the position and the remedy. Two errors are equal if their codes
/// and keys are.
public struct DefaultsError: Error, Sendable {
  /// The kind of an error. Later versions can add codes, so a `switch` over codes needs a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The stable name of the code.
    public let name: String

    /// Creates a code. Custom stores and conversions can define additional codes.
    /// - Parameter name: The stable name of the code.
    public init(_ name: String) { self.name = name }

    /// The stable name of the code.
    public var description: String { name }

    /// The stored property-list value cannot be decoded as the key's type. It is unchanged.
    public static let undecodable = Code("undecodable")
    /// The value cannot be encoded.
    public static let unencodable = Code("unencodable")
    /// The store cannot be read.
    public static let cannotRead = Code("cannotRead")
    /// The store cannot be written. It is unchanged.
    public static let cannotWrite = Code("cannotWrite")
    /// The store is changed, but a loss of power can undo that: the folder of its file cannot be flushed.
    public static let notDurable = Code("notDurable")
    /// The file is damaged. The store renames it before it writes a new one.
    public static let damaged = Code("damaged")
    /// Another process holds the file's lock for too long.
    public static let busy = Code("busy")
    /// Another store is the default one of this process.
    public static let alreadyChosen = Code("alreadyChosen")
    /// A store was changed inside of a transaction on itself.
    public static let nestedTransaction = Code("nestedTransaction")
    /// A migration failed and changed nothing.
    public static let migrationFailed = Code("migrationFailed")
  }

  /// The kind of the error.
  public var code: Code
  /// The key, if the error concerns one.
  public var key: String?
  /// The path of the file, if the error concerns one.
  public var path: String?
  /// The description of the problem: what was found and what was expected.
  public var detail: String
  /// The remedy, if one is known.
  public var remedy: String?
  /// The underlying error, for example of a decoder, with its coding path.
  public var underlying: (any Error)?

  /// Creates an error.
  /// - Parameters:
  ///   - code: The kind of the error.
  ///   - key: The key, if the error concerns one.
  ///   - path: The path of the file, if the error concerns one.
  ///   - detail: The description of the problem.
  ///   - remedy: The remedy, if one is known.
  ///   - underlying: The underlying error.
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

extension DefaultsError {
  /// Creates the error of a change that failed with an error of any type.
  package init(_ error: any Error, key: String? = nil) {
    self = error as? Self ?? Self(.cannotWrite, key: key, "\(error)", underlying: error)
  }
}

extension DefaultsError: Equatable {
  /// Compares the codes and keys of two errors.
  /// - Parameters:
  ///   - a: An error.
  ///   - b: Another error.
  /// - Returns: `true` if the codes and the keys are equal.
  public static func == (a: Self, b: Self) -> Bool { a.code == b.code && a.key == b.key }
}

extension DefaultsError: CustomStringConvertible, LocalizedError {
  /// The file and key, the detail, and the remedy.
  public var description: String {
    let position = [path, key.map { "'\($0)'" }].compactMap(\.self).joined(separator: ", ")
    let text = [detail, remedy].compactMap(\.self).joined(separator: ". ")
    return position.isEmpty ? text : "\(position): \(text)"
  }

  /// The text of ``description``.
  public var errorDescription: String? { description }
}

extension DefaultsError {
  /// Returns the description of an error in one line. For errors of coders it starts with the coding path.
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
