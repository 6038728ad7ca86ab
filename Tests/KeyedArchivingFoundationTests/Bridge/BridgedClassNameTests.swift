// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchives
import KeyedArchiving
import KeyedArchivingFoundation
import Testing

@Suite("Names and classes that the program sets for bridged classes")
struct BridgedClassNameTests {
  /// Archives an object inside of a list, with a name for a class. The name of the root's class is not the same question:
  /// Foundation on Linux ignores it.
  private func archive(_ object: Any, naming type: any KeyedCoding.Type) throws -> Data {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.setClassName("X", for: type)
    archiver.encodeFoundationObject([object], forKey: KeyedArchiver.rootKey)
    return try archiver.encodedData
  }

  private func classOfFirst(_ data: Data) throws -> ClassDescription? {
    try KeyedArchive(data).root["NS.objects"][0].classDescription
  }

  /// The module of these tests, which begins the names of their classes.
  private static let module = "KeyedArchivingFoundationTests."

  @Test("a class gets its name, and no names of superclasses")
  func plain() throws {
    let data = try archive(Disguise(), naming: Disguise.self)
    #expect(try classOfFirst(data) == ClassDescription(name: "X", chain: []))
  }

  @Test("the name of a superclass is not that of its subclass")
  func superclass() throws {
    let token = TimeToken(issuer: "a", secret: Data())
    let chain = ["TimeToken", "Token"].map { Self.module + $0 } + ["NSObject"]
    #expect(try classOfFirst(archive(token, naming: Token.self)) == ClassDescription(name: chain[0], chain: chain))
    #expect(try classOfFirst(archive(token, naming: TimeToken.self)) == ClassDescription(name: "X", chain: []))
  }

  @Test("an object that is archived as another class has the name of that class")
  func disguised() throws {
    #expect(try classOfFirst(archive(Disguised(), naming: Disguise.self)) == ClassDescription(name: "X", chain: []))
    #expect(try classOfFirst(archive(Twofold(), naming: Disguise.self)) == ClassDescription(name: "X", chain: []))
    // The name of its own class does not count, as in Foundation, because the object is not archived as that class.
    let own = try classOfFirst(archive(Disguised(), naming: Disguised.self))
    #expect(own?.name == Self.module + "Disguise" && own?.hints == ["Older"])
  }

  @Test("an object with fallbacks for its own class loses them with its name")
  func fallbacks() throws {
    let unnamed = try classOfFirst(archive(Fallen(), naming: Disguise.self))
    #expect(unnamed?.hints == ["Older"])
    #expect(try classOfFirst(archive(Fallen(), naming: Fallen.self)) == ClassDescription(name: "X", chain: []))
  }

  /// The objects that a delegate is passed, and one that it puts in the place of another.
  private final class Log: KeyedArchiverDelegate {
    var willEncode: [any KeyedCoding] = []
    var willReplace: [any KeyedCoding] = []
    var didEncode: [any KeyedCoding] = []
    var replacement: (any KeyedCoding)?
    func archiver(_ archiver: KeyedArchiver, willEncode object: any KeyedCoding) -> (any KeyedCoding)? {
      willEncode.append(object)
      return object is Disguise ? replacement ?? object : object
    }
    func archiver(
      _ archiver: KeyedArchiver, willReplace object: any KeyedCoding, with replacement: (any KeyedCoding)?
    ) { willReplace.append(object) }
    func archiver(_ archiver: KeyedArchiver, didEncode object: any KeyedCoding) { didEncode.append(object) }
  }

  @Test("a delegate is passed the object itself, which keeps its class and its fallbacks")
  func delegate() throws {
    for object in [Disguise(), Fallen(), Disguised(), Twofold()] {
      func archive(_ delegate: (any KeyedArchiverDelegate)?) throws -> Data {
        let archiver = KeyedArchiver(requiringSecureCoding: true)
        archiver.delegate = delegate
        archiver.encodeFoundationObject([object, object], forKey: KeyedArchiver.rootKey)
        return try archiver.encodedData
      }
      let log = Log()
      #expect(try archive(log) == archive(nil), "\(object)")
      for objects in [log.willEncode, log.willReplace, log.didEncode] {
        // The list and the object.
        #expect(objects.compactMap { $0 as? Disguise } == [object], "\(objects)")
        #expect(objects.count == 2, "\(objects)")
      }
      let other = Log()
      other.replacement = Date()
      #expect(try KeyedArchive(archive(other)).root["NS.objects"][0].className == "NSDate")
    }
  }

  @Test("a name that is taken back has no effect")
  func takenBack() throws {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.setClassName("X", for: Disguise.self)
    archiver.setClassName(nil, for: Disguise.self)
    archiver.encode(Disguised(), forKey: KeyedArchiver.rootKey)
    #expect(try KeyedArchive(archiver.encodedData).root.className == Self.module + "Disguise")
  }

  @Test("setClass maps the name back: in this package and in Foundation", arguments: [true, false])
  func setClass(_ isPlain: Bool) throws {
    let data = try archive(isPlain ? Disguise() : Disguised(), naming: Disguise.self)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.setClass(Disguise.self, forClassName: "X")
    let ours = try unarchiver.decodeFoundationObject(
      ofClasses: [NSArray.self, Disguise.self], forKey: KeyedArchiver.rootKey)
    #expect(((ours as? NSArray)?.firstObject as? Disguise)?.text == "hidden")

    let foundation = try NSKeyedUnarchiver(forReadingFrom: data)
    foundation.setClass(Disguise.self, forClassName: "X")
    let theirs = foundation.decodeObject(of: [NSArray.self, Disguise.self], forKey: NSKeyedArchiveRootObjectKey)
    #expect(((theirs as? NSArray)?.firstObject as? Disguise)?.text == "hidden")

    let unmapped = try KeyedUnarchiver(forReadingFrom: data)
    let error = #expect(throws: KeyedArchiveError.self) {
      try unmapped.decodeFoundationObject(ofClasses: [NSArray.self, Disguise.self], forKey: KeyedArchiver.rootKey)
    }
    #expect(error?.code == .classNotAllowed)
  }

  @Test("setClass cannot map a name to a class that the request does not allow")
  func setClassOutside() throws {
    let data = try archive(Disguise(), naming: Disguise.self)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.setClass(Meal.self, forClassName: "X")
    let ran = Initializations.during {
      let error = #expect(throws: KeyedArchiveError.self) {
        try unarchiver.decodeFoundationObject(ofClasses: [NSArray.self, Disguise.self], forKey: KeyedArchiver.rootKey)
      }
      #expect(error?.code == .classNotAllowed)
    }
    #expect(ran == [])
  }

  @Test("Foundation's archive of a class that is mapped decodes as the other class")
  func setClassOfFoundation() throws {
    let data = try NSKeyedArchiver.archivedData(withRootObject: Disguise(), requiringSecureCoding: true)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.setClass(Fallen.self, forClassName: Self.module + "Disguise")
    #expect(try unarchiver.decode(Disguise.self, forKey: KeyedArchiver.rootKey) is Fallen)
    let foundation = try NSKeyedUnarchiver(forReadingFrom: data)
    foundation.setClass(Fallen.self, forClassName: Self.module + "Disguise")
    #expect(foundation.decodeObject(of: Disguise.self, forKey: NSKeyedArchiveRootObjectKey) is Fallen)
  }
}

/// A class with fallbacks, archived as itself.
final class Fallen: Disguise {
  override class func classFallbacksForKeyedArchiver() -> [String] { ["Older"] }
}
