// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import KeyedArchiving
import SystemFiles
import TestSupport
import Testing

/// A list of words, whose decoding a test can interrupt.
private struct Words: DocumentModel {
  static let folderExtension = "words"
  static let attachmentNames = ["a.bin"]
  static let archiveClassName = "Words"
  /// Called at each decoding of a thread that has begun one of its operations.
  static let interruption = Locked<(@Sendable () -> Void)?>(nil)

  var words: [String] = []

  init(_ words: [String] = []) { self.words = words }

  func encode(with coder: KeyedArchiver) { coder.encode(words, forKey: "words") }

  init?(coder: KeyedUnarchiver) {
    words = coder.decodeObject(of: [String].self, forKey: "words") ?? []
    Self.interruption.withLock(\.self)?()
  }
}

/// What two threads do with one object of a document, at moments that a scheduler rarely chooses.
@Suite("A document that two threads share", .serialized)
struct SharedDocumentTests {
  /// The operations of a thread.
  enum Operation: String, CaseIterable {
    case read, attachment, edit, otherEdit, set, setAndSave, discard, revert, undo, attach
    case update, overwrite, repair, repairAttachment

    /// Whether it can take back what another operation has saved.
    var canReplace: Bool { self == .undo || self == .overwrite }

    /// Whether it changes the document without notice to the object that the threads share.
    var usesOtherObject: Bool { self == .otherEdit || self == .update }
  }

  /// The document, and the words that acknowledged edits added.
  private final class Trial: Sendable {
    let library: DocumentLibrary<Words>
    let document: Document<Words>
    let acknowledged = Locked<[String]>([])

    init(isRead: Bool) throws {
      library = try DocumentLibrary(in: MemoryStorage(), limits: LibraryLimits(patience: .milliseconds(5)))
      try library.addDocument(Words(["first"]), attachments: ["a.bin": Data("first".utf8)])
      try library.document(1).edit { $0.words.append("second") }
      document = try library.document(1)
      if isRead { _ = try (document.data, document.attachment("a.bin")) }
    }

    func perform(_ operation: Operation, _ word: String, inEdit: @escaping () -> Void = {}) throws {
      switch operation {
      case .read: _ = try document.data
      case .attachment: _ = try document.attachment("a.bin")
      case .edit, .otherEdit:
        let document = try operation == .edit ? document : library.document(1)
        try document.edit(attachments: ["a.bin": Data(word.utf8)]) {
          inEdit()
          $0.words.append(word)
        }
        acknowledged.withLock { $0.append(word) }
      case .update:
        try library.update { update in
          update.edit(1, attachments: ["a.bin": Data(word.utf8)]) {
            inEdit()
            $0.words.append(word)
          }
        }
        acknowledged.withLock { $0.append(word) }
      case .set, .setAndSave, .overwrite:
        guard var words = try document.data else { return }
        words.words.append(word)
        try document.setData(words)
        if operation == .setAndSave { try document.save() }
        if operation == .overwrite { try document.saveData(overwriting: true) }
      case .repair: try document.repairData(with: Words([word]))
      case .repairAttachment: try document.repairAttachment("a.bin") { _, _ in Data(word.utf8) }
      case .discard: document.discardCache()
      case .revert: document.revert()
      case .undo: try document.undoLastSave()
      case .attach:
        try document.setAttachment("a.bin", to: Data(word.utf8))
        try document.saveAttachments()
      }
    }
  }

  /// Performs an operation, and another one on a second thread inside of it: at the decoding with this number, or inside
  /// of the closure of an edit if the number is 0.
  private func expectConsistency(_ outer: Operation, _ inner: Operation, at moment: Int, isRead: Bool) throws {
    let trial = try Trial(isRead: isRead)
    let count = Locked(0)
    let interrupt = { @Sendable in
      OtherThread.run { try? trial.perform(inner, "inner") }
    }
    let thread = SystemThread.current
    Words.interruption.withLock {
      $0 = {
        guard SystemThread.current == thread else { return }
        let number = count.withLock { count in
          count += 1
          return count
        }
        if number == moment { interrupt() }
      }
    }
    defer { Words.interruption.withLock { $0 = nil } }
    try? trial.perform(outer, "outer", inEdit: { if moment == 0 { interrupt() } })
    Words.interruption.withLock { $0 = nil }
    let comment: Comment = "\(outer) with \(inner) at \(moment), read before: \(isRead)"
    func expectNothingLost() throws {
      guard !outer.canReplace, !inner.canReplace else { return }
      let words = try #require(try trial.library.document(1).data).words
      #expect(trial.acknowledged.withLock(\.self).allSatisfy { words.contains($0) }, "\(comment.rawValue): \(words)")
    }
    func expectCurrentCache() throws {
      // Another object changes the file without notice.
      guard !trial.document.hasChanges, !outer.usesOtherObject, !inner.usesOtherObject else { return }
      let stored = try trial.library.document(1)
      #expect(try trial.document.data?.words == stored.data?.words, comment)
      #expect(try trial.document.attachment("a.bin") == stored.attachment("a.bin"), comment)
    }
    try expectNothingLost()
    try expectCurrentCache()
    // Unsaved values replace the stored ones only if they build on them.
    let hasUnsavedValues = trial.document.hasChanges
    do {
      try trial.document.save()
    } catch {
      #expect(hasUnsavedValues && (error as? LibraryError)?.code == .changedElsewhere, "\(comment.rawValue): \(error)")
    }
    try expectNothingLost()
    try expectCurrentCache()
  }

  /// Every ninth pair of operations at a moment; with `WHOLE_TESTS`, all.
  @Test(
    "loses no acknowledged edit, and has no outdated values without unsaved ones", .notHanging,
    arguments: Operation.allCases)
  func operations(_ outer: Operation) throws {
    var number = 8 * Operation.allCases.count * (Operation.allCases.firstIndex(of: outer) ?? 0)
    for inner in Operation.allCases {
      for isRead in [false, true] {
        for moment in 0...3 {
          if Sample.includes(number, each: 9) { try expectConsistency(outer, inner, at: moment, isRead: isRead) }
          number += 1
        }
      }
    }
  }

  @Test("reads an attachment again that another thread changes during the read", .notHanging)
  func attachment() throws {
    let room = try Place.memory.room()
    try room.plant("1.recipe", "Soup", photo: "old")
    let storage = FaultyStorage(room.storage)
    let library = try DocumentLibrary<Recipe>(in: storage)
    let document = try library.document(1)
    let isChanged = Locked(false)
    storage.beforeEachCall { call, _ in
      // The file is read, and is about to be closed.
      guard call == .close,
        isChanged.withLock({ old in
          defer { old = true }; return !old
        })
      else { return }
      OtherThread.run { try? document.edit(attachments: ["photo.jpg": Data("new".utf8)]) { _ in } }
    }
    #expect(try document.attachment("photo.jpg") == Data("new".utf8))
    #expect(try document.attachment("photo.jpg") == library.document(1).attachment("photo.jpg"))
  }

  @Test("reports two edits that wait for each other", .notHanging, arguments: Place.allCases)
  func crossedEdits(_ place: Place) throws {
    let library = try place.room().library(1, 2, limits: LibraryLimits(patience: .milliseconds(50)))
    let documents = [try library.document(1), try library.document(2)]
    let isInside = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
    let codes = Locked<[LibraryError.Code]>([])
    let threads = [0, 1].map { mine in
      OtherThread {
        do {
          try documents[mine].edit { outer in
            isInside[mine].signal()
            isInside[1 - mine].wait()
            try documents[1 - mine].edit { $0.steps.append("inner") }
            outer.steps.append("outer")
          }
        } catch {
          codes.withLock { $0.append((error as? LibraryError)?.code ?? .notFound) }
        }
      }
    }
    for thread in threads { thread.wait() }
    let found = codes.withLock(\.self)
    #expect([1, 2].contains(found.count) && found.allSatisfy { $0 == .busy }, "\(found)")
    // Both documents can be changed again.
    for document in documents { try document.edit { $0.name = "after" } }
    #expect(try library.documents().map { try $0.data?.name } == ["after", "after"])
  }

  @Test("does not wait for a change by the other thread for longer than the time limit", .notHanging)
  func patience() throws {
    let library = try Place.memory.room().library(1, limits: LibraryLimits(patience: .milliseconds(20)))
    let document = try library.document(1)
    let (isInside, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let thread = OtherThread {
      try? document.edit {
        isInside.signal()
        _ = mayEnd.wait(timeout: .now() + 60)
        $0.steps.append("slow")
      }
    }
    isInside.wait()
    let start = ContinuousClock.now
    for use in [{ try document.edit { $0.name = "changed" } }, { try document.save() }, { try document.delete() }] {
      let error = #expect(throws: LibraryError.self) { try use() }
      #expect(error?.code == .busy && error?.path == document.docPath?.path)
      #expect(error?.remedy?.contains("LibraryLimits.patience") == true)
    }
    // Half of the time for which the other thread would go on.
    #expect(ContinuousClock.now - start < .seconds(30))
    mayEnd.signal()
    thread.wait()
    #expect(try library.document(1).data == Recipe("Recipe 1", ["slow"]))
  }

  @Test("has a modification date while another process replaces its folder")
  func modified() throws {
    let room = try Place.memory.room()
    _ = try room.library(1)
    let storage = FaultyStorage(room.storage)
    let library = try DocumentLibrary<Recipe>(in: storage)
    let document = try library.document(1)
    // The folder that the look-up opened is the old one, whose files are removed.
    storage.set(.fails(at: 0, .notFound))
    #expect(try document.modified != nil && storage.hasFailed)
  }

  @Test("leaves nothing of a failed edit of a new document")
  func failedFirstEdit() throws {
    let library = try Place.memory.room().library(limits: LibraryLimits(maximumAttachmentByteCount: 4))
    let document = Document(in: library, Recipe("new"))
    let error = #expect(throws: LibraryError.self) {
      try document.edit(attachments: ["photo.jpg": Data(count: 5)]) { $0.steps.append("step") }
    }
    #expect(error?.code == .limitReached)
    #expect(try document.data == Recipe("new") && document.attachmentNames == [])
    try document.edit { $0.steps.append("step") }
    #expect(try library.document(1).data == Recipe("new", ["step"]))
    #expect(try library.document(1).attachmentNames == [] && !document.hasChanges)
  }
}
