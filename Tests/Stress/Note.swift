// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import DocumentLibraries
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import HarnessSupport

/// The documents of the stress tests. A counter determines the title and the attachments, so a mix of two saves is
/// detected.
struct Note: DocumentModel {
  static var archiveClassName: String { "Note" }
  static var folderExtension: String { "note" }
  static var attachmentNames: [String] { [thumb, full] }
  static let thumb = "thumb.bin"
  static let full = "full.bin"

  static var formerKeys: [String: String] { ["Number": "Counter"] }

  var title: String
  var counter: Int64
  /// Whether it is archived as older versions did.
  private var isOld: Bool

  init(_ counter: Int64) {
    self.counter = counter
    title = Self.title(counter)
    isOld = Self.isOld(counter)
  }

  /// Some saves use an old layout, which can be migrated.
  static func isOld(_ counter: Int64) -> Bool { counter % 3 == 0 }

  func encode(with coder: KeyedArchiver) {
    coder.encode(title, forKey: "Title")
    coder.encode(counter, forKey: isOld ? "Number" : "Counter")
  }

  init?(coder: KeyedUnarchiver) {
    guard let title = coder.decodeObject(of: String.self, forKey: "Title") else { return nil }
    self.title = title
    counter = coder.decodeInt64(forKey: coder.containsValue(forKey: "Number") ? "Number" : "Counter")
    isOld = false
  }

  static func stored(in data: Data, limits: ReadLimits) throws -> StoredModel<Note> {
    guard let note = try KeyedUnarchiver.unarchivedObject(ofClass: Note.self, from: data, limits: limits) else {
      throw Breach("the archive holds nil")
    }
    let isOld = try KeyedArchive(data, limits: limits).root.keys.contains("Number")
    return StoredModel(note, layout: isOld ? "old" : "current", isCurrent: !isOld)
  }

  /// A data file that no program can read.
  static func damagedData(_ counter: Int64) -> Data { Data("damaged \(counter)".utf8) }

  /// The counter of the damaged data file in a note's folder; nil if the file is not damaged.
  static func damage(in folder: URL) -> Int64? {
    (try? Data(contentsOf: folder.appending(path: dataFileName))).flatMap(counter(ofDamaged:))
  }

  /// The counter of a whole file of ``damagedData(_:)``; nil for any other file.
  static func counter(ofDamaged bytes: Data) -> Int64? {
    guard let text = String(data: bytes, encoding: .utf8), let word = text.split(separator: " ").last,
      let counter = Int64(word), bytes == damagedData(counter)
    else { return nil }
    return counter
  }

  static func title(_ counter: Int64) -> String {
    "Note \(counter) " + String(repeating: "x", count: Int(counter.magnitude % 97))
  }

  /// Both attachments for a counter.
  static func attachments(_ counter: Int64) -> [String: Data] {
    [thumb: bytes(counter, thumb), full: bytes(counter, full)]
  }

  /// The content of an attachment: the counter and a pattern of up to 64 kB.
  static func bytes(_ counter: Int64, _ name: String) -> Data {
    var random = SeededRandom(seed: UInt64(bitPattern: counter) &* 2 &+ (name == thumb ? 1 : 0))
    // Most are small, so that a round takes little time.
    let most = random.next() % 8 == 0 ? 1 << 16 : 1 << 12
    let count = 8 + Int(random.next() % UInt64(most - 7))
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 8)
    var word = UInt64(bitPattern: counter)
    while bytes.count < count {
      for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: word >> shift)) }
      word = random.next()
    }
    bytes.removeLast(bytes.count - count)
    return Data(bytes)
  }

  /// The counter that an attachment belongs to.
  static func counter(of bytes: Data, _ name: String, in place: String) throws -> Int64 {
    guard bytes.count >= 8 else { throw Breach("\(place): \(name) has \(bytes.count) bytes") }
    let counter = Int64(bitPattern: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    guard bytes == Self.bytes(counter, name) else { throw Breach("\(place): \(name) of save \(counter) is not whole") }
    return counter
  }
}

/// The saves that the parts of a document belong to.
struct NoteState: Hashable, CustomStringConvertible {
  var data: Int64
  var thumb: Int64?
  var full: Int64?
  /// Whether the data file is in the older layout.
  var isOld: Bool
  /// Whether the data file is damaged.
  var isDamaged = false

  /// Reads the parts of a document, each of which must be complete.
  init(of document: Document<Note>) throws {
    let place = document.docPath?.path ?? "?"
    if let counter = document.docPath.flatMap(Note.damage) {
      data = counter
      isOld = false
      isDamaged = true
    } else {
      guard let note = try document.data else { throw Breach("\(place): no values") }
      guard note.title == Note.title(note.counter) else {
        throw Breach("\(place): the title '\(note.title)' does not belong to \(note.counter)")
      }
      data = note.counter
      isOld = try document.stored?.isCurrent == false
    }
    thumb = try document.attachment(Note.thumb).map { try Note.counter(of: $0, Note.thumb, in: place) }
    full = try document.attachment(Note.full).map { try Note.counter(of: $0, Note.full, in: place) }
  }

  /// Creates parts. The default layout is that of the save.
  init(_ data: Int64, _ thumb: Int64?, _ full: Int64?, isOld: Bool? = nil, isDamaged: Bool = false) {
    self.data = data
    self.isDamaged = isDamaged
    self.isOld = isOld ?? Note.isOld(data)
    self.thumb = thumb
    self.full = full
  }

  var description: String {
    "(\(isDamaged ? "damaged " : "")\(isOld ? "old " : "")data \(data), thumb \(thumb.map { "\($0)" } ?? "none"), full \(full.map { "\($0)" } ?? "none"))"
  }
}
