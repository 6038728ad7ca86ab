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

/// The ways by which bytes come in. Each takes any bytes: it returns, or throws what is wrong with the library.
///
/// What can be read is written again and read again: what comes out then is what came out first.
enum Doors {
  /// A property list.
  static func propertyList(_ bytes: Data) throws {
    guard let list = try? PropertyList(bytes), (try? list.validate()) != nil else { return }
    // Rows that nothing refers to may be damaged, and are written too.
    let rows = (0..<UInt32(list.objectCount)).map(ObjectRef.init(rawValue:))
    guard rows.allSatisfy({ (try? list.object($0)) != nil }), let written = try written(list) else { return }
    let again = try PropertyList(written)
    try again.validate()
    guard try again.rewritten() == written else {
      throw Breach("a list that is read and written is not the same twice")
    }
  }

  /// The list written anew; nil for what a file cannot hold.
  private static func written(_ list: PropertyList) throws -> Data? {
    do {
      return try list.rewritten()
    } catch {
      guard error.code == .limitReached || error.code == .notRepresentable else { throw error }
      return nil
    }
  }

  /// An archive as a graph.
  static func archive(_ bytes: Data) throws {
    guard let archive = try? KeyedArchive(bytes, archivers: .any) else { return }
    let findings = archive.check()
    guard !findings.contains(where: { $0.severity == .error }) else { return }
    let again = try KeyedArchive(archive.data(), archivers: .any)
    guard again.objectCount == archive.objectCount, again.topKeys == archive.topKeys else {
      throw Breach("an archive that is written and opened holds something else")
    }
    guard again.check().map(\.code) == findings.map(\.code) else {
      throw Breach("an archive that is written and opened has other faults")
    }
  }

  /// Objects, under a list that has classes with cycles on it.
  static func objects(_ bytes: Data) throws {
    let songs = Canary.songs
    let value = try? decoded(bytes)
    guard Canary.songs == songs else { throw Breach("the initialiser of a class that is not allowed ran") }
    guard let value else { return }
    let archived = try KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
    guard let again = try decoded(archived) else { throw Breach("what was archived comes out as nil") }
    let twice = try KeyedArchiver.archivedData(withRootObject: again, requiringSecureCoding: true)
    guard twice == archived else { throw Breach("objects that are archived and decoded are not the same twice") }
  }

  private static let allowed = [
    "HCreature", "HNode", "NSString", "NSNumber", "NSData", "NSDate", "NSArray", "NSDictionary", "NSSet", "NSNull",
    "NSURL", "NSUUID",
  ]

  private static func decoded(_ bytes: Data) throws -> (any KeyedCoding)? {
    try ArchiveSubject(bytes, secure: true).decode(KeyedArchive.rootKey, allow: allowed)
  }

  static let all: [(name: String, enter: @Sendable (Data) throws -> Void)] = [
    ("property list", propertyList), ("archive", archive), ("objects", objects),
  ]
}
