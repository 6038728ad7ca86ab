// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The rules for names that may be unpacked.
enum ZipPath {
  /// The components of a name that leads to a place below the folder it is unpacked to, whatever the system.
  /// - Parameters:
  ///   - name: the name of an entry; one `/` may end it.
  ///   - maximumDepth: how many components to accept.
  /// - Returns: the components, at least one.
  /// - Throws: ``ZipError`` with code `unsafeName`.
  static func components(of name: String, maximumDepth: Int) throws(ZipError) -> [String] {
    func unsafeName(_ reason: String) -> ZipError {
      ZipError(.unsafeName, entry: name, "The name \(reason), so it is not safe to unpack; rename the entry or skip it")
    }
    let bytes = name.utf8
    // Only ASCII is looked for, byte by byte: as a Character, "/" with a combining mark behind it is no "/".
    if bytes.contains(0) { throw unsafeName("holds a NUL byte") }
    if bytes.contains(UInt8(ascii: "\\")) { throw unsafeName("holds a backslash, which separates folders on Windows") }
    let path = bytes.last == UInt8(ascii: "/") ? bytes.dropLast() : bytes[...]
    if path.isEmpty { throw unsafeName("is empty") }
    if path.first == UInt8(ascii: "/") { throw unsafeName("begins with a slash") }
    let second = path.dropFirst().first
    if let first = path.first, second == UInt8(ascii: ":"), first | 0x20 >= 0x61, first | 0x20 <= 0x7A {
      throw unsafeName("begins with a drive letter")
    }
    var components: [String] = []
    for component in path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      let text = String(decoding: component, as: UTF8.self)
      if text.isEmpty { throw unsafeName("has an empty component") }
      if component.elementsEqual(".".utf8) || component.elementsEqual("..".utf8) {
        throw unsafeName("has the component \(text)")
      }
      components.append(text)
      if components.count > maximumDepth { throw unsafeName("is more than \(maximumDepth) components deep") }
    }
    return components
  }
}

extension ZipEntry {
  /// The components of the name, when it leads to a place below the folder it is unpacked to.
  ///
  /// Refused are absolute names and drive letters, the components `.`, `..` and nothing, backslashes and NUL, and what
  /// is too deep. A reader has already refused names that are there twice and files that others lie in. Who unpacks
  /// symbolic links as well must still see to it that nothing is written through one.
  /// - Parameter maximumDepth: how many components to accept.
  /// - Returns: the components, at least one.
  /// - Throws: ``ZipError`` with code `unsafeName`.
  package func safePath(maximumDepth: Int = ZipLimits.default.maximumDepth) throws(ZipError) -> [String] {
    try ZipPath.components(of: name, maximumDepth: maximumDepth)
  }

  /// Whether this is what Apple's Finder leaves beside the content: all below `__MACOSX/`, and files named `.DS_Store`.
  package var isFinderMetadata: Bool {
    let components = name.utf8.split(separator: UInt8(ascii: "/"))
    guard let first = components.first, let last = components.last else { return false }
    return first.elementsEqual("__MACOSX".utf8) || last.elementsEqual(".DS_Store".utf8)
  }
}
