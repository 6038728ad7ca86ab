// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import KeyedArchiving
import PropertyListFormat
import Testing

/// A recipe whose files all have an older layout.
private struct OldRecipe: DocumentModel {
  static let folderExtension = "recipe"
  static let archiveClassName = Recipe.archiveClassName

  let recipe: Recipe

  static func stored(in data: Data, limits: ReadLimits) throws -> StoredModel<Self> {
    let recipe = try Recipe.stored(in: data, limits: limits).model
    return StoredModel(OldRecipe(recipe: recipe), layout: "carved in stone", isCurrent: false)
  }

  init(recipe: Recipe) { self.recipe = recipe }
  func encode(with coder: KeyedArchiver) { recipe.encode(with: coder) }
  init?(coder: KeyedUnarchiver) {
    guard let recipe = Recipe(coder: coder) else { return nil }
    self.recipe = recipe
  }
}

@Suite("Library check")
struct CheckTests {
  private func findings<Model>(_ library: DocumentLibrary<Model>) throws -> [LibraryFinding] {
    var findings: [LibraryFinding] = []
    try library.check {
      findings.append($0)
      return true
    }
    return findings
  }

  /// Checks that there is one finding.
  private func expect<Model>(
    _ severity: LibraryFinding.Severity, _ code: String, number: DocumentNumber?, _ path: StoragePath,
    in library: DocumentLibrary<Model>, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let findings = try findings(library)
    let place = library.storage.url(of: path).path
    #expect(findings.map(\.code) == [code], "\(findings)", sourceLocation: sourceLocation)
    #expect(findings.map(\.severity) == [severity], sourceLocation: sourceLocation)
    #expect(findings.map(\.number) == [number], sourceLocation: sourceLocation)
    #expect(findings.map(\.path) == [place], sourceLocation: sourceLocation)
    #expect(findings.allSatisfy { !$0.detail.isEmpty }, sourceLocation: sourceLocation)
  }

  @Test("finds nothing in a valid library", arguments: Place.allCases)
  func sound(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library()
    #expect(try findings(library) == [])
    for number in 1...3 { try library.addDocument(Recipe("R\(number)"), attachments: ["photo.jpg": Data("p".utf8)]) }
    try library.document(2).moveToTrash()
    try library.document(3).edit { $0.name = "R" }
    try room.plant("7.RECIPE", "in capital letters")
    // Hidden files and files that are not documents are ignored.
    try room.storage.plant("1.recipe" / ".DS_Store", Data())
    try room.storage.plant("notes.txt", Data())
    #expect(try findings(library) == [])
  }

  @Test("finds entries with names of documents that are none", arguments: Place.allCases)
  func problems(_ place: Place) throws {
    let room = try place.room()
    try room.plant("1.recipe", "A")
    try room.plant("1.RECIPE", "A")
    try room.plant("007.recipe", "B")
    try room.storage.plant("2.recipe", Data())
    try room.plantLink("3.recipe", to: "1.recipe")
    let library = try room.library()
    let findings = try findings(library)
    #expect(findings.map(\.code) == ["notANumber", "duplicate", "notAFolder", "link"])
    let names: [StoragePath] = ["007.recipe", "1.RECIPE", "2.recipe", "3.recipe"]
    #expect(findings.map(\.path) == names.map { room.storage.url(of: $0).path })
    #expect(findings.allSatisfy { $0.severity == .warning && $0.number == nil && $0.remedy != nil })
  }

  @Test("finds leftovers of a crash without removing them", arguments: Place.allCases)
  func leftovers(_ place: Place) throws {
    let room = try place.room()
    _ = try room.library(1)
    try room.storage.makeFolder(".work")
    try room.storage.makeFolder(".work" / "new-x")
    let library = try DocumentLibrary<Recipe>(in: room.storage, creating: false, sweeping: false)
    try expect(.warning, "leftovers", number: nil, ".work", in: library)
    // A displaced document with a successor counts as another leftover.
    try room.storage.makeFolder(".work" / "replaced-1.recipe")
    try expect(.warning, "leftovers", number: nil, ".work", in: library)
    #expect(try findings(library)[0].detail.contains("2 unfinished"))
  }

  @Test("finds a document that a crash displaced", arguments: Place.allCases)
  func displaced(_ place: Place) throws {
    let room = try place.room()
    _ = try room.library(1, 2)
    try room.storage.makeFolder(".work")
    try room.storage.move("2.recipe", to: ".work" / "replaced-2.recipe", .exclusive)
    let library = try DocumentLibrary<Recipe>(in: room.storage, creating: false, sweeping: false)
    let findings = try findings(library)
    #expect(findings.map(\.code) == ["leftovers", "displaced"])
    #expect(findings.map(\.severity) == [.warning, .error])
    #expect(findings.last?.number == 2 && findings.last?.remedy != nil)
    #expect(findings.last?.path == room.storage.url(of: ".work" / "replaced-2.recipe").path)
    // The remedy works.
    #expect(try self.findings(room.library()) == [])
    #expect(try room.library().document(2).data == Recipe("Recipe 2"))
  }

  @Test("finds a missing data file", arguments: Place.allCases)
  func missingDataFile(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library(1)
    try room.storage.makeFolder("2.recipe")
    try expect(.error, "missingDataFile", number: 2, "2.recipe" / "Data.plist", in: library)
  }

  @Test("finds data files that are not archives, damaged or of another class", arguments: Place.allCases)
  func unreadable(_ place: Place) throws {
    let bill = try KeyedArchiver.archivedData(withRootObject: Bill(), requiringSecureCoding: true)
    for (data, code) in [
      (Data(), "unreadableArchive"), (Data("no archive".utf8), "unreadableArchive"),
      (try Recipe.file("A").dropLast(), "unreadableArchive"), (bill, "wrongClass"),
    ] {
      let room = try place.room()
      try room.plant("2.recipe", data: data)
      try expect(.error, code, number: 2, "2.recipe" / "Data.plist", in: room.library(1))
    }
  }

  @Test("finds files over the limits", arguments: Place.allCases)
  func tooLarge(_ place: Place) throws {
    let room = try place.room()
    try room.plant("1.recipe", "A", photo: String(repeating: "p", count: 2000))
    try room.plant("2.recipe", String(repeating: "A", count: 2000))
    let limits = LibraryLimits(maximumDataByteCount: 1000, maximumAttachmentByteCount: 1000)
    let findings = try findings(room.library(limits: limits))
    #expect(findings.map(\.code) == ["limitReached", "limitReached"])
    let paths: [StoragePath] = ["1.recipe" / "photo.jpg", "2.recipe" / "Data.plist"]
    #expect(findings.map(\.path) == paths.map { room.storage.url(of: $0).path })
  }

  @Test("finds folders and links in the place of files", arguments: Place.allCases)
  func noFiles(_ place: Place) throws {
    for (file, isLink, code) in [
      ("Data.plist", true, "notADocument"), ("Data.plist", false, "cannotRead"), ("photo.jpg", true, "notADocument"),
      ("photo.jpg", false, "cannotRead"),
    ] {
      let room = try place.room()
      let path = "1.recipe" / StorageName(file)
      if file == "Data.plist" { try room.storage.makeFolder("1.recipe") } else { try room.plant("1.recipe", "A") }
      if isLink { try room.plantLink(path, to: "/etc/passwd") } else { try room.storage.makeFolder(path) }
      try expect(.error, code, number: 1, path, in: room.library())
    }
  }

  @Test("finds warnings of the model", arguments: Place.allCases)
  func warnings(_ place: Place) throws {
    let room = try place.room()
    try room.plant("4.recipe", "")
    try expect(.warning, "emptyName", number: 4, "4.recipe" / "Data.plist", in: room.library(1))
  }

  @Test("finds an older layout with its name", arguments: Place.allCases)
  func oldLayout(_ place: Place) throws {
    let room = try place.room()
    try room.plant("4.recipe", "A")
    let library = try DocumentLibrary<OldRecipe>(in: room.storage)
    try expect(.warning, "oldLayout", number: 4, "4.recipe" / "Data.plist", in: library)
    #expect(try findings(library)[0].detail.contains("carved in stone"))
  }

  @Test("finds unknown files", arguments: Place.allCases)
  func unknownFile(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library(1)
    try room.storage.plant("1.recipe" / "photo.jpeg", Data())
    try expect(.warning, "unknownFile", number: 1, "1.recipe" / "photo.jpeg", in: library)
  }

  @Test(
    "finds attachments that the caller rejects", arguments: Place.allCases)
  func attachments(_ place: Place) throws {
    struct Ugly: Error {}
    let room = try place.room()
    try room.plant("1.recipe", "A", photo: "ugly")
    try room.plant("2.recipe", "B", photo: "fine")
    try room.plant("3.recipe", "C", photo: "bad")
    let library = try room.library()
    var seen: [String] = []
    var findings: [LibraryFinding] = []
    try library.check(checkAttachment: { name, bytes, path in
      let text = String(decoding: bytes, as: UTF8.self)
      seen.append("\(path.split(separator: "/").last ?? "")/\(name) \(text)")
      if text == "ugly" { throw Ugly() }
      if text == "bad" { throw LibraryError(.notAnImage, "\(path)/\(name)", "it is bad") }
    }) {
      findings.append($0)
      return true
    }
    #expect(seen == ["1.recipe/photo.jpg ugly", "2.recipe/photo.jpg fine", "3.recipe/photo.jpg bad"])
    #expect(findings.map(\.code) == ["other", "notAnImage"])
    #expect(findings.map(\.number) == [1, 3] && findings.allSatisfy { $0.severity == .error })
    let paths: [StoragePath] = ["1.recipe" / "photo.jpg", "3.recipe" / "photo.jpg"]
    #expect(findings.map(\.path) == paths.map { room.storage.url(of: $0).path })
  }

  @Test("finds other documents after deleted and unreadable ones", arguments: Place.allCases)
  func goesAway(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library(1, 2, 3)
    let other = try room.library()
    var findings: [LibraryFinding] = []
    var count = 0
    try library.check(progress: {
      count += 1
      if count == 1 { try? other.document(2).delete() }
    }) {
      findings.append($0)
      return true
    }
    #expect(findings.map(\.code) == ["notFound"] && findings.map(\.number) == [2])
    #expect(findings.map(\.path) == [room.storage.url(of: "2.recipe").path])
    #expect(count == 3)
    // Every call on the way can fail.
    let faulty = FaultyStorage(room.storage)
    let faultyLibrary = try DocumentLibrary<Recipe>(in: faulty)
    faulty.set()
    #expect(try self.findings(faultyLibrary) == [])
    let steps = faulty.steps
    var thrown = 0
    for (number, step) in steps.enumerated() {
      faulty.set(.fails(at: number, .noPermission))
      do {
        let codes = try self.findings(faultyLibrary).map(\.code)
        #expect(codes == (step.call == .close ? [] : ["noPermission"]), "step \(number), \(step.call)")
      } catch {
        #expect((error as? LibraryError)?.code == .noPermission)
        thrown += 1
      }
      #expect(faulty.openCount == 0)
    }
    // Only errors of the library's own folders end the check.
    #expect(thrown > 0 && thrown <= 3)
  }

  @Test("reports progress after each document, and stops on request", arguments: Place.allCases)
  func ends(_ place: Place) throws {
    let room = try place.room()
    for number in 1...4 { try room.plant(StorageName("\(number).recipe"), "") }
    try room.storage.plant("9.recipe", Data())
    let library = try room.library()
    func run(_ most: Int) throws -> (findings: Int, progress: Int) {
      var (findings, progress) = (0, 0)
      try library.check(progress: { progress += 1 }) { _ in
        findings += 1
        return findings < most
      }
      return (findings, progress)
    }
    #expect(try run(1) == (1, 0))
    #expect(try run(2) == (2, 0))
    #expect(try run(4) == (4, 2))
    #expect(try run(100) == (5, 4))
  }

  @Test("changes nothing", arguments: Place.allCases)
  func changesNothing(_ place: Place) throws {
    let room = try place.room()
    try room.plant("1.recipe", "A", photo: "p")
    try room.plant("2.recipe", data: Data())
    try room.plant("3.RECIPE", "")
    try room.plant("08.recipe", "")
    try room.plantLink("4.recipe", to: "1.recipe")
    try room.storage.plant("5.recipe", Data())
    try room.storage.plant("1.recipe" / "unknown", Data("u".utf8))
    let library = try room.library()
    try library.addDocument(Recipe("B"))
    try room.storage.makeFolder(".work" / "new-x")
    let before = try room.storage.inventory()
    #expect(try findings(library).count == 7)
    #expect(try room.storage.inventory() == before)
  }
}
