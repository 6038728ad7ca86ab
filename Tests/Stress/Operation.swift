// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DocumentLibraries
import HarnessSupport

/// An operation of a worker on a library, as announced in a line.
enum Operation {
  case create(Int64, hasImages: Bool)
  case edit(Int, Int64)
  case images(Int, Int64)
  case thumb(Int, Int64)
  case removeImages(Int)
  case everything(Int, Int64)
  case delete(Int)
  case trash(Int)
  case restore(String)
  case empty(String)
  case migrate(Int)
  case undo(Int)
  case backUp(Int64)
  /// Sets the values of all notes together.
  case update(Int64)
  /// Imports a backup of one note, which is sound or has a damaged data file.
  case importing(Int64)
  case importDamaged(Int64)
  /// Restores the values of a damaged note from a backup.
  case repair(Int, Int64)

  var line: String {
    switch self {
    case .create(let counter, let hasImages): "create \(counter) \(hasImages ? 1 : 0)"
    case .edit(let number, let counter): "edit \(number) \(counter)"
    case .images(let number, let counter): "images \(number) \(counter)"
    case .thumb(let number, let counter): "thumb \(number) \(counter)"
    case .removeImages(let number): "removeImages \(number)"
    case .everything(let number, let counter): "everything \(number) \(counter)"
    case .delete(let number): "delete \(number)"
    case .trash(let number): "trash \(number)"
    case .restore(let name): "restore \(name)"
    case .empty(let name): "empty \(name)"
    case .migrate(let number): "migrate \(number)"
    case .undo(let number): "undo \(number)"
    case .backUp(let counter): "backUp \(counter)"
    case .update(let counter): "update \(counter)"
    case .importing(let counter): "import \(counter)"
    case .importDamaged(let counter): "importDamaged \(counter)"
    case .repair(let number, let counter): "repair \(number) \(counter)"
    }
  }

  init(line: Substring) throws {
    let words = line.split(separator: " ", maxSplits: 1).map(String.init)
    guard words.count == 2 else { throw Breach("not an operation: \(line)") }
    let rest = words[1].split(separator: " ").map(String.init)
    let first = Int(rest.first ?? "")
    let second = rest.count == 2 ? Int64(rest[1]) : nil
    switch (words[0], first, second) {
    case ("create", let counter?, let flag?): self = .create(Int64(counter), hasImages: flag == 1)
    case ("edit", let number?, let counter?): self = .edit(number, counter)
    case ("images", let number?, let counter?): self = .images(number, counter)
    case ("thumb", let number?, let counter?): self = .thumb(number, counter)
    case ("removeImages", let number?, nil): self = .removeImages(number)
    case ("everything", let number?, let counter?): self = .everything(number, counter)
    case ("delete", let number?, nil): self = .delete(number)
    case ("trash", let number?, nil): self = .trash(number)
    case ("restore", _, _): self = .restore(words[1])
    case ("empty", _, _): self = .empty(words[1])
    case ("migrate", let number?, nil): self = .migrate(number)
    case ("undo", let number?, nil): self = .undo(number)
    case ("backUp", let counter?, nil): self = .backUp(Int64(counter))
    case ("update", let counter?, nil): self = .update(Int64(counter))
    case ("import", let counter?, nil): self = .importing(Int64(counter))
    case ("importDamaged", let counter?, nil): self = .importDamaged(Int64(counter))
    case ("repair", let number?, let counter?): self = .repair(number, counter)
    default: throw Breach("not an operation: \(line)")
    }
  }

  var word: String { String(line.prefix { $0 != " " }) }
}

/// The expected content of a library.
struct Shelf: Equatable {
  var notes: [Int: NoteState] = [:]
  var trash: [String: NoteState] = [:]
  /// What an undo brings back, for notes that were saved twice. A look at the library does not know it.
  var former: [Int: NoteState] = [:]
  var trashFormer: [String: NoteState] = [:]

  static func == (a: Self, b: Self) -> Bool { a.notes == b.notes && a.trash == b.trash }

  /// Applies an operation, and returns the worker's acknowledgment.
  func after(_ operation: Operation) throws -> (Shelf, answer: String) {
    var new = self
    var answer = "-"
    func note(_ number: Int) throws -> NoteState {
      guard let note = notes[number] else { throw Breach("the worker saw a document \(number) that is not there") }
      return note
    }
    var next: Int { (notes.keys.max() ?? 0) + 1 }
    switch operation {
    case .create(let counter, let hasImages):
      new.notes[next] = NoteState(counter, hasImages ? counter : nil, hasImages ? counter : nil)
      answer = "\(next)"
    case .edit(let number, let counter):
      let old = try note(number)
      new.notes[number] = NoteState(counter, old.thumb, old.full)
    case .images(let number, let counter):
      let old = try note(number)
      new.notes[number] = NoteState(old.data, counter, counter, isOld: old.isOld)
    case .thumb(let number, let counter):
      new.notes[number] = try note(number)
      new.notes[number]?.thumb = counter
    case .removeImages(let number):
      let old = try note(number)
      new.notes[number] = NoteState(old.data, nil, nil, isOld: old.isOld)
    case .everything(let number, let counter):
      _ = try note(number)
      new.notes[number] = NoteState(counter, counter, counter)
    case .delete(let number):
      _ = try note(number)
      new.notes[number] = nil
      new.former[number] = nil
    case .trash(let number):
      var name = "\(number).note"
      var count = 1
      while trash[name] != nil {
        count += 1
        name = "\(number).note \(count)"
      }
      new.trash[name] = try note(number)
      new.trashFormer[name] = former[number]
      new.notes[number] = nil
      new.former[number] = nil
    case .restore(let name):
      guard let note = trash[name] else { throw Breach("the worker saw '\(name)' in the trash, where it is not") }
      // It gets its number back, if no other note has it.
      let former = name.split(separator: ".").first.flatMap { Int($0) }
      let number = former.flatMap { notes[$0] == nil ? $0 : nil } ?? next
      new.notes[number] = note
      new.former[number] = trashFormer[name]
      new.trash[name] = nil
      new.trashFormer[name] = nil
      answer = "\(number)"
    case .empty(let name):
      guard trash[name] != nil else { throw Breach("the worker saw '\(name)' in the trash, where it is not") }
      new.trash[name] = nil
      new.trashFormer[name] = nil
    case .migrate(let number):
      new.notes[number] = try note(number)
      new.notes[number]?.isOld = false
    case .undo(let number):
      guard let state = former[number] else { throw Breach("the worker undid a save of \(number) that is not kept") }
      new.notes[number] = state
    case .backUp: break
    case .update(let counter):
      for (number, old) in notes where !old.isDamaged { new.notes[number] = NoteState(counter, old.thumb, old.full) }
    case .importing(let counter):
      new.notes[next] = NoteState(counter, counter, counter)
      answer = "\(next)"
    case .importDamaged(let counter):
      new.notes[next] = NoteState(counter, counter, counter, isOld: false, isDamaged: true)
      answer = "\(next)"
    case .repair(let number, let counter):
      let old = try note(number)
      guard old.isDamaged else { throw Breach("the worker repaired \(number), which is sound") }
      new.notes[number] = NoteState(counter, old.thumb, old.full)
      // The damaged file has a name of its own; there is nothing to undo.
      return (new, answer)
    }
    // Each save keeps what it replaced.
    for (number, state) in new.notes {
      if let old = notes[number], old != state { new.former[number] = old }
    }
    return (new, answer)
  }

  /// Describes the difference from another content.
  func differences(from other: Shelf) -> String {
    var lines: [String] = []
    for number in Set(notes.keys).union(other.notes.keys).sorted() where notes[number] != other.notes[number] {
      lines.append("\(number): \(text(notes[number])) instead of \(text(other.notes[number]))")
    }
    for name in Set(trash.keys).union(other.trash.keys).sorted() where trash[name] != other.trash[name] {
      lines.append("\(name) in the trash: \(text(trash[name])) instead of \(text(other.trash[name]))")
    }
    return lines.joined(separator: "; ")
  }

  private func text(_ note: NoteState?) -> String { note.map { "\($0)" } ?? "nothing" }
}
