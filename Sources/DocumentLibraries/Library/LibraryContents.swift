// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat

/// The entries of a library's folder, as far as their names tell.
public struct LibraryContents: Sendable {
  /// The numbers of the documents, ascending.
  public internal(set) var numbers: [DocumentNumber] = []
  /// The entries that have names of documents but are not documents, ordered by name.
  public internal(set) var problems: [Problem] = []
  /// The folders with capital letters in the extension.
  var otherNames: [DocumentNumber: StorageName] = [:]
  /// The folders that are not documents because another one has the same number.
  var duplicates: [(number: DocumentNumber, name: StorageName)] = []
  /// The numbers of entries with unusual names or kinds.
  var oddNumbers: Set<DocumentNumber> = []
  /// The largest number of an entry, document or not; 0 if the library has none.
  var largestNumber = 0

  /// An entry that has the name of a document but is not a document.
  public struct Problem: Hashable, Sendable {
    /// The reasons why an entry is not a document.
    public enum Reason: String, Hashable, Sendable {
      /// The name is not a canonical decimal number.
      case notANumber
      /// The number is too large.
      case numberTooLarge
      /// The entry is a file, not a folder.
      case notAFolder
      /// The entry is a symbolic link, which is not followed.
      case link
      /// Another folder has the same number and a name in lower case.
      case duplicate
    }

    /// Compares two problems.
    /// - Parameters:
    ///   - a: A problem.
    ///   - b: Another problem.
    /// - Returns: `true` if all properties are equal. Strings are compared bytewise.
    public static func == (a: Self, b: Self) -> Bool { a.name == b.name && a.reason == b.reason }

    /// Hashes all properties.
    /// - Parameter hasher: Receives the hashed values.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(reason)
    }

    /// The entry's name.
    public let name: String
    /// The reason.
    public let reason: Reason
  }
}

extension LibraryContents.Problem: CustomStringConvertible {
  /// The name and the reason.
  public var description: String {
    switch reason {
    case .notANumber: "\(name): the name is not a decimal number without leading zeros"
    case .numberTooLarge: "\(name): the number is too large; the largest is \(Int.max)"
    case .notAFolder: "\(name): found a file; expected a folder"
    case .link: "\(name): found a symbolic link; expected a folder"
    case .duplicate: "\(name): another document has the same number"
    }
  }
}

extension DocumentLibrary {
  /// Lists the library by the names of its entries, without opening a document.
  /// - Returns: The documents and the problems.
  /// - Throws: ``LibraryError`` if the folder cannot be read.
  public func contents() throws(LibraryError) -> LibraryContents {
    var contents = LibraryContents()
    var odd: [(name: StorageName, meaning: FolderName.Meaning, kind: StorageStatus.Kind)] = []
    var numbers: [Int] = []
    let `extension` = ContiguousArray(Model.folderExtension.utf8)
    try attempt { () throws(StorageError) in
      try steps.step { () throws(StorageError) in
        numbers.removeAll()
        odd.removeAll()
        try storage.list(.root) { name, kind in
          let meaning = FolderName.meaning(of: name, extension: `extension`.span)
          switch meaning {
          case .other: break
          case .document(let number, isCanonical: true) where kind == .folder: numbers.append(number)
          default: odd.append((StorageName(bytes: name.indices.map { name[$0] }), meaning, kind))
          }
        }
      }
    }
    Self.sort(&numbers)
    contents.largestNumber = numbers.last ?? 0
    contents.numbers = numbers.compactMap { DocumentNumber($0) }
    try addOdd(odd, to: &contents)
    return contents
  }

  /// Sorts nonnegative numbers and removes duplicates. A library's numbers are dense, so a bit set is the fastest way.
  static func sort(_ numbers: inout [Int]) {
    guard let largest = numbers.max(), largest / 64 < numbers.count else {
      numbers = Set(numbers).sorted()
      return
    }
    var words = [UInt64](repeating: 0, count: largest / 64 + 1)
    for number in numbers { words[number / 64] |= 1 << UInt64(number % 64) }
    var count = 0
    for (index, var word) in words.enumerated() {
      while word != 0 {
        numbers[count] = index * 64 + word.trailingZeroBitCount
        count += 1
        word &= word - 1
      }
    }
    // A folder that changes during a listing can return a name twice.
    numbers.removeLast(numbers.count - count)
  }

  /// Classifies the entries with unusual names or kinds.
  private func addOdd(
    _ odd: [(name: StorageName, meaning: FolderName.Meaning, kind: StorageStatus.Kind)],
    to contents: inout LibraryContents
  ) throws(LibraryError) {
    guard !odd.isEmpty else { return }
    var known = Set(contents.numbers)
    let sorted = odd.sorted { $0.name.bytes.lexicographicallyPrecedes($1.name.bytes) }
    // A listing without kinds has canonical names here, too. They come before the same numbers in other spellings.
    func isCanonical(_ meaning: FolderName.Meaning) -> Bool {
      if case .document(_, isCanonical: true) = meaning { true } else { false }
    }
    let ordered = sorted.filter { isCanonical($0.meaning) } + sorted.filter { !isCanonical($0.meaning) }
    for (name, meaning, kind) in ordered {
      func report(_ reason: LibraryContents.Problem.Reason) {
        contents.problems.append(.init(name: name.description, reason: reason))
      }
      guard case .document(let rawNumber, _) = meaning, let number = DocumentNumber(rawNumber) else {
        report(meaning == .tooLarge ? .numberTooLarge : .notANumber)
        continue
      }
      // A new document never gets this number, whatever the entry is.
      contents.largestNumber = max(contents.largestNumber, rawNumber)
      contents.oddNumbers.insert(number)
      var kind = kind
      if kind == .unknown {
        kind = try attempt { () throws(StorageError) in try steps.status(of: .root / name)?.kind ?? .unknown }
      }
      switch kind {
      case .folder where known.insert(number).inserted:
        if name != FolderName.name(for: number, extension: Model.folderExtension) { contents.otherNames[number] = name }
        contents.numbers.append(number)
      case .folder:
        report(.duplicate)
        contents.duplicates.append((number, name))
      case .link: report(.link)
      default: report(.notAFolder)
      }
    }
    contents.numbers.sort()
    contents.problems.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  /// Returns the documents in the order of their numbers, without reading them.
  /// - Returns: The documents.
  /// - Throws: ``LibraryError`` if the folder cannot be read.
  public func documents() throws(LibraryError) -> [Document<Model>] { try documents(of: contents()) }

  /// Returns the documents of a listing.
  /// - Parameter contents: The listing.
  /// - Returns: The documents in the order of their numbers.
  public func documents(of contents: LibraryContents) -> [Document<Model>] {
    contents.numbers.map { number in
      Document(self, number, contents.otherNames.isEmpty ? nil : contents.otherNames[number])
    }
  }

  /// Returns the number that the next new document gets: the one after the largest, or 1 in an empty library.
  /// - Returns: The number.
  /// - Throws: ``LibraryError`` with code ``LibraryError/Code/numbersExhausted`` if no larger number exists.
  public func nextNumber() throws(LibraryError) -> DocumentNumber {
    var largest = try contents().largestNumber
    // A document that is being replaced in two steps keeps its number.
    for (name, _) in (try? steps.entries(of: WorkFolder.path)) ?? [] {
      largest = max(largest, WorkFolder.replacedNumber(name) ?? 0)
    }
    guard let next = DocumentNumber(largest)?.next else {
      let name = FolderName.name(for: DocumentNumber(integerLiteral: largest), extension: Model.folderExtension)
      throw LibraryError(
        .numbersExhausted, storage.url(of: .root / name).path, "no number left: the largest is \(largest)",
        remedy: "Rename that folder to a smaller number")
    }
    return next
  }
}
