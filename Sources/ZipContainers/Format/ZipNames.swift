// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The names of a ZIP file, each of them once, and none of them both a file and a folder.
///
/// Names that differ only in how accents are composed count as the same: file systems of Apple platforms say so too.
struct ZipNames {
  private var entries: [String: (number: Int, isFolder: Bool)] = [:]
  /// The folders that names lie in, named themselves or not.
  private var parents: Set<String> = []
  /// How many folders above a name are looked at; deeper names are not safe anyway.
  private let maximumDepth: Int

  init(maximumDepth: Int) { self.maximumDepth = maximumDepth }

  /// The number of the entry with this name, a `/` at the end or not.
  subscript(name: String) -> Int? { Self.isComparable(name) ? entries[Self.key(name)]?.number : nil }

  /// Notes a name, unless it is refused.
  /// - Throws: ``ZipError`` with code `duplicateName`.
  mutating func insert(_ name: String, isFolder: Bool, number: Int, at byteOffset: Int? = nil) throws(ZipError) {
    guard Self.isComparable(name) else {
      throw ZipError(
        .badName, at: byteOffset, entry: name,
        "The name has more than \(Self.mostMarks) combining marks in a row, so it cannot be compared with other names")
    }
    let key = Self.key(name)
    guard entries[key] == nil else {
      throw ZipError(
        .duplicateName, at: byteOffset, entry: name, "The name is there twice, so it is not clear which entry it means")
    }
    if !isFolder, parents.contains(key) { throw Self.conflict(name, key, at: byteOffset) }
    var newParents: [String] = []
    var path = key.utf8[...]
    for _ in 0..<max(0, maximumDepth) {
      guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { break }
      path = path[..<slash]
      let parent = String(decoding: path, as: UTF8.self)
      // What is noted was looked at before, and all folders above it.
      if parents.contains(parent) { break }
      if let entry = entries[parent], !entry.isFolder { throw Self.conflict(name, parent, at: byteOffset) }
      newParents.append(parent)
    }
    parents.formUnion(newParents)
    entries[key] = (number, isFolder)
  }

  /// Swift puts marks in order to compare them, which takes a time that grows with the square of their number.
  private static let mostMarks = 127

  /// Whether a name can be compared with others in a time in proportion to its length.
  private static func isComparable(_ name: String) -> Bool {
    // A mark has at least two bytes.
    guard name.utf8.count > 2 * mostMarks else { return true }
    var run = 0
    for scalar in name.unicodeScalars {
      switch scalar.value {
      case 0..<0x300: run = 0
      // These count as letters, and are two marks when they are normalized.
      case 0xF73, 0xF75, 0xF81: run += 2
      default: run = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : run + 1
      }
      if run > mostMarks { return false }
    }
    return true
  }

  private static func key(_ name: String) -> String {
    name.utf8.last == UInt8(ascii: "/") ? String(decoding: name.utf8.dropLast(), as: UTF8.self) : name
  }

  private static func conflict(_ name: String, _ file: String, at byteOffset: Int?) -> ZipError {
    ZipError(
      .duplicateName, at: byteOffset, entry: name,
      "\(file.debugDescription) is the name of a file and of a folder that another entry lies in")
  }
}
