// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import TestSupport
import Testing

@testable import KeyedArchivingFoundation

@Suite("Which bridged classes are instantiated")
struct BridgeAllowListTests {
  /// Runs a step and returns the canaries whose initializers ran.
  private func canaries(_ body: () throws -> Void) rethrows -> [String] {
    let cage = Cage()
    try Cage.$current.withValue(cage) { try body() }
    return cage.names
  }

  @Test("another class than the requested one is refused before any initializer runs")
  func otherClass() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Canary(), requiringSecureCoding: true)
    #expect(try canaries { _ = try KeyedUnarchiver.unarchivedObject(ofClass: Canary.self, from: data) } == ["Canary"])
    let ran = canaries {
      let error = #expect(throws: KeyedArchiveError.self) {
        try KeyedUnarchiver.unarchivedObject(ofClass: Meal.self, from: data)
      }
      #expect(error?.code == .classNotAllowed)
      #expect(error?.className == "KeyedArchivingFoundationTests.Canary")
    }
    #expect(ran == [])
  }

  @Test(
    "no request of a bridged class makes another class",
    arguments: ["one", "list", "elements", "untyped", "plist", "later"])
  func requests(_ kind: String) throws {
    let data = try Probe.archive { coder in
      coder.encode(Canary(), forKey: "bird")
      coder.encode(["a", Canary()] as [Any], forKey: "cage")
    }
    let ran = try canaries {
      let error = try Probe.errorOfReading(data) { coder in
        switch kind {
        case "one": #expect(coder.decodeObject(of: Meal.self, forKey: "bird") == nil)
        case "list": #expect(coder.decodeObject(of: [Meal.self, NSString.self], forKey: "bird") == nil)
        case "elements":
          #expect(coder.decodeObject(of: [NSArray.self, NSString.self, Meal.self], forKey: "cage") == nil)
        case "untyped": #expect(coder.decodeObject(forKey: "cage") == nil)
        case "plist": #expect(coder.decodePropertyList(forKey: "cage") == nil)
        default: coder.decodeObject(of: Meal.self, forKey: "bird") { _ in Issue.record("a canary was delivered") }
        }
      }
      #expect(error.code == .classNotAllowed)
    }
    #expect(ran == [])
  }

  @Test("a class that resolves no names makes only the subclasses that it declares")
  func declaredSubclasses() throws {
    let bird = try KeyedArchiver.archivedData(withRootObject: WildParrot(), requiringSecureCoding: true)
    let ran = canaries {
      let error = #expect(throws: KeyedArchiveError.self) {
        try KeyedUnarchiver.unarchivedObject(ofClass: Parrot.self, from: bird)
      }
      #expect(error?.code == .classNotAllowed)
      #expect(error?.remedy?.contains("Parrot.archiveSubclasses") == true)
    }
    #expect(ran == [])
    let tame = try KeyedArchiver.archivedData(withRootObject: TameParrot(), requiringSecureCoding: true)
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Parrot.self, from: tame) is TameParrot)
  }

  @Test("subclasses are found by name where their superclass is requested, as by Foundation, and nothing else is")
  func subclasses() throws {
    for loud in [LoudCanary(), Aviary.Canary()] as [Canary] {
      let data = try KeyedArchiver.archivedData(withRootObject: loud, requiringSecureCoding: true)
      let single = try KeyedUnarchiver.unarchivedObject(ofClass: Canary.self, from: data)
      #expect(single.map { type(of: $0) == type(of: loud) } == true)
      let listed = try KeyedUnarchiver.unarchivedObject(ofClasses: [Meal.self, Canary.self], from: data)
      #expect(listed.map { type(of: $0) == type(of: loud) } == true)
      let ran = canaries {
        for other in [Meal.self, TimeToken.self, Parrot.self] as [any FoundationCoding.Type] {
          #expect(throws: KeyedArchiveError.self) { try Self.decode(other, from: data) }
        }
      }
      #expect(ran == [])
    }
    // A superclass does not stand for its subclass.
    let data = try KeyedArchiver.archivedData(withRootObject: Canary(), requiringSecureCoding: true)
    let ran = canaries {
      #expect(throws: KeyedArchiveError.self) {
        try KeyedUnarchiver.unarchivedObject(ofClass: LoudCanary.self, from: data)
      }
    }
    #expect(ran == [])
    // Foundation's decoder makes the same class.
    let theirs = try NSKeyedArchiver.archivedData(withRootObject: LoudCanary(), requiringSecureCoding: true)
    #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: Canary.self, from: theirs) is LoudCanary)
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Canary.self, from: theirs) is LoudCanary)
  }

  private static func decode<Object: FoundationCoding>(_ type: Object.Type, from data: Data) throws {
    _ = try KeyedUnarchiver.unarchivedObject(ofClass: type, from: data)
  }

  @Test(
    "a name that is no class of the program finds nothing",
    arguments: [
      "KeyedArchivingFoundationTests.Absent", "KeyedArchivingFoundationTests.", ".Canary", "Canary", "..", "",
      "KeyedArchivingFoundationTests.LoudCanaryC", "KeyedArchivingFoundationTests.Loud\u{0301}Canary",
      "KeyedArchivingFoundationTests.(LoudCanary)", "KeyedArchivingFoundationTests.LoudCanary.Type",
      "_TtC29KeyedArchivingFoundationTests99LoudCanary", "_TtC29KeyedArchivingFoundationTests", "_Tt", "_TtC",
      "_TtCC29KeyedArchivingFoundationTests10LoudCanary", "_TtC99999999999999999999a1b", "_TtGSaSi_", "SaySiG",
      "$s29KeyedArchivingFoundationTests10LoudCanaryC", "29KeyedArchivingFoundationTests10LoudCanaryC",
      "_TtC29KeyedArchivingFoundationTests10LoudCanary", "KeyedArchivingFoundationTests.Bird",
    ])
  func unknownNames(_ name: String) throws {
    let data = HandmadeList.archive([["$class": .uid(2)], .classRecord(name, "NSObject")])
    let ran = canaries {
      let error = #expect(throws: KeyedArchiveError.self) {
        try KeyedUnarchiver.unarchivedObject(ofClass: Canary.self, from: data)
      }
      #expect(error?.code == .classNotAllowed)
    }
    #expect(ran == [])
  }

  @Test("a decoder searches no subclass after 64 names that no class has, and fails", arguments: [0, 10, 63, 64, 1000])
  func manyNames(_ count: Int) throws {
    // An array of objects whose classes have unknown names, and then of one whose class is a subclass.
    let first = 3
    func uid(_ number: Int) -> HandmadeList { .uid(UInt64(number)) }
    let elements = HandmadeList.array((0...count).map { uid(first + 2 * $0) })
    var objects: [HandmadeList] = [["$class": .uid(2), "NS.objects": elements], .classRecord("NSArray", "NSObject")]
    for index in 0..<count {
      objects.append(["$class": uid(first + 2 * index + 1)])
      let name = "KeyedArchivingFoundationTests.Absent\(index)"
      objects.append([
        "$classname": .string(name), "$classes": .array([.string(name)]),
        "$classhints": .array([.string("KeyedArchivingFoundationTests.Canary")]),
      ])
    }
    let name = "KeyedArchivingFoundationTests.LoudCanary"
    objects += [["$class": uid(first + 2 * count + 1)], .classRecord(name, "NSObject")]
    let data = HandmadeList.archive(objects)
    let single = { try KeyedUnarchiver.unarchivedObject(ofClass: [Canary].self, from: data)?.last }
    let listed = {
      let types: [any KeyedCoding.Type] = [ArchivedArray.self, Canary.self]
      let array = try KeyedUnarchiver.unarchivedObject(ofClasses: types, from: data) as? ArchivedArray
      return array?.elements.last as? Canary
    }
    if count < 64 {
      #expect(try single() is LoudCanary)
      #expect(try listed() is LoudCanary)
    } else {
      for decode in [single, listed] {
        let error = #expect(throws: KeyedArchiveError.self) { _ = try decode() }
        #expect(error?.code == .limitReached)
      }
    }
  }

  @Test("a class in more than seven other types is not searched")
  func depth() {
    func name(_ depth: Int) -> String {
      "_TtC" + String(repeating: "O", count: depth - 1) + "29KeyedArchivingFoundationTests"
        + String(repeating: "1a", count: depth)
    }
    #expect(FoundationSubclasses.mangledName(of: name(8)) != nil)
    #expect(FoundationSubclasses.mangledName(of: name(9)) == nil)
    #expect(FoundationSubclasses.mangledName(of: "_TtO29KeyedArchivingFoundationTests1a") == nil)
  }

  @Test("a private subclass is found only if the class declares it")
  func privateSubclass() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: HiddenCanary(), requiringSecureCoding: true)
    let ran = canaries {
      #expect(throws: KeyedArchiveError.self) {
        try KeyedUnarchiver.unarchivedObject(ofClass: Canary.self, from: data)
      }
    }
    #expect(ran == [])
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: HiddenCanary.self, from: data) != nil)
  }

  @Test("a list with NSObject allows nothing")
  func nsObject() throws {
    let data = try Probe.archive { $0.encode(Canary(), forKey: "bird") }
    let ran = try canaries {
      let error = try Probe.errorOfReading(data) {
        #expect($0.decodeObject(of: [NSObject.self], forKey: "bird") == nil)
      }
      #expect(error.remedy == "NSObject does not name the classes to allow; list them")
    }
    #expect(ran == [])
  }

  @Test("a class of the list without a bridge is named")
  func unbridged() throws {
    let data = Probe.handmade(
      [("thing", .uid(3))],
      [["$class": .uid(4)], .classRecord("KeyedArchivingFoundationTests.Unbridged", "NSObject")])
    let error = try Probe.errorOfReading(data) {
      #expect($0.decodeObject(of: [NSString.self, Unbridged.self], forKey: "thing") == nil)
    }
    #expect(error.code == .classNotAllowed)
    #expect(error.remedy?.contains("extension Unbridged: FoundationCoding {}") == true)
  }

  @Test("a class that gives up is named, with its key and the absent ones")
  func givingUp() throws {
    let data = try Probe.archive { coder in
      coder.keyedArchiver?.encode(Badge(text: "no meal"), forKey: "meal")
    }
    let archive = Probe.handmade(
      [("meal", .uid(3))],
      [["$class": .uid(4), "nam": "Soup"], .classRecord("KeyedArchivingFoundationTests.Meal", "NSObject")])
    #expect(
      try Probe.errorOfReading(data) { _ = $0.decodeObject(of: Meal.self, forKey: "meal") }.code == .classNotAllowed)
    let error = try Probe.errorOfReading(archive) { _ = $0.decodeObject(of: Meal.self, forKey: "meal") }
    #expect(error.code == .valueNotFound)
    #expect(error.className == "KeyedArchivingFoundationTests.Meal")
    #expect(error.keyPath == "root.meal")
    #expect(error.detail.contains("'name'"))
  }
}

/// The canaries that sang in one test.
private final class Cage: @unchecked Sendable {
  @TaskLocal static var current: Cage?
  var names: [String] = []
}

/// A class whose initializer leaves a trace.
class Canary: NSObject, NSSecureCoding, FoundationCoding {
  class var supportsSecureCoding: Bool { true }
  override init() {}
  func encode(with coder: NSCoder) {}
  required init?(coder: NSCoder) {
    super.init()
    Cage.current?.names.append("\(type(of: self))")
  }
}

final class LoudCanary: Canary {}

private final class HiddenCanary: Canary {}

enum Aviary {
  final class Canary: KeyedArchivingFoundationTests.Canary {}
}

/// A class that is no canary, and has a name of one's length.
final class Bird: NSObject, NSSecureCoding, FoundationCoding {
  static var supportsSecureCoding: Bool { true }
  func encode(with coder: NSCoder) {}
  init?(coder: NSCoder) { Cage.current?.names.append("Bird") }
}

/// A class that allows only the subclasses it declares.
class Parrot: NSObject, NSSecureCoding, FoundationCoding {
  class var supportsSecureCoding: Bool { true }
  class var archiveSubclasses: [any KeyedCoding.Type] { [TameParrot.self] }
  class func archiveSubclass(named name: String) -> (any KeyedCoding.Type)? { nil }
  override init() {}
  func encode(with coder: NSCoder) {}
  required init?(coder: NSCoder) {
    super.init()
    Cage.current?.names.append("\(type(of: self))")
  }
}

final class TameParrot: Parrot {}
final class WildParrot: Parrot {}
