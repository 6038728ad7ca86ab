// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import KeyedArchiving
import TestSupport

/// A creature with parts of every kind.
final class Creature: SecureKeyedCoding {
  let title: String
  var tags: [String] = []
  weak var friend: Creature?
  var friends: [Creature] = []

  init(_ title: String) { self.title = title }

  static var archiveClassName: String { "Zoo.Creature" }

  func encode(with coder: KeyedArchiver) {
    coder.encode(title, forKey: "Title")
    coder.encode(Float(2.5), forKey: "Rating")
    coder.encode(7, forKey: "Legs")
    coder.encode(true, forKey: "Scary")
    coder.encode(0.5, forKey: "Weight")
    coder.encode(Date(timeIntervalSinceReferenceDate: 0.25), forKey: "Seen")
    coder.encode(Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 1, 2, 3, 4, 5, 6, 7, 8]), forKey: "Image")
    coder.encode(URL(string: "https://example.org/a"), forKey: "Home")
    coder.encode(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"), forKey: "ID")
    coder.encode(tags, forKey: "Tags")
    coder.encode(["one": 1], forKey: "Scores")
    coder.encode(friends, forKey: "Friends")
    coder.encodeConditionalObject(friend, forKey: "Friend")
    coder.encode(nil as String?, forKey: "Nothing")
  }

  init?(coder: KeyedUnarchiver) { nil }

  /// Two creatures that refer to each other.
  static func pair() throws -> Data {
    let (ghost, slug) = (Creature("Ghost"), Creature("Slug"))
    ghost.tags = ["white", "loud"]
    ghost.friends = [slug]
    slug.friend = ghost
    return try KeyedArchiver.archivedData(withRootObject: ghost, requiringSecureCoding: true)
  }
}

/// A link of a chain.
final class Link: SecureKeyedCoding {
  var next: Link?

  func encode(with coder: KeyedArchiver) { coder.encode(next, forKey: "next") }

  init() {}
  init?(coder: KeyedUnarchiver) { nil }

  /// The archive of a chain, which is released without recursion.
  static func chain(_ length: Int) throws -> Data {
    var links = (0..<length).map { _ in Link() }
    for index in links.indices.dropLast() { links[index].next = links[index + 1] }
    let data = try KeyedArchiver.archivedData(withRootObject: links[0], requiringSecureCoding: true)
    for index in links.indices { links[index].next = nil }
    links.removeAll()
    return data
  }
}

/// Archives defined value by value.
enum Handmade {
  /// Returns an archive with these objects after `$null`; the first is `root`.
  static func archive(
    _ objects: [HandmadeList], top: HandmadeList = ["root": .uid(1)], archiver: HandmadeList = "NSKeyedArchiver",
    version: HandmadeList = 100_000
  ) -> Data {
    HandmadeList.dictionary([
      ("$version", version), ("$archiver", archiver), ("$top", top), ("$objects", .array(["$null"] + objects)),
    ]).binary
  }

  /// A class record.
  static func classRecord(_ name: String) -> HandmadeList {
    ["$classname": .string(name), "$classes": [.string(name), "NSObject"]]
  }

  /// A small archive of an object without keys, with 3 MB of superclasses, which are one text. JSON has 6 bytes for each of its
  /// characters, and 18 MB for all.
  static func longChain(_ name: String) -> Data {
    var file = ArchiveFile()
    let long = file.text(String(repeating: "\u{1}", count: 50_000))
    let names = file.row(.array([file.text(name)] + Array(repeating: long, count: 60)))
    let record = file.row(.dictionary([(file.text("$classname"), file.text(name)), (file.text("$classes"), names)]))
    return file.data(root: file.object(row: file.fields(file.object(row: record), [])))
  }

  /// A small archive of 500 objects that share an inline array of 5000 references to nil.
  static func sharedArray() -> Data {
    var file = ArchiveFile()
    let (array, box) = (file.classUID("NSArray", "NSObject"), file.classUID("Box", "NSObject"))
    let shared = file.row(.array(Array(repeating: file.reference(0), count: 5000)))
    let boxes = (0..<500).map { _ in file.reference(file.object(row: file.fields(box, [("k", shared)]))) }
    return file.data(root: file.object(row: file.fields(array, [("NS.objects", file.row(.array(boxes)))])))
  }

  /// A value in arrays that nest some levels deep.
  static func nested(_ value: HandmadeList, _ levels: Int) -> HandmadeList {
    (0..<levels).reduce(value) { list, _ in .array([list]) }
  }
}
