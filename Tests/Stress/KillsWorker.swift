// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import DocumentLibraries
import HarnessSupport
import KeyedArchiving
import SystemFiles

/// Changes a library at random until it is killed, and prints each change before and after making it.
struct KillsWorker {
  private let library: DocumentLibrary<Note>
  private var random: SeededRandom
  private var counter: Int64
  /// Documents that stay in memory, as in a program with open documents.
  private var open: [Int: Document<Note>] = [:]

  static func run(_ arguments: inout Arguments) throws {
    let folder = URL(filePath: try arguments.operand(), directoryHint: .isDirectory)
    let seed = try arguments.number("seed", 1)
    let first = try arguments.number("first", 1)
    let onlyOpens = try arguments.number("only-opens", 0) == 1
    try arguments.finish()
    if onlyOpens {
      System.say("opening")
      _ = try DocumentLibrary<Note>(at: folder)
      return
    }
    // An exit in the middle of a change; before the function that waits for the change.
    EndingSignals.add([1]) { System.end(0) }
    TemporaryFiles.removeAtSignals()
    var worker = KillsWorker(
      library: try DocumentLibrary(at: folder), random: SeededRandom(seed: UInt64(seed)), counter: Int64(first))
    while true { try worker.step() }
  }

  private init(library: DocumentLibrary<Note>, random: SeededRandom, counter: Int64) {
    self.library = library
    self.random = random
    self.counter = counter
  }

  private mutating func step() throws {
    let operation = try choose()
    System.say("begin \(operation.line)")
    let number = try perform(operation)
    System.say("done \(number.map { "\($0)" } ?? "-")")
  }

  /// Selects a possible operation that keeps the library small.
  private mutating func choose() throws -> Operation {
    counter += 1
    let numbers = try library.contents().numbers.map(\.rawValue)
    let trash = try library.trash()
    if numbers.count > 20 { return .delete(numbers.randomElement(using: &random) ?? 0) }
    if trash.count > 4 { return .empty(trash.randomElement(using: &random) ?? "") }
    let choice = Int.random(in: 0..<100, using: &random)
    guard let number = numbers.randomElement(using: &random), choice >= 18 else {
      switch choice {
      case 12..<14: return .importing(counter)
      case 14..<18: return .importDamaged(counter)
      default: return .create(counter, hasImages: choice % 4 != 0)
      }
    }
    if isDamaged(number) {
      switch choice {
      case 18..<80: return .repair(number, counter)
      case 80..<90: return .delete(number)
      default: return .trash(number)
      }
    }
    switch choice {
    case 18..<36: return .edit(number, counter)
    case 36..<50: return .images(number, counter)
    case 50..<56: return .thumb(number, counter)
    case 56..<60: return .removeImages(number)
    case 60..<76: return .everything(number, counter)
    case 76..<84: return .delete(number)
    case 84..<88: return .trash(number)
    case 88..<91: return trash.randomElement(using: &random).map { .restore($0) } ?? .trash(number)
    case 91..<92: return trash.randomElement(using: &random).map { .empty($0) } ?? .delete(number)
    case 92..<94: return .migrate(number)
    case 94..<95: return .backUp(counter)
    case 95..<97: return .update(counter)
    default:
      // A note that was saved only once has nothing to undo.
      guard try document(number).hasFormerSave else { return .thumb(number, counter) }
      return .undo(number)
    }
  }

  private mutating func perform(_ operation: Operation) throws -> DocumentNumber? {
    switch operation {
    case .create(let counter, let hasImages):
      let document = try library.addDocument(Note(counter), attachments: hasImages ? Note.attachments(counter) : [:])
      if let number = document.number { open[number.rawValue] = document }
      return document.number
    case .edit(let number, let counter):
      let document = try document(number)
      if Bool.random(using: &random) {
        try document.edit { $0 = Note(counter) }
      } else {
        try document.setData(Note(counter))
        try document.saveData()
      }
    case .images(let number, let counter):
      let document = try document(number)
      for (name, bytes) in Note.attachments(counter) { try document.setAttachment(name, to: bytes) }
      try document.save()
    case .thumb(let number, let counter):
      let document = try document(number)
      try document.setAttachment(Note.thumb, to: Note.bytes(counter, Note.thumb))
      try document.saveAttachments()
    case .removeImages(let number):
      let document = try document(number)
      for name in Note.attachmentNames { try document.setAttachment(name, to: nil) }
      try document.save()
    case .everything(let number, let counter):
      let document = try document(number)
      try document.setData(Note(counter))
      for (name, bytes) in Note.attachments(counter) { try document.setAttachment(name, to: bytes) }
      try document.save()
    case .delete(let number):
      try document(number).delete()
      open[number] = nil
    case .trash(let number):
      try document(number).moveToTrash()
      open[number] = nil
    case .restore(let name): return try library.restore(name).number
    case .empty(let name): try library.deleteFromTrash(name)
    case .migrate(let number):
      guard let number = DocumentNumber(number) else { throw Breach("\(number) is no number") }
      var failure: (any Error)?
      try library.migrate([number]) { result in
        if case .failed(let error) = result.outcome { failure = error }
        return true
      }
      if let failure { throw failure }
      // For an open document this is a save of another process.
      open[number.rawValue] = nil
    case .undo(let number): try document(number).undoLastSave()
    case .update(let counter):
      let numbers = try library.contents().numbers.filter { !isDamaged($0.rawValue) }
      try library.update { update in
        for number in numbers { update.edit(number) { $0 = Note(counter) } }
      }
      open = [:]
    case .importing(let counter): return try importNote(counter, isDamaged: false)
    case .importDamaged(let counter): return try importNote(counter, isDamaged: true)
    case .repair(let number, let counter):
      guard let number = DocumentNumber(number) else { throw Breach("\(number) is no number") }
      let data = try KeyedArchiver.archivedData(withRootObject: Note(counter), requiringSecureCoding: true)
      let backup = try backup(number, data, [:])
      var failure: (any Error)?
      try library.repair([number], from: backup, confirming: { _, _ in true }) { result in
        switch result.outcome {
        case .restored: break
        case .sound: failure = Breach("\(number) is sound")
        case .failed(let error): failure = error
        }
        return true
      }
      if let failure { throw failure }
      open[number.rawValue] = nil
    case .backUp:
      var backup = Data()
      var problems: [BackupProblem] = []
      try library.backUp(to: { backup += $0 }, report: { problems.append($0) })
      let check = try DocumentLibrary<Note>.checkBackup(BackupSource(backup))
      let numbers = try library.contents().numbers
      let damaged = numbers.filter { isDamaged($0.rawValue) }
      // Documents in the trash can be damaged, too.
      let inBackup = check.damaged.map(\.source).filter { !$0.hasPrefix(".trash") }
      let reported = problems.map(\.name).filter { !$0.hasPrefix(".trash") }
      guard reported.count == damaged.count, problems.allSatisfy(\.isIncluded), check.refused.isEmpty,
        inBackup.count == damaged.count, check.documents == numbers.count - damaged.count
      else {
        throw Breach(
          "a backup of \(numbers.count) documents has \(check.documents), \(problems), \(check.damaged), \(check.refused)"
        )
      }
      // A repair has nothing to do, or no sound values.
      var repaired: [DocumentNumber] = []
      try library.repair(from: BackupSource(backup)) { result in
        switch result.outcome {
        case .sound: break
        case .failed where damaged.contains(result.number): break
        case .failed, .restored: repaired.append(result.number)
        }
        return true
      }
      guard repaired.isEmpty else { throw Breach("a repair changed \(repaired)") }
    }
    return nil
  }

  private func isDamaged(_ number: Int) -> Bool {
    Note.damage(in: library.folder.appending(path: "\(number).\(Note.folderExtension)")) != nil
  }

  /// A backup of one document.
  private func backup(_ number: DocumentNumber, _ data: Data, _ attachments: [String: Data]) throws -> BackupSource {
    let storage = MemoryStorage()
    let folder = StoragePath.root / StorageName("\(number).\(Note.folderExtension)")
    try storage.makeFolder(folder)
    for (name, bytes) in [Note.dataFileName: data].merging(attachments, uniquingKeysWith: { $1 }) {
      let file = try storage.create(folder / StorageName(name))
      if !bytes.isEmpty { _ = try storage.write(bytes, to: file) }
      try storage.close(file)
    }
    var backup = Data()
    try DocumentLibrary<Note>(in: storage).backUp(to: { backup += $0 }, report: { _ in })
    return BackupSource(backup)
  }

  private func importNote(_ counter: Int64, isDamaged: Bool) throws -> DocumentNumber {
    let data =
      isDamaged
      ? Note.damagedData(counter)
      : try KeyedArchiver.archivedData(withRootObject: Note(counter), requiringSecureCoding: true)
    let report = try library.importBackup(backup(1, data, Note.attachments(counter)))
    guard report.refused.isEmpty, report.documents.count == 1, let document = report.documents.first,
      (document.damage != nil) == isDamaged
    else { throw Breach("an import of a note has \(report)") }
    return document.number
  }

  private mutating func document(_ number: Int) throws -> Document<Note> {
    if let document = open[number], Bool.random(using: &random) { return document }
    guard let valid = DocumentNumber(number) else { throw Breach("\(number) is no number") }
    let document = try library.document(valid)
    open[number] = document
    return document
  }
}
