// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import KeyedArchiving
public import PropertyListFormat

/// A folder of archives of one type, and checks that today's code reads and writes them.
///
/// ```swift
/// struct CreatureFixtures {
///   let creatures = ArchiveFixtures(of: Creature.self, in: "Fixtures/Creature")
///
///   @Test func everyVersionDecodes() throws {
///     try creatures.checkVersions(current: "2", value: Creature(title: "Ghost", rating: 5))
///   }
///
///   @Test func damagedFilesAreRefused() throws {
///     try creatures.checkDamagedCopies(of: "2")
///   }
/// }
/// ```
///
/// A fixture is a file such as `2.plist`. Beside it, `2.txt` says what it decodes to. Checks throw a ``FixtureFailure``, so
/// they work in Swift Testing and in XCTest. <doc:TestingWithFixtures> shows a whole package.
public struct ArchiveFixtures<Value>: Sendable {
  /// The folder of the fixtures.
  public var folder: URL

  /// The extension of the fixtures' names. The default is `plist`.
  public var fileExtension = "plist"

  /// The text of a decoded value, if it is not to be that of its archive.
  ///
  /// By default, a decoded value is archived again, and the text is that of `keyedarchive tree`. It shows what the type
  /// archives. It cannot show a property that the type does not archive, or two properties that decoding and archiving
  /// exchange alike; set a function for these. The function must return the same text for the same value in each
  /// process. It must therefore sort what it prints of sets and dictionaries.
  public var describe: (@Sendable (Value) throws -> String)?

  /// The folder for the damaged copy that is being decoded. The default is in the system's folder for temporary files.
  public var attemptsFolder = FileManager.default.temporaryDirectory.appending(path: "KeyedArchivingTesting")

  /// Tests of this module decode fewer beginnings.
  var maximumBeginningCount = DamagedCopies.defaultBeginningCount
  var recording = Recording()
  let coding: ArchiveCoding<Value>
  let limits: ReadLimits
  let archivers: AcceptedArchivers

  private init(
    _ coding: ArchiveCoding<Value>, _ folder: String, _ filePath: String, _ limits: ReadLimits,
    _ archivers: AcceptedArchivers
  ) {
    self.coding = coding
    self.limits = limits
    self.archivers = archivers
    let parent = URL(filePath: filePath).deletingLastPathComponent()
    // A path from the root of a file system, which begins with a letter on Windows, has no base.
    let url = URL(filePath: folder, relativeTo: parent)
    self.folder = url.baseURL == nil ? url : parent.appending(path: folder)
  }
}

extension ArchiveFixtures where Value: Codable & SendableMetatype {
  /// Creates the fixtures of a type that is `Codable`.
  /// - Parameters:
  ///   - type: The type.
  ///   - folder: The path of the folder, from that of the test's source file, or from the root of the file system.
  ///   - decoder: The decoder of the type.
  ///   - encoder: The encoder of the type.
  ///   - filePath: The test's source file.
  public init(
    of type: Value.Type = Value.self, in folder: String, decoder: KeyedArchiveDecoder = KeyedArchiveDecoder(),
    encoder: KeyedArchiveEncoder = KeyedArchiveEncoder(), filePath: String = #filePath
  ) {
    let coding = ArchiveCoding<Value>(
      decode: { try decoder.decodeReportingKeys(Value.self, from: $0) }, encode: { try encoder.encode($0) })
    self.init(coding, folder, filePath, decoder.limits, decoder.archivers)
  }
}

extension ArchiveFixtures where Value: KeyedCoding & SendableMetatype {
  /// Creates the fixtures of a type that is `KeyedCoding`.
  /// - Parameters:
  ///   - type: The type.
  ///   - folder: The path of the folder, from that of the test's source file, or from the root of the file system.
  ///   - decoder: The decoder of the type.
  ///   - encoder: The encoder of the type.
  ///   - filePath: The test's source file.
  public init(
    of type: Value.Type = Value.self, in folder: String, decoder: KeyedArchiveDecoder = KeyedArchiveDecoder(),
    encoder: KeyedArchiveEncoder = KeyedArchiveEncoder(), filePath: String = #filePath
  ) {
    let coding = ArchiveCoding<Value>(
      decode: { try decoder.decodeReportingKeys(Value.self, from: $0) }, encode: { try encoder.encode($0) })
    self.init(coding, folder, filePath, decoder.limits, decoder.archivers)
  }
}

extension ArchiveFixtures where Value: KeyedCoding & Codable & SendableMetatype {
  /// Creates the fixtures of a type with both conformances, which is coded by that to `KeyedCoding`.
  /// - Parameters:
  ///   - type: The type.
  ///   - folder: The path of the folder, from that of the test's source file, or from the root of the file system.
  ///   - decoder: The decoder of the type.
  ///   - encoder: The encoder of the type.
  ///   - filePath: The test's source file.
  public init(
    of type: Value.Type = Value.self, in folder: String, decoder: KeyedArchiveDecoder = KeyedArchiveDecoder(),
    encoder: KeyedArchiveEncoder = KeyedArchiveEncoder(), filePath: String = #filePath
  ) {
    let coding = ArchiveCoding<Value>(
      decode: { try decoder.decodeReportingKeys(Value.self, from: $0) }, encode: { try encoder.encode($0) })
    self.init(coding, folder, filePath, decoder.limits, decoder.archivers)
  }
}

extension ArchiveFixtures {
  /// Creates the fixtures of a type whose archives need more than a root object of the type: other top-level keys,
  /// substituted classes, or a delegate.
  /// - Parameters:
  ///   - type: The type.
  ///   - folder: The path of the folder, from that of the test's source file, or from the root of the file system.
  ///   - limits: The limits of a decode.
  ///   - archivers: The accepted `$archiver` names.
  ///   - filePath: The test's source file.
  ///   - decode: A function that decodes the value. An error that the unarchiver has afterwards is thrown.
  ///   - encode: A function that archives the value.
  public init(
    of type: Value.Type = Value.self, in folder: String, limits: ReadLimits = .default,
    archivers: AcceptedArchivers = .known, filePath: String = #filePath,
    decodingWith decode: @escaping @Sendable (KeyedUnarchiver) throws -> Value,
    encodingWith encode: @escaping @Sendable (Value) throws -> Data
  ) {
    let coding = ArchiveCoding<Value>(
      decode: { data in
        let unarchiver = try KeyedUnarchiver(forReadingFrom: data, limits: limits, archivers: archivers)
        unarchiver.tracksKeys = true
        let value = try decode(unarchiver)
        if let error = unarchiver.error { throw error }
        return (value, unarchiver.keyReport)
      }, encode: encode)
    self.init(coding, folder, filePath, limits, archivers)
  }
}
