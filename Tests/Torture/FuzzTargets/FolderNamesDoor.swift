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

/// Names of the entries of a library's folder, one a line; a line that begins with `/` is a file, any other a folder.
enum FolderNamesDoor {
  /// The documents of the library.
  struct Page: DocumentModel {
    static var archiveClassName: String { "Page" }
    static var folderExtension: String { "page" }

    init() {}
    init?(coder: KeyedUnarchiver) {}
    func encode(with coder: KeyedArchiver) {}
  }

  private static let most = 64

  static func enter(_ bytes: Data) throws {
    let storage = MemoryStorage()
    var folders: Set<StorageName> = []
    var files: Set<StorageName> = []
    for line in bytes.split(separator: 0x0A, maxSplits: most).prefix(most) {
      let isFile = line.first == 0x2F
      let name = StorageName(bytes: Array(isFile ? line.dropFirst() : line))
      guard name.isPlain, (try? storage.status(of: .root / name)) == nil else { continue }
      if isFile {
        try storage.close(storage.create(.root / name))
        files.insert(name)
      } else {
        try storage.makeFolder(.root / name)
        folders.insert(name)
      }
    }
    let library = try DocumentLibrary<Page>(in: storage, sweeping: false)
    let contents = try library.contents()
    guard contents.numbers == Array(Set(contents.numbers)).sorted() else {
      throw Breach("the numbers are not in order, or one is there twice")
    }
    // Spelled out here in another way than the library does it.
    let canonical = folders.compactMap { name -> DocumentNumber? in
      guard let text = String(bytes: name.bytes, encoding: .utf8), text.hasSuffix(".page") else { return nil }
      let digits = text.dropLast(5)
      return Int(digits).flatMap { $0 >= 0 && String($0) == digits ? DocumentNumber($0) : nil }
    }
    guard Set(canonical).isSubset(of: contents.numbers) else { throw Breach("a document is not listed") }
    for number in contents.numbers where !canonical.contains(number) {
      guard folders.contains(where: { $0.description.lowercased() == "\(number).page" }) else {
        throw Breach("document \(number) is listed and is not there")
      }
    }
    do {
      try add(to: library, contents)
    } catch let error as LibraryError where files.contains(StorageName(bytes: Array(".work".utf8))) {
      // Where the library's own folder should be there is something else: new documents cannot be made, and the error says so.
      guard error.code == .cannotCreate, error.path.hasSuffix("/.work"), error.remedy != nil else { throw error }
    }
  }

  /// A new document stands in nobody's place.
  private static func add(to library: DocumentLibrary<Page>, _ contents: LibraryContents) throws {
    let document: Document<Page>
    do {
      document = try library.addDocument(Page())
    } catch let error as LibraryError where error.code == .numbersExhausted {
      return
    }
    guard let added = document.number, contents.numbers.allSatisfy({ $0 < added }) else {
      throw Breach("the number of a new document is not a new one")
    }
    let now = try library.contents()
    guard now.numbers == contents.numbers + [added], now.problems == contents.problems else {
      throw Breach("a new document changed others")
    }
    guard try library.document(added).data != nil else { throw Breach("a new document is not there") }
  }
}
