// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import SystemFiles
import TestSupport
import Testing

extension StorageAbilities {
  /// All 64 sets of abilities.
  static let updateCombinations = (0...StorageAbilities.all.rawValue).map { StorageAbilities(rawValue: $0) }
  /// None, each alone, and all; with `WHOLE_TESTS`, all sets.
  static let updateSample = updateCombinations.filter {
    Sample.isWhole || $0.rawValue.nonzeroBitCount <= 1 || $0 == .all
  }
  /// The 32 sets for operations on one document, which never flush all changes with one call.
  static let combinations = updateCombinations.filter { !$0.contains(.wholeFlushes) }
  /// The sets for operations on one document of which at most one ability is missing, or all are. With `WHOLE_TESTS`, all sets.
  static let sample = combinations.filter {
    Sample.isWhole || $0.rawValue.nonzeroBitCount <= 1 || $0 == .all.subtracting(.wholeFlushes)
  }

  /// The first call for ``Sample/calls(below:each:turn:)``.
  var turn: Int { Int(rawValue) }
}

@Suite("Abilities of a storage")
struct AbilityTests {
  /// A fifth of the sets; with `WHOLE_TESTS`, all.
  @Test(
    "are found by trying each operation", arguments: Place.allCases,
    Sample.cases(StorageAbilities.updateCombinations, each: 5))
  func probe(_ place: Place, _ lacking: StorageAbilities) throws {
    let room = try place.room()
    let storage = FaultyStorage(room.storage, .lacks(lacking))
    var expected = StorageAbilities.all.subtracting(lacking)
    // A disk of an unusual type lacks it.
    if place == .disk, (try? room.storage.beginFlushingAll()) == nil { expected.remove(.wholeFlushes) }
    #expect(try StorageSteps(storage: storage).abilities() == expected)
    #expect(try room.storage.leftovers() == [])
    #expect(storage.openCount == 0)
  }

  @Test("are tried once for a library, before its first change")
  func once() throws {
    let room = try Place.memory.room()
    let storage = FaultyStorage(room.storage)
    let library = try DocumentLibrary<Recipe>(in: storage)
    func tries(_ body: () throws -> Void) throws -> Int {
      storage.set()
      try body()
      return storage.steps.count { $0.call == .move && $0.path.names.last == "third" }
    }
    #expect(try tries { _ = try library.contents() } == 0)
    #expect(try tries { try library.addDocument(Recipe("one")) } == 1)
    #expect(try tries { try library.document(1).edit { $0.name = "two" } } == 0)
    #expect(try tries { try library.document(1).moveToTrash() } == 0)
  }

  @Test("a disk without space for the attempts does not keep a document from being deleted", arguments: Place.allCases)
  func fullDisk(_ place: Place) throws {
    let room = try place.room()
    try room.storage.makeFolder(".work")
    try room.plant("1.recipe", "one")
    let storage = FaultyStorage(room.storage)
    let first = try DocumentLibrary<Recipe>(in: storage).document(1)
    storage.set()
    try first.delete()
    let steps = storage.steps.map(\.call).enumerated().filter { $0.element == .makeFolder || $0.element == .create }
    // A folder and two files for the attempts.
    #expect(steps.map(\.element) == [.makeFolder, .create, .create])
    for (step, _) in steps {
      try room.plant("2.recipe", "two")
      let document = try DocumentLibrary<Recipe>(in: storage).document(2)
      storage.set(.fails(at: step, .noSpace))
      try document.delete()
      #expect(storage.hasFailed)
      storage.set()
      #expect(throws: StorageError.self) { try room.storage.status(of: "2.recipe") }
    }
  }

  @Test("a lock that a server refuses once is tried again", arguments: Place.allCases)
  func locks(_ place: Place) throws {
    let room = try place.room()
    try room.plant("1.recipe", "one")
    let storage = FaultyStorage(room.storage, .lacks(.locks))
    let library = try DocumentLibrary<Recipe>(in: storage)
    try library.addDocument(Recipe("two"))
    storage.set()
    try library.document(1).edit { $0.name = "three" }
    #expect(storage.steps.contains { $0.call == .lock })
  }

  @Test("an exclusive rename that replaces its target counts as none", arguments: Place.allCases)
  func replacing(_ place: Place) throws {
    let room = try place.room()
    let storage = FaultyStorage(room.storage, .replacesAlways)
    #expect(
      try StorageSteps(storage: storage).abilities().subtracting(.wholeFlushes)
        == StorageAbilities.all.subtracting([.exclusiveMoves, .wholeFlushes]))
    #expect(try room.storage.leftovers() == [])
  }

  @Test("a file that cannot be linked is copied in pieces, with its date", arguments: Place.allCases)
  func copies(_ place: Place) throws {
    for fault in [.refuses(.link, .tooManyNames), .lacks(.links)] as [FaultyStorage.Fault] {
      let room = try place.room()
      let storage = FaultyStorage(room.storage, .lacks(fault == .lacks(.links) ? .links : []))
      let library = try DocumentLibrary<Recipe>(in: storage)
      try library.addDocument(Recipe("one"))
      let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 256) })
      let (file, date) = ("1.recipe" / "film", StorageDate(seconds: 1_000_000_000))
      try room.storage.plant(file, bytes)
      try room.storage.setModified(file, to: date)
      storage.set(fault)
      try library.document(1).edit(attachments: ["photo.jpg": Data("p".utf8)]) { $0.name = "two" }
      #expect(try room.storage.bytes(file) == bytes && room.storage.status(of: file).modified == date, "\(fault)")
      // Four pieces of at most 64 KiB.
      let calls = storage.steps.drop { $0.path.names.last != "film" || $0.call != .create }.dropFirst().map(\.call)
      #expect(calls.prefix { $0 != .flush }.count { $0 == .write } == 4, "\(fault)")
      #expect(storage.openCount == 0)
    }
  }

  @Test("are declared by a storage in memory, so nothing is tried")
  func declared() throws {
    #expect(MemoryStorage().abilities == .all)
    #expect(DiskStorage(URL(filePath: "/")).abilities == nil)
  }

  /// A fifth of the sets; with `WHOLE_TESTS`, all.
  @Test(
    "do not matter for a save after another one", arguments: Place.allCases,
    Sample.cases(StorageAbilities.combinations, each: 5))
  func saves(_ place: Place, _ lacking: StorageAbilities) throws {
    let room = try place.room()
    let library = try DocumentLibrary<Recipe>(in: FaultyStorage(room.storage, .lacks(lacking)))
    let document = try library.addDocument(Recipe("one"))
    let other = try library.document(1)
    #expect(try other.data?.name == "one")
    // The first save creates a file, the second one replaces two, and copies the data file on a disk without links.
    try document.setAttachment("photo.jpg", to: Data("p1".utf8))
    try document.saveAttachments()
    for name in Recipe.attachmentNames { try document.setAttachment(name, to: Data("\(name) 2".utf8)) }
    try document.saveAttachments()
    try document.setData(Recipe("two"))
    try document.saveData()
    #expect(throws: (any Error).self) {
      try other.setData(Recipe("three"))
      try other.saveData()
    }
    #expect(try library.document(1).data?.name == "two")
    try document.setAttachment("photo.jpg", to: nil)
    try document.saveAttachments()
    #expect(try room.storage.files("1.recipe") == ["Data.plist", "thumb.png"])
  }

  @Test("do not make a copied data file a changed one", arguments: Place.allCases)
  func copied(_ place: Place) throws {
    let room = try place.room()
    let library = try DocumentLibrary<Recipe>(in: FaultyStorage(room.storage, .lacks(.links)))
    let document = try library.addDocument(Recipe("one"))
    let other = try library.document(1)
    #expect(try other.data?.name == "one")
    let identity = try room.storage.status(of: "1.recipe" / "Data.plist").identity
    for name in Recipe.attachmentNames { try document.setAttachment(name, to: Data(name.utf8)) }
    try document.saveAttachments()
    #expect(try room.storage.status(of: "1.recipe" / "Data.plist").identity != identity)
    try other.setData(Recipe("two"))
    try other.saveData()
    #expect(try library.document(1).data?.name == "two")
  }
}

@Suite("The number of a new document")
struct NumberHintTests {
  @Test("is not that of a document that a crash displaced", arguments: Place.allCases)
  func displaced(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library()
    try library.addDocument(Recipe("one"))
    // Another process added document 2, and ended between the two renames of a change.
    try room.plant("2.recipe", "two")
    try room.storage.move("2.recipe", to: ".work" / "replaced-2.recipe", .exclusive)
    let status = try room.storage.status(of: .root)
    library.numberHint.withLock { $0?.root = status }
    #expect(try library.addDocument(Recipe("three")).number == 3)
    #expect(try room.library().contents().numbers == [1, 2, 3])
    #expect(try library.document(2).data?.name == "two")
  }

  @Test("is found without a listing while the folder is unchanged", arguments: Place.allCases)
  func withoutListing(_ place: Place) throws {
    let room = try place.room()
    let storage = FaultyStorage(room.storage)
    let library = try DocumentLibrary<Recipe>(in: storage)
    func listings(_ body: () throws -> Void) throws -> Int {
      storage.set()
      try body()
      return storage.steps.count { $0.call == .list && $0.path == .root }
    }
    #expect(try listings { try library.addDocument(Recipe("one")) } == 1)
    for number: DocumentNumber in [2, 3, 4] {
      var added: DocumentNumber?
      #expect(try listings { added = try library.addDocument(Recipe("more")).number } == 0)
      #expect(added == number)
    }
  }

  @Test("follows the changes of another process", arguments: Place.allCases)
  func others(_ place: Place) throws {
    let room = try place.room()
    let (library, other) = (try room.library(), try room.library())
    func pause() throws {
      // The dates of some disks advance only every few milliseconds.
      if place == .disk { Thread.sleep(forTimeInterval: 0.02) }
    }
    #expect(try library.addDocument(Recipe("one")).number == 1)
    try pause()
    #expect(try other.addDocument(Recipe("two")).number == 2)
    #expect(try library.addDocument(Recipe("three")).number == 3)
    try pause()
    try other.document(3).delete()
    try other.document(2).delete()
    #expect(try library.addDocument(Recipe("two again")).number == 2)
    try pause()
    try room.plant("9.recipe", "nine")
    #expect(try library.addDocument(Recipe("ten")).number == 10)
    try library.document(10).delete()
    #expect(try library.addDocument(Recipe("ten again")).number == 10)
  }

  /// The listings of the library's folder during an operation.
  private func listings(_ storage: FaultyStorage, _ body: () throws -> Void) throws -> Int {
    storage.set()
    try body()
    return storage.steps.count { $0.call == .list && $0.path == .root }
  }

  @Test("of a large library is found by other processes without a listing", arguments: Place.allCases)
  func fromFile(_ place: Place) throws {
    let room = try place.room()
    try room.plant("299.recipe", "many")
    let storage = FaultyStorage(room.storage)
    let first = try DocumentLibrary<Recipe>(in: storage)
    var added: [DocumentNumber?] = []
    #expect(try listings(storage) { added.append(try first.addDocument(Recipe("first")).number) } == 1)
    #expect(try room.storage.names(".work") == ["last-number"])
    // A process that begins, and one that added a document before.
    let later = try listings(storage) {
      added.append(try DocumentLibrary<Recipe>(in: storage).addDocument(Recipe("second")).number)
      added.append(try first.addDocument(Recipe("third")).number)
    }
    #expect(later == 0)
    // Another program does not write the file.
    if place == .disk { Thread.sleep(forTimeInterval: 0.02) }
    try room.plant("400.recipe", "other")
    let outdated = try listings(storage) {
      added.append(try DocumentLibrary<Recipe>(in: storage).addDocument(Recipe("fourth")).number)
    }
    #expect(outdated == 1 && added == [300, 301, 302, 401])
    // A cleanup is not needed for it, and leaves it.
    #expect(try first.sweep() == 0)
    try room.storage.makeFolder(".work" / "new-leftover")
    #expect(try first.sweep() == 1)
    #expect(try room.storage.names(".work") == ["last-number"])
  }

  @Test("has a file that a check does not report", arguments: Place.allCases)
  func noLeftover(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library(299)
    try library.addDocument(Recipe("first"))
    func check() throws -> [String] {
      var findings: [String] = []
      try library.check { finding in
        findings.append(finding.code)
        return true
      }
      return findings
    }
    #expect(try room.storage.names(".work") == ["last-number"])
    #expect(try check() == [])
    try room.storage.makeFolder(".work" / "new-leftover")
    #expect(try check() == ["leftovers"])
  }

  @Test("is not taken from a damaged file, and does not depend on one", arguments: Place.allCases)
  func damagedFile(_ place: Place) throws {
    let room = try place.room()
    try room.plant("299.recipe", "many")
    let added = try room.library().addDocument(Recipe("first")).number
    let file = try #require(try room.storage.bytes(".work" / "last-number"))
    let text = String(decoding: file, as: UTF8.self)
    #expect(added == 300 && text.hasPrefix("300 ") && NumberHint(file)?.file == file)
    let damaged =
      (0..<file.count).map { file.prefix($0) } + [
        Data(repeating: 0, count: file.count), Data(text.replacing("300 ", with: "-1 ").utf8), file + file,
      ]
    for bytes in damaged { #expect(NumberHint(Data(bytes)) == nil, "\(String(decoding: bytes, as: UTF8.self))") }
    try room.storage.removeFile(".work" / "last-number")
    try room.storage.makeFolder(".work" / "last-number")
    #expect(try room.library().addDocument(Recipe("second")).number == 301)
    #expect(try room.storage.names(".work") == ["last-number"])
  }

  @Test("is unique if the folder's date hides a change", arguments: Place.allCases)
  func hiddenChange(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library()
    try library.addDocument(Recipe("one"))
    try room.plant("2.recipe", "two")
    // As if the other process had made its change at the moment of the first one.
    let status = try room.storage.status(of: .root)
    library.numberHint.withLock { $0?.root = status }
    #expect(try library.addDocument(Recipe("three")).number == 3)
    #expect(try library.document(2).data?.name == "two")
  }
}
