// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DocumentLibraries
import Foundation
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

@Suite("Documentation examples")
struct DocumentationTests {
  // MARK: Recipes, as in the article

  struct Recipe: Codable, DocumentModel {
    static let folderExtension = "recipe"
    static let attachmentNames = ["photo.jpg"]

    var title: String
    var steps: [String] = []
  }

  /// The next versions of the app.
  enum Later {
    struct Recipe: Codable, DocumentModel {
      static let archiveClassName = DocumentationTests.Recipe.archiveClassName
      static let folderExtension = "recipe"
      static let attachmentNames = ["photo.jpg"]
      static let version = 3
      static let migrations = [
        DocumentMigration(to: 2) { recipe in try recipe.renameValue(forKey: "title", to: "name") },
        DocumentMigration(to: 3) { recipe in
          let steps = try recipe.value([String].self, forKey: "steps") ?? []
          try recipe.setValue(steps.map { Step(text: $0, minutes: 5) }, forKey: "steps")
        },
      ]

      var name: String
      var steps: [Step]

      struct Step: Codable {
        var text: String
        var minutes: Int
      }
    }
  }

  // MARK: Lists of tasks, as in the article

  struct TaskList: DocumentModel {
    static let archiveClassName = "SmartToDoList.TaskList"
    static let folderExtension = "tasklist"
    static let formerKeys = ["Items": "Tasks"]

    var tasks: [String: Bool]

    init(tasks: [String: Bool]) { self.tasks = tasks }

    func encode(with coder: KeyedArchiver) { coder.encode(tasks, forKey: "Tasks") }

    init?(coder: KeyedUnarchiver) {
      if let tasks = coder.decodeObject(of: [String: Bool].self, forKey: "Tasks") {
        self.tasks = tasks
      } else if let names = coder.decodeObject(of: [String].self, forKey: "Items") {
        tasks = Dictionary(names.map { ($0, false) }, uniquingKeysWith: { first, _ in first })
      } else {
        return nil
      }
    }

    func check(replacing old: TaskList?) throws {
      guard tasks.keys.contains("") else { return }
      throw LibraryError(.invalidValue, "", "a task has no name", remedy: "Give it one")
    }
  }

  private func inFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "documentation-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  @Test("run the recipes example")
  func recipes() throws {
    try inFolder { folder in
      let photo = Data([1, 2, 3])
      let recipes = try DocumentLibrary<Recipe>(at: folder)
      let soup = try recipes.addDocument(
        Recipe(title: "Soup", steps: ["Boil"]), attachments: ["photo.jpg": photo])  // 1.recipe
      try soup.edit { $0.steps.append("Serve") }  // saved
      for recipe in try recipes.documents() {
        print(try recipe.data?.title ?? "")
      }

      let again = try DocumentLibrary<Recipe>(at: folder).document(1)
      #expect(try again.data?.steps == ["Boil", "Serve"])
      #expect(try again.attachment("photo.jpg") == photo)
      #expect(soup.docPath?.lastPathComponent == "1.recipe")
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "1.recipe").path)
          .filter { !$0.hasPrefix(".") }.sorted() == ["Data.plist", "photo.jpg"])
    }
  }

  @Test("run the undo example")
  func undo() throws {
    let recipes = try DocumentLibrary<Recipe>(in: MemoryStorage())
    let soup = try recipes.addDocument(Recipe(title: "Soup"))
    try soup.edit { $0.title = "Stew" }
    try soup.undoLastSave()  // "Soup" again
    #expect(try soup.data?.title == "Soup")
    try recipes.undoLastSave(of: 1)  // "Stew" again
    #expect(try recipes.document(1).data?.title == "Stew")
  }

  @Test("run the attachments example")
  func attachments() throws {
    let photo = Data([1, 2, 3])
    let recipes = try DocumentLibrary<Recipe>(in: MemoryStorage())
    let soup = try recipes.addDocument(Recipe(title: "Soup"))
    try soup.edit(attachments: ["photo.jpg": photo]) { $0.title = "Stew" }
    let bytes = try soup.attachment("photo.jpg")  // nil without a photo
    #expect(bytes == photo)
    try soup.moveToTrash()
    #expect(try recipes.documents().isEmpty)
    for document in try recipes.trashedDocuments() { try recipes.restore(document.name) }
    #expect(try recipes.document(1).data?.title == "Stew")
  }

  @Test("run the update example")
  func update() throws {
    let recipes = try DocumentLibrary<Recipe>(in: MemoryStorage())
    for title in ["Soup", "Stew", "Cake"] { try recipes.addDocument(Recipe(title: title)) }
    try recipes.update { update in
      for number in [1, 2, 3] as [DocumentNumber] { update.edit(number) { $0.steps.append("Serve") } }
    }
    #expect(try recipes.documents().map { try $0.data?.steps } == [["Serve"], ["Serve"], ["Serve"]])
  }

  @Test("run the backup example")
  func backups() throws {
    let recipes = try DocumentLibrary<Recipe>(in: MemoryStorage())
    try recipes.addDocument(Recipe(title: "Soup"))
    try recipes.document(recipes.addDocument(Recipe(title: "Cake")).number ?? 0).moveToTrash()
    let copy = try DocumentLibrary<Recipe>(in: MemoryStorage())
    var backup = Data()
    try recipes.backUp(to: { backup += $0 }, report: { print("\($0.name): \($0.error)") })
    let report = try copy.importBackup(BackupSource(backup), keepingNumbers: true)
    #expect(report.documents.map(\.number) == [1] && report.refused.isEmpty)
    #expect(try copy.document(1).data?.title == "Soup" && copy.trash() == ["2.recipe"])
  }

  @Test("migrate the recipes example")
  func newVersion() throws {
    try inFolder { folder in
      try DocumentLibrary<Recipe>(at: folder).addDocument(Recipe(title: "Soup", steps: ["Boil"]))
      let recipes = try DocumentLibrary<Later.Recipe>(at: folder)
      #expect(try recipes.document(1).data?.name == "Soup")
      var outcomes = 0
      try recipes.migrate { result in
        if case .failed(let error) = result.outcome { print("\(result.number): \(error)") }
        if case .migrated = result.outcome { outcomes += 1 }
        return true  // continue
      }
      #expect(outcomes == 1)
      let archive = try KeyedArchive(contentsOf: folder.appending(path: "1.recipe/Data.plist"))
      #expect(archive["documentVersion"].number?.integer == 3 && archive.root.keys == ["name", "steps"])
      let step = archive.root["steps"][0]
      #expect(step["text"].string == "Boil" && step["minutes"].number?.integer == 5)
      // The older program refuses it.
      let error = try #require(throws: LibraryError.self) { try DocumentLibrary<Recipe>(at: folder).document(1).data }
      #expect(error.code == .newerVersion)
    }
  }

  @Test("run the task list example")
  func taskLists() throws {
    let lists = try DocumentLibrary<TaskList>(in: MemoryStorage())
    let today = try lists.addDocument(TaskList(tasks: ["feed the ghost": false]))
    try today.edit { $0.tasks["feed the ghost"] = true }
    do {
      try today.edit { $0.tasks[""] = false }
      Issue.record("a task without a name was accepted")
    } catch let error as LibraryError where error.code == .invalidValue {
      print(error)  // nothing was saved
    }
    #expect(try lists.document(1).data?.tasks == ["feed the ghost": true])
  }

  @Test("migrate a task list of the former version")
  func formerVersion() throws {
    try inFolder { folder in
      let file = HandmadeList.archive([
        ["Items": .uid(3), "$class": .uid(2)], HandmadeList.classRecord("SmartToDoList.TaskList", "NSObject"),
        ["NS.objects": [.uid(5)], "$class": .uid(4)], HandmadeList.classRecord("NSArray", "NSObject"), "sweep",
      ])
      let document = folder.appending(path: "4.tasklist")
      try FileManager.default.createDirectory(at: document, withIntermediateDirectories: true)
      try file.write(to: document.appending(path: "Data.plist"))
      let list = try DocumentLibrary<TaskList>(at: folder).document(4)
      #expect(try list.data?.tasks == ["sweep": false])
      try list.edit { $0.tasks["sweep"] = true }
      let archive = try KeyedArchive(Data(contentsOf: document.appending(path: "Data.plist")))
      #expect(archive.root.keys == ["Tasks"])
    }
  }

  @Test("match the article where it is no program of its own")
  func articleIsThisCode() throws {
    let article = try String(
      contentsOf: Locations.package.appending(
        path: "Sources/DocumentLibraries/DocumentLibraries.docc/YourOwnDocuments.md"),
      encoding: .utf8)
    let here = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
    func lines(_ text: some StringProtocol) -> [String] {
      text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
    let known = Set(lines(here))
    let pieces = article.components(separatedBy: "```swift\n")
    // `.ci/example` compiles and runs the blocks after a comment with a path.
    let blocks = zip(pieces, pieces.dropFirst()).filter { !$0.0.hasSuffix(" -->\n") }
      .map { $0.1.components(separatedBy: "```")[0] }
    #expect(blocks.count == 6)
    for line in blocks.flatMap({ lines($0) }) { #expect(known.contains(line), "\(line)") }
  }
}
