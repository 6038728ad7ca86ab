// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import TestSupport
import Testing

@Suite("Rules that are changed on a decoder hold for what it decoded before")
struct ChangedRulesTests {
  private enum Cage {}

  /// A class of today with a child from before secure coding.
  private final class Owner: SecureKeyedCoding {
    static var archiveClassName: String { "Owner" }
    var pet: Pet?
    func encode(with coder: KeyedArchiver) {}
    init?(coder: KeyedUnarchiver) { pet = coder.decodeObject(of: Pet.self, forKey: "pet") }
  }

  private class Pet: KeyedCoding {
    class var archiveClassName: String { "Pet" }
    func encode(with coder: KeyedArchiver) {}
    required init?(coder: KeyedUnarchiver) {}
  }

  private final class SecurePet: Pet, SecureKeyedCoding {
    override class var archiveClassName: String { "SecurePet" }
  }

  private let data = HandmadeList.archive(
    [
      Hostile.object(2, [("pet", .uid(3))]), .classRecord("Owner", "NSObject"), Hostile.object(4),
      .classRecord("Pet", "NSObject"),
    ], top: [("root", .uid(1)), ("again", .uid(1))])

  @Test("an object that holds what was made without secure coding does not come out once it is required")
  func secureAfterInsecure() throws {
    for key in ["root", "again"] {
      let unarchiver = try Hostile.decoder(data)
      unarchiver.requiresSecureCoding = false
      #expect(try unarchiver.decode(Owner.self, forKey: "root").pet != nil)
      unarchiver.requiresSecureCoding = true
      let error = #expect(throws: KeyedArchiveError.self) { try unarchiver.decode(Owner.self, forKey: key) }
      #expect(error?.code == .classNotSecure)
      #expect(error?.className == "Pet")
      #expect(error?.keyPath == "\(key).pet")
    }
  }

  @Test("and the other way round it comes out")
  func insecureAfterSecure() throws {
    let unarchiver = try Hostile.decoder(data)
    #expect(throws: KeyedArchiveError.self) { try unarchiver.decode(Owner.self, forKey: "root") }
    unarchiver.requiresSecureCoding = false
    #expect(try unarchiver.decode(Owner.self, forKey: "root").pet != nil)
  }

  @Test("a name that is set no longer lets nothing out that it let out before")
  func nameTakenBack() throws {
    let data = HandmadeList.archive([
      Hostile.object(2, [("child", .uid(3))]), Hostile.parent, Hostile.object(4), .classRecord("Former", "NSObject"),
    ])
    let unarchiver = try Hostile.decoder(data)
    unarchiver.setClass(Parent.self, forClassName: "Former")
    #expect(try unarchiver.decode(Parent.self, forKey: "root").child != nil)
    unarchiver.setClass(nil, forClassName: "Former")
    expectRefused(Cage.self, "Former", at: "root.child") { try unarchiver.decode(Parent.self, forKey: "root") }
  }

  private struct Tag: KeyedCodable {
    static var archiveClassName: String { "Tag" }
    var value: Int
  }

  @Test("a struct that was refused comes out once its name is set, and no longer once it is taken back")
  func nameGiven() throws {
    let data = HandmadeList.archive([Hostile.object(2, [("value", 7)]), .classRecord("Former", "NSObject")])
    let unarchiver = try Hostile.decoder(data)
    for _ in 0..<2 {
      #expect(throws: (any Error).self) { try unarchiver.decode(Tag.self, forKey: "root") }
      unarchiver.setClass(Tag.self, forClassName: "Former")
      #expect(try unarchiver.decode(Tag.self, forKey: "root").value == 7)
      unarchiver.setClass(nil, forClassName: "Former")
    }
  }

  @Test("as long as no rule is changed an object stays the same one")
  func identity() throws {
    let unarchiver = try Hostile.decoder(data)
    unarchiver.requiresSecureCoding = false
    let first = try unarchiver.decode(Owner.self, forKey: "root")
    #expect(try unarchiver.decode(Owner.self, forKey: "again") === first)
  }
}
