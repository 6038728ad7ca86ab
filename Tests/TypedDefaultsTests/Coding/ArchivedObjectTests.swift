// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import PropertyListFormat
import Testing
import TypedDefaults
import TypedDefaultsFoundation

/// A class of an old app. Foundation archives it, which needs a class that is not private.
final class OldGhost: NSObject, NSSecureCoding {
  static let supportsSecureCoding = true
  let title: String
  let rating: Int

  init(_ title: String, _ rating: Int) { (self.title, self.rating) = (title, rating) }

  func encode(with coder: NSCoder) {
    coder.encode(title as NSString, forKey: "title")
    coder.encode(rating, forKey: "rating")
  }

  init?(coder: NSCoder) {
    guard let title = coder.decodeObject(of: NSString.self, forKey: "title") else { return nil }
    (self.title, rating) = (title as String, coder.decodeInteger(forKey: "rating"))
  }

  /// The archive of an object by Foundation.
  static func archive(_ object: Any, secure: Bool, key: String = NSKeyedArchiveRootObjectKey) -> Data {
    let archiver = NSKeyedArchiver(requiringSecureCoding: secure)
    archiver.encode(object, forKey: key)
    archiver.finishEncoding()
    return archiver.encodedData
  }

  static func read(_ data: Data) throws -> OldGhost? {
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
    unarchiver.requiresSecureCoding = true
    return unarchiver.decodeObject(of: OldGhost.self, forKey: NSKeyedArchiveRootObjectKey)
  }
}

/// The type before it adopted secure coding.
private struct InsecureGhost: KeyedCoding, Equatable {
  static let archiveClassName = "TypedDefaultsTests.OldGhost"
  var title: String
  var rating: Int

  func encode(with coder: KeyedArchiver) {
    coder.encode(title, forKey: "title")
    coder.encode(rating, forKey: "rating")
  }

  init(_ title: String, _ rating: Int) { (self.title, self.rating) = (title, rating) }

  init?(coder: KeyedUnarchiver) {
    guard let title = coder.decodeObject(of: String.self, forKey: "title") else { return nil }
    self.init(title, coder.decodeInteger(forKey: "rating"))
  }
}

private struct Ghost: SecureKeyedCoding, Equatable {
  static let archiveClassName = "TypedDefaultsTests.OldGhost"
  private var ghost: InsecureGhost

  init(_ title: String, _ rating: Int) { ghost = InsecureGhost(title, rating) }
  func encode(with coder: KeyedArchiver) { ghost.encode(with: coder) }

  init?(coder: KeyedUnarchiver) {
    guard let ghost = InsecureGhost(coder: coder) else { return nil }
    self.ghost = ghost
  }
}

private struct Settings: Codable, Equatable, Sendable {
  var name: String
  var sizes: [Int]
  var isOn: Bool
}

@Suite("Archived objects of old apps")
struct ArchivedObjectTests {
  private let suite = ScratchSuite()
  private let store: UserDefaultsStore

  init() throws { store = try #require(UserDefaultsStore(suiteName: suite.name)) }

  private func old(_ value: Any, _ key: String) throws -> PropertyListValue {
    suite.defaults.set(value, forKey: key)
    try store.refresh()
    return try #require(store.rawValue(for: key))
  }

  @Test("typed keys read archives that Foundation wrote, secure or not", arguments: [true, false])
  func reading(secure: Bool) throws {
    let raw = try old(OldGhost.archive(OldGhost("Boo", 4), secure: secure), "ghost")
    let insecure = DefaultsKey<InsecureGhost?>("ghost", conversion: .insecureKeyedArchive())
    #expect(try store.value(for: insecure) == InsecureGhost("Boo", 4))
    #expect(try store.value(for: DefaultsKey<Ghost?>("ghost", conversion: .keyedArchive())) == Ghost("Boo", 4))
    // The type without secure coding is refused by a key that requires it.
    let strict = DefaultsKey<InsecureGhost?>("ghost", conversion: .keyedArchive())
    let error = #expect(throws: DefaultsError.self) { try store.value(for: strict) }
    #expect(error?.code == .undecodable)
    #expect(store.rawValue(for: "ghost") == raw)
  }

  @Test("an insecure key stores what Foundation reads")
  func writing() throws {
    let key = DefaultsKey<InsecureGhost?>("ghost", conversion: .insecureKeyedArchive())
    try store.set(InsecureGhost("Boo", 4), for: key)
    let ghost = try OldGhost.read(#require(suite.defaults.data(forKey: "ghost")))
    #expect(ghost?.title == "Boo" && ghost?.rating == 4)
  }

  @Test("an object for another top-level key is found under it only")
  func topLevelKey() throws {
    _ = try old(OldGhost.archive(OldGhost("Boo", 4), secure: false, key: "ghost"), "data")
    let key = DefaultsKey<InsecureGhost?>("data", conversion: .insecureKeyedArchive(topLevelKey: "ghost"))
    #expect(try store.value(for: key) == InsecureGhost("Boo", 4))
    let error = #expect(throws: DefaultsError.self) {
      try store.value(for: DefaultsKey<InsecureGhost?>("data", conversion: .insecureKeyedArchive()))
    }
    #expect(error?.description.contains("'root'") == true, "\(String(describing: error))")
  }

  @Test("an insecure key decodes no other class than that of its type")
  func allowList() throws {
    _ = try old(OldGhost.archive(NSURL(fileURLWithPath: "/"), secure: false), "ghost")
    let key = DefaultsKey<InsecureGhost?>("ghost", conversion: .insecureKeyedArchive())
    let error = #expect(throws: DefaultsError.self) { try store.value(for: key) }
    #expect(error?.description.contains("'NSURL' is not allowed") == true, "\(String(describing: error))")
  }

  @Test("a migration stores archives securely, once, and leaves what it cannot read")
  func migration() throws {
    _ = try old(OldGhost.archive(OldGhost("Boo", 4), secure: false), "ghost")
    _ = try old(OldGhost.archive(OldGhost("Hoo", 2), secure: false, key: "top"), "other")
    let migrations: [DefaultsMigration] = [
      .secureArchive("ghost", of: Ghost.self),
      .secureArchive("other", of: Ghost.self, from: .insecureKeyedArchive(topLevelKey: "top")),
      .secureArchive("absent", of: Ghost.self),
    ]
    #expect(try store.migrate(migrations).first == "ghost: secure archive of Ghost")
    for (key, title) in [("ghost", "Boo"), ("other", "Hoo")] {
      #expect(try OldGhost.read(#require(suite.defaults.data(forKey: key)))?.title == title)
    }
    #expect(try store.value(for: DefaultsKey<Ghost?>("other", conversion: .keyedArchive())) == Ghost("Hoo", 2))
    #expect(try store.migrate(migrations).isEmpty)
    let raw = try old(OldGhost.archive(NSURL(fileURLWithPath: "/"), secure: false), "link")
    #expect(throws: DefaultsError.self) { try store.migrate([.secureArchive("link", of: Ghost.self)]) }
    #expect(store.rawValue(for: "link") == raw)
  }

  @Test("a Codable value in an archive is a property list of Foundation's classes")
  func codable() throws {
    let settings = Settings(name: "Ada", sizes: [3, 5], isOn: true)
    // What Apple's encodeEncodable archives: the objects of PropertyListEncoder.
    let objects: NSDictionary = ["name": "Ada", "sizes": [3, 5], "isOn": true]
    _ = try old(OldGhost.archive(objects, secure: true), "settings")
    let key = DefaultsKey<Settings?>("settings", conversion: .codableArchive())
    #expect(try store.value(for: key) == settings)
    try store.set(Settings(name: "Bea", sizes: [], isOn: false), for: key)
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: #require(suite.defaults.data(forKey: "settings")))
    let classes = [NSDictionary.self, NSArray.self, NSString.self, NSNumber.self]
    let found = unarchiver.decodeObject(of: classes, forKey: NSKeyedArchiveRootObjectKey) as? NSDictionary
    #expect(found == ["name": "Bea", "sizes": [Int](), "isOn": false])
    try store.migrate([.recode("settings", from: .codableArchive(), to: DefaultsConversion<Settings>.objects())])
    #expect(store.rawValue(for: "settings") == ["name": "Bea", "sizes": [], "isOn": false])
  }

  @Test("data of an encoder in an archive, and archives in an array, are read and written")
  func compositions() throws {
    let settings = Settings(name: "Ada", sizes: [3, 5], isOn: true)
    let json = try JSONEncoder().encode(settings)
    _ = try old(OldGhost.archive(json as NSData, secure: true), "settings")
    let key = DefaultsKey<Settings?>("settings", conversion: .archivedData(.json()))
    #expect(try store.value(for: key) == settings)
    try store.set(settings, for: key)
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: #require(suite.defaults.data(forKey: "settings")))
    let data = try #require(unarchiver.decodeObject(of: NSData.self, forKey: NSKeyedArchiveRootObjectKey))
    #expect(try JSONDecoder().decode(Settings.self, from: data as Data) == settings)

    _ = try old([OldGhost("Boo", 4), OldGhost("Hoo", 2)].map { OldGhost.archive($0, secure: false) }, "ghosts")
    let ghosts = DefaultsKey("ghosts", default: [], conversion: DefaultsConversion<[Ghost]>.array(of: .keyedArchive()))
    #expect(try store.value(for: ghosts) == [Ghost("Boo", 4), Ghost("Hoo", 2)])
    try store.set([Ghost("Moo", 1)], for: ghosts)
    let archives = try #require(suite.defaults.array(forKey: "ghosts") as? [Data])
    #expect(try archives.map { try OldGhost.read($0)?.title } == ["Moo"])
    try store.setRawValue(1, for: "ghosts")
    #expect(throws: DefaultsError.self) { try store.value(for: ghosts) }
  }
}
