// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import DocumentLibraries
import HarnessSupport

/// Works on a full disk and on an almost full one. The disk is a small file system:
///
///     mount -t tmpfs -o size=2m none DIR            # few bytes
///     mount -t tmpfs -o nr_inodes=200 none DIR      # few files
struct FullDisk {
  private let disk: DiskStorage
  private let folder: URL
  private var library: DocumentLibrary<Note>
  private var shelf = Shelf()
  private var counter: Int64 = 0
  private var fillers = 0
  private var failures = 0
  private var successes = 0
  private var leftovers = 0
  private var failedCalls: [String: Int] = [:]

  static func run(_ arguments: inout Arguments) throws {
    let place = URL(filePath: try arguments.operand(), directoryHint: .isDirectory)
    try arguments.finish()
    let names = try FileManager.default.contentsOfDirectory(atPath: place.path)
    guard names.isEmpty else { throw Breach("\(place.path) is not empty, and all of it is going to be filled") }
    let folder = place.appending(path: "library")
    var test = FullDisk(
      disk: DiskStorage(place), folder: folder, library: try DocumentLibrary(at: folder))
    try test.fillWithDocuments()
    try test.workWithLittleRoom()
    let calls = test.failedCalls.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    print("failed: \(calls)")
    print(
      "\(test.failures) times full, \(test.successes) operations with just enough room, \(test.leftovers) leftovers "
        + "swept, 0 breaches")
    try FileManager.default.removeItem(at: folder)
    try test.makeRoom(.max)
  }

  private init(disk: DiskStorage, folder: URL, library: DocumentLibrary<Note>) {
    self.disk = disk
    self.folder = folder
    self.library = library
  }

  /// Adds documents until the disk is full, deletes one and adds another.
  private mutating func fillWithDocuments() throws {
    for _ in 0..<20 {
      while true {
        counter += 1
        if try !attempt(.create(counter, hasImages: true)) { break }
        guard shelf.notes.count < 100_000 else { throw Breach("the disk is not small") }
      }
      // Documents differ in size, so small ones can fit after a large one.
      guard let victim = shelf.notes.max(by: { size($0.value) < size($1.value) }) else {
        throw Breach("there is no room for a single document")
      }
      guard try attempt(.delete(victim.key)) else { throw Breach("deleting on a full disk failed") }
      guard try attempt(.create(victim.value.data, hasImages: true)) else {
        throw Breach("saving on a disk with room again failed")
      }
    }
    print("\(shelf.notes.count) documents fill the disk; after deleting one, saving works again")
    for number in shelf.notes.keys.sorted().dropFirst(3) {
      guard try attempt(.delete(number)) else { throw Breach("deleting on a full disk failed") }
    }
  }

  private func size(_ note: NoteState) -> Int {
    Note.attachments(note.data).values.reduce(0) { $0 + $1.count }
  }

  /// Performs each operation with space for 0 files, 1 file, 2 files and so on, so that each of its calls fails once.
  private mutating func workWithLittleRoom() throws {
    for room in 0...40 {
      for kind in 0..<9 {
        try fill()
        try makeRoom(room)
        counter += 1
        guard let number = shelf.notes.keys.min() else { throw Breach("no document is left") }
        switch kind {
        case 0:
          if try attempt(.create(counter, hasImages: true)), let last = shelf.notes.keys.max() {
            guard try attempt(.delete(last)) else { throw Breach("deleting on a full disk failed") }
          }
        case 1: _ = try attempt(.edit(number, counter))
        case 2: _ = try attempt(.images(number, counter))
        case 3: _ = try attempt(.everything(number, counter))
        case 4: _ = try attempt(.thumb(number, counter))
        case 5: _ = try attempt(.removeImages(number))
        case 6: _ = try attempt(.everything(number, counter))
        case 7:
          // A document that was saved only once has nothing to undo.
          if shelf.former[number] != nil { _ = try attempt(.undo(number)) }
        default:
          guard shelf.notes.count > 1, try attempt(.trash(number)), let name = shelf.trash.keys.first else { continue }
          guard try attempt(.restore(name)) else { throw Breach("restoring on a full disk failed") }
        }
      }
    }
  }

  /// Performs an operation that may fail only because of a full disk, and checks that it happened completely or not at
  /// all.
  private mutating func attempt(_ operation: Operation) throws -> Bool {
    let (after, _) = try shelf.after(operation)
    var failure: (any Error)?
    do {
      try perform(operation)
    } catch {
      failure = error
    }
    if let failure {
      guard let error = failure as? LibraryError, error.code == .diskFull else {
        throw Breach("\(operation.line): \(failure)")
      }
      failedCalls[(error.underlying as? StorageError)?.call.rawValue ?? "?", default: 0] += 1
      failures += 1
    } else {
      successes += 1
      shelf = after
    }
    leftovers += (try? Kills.leftovers(of: folder).count) ?? 0
    let found = try Kills.look(at: folder)
    guard found == shelf else {
      throw Breach("\(operation.line), \(failure.map { "\($0)" } ?? "done"): \(found.differences(from: shelf))")
    }
    return failure == nil
  }

  private func perform(_ operation: Operation) throws {
    switch operation {
    case .create(let counter, _): try library.addDocument(Note(counter), attachments: Note.attachments(counter))
    case .edit(let number, let counter): try document(number).edit { $0 = Note(counter) }
    case .images(let number, let counter):
      let document = try document(number)
      for (name, bytes) in Note.attachments(counter) { try document.setAttachment(name, to: bytes) }
      try document.save()
    case .everything(let number, let counter):
      let document = try document(number)
      try document.setData(Note(counter))
      for (name, bytes) in Note.attachments(counter) { try document.setAttachment(name, to: bytes) }
      try document.save()
    case .thumb(let number, let counter):
      let document = try document(number)
      try document.setAttachment(Note.thumb, to: Note.bytes(counter, Note.thumb))
      try document.save()
    case .removeImages(let number):
      let document = try document(number)
      for name in Note.attachmentNames { try document.setAttachment(name, to: nil) }
      try document.save()
    case .delete(let number): try document(number).delete()
    case .trash(let number): try document(number).moveToTrash()
    case .restore(let name): try library.restore(name)
    case .empty(let name): try library.deleteFromTrash(name)
    case .undo(let number): try library.undoLastSave(of: DocumentNumber(integerLiteral: number))
    case .migrate, .backUp, .update, .importing, .importDamaged, .repair: throw Breach("no operation of this test")
    }
  }

  private func document(_ number: Int) throws -> Document<Note> {
    try library.document(DocumentNumber(integerLiteral: number))
  }

  /// Fills the disk with files of 4 kB.
  private mutating func fill() throws {
    let block = Data(repeating: 1, count: 4096)
    while true {
      do throws(StorageError) {
        let file = try disk.create(filler(fillers))
        fillers += 1
        defer { try? disk.close(file) }
        _ = try disk.write(block, to: file)
      } catch {
        guard error.reason == .noSpace else { throw error }
        return
      }
      guard fillers < 100_000 else { throw Breach("the disk is not small") }
    }
  }

  private mutating func makeRoom(_ count: Int) throws {
    for _ in 0..<min(count, fillers) {
      fillers -= 1
      try disk.removeFile(filler(fillers))
    }
  }

  private func filler(_ index: Int) -> StoragePath { .root / StorageName("filler-\(index)") }
}
