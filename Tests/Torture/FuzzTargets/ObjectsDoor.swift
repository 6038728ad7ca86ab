// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport
import KeyedArchiving

/// Objects, decoded under a list that has classes with cycles on it.
enum ObjectsDoor {
  static func enter(_ bytes: Data) throws {
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
    try ArchiveSubject(bytes, secure: true).decode(KeyedArchiver.rootKey, allow: allowed)
  }
}
