// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat

/// What a library's folder holds, told from names alone.
public struct LibraryContents: Sendable {
  /// The documents' numbers, in their order.
  public internal(set) var numbers: [DocumentNumber] = []
  /// What is called like a document and is none, in the order of the names.
  public internal(set) var problems: [Problem] = []
  /// Folders whose extension is not in lower case.
  var otherNames: [DocumentNumber: StorageName] = [:]
  /// The numbers of entries that are not plainly documents.
  var oddNumbers: Set<DocumentNumber> = []
  /// The largest number that any entry claims, documents or not; 0 if there is none.
  var largestNumber = 0

  /// An entry that is called like a document and is none.
  public struct Problem: Hashable, Sendable {
    /// Why it is none.
    public enum Reason: String, Hashable, Sendable {
      /// The name is no number in plain decimal digits, or too large a one.
      case notANumber
      /// A file stands where a folder should.
      case notAFolder
      /// A symbolic link, which is not followed.
      case link
      /// A folder of the same number, written in lower case, is there as well.
      case duplicate
    }

    /// Equal if all properties are; texts are compared by their bytes.
    public static func == (a: Self, b: Self) -> Bool { a.name == b.name && a.reason == b.reason }

    /// Hashes all properties.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(reason)
    }

    /// The entry's name.
    public let name: String
    /// Why it is no document.
    public let reason: Reason
  }
}

extension LibraryContents.Problem: CustomStringConvertible {
  /// Name and reason in words.
  public var description: String {
    switch reason {
    case .notANumber: "\(name): the name is not a number in plain decimal digits"
    case .notAFolder: "\(name): it is a file, not a folder"
    case .link: "\(name): it is a symbolic link, which is not followed"
    case .duplicate: "\(name): there is a document of the same number"
    }
  }
}

extension DocumentLibrary {
  /// What the library holds, told from names alone: no document is opened.
  /// - Throws: ``LibraryError`` if the folder cannot be read.
  public func contents() throws(LibraryError) -> LibraryContents {
    var contents = LibraryContents()
    var odd: [(name: StorageName, meaning: FolderName.Meaning, kind: StorageStatus.Kind)] = []
    var numbers: [Int] = []
    let `extension` = Array(Model.folderExtension.utf8)
    try reading { () throws(StorageError) in
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

  /// Sorts numbers, none of which is negative; each is there once then. A library's are close together, so that a set of bits does it.
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
    // A folder that changes while it is listed may say a name twice.
    numbers.removeLast(numbers.count - count)
  }

  /// Judges the entries that are not plainly documents.
  private func addOdd(
    _ odd: [(name: StorageName, meaning: FolderName.Meaning, kind: StorageStatus.Kind)],
    to contents: inout LibraryContents
  ) throws(LibraryError) {
    guard !odd.isEmpty else { return }
    var known = Set(contents.numbers)
    for (name, meaning, kind) in odd.sorted(by: { $0.name.bytes.lexicographicallyPrecedes($1.name.bytes) }) {
      func report(_ reason: LibraryContents.Problem.Reason) {
        contents.problems.append(.init(name: name.description, reason: reason))
      }
      guard case .document(let rawNumber, _) = meaning, let number = DocumentNumber(rawNumber) else {
        report(.notANumber)
        continue
      }
      // Whatever it is, the number is never given to a new document.
      contents.largestNumber = max(contents.largestNumber, rawNumber)
      contents.oddNumbers.insert(number)
      var kind = kind
      if kind == .unknown {
        kind = try reading { () throws(StorageError) in try steps.status(of: .root / name)?.kind ?? .unknown }
      }
      switch kind {
      case .folder where known.insert(number).inserted:
        if name != FolderName.name(for: number, extension: Model.folderExtension) { contents.otherNames[number] = name }
        contents.numbers.append(number)
      case .folder: report(.duplicate)
      case .link: report(.link)
      default: report(.notAFolder)
      }
    }
    contents.numbers.sort()
  }

  /// The documents, in the order of their numbers. Nothing of them is read before it is asked for.
  /// - Throws: ``LibraryError`` if the folder cannot be read.
  public func documents() throws(LibraryError) -> [Document<Model>] { try documents(of: contents()) }

  /// The documents of a listing.
  public func documents(of contents: LibraryContents) -> [Document<Model>] {
    contents.numbers.map { number in
      Document(
        self, number,
        contents.otherNames.isEmpty ? nil : contents.otherNames[number])
    }
  }

  /// The number that the next new document gets: the one after the largest, 1 in an empty library.
  /// - Throws: ``LibraryError`` with code ``LibraryError/Code/numbersExhausted`` after the largest number there is.
  public func nextNumber() throws(LibraryError) -> DocumentNumber {
    var largest = try contents().largestNumber
    // A document that is being replaced where that takes two steps still has its number.
    for (name, _) in (try? steps.entries(of: WorkFolder.path)) ?? [] {
      largest = max(largest, WorkFolder.replacedNumber(name) ?? 0)
    }
    guard let next = DocumentNumber(largest)?.next else {
      let name = FolderName.name(for: DocumentNumber(integerLiteral: largest), extension: Model.folderExtension)
      throw LibraryError(
        .numbersExhausted, storage.url(of: .root / name).path, "there is no number after \(largest)",
        remedy: "Give that folder a smaller number")
    }
    return next
  }
}
