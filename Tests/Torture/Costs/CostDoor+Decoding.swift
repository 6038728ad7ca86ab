// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeyedArchives
import KeyedArchiving

extension CostDoor {
  /// The entry points that decode objects.
  static let decoding: [CostDoor] =
    [
      CostDoor("decode-typed") { data in
        each([
          { _ = try KeyedUnarchiver.unarchivedObject(ofClass: [[String]].self, from: data) },
          { _ = try KeyedUnarchiver.unarchivedObject(ofClass: [String: [String]].self, from: data) },
          { _ = try KeyedUnarchiver.unarchivedObject(ofClass: [[[[Int]]]].self, from: data) },
          { _ = try KeyedUnarchiver.unarchivedObject(ofClass: Set<String>.self, from: data) },
          { _ = try KeyedUnarchiver.unarchivedObject(ofClass: [Letter].self, from: data) },
          { _ = try KeyedUnarchiver.unarchivedObject(ofClass: [AttributedString].self, from: data) },
          { _ = try KeyedUnarchiver.unarchivedObject(ofClass: [IndexPath].self, from: data) },
        ])
      },
      CostDoor("decode-deferred", plain: CostPatterns.plainNodes) { data in
        each([
          { _ = try KeyedUnarchiver.unarchivedObject(ofClass: HNode.self, from: data) },
          { _ = try KeyedUnarchiver.unarchivedObject(ofClass: [HNode].self, from: data) },
          { _ = try KeyedUnarchiver.unarchivedObject(ofClass: Set<HashedNode>.self, from: data) },
          { _ = try KeyedUnarchiver.unarchivedObject(ofClass: [HashedNode: HNode].self, from: data) },
          { _ = try KeyedUnarchiver.unarchivedObject(ofClass: Set<HashedInstance>.self, from: data) },
          { _ = try KeyedUnarchiver.unarchivedObject(ofClass: [HashedInstance: HNode].self, from: data) },
        ])
      },
      CostDoor("decode-after-errors", plain: CostPatterns.plainNodes) { data in
        each([
          { _ = try KeyedUnarchiver.unarchivedObject(ofClass: PersistentNode.self, from: data) },
          { _ = try KeyedUnarchiver.unarchivedObject(ofClass: [PersistentNode].self, from: data) },
        ])
      },
      CostDoor("decode-list") {
        _ = try KeyedUnarchiver.unarchivedObject(ofClasses: KeyedUnarchiver.valueTypes, from: $0)
      },
      CostDoor("decode-untyped") { data in
        each([
          { _ = try KeyedUnarchiver(forReadingFrom: data).decodeAny(forKey: "root") },
          {
            let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
            _ = try unarchiver.decodeAny(of: KeyedUnarchiver.valueTypes, forKey: "root")
          },
        ])
      },
      CostDoor("decode-codable") { data in
        each([
          { _ = try KeyedUnarchiver.unarchivedObject(ofClass: Note.self, from: data) },
          { _ = try KeyedUnarchiver(forReadingFrom: data).decodeTopLevelDecodable([[Note]].self, forKey: "root") },
          {
            _ = try KeyedUnarchiver(forReadingFrom: data).decodeTopLevelDecodable(
              [String: [String]].self, forKey: "root")
          },
        ])
      },
      CostDoor("decode-one-call") { data in
        let decoder = KeyedArchiveDecoder()
        each([
          { _ = try decoder.decode(CostPage.self, from: data) },
          { _ = try decoder.decode([CostPage].self, from: data) },
          { _ = try decoder.decode([String: [String]].self, from: data) },
          { _ = try decoder.decode([[Int]].self, from: data) },
          { _ = try decoder.decode(HNode.self, from: data) },
        ])
      },
      CostDoor("key-report") { data in
        each([
          {
            let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
            unarchiver.tracksKeys = true
            _ = try? unarchiver.decodeTopLevelObject(of: KeyedUnarchiver.valueTypes, forKey: "root")
            _ = try? unarchiver.decodeTopLevelObject(of: HNode.self, forKey: "root")
            _ = unarchiver.keyReport.description
          },
          { _ = try KeyedArchiveDecoder().decodeReportingKeys(CostPage.self, from: data).report.description },
          { _ = try KeyedArchiveDecoder().decodeReportingKeys([CostPage].self, from: data).report.description },
        ])
      },
      CostDoor("decode-data") { _ = try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedObject.self, from: $0) },
      CostDoor(writing: "encode-again") { data in
        let value = try KeyedUnarchiver.unarchivedObject(ofClasses: KeyedUnarchiver.valueTypes, from: data)
        guard let value else { return 0 }
        return try ArchiveLayout.allCases.map {
          try KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: false, layout: $0).count
        }.max() ?? 0
      },
    ] + foundation

  /// A value of Codable with what Codable values have.
  private struct Note: KeyedCodable {
    static var archiveClassName: String { "NSArray" }
    var tags: Set<String>?
    var next: [Note]?
    var number: Int?
  }

  /// A node that requests each of its fields twice, also after errors.
  private final class PersistentNode: SecureKeyedCoding {
    static var archiveClassName: String { "HNode" }
    func encode(with coder: KeyedArchiver) {}
    init?(coder: KeyedUnarchiver) {
      for _ in 0..<2 {
        _ = coder.decodeObject(of: String.self, forKey: "name")
        _ = coder.decodeObject(of: PersistentNode.self, forKey: "next")
        _ = coder.decodeObject(of: [PersistentNode.self, ArchivedArray.self], forKey: "info")
        _ = try? coder.decodeIfPresent([PersistentNode].self, forKey: "children")
      }
    }
  }

  /// An instance that is hashed with all that it contains.
  private final class HashedInstance: SecureKeyedCoding, Hashable {
    static var archiveClassName: String { "HNode" }
    let name: String?
    let next: HashedInstance?
    let info: HashedInstance?
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) throws {
      name = coder.decodeObject(of: String.self, forKey: "name")
      next = try coder.decodeIfPresent(HashedInstance.self, forKey: "next")
      info = try coder.decodeIfPresent(HashedInstance.self, forKey: "info")
    }
    static func == (a: HashedInstance, b: HashedInstance) -> Bool {
      a.name == b.name && a.next == b.next && a.info == b.info
    }
    func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(next)
      hasher.combine(info)
    }
  }

  /// A struct that is hashed with all that it contains.
  private struct HashedNode: SecureKeyedCoding, Hashable {
    indirect enum Child: Hashable {
      case none
      case some(HashedNode)
    }
    static var archiveClassName: String { "HNode" }
    let name: String?
    let next: Child
    let info: Child
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) throws {
      name = coder.decodeObject(of: String.self, forKey: "name")
      next = try coder.decodeIfPresent(HashedNode.self, forKey: "next").map(Child.some) ?? .none
      info = try coder.decodeIfPresent(HashedNode.self, forKey: "info").map(Child.some) ?? .none
    }
  }

  /// A struct with collections.
  private struct Letter: SecureKeyedCoding {
    static var archiveClassName: String { "NSDictionary" }
    let items: ArchivedArray?
    let names: [String]?
    func encode(with coder: KeyedArchiver) {}
    init?(coder: KeyedUnarchiver) {
      items = coder.decodeObject(of: ArchivedArray.self, forKey: "NS.objects")
      names = coder.decodeObject(of: [String].self, forKey: "NS.keys")
    }
  }
}
