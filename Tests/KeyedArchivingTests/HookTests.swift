// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

/// Stands for itself by its serial number.
private final class Person: ArchiveReplacing, SecureKeyedCoding {
  let name: String
  init(_ name: String) { self.name = name }
  func replacementObject(for coder: KeyedArchiver) -> (any KeyedCoding)? { name.isEmpty ? nil : Ticket(name: name) }
  func encode(with coder: KeyedArchiver) { Issue.record("a replaced object was encoded") }
  init?(coder: KeyedUnarchiver) { nil }
}

private struct Ticket: SecureKeyedCoding, Equatable {
  static var archiveClassName: String { "Ticket" }
  var name: String
  init(name: String) { self.name = name }
  func encode(with coder: KeyedArchiver) { coder.encode(name, forKey: "name") }
  init(coder: KeyedUnarchiver) throws { name = try coder.decode(String.self, forKey: "name") }
}

/// One instance for each name, whatever an archive says.
private final class Unique: SecureKeyedCoding, ArchiveAwakening {
  static let known = Unique("known")
  let name: String
  init(_ name: String) { self.name = name }
  func encode(with coder: KeyedArchiver) { coder.encode(name, forKey: "name") }
  init?(coder: KeyedUnarchiver) throws { name = try coder.decode(String.self, forKey: "name") }
  func awakeAfter(using coder: KeyedUnarchiver) throws -> Unique { name == "known" ? .known : self }
}

private final class Log: KeyedArchiverDelegate, KeyedUnarchiverDelegate {
  var lines: [String] = []
  var replacement: (any KeyedCoding)?

  func archiver(_ archiver: KeyedArchiver, willEncode object: any KeyedCoding) -> (any KeyedCoding)? {
    lines.append("willEncode \(type(of: object))")
    return replacement ?? object
  }
  func archiver(_ archiver: KeyedArchiver, didEncode object: any KeyedCoding) {
    lines.append("didEncode \(type(of: object))")
  }
  func archiverWillFinish(_ archiver: KeyedArchiver) { lines.append("archiverWillFinish") }
  func archiverDidFinish(_ archiver: KeyedArchiver) { lines.append("archiverDidFinish") }

  func unarchiver(_ unarchiver: KeyedUnarchiver, didDecode object: any KeyedCoding) -> (any KeyedCoding)? {
    lines.append("didDecode \(type(of: object))")
    return replacement ?? object
  }
  func unarchiverWillFinish(_ unarchiver: KeyedUnarchiver) { lines.append("unarchiverWillFinish") }
  func unarchiverDidFinish(_ unarchiver: KeyedUnarchiver) { lines.append("unarchiverDidFinish") }
}

extension Unique: @unchecked Sendable {}  // All its properties are constants.

@Suite("Hooks, names and delegates")
struct HookTests {
  @Test("an object may put another in its place, for everybody who refers to it")
  func replacing() throws {
    let person = Person("Ann")
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.encode([person, Person("Bob"), person], forKey: "root")
    archiver.encode(person, forKey: "again")
    let archive = try KeyedArchive(archiver.encodedData)
    #expect(archive.root.array?.map(\.className) == ["Ticket", "Ticket", "Ticket"])
    #expect(archive.root[0].uid == archive.root[2].uid)
    #expect(archive.root[0].uid != archive.root[1].uid)
    #expect(archive["again"].uid == archive.root[0].uid)
    #expect(archive.root[1]["name"].string == "Bob")
  }

  @Test("nothing may take an object's place")
  func replacingByNil() throws {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.encode(Person(""), forKey: "root")
    #expect(try KeyedArchive(archiver.encodedData).root.isNull)
  }

  @Test("an object may put another in its place when it was decoded, and that one is shared")
  func awakening() throws {
    let known = Unique("known")
    let data = try KeyedArchiver.archivedData(
      withRootObject: [known, Unique("other"), known], requiringSecureCoding: true)
    let made = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: [Unique].self, from: data))
    #expect(made[0] === Unique.known)
    #expect(made[2] === Unique.known)
    #expect(made[1].name == "other")
  }

  @Test("the archiver's delegate hears of every object once, children within parents")
  func archiverDelegate() throws {
    let log = Log()
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.delegate = log
    let ticket = Ticket(name: "x")
    archiver.encode([ticket], forKey: "root")
    _ = try archiver.encodedData
    #expect(
      log.lines == [
        "willEncode Array<Ticket>", "willEncode Ticket", "didEncode Ticket", "didEncode Array<Ticket>",
        "archiverWillFinish", "archiverDidFinish",
      ])
  }

  @Test("the archiver's delegate hears of the end of values that are archived as a single value")
  func singleValues() throws {
    enum Kind: String, KeyedCodable { case round }
    struct Box: KeyedCodable { var kind = Kind.round }
    struct Sleeve: KeyedCodable {
      var box = Box()
      init() {}
      init(from decoder: any Decoder) throws { box = try decoder.singleValueContainer().decode(Box.self) }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(box)
      }
    }
    func lines(_ object: some KeyedCoding) throws -> [String] {
      let log = Log()
      let archiver = KeyedArchiver(requiringSecureCoding: false)
      archiver.delegate = log
      archiver.encode(object, forKey: "root")
      _ = try archiver.encodedData
      return log.lines.filter { !$0.hasPrefix("archiver") }
    }
    let ofBox = ["willEncode Box", "willEncode Kind", "didEncode Kind", "didEncode Box"]
    #expect(try lines(Kind.round) == ["willEncode Kind", "didEncode Kind"])
    #expect(try lines(Box()) == ofBox)
    #expect(try lines(Sleeve()) == ["willEncode Sleeve", "didEncode Sleeve"] + ofBox)
    #expect(
      try lines([Kind.round, .round]) == ["willEncode Array<Kind>"]
        + Array([["willEncode Kind", "didEncode Kind"], ["willEncode Kind", "didEncode Kind"]].joined())
        + ["didEncode Array<Kind>"])
  }

  @Test("the archiver's delegate may replace an object")
  func archiverDelegateReplaces() throws {
    let log = Log()
    log.replacement = "text"
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.delegate = log
    archiver.encode(Ticket(name: "x"), forKey: "root")
    #expect(try KeyedArchive(archiver.encodedData).root.string == "text")
  }

  @Test("the decoder's delegate hears of every object and may replace it")
  func unarchiverDelegate() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: [Ticket(name: "x")], requiringSecureCoding: true)
    let log = Log()
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.delegate = log
    #expect(unarchiver.decodeObject(of: [Ticket].self, forKey: "root") == [Ticket(name: "x")])
    unarchiver.finishDecoding()
    #expect(
      log.lines == ["didDecode Ticket", "didDecode Array<Ticket>", "unarchiverWillFinish", "unarchiverDidFinish"])

    let replacing = try KeyedUnarchiver(
      forReadingFrom: KeyedArchiver.archivedData(withRootObject: Ticket(name: "x"), requiringSecureCoding: true))
    log.replacement = Ticket(name: "y")
    replacing.delegate = log
    #expect(try replacing.decode(Ticket.self, forKey: "root") == Ticket(name: "y"))
  }

  private struct Inner: Codable { var x = 1 }

  private final class Outer: KeyedCodable {
    var inner = Inner()
    var many = [Inner(), Inner()]
  }

  private final class Listener: KeyedUnarchiverDelegate {
    var types: [String] = []
    func unarchiver(_ unarchiver: KeyedUnarchiver, didDecode object: any KeyedCoding) -> (any KeyedCoding)? {
      types.append("\(type(of: object))")
      return object
    }
  }

  @Test("the decoder's delegate receives the collections of flat calls, and no value that is only Codable")
  func receivedObjects() throws {
    let listener = Listener()
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.encode(Outer(), forKey: "outer")
    archiver.encode(ArchivedArray(["a"]), forKey: "array")
    archiver.encode(ArchivedDictionary([("a", "b")]), forKey: "dictionary")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    unarchiver.delegate = listener
    #expect(try unarchiver.decodeTopLevelObject(of: Outer.self, forKey: "outer")?.many.count == 2)
    #expect(unarchiver.decodeArrayOfObjects(ofClasses: [String.self], forKey: "array")?.count == 1)
    let dictionary = unarchiver.decodeDictionary(
      withKeysOfClasses: [String.self], objectsOfClasses: [String.self], forKey: "dictionary")
    #expect(dictionary?["a"] as? String == "b")
    #expect(listener.types == ["Outer", "ArchivedArray", "ArchivedDictionary"])
  }

  @Test("a class may be archived under another name, and taken back by it")
  func classNames() throws {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.setClassName("Foreign", for: Ticket.self)
    #expect(archiver.className(for: Ticket.self) == "Foreign")
    archiver.encode(Ticket(name: "x"), forKey: "root")
    let data = try archiver.encodedData
    // As Apple's archiver does, the record then holds the name alone.
    #expect(try KeyedArchive(data).root.classDescription == ClassDescription(name: "Foreign", chain: []))

    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.setClass(Ticket.self, forClassName: "Foreign")
    #expect(unarchiver.class(forClassName: "Foreign") is Ticket.Type)
    #expect(try unarchiver.decode(Ticket.self, forKey: "root") == Ticket(name: "x"))
  }

  @Test("class records list the superclasses that can be archived, and NSObject")
  func chains() throws {
    class Base: SecureKeyedCoding {
      class var archiveClassName: String { "App.Base" }
      init() {}
      func encode(with coder: KeyedArchiver) {}
      required init?(coder: KeyedUnarchiver) {}
    }
    final class Derived: Base { override class var archiveClassName: String { "App.Derived" } }
    let data = try KeyedArchiver.archivedData(withRootObject: [Base(), Derived()], requiringSecureCoding: true)
    let archive = try KeyedArchive(data)
    #expect(archive.root[0].classDescription?.chain == ["App.Base", "NSObject"])
    #expect(archive.root[1].classDescription?.chain == ["App.Derived", "App.Base", "NSObject"])
  }

  @Test("types have stable names, also private, local and generic ones")
  func typeNames() {
    struct Local: SecureKeyedCoding {
      func encode(with coder: KeyedArchiver) {}
      init(coder: KeyedUnarchiver) {}
    }
    #expect(Local.archiveClassName == "KeyedArchivingTests.HookTests.Local")
    #expect(Person.archiveClassName == "KeyedArchivingTests.Person")
    #expect(Node.archiveClassName == "KeyedArchivingTests.Node")
  }
}

/// A node that records which messages its archiver's delegate gets, and can change the delegate while it is encoded.
private final class Listened: SecureKeyedCoding {
  enum Change { case none, set, remove }
  static var archiveClassName: String { "Listened" }
  let id: Int
  let change: Change
  var children: [Listened] = []
  let listener: Listener
  init(_ id: Int, _ change: Change, _ listener: Listener) {
    (self.id, self.change, self.listener) = (id, change, listener)
  }
  func encode(with coder: KeyedArchiver) {
    switch change {
    case .none: break
    case .set: coder.delegate = listener
    case .remove: coder.delegate = nil
    }
    coder.encode(id, forKey: "id")
    for (number, child) in children.enumerated() { coder.encode(child, forKey: "child \(number)") }
  }
  init?(coder: KeyedUnarchiver) { nil }
}

private final class Listener: KeyedArchiverDelegate {
  /// The objects that will be encoded and have not been.
  var open: [Int] = []
  var messages = 0
  func archiver(_ archiver: KeyedArchiver, willEncode object: any KeyedCoding) -> (any KeyedCoding)? {
    if let object = object as? Listened { open.append(object.id) }
    messages += 1
    return object
  }
  func archiver(_ archiver: KeyedArchiver, didEncode object: any KeyedCoding) {
    // Messages of objects that ended while no delegate was set are missing.
    guard let object = object as? Listened, let index = open.lastIndex(of: object.id) else {
      Issue.record("didEncode without willEncode")
      return
    }
    open.removeSubrange(index...)
    messages += 1
  }
}

/// An object that is replaced by another one.
private final class Stand: SecureKeyedCoding, ArchiveReplacing {
  static var archiveClassName: String { "Stand" }
  let replacement: (any KeyedCoding)?
  init(_ replacement: (any KeyedCoding)?) { self.replacement = replacement }
  func replacementObject(for coder: KeyedArchiver) -> (any KeyedCoding)? { replacement }
  func encode(with coder: KeyedArchiver) { Issue.record("a replaced object was encoded") }
  init?(coder: KeyedUnarchiver) { nil }
}

/// Refers to an object conditionally, before or after another reference to it.
private struct Holder<Object: KeyedCoding & AnyObject>: SecureKeyedCoding {
  static var archiveClassName: String { "Holder" }
  let object: Object
  let conditionalFirst: Bool
  init(_ object: Object, conditionalFirst: Bool) { (self.object, self.conditionalFirst) = (object, conditionalFirst) }
  func encode(with coder: KeyedArchiver) {
    if conditionalFirst { coder.encodeConditionalObject(object, forKey: "back") }
    coder.encode(object, forKey: "object")
    if !conditionalFirst { coder.encodeConditionalObject(object, forKey: "back") }
  }
  init?(coder: KeyedUnarchiver) { nil }
}

@Suite("References to objects with replacements, and delegates that only look")
struct ReplacementTests {
  private final class Spectator: KeyedArchiverDelegate {}

  private func root(
    _ value: some KeyedCoding, delegate: (any KeyedArchiverDelegate)? = nil
  ) throws -> KeyedArchive.Node {
    try KeyedArchive(archive(value, delegate: delegate)).root
  }

  private func archive(
    _ value: some KeyedCoding, delegate: (any KeyedArchiverDelegate)? = nil, _ layout: ArchiveLayout = .apple
  ) throws -> Data {
    let archiver = KeyedArchiver(requiringSecureCoding: true, layout: layout)
    archiver.delegate = delegate
    archiver.encode(value, forKey: "root")
    return try archiver.encodedData
  }

  @Test(
    "a conditional reference leads to the replacement, before and after other references", arguments: [false, true])
  func conditional(isFirst: Bool) throws {
    let ticket = try root(Holder(Stand(Ticket(name: "x")), conditionalFirst: isFirst))
    #expect(ticket["back"]["name"].string == "x" && ticket["back"].uid == ticket["object"].uid)
    let text = try root(Holder(Stand("a text that no pointer holds"), conditionalFirst: isFirst))
    #expect(text["back"].string == "a text that no pointer holds" && text["back"].uid == text["object"].uid)
    let nothing = try KeyedArchive(archive(Holder(Stand(nil), conditionalFirst: isFirst)))
    #expect(nothing.root["back"].isNull && nothing.root["object"].isNull)
    // `$null`, the holder and its class: the slot that the conditional reference reserved is not archived.
    #expect(nothing.objectCount == 3)
  }

  @Test("a delegate that only looks changes no bytes, also of instances that are only Codable")
  func passiveDelegate() throws {
    final class Item: Codable { var name = "item" }
    final class Document: KeyedCodable {
      @ArchiveBackReference var selected: Item?
      var items: [Item] = []
      var zone = TimeZone(identifier: "Europe/Paris")
      var maybe: [Int?] = [nil, 1]
      init() {}
    }
    let document = Document()
    document.items = [Item(), Item()]
    document.selected = document.items[1]
    for layout in ArchiveLayout.allCases {
      let delegate = Spectator()
      let data = try archive(document, delegate: delegate, layout)
      let root = try KeyedArchive(data).root
      #expect(root["selected"].uid == root["items"][1].uid && root["selected"]["name"].string == "item")
      #expect(try archive(document, layout) == data)
    }
  }

  @Test("a delegate that is set or removed by an object gets a message for the end of each object it was shown")
  func changedDelegate() throws {
    var messages = 0
    for seed in 0..<200 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      let listener = Listener()
      let nodes = (0..<8).map { id in
        Listened(id, [.none, .set, .remove].randomElement(using: &random) ?? .none, listener)
      }
      for (id, node) in nodes.enumerated().dropFirst() {
        nodes[Int.random(in: 0..<id, using: &random)].children.append(node)
      }
      let archiver = KeyedArchiver(requiringSecureCoding: true)
      archiver.encode(nodes[0], forKey: "root")
      #expect(try KeyedArchive(archiver.encodedData).root["id"].number == .integer(0))
      messages += listener.messages
    }
    #expect(messages > 200)
  }

  @Test("a struct that becomes a single value may set the delegate")
  func delegateOfSingleValue() throws {
    struct Single: KeyedCodable {
      let delegate: Spectator?
      init(_ delegate: Spectator) { self.delegate = delegate }
      init(from decoder: any Decoder) throws { delegate = nil }
      func encode(to encoder: any Encoder) throws {
        encoder.keyedArchiver?.delegate = delegate
        var container = encoder.singleValueContainer()
        try container.encode("single")
      }
    }
    let delegate = Spectator()
    #expect(try root([Single(delegate)])[0].string == "single")
  }

  @Test("a delegate is shown time zones as they are, and no null objects")
  func shownValues() throws {
    let log = Log()
    let zone = try #require(TimeZone(identifier: "Europe/Paris"))
    _ = try root(ArchivedArray([zone, ArchiveNull(), ArchivedTimeZone(name: "Asia/Tokyo")]), delegate: log)
    let expected = ["TimeZone", "ArchivedTimeZone"].flatMap { ["willEncode \($0)", "didEncode \($0)"] }
    #expect(log.lines.filter { !$0.hasPrefix("archiver") && !$0.hasSuffix("ArchivedArray") } == expected)
  }

  @Test("time zones can be archived under another name, and replaced by a delegate")
  func timeZones() throws {
    final class Mover: KeyedArchiverDelegate {
      func archiver(_ archiver: KeyedArchiver, willEncode object: any KeyedCoding) -> (any KeyedCoding)? {
        object is TimeZone ? ArchivedTimeZone(name: "Asia/Tokyo") : object
      }
    }
    let zone = try #require(TimeZone(identifier: "Europe/Paris"))
    let mover = Mover()
    #expect(
      try root([zone, zone], delegate: mover).array?.map { $0["NS.name"].string } == ["Asia/Tokyo", "Asia/Tokyo"])
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.setClassName("MyZone", for: TimeZone.self)
    archiver.encode([zone, zone], forKey: "root")
    let archive = try KeyedArchive(archiver.encodedData)
    #expect(archive.root.array?.map(\.className) == ["MyZone", "MyZone"] && archive.root[0].uid == archive.root[1].uid)
  }

  @Test("a delegate is not told that an archive will be written if encoding failed")
  func failedArchive() throws {
    let log = Log()
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.delegate = log
    archiver.failWithError(CocoaError(.featureUnsupported))
    for _ in 0..<2 { #expect(throws: KeyedArchiveError.self) { try archiver.encodedData } }
    #expect(log.lines == [])
  }
}

/// Uses the coder again from wherever other people's code runs.
private final class Reentrant: SecureKeyedCoding, ArchiveReplacing, ArchiveAwakening {
  static var archiveClassName: String { "Reentrant" }
  var children: [Reentrant] = []
  init(_ children: [Reentrant] = []) { self.children = children }

  func replacementObject(for coder: KeyedArchiver) -> (any KeyedCoding)? {
    _ = coder.error
    _ = coder.className(for: Reentrant.self)
    #expect(throws: KeyedArchiveError.self) { try coder.encodedData }
    return self
  }
  func encode(with coder: KeyedArchiver) throws {
    coder.encode(children, forKey: "children")
    _ = try KeyedArchiver.archivedData(withRootObject: "other", requiringSecureCoding: true)
    coder.encode(children.first, forKey: "first")
    #expect(throws: KeyedArchiveError.self) { try coder.encodedData }
  }
  init?(coder: KeyedUnarchiver) throws {
    children = coder.decodeObject(of: [Reentrant].self, forKey: "children") ?? []
    coder.decodeObject(of: Reentrant.self, forKey: "first") { first in
      _ = coder.containsValue(forKey: "root")
      _ = coder.decodeObject(of: String.self, forKey: "absent")
      #expect(first.children.isEmpty)
    }
  }
  func awakeAfter(using coder: KeyedUnarchiver) throws -> Reentrant {
    #expect(coder.containsValue(forKey: "children"))
    return self
  }
}

/// Uses the archiver when it is let go, which the archiver does with a value that it has archived.
private final class LastWord {
  let coder: KeyedArchiver
  init(_ coder: KeyedArchiver) { self.coder = coder }
  deinit {
    _ = coder.error
    coder.encode("late", forKey: "late")
    coder.encode(Ticket(name: "late"), forKey: "later")
  }
}

private struct Farewell: SecureKeyedCoding {
  let word: LastWord?
  init(_ word: LastWord) { self.word = word }
  func encode(with coder: KeyedArchiver) { coder.encode([Ticket(name: "x")], forKey: "tickets") }
  init(coder: KeyedUnarchiver) { word = nil }
}

private struct Farewells: SecureKeyedCoding {
  let count: Int
  init(_ count: Int) { self.count = count }
  func encode(with coder: KeyedArchiver) {
    for place in 0..<count { coder.encode(Farewell(LastWord(coder)), forKey: "\(place)") }
  }
  init(coder: KeyedUnarchiver) { count = 0 }
}

@Suite("Coders bear to be used from their own callbacks")
struct ReentrancyTests {
  @Test("deinitialisers of archived values, which may encode when all is archived")
  func deinitialisers() throws {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    // Each deinitializer encodes for the same keys.
    archiver.repeatedKeyPolicy = .keepLast
    archiver.encode([Farewells(10), Farewells(1)], forKey: "root")
    let archive = try KeyedArchive(archiver.encodedData)
    #expect(archive.root[0].keys.count == 10)
    #expect(archive["late"].string == "late")
    #expect(archive["later"]["name"].string == "late")
  }

  @Test("deinitialisers in the middle of it, which may not")
  func deinitialisersInBetween() throws {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.encode([Farewells(1000), Farewells(1000)], forKey: "root")
    #expect(archiver.error?.code == .notEncodable)
    #expect(throws: KeyedArchiveError.self) { try archiver.encodedData }
  }

  /// Asks for the archive when it is let go.
  private final class Curious: SecureKeyedCoding {
    final class Answers { var codes: [KeyedArchiveError.Code?] = [] }

    private let answers: Answers
    private unowned let archiver: KeyedArchiver

    init(_ archiver: KeyedArchiver, _ answers: Answers) { (self.archiver, self.answers) = (archiver, answers) }
    deinit {
      do {
        _ = try archiver.encodedData
        answers.codes.append(nil)
      } catch {
        answers.codes.append((error as? KeyedArchiveError)?.code)
      }
    }
    func encode(with coder: KeyedArchiver) { coder.encode("curious", forKey: "name") }
    init?(coder: KeyedUnarchiver) { nil }
  }

  @Test("deinitialisers while the archive is written, who are refused it, and it is whole")
  func deinitialisersThatAsk() throws {
    let answers = Curious.Answers()
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.encode(Curious(archiver, answers), forKey: "root")
    #expect(try KeyedArchive(archiver.encodedData).root["name"].string == "curious")
    #expect(answers.codes == [.alreadyFinished])
  }

  private final class Delegate: KeyedArchiverDelegate, KeyedUnarchiverDelegate {
    func archiver(_ archiver: KeyedArchiver, willEncode object: any KeyedCoding) -> (any KeyedCoding)? {
      archiver.setClassName(nil, for: Node.self)
      return object
    }
    func archiver(_ archiver: KeyedArchiver, didEncode object: any KeyedCoding) { _ = archiver.error }
    func unarchiver(_ unarchiver: KeyedUnarchiver, didDecode object: any KeyedCoding) -> (any KeyedCoding)? {
      unarchiver.setClass(Node.self, forClassName: "Node")
      _ = unarchiver.containsValue(forKey: "children")
      return object
    }
  }

  @Test("encode, replace, decode, awake, deliver, and both delegates")
  func everywhere() throws {
    let delegate = Delegate()
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.delegate = delegate
    archiver.encode(Reentrant([Reentrant(), Reentrant()]), forKey: "root")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    unarchiver.delegate = delegate
    let made = try unarchiver.decode(Reentrant.self, forKey: "root")
    #expect(made.children.count == 2)
  }
}
