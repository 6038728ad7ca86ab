// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving

// A Codable model needs no code to be archived. Its archive is the same as that of `KeyedArchiveEncoder`.
extension DocumentModel where Self: Codable {
  /// Encodes the values that `encode(to:)` encodes.
  /// - Parameter coder: The archiver that encodes this value.
  /// - Throws: Any error of `encode(to:)`.
  public func encode(with coder: KeyedArchiver) throws { try CodableContent(self).encode(with: coder) }

  /// Creates a value with `init(from:)`.
  /// - Parameter coder: The unarchiver that decodes this value.
  /// - Throws: Any error of `init(from:)`.
  public init(coder: KeyedUnarchiver) throws { self = try CodableContent<Self>(coder: coder).model }
}

// Without these, the compiler could not choose between the methods above and those of `KeyedCodable`.
extension DocumentModel where Self: KeyedCodable {
  /// Encodes the values that `encode(to:)` encodes.
  /// - Parameter coder: The archiver that encodes this value.
  /// - Throws: Any error of `encode(to:)`.
  public func encode(with coder: KeyedArchiver) throws { try CodableContent(self).encode(with: coder) }

  /// Creates a value with `init(from:)`.
  /// - Parameter coder: The unarchiver that decodes this value.
  /// - Throws: Any error of `init(from:)`.
  public init(coder: KeyedUnarchiver) throws { self = try CodableContent<Self>(coder: coder).model }
}
