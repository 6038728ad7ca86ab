// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
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
