// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveGenerators
import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

/// An object whose reference to itself is asked for at once, which cannot be.
private final class Impatient: SecureKeyedCoding {
  var me: Impatient?
  init() { me = self }
  func encode(with coder: KeyedArchiver) { coder.encode(me, forKey: "me") }
  init?(coder: KeyedUnarchiver) { me = coder.decodeObject(of: Impatient.self, forKey: "me") }
}

/// A struct that may hold itself through an array.
private struct Box: SecureKeyedCoding, Equatable {
  var label: String
  var inner: [Box] = []
  func encode(with coder: KeyedArchiver) {
    coder.encode(label, forKey: "label")
    coder.encode(inner, forKey: "inner")
  }
  init(_ label: String, _ inner: [Box] = []) {
    self.label = label
    self.inner = inner
  }
  init(coder: KeyedUnarchiver) throws {
    label = try coder.decode(String.self, forKey: "label")
    inner = try coder.decode([Box].self, forKey: "inner")
  }
}

private enum Mood: String, SecureKeyedCoding {
  case good, bad
  func encode(with coder: KeyedArchiver) { coder.encode(rawValue, forKey: "mood") }
  init?(coder: KeyedUnarchiver) { self.init(rawValue: coder.decodeString(forKey: "mood") ?? "") }
}

/// The one shape that a test's two references need.
private final class Pair<Value: KeyedCoding>: SecureKeyedCoding {
  static var archiveClassName: String { "Pair" }
  var first: Value?
  var second: Value?
  init(_ first: Value?, _ second: Value?) {
    self.first = first
    self.second = second
  }
  func encode(with coder: KeyedArchiver) {
    coder.encode(first, forKey: "first")
    coder.encode(second, forKey: "second")
  }
  init?(coder: KeyedUnarchiver) {
    first = coder.decodeObject(of: Value.self, forKey: "first")
    second = coder.decodeObject(of: Value.self, forKey: "second")
  }
}

/// An object that refers to one of several kinds, itself among them.
private final class Cage: SecureKeyedCoding {
  var content: (any KeyedCoding)?
  var isFull = false
  init(_ content: (any KeyedCoding)? = nil) { self.content = content }
  func encode(with coder: KeyedArchiver) { coder.encode(content, forKey: "content") }
  init?(coder: KeyedUnarchiver) {
    isFull = coder.decodeObject(of: [Cage.self, ArchivedArray.self, String.self, Int.self], forKey: "content") {
      self.content = $0
    }
  }
}

private final class Backward: SecureKeyedCoding {
  weak var parent: Backward?
  var child: Backward?
  init() {}
  func encode(with coder: KeyedArchiver) {
    coder.encodeConditionalObject(parent, forKey: "parent")
    coder.encode(child, forKey: "child")
  }
  init?(coder: KeyedUnarchiver) {
    child = coder.decodeObject(of: Backward.self, forKey: "child")
    coder.decodeObject(of: Backward.self, forKey: "parent") { [unowned self] in parent = $0 }
  }
}

@Suite("A graph comes out as it went in")
struct GraphTests {
  private func copy<Value: KeyedCoding>(_ value: Value, _ layout: ArchiveLayout = .apple) throws -> Value {
    let data = try KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true, layout: layout)
    return try #require(try KeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: data))
  }

  @Test("an object that two refer to is one object", arguments: ArchiveLayout.allCases)
  func sharedIsShared(_ layout: ArchiveLayout) throws {
    let creature = Creature(title: "Yeti", rating: 3)
    let pair = try copy(Pair(creature, creature), layout)
    #expect(pair.first === pair.second)
    #expect(pair.first?.title == "Yeti")
  }

  @Test("equal objects stay distinct", arguments: ArchiveLayout.allCases)
  func equalStaysDistinct(_ layout: ArchiveLayout) throws {
    let pair = try copy(Pair(Creature(title: "Yeti", rating: 3), Creature(title: "Yeti", rating: 3)), layout)
    #expect(pair.first !== pair.second)
  }

  @Test("parents, rings and a reference to itself keep their identity", arguments: ArchiveLayout.allCases)
  func cycles(_ layout: ArchiveLayout) throws {
    let root = Node("root")
    root.children = (0..<3).map { Node("child \($0)") }
    for child in root.children {
      child.parent = root
      child.children = [Node("grandchild")]
      child.children[0].parent = child
    }
    root.children[0].next = root.children[1]
    root.children[1].next = root.children[2]
    root.children[2].next = root.children[0]
    root.next = root
    defer {
      root.next = nil
      root.children[2].next = nil
    }
    let made = try copy(root, layout)
    defer {
      made.next = nil
      made.children[2].next = nil
    }
    #expect(made.next === made)
    #expect(made.children.map(\.name) == ["child 0", "child 1", "child 2"])
    for (place, child) in made.children.enumerated() {
      #expect(child.parent === made)
      #expect(child.next === made.children[(place + 1) % 3])
      #expect(child.children[0].parent === child)
    }
  }

  @Test("a cycle asked for at once is an error that shows the deferred form")
  func impatience() throws {
    let one = Impatient()
    defer { one.me = nil }
    let data = try KeyedArchiver.archivedData(withRootObject: one, requiringSecureCoding: true)
    let error = try #require(
      #expect(throws: KeyedArchiveError.self) {
        try KeyedUnarchiver.unarchivedObject(ofClass: Impatient.self, from: data)
      })
    #expect(error.code == .cycle)
    #expect(error.keyPath == "root.me")
    #expect(error.remedy?.contains("{ self.property = $0 }") == true)
  }

  @Test("an object of one of several kinds is handed over when it is complete, and none that is not on the list")
  func listedCycles() throws {
    let cage = Cage()
    cage.content = ArchivedArray([cage, Cage("text"), Cage(7), Cage()])
    let data = try KeyedArchiver.archivedData(withRootObject: cage, requiringSecureCoding: true)
    cage.content = nil
    let copy = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: Cage.self, from: data))
    let elements = try #require(copy.content as? ArchivedArray).elements.compactMap { $0 as? Cage }
    #expect(elements.count == 4 && elements.first === copy)
    #expect(elements.map(\.isFull) == [true, true, true, false])
    #expect(elements[1].content as? String == "text" && elements[2].content as? Int == 7 && elements[3].content == nil)
    copy.content = nil
    let other = try KeyedArchiver.archivedData(withRootObject: Cage(Date()), requiringSecureCoding: true)
    let error = try #require(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: Cage.self, from: other)
    }
    #expect(error.code == .classNotAllowed && error.className == "NSDate")
  }

  @Test("a ring of structs is an error, for a value cannot hold itself")
  func ringOfValues() {
    let data = HandmadeList.archive([
      ["label": .uid(3), "inner": .uid(4), "$class": .uid(2)],
      .classRecord("KeyedArchivingTests.Box", "NSObject"), "ring", ["NS.objects": [.uid(1)], "$class": .uid(5)],
      .classRecord("NSArray", "NSObject"),
    ])
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: Box.self, from: data)
    }
    #expect(error?.code == .cycle)
    #expect(error?.keyPath == "root.inner[0]")
  }

  @Test("structs and enums are objects of their own", arguments: ArchiveLayout.allCases)
  func values(_ layout: ArchiveLayout) throws {
    let boxes = Box("a", [Box("b"), Box("c", [Box("d")])])
    #expect(try copy(boxes, layout) == boxes)
    #expect(try copy([Mood.good, .bad, .good], layout) == [.good, .bad, .good])
    let archive = try KeyedArchive(
      KeyedArchiver.archivedData(withRootObject: boxes, requiringSecureCoding: true, layout: layout))
    #expect(archive.root.className == "KeyedArchivingTests.Box")
    #expect(archive.root["inner"][1]["inner"][0]["label"].string == "d")
  }

  @Test("a conditional object that nobody archives comes out as nil, and leaves its slot")
  func conditional() throws {
    let parent = Backward()
    let child = Backward()
    parent.child = child
    child.parent = parent
    let both = try copy(parent)
    #expect(both.child?.parent === both)
    let data = try KeyedArchiver.archivedData(withRootObject: child, requiringSecureCoding: true)
    let alone = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: Backward.self, from: data))
    #expect(alone.parent == nil)
    let archive = try KeyedArchive(data)
    #expect(try archive.object(ArchiveUID(rawValue: 2)) == .null)
  }

  @Test("a conditional object keeps the number that was reserved for it, as Apple's archiver has it")
  func conditionalReservesItsNumber() throws {
    let parent = Backward()
    parent.child = Backward()
    let forward = Pair<Backward>(nil, nil)
    forward.first = Backward()
    forward.first?.parent = parent
    forward.second = parent
    let data = try KeyedArchiver.archivedData(withRootObject: forward, requiringSecureCoding: true)
    let archive = try KeyedArchive(data)
    #expect(archive.root["first"].uid == ArchiveUID(rawValue: 2))
    #expect(archive.root["first"]["parent"].uid == ArchiveUID(rawValue: 3))
    #expect(archive.root["second"].uid == ArchiveUID(rawValue: 3))
  }

  @Test("five thousand links are archived and decoded without deep recursion")
  func longChain() throws {
    let head = Node("0")
    var last = head
    for i in 1..<5000 {
      let node = Node("\(i)")
      last.next = node
      last = node
    }
    var result: Result<Node, any Error>?
    try System.onThread(stackBytes: 512 << 10) { result = Result { try copy(head) } }
    var node: Node? = try #require(result).get()
    result = nil
    var count = 0
    while let current = node {
      // Not each name: an expectation takes longer than a link.
      if current.name != "\(count)" { Issue.record("link \(count) is \(current.name)") }
      count += 1
      node = current.next
    }
    #expect(count == 5000)
  }

  @Test("what a million ways lead to is made twice at most")
  func sharedValues() throws {
    // 40 arrays, each of which holds the next one twice: 2^40 ways lead to the innermost.
    var objects: [HandmadeList] = []
    for i in 1...40 { objects.append(["NS.objects": [.uid(UInt64(i + 1)), .uid(UInt64(i + 1))], "$class": .uid(42)]) }
    objects.append("leaf")
    objects.append(.classRecord("NSArray", "NSObject"))
    let made = try KeyedUnarchiver.unarchivedObject(
      ofClasses: [ArchivedArray.self, String.self], from: HandmadeList.archive(objects))
    var current: (any KeyedCoding)? = made
    var depth = 0
    while let array = current as? ArchivedArray {
      #expect(array.elements.count == 2)
      depth += 1
      current = array.elements.first
    }
    #expect(depth == 40)
    #expect(current as? String == "leaf")
  }

  @Test("nesting is limited, so that a file cannot exhaust the stack")
  func depthLimit() throws {
    func nested(_ depth: Int) -> Data {
      var objects: [HandmadeList] = [.classRecord("NSArray", "NSObject")]
      for i in 0..<depth - 1 { objects.append(["NS.objects": [.uid(UInt64(i + 3))], "$class": .uid(1)]) }
      objects.append(["NS.objects": [], "$class": .uid(1)])
      return HandmadeList.archive(objects, top: [("root", .uid(2))])
    }
    #expect(try KeyedUnarchiver.unarchivedObject(ofClasses: [ArchivedArray.self], from: nested(500)) != nil)
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClasses: [ArchivedArray.self], from: nested(20_000))
    }
    #expect(error?.code == .limitReached)
  }
}
