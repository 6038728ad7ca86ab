// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import PropertyListFormat

/// An encoder that archives a value in one call, as `JSONEncoder` encodes one.
///
/// ```swift
/// let data = try KeyedArchiveEncoder().encode(creature)
/// ```
///
/// The value can have any type that conforms to `Encodable` or ``KeyedCoding``. Types that conform only to `Encodable`
/// are archived as ``KeyedCodable`` types are: each class, struct or enum has its class name. An instance that is
/// referenced twice is one object. The result is an archive with one top-level key, which
/// ``KeyedArchiveDecoder``, ``KeyedUnarchiver`` and Apple's decoders read.
///
/// A type requests one kind of container of its encoder, and uses it before its `encode(to:)` returns. Another kind, a
/// second single value, and a value that is encoded later are errors.
///
/// An encoder keeps no state between calls.
public struct KeyedArchiveEncoder: Sendable {
  /// Whether to reject types that conform to ``KeyedCoding`` but do not adopt ``SecureKeyedCoding``. The default is
  /// `true`. Types that conform only to `Encodable` are always secure.
  public var requiresSecureCoding = true

  /// The arrangement of the archive. The default is Apple's.
  public var layout = ArchiveLayout.apple

  /// The format of the property list. The default is binary.
  public var outputFormat = PropertyList.Format.binary

  /// The reaction to two values of one object that are encoded for the same key. The default is
  /// ``KeyedArchiver/RepeatedKeyPolicy/fail``.
  public var repeatedKeyPolicy = KeyedArchiver.RepeatedKeyPolicy.fail

  /// The top-level key of the value. The default is `root`, as in archives with one object by Apple's archiver.
  public var rootKey = KeyedArchiver.rootKey

  /// The class names to write instead of those of the types.
  public var classNames = ArchiveClassNames()

  /// The `userInfo` of the encoders that `encode(to:)` of types receives.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// The maximum number of objects in an archive, as ``KeyedArchiver/maximumObjectCount``. The default is 2^24.
  public var maximumObjectCount = ArchiverState.defaultObjectCount

  /// The maximum total size of an archive's strings and data in bytes. The default is 4 GiB.
  public var maximumByteCount = ArchiverState.defaultByteCount

  /// A function that receives the keys that a type encoded more than once, for example to log them. The default is nil.
  ///
  /// It is called after a value was archived, if the report is not empty. Therefore it is only of use with the
  /// ``repeatedKeyPolicy`` ``KeyedArchiver/RepeatedKeyPolicy/keepLast``. An error that it throws is thrown by `encode`,
  /// unchanged.
  public var keyReportHandler: (@Sendable (KeyReport) throws -> Void)?

  /// Creates an encoder with the default options.
  public init() {}

  /// Archives a value.
  /// - Parameter value: The value.
  /// - Returns: The archive.
  /// - Throws: The error that `encode(to:)` of a type throws, unchanged. Otherwise ``KeyedArchiveError``.
  public func encode<Value: Encodable>(_ value: Value) throws -> Data {
    let archiver = archiver()
    return try data(of: archiver.strategy(for: Value.self).record(value, in: archiver), in: archiver)
  }

  /// Archives a value.
  /// - Parameter value: The value.
  /// - Returns: The archive.
  /// - Throws: ``KeyedArchiveError``. An error that `encode(with:)` of a type throws is its
  ///   ``KeyedArchiveError/underlying`` error.
  public func encode<Value: KeyedCoding>(_ value: Value) throws -> Data {
    let archiver = archiver()
    try archive(value.record(in: archiver), in: archiver)
    return try reportedData(of: archiver)
  }

  /// Archives a value of a type with both conformances, by that to ``KeyedCoding``.
  /// - Parameter value: The value.
  /// - Returns: The archive.
  /// - Throws: The error that `encode(to:)` of a type throws, unchanged. Otherwise ``KeyedArchiveError``.
  public func encode<Value: KeyedCoding & Encodable>(_ value: Value) throws -> Data {
    let archiver = archiver()
    return try data(of: value.record(in: archiver), in: archiver)
  }

  private func archiver() -> KeyedArchiver {
    let archiver = KeyedArchiver(requiringSecureCoding: requiresSecureCoding, layout: layout)
    archiver.outputFormat = outputFormat
    archiver.repeatedKeyPolicy = repeatedKeyPolicy
    archiver.userInfo = userInfo
    archiver.maximumObjectCount = maximumObjectCount
    archiver.maximumByteCount = maximumByteCount
    classNames.set(in: archiver)
    return archiver
  }

  private func archive(_ value: RecordedValue, in archiver: KeyedArchiver) throws {
    archiver.record(value, rootKey)
    try archiver.finishEncoding()
  }

  /// Archives a recorded value. An error that a type threw is thrown unchanged.
  private func data(of value: RecordedValue, in archiver: KeyedArchiver) throws -> Data {
    do {
      try archive(value, in: archiver)
    } catch {
      throw archiver.thrownError ?? error
    }
    return try reportedData(of: archiver)
  }

  /// Returns the finished archive, after the handler got its report.
  private func reportedData(of archiver: KeyedArchiver) throws -> Data {
    if let keyReportHandler, !archiver.repeatedKeys.isEmpty {
      try keyReportHandler(KeyReport(repeatedKeys: archiver.repeatedKeys))
    }
    return try archiver.encodedData
  }
}

/// Finds the error that a type's own code threw.
enum CodingCause {
  /// Returns the error that a Codable type threw, if that is the cause of `error`, and otherwise `error`.
  ///
  /// Such an error passes through the initializers of the objects around it, each of which adds its own place.
  static func of(_ error: any Error) -> any Error {
    var result = error
    while let cause = next(result) { result = cause }
    return result
  }

  private static func next(_ error: any Error) -> (any Error)? {
    switch error {
    case let error as KeyedArchiveError: error.underlying is PropertyListError ? nil : error.underlying
    case let error as DecodingError: described(cause(of: error))
    case EncodingError.invalidValue(_, let context): described(context.underlyingError)
    default: nil
    }
  }

  /// An underlying error of the archive describes the same problem, unless it has a cause itself.
  private static func described(_ underlying: (any Error)?) -> (any Error)? {
    (underlying as? KeyedArchiveError).flatMap { next($0) }
  }

  private static func cause(of error: DecodingError) -> (any Error)? {
    switch error {
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
      .dataCorrupted(let context):
      context.underlyingError
    @unknown default: nil
    }
  }
}
