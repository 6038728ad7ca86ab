// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import DocumentLibraries
import HarnessSupport

/// Changes one document in several processes. No change may be lost.
enum Edits {
  /// The way in which a process changes the counter.
  enum Way: String, CaseIterable {
    /// With `edit`.
    case edit
    /// With `edit`, while one process of four replaces both attachments.
    case editWithImages
    /// Reads, changes and saves, and retries if another process saved first.
    case save
    /// Reads, changes and saves with both attachments, and retries.
    case saveWithImages

    var title: String {
      switch self {
      case .edit: "edit"
      case .editWithImages: "edit, while two replace the attachments"
      case .save: "read, set and save, retry on conflict"
      case .saveWithImages: "the same with both attachments at once"
      }
    }
  }

  static func run(_ arguments: inout Arguments) throws {
    let processes = max(1, try arguments.number("processes", 8))
    let edits = try arguments.number("edits", 500)
    let place = arguments.folder()
    try arguments.finish()
    try place.use { folder in
      for way in Way.allCases {
        let start = ContinuousClock.now
        let folder = folder.appending(path: way.rawValue)
        try DocumentLibrary<Note>(at: folder).addDocument(Note(0), attachments: Note.attachments(0))
        let children = try (0..<processes).map { index in
          try Child([
            "edits-worker", folder.path, "--way", "\(Way.allCases.firstIndex(of: way) ?? 0)", "--edits", "\(edits)",
            "--index", "\(index)",
          ])
        }
        // A reader never finds an existing file missing, and never sees a partial change.
        let readers = try (0..<2).map { _ in try Child(["edits-reader", folder.path]) }
        var again = 0
        for child in children {
          var last = ""
          while let line = try child.line(timeout: 300) {
            again += Int(line) ?? 0
            last = line
          }
          let end = child.end()
          guard end == 0 else { throw Breach("\(way): a process ended with \(end): \(last)") }
        }
        var looks = 0
        for reader in readers {
          reader.kill()
          var last = ""
          while let line = try reader.line() {
            looks += line == "whole" ? EditsReader.looksPerLine : 0
            last = line
          }
          let end = reader.end()
          guard end == -9 else { throw Breach("\(way): a reader ended with \(end): \(last)") }
        }
        try check(folder, way, processes * edits)
        let time = (ContinuousClock.now - start) / .seconds(1)
        let conflicts = again == 0 ? "" : ", \(again) conflicts seen"
        print(
          "\(way.title): the counter is \(processes * edits)\(conflicts), at least \(looks) looks meanwhile; \(Int(time.rounded())) s"
        )
      }
      print("\(processes) processes with \(edits) edits each, no update lost")
    }
  }

  private static func check(_ folder: URL, _ way: Way, _ count: Int) throws {
    let found = try Kills.look(at: folder)
    guard found.notes.count == 1, let note = found.notes[1] else { throw Breach("\(way): \(found.notes)") }
    guard note.data == Int64(count) else { throw Breach("\(way): the counter is \(note.data) instead of \(count)") }
    guard note.thumb == note.full else { throw Breach("\(way): the attachments are of different saves: \(note)") }
    guard way != .saveWithImages || note.thumb == note.data else { throw Breach("\(way): a mix: \(note)") }
  }
}

/// Changes document 1.
enum EditsWorker {
  static func run(_ arguments: inout Arguments) throws {
    let folder = URL(filePath: try arguments.operand(), directoryHint: .isDirectory)
    let way = Edits.Way.allCases[min(try arguments.number("way", 0), Edits.Way.allCases.count - 1)]
    let edits = try arguments.number("edits", 500)
    let index = try arguments.number("index", 0)
    try arguments.finish()
    let library = try DocumentLibrary<Note>(at: folder)
    let document = try library.document(1)
    var again = 0
    for edit in 0..<edits {
      switch way {
      case .edit, .editWithImages:
        try document.edit { $0 = Note($0.counter + 1) }
        guard way == .editWithImages, index < 2 else { continue }
        let counter = Int64((index + 1) * 1_000_000 + edit)
        for (name, bytes) in Note.attachments(counter) { try document.setAttachment(name, to: bytes) }
        try document.save()
      case .save, .saveWithImages:
        while true {
          guard let counter = try document.data?.counter else { throw Breach("no values") }
          try document.setData(Note(counter + 1))
          if way == .saveWithImages {
            for (name, bytes) in Note.attachments(counter + 1) { try document.setAttachment(name, to: bytes) }
          }
          do {
            try document.save()
            break
          } catch let error as LibraryError where error.code == .changedElsewhere {
            again += 1
            document.revert()
          }
        }
      }
    }
    System.say("\(again)")
  }
}

/// Reads document 1 until it is killed.
enum EditsReader {
  static let looksPerLine = 250

  static func run(_ arguments: inout Arguments) throws {
    let folder = URL(filePath: try arguments.operand(), directoryHint: .isDirectory)
    try arguments.finish()
    let library = try DocumentLibrary<Note>(at: folder)
    for look in 1... {
      let state = try NoteState(of: try library.document(1))
      guard state.thumb != nil, state.full != nil else {
        throw Breach("a reader does not see the attachments: \(state)")
      }
      // Rarely, because a full pipe would stop the reader: its output is read only at the end.
      if look % looksPerLine == 0 { System.say("whole") }
    }
  }
}
