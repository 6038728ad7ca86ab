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

  struct Recipe: DocumentModel {
    static let folderExtension = "recipe"
    static let attachmentNames = ["photo.jpg"]

    var name: String
    var steps: [String]

    init(name: String, steps: [String]) {
      self.name = name
      self.steps = steps
    }

    func encode(with coder: KeyedArchiver) {
      coder.encode(name, forKey: "Name")
      coder.encode(steps, forKey: "Steps")
    }

    init?(coder: KeyedUnarchiver) {
      guard let name = coder.decodeObject(of: String.self, forKey: "Name") else { return nil }
      self.name = name
      steps = coder.decodeObject(of: [String].self, forKey: "Steps") ?? []
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
        Recipe(name: "Soup", steps: ["Boil"]), attachments: ["photo.jpg": photo])  // 1.recipe
      try soup.edit { $0.steps.append("Serve") }  // saved
      for recipe in try recipes.documents() {
        print(try recipe.data?.name ?? "")
      }

      let again = try DocumentLibrary<Recipe>(at: folder).document(1)
      #expect(try again.data?.steps == ["Boil", "Serve"])
      #expect(try again.attachment("photo.jpg") == photo)
      #expect(soup.docPath?.lastPathComponent == "1.recipe")
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "1.recipe").path).sorted()
          == ["Data.plist", "photo.jpg"])
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

  @Test("match the article")
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
    let blocks = article.components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    #expect(blocks.count == 4)
    for line in blocks.flatMap({ lines($0) }) { #expect(known.contains(line), "\(line)") }
  }
}
