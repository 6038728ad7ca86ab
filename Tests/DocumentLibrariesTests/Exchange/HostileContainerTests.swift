// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import KeyedArchiving
import TestSupport
import Testing
import ZipContainers

@Suite("Hostile containers")
struct HostileContainerTests {
  typealias Entry = HandmadeZip.Entry

  /// The content of a valid document of these tests.
  private func sound() throws -> [String: Data] { ["Data.plist": try Recipe.file("New")] }

  /// Imports a valid document 5 together with these entries, with and without its number, and expects that only the
  /// document is restored.
  /// - Returns: The error codes by rejected name.
  private func codes(beside entries: [Entry], sourceLocation: SourceLocation = #_sourceLocation) throws -> [String:
    String]
  {
    var codes: [[String: String]] = []
    for keepingNumbers in [true, false] {
      let cage = try Cage()
      var file = HandmadeZip(try HandmadeDocument.data("5.recipe"))
      // Before the document and after it.
      file.entries.insert(contentsOf: entries.prefix(entries.count / 2), at: 0)
      file.entries += entries.dropFirst(entries.count / 2)
      let report = try cage.library.importBackup(BackupSource(file.data), keepingNumbers: keepingNumbers)
      #expect(report.documents.map(\.source) == ["5.recipe"], sourceLocation: sourceLocation)
      #expect(report.others.isEmpty && report.omitted.isEmpty, sourceLocation: sourceLocation)
      let name = keepingNumbers ? "5.recipe" : "2.recipe"
      #expect(try cage.added() == [name: sound()], sourceLocation: sourceLocation)
      codes.append(report.codes)
    }
    #expect(codes[0] == codes[1], sourceLocation: sourceLocation)
    return codes[0]
  }

  /// Imports a container that must be rejected completely.
  private func expectRefused(_ file: HandmadeZip, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let cage = try Cage()
    let error = #expect(throws: LibraryError.self, sourceLocation: sourceLocation) {
      try cage.library.importBackup(BackupSource(file.data))
    }
    #expect(error?.code == .badContainer, sourceLocation: sourceLocation)
    #expect(error?.underlying is ZipError, sourceLocation: sourceLocation)
    #expect(try cage.added() == [:], sourceLocation: sourceLocation)
    #expect(throws: LibraryError.self, sourceLocation: sourceLocation) {
      try DocumentLibrary<Recipe>.checkBackup(BackupSource(file.data))
    }
  }

  static let unsafeNames = [
    // Out of the folder, and back into it.
    "../evil", "../../evil", "../../../evil", "../6.recipe/Data.plist", "6.recipe/../../evil", "6.recipe/../evil",
    "6.recipe/..", "6.recipe/.", "..", ".", "./6.recipe/Data.plist", "6.recipe//Data.plist", "//6.recipe/Data.plist",
    "/tmp/evil", "/6.recipe/Data.plist",
    // Names of other systems.
    "..\\evil", "6.recipe\\Data.plist", "6.recipe/..\\..\\evil", "C:/evil", "c:evil", "\\\\server\\evil",
    // Bytes that end a name in some programs.
    "6.recipe/\0", "6.recipe/Data.plist\0.txt", "\0", "6.recipe\0/Data.plist",
    // The library's own folders.
    ".work/evil", ".work/replaced-9.recipe/Data.plist", ".work", ".WORK/evil", ".trash",
  ]

  @Test("restore nothing for a name that leads out of the library or into its work folder", arguments: unsafeNames)
  func names(_ name: String) throws {
    #expect(try codes(beside: [Entry(name, Array(sound()["Data.plist"] ?? Data()))]) == [name: "badContainer"])
  }

  /// Names that are not those of documents, and in most cases look like ones.
  static let namesOfOthers = [
    "~/evil", "%2e%2e/evil", ".trash/evil", ".recipe/Data.plist", "evil", "6.recipe", "recipe/Data.plist",
    "x.recipe/Data.plist", "6/Data.plist", "6.recipes/Data.plist", "6.recipe.recipe/Data.plist", "6 .recipe/Data.plist",
    " 6.recipe/Data.plist",
    // Numbers that are not canonical or too large.
    "006.recipe/Data.plist", "+6.recipe/Data.plist", "-6.recipe/Data.plist", "6e0.recipe/Data.plist",
    "0x6.recipe/Data.plist", "٦.recipe/Data.plist", "６.recipe/Data.plist", "9223372036854775808.recipe/Data.plist",
    "18446744073709551622.recipe/Data.plist", "99999999999999999999999999999999.recipe/Data.plist",
  ]

  @Test("have no document in an entry with another name", arguments: namesOfOthers)
  func others(_ name: String) throws {
    let file = HandmadeZip(try HandmadeDocument.data("5.recipe"), Entry(name, [1]))
    let unit = name.split(separator: "/").prefix(name.utf8.starts(with: ".trash/".utf8) ? 2 : 1).joined(separator: "/")
    for keepingNumbers in [true, false] {
      let cage = try Cage()
      let report = try cage.library.importBackup(BackupSource(file.data), keepingNumbers: keepingNumbers)
      #expect(report.documents.map(\.source) == ["5.recipe"] && report.refused.isEmpty)
      #expect(report.others == (keepingNumbers ? [unit] : []) && report.omitted == (keepingNumbers ? [] : [unit]))
      #expect(try cage.library.contents().numbers == (keepingNumbers ? [1, 5] : [1, 2]))
      let number = keepingNumbers ? "5.recipe" : "2.recipe"
      #expect(try cage.added(besides: keepingNumbers ? unit : nil) == [number: sound()])
    }
  }

  @Test("import nothing for an absolute path")
  func absolute() throws {
    let cage = try Cage()
    let name = cage.room.folder.path + "/evil"
    let file = HandmadeZip(try HandmadeDocument.data("5.recipe"), Entry(name, [1])).data
    #expect(try cage.library.importBackup(BackupSource(file)).codes == [name: "badContainer"])
    #expect(try cage.added() == ["2.recipe": sound()])
  }

  @Test("create no folders for folder entries with unsafe names")
  func folders() throws {
    let names = ["../evil/", "/tmp/evil/", ".work/", "a/../../../evil/"]
    let expected = Dictionary(uniqueKeysWithValues: names.map { ($0, "badContainer") })
    #expect(try codes(beside: names.map { Entry($0) }) == expected)
  }

  @Test("reject the document or the container for too long a name")
  func longNames() throws {
    let long = Entry("6.recipe/" + String(repeating: "n", count: 300), [1])
    #expect(try codes(beside: [try HandmadeDocument.data("6.recipe"), long]) == ["6.recipe": "cannotCreate"])
    let file = HandmadeZip(
      try HandmadeDocument.data("5.recipe"), Entry("6.recipe/" + String(repeating: "n", count: 1016), [1]))
    try expectRefused(file)
  }

  @Test(
    "reject a document with an entry that is not a file",
    arguments: [0o120777, 0o010644, 0o020644, 0o060644, 0o140644, 0o040755] as [UInt32])
  func kinds(_ mode: UInt32) throws {
    for (name, target) in [("photo.jpg", "../../../secret"), ("photo.jpg", "/etc/passwd"), ("Data.plist", "x")] {
      var link = Entry("6.recipe/\(name)", Array(target.utf8))
      link.attributes = mode << 16
      let other = try name == "Data.plist" ? Entry("6.recipe/photo.jpg", [1]) : HandmadeDocument.data("6.recipe")
      for entries in [[link, other], [other, link]] {
        #expect(try codes(beside: entries) == ["6.recipe": "badContainer"])
      }
    }
  }

  @Test("import a document without entries that lead out of it")
  func entriesOutOfDocuments() throws {
    for name in ["5.recipe/../evil", "5.recipe/../../evil", "5.recipe//x", "5.recipe/a\\b"] {
      #expect(try codes(beside: [Entry(name, [1])]) == [name: "badContainer"])
    }
  }

  @Test("are rejected for a link in the place of a document's folder")
  func linkedFolder() throws {
    var link = Entry("6.recipe", Array("../..".utf8))
    link.attributes = 0o120777 << 16
    try expectRefused(HandmadeZip(link, try HandmadeDocument.data("6.recipe")))
    // Alone, it is rejected as a link.
    #expect(try codes(beside: [link]) == ["6.recipe": "badContainer"])
  }

  @Test("are rejected for duplicate names in any Unicode form")
  func duplicates() throws {
    let data = try HandmadeDocument.data("6.recipe")
    try expectRefused(HandmadeZip(data, data))
    try expectRefused(HandmadeZip(data, Entry("6.recipe/\u{E9}", [1]), Entry("6.recipe/e\u{301}", [2])))
    try expectRefused(HandmadeZip(data, Entry("6.recipe/Data.plist/x", [1])))
    try expectRefused(HandmadeZip(Entry("6.recipe", [1]), data))
  }

  @Test("have the document in the folder in lower case of two with one number")
  func foldersByCase() throws {
    let entries = [try HandmadeDocument.data("6.recipe"), try HandmadeDocument.data("6.RECIPE", "Other")]
    for entries in [entries, entries.reversed()] {
      let report = try Cage().library.importBackup(BackupSource(HandmadeZip(entries[0], entries[1]).data))
      #expect(report.documents.map(\.source) == ["6.recipe"] && report.omitted == ["6.RECIPE"])
    }
  }

  @Test("import both of two files whose names differ in case, or none")
  func filesByCase() throws {
    let cage = try Cage()
    let file = HandmadeZip(
      try HandmadeDocument.data("6.recipe"), Entry("6.recipe/photo.jpg", [1]), Entry("6.recipe/PHOTO.JPG", [2]))
    let report = try cage.library.importBackup(BackupSource(file.data))
    let whole = try sound().merging(["photo.jpg": Data([1]), "PHOTO.JPG": Data([2])]) { $1 }
    let added = try #require(try cage.added())
    #expect(added == (report.refused.isEmpty ? ["2.recipe": whole] : [:]))
  }

  @Test("are rejected for overlapping entries")
  func overlap() throws {
    var second = Entry("6.recipe/photo.jpg", Array(try Recipe.file("New")))
    second.isOnlyListed = true
    second.offset = 0
    try expectRefused(HandmadeZip(try HandmadeDocument.data("6.recipe"), second))
    // If only reading reveals the overlap, the documents are rejected: the first extra field covers the second entry.
    let data = [try HandmadeDocument.data("5.recipe"), try HandmadeDocument.data("6.recipe")]
    var wide = Entry("6.recipe/photo.jpg")
    wide.localExtra = [0x99, 0x99] + HandmadeZip.two(100) + [UInt8](repeating: 0, count: 100)
    var hidden = try HandmadeDocument.data("7.recipe")
    hidden.isOnlyListed = true
    hidden.stored = []
    hidden.offset = UInt32(data.reduce(60) { $0 + 30 + $1.name.count + $1.stored.count })
    var file = HandmadeZip()
    file.entries = data + [wide, hidden]
    let cage = try Cage()
    #expect(
      try cage.library.importBackup(BackupSource(file.data)).codes
        == ["6.recipe": "badContainer", "7.recipe": "badContainer"])
    #expect(try cage.added() == ["2.recipe": sound()])
  }

  @Test("are rejected for bombs before anything is inflated")
  func bombs() throws {
    var claim = Entry("6.recipe/photo.jpg", deflated: [3, 0], content: [])
    for count in [0xFFFF_FFF0, 1 << 28 + 1, 3000] as [UInt32] {
      claim.byteCount = count
      try expectRefused(HandmadeZip(try HandmadeDocument.data("6.recipe"), claim))
    }
    // Each of these is possible, but not all together.
    let blocks = [UInt8](repeating: 0, count: 3000)
    let bombs = (0..<10).map { number in
      var entry = Entry("6.recipe/\(number)", deflated: blocks, content: [])
      entry.byteCount = 3_000_000
      return entry
    }
    var file = HandmadeZip(try HandmadeDocument.data("6.recipe"))
    file.entries += bombs
    try expectRefused(file)
    // Half as much is read, and then rejected.
    #expect(try codes(beside: [try HandmadeDocument.data("6.recipe"), bombs[0]]) == ["6.recipe": "badContainer"])
  }

  @Test("reject a document whose file differs from its record")
  func damagedFiles() throws {
    let blocks = ReferenceZlib.storedBlock([1, 2, 3])
    func check(_ comment: Comment, _ change: (inout Entry) -> Void) throws {
      for name in ["photo.jpg", "Data.plist", "unknown"] {
        var entry = Entry("6.recipe/\(name)", deflated: blocks, content: [1, 2, 3])
        change(&entry)
        let other = try name == "Data.plist" ? Entry("6.recipe/photo.jpg", [1]) : HandmadeDocument.data("6.recipe")
        #expect(try codes(beside: [other, entry]) == ["6.recipe": "badContainer"], comment)
      }
    }
    try check("another checksum") { $0.crc = 1 }
    try check("more bytes than announced") { $0.byteCount = 2 }
    try check("fewer bytes than announced") { $0.byteCount = 4 }
    try check("compressed data cut off") { $0.stored.removeLast() }
    try check("something behind the compressed data") { $0.stored.append(0) }
    try check("a block of no kind") { $0.stored = [7, 0, 0] }
    try check("encrypted") { $0.flags = 1 }
    try check("strongly encrypted") { $0.flags = 0x41 }
    try check("encrypted as the other header has it") { $0.localFlags = 1 }
    try check("deflate64") { $0.method = 9 }
    try check("bzip2") { $0.method = 12 }
    try check("AES") { $0.method = 99 }
    try check("no method at all") { $0.method = 0xFFFF }
    try check("another method in its own header") { $0.localMethod = 0 }
    try check("another size in its own header") { $0.localSizes = (ReferenceZlib.crc([1, 2, 3]), 8, 4) }
    try check("no descriptor where one is promised") { $0.flags = 8 }
    try check("a descriptor that says something else") {
      $0.flags = 8
      $0.descriptor = HandmadeZip.four(1, 8, 3)
    }
  }

  @Test("reject the documents of both names of an inconsistent entry")
  func otherNames() throws {
    for (name, localName) in [
      ("7.recipe/photo.jpg", "6.recipe/photo.jpg"), ("photo.jpg", "6.recipe/photo.jpg"),
      ("6.recipe/photo.jpg", "photo.jpg"), ("x.recipe/photo.jpg", "6.recipe/photo.jpg"),
      ("6.recipe/folder/", "6.recipe/photo.jpg"), ("__MACOSX/x", "6.recipe/photo.jpg"),
      ("6.recipe/a/b", "6.recipe/photo.jpg"), ("6.RECIPE/photo.jpg", "6.recipe/photo.jpg"),
    ] {
      var entry = Entry(name, [1])
      entry.localName = Array(localName.utf8)
      // A free position for either name.
      entry.localExtra = [0x99, 0x99] + HandmadeZip.two(16) + [UInt8](repeating: 0, count: 16)
      let codes = try codes(beside: [try HandmadeDocument.data("6.recipe"), entry])
      #expect(codes["6.recipe"] == "badContainer", "\(name), \(localName)")
    }
  }

  @Test("reject the document or the container for false Zip64 fields")
  func zip64() throws {
    func field(_ values: UInt64...) -> [UInt8] {
      HandmadeZip.two(1, UInt16(8 * values.count)) + values.flatMap { HandmadeZip.eight($0) }
    }
    var entry = Entry("6.recipe/photo.jpg", [1, 2, 3])
    entry.byteCount = 0xFFFF_FFFF
    entry.compressedByteCount = 0xFFFF_FFFF
    entry.localExtra = field(3, 3)
    for extra in [
      [], field(3), field(.max, .max), field(3, .max), field(.max, 3), field(1 << 63, 3), field(3, 1 << 32),
      field(3, 3) + field(3, 3), HandmadeZip.two(1, 99) + [0],
    ] {
      entry.extra = extra
      try expectRefused(HandmadeZip(try HandmadeDocument.data("6.recipe"), entry))
    }
    entry.extra = field(3, 3)
    for extra in [[], field(3, 4), field(.max, .max), HandmadeZip.two(1, 99) + [0]] {
      entry.localExtra = extra
      #expect(try codes(beside: [try HandmadeDocument.data("6.recipe"), entry]) == ["6.recipe": "badContainer"])
    }
    // The Zip64 field can also hold the offset.
    entry = Entry("6.recipe/photo.jpg", [1, 2, 3])
    entry.offset = 0xFFFF_FFFF
    for extra in [[], field(.max), field(1 << 63), field(1 << 31)] {
      entry.extra = extra
      try expectRefused(HandmadeZip(try HandmadeDocument.data("6.recipe"), entry))
    }
    var file = HandmadeZip(try HandmadeDocument.data("6.recipe"))
    for records in [(Int.max, 0, 0), (1, Int.max, 0), (1, 0, Int.max), (1, Int.max, Int.max), (65_536, 70, 70)] {
      file.entryCount = 0xFFFF
      file.directoryOffset = 0xFFFF_FFFF
      file.zip64 = {
        HandmadeZip.zip64(count: records.0, byteCount: records.1, offset: records.2, at: $1 + $2)
      }
      try expectRefused(file)
    }
  }

  @Test("are rejected if they are not ZIP files")
  func noContainer() throws {
    let cage = try Cage()
    let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    for data in [Data(), Data("PK".utf8), Data(count: 22), png, try Recipe.file("A"), Data(count: 70_000)] {
      let error = #expect(throws: LibraryError.self) { try cage.library.importBackup(BackupSource(data)) }
      #expect(error?.code == .badContainer && error?.remedy != nil)
    }
    #expect(try cage.added() == [:])
  }
}
