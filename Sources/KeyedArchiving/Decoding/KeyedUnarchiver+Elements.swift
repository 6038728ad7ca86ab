// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

// The elements of a collection whose type is known: as with single objects, only what depends on the type is compiled
// where the type is.
extension KeyedUnarchiver {
  /// The elements of the collection that is being decoded.
  @inlinable
  func typedElements<Element: KeyedCoding>() throws -> [Element] {
    guard let count = try beginElements() else { return try numberedElements() }
    var elements: [Element] = []
    elements.reserveCapacity(count)
    for place in 0..<count {
      guard let element = try Element._decode(from: ArchiveUID(rawValue: elementUID(place)), self) else {
        throw nilElement()
      }
      elements.append(element)
    }
    endElements()
    return elements
  }

  /// Makes the elements the innermost scope; returns how many there are, or nil if each has a key of its own.
  @usableFromInline
  func beginElements() throws -> Int? {
    guard let item = try storage.state.value(forKey: "NS.objects") else { return nil }
    return try storage.state.openElements(item, .elements, key: "NS.objects")
  }

  @usableFromInline
  func elementUID(_ place: Int) throws -> UInt32 { try storage.state.element(place) }

  @usableFromInline
  func endElements() { storage.state.closeElements() }

  @usableFromInline
  func numberedElements<Element: KeyedCoding>() throws -> [Element] {
    try elements(.objects, path: .elements) { try Element._decode(from: ArchiveUID(rawValue: $0), self) }
  }
}
