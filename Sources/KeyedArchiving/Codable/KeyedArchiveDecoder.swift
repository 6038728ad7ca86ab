// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import PropertyListFormat

/// A decoder that decodes the root value of an archive in one call, as `JSONDecoder` decodes one.
///
/// ```swift
/// let creature = try KeyedArchiveDecoder().decode(Creature.self, from: data)
/// ```
///
/// The type is the allow list: only that type and the types that it requests are decoded, whatever the archive contains.
/// It can be any type that conforms to `Decodable` or ``KeyedCoding``. The result is not optional: an archive of nil is
/// an error, except if the requested type is itself optional.
///
/// A decoder keeps no state between calls.
public struct KeyedArchiveDecoder: Sendable {
  /// Whether to reject types that conform to ``KeyedCoding`` but do not adopt ``SecureKeyedCoding``. The default is
  /// `true`. Types that conform only to `Decodable` are always secure.
  public var requiresSecureCoding = true

  /// The limits of a decode.
  public var limits = ReadLimits.default

  /// The accepted `$archiver` names. The default is the known ones.
  public var archivers = AcceptedArchivers.known

  /// The top-level key of the value. The default is `root`, as in archives with one object by Apple's archiver.
  public var rootKey = KeyedArchiver.rootKey

  /// The class names to accept for types, in addition to their own.
  public var classNames = ArchiveClassNames()

  /// The `userInfo` of the decoders that `init(from:)` of types receives.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// A function that receives the keys for which an archive and the types disagree, for example to log them. The default
  /// is nil.
  ///
  /// It is called after a value was decoded, if the report is not empty. An error that it throws is thrown by `decode`,
  /// unchanged.
  ///
  /// ```swift
  /// decoder.keyReportHandler = { report in logger.warning("\(report)") }
  /// ```
  public var keyReportHandler: (@Sendable (KeyReport) throws -> Void)?

  /// Creates a decoder with the default options.
  public init() {}

  /// Decodes the root value of an archive.
  /// - Parameters:
  ///   - type: The type of the value; also the allow list.
  ///   - data: The archive, in binary or XML format.
  /// - Returns: The value.
  /// - Throws: The error that `init(from:)` of a type throws, unchanged. `DecodingError` if the value, or one inside of
  ///   it, does not have the type; its underlying error is the ``KeyedArchiveError`` with the place.
  ///   ``KeyedArchiveError`` if the data is damaged or not an archive, or has no value for ``rootKey``.
  public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    try value(from: data) { try decodableRoot(type, in: $0) }
  }

  /// Decodes the root value of an archive.
  /// - Parameters:
  ///   - type: The type of the value; also the allow list.
  ///   - data: The archive, in binary or XML format.
  /// - Returns: The value.
  /// - Throws: ``KeyedArchiveError``, with code ``KeyedArchiveError/Code/valueNotFound`` if the archive stores nil. An
  ///   error that `init(coder:)` of a type throws is its ``KeyedArchiveError/underlying`` error.
  public func decode<Value: KeyedCoding>(_ type: Value.Type, from data: Data) throws -> Value {
    try value(from: data) { try keyedRoot(type, in: $0) }
  }

  /// Decodes the root value of an archive as a type with both conformances, by that to ``KeyedCoding``.
  /// - Parameters:
  ///   - type: The type of the value; also the allow list.
  ///   - data: The archive, in binary or XML format.
  /// - Returns: The value.
  /// - Throws: The errors of `decode(_:from:)`.
  public func decode<Value: KeyedCoding & Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    try value(from: data) { try decodableRoot(type, in: $0) }
  }

  /// Decodes the root value of an archive, and reports the keys for which the archive and the types disagree.
  ///
  /// ``keyReportHandler`` is not called.
  /// - Parameters:
  ///   - type: The type of the value; also the allow list.
  ///   - data: The archive, in binary or XML format.
  /// - Returns: The value and the report.
  /// - Throws: The errors of `decode(_:from:)`.
  public func decodeReportingKeys<Value: Decodable>(
    _ type: Value.Type, from data: Data
  ) throws -> (value: Value, report: KeyReport) {
    let unarchiver = try unarchiver(for: data, tracksKeys: true)
    return (try decodableRoot(type, in: unarchiver), unarchiver.keyReport)
  }

  /// Decodes the root value of an archive, and reports the keys for which the archive and the types disagree.
  ///
  /// ``keyReportHandler`` is not called.
  /// - Parameters:
  ///   - type: The type of the value; also the allow list.
  ///   - data: The archive, in binary or XML format.
  /// - Returns: The value and the report.
  /// - Throws: The errors of `decode(_:from:)`.
  public func decodeReportingKeys<Value: KeyedCoding>(
    _ type: Value.Type, from data: Data
  ) throws -> (value: Value, report: KeyReport) {
    let unarchiver = try unarchiver(for: data, tracksKeys: true)
    return (try keyedRoot(type, in: unarchiver), unarchiver.keyReport)
  }

  /// Decodes the root value of an archive, and reports the keys for which the archive and the types disagree.
  ///
  /// A type with both conformances is decoded by that to ``KeyedCoding``. ``keyReportHandler`` is not called.
  /// - Parameters:
  ///   - type: The type of the value; also the allow list.
  ///   - data: The archive, in binary or XML format.
  /// - Returns: The value and the report.
  /// - Throws: The errors of `decode(_:from:)`.
  public func decodeReportingKeys<Value: KeyedCoding & Decodable>(
    _ type: Value.Type, from data: Data
  ) throws -> (value: Value, report: KeyReport) {
    let unarchiver = try unarchiver(for: data, tracksKeys: true)
    return (try decodableRoot(type, in: unarchiver), unarchiver.keyReport)
  }

  private func decodableRoot<Value: Decodable>(_ type: Value.Type, in unarchiver: KeyedUnarchiver) throws -> Value {
    do {
      return try unarchiver.decodeRoot(type, rootKey)
    } catch {
      throw CodingCause.of(error)
    }
  }

  private func keyedRoot<Value: KeyedCoding>(_ type: Value.Type, in unarchiver: KeyedUnarchiver) throws -> Value {
    let key = try unarchiver.decoderKey(rootKey)
    // An optional type has a value for nil.
    guard let value = try unarchiver.decodeIfPresent(type, forKey: key) ?? Value.decode(.null, in: unarchiver) else {
      throw unarchiver.thrown(unarchiver.missing(key, type))
    }
    unarchiver.finishDecoding()
    return value
  }

  /// Decodes a value, and passes the report to ``keyReportHandler``.
  private func value<Value>(from data: Data, _ decode: (KeyedUnarchiver) throws -> Value) throws -> Value {
    let unarchiver = try unarchiver(for: data, tracksKeys: keyReportHandler != nil)
    let value = try decode(unarchiver)
    guard let keyReportHandler else { return value }
    let report = unarchiver.keyReport
    if !report.isEmpty { try keyReportHandler(report) }
    return value
  }

  private func unarchiver(for data: Data, tracksKeys: Bool) throws -> KeyedUnarchiver {
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data, limits: limits, archivers: archivers)
    unarchiver.decodingFailurePolicy = .raiseException
    unarchiver.requiresSecureCoding = requiresSecureCoding
    unarchiver.userInfo = userInfo
    classNames.set(in: unarchiver)
    if tracksKeys { unarchiver.tracksKeys = true }
    return unarchiver
  }
}

extension KeyedUnarchiver {
  /// Returns the root key of a decoder, which the archive must have.
  fileprivate func decoderKey(_ rootKey: String) throws -> String {
    try existingKey(rootKey, advice: "Set the rootKey of the decoder to one of the archive's keys")
  }

  /// Decodes the root value, and ends the decoding.
  fileprivate func decodeRoot<Value: Decodable>(_ type: Value.Type, _ rootKey: String) throws -> Value {
    let key = try decoderKey(rootKey)
    let value: Value? = try rootErrors(type) {
      try throwing {
        guard let location = try storage.state.location(forKey: key) else { return nil }
        return try complete { try strategy(for: type).make(location, in: self) }
      }
    }
    guard let value else { throw foundNil(type) }
    finishDecoding()
    return value
  }

  /// Converts errors about a value of another type, as containers do it. Errors of damaged archives remain.
  private func rootErrors<Value>(_ type: Any.Type, _ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch {
      let cause = CodingCause.of(error)
      switch (cause as? KeyedArchiveError)?.code {
      case .typeMismatch, .outOfRange, .valueNotFound, .classNotAllowed: throw codingError(cause, type)
      default: throw cause
      }
    }
  }
}
