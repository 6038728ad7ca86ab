// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

extension KeyLayoutCache {
  struct KeyLayout {
    /// The offset of the key references of the first dictionary with this layout.
    var content: Int
    var count: Int
    /// The index of the first key in ``KeyLayoutCache/names``.
    var firstName: Int
    /// The position of `$class` among the keys; -1 if it is absent.
    var classPosition: Int
    /// Whether a key may have a longer run of combining marks than Swift's rules can hash in bounded time.
    var mayHaveLongMarks = false
    /// The containers whose values have these keys; nil until a `Codable` type asks for one.
    var containerForms: ContainerForms?
    /// The index in ``RecentAbsentKeys`` of the key that was last found to be absent, if it is still there; -1 for
    /// none.
    var absent: Int8 = -1
    /// The next layout in the same bucket; -1 if this is the last.
    var next: Int32
  }

  struct Name {
    /// The key that the caller uses, without the escape of a leading `$` in the file.
    var text: String
    /// Whether the key is one of the archiver's own, such as `$class` or `$0`, which a caller's key cannot equal.
    var isRaw: Bool
    var isASCII: Bool
    /// The index in ``KeyLayoutCache/markChecks``; -1 for a key that is certainly hashable in bounded time.
    var markCheck: Int32 = -1
    /// The hash of a long key, because many layouts can share it; 0 for others.
    var hash: UInt32 = 0

    @inline(__always)
    var isPlainASCII: Bool { isASCII && !isRaw }

    /// Whether the file stores the key with another `$` in front.
    var isEscaped: Bool { !isRaw && text.utf8.first == UInt8(ascii: "$") }
  }

  /// A key in the index of a layout. The hash of a long one is known.
  struct IndexedKey: Hashable {
    let text: String
    let hash: UInt32

    /// Creates a key of a layout.
    init(_ name: Name) {
      text = name.text
      hash = name.hash
    }

    /// Creates a key to search for.
    init(_ text: String) {
      self.text = text
      hash = Self.hash(of: text)
    }

    static func == (a: Self, b: Self) -> Bool { a.hash == b.hash && a.text.hasSameBytes(as: b.text) }

    func hash(into hasher: inout Hasher) {
      if hash != 0 { hasher.combine(hash) } else { BytewiseString(text).hash(into: &hasher) }
    }

    /// Returns the hash of a long key; 0 for others, which take less time to hash than to keep a hash.
    static func hash(of text: String) -> UInt32 {
      text.utf8.count > 64 ? max(1, UInt32(truncatingIfNeeded: BytewiseString(text).hashValue)) : 0
    }
  }
}
