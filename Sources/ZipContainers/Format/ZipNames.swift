// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The names of a ZIP file. Each is unique, and none is both a file and a folder.
///
/// Names that differ only in the composition of accents are equal, as on file systems of Apple platforms.
struct ZipNames {
  private var entries: [String: (number: Int, isFolder: Bool)] = [:]
  /// The folders of all names, whether they are entries or not.
  private var parents: Set<String> = []
  /// The maximum number of parents to check. Deeper names are unsafe in any case.
  private let maximumDepth: Int

  init(maximumDepth: Int) { self.maximumDepth = maximumDepth }

  /// The number of the entry with a name, with or without a `/` at the end.
  subscript(name: String) -> Int? { Self.isComparable(name) ? entries[Self.key(name)]?.number : nil }

  /// A name that can be inserted as long as no other one is.
  struct Place {
    fileprivate let key: String
    fileprivate let isFolder: Bool
    /// The folders that no other name is in.
    fileprivate let newParents: [String]
  }

  /// Checks a name.
  /// - Throws: ``ZipError`` with code `badName` or `duplicateName`.
  func place(for name: String, isFolder: Bool, at byteOffset: Int? = nil) throws(ZipError) -> Place {
    guard Self.isComparable(name) else {
      throw ZipError(
        .badName, at: byteOffset, entry: name,
        "invalid name: found more than \(Self.maximumMarks) combining marks in a row")
    }
    let key = Self.key(name)
    guard entries[key] == nil else {
      throw ZipError(
        .duplicateName, at: byteOffset, entry: name,
        "duplicate name: another entry has it too, perhaps with its accents composed in another way")
    }
    if !isFolder, parents.contains(key) { throw Self.conflict(name, key, at: byteOffset) }
    var newParents: [String] = []
    var path = key.utf8[...]
    for _ in 0..<max(0, maximumDepth) {
      guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { break }
      path = path[..<slash]
      let parent = String(decoding: path, as: UTF8.self)
      // A known folder was checked before, together with its parents.
      if parents.contains(parent) { break }
      if let entry = entries[parent], !entry.isFolder { throw Self.conflict(name, parent, at: byteOffset) }
      newParents.append(parent)
    }
    return Place(key: key, isFolder: isFolder, newParents: newParents)
  }

  /// Inserts a name; its number is used for lookup.
  mutating func insert(_ place: Place, number: Int = 0) {
    parents.formUnion(place.newParents)
    entries[place.key] = (number, place.isFolder)
  }

  /// The maximum number of combining marks in a row. Swift sorts marks to compare strings, in quadratic time.
  private static let maximumMarks = 127

  /// Returns whether a name can be compared in linear time.
  private static func isComparable(_ name: String) -> Bool {
    // A combining mark has at least two bytes.
    guard name.utf8.count > 2 * maximumMarks else { return true }
    var run = 0
    for scalar in name.unicodeScalars {
      switch scalar.value {
      case 0..<0x300: run = 0
      // These are letters that decompose into two marks.
      case 0xF73, 0xF75, 0xF81: run += 2
      default: run = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : run + 1
      }
      if run > maximumMarks { return false }
    }
    return true
  }

  private static func key(_ name: String) -> String {
    name.utf8.last == UInt8(ascii: "/") ? String(decoding: name.utf8.dropLast(), as: UTF8.self) : name
  }

  private static func conflict(_ name: String, _ file: String, at byteOffset: Int?) -> ZipError {
    ZipError(
      .duplicateName, at: byteOffset, entry: name,
      "conflicting names: \(file.debugDescription) is a file and a folder")
  }
}
