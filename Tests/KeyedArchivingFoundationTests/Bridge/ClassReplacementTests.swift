// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import KeyedArchivingFoundation
import TestSupport
import Testing

/// The answers of ``Fossil/classForKeyedUnarchiver()``, which tests set for their own task.
final class Selection: @unchecked Sendable {
  @TaskLocal static var current: AnyClass?
  @TaskLocal static var calls: Counter?
  final class Counter: @unchecked Sendable { var count = 0 }
}

/// A superclass, of which a list can name all subclasses.
class Artifact: NSObject, NSSecureCoding, FoundationCoding {
  class var supportsSecureCoding: Bool { true }
  var next: Artifact?
  var again: Artifact?
  override init() {}

  func encode(with coder: NSCoder) {
    coder.encode(next, forKey: "next")
    coder.encode(again, forKey: "again")
  }

  required init?(coder: NSCoder) {
    super.init()
    Initializations.note("\(type(of: self))")
    next = coder.decodeObject(of: Artifact.self, forKey: "next")
    again = coder.decodeObject(of: Artifact.self, forKey: "again")
  }
}

/// A class of former versions, which selects the class to decode.
class Fossil: Artifact {
  override class func classForKeyedUnarchiver() -> AnyClass {
    Selection.calls?.count += 1
    return Selection.current ?? self
  }
}

/// The class that replaces the former one. Its own selection does not count.
class Replica: Artifact {
  override class func classForKeyedUnarchiver() -> AnyClass { self == Replica.self ? Artifact.self : self }
}

final class FineReplica: Fossil {
  override class func classForKeyedUnarchiver() -> AnyClass { self }
}

final class CoarseReplica: Artifact {
  override class var supportsSecureCoding: Bool { false }
}

/// A class without a bridge.
final class Unknown: Artifact2 {}
class Artifact2: NSObject, NSSecureCoding {
  class var supportsSecureCoding: Bool { true }
  func encode(with coder: NSCoder) {}
  required init?(coder: NSCoder) {}
}

@Suite("Classes that select the class to decode, with classForKeyedUnarchiver()")
struct ClassReplacementTests {
  private static func data(_ object: some FoundationCoding) throws -> Data {
    try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
  }

  private static func foundation(_ data: Data, _ classes: [AnyClass]) throws -> Any? {
    try NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: data)
  }

  private static func ours(_ data: Data, _ classes: [AnyClass]) throws -> Any? {
    try KeyedUnarchiver.unarchivedFoundationObject(ofClasses: classes, from: data)
  }

  @Test("the selected class is decoded, once and not selected again, as by Foundation")
  func selected() throws {
    let data = try Self.data(Fossil())
    try Selection.$current.withValue(Replica.self) {
      for classes in [[Artifact.self], [Artifact.self, NSString.self], [Fossil.self, Replica.self]] as [[AnyClass]] {
        for decode in [Self.ours, Self.foundation] {
          let ran = try Initializations.during {
            let object = try decode(data, classes)
            #expect(object.map { type(of: $0) == Replica.self } == true, "\(classes)")
          }
          #expect(ran == ["Replica"], "\(classes)")
        }
      }
      let typed = try KeyedUnarchiver.unarchivedObject(ofClass: Artifact.self, from: data)
      #expect(typed is Replica)
      let array = try KeyedUnarchiver.unarchivedArrayOfObjects(
        ofClass: Artifact.self, from: Probe.list([Fossil(), Artifact(), Replica()]))
      #expect(array?.map { "\(type(of: $0))" } == ["Replica", "Artifact", "Artifact"])
    }
    let untouched = try KeyedUnarchiver.unarchivedObject(ofClass: Artifact.self, from: data)
    #expect(untouched.map { type(of: $0) == Fossil.self } == true)
  }

  @Test("a subclass that the class selects fits a request for the class")
  func subclass() throws {
    let data = try Self.data(Fossil())
    try Selection.$current.withValue(FineReplica.self) {
      let ours = try KeyedUnarchiver.unarchivedObject(ofClass: Fossil.self, from: data)
      let theirs = try NSKeyedUnarchiver.unarchivedObject(ofClass: Fossil.self, from: data)
      #expect(ours is FineReplica && theirs is FineReplica)
    }
  }

  @Test("an object keeps its identity, under a request for one class, a list and a deferred one")
  func identity() throws {
    let (owner, shared) = (Artifact(), Fossil())
    (owner.next, owner.again) = (shared, shared)
    let data = try Way.ours(owner)
    try Selection.$current.withValue(Replica.self) {
      let read = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: Artifact.self, from: data))
      #expect(read.next is Replica && read.next === read.again)
      let probe = try Probe.archive {
        $0.encode(shared, forKey: "a")
        $0.encode([shared], forKey: "b")
      }
      var later: Artifact?
      let (one, listed) = try Probe.read(probe) { coder -> (Artifact?, Artifact?) in
        coder.decodeObject(of: Artifact.self, forKey: "a") { later = $0 }
        return (
          coder.decodeObject(of: Artifact.self, forKey: "a"),
          (coder.decodeObject(of: [NSArray.self, Artifact.self], forKey: "b") as? [Artifact])?.first
        )
      }
      #expect(one is Replica && one === listed && one === later)
    }
  }

  @Test("the class in the archive must be allowed first")
  func notAllowed() throws {
    let data = try Self.data(Fossil())
    let calls = Selection.Counter()
    let ran = Selection.$calls.withValue(calls) {
      Selection.$current.withValue(Replica.self) {
        Initializations.during {
          for classes in [[Replica.self], [Replica.self, Meal.self], [NSString.self]] as [[AnyClass]] {
            let error = #expect(throws: KeyedArchiveError.self) { try Self.ours(data, classes) }
            #expect(error?.code == .classNotAllowed)
            #expect(error?.className == "KeyedArchivingFoundationTests.Fossil")
          }
        }
      }
    }
    #expect(ran == [] && calls.count == 0)
  }

  @Test("and then the selected one, which Foundation does not check", arguments: [0, 1, 2])
  func selectedNotAllowed(_ index: Int) throws {
    let data = try Self.data(Fossil())
    let requests: [[AnyClass]] = [[Fossil.self], [Fossil.self, NSString.self], [Artifact.self]]
    // The last request would allow the subclass of its class.
    let selected: AnyClass = index == 2 ? Gauge.self : Replica.self
    try Selection.$current.withValue(selected) {
      let ran = Initializations.during {
        let error = #expect(throws: KeyedArchiveError.self) { try Self.ours(data, requests[index]) }
        #expect(error?.code == .classNotAllowed)
        #expect(error?.detail.contains("\(selected)") == true && error?.remedy != nil && error?.keyPath == "root")
      }
      #expect(ran == [])
      let theirs = try Self.foundation(data, requests[index])
      #expect(theirs.map { type(of: $0) == selected } == true)
    }
  }

  @Test("a request for one class runs no initializer of a selected class that is not a subclass")
  func selectedByTypedRequest() throws {
    let data = try Self.data(Fossil())
    func check<Object: FoundationCoding>(_ type: Object.Type, selected: AnyClass) {
      let ran = Selection.$current.withValue(selected) {
        Initializations.during {
          let error = #expect(throws: KeyedArchiveError.self) {
            try KeyedUnarchiver.unarchivedObject(ofClass: type, from: data)
          }
          #expect(error?.code == .classNotAllowed && error?.remedy != nil)
          #expect(error?.detail.contains("\(selected) is not a subclass of \(type)") == true, "\(error?.detail ?? "")")
        }
      }
      #expect(ran == [])
    }
    check(Fossil.self, selected: Replica.self)
    check(Artifact.self, selected: Gauge.self)
  }

  @Test("the answer does not depend on what was decoded before")
  func independence() throws {
    let data = try Self.data(Fossil())
    try Selection.$current.withValue(Replica.self) {
      let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
      // An error does not end the decoding.
      unarchiver.decodingFailurePolicy = .raiseException
      #expect(try unarchiver.decodeFoundationObject(ofClasses: [Artifact.self], forKey: "root") is Replica)
      for classes in [[Replica.self], [Fossil.self]] as [[AnyClass]] {
        let error = #expect(throws: KeyedArchiveError.self) {
          try unarchiver.decodeFoundationObject(ofClasses: classes, forKey: "root")
        }
        #expect(error?.code == .classNotAllowed)
      }
      #expect(try unarchiver.decodeFoundationObject(ofClasses: [Artifact.self], forKey: "root") is Replica)
    }
  }

  @Test("secure coding is required of the selected class")
  func secureCoding() throws {
    let data = try Self.data(Fossil())
    try Selection.$current.withValue(CoarseReplica.self) {
      for classes in [[Artifact.self], [Artifact.self, NSString.self]] as [[AnyClass]] {
        let error = #expect(throws: KeyedArchiveError.self) { try Self.ours(data, classes) }
        #expect(error?.code == .classNotSecure)
      }
      let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
      unarchiver.requiresSecureCoding = false
      #expect(try unarchiver.decode(Artifact.self, forKey: "root") is CoarseReplica)
    }
  }

  @Test("a selected class without a bridge is named")
  func unbridged() throws {
    let data = try Self.data(Fossil())
    try Selection.$current.withValue(Unknown.self) {
      let error = try #require(throws: KeyedArchiveError.self) {
        try KeyedUnarchiver.unarchivedObject(ofClass: Artifact.self, from: data)
      }
      #expect(error.code == .classNotAllowed && error.detail.contains("Unknown"))
      #expect(error.remedy?.contains("FoundationCoding") == true)
    }
  }

  @Test("the class is asked once for each class record, and archivers do not ask it")
  func calls() throws {
    let calls = Selection.Counter()
    try Selection.$calls.withValue(calls) {
      let data = try Probe.list([Fossil(), Fossil(), Fossil()])
      #expect(calls.count == 0)
      _ = try KeyedUnarchiver.unarchivedArrayOfObjects(ofClass: Artifact.self, from: data)
      // Once for the superclass that the request names, and once for the class itself.
      #expect((1...2).contains(calls.count))
    }
  }
}

extension Probe {
  /// Archives a list with this package.
  static func list(_ objects: [Any]) throws -> Data {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.encodeFoundationObject(objects, forKey: KeyedArchiver.rootKey)
    return try archiver.encodedData
  }
}
