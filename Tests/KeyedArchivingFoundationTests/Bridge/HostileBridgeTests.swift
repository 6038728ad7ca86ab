// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchives
import KeyedArchiving
import KeyedArchivingFoundation
import PropertyListFormat
import TestSupport
import Testing

@Suite("Hostile archives and bridged classes")
struct HostileBridgeTests {
  /// Values of each kind: a Boolean, an integer, a real, a string, data, a date object, an array.
  private static let kinds = ["boolean", "integer", "real", "text", "bytes", "date", "array"]
  private static let primitives = ["boolean", "int", "int32", "int64", "float", "double", "bytes", "string"]

  /// Expects that reading a probe ends in an error with a code.
  private func expect(_ code: KeyedArchiveError.Code, reading data: Data, _ read: @escaping (NSCoder) -> Void) throws {
    let error = try Probe.errorOfReading(data, read)
    #expect(error.code == code)
  }

  private var everyKind: Data {
    Probe.handmade(
      [
        ("boolean", true), ("integer", 1), ("real", 1.5), ("text", .uid(3)), ("bytes", .data([1])), ("date", .uid(4)),
        ("array", .uid(6)),
      ],
      [
        "text", ["NS.time": 1.0, "$class": .uid(5)], .classRecord("NSDate", "NSObject"),
        ["NS.objects": [.uid(3)], "$class": .uid(7)], .classRecord("NSArray", "NSObject"),
      ])
  }

  @Test("a value of another kind gives the default value and an error", arguments: primitives, kinds)
  func wrongKind(_ primitive: String, _ kind: String) throws {
    let fitting: Set<String> = [
      "boolean boolean", "int integer", "int32 integer", "int64 integer", "float real", "double real", "bytes bytes",
      "string text",
    ]
    guard !fitting.contains("\(primitive) \(kind)") else { return }
    let error = try Probe.errorOfReading(everyKind) { coder in
      switch primitive {
      case "boolean": #expect(coder.decodeBool(forKey: kind) == false)
      case "int": #expect(coder.decodeInteger(forKey: kind) == 0)
      case "int32": #expect(coder.decodeInt32(forKey: kind) == 0)
      case "int64": #expect(coder.decodeInt64(forKey: kind) == 0)
      case "float": #expect(coder.decodeFloat(forKey: kind) == 0)
      case "double": #expect(coder.decodeDouble(forKey: kind) == 0)
      case "bytes":
        let isNil = unsafe coder.withDecodedUnsafeBytes(forKey: kind) { bytes in unsafe bytes == nil }
        #expect(isNil)
      default: #expect(coder.decodeObject(of: NSString.self, forKey: kind) == nil)
      }
      #expect(coder.error != nil)
    }
    #expect(error.keyPath?.hasPrefix("root") == true)
  }

  @Test("an integer that does not fit is an error")
  func outOfRange() throws {
    let data = Probe.handmade([("n", .integer(1 << 40))])
    try expect(.outOfRange, reading: data) { #expect($0.decodeInt32(forKey: "n") == 0) }
    try expect(.outOfRange, reading: data) { #expect($0.decodeCInt(forKey: "n") == 0) }
  }

  @Test("an immediate back reference is an error that names the class, the key and the way out")
  func backReference() throws {
    let parent = Parent()
    let data = try KeyedArchiver.archivedData(withRootObject: parent, requiringSecureCoding: true)
    let error = #expect(throws: KeyedArchiveError.self) {
      try Parent.$waits.withValue(false) { try KeyedUnarchiver.unarchivedObject(ofClass: Parent.self, from: data) }
    }
    #expect(error?.code == .cycle)
    #expect(error?.className == "KeyedArchivingFoundationTests.Child")
    #expect(error?.detail.contains("'parent'") == true)
    #expect(error?.keyPath == "root.child.parent")
    #expect(error?.remedy?.contains("decodeObject(of:forKey:then:)") == true)
    let read = try Parent.$waits.withValue(true) {
      try KeyedUnarchiver.unarchivedObject(ofClass: Parent.self, from: data)
    }
    #expect(read?.child?.parent === read)
  }

  @Test("an object that refers to itself, and an array that contains itself")
  func selfReferences() throws {
    let own = Probe.handmade([("self", .uid(1))])
    try expect(.cycle, reading: own) { #expect($0.decodeObject(of: Probe.self, forKey: "self") == nil) }
    try expect(.cycle, reading: own) { #expect($0.decodeObject(forKey: "self") == nil) }
    let array = Probe.handmade(
      [("array", .uid(3))], [["NS.objects": [.uid(3)], "$class": .uid(4)], .classRecord("NSArray", "NSObject")])
    try expect(.cycle, reading: array) { #expect($0.decodeObject(of: NSArray.self, forKey: "array") == nil) }
  }

  @Test("two forms of one letter are different keys", .notHanging)
  func keysThatSwiftConsidersEqual() throws {
    let data = Probe.handmade(
      [("d", .uid(3))],
      [
        ["NS.keys": [.uid(5), .uid(6)], "NS.objects": [.uid(5), .uid(6)], "$class": .uid(4)],
        .classRecord("NSDictionary", "NSObject"), "\u{E9}", "e\u{301}",
      ])
    // Either both are found, or the file is refused.
    do {
      let count = try Probe.read(data) { ($0.decodeObject(forKey: "d") as? [String: Any])?.count }
      #expect(count == 2 || count == 1)
    } catch let error as KeyedArchiveError {
      #expect(error.code == .malformedValue)
    }
  }

  @Test("duplicate keys and elements are errors")
  func duplicates() throws {
    let data = Probe.handmade(
      [("d", .uid(3)), ("s", .uid(5))],
      [
        ["NS.keys": [.uid(7), .uid(8)], "NS.objects": [.uid(7), .uid(8)], "$class": .uid(4)],
        .classRecord("NSDictionary", "NSObject"), ["NS.objects": [.uid(7), .uid(8)], "$class": .uid(6)],
        .classRecord("NSSet", "NSObject"), "same text in two objects", "same text in two objects",
      ])
    for key in ["d", "s"] {
      try expect(.malformedValue, reading: data) { #expect($0.decodeObject(forKey: key) == nil) }
    }
  }

  @Test("many keys with one hash, and one letter with many marks, are refused", .notHanging)
  func hashFlood() throws {
    // Of a long string, Foundation hashes 32 characters at the start, in the middle and at the end.
    func set(_ count: Int) throws -> Data {
      let texts = (0..<count).map {
        String(repeating: "a", count: 40) + "\($0 + 10000)" + String(repeating: "a", count: 155)
      }
      try #require(Set(texts.map { NSString(string: $0).hash }).count == 1)
      return Probe.handmade(
        [("s", .uid(3))],
        [
          ["NS.objects": .array(texts.indices.map { .uid(UInt64(5 + $0)) }), "$class": .uid(4)],
          .classRecord("NSSet", "NSObject"),
        ] + texts.map { .string($0) })
    }
    #expect(try Probe.read(set(128)) { ($0.decodeObject(forKey: "s") as? NSSet)?.count } == 128)
    for count in [129, 5000] {
      #expect(try Probe.errorOfReading(set(count)) { _ = $0.decodeObject(forKey: "s") }.code == .limitReached)
    }
    let marks = Probe.handmade(
      [("s", .uid(3))],
      [
        ["NS.objects": [.uid(5)], "$class": .uid(4)], .classRecord("NSSet", "NSObject"),
        .string(HostileText.marks(200_000)),
      ])
    #expect(try Probe.errorOfReading(marks) { _ = $0.decodeObject(forKey: "s") }.code == .limitReached)
    // The name of an attribute is hashed too.
    let attribute = Probe.handmade(
      [("s", .uid(3))],
      [
        ["NSString": .uid(5), "NSAttributes": .uid(6), "$class": .uid(4)],
        .classRecord("NSAttributedString", "NSObject"), "x",
        ["NS.keys": [.uid(8)], "NS.objects": [.uid(5)], "$class": .uid(7)], .classRecord("NSDictionary", "NSObject"),
        .string(HostileText.marks(200_000)),
      ])
    let error = try Probe.errorOfReading(attribute) { coder in
      _ = coder.decodeObject(of: [NSAttributedString.self, NSDictionary.self, NSString.self], forKey: "s")
    }
    #expect(error.code == .limitReached)
  }

  @Test("a long string that is hashed again and again is refused", .notHanging)
  func sharedLongString() throws {
    func sets(_ count: Int) -> Data {
      let sets: [HandmadeList] = (0..<count).map { _ in ["NS.objects": [.uid(6)], "$class": .uid(5)] }
      return Probe.handmade(
        [("a", .uid(3))],
        [
          ["NS.objects": .array((0..<count).map { .uid(UInt64(7 + $0)) }), "$class": .uid(4)],
          .classRecord("NSArray", "NSObject"), .classRecord("NSSet", "NSObject"),
          .string(String(repeating: "a", count: 1 << 20)),
        ] + sets)
    }
    #expect(try Probe.read(sets(3)) { ($0.decodeObject(forKey: "a") as? NSArray)?.count } == 3)
    #expect(try Probe.errorOfReading(sets(5000)) { _ = $0.decodeObject(forKey: "a") }.code == .limitReached)
  }

  @Test("a collection that many objects share is checked once for each list of classes", .notHanging)
  func sharedCollection() throws {
    // The square of the number is 400,000,000 checks.
    let count = 20_000
    let data = Probe.handmade(
      (0..<count).map { ("k\($0)", .uid(3)) },
      [
        ["NS.objects": .array((0..<count).map { _ in .uid(5) }), "$class": .uid(4)],
        .classRecord("NSMutableArray", "NSArray", "NSObject"), "x",
      ])
    let found = try Probe.read(data) { coder in
      (0..<count).count { coder.decodeObject(of: [NSMutableArray.self, NSString.self], forKey: "k\($0)") is NSArray }
    }
    #expect(found == count)
  }

  /// A shared array and a shared dictionary of `count` texts each, of immutable or mutable classes.
  private func sharedCollections(_ count: Int, mutable: Bool) -> Data {
    let classes: [HandmadeList] =
      mutable
      ? [
        .classRecord("NSMutableArray", "NSArray", "NSObject"),
        .classRecord("NSMutableDictionary", "NSDictionary", "NSObject"),
      ] : [.classRecord("NSArray", "NSObject"), .classRecord("NSDictionary", "NSObject")]
    let texts = HandmadeList.array((0..<count).map { .uid(UInt64(7 + $0)) })
    return Probe.handmade(
      [("array", .uid(3)), ("dictionary", .uid(5))],
      [
        ["NS.objects": texts, "$class": .uid(4)], classes[0],
        ["NS.keys": texts, "NS.objects": texts, "$class": .uid(6)], classes[1],
      ] + (0..<count).map { .string("text \($0)") })
  }

  /// The calls that return a collection of Swift. Each returns the number of elements.
  private static let calls: [@Sendable (NSCoder) -> Int?] = [
    { $0.decodeArrayOfObjects(ofClass: NSString.self, forKey: "array")?.count },
    { $0.decodeArrayOfObjects(ofClasses: [NSString.self], forKey: "array")?.count },
    { $0.decodeDictionary(withKeyClass: NSString.self, objectClass: NSString.self, forKey: "dictionary")?.count },
    {
      $0.decodeDictionary(
        withKeysOfClasses: [NSString.self], objectsOfClasses: [NSString.self], forKey: "dictionary")?.count
    },
  ]

  @Test("a collection that many objects share becomes one of Swift once", .notHanging, arguments: calls.indices)
  func sharedConversion(_ call: Int) throws {
    let data = sharedCollections(2000, mutable: false)
    try Probe.read(data) { coder in
      // Less than 100 conversions exhaust the budget of this file.
      for _ in 0..<500 { #expect(Self.calls[call](coder) == 2000) }
      #expect(coder.error == nil)
    }
  }

  @Test("a shared collection is checked for each list of classes, also after a call with another list")
  func sharedConversionOfOtherClasses() throws {
    let data = sharedCollections(3, mutable: false)
    for call in Self.calls.indices {
      let error = try Probe.errorOfReading(data) { coder in
        #expect(Self.calls[call](coder) == 3)
        if call < 2 {
          #expect(coder.decodeArrayOfObjects(ofClasses: [NSNumber.self], forKey: "array") == nil)
        } else {
          let found = coder.decodeDictionary(
            withKeysOfClasses: [NSString.self], objectsOfClasses: [NSNumber.self], forKey: "dictionary")
          #expect(found == nil)
        }
      }
      #expect([.classNotAllowed, .typeMismatch].contains(error.code))
    }
  }

  @Test("a mutable collection is converted as it is at each call, until this is too much work", .notHanging)
  func mutableConversion() throws {
    try Probe.read(sharedCollections(3, mutable: true)) { coder in
      for call in Self.calls { #expect(call(coder) == 3) }
      (coder.decodeObject(of: [NSMutableArray.self, NSString.self], forKey: "array") as? NSMutableArray)?
        .add(NSString("new"))
      (coder.decodeObject(of: [NSMutableDictionary.self, NSString.self], forKey: "dictionary") as? NSMutableDictionary)?
        .setObject(NSString("new"), forKey: NSString("new"))
      for call in Self.calls { #expect(call(coder) == 4) }
      #expect(coder.error == nil)
    }
    let data = sharedCollections(2000, mutable: true)
    for call in Self.calls {
      let error = try Probe.errorOfReading(data) { coder in
        for _ in 0..<500 where call(coder) == nil { break }
      }
      #expect(error.code == .limitReached)
    }
  }

  @Test("a counted set of a huge count is refused")
  func countedSet() throws {
    let data = Probe.handmade(
      [("s", .uid(3))],
      [
        ["NS.count": 1, "NS.object0": .uid(5), "NS.count0": .integer(.max), "$class": .uid(4)],
        .classRecord("NSCountedSet", "NSMutableSet", "NSSet", "NSObject"), "x",
      ])
    let error = try Probe.errorOfReading(data) {
      _ = $0.decodeObject(of: [NSCountedSet.self, NSString.self], forKey: "s")
    }
    #expect(error.code == .limitReached)
  }

  /// An eighth of the places; with `WHOLE_TESTS`, all.
  @Test("an archive that is cut or changed anywhere ends in an error or a value, never in a trap")
  func damage() throws {
    let session = Session()
    session.user = "ann"
    session.lastSeen = NSDate(timeIntervalSinceReferenceDate: 3)
    session.settings = ["a": NSArray(array: [1, "x"]), "b": NSIndexSet(index: 3)]
    let songs = [Song(title: "one"), Song(title: "two")]
    let files = [
      try KeyedArchiver.archivedData(withRootObject: session, requiringSecureCoding: true),
      try KeyedArchiver.archivedData(
        withRootObject: Playlist(songs: songs, current: songs[0]), requiringSecureCoding: true),
      try KeyedArchiver.archivedData(
        withRootObject: Memo(text: NSAttributedString(string: "text", attributes: [.init("k"): 1])),
        requiringSecureCoding: true),
    ]
    func read(_ data: Data) {
      _ = try? KeyedUnarchiver.unarchivedObject(ofClasses: [Session.self, Playlist.self, Memo.self], from: data)
    }
    for file in files {
      for length in Sample.cases(0..<file.count, each: 8) { read(file.prefix(length)) }
      for index in file.indices {
        for (turn, bit) in [UInt8(1), 0x10, 0x80].enumerated() where Sample.includes(index + 3 * turn, each: 8) {
          var changed = file
          changed[index] ^= bit
          read(changed)
        }
      }
    }
    #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: Session.self, from: files[0].dropLast(5))
    }
  }

  @Test("a deep chain of bridged objects ends in an error")
  func depth() throws {
    var chain: [HandmadeList] = []
    let count = 10_000
    for index in 0..<count { chain.append(["self": .uid(UInt64(index + 4)), "$class": .uid(2)]) }
    let data = Probe.handmade([("self", .uid(3))], chain + [["$class": .uid(2)]])
    let error = #expect(throws: KeyedArchiveError.self) {
      try Probe.$reading.withValue(Probe.Step { _ = $0.decodeObject(of: Probe.self, forKey: "self") }) {
        try KeyedUnarchiver.unarchivedObject(ofClass: Probe.self, from: data)
      }
    }
    #expect(error?.code == .limitReached)
  }

  @Test("deeply nested arrays end in an error or an object")
  func nestedArrays() throws {
    for count in [100, 10_000] {
      let arrays = (0..<count).map { index -> HandmadeList in
        ["NS.objects": index + 1 < count ? [.uid(UInt64(index + 5))] : [], "$class": .uid(3)]
      }
      let data = Probe.handmade([("a", .uid(4))], [.classRecord("NSArray", "NSObject")] + arrays)
      let found = try? Probe.read(data) { $0.decodeObject(of: NSArray.self, forKey: "a") != nil }
      #expect(found == true || count > 100)
    }
  }
}

/// A parent whose child refers back to it.
final class Parent: NSObject, NSSecureCoding, FoundationCoding {
  /// Whether the child waits for its parent.
  @TaskLocal static var waits = true
  static var supportsSecureCoding: Bool { true }
  var child: Child?

  override init() {
    child = Child()
    super.init()
    child?.parent = self
  }

  func encode(with coder: NSCoder) { coder.encode(child, forKey: "child") }

  init?(coder: NSCoder) {
    super.init()
    child = coder.decodeObject(of: Child.self, forKey: "child")
  }
}

final class Child: NSObject, NSSecureCoding, FoundationCoding {
  static var supportsSecureCoding: Bool { true }
  weak var parent: Parent?

  override init() {}

  func encode(with coder: NSCoder) { coder.encodeConditionalObject(parent, forKey: "parent") }

  init?(coder: NSCoder) {
    super.init()
    if Parent.waits {
      coder.decodeObject(of: Parent.self, forKey: "parent") { self.parent = $0 }
    } else {
      parent = coder.decodeObject(of: Parent.self, forKey: "parent")
    }
  }
}
