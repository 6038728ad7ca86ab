// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import KeyedArchiving
import TestSupport
import Testing

/// A type of the chains. Each has the same class name, and two references to the next one.
private protocol Linked: Hashable {}

/// Boxes a value, so that a type can contain itself.
private final class Link<Value: Hashable>: Hashable {
  let value: Value
  init(_ value: Value) { self.value = value }
  static func == (a: Link, b: Link) -> Bool { a.value == b.value }
  func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

private struct KeyedStruct: SecureKeyedCoding, Linked {
  static var archiveClassName: String { "Chain" }
  let a: Link<Self>?
  let b: Link<Self>?
  func encode(with coder: KeyedArchiver) {}
  init(coder: KeyedUnarchiver) throws {
    a = try coder.decodeIfPresent(Self.self, forKey: "a").map(Link.init)
    b = try coder.decodeIfPresent(Self.self, forKey: "b").map(Link.init)
  }
}

private struct CodableStruct: KeyedCodable, Linked {
  static var archiveClassName: String { "Chain" }
  enum CodingKeys: CodingKey { case a, b }
  let a: Link<Self>?
  let b: Link<Self>?
  func encode(to encoder: any Encoder) {}
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    a = try container.decodeIfPresent(Self.self, forKey: .a).map(Link.init)
    b = try container.decodeIfPresent(Self.self, forKey: .b).map(Link.init)
  }
}

private final class KeyedClass: SecureKeyedCoding, Linked {
  static var archiveClassName: String { "Chain" }
  let a: KeyedClass?
  let b: KeyedClass?
  func encode(with coder: KeyedArchiver) {}
  init(coder: KeyedUnarchiver) throws {
    a = try coder.decodeIfPresent(KeyedClass.self, forKey: "a")
    b = try coder.decodeIfPresent(KeyedClass.self, forKey: "b")
  }
  static func == (a: KeyedClass, b: KeyedClass) -> Bool { a.a == b.a && a.b == b.b }
  func hash(into hasher: inout Hasher) {
    hasher.combine(a)
    hasher.combine(b)
  }
}

private final class CodableClass: KeyedCodable, Linked {
  static var archiveClassName: String { "Chain" }
  let a: CodableClass?
  let b: CodableClass?
  static func == (a: CodableClass, b: CodableClass) -> Bool { a.a == b.a && a.b == b.b }
  func hash(into hasher: inout Hasher) {
    hasher.combine(a)
    hasher.combine(b)
  }
}

/// A class that contains a chain of structs.
private final class Holder: SecureKeyedCoding, Linked {
  static var archiveClassName: String { "Chain" }
  let a: KeyedStruct?
  let b: KeyedStruct?
  func encode(with coder: KeyedArchiver) {}
  init(coder: KeyedUnarchiver) throws {
    a = try coder.decodeIfPresent(KeyedStruct.self, forKey: "a")
    b = try coder.decodeIfPresent(KeyedStruct.self, forKey: "b")
  }
  static func == (a: Holder, b: Holder) -> Bool { a.a == b.a && a.b == b.b }
  func hash(into hasher: inout Hasher) {
    hasher.combine(a)
    hasher.combine(b)
  }
}

/// Values in a list that hashes nothing, and then the same ones in a collection that does.
private struct Both<First: KeyedCoding, Second: KeyedCoding>: SecureKeyedCoding {
  static var archiveClassName: String { "Both" }
  let list: First
  let hashed: Second
  func encode(with coder: KeyedArchiver) {}
  init(coder: KeyedUnarchiver) throws {
    list = try coder.decode(First.self, forKey: "list")
    hashed = try coder.decode(Second.self, forKey: "hashed")
  }
}

/// The work of hashing a value follows each reference, so it can double with each level.
@Suite("Chains of objects that each refer twice to the next")
struct RepeatedReferenceTests {
  /// A chain under the top-level keys `set`, `dictionary`, `list` and, in an object, `both`.
  private func chain(_ levels: Int) -> Data {
    let first: UInt64 = 10
    let list: HandmadeList = .array([.uid(first)])
    return HandmadeList.archive(
      [
        Hostile.object(2, [("NS.objects", list)]), Hostile.set,
        Hostile.object(4, [("NS.keys", list), ("NS.objects", .array([.uid(first + UInt64(levels))]))]),
        Hostile.dictionary,
        Hostile.object(6, [("NS.objects", list)]), Hostile.array,
        Hostile.object(8, [("list", .uid(5)), ("hashed", .uid(1))]), .classRecord("Both", "NSObject"),
        .classRecord("Chain", "NSObject"),
      ]
        + (0..<levels).map { level in
          let next: HandmadeList = .uid(first + UInt64(level) + 1)
          return Hostile.object(9, [("a", next), ("b", next)])
        } + [Hostile.object(9)],
      top: [
        ("set", .uid(1)), ("dictionary", .uid(3)), ("list", .uid(5)), ("both", .uid(7)),
      ])
  }

  private func decoder(_ levels: Int) throws -> KeyedUnarchiver { try Hostile.decoder(chain(levels)) }

  private func check<Value: KeyedCoding & Linked>(_ type: Value.Type) throws {
    #expect(try decoder(8).decode(Set<Value>.self, forKey: "set").count == 1)
    #expect(try decoder(8).decode(Both<[Value], Set<Value>>.self, forKey: "both").hashed.count == 1)
    #expect(try decoder(8).decode([Value: Anything].self, forKey: "dictionary").count == 1)
    // Nothing hashes these.
    #expect(try decoder(20).decode([Value].self, forKey: "list").count == 1)
    let requests: [(name: String, request: (KeyedUnarchiver) throws -> Void)] = [
      ("set", { _ = try $0.decode(Set<Value>.self, forKey: "set") }),
      ("dictionary", { _ = try $0.decode([Value: Anything].self, forKey: "dictionary") }),
      ("both", { _ = try $0.decode(Both<[Value], Set<Value>>.self, forKey: "both") }),
      (
        "two calls",
        {
          _ = try $0.decode([Value].self, forKey: "list")
          _ = try $0.decode(Set<Value>.self, forKey: "set")
        }
      ),
    ]
    for (name, request) in requests {
      let error = #expect(throws: KeyedArchiveError.self, "\(type), \(name)") { try request(decoder(20)) }
      #expect(error?.code == .limitReached, "\(type), \(name): \(String(describing: error))")
    }
  }

  /// The last object of the chain, as the value of the dictionary.
  private struct Anything: SecureKeyedCoding {
    static var archiveClassName: String { "Chain" }
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) {}
  }

  @Test("are not hashed if they are long and structs")
  func structs() throws {
    try check(KeyedStruct.self)
    try check(CodableStruct.self)
  }

  @Test("are not hashed if they are long and instances")
  func instances() throws {
    try check(KeyedClass.self)
    try check(CodableClass.self)
  }

  @Test("are not hashed if they are long, and structs in an instance")
  func structsInInstances() throws { try check(Holder.self) }

  @Test("are not hashed by the decoder of one call")
  func oneCall() throws {
    var decoder = KeyedArchiveDecoder()
    decoder.rootKey = "set"
    #expect(try decoder.decode(Set<CodableStruct>.self, from: chain(8)).count == 1)
    #expect(throws: (any Error).self) { try decoder.decode(Set<CodableStruct>.self, from: chain(20)) }
    #expect(throws: (any Error).self) { try decoder.decode(Set<CodableClass>.self, from: chain(20)) }
  }

  /// An element of a set that refers to an instance, which it does not hash.
  private final class Item: SecureKeyedCoding, Hashable {
    static var archiveClassName: String { "Item" }
    let category: Category
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) throws { category = try coder.decode(Category.self, forKey: "category") }
    static func == (a: Item, b: Item) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  private final class Category: SecureKeyedCoding {
    static var archiveClassName: String { "Category" }
    let parts: [Parent]
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) throws { parts = try coder.decode([Parent].self, forKey: "parts") }
  }

  @Test("do not include many elements that share one large instance, which are decoded")
  func manyElementsWithOneInstance() throws {
    let count: UInt64 = 2000
    let objects = [
      Hostile.object(2, [("NS.objects", .array((0..<count).map { .uid(9 + $0) }))]), Hostile.set, Hostile.array,
      .classRecord("Item", "NSObject"), .classRecord("Category", "NSObject"), Hostile.parent,
      Hostile.object(5, [("parts", .uid(8))]),
      Hostile.object(3, [("NS.objects", .array((0..<count).map { .uid(9 + count + $0) }))]),
    ]
    let items = (0..<count).map { _ in Hostile.object(4, [("category", .uid(7))]) }
    let parts = (0..<count).map { _ in Hostile.object(6) }
    let set = try Hostile.decoder(HandmadeList.archive(objects + items + parts)).decode(Set<Item>.self, forKey: "root")
    #expect(set.count == 2000)
    #expect(set.first?.category.parts.count == 2000)
  }
}

/// The work of hashing an element includes what it shares with others, also if no reference is repeated in it.
@Suite("Elements of a set that share an object")
struct SharedElementTests {
  /// A set of chains with a common rest, under the top-level key `root`.
  private func chains(_ count: Int, sharing length: Int) -> Data {
    var file = ArchiveFile()
    let (chain, set) = (file.classUID("Chain", "NSObject"), file.classUID("NSSet", "NSObject"))
    var next = file.object(row: file.fields(chain, []))
    for _ in 1..<length { next = file.object(row: file.fields(chain, [("a", file.reference(next))])) }
    let fields = file.fields(chain, [("a", file.reference(next))])
    let heads = (0..<count).map { _ in file.reference(file.object(row: fields)) }
    return file.data(root: file.object(row: file.fields(set, [("NS.objects", file.row(.array(heads)))])))
  }

  private func expectRefusal<Value: KeyedCoding & Hashable>(_ type: Value.Type, _ data: Data) throws {
    let error = #expect(throws: KeyedArchiveError.self, "\(type)") {
      try Hostile.decoder(data).decode(Set<Value>.self, forKey: "root")
    }
    #expect(error?.code == .limitReached, "\(type): \(String(describing: error))")
    #expect(error?.detail.contains("hashing") == true, "\(type): \(String(describing: error))")
    #expect(error?.remedy?.contains("ArchiveReference") == true)
  }

  @Test("are refused if it takes too long to hash")
  func longChain() throws {
    let data = chains(2000, sharing: 300)
    try expectRefusal(KeyedStruct.self, data)
    try expectRefusal(CodableStruct.self, data)
  }

  @Test("are decoded if it is a long chain of instances, because hash(into:) of a class can ignore them")
  func longChainOfInstances() throws {
    // These classes hash what they contain, so the elements are equal.
    let data = chains(200, sharing: 300)
    for decode: () throws -> Int in [
      { try Hostile.decoder(data).decode(Set<KeyedClass>.self, forKey: "root").count },
      { try Hostile.decoder(data).decode(Set<CodableClass>.self, forKey: "root").count },
    ] {
      let error = #expect(throws: KeyedArchiveError.self) { try decode() }
      #expect(error?.detail.contains("the same hash") == true, "\(String(describing: error))")
    }
  }

  /// A struct in a struct, and so on.
  private struct Style: SecureKeyedCoding, Hashable {
    static var archiveClassName: String { "Chain" }
    let a: Link<Style>?
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) throws { a = try coder.decodeIfPresent(Style.self, forKey: "a").map(Link.init) }
  }

  private final class Part: SecureKeyedCoding {
    static var archiveClassName: String { "Part" }
    let style: Style
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) throws { style = try coder.decode(Style.self, forKey: "style") }
  }

  /// An element of a set that is hashed by its identity.
  private final class Item: SecureKeyedCoding, Hashable {
    static var archiveClassName: String { "Item" }
    let parts: ItemParts
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) throws { parts = try coder.decode(ItemParts.self, forKey: "parts") }
    static func == (a: Item, b: Item) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  private final class ItemParts: SecureKeyedCoding {
    static var archiveClassName: String { "Parts" }
    let parts: [Part]
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) throws { parts = try coder.decode([Part].self, forKey: "parts") }
  }

  @Test("are decoded if they are instances by identity, and the object has instances that share a struct")
  func structInInstances() throws {
    var file = ArchiveFile()
    let chain = file.classUID("Chain", "NSObject")
    var style = file.object(row: file.fields(chain, []))
    for _ in 0..<20 { style = file.object(row: file.fields(chain, [("a", file.reference(style))])) }
    func collection(_ name: String, _ rows: [Int]) -> Int {
      let uid = file.classUID(name, "NSObject")
      return file.reference(file.object(row: file.fields(uid, [("NS.objects", file.row(.array(rows)))])))
    }
    let part = file.fields(file.classUID("Part", "NSObject"), [("style", file.reference(style))])
    let list = collection("NSArray", (0..<40).map { _ in file.reference(file.object(row: part)) })
    let parts = file.reference(file.object(row: file.fields(file.classUID("Parts", "NSObject"), [("parts", list)])))
    let item = file.fields(file.classUID("Item", "NSObject"), [("parts", parts)])
    let set = collection("NSSet", (0..<2000).map { _ in file.reference(file.object(row: item)) })
    let holder = file.object(row: file.fields(file.classUID("Holder", "NSObject"), [("set", set)]))
    let decoder = try Hostile.decoder(file.data(root: holder))
    let items = try decoder.decode(SetHolder.self, forKey: "root").set
    #expect(items.count == 2000)
    #expect(items.first?.parts.parts.count == 40)
  }

  private struct SetHolder: SecureKeyedCoding {
    static var archiveClassName: String { "Holder" }
    let set: Set<Item>
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) throws { set = try coder.decode(Set<Item>.self, forKey: "set") }
  }

  private final class Root: SecureKeyedCoding, Hashable {
    static var archiveClassName: String { "Root" }
    let leaves: [Leaf]
    let children: [Child]
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) throws {
      leaves = try coder.decode([Leaf].self, forKey: "leaves")
      children = try coder.decode([Child].self, forKey: "children")
    }
    static func == (a: Root, b: Root) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  private final class Leaf: SecureKeyedCoding {
    static var archiveClassName: String { "Leaf" }
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) {}
  }

  private final class Child: SecureKeyedCoding {
    static var archiveClassName: String { "Child" }
    weak var root: Root?
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) { coder.decodeObject(of: Root.self, forKey: "root") { self.root = $0 } }
  }

  @Test("are decoded if the references to a large object are deferred")
  func deferredReferences() throws {
    var file = ArchiveFile()
    let array = file.classUID("NSArray", "NSObject")
    let leaf = file.reference(file.object(row: file.fields(file.classUID("Leaf", "NSObject"), [])))
    func list(_ rows: [Int]) -> Int {
      file.reference(file.object(row: file.fields(array, [("NS.objects", file.row(.array(rows)))])))
    }
    let leaves = list([Int](repeating: leaf, count: 4000))
    let (child, root) = (file.classUID("Child", "NSObject"), file.classUID("Root", "NSObject"))
    let set = file.classUID("NSSet", "NSObject")
    // The list of children and the root follow the children.
    let count = 200
    let first = set + 1
    let rootUID = first + count + 1
    let children = (0..<count).map { _ in
      file.reference(file.object(row: file.fields(child, [("root", file.reference(rootUID))])))
    }
    let uid = file.object(row: file.fields(root, [("leaves", leaves), ("children", list(children))]))
    #expect(uid == rootUID)
    let elements = file.row(.array([file.reference(uid)]))
    let data = file.data(root: file.object(row: file.fields(set, [("NS.objects", elements)])))
    let decoded = try Hostile.decoder(data).decode(Set<Root>.self, forKey: "root")
    #expect(decoded.first?.children.count == count)
    #expect(decoded.first?.children.allSatisfy { $0.root === decoded.first } == true)
  }

  @Test("are refused at once if they are the same instance", arguments: [128, 129, 10_000])
  func sameInstance(_ count: Int) throws {
    let references = HandmadeList.array([HandmadeList](repeating: .uid(5), count: count))
    let data = HandmadeList.archive(
      [
        Hostile.object(3, [("NS.keys", references), ("NS.objects", references)]), Hostile.set, Hostile.dictionary,
        .classRecord("Chain", "NSObject"), Hostile.object(4), Hostile.object(2, [("NS.objects", references)]),
      ], top: [("dictionary", .uid(1)), ("set", .uid(6))])
    for decode: () throws -> Int in [
      { try Hostile.decoder(data).decode(Set<KeyedClass>.self, forKey: "set").count },
      { try Hostile.decoder(data).decode([KeyedClass: KeyedClass].self, forKey: "dictionary").count },
    ] {
      let error = #expect(throws: KeyedArchiveError.self) { try decode() }
      #expect(error?.code == .malformedValue)
      #expect(error?.detail.contains("duplicate") == true)
    }
  }

  /// An instance that hashes its name.
  private final class Named: SecureKeyedCoding, Hashable {
    static var archiveClassName: String { "Label" }
    let name: String
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) throws { name = try coder.decode(String.self, forKey: "name") }
    static func == (a: Named, b: Named) -> Bool { a === b }
    func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(ObjectIdentifier(self))
    }
  }

  private struct HashedOnly: SecureKeyedCoding {
    static var archiveClassName: String { "Both" }
    let hashed: Set<Named>
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) throws { hashed = try coder.decode(Set<Named>.self, forKey: "hashed") }
  }

  /// The forms of a name that many objects share.
  enum NameForm: CaseIterable { case object, inline, mutable, bytes }

  /// Objects whose name is one string, in a set and in a list before it.
  private func named(_ text: String, _ count: Int, _ form: NameForm) -> Data {
    var file = ArchiveFile()
    let content = form == .bytes ? file.row(.bytes(Array(text.utf8))) : file.text(text)
    let name =
      switch form {
      case .object: file.reference(file.object(row: content))
      case .inline: content
      case .mutable, .bytes:
        file.reference(
          file.object(
            row: file.fields(
              file.classUID("NSMutableString", "NSString", "NSObject"),
              [(form == .bytes ? "NS.bytes" : "NS.string", content)])))
      }
    let fields = file.fields(file.classUID("Label", "NSObject"), [("name", name)])
    let list = file.row(.array((0..<count).map { _ in file.reference(file.object(row: fields)) }))
    let collections = ["NSArray", "NSSet"].map { name in
      file.reference(file.object(row: file.fields(file.classUID(name, "NSObject"), [("NS.objects", list)])))
    }
    let both = file.fields(
      file.classUID("Both", "NSObject"), [("list", collections[0]), ("hashed", collections[1])])
    return file.data(root: file.object(row: both))
  }

  @Test(
    "are decoded if they are instances that share an instance with long data or text, or have long ones of their own")
  func honestElements() throws {
    let biography = String(repeating: "\u{751F}", count: 1000)
    var file = ArchiveFile()
    let (label, set) = (file.classUID("Label", "NSObject"), file.classUID("NSSet", "NSObject"))
    let names = (0..<300).map { file.object(row: file.text("\($0)" + biography)) }
    let labels = names.map { file.reference(file.object(row: file.fields(label, [("name", file.reference($0))]))) }
    let avatar = file.reference(file.object(row: file.row(.data(20_000))))
    let user = file.fields(file.classUID("User", "NSObject"), [("avatar", avatar)])
    let author = file.reference(file.object(row: user))
    let comment = file.classUID("Comment", "NSObject")
    let comments = (0..<2000).map { number in
      file.reference(
        file.object(row: file.fields(comment, [("author", author), ("number", file.row(.integer(number)))])))
    }
    let data = file.data(top: [
      ("labels", file.object(row: file.fields(set, [("NS.objects", file.row(.array(labels)))]))),
      ("comments", file.object(row: file.fields(set, [("NS.objects", file.row(.array(comments)))]))),
    ])
    #expect(try Hostile.decoder(data).decode(Set<Named>.self, forKey: "labels").count == 300)
    #expect(try Hostile.decoder(data).decode(Set<Comment>.self, forKey: "comments").count == 2000)
  }

  private final class User: SecureKeyedCoding {
    static var archiveClassName: String { "User" }
    let avatar: Data
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) throws { avatar = try coder.decode(Data.self, forKey: "avatar") }
  }

  private final class Comment: SecureKeyedCoding, Hashable {
    static var archiveClassName: String { "Comment" }
    let author: User
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) throws { author = try coder.decode(User.self, forKey: "author") }
    static func == (a: Comment, b: Comment) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  /// Letters, and how many of them are too many for 1,000 elements.
  ///
  /// Normalization replaces the sign of the ångström by a letter, which takes ten times as long as to keep a letter.
  @Test(
    "are refused if it is a string that takes too long to hash",
    arguments: [("a", 10_000, 100), ("\u{436}", 1500, 20), ("e\u{323}", 400, 6), ("\u{212B}", 100, 5)],
    NameForm.allCases)
  func slowStrings(_ letters: (text: String, many: Int, few: Int), _ form: NameForm) throws {
    for (count, isRefused) in [(letters.many, true), (letters.few, false)] {
      let data = named(String(repeating: letters.text, count: count), 1000, form)
      let requests: [(name: String, decode: () throws -> Int)] = [
        ("set", { try Hostile.decoder(data).decode(HashedOnly.self, forKey: "root").hashed.count }),
        (
          "list and set",
          { try Hostile.decoder(data).decode(Both<[Named], Set<Named>>.self, forKey: "root").hashed.count }
        ),
      ]
      for (name, decode) in requests {
        guard isRefused else {
          #expect(try decode() == 1000, "\(letters.text), \(name)")
          continue
        }
        let error = #expect(throws: KeyedArchiveError.self, "\(letters.text), \(name)") { try decode() }
        #expect(error?.detail.contains("hashing") == true, "\(letters.text), \(name): \(String(describing: error))")
      }
    }
  }

  /// A set of one object of the class `Label`, many times.
  private func labels(_ fields: [(String, HandmadeList)]) -> Data {
    HandmadeList.archive([
      Hostile.object(2, [("NS.objects", .array([HandmadeList](repeating: .uid(4), count: 20_000)))]), Hostile.set,
      .classRecord("Label", "NSObject"), Hostile.object(3, fields), .string(Self.text),
    ])
  }

  private static let text = String(repeating: "t", count: 5000)

  /// A value with names.
  private struct Label: SecureKeyedCoding, Hashable {
    static let keys = (0..<15).map { "name \($0)" }
    static var archiveClassName: String { "Label" }
    let names: [String?]
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) throws {
      names = try Self.keys.map { try coder.decodeIfPresent(String.self, forKey: $0) }
    }
  }

  /// A value with data in it.
  private struct Blobs: SecureKeyedCoding, Hashable {
    static var archiveClassName: String { "Label" }
    let blobs: [[UInt8]?]
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) { blobs = Label.keys.map { coder.decodeBytes(forKey: $0).map { [UInt8]($0) } } }
  }

  @Test("are refused if its texts or data take too long to hash")
  func texts() throws {
    try expectRefusal(Label.self, labels([("name 0", .uid(5))]))
    try expectRefusal(Label.self, labels([("name 0", .string(Self.text))]))
    try expectRefusal(Label.self, labels(Label.keys.map { ($0, .string(String(repeating: "t", count: 250))) }))
    try expectRefusal(Blobs.self, labels(Label.keys.map { ($0, .data([UInt8](repeating: 0, count: 250))) }))
    // These are short enough, but equal.
    let error = #expect(throws: KeyedArchiveError.self) {
      try Hostile.decoder(labels(Label.keys.map { ($0, "t") })).decode(Set<Label>.self, forKey: "root")
    }
    #expect(error?.detail.contains("the same hash") == true, "\(String(describing: error))")
  }

  @Test("are decoded if it is short")
  func shortChain() throws {
    let data = chains(1, sharing: 300)
    #expect(try Hostile.decoder(data).decode(Set<KeyedStruct>.self, forKey: "root").count == 1)
    #expect(try Hostile.decoder(data).decode(Set<CodableClass>.self, forKey: "root").count == 1)
    // The elements are equal, but that is another error.
    let error = #expect(throws: KeyedArchiveError.self) {
      try Hostile.decoder(chains(100, sharing: 100)).decode(Set<KeyedStruct>.self, forKey: "root")
    }
    #expect(error?.code == .malformedValue)
  }
}

/// An instance that hashes its name.
private final class Tag: SecureKeyedCoding, Hashable {
  static var archiveClassName: String { "Tag" }
  let name: String
  func encode(with coder: KeyedArchiver) {}
  init(coder: KeyedUnarchiver) throws { name = try coder.decode(String.self, forKey: "name") }
  static func == (a: Tag, b: Tag) -> Bool { a.name == b.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// Swift's rules take quadratic time to hash a long run of combining marks.
@Suite("Instances with a long run of marks in a string")
struct DecodedBeforeHashingTests {
  /// The ways in which an instance stores its name.
  enum Form: CaseIterable { case boxed, inline, mutable, bytes }

  private func archive(_ name: String, _ form: Form) -> Data {
    let reference: HandmadeList = form == .inline ? .string(name) : .uid(9)
    let stored: HandmadeList =
      switch form {
      case .boxed, .inline: .string(name)
      case .mutable: Hostile.object(10, [("NS.string", .string(name))])
      case .bytes: Hostile.object(10, [("NS.bytes", .data(Array(name.utf8)))])
      }
    return HandmadeList.archive(
      [
        Hostile.object(2, [("NS.objects", .array([.uid(7)]))]), Hostile.array,
        Hostile.object(4, [("NS.objects", .array([.uid(7)]))]), Hostile.set,
        Hostile.object(6, [("list", .uid(1)), ("hashed", .uid(3))]), .classRecord("Both", "NSObject"),
        Hostile.object(8, [("name", reference)]), .classRecord("Tag", "NSObject"), stored,
        .classRecord("NSMutableString", "NSString", "NSObject"),
      ], top: [("list", .uid(1)), ("set", .uid(3)), ("both", .uid(5))])
  }

  private func expectRefusal(_ form: Form, _ body: (KeyedUnarchiver) throws -> Void) throws {
    let decoder = try Hostile.decoder(archive("a" + String(repeating: "\u{301}\u{316}", count: 500), form))
    let error = #expect(throws: KeyedArchiveError.self, "\(form)") { try body(decoder) }
    #expect(error?.code == .limitReached, "\(form): \(String(describing: error))")
    #expect(error?.detail.contains("combining marks") == true)
  }

  @Test("are not elements of a set, also if they were decoded before", arguments: Form.allCases)
  func marks(_ form: Form) throws {
    try expectRefusal(form) { _ = try $0.decode(Set<Tag>.self, forKey: "set") }
    try expectRefusal(form) { _ = try $0.decode(Both<[Tag], Set<Tag>>.self, forKey: "both") }
    try expectRefusal(form) { decoder in
      #expect(try decoder.decode([Tag].self, forKey: "list").count == 1)
      // A caught error does not make the second request succeed.
      #expect(throws: KeyedArchiveError.self) { try decoder.decode(Set<Tag>.self, forKey: "set") }
      _ = try decoder.decode(Set<Tag>.self, forKey: "set")
    }
  }

  @Test("are elements of a set if the runs are short", arguments: Form.allCases)
  func shortRuns(_ form: Form) throws {
    let data = archive(String(repeating: "a" + String(repeating: "\u{301}", count: 100), count: 50), form)
    #expect(try Hostile.decoder(data).decode(Both<[Tag], Set<Tag>>.self, forKey: "both").hashed.count == 1)
  }
}
