// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import Foundation
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

@Suite("Containers do not widen a list")
struct ContainerTests {
  private enum Cage {}

  /// A canary inside containers of these classes, the outermost first. Keys are the texts that dictionaries hold it under.
  private func nested(_ classes: [String], isKey: Bool = false) -> Data {
    var objects: [HandmadeList] = []
    for (level, name) in classes.enumerated() {
      let (record, next, key) = (UInt64(3 * level + 2), UInt64(3 * level + 4), UInt64(3 * level + 3))
      if name == "NSDictionary" {
        let isLast = level == classes.count - 1
        let (k, v): (UInt64, UInt64) = isKey && isLast ? (next, key) : (key, next)
        objects += [Hostile.object(record, [("NS.keys", [.uid(k)]), ("NS.objects", [.uid(v)])])]
      } else {
        objects += [Hostile.object(record, [("NS.objects", [.uid(next)])])]
      }
      objects += [.classRecord(name, "NSObject"), "key"]
    }
    return HandmadeList.archive(objects + [Hostile.object(UInt64(3 * classes.count + 2)), Hostile.canary])
  }

  private static let everything: [any (KeyedCoding & SendableMetatype).Type] = [
    ArchivedArray.self, ArchivedDictionary.self, ArchivedSet.self, ArchivedOrderedSet.self, ArchivedCountedSet.self,
    String.self, ArchiveNumber.self, Data.self, Parent.self,
  ]

  @Test(
    "untyped ones, in each other to any depth",
    arguments: [
      ["NSArray"], ["NSSet"], ["NSDictionary"], ["NSOrderedSet"], ["NSArray", "NSArray"], ["NSArray", "NSSet"],
      ["NSDictionary", "NSArray"], ["NSSet", "NSDictionary", "NSArray"],
      ["NSArray", "NSDictionary", "NSSet", "NSOrderedSet", "NSArray"],
    ])
  func untyped(_ classes: [String]) throws {
    for isKey in classes.last == "NSDictionary" ? [false, true] : [false] {
      let data = nested(classes, isKey: isKey)
      for unarchiver in [try Hostile.decoder(data), try Hostile.decoder(data)] {
        unarchiver.setClass(CagedCanary<Cage>.self, forClassName: "Canary")
        expectRefused(Cage.self, "Canary") {
          try unarchiver.decodeTopLevelObject(of: Self.everything.map { $0 }, forKey: "root")
        }
      }
    }
  }

  @Test("typed ones admit their elements' type and no other")
  func typed() {
    let ways: [([String], Bool, (KeyedUnarchiver) throws -> Any?)] = [
      (["NSArray"], false, { try $0.decodeTopLevelObject(of: [Parent].self, forKey: "root") }),
      (["NSArray", "NSArray"], false, { try $0.decodeTopLevelObject(of: [[Parent]].self, forKey: "root") }),
      (["NSDictionary"], false, { try $0.decodeTopLevelObject(of: [String: Parent].self, forKey: "root") }),
      (["NSDictionary"], true, { try $0.decodeTopLevelObject(of: [String: String].self, forKey: "root") }),
      (
        ["NSDictionary", "NSArray"], false, { try $0.decodeTopLevelObject(of: [String: [Parent]].self, forKey: "root") }
      ),
      (["NSSet"], false, { try $0.decodeTopLevelObject(of: Set<String>.self, forKey: "root") }),
      (["NSArray"], false, { try $0.decodeTopLevelObject(of: [Parent?].self, forKey: "root") }),
    ]
    for (classes, isKey, way) in ways {
      expectRefused(Cage.self, "Canary") { try way(Hostile.decoder(nested(classes, isKey: isKey))) }
    }
  }

  @Test("the lists of a dictionary's keys and of its values are not each other's")
  func keysAndValues() {
    for isKey in [false, true] {
      let data = nested(["NSDictionary"], isKey: isKey)
      enum Other {}
      typealias Loud = CagedCanary<Other>
      // The list of the other side has the canary on it.
      expectRefused(Other.self, "Canary") {
        try KeyedUnarchiver.unarchivedDictionary(
          ofKeyClasses: isKey ? [String.self] : [String.self, Loud.self],
          objectClasses: isKey ? [String.self, Loud.self] : [String.self], from: data)
      }
    }
  }

  @Test("a list is not in force inside of an object that asks for its children itself")
  func inside() {
    enum Other {}
    let data = HandmadeList.archive([
      Hostile.object(2, [("child", .uid(3))]), Hostile.parent, Hostile.object(4), Hostile.canary,
    ])
    expectRefused(Other.self, "Canary", at: "root.child") {
      try KeyedUnarchiver.unarchivedObject(ofClasses: [Parent.self, CagedCanary<Other>.self], from: data)
    }
  }

  @Test("values that Foundation's classes hold are subject to the list of their own and to the caller's")
  func contents() {
    // An error's user info.
    let data = HandmadeList.archive([
      Hostile.object(2, [("NSDomain", .uid(3)), ("NSCode", 1), ("NSUserInfo", .uid(4))]),
      .classRecord("NSError", "NSObject"), "domain",
      Hostile.object(5, [("NS.keys", [.uid(3)]), ("NS.objects", [.uid(6)])]), Hostile.dictionary, Hostile.object(7),
      Hostile.canary,
    ])
    let unarchiver = try? Hostile.decoder(data)
    unarchiver?.setClass(CagedCanary<Cage>.self, forClassName: "Canary")
    // What is not known stays data there.
    let error = try? unarchiver?.decodeTopLevelObject(of: ArchivedError.self, forKey: "root")
    #expect(error?.userInfo?["domain"] is ArchivedObject)
    #expect(CagedCanary<Cage>.births == 0)
  }
}
