// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import Foundation
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing

/// What reads the graph in the toolchain's Foundation.
final class FoundationBox: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  let integers: [Int]
  let numbers: [NSNumber?]
  let list: [NSNumber]?

  func encode(with coder: NSCoder) {}

  init?(coder: NSCoder) {
    integers = ["narrow", "wide", "plain"].map { coder.decodeInteger(forKey: $0) }
    numbers = ["number", "same", "short"].map { coder.decodeObject(of: NSNumber.self, forKey: $0) }
    list = coder.decodeObject(of: [NSArray.self, NSNumber.self], forKey: "list") as? [NSNumber]
  }
}

@Suite("A graph of objects that were read and of plain values")
struct MixedGraphTests {
  @Test("names the path of a malformed value")
  func pathOfMalformedValue() throws {
    func path(_ objects: [HandmadeList]) throws -> String? {
      let unarchiver = try KeyedUnarchiver(forReadingFrom: HandmadeList.archive(objects))
      unarchiver.decodingFailurePolicy = .raiseException
      return try #require(
        #expect(throws: KeyedArchiveError.self) {
          try unarchiver.decodeTopLevel(makingValues: KeyedUnarchiver.valueTypes)
        }
      ).keyPath
    }
    let array: [HandmadeList] = [
      ["NS.objects": [.uid(3)], "$class": .uid(2)], .classRecord("NSArray", "NSObject"),
      ["tint": .uid(5), "$class": .uid(4)], .classRecord("Box", "NSObject"),
    ]
    // A color without its space, and an array whose element is not a reference.
    #expect(
      try path(array + [["NSRGB": .data([0x31]), "$class": .uid(6)], .classRecord("NSColor", "NSObject")])
        == "root[0].tint.NSColorSpace")
    #expect(try path(array + [["list": ["x"], "$class": .uid(4)]]) == "root[0].tint.list")
  }

  /// An object with two integers that are equal and two in the file, and with a number that is an object, to which the
  /// same values are added as Swift has them.
  private func mixed() throws -> ArchivedObject {
    let data = HandmadeList.archive([
      ["narrow": 5, "wide": 5, "number": .uid(3), "$class": .uid(2)],
      .classRecord("ArchivedClassesTests.FoundationBox", "NSObject"), 7,
    ])
    let box = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedObject.self, from: data))
    box["plain"] = .number(.integer(5))
    box["same"] = .value(7)
    box["short"] = .value(Int32(7))
    box["list"] = .value([7, 5])
    return box
  }

  @Test("is an archive that Foundation reads, in every layout", arguments: ArchiveLayout.allCases)
  func foundationReads(_ layout: ArchiveLayout) throws {
    let data = try KeyedArchiver.archivedData(withRootObject: mixed(), requiringSecureCoding: true, layout: layout)
    #expect(try KeyedArchive(data).check() == [])
    let box = try NSKeyedUnarchiver.unarchivedObject(ofClass: FoundationBox.self, from: data)
    #expect(box?.integers == [5, 5, 5])
    #expect(box?.numbers == [7, 7, 7])
    #expect(box?.list == [7, 5])
  }

  @Test("keeps the integers that were read as many as they were; an equal plain one is the first of them")
  func integers() throws {
    func count(_ layout: ArchiveLayout) throws -> Int {
      let data = try KeyedArchiver.archivedData(withRootObject: mixed(), requiringSecureCoding: true, layout: layout)
      let list = try PropertyList(data)
      return try (0..<UInt32(list.objectCount)).count {
        if case .integer(5) = try list.object(ObjectRef(rawValue: $0)) { true } else { false }
      }
    }
    #expect(try count(.apple) == 2 && count(.appleLegacy) == 2 && count(.compact) == 1)
  }

  @Test("takes an equal plain number for one that was read, if a pointer holds it, but not one of another type")
  func numbers() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: mixed(), requiringSecureCoding: true)
    let root = try KeyedArchive(data).root
    #expect(root["number"].uid == root["same"].uid && root["number"].uid == root["list"][0].uid)
    #expect(root["short"].uid != root["same"].uid)
  }
}

@Suite("A ring of objects that is in a value")
struct DismantlingTests {
  private func ring(in top: ArchivedTopLevel) throws -> ArchivedObject {
    guard case .value(let instance as ArchivedInstance)? = top["root"], let error = instance.value as? ArchivedError
    else { throw CocoaError(.coderInvalidValue) }
    return try #require(error.userInfo?["d"] as? ArchivedObject)
  }

  @Test("is let go when the whole is dismantled, and not before")
  func dismantled() throws {
    // An error whose user info holds an object that holds itself, and that nothing else refers to.
    let data = HandmadeList.archive([
      ["NSDomain": .uid(3), "NSCode": 1, "NSUserInfo": .uid(4), "$class": .uid(2)],
      .classRecord("NSError", "NSObject"), "d",
      ["NS.keys": [.uid(3)], "NS.objects": [.uid(6)], "$class": .uid(5)], .classRecord("NSDictionary", "NSObject"),
      ["self": .uid(6), "$class": .uid(7)], .classRecord("Ring", "NSObject"),
    ])
    for dismantles in [false, true] {
      weak var watched: ArchivedObject?
      try {
        let top = try KeyedUnarchiver(forReadingFrom: data).decodeTopLevel(makingValues: KeyedUnarchiver.valueTypes)
        let ring = try ring(in: top)
        #expect(ring["self"]?.object === ring)
        watched = ring
        if dismantles { top.dismantle() }
      }()
      #expect((watched == nil) == dismantles)
      watched?.dismantle()
      #expect(watched == nil)
    }
  }
}
