// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport
import KeyedArchiving
import PropertyListFormat

/// Objects by the calls that programs use: by type, with Codable, late, with a delegate, inside of structs. What is not
/// asked for must not come out of any of them.
enum CallsDoor {
  static func enter(_ bytes: Data) throws {
    let songs = Canary.songs
    for call in calls {
      do {
        try call(bytes)
      } catch let error where error is KeyedArchiveError || error is PropertyListError {
        // Any of these is an answer.
      }
      guard Canary.songs == songs else { throw Breach("the initialiser of a class that is not allowed ran") }
    }
  }

  private static let calls: [@Sendable (Data) throws -> Void] = [
    { _ = try decoder($0).decodeTopLevelObject(of: HCreature.self, forKey: root) },
    { _ = try decoder($0).decodeTopLevelObject(of: HNode.self, forKey: root) },
    { _ = try decoder($0).decodeTopLevelObject(of: [HNode].self, forKey: root) },
    { _ = try decoder($0).decodeTopLevelObject(of: [String: HCreature].self, forKey: root) },
    { _ = try decoder($0).decodeTopLevelObject(of: Set<String>.self, forKey: root) },
    { _ = try decoder($0).decodeTopLevelObject(of: [[ArchiveNumber]].self, forKey: root) },
    { _ = try decoder($0).decodeTopLevelObject(of: Box.self, forKey: root) },
    { _ = try decoder($0).decodeTopLevelObject(of: [Box.self, HCreature.self, ArchivedArray.self], forKey: root) },
    { _ = try decoder($0).decodeTopLevelObject(of: Note.self, forKey: root) },
    { _ = try decoder($0).decodeTopLevelDecodable([Note].self, forKey: root) },
    { _ = try decoder($0).decodeTopLevelDecodable([String: [String]].self, forKey: root) },
    { bytes in
      let listener = Listener()
      let decoder = try decoder(bytes)
      decoder.delegate = listener
      _ = try decoder.decodeTopLevelObject(of: HNode.self, forKey: root)
      _ = try decoder.decodeTopLevelObject(of: [ArchivedArray.self, HCreature.self, String.self], forKey: root)
    },
    { bytes in
      // One object by several calls on one decoder: none may take what another one allowed.
      let decoder = try decoder(bytes)
      _ = try? decoder.decodeTopLevelObject(of: [HCreature.self, HNode.self, ArchivedArray.self], forKey: root)
      _ = try? decoder.decodeTopLevelObject(of: Box.self, forKey: root)
      _ = try decoder.decodeTopLevelObject(of: [HNode].self, forKey: root)
    },
    { bytes in
      // The report of the keys is made even after a failure.
      let decoder = try decoder(bytes)
      decoder.tracksKeys = true
      _ = try? decoder.decodeTopLevelObject(of: [ArchivedArray.self, HCreature.self, String.self], forKey: root)
      _ = try? decoder.decodeTopLevelObject(of: Note.self, forKey: root)
      let report = decoder.keyReport
      guard report == decoder.keyReport, report.description.utf8.count < 100_000 else {
        throw Breach("the report of the keys differs the second time, or is too long")
      }
    },
  ]

  private static let root = KeyedArchiver.rootKey

  /// A decoder that could make a canary, if it were allowed.
  private static func decoder(_ bytes: Data) throws -> KeyedUnarchiver {
    let unarchiver = try KeyedUnarchiver(forReadingFrom: bytes)
    unarchiver.decodingFailurePolicy = .raiseException
    for (name, type) in Fixture.all { unarchiver.setClass(type, forClassName: name) }
    return unarchiver
  }

  /// A struct with collections of any types, whose elements only its own lists allow.
  private struct Box: SecureKeyedCoding {
    static var archiveClassName: String { "HBox" }
    static var archiveClassAliases: [String] { ["NSArray", "NSDictionary"] }
    let items: ArchivedArray?
    let creature: HCreature?
    let nodes: [HNode]?

    func encode(with coder: KeyedArchiver) {}

    init?(coder: KeyedUnarchiver) {
      items = coder.decodeObject(of: ArchivedArray.self, forKey: "NS.objects")
      creature = coder.decodeObject(of: HCreature.self, forKey: "title")
      nodes = coder.decodeObject(of: [HNode].self, forKey: "NS.keys")
    }
  }

  private struct Note: KeyedCodable {
    static var archiveClassName: String { "HNote" }
    static var archiveClassAliases: [String] { ["NSArray", "NSDictionary"] }
    var name: String?
    var next: [Note]?
    var children: Set<String>?
  }

  private final class Listener: KeyedUnarchiverDelegate {
    func unarchiver(_ unarchiver: KeyedUnarchiver, didDecode object: any KeyedCoding) -> (any KeyedCoding)? { object }
  }
}
