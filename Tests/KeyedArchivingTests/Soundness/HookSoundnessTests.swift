// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

@Suite("Names, hooks and delegates choose among what was asked for")
struct HookSoundnessTests {
  private enum Cage {}
  private typealias Bird = CagedCanary<Cage>

  /// Offers a type for each class, and an object for each object.
  private final class Offering: KeyedUnarchiverDelegate {
    var type: (any KeyedCoding.Type)?
    var object: (any KeyedCoding)?
    func unarchiver(
      _ unarchiver: KeyedUnarchiver, cannotDecodeObjectOfClassName name: String, originalClasses: [String]
    ) -> (any KeyedCoding.Type)? { type }
    func unarchiver(_ unarchiver: KeyedUnarchiver, didDecode object: any KeyedCoding) -> (any KeyedCoding)? {
      self.object ?? object
    }
  }

  private static let ways: [@Sendable (KeyedUnarchiver) throws -> Any?] = [
    { try $0.decodeTopLevelObject(of: Parent.self, forKey: "root") },
    { try $0.decodeTopLevelObject(of: [Parent.self], forKey: "root") },
    { try $0.decodeTopLevelObject(of: [Parent.self, ArchivedArray.self, String.self], forKey: "root") },
  ]

  @Test("a canary that is set for a class, or offered for it, is not made")
  func offeredTypes() {
    for name in ["Parent", "Lost"] {
      let data = HandmadeList.archive([Hostile.object(2), .classRecord(name, "NSObject")])
      for way in Self.ways {
        expectRefused(Cage.self, name) {
          let unarchiver = try Hostile.decoder(data)
          unarchiver.setClass(Bird.self, forClassName: name)
          // A list has other members that may answer to the name; then one of them is made and not the canary.
          if name == "Parent", let made = try way(unarchiver) as? Parent {
            throw KeyedArchiveError(.classNotAllowed, "\(made)", className: name)
          }
          return try way(unarchiver)
        }
      }
    }
    let data = HandmadeList.archive([Hostile.object(2), .classRecord("Lost", "NSObject")])
    for way in Self.ways {
      let delegate = Offering()
      delegate.type = Bird.self
      expectRefused(Cage.self, "Lost") {
        let unarchiver = try Hostile.decoder(data)
        unarchiver.delegate = delegate
        return try way(unarchiver)
      }
    }
  }

  @Test("an object that a delegate puts in another's place must be of the type that was asked for")
  func offeredObjects() throws {
    let data = HandmadeList.archive([Hostile.object(2), Hostile.parent])
    for way in Self.ways.prefix(2) {
      for object in ["text", ArchivedArray([]), 5] as [any KeyedCoding] {
        let delegate = Offering()
        delegate.object = object
        expectRefused(Cage.self, "Parent") {
          let unarchiver = try Hostile.decoder(data)
          unarchiver.delegate = delegate
          return try way(unarchiver)
        }
      }
      let delegate = Offering()
      let other = Parent()
      delegate.object = other
      let unarchiver = try Hostile.decoder(data)
      unarchiver.delegate = delegate
      #expect(try way(unarchiver) as? Parent === other)
    }
  }

  @Test("nor does one come into a collection in another's place")
  func offeredElements() throws {
    let data = HandmadeList.archive([
      Hostile.object(2, [("NS.objects", [.uid(3)])]), Hostile.array, Hostile.object(4), Hostile.parent,
    ])
    let ways: [(KeyedUnarchiver) throws -> Any?] = [
      { try $0.decodeTopLevelObject(of: [Parent].self, forKey: "root") },
      { try $0.decodeTopLevelObject(of: [Parent?].self, forKey: "root") },
      { try $0.decodeTopLevelObject(of: [Parent.self, ArchivedArray.self, String.self], forKey: "root") },
      { $0.decodeArrayOfObjects(ofClasses: [Parent.self, String.self], forKey: "root") },
    ]
    for way in ways {
      let delegate = Offering()
      delegate.object = "text"
      let unarchiver = try Hostile.decoder(data)
      unarchiver.delegate = delegate
      let made = try? way(unarchiver)
      #expect(made == nil, "\(String(describing: made))")
    }
  }

  @Test("what a delegate let in does not come out once it is gone")
  func delegateTakenAway() throws {
    let data = HandmadeList.archive([Hostile.object(2), .classRecord("Lost", "NSObject")])
    for way in Self.ways {
      let delegate = Offering()
      delegate.type = Parent.self
      let unarchiver = try Hostile.decoder(data)
      unarchiver.delegate = delegate
      #expect(try way(unarchiver) is Parent)
      unarchiver.delegate = nil
      expectRefused(Cage.self, "Lost") { try way(unarchiver) }
    }
  }

  @Test("an object that puts another in its place does so within its type")
  func awakening() throws {
    final class Sleeper: SecureKeyedCoding, ArchiveAwakening {
      static var archiveClassName: String { "Sleeper" }
      func encode(with coder: KeyedArchiver) {}
      init?(coder: KeyedUnarchiver) {}
      func awakeAfter(using coder: KeyedUnarchiver) throws -> Sleeper {
        // It may look around in the archive, under the same rules.
        _ = try coder.decodeIfPresent(Parent.self, forKey: "bird")
        return self
      }
    }
    let data = HandmadeList.archive([
      Hostile.object(2, [("bird", .uid(3))]), .classRecord("Sleeper", "NSObject"), Hostile.object(4), Hostile.canary,
    ])
    expectRefused(Cage.self, "Canary", at: "root.bird") {
      try KeyedUnarchiver.unarchivedObject(ofClass: Sleeper.self, from: data)
    }
  }

  @Test("other top-level keys are under the same rules as root")
  func topLevel() throws {
    let data = HandmadeList.archive(
      [Hostile.object(2), Hostile.parent, Hostile.object(4), Hostile.canary],
      top: [("root", .uid(1)), ("Root", .uid(3)), ("$0", .uid(3)), ("$$class", .uid(3)), ("", .uid(3))])
    let unarchiver = try Hostile.decoder(data)
    #expect(try unarchiver.decode(Parent.self, forKey: "root").child == nil)
    for key in ["Root", "$class", ""] {
      expectRefused(Cage.self, "Canary") { try unarchiver.decodeTopLevelObject(of: Parent.self, forKey: key) }
      expectRefused(Cage.self, "Canary") { try unarchiver.decodeTopLevelObject(of: [Parent.self], forKey: key) }
    }
    // Values without keys are others again.
    #expect(unarchiver.decodeObject(of: Parent.self) == nil)
    #expect(unarchiver.error?.code == .classNotAllowed)
    #expect(Bird.births == 0)
  }

  @Test("a key that is there twice is the same one for whoever asks")
  func keysTwice() throws {
    let data = HandmadeList.archive(
      [Hostile.object(2), Hostile.parent, Hostile.object(4), Hostile.canary],
      top: [("root", .uid(1)), ("root", .uid(3))])
    #expect(try KeyedArchive(data).root.className == "Parent")
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Parent.self, from: data) != nil)
    #expect(try KeyedUnarchiver.unarchivedObject(ofClasses: [Parent.self], from: data) != nil)
    #expect(Bird.births == 0)
  }
}
