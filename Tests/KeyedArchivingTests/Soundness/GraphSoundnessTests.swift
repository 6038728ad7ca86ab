// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import Foundation
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

@Suite("Objects as data, and Codable types, run nothing that was not asked for")
struct GraphSoundnessTests {
  private enum Cage {}
  private typealias Bird = CagedCanary<Cage>

  private let data = HandmadeList.archive([
    Hostile.object(2, [("child", .uid(3))]), Hostile.parent, Hostile.object(4), Hostile.canary,
  ])

  @Test("a graph that is read as data makes no object of any class, named or not")
  func asData() throws {
    let unarchiver = try Hostile.decoder(data)
    unarchiver.setClass(Bird.self, forClassName: "Canary")
    let object = try unarchiver.decode(ArchivedObject.self, forKey: "root")
    #expect(object["child"]?.object?.archivedClass.name == "Canary")
    #expect(try unarchiver.decodeTopLevel(makingValues: KeyedUnarchiver.valueTypes).entries.count == 1)
    #expect(Bird.births == 0)
  }

  @Test("data on a list does not let its class out as itself")
  func dataOnTheList() throws {
    let unarchiver = try Hostile.decoder(data)
    let made = try unarchiver.decodeTopLevelObject(of: [ArchivedObject.self], forKey: "root")
    #expect(made is ArchivedObject)
    expectRefused(Cage.self, "Canary", at: "root.child") {
      try unarchiver.decodeTopLevelObject(of: [Parent.self, ArchivedObject.self], forKey: "root")
    }
  }

  @Test("a Codable type gets what its properties ask for")
  func codable() {
    struct Letter: KeyedCodable {
      static var archiveClassName: String { "Letter" }
      var text: String
      var sender: Address?
    }
    struct Address: KeyedCodable {
      static var archiveClassName: String { "Address" }
      var street: String
    }
    func letter(_ text: UInt64, _ sender: UInt64) -> Data {
      HandmadeList.archive([
        Hostile.object(2, [("text", .uid(text)), ("sender", .uid(sender))]), .classRecord("Letter", "NSObject"), "text",
        Hostile.object(5), Hostile.canary,
      ])
    }
    expectRefused(Cage.self, "Canary", at: "root.sender") {
      try KeyedUnarchiver.unarchivedObject(ofClass: Letter.self, from: letter(3, 4))
    }
    expectRefused(Cage.self, "Canary", at: "root.text") {
      try KeyedUnarchiver.unarchivedObject(ofClass: Letter.self, from: letter(4, 0))
    }
    expectRefused(Cage.self, "NSString", at: "root.sender") {
      try KeyedUnarchiver.unarchivedObject(ofClass: Letter.self, from: letter(3, 3))
    }
  }

  @Test("a property list in an archive is made of its seven kinds of value and of nothing else")
  func propertyList() throws {
    let data = HandmadeList.archive([
      Hostile.object(2, [("NS.objects", [.uid(3)])]), Hostile.array, Hostile.object(4), Hostile.canary,
    ])
    let unarchiver = try Hostile.decoder(data)
    unarchiver.setClass(Bird.self, forClassName: "Canary")
    expectRefused(Cage.self, "Canary", at: "root[0]") {
      try unarchiver.decodeTopLevelDecodable([String].self, forKey: "root")
    }
    #expect(unarchiver.decodePropertyList(forKey: "root") == nil)
    #expect(unarchiver.error?.code == .classNotAllowed)
    #expect(Bird.births == 0)
  }
}
