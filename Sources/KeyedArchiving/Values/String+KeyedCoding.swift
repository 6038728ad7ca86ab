// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) package import PropertyListFormat

extension String: SecureKeyedCoding, PrimitiveValue {
  /// `NSString`.
  public static var archiveClassName: String { "NSString" }

  /// `NSMutableString`, which is stored as an object with the key `NS.string`.
  public static var archiveClassAliases: [String] { ["NSMutableString"] }

  package static func accepts(_ item: BinaryItem, _ source: borrowing ArchiveSource) -> Bool {
    item.kind == .ascii || item.kind == .utf16
  }

  @inline(__always)
  package static func read(_ item: BinaryItem, _ source: borrowing ArchiveSource) throws(KeyedArchiveError) -> String {
    guard item.kind == .ascii || item.kind == .utf16 else { throw mismatch(item) }
    return try source.string(item)
  }

  /// Stores the text under `NS.string`.
  public func encode(with coder: KeyedArchiver) { coder.encodeText(self, forKey: "NS.string") }

  /// Reads the text from `NS.string`, or from UTF-8 in `NS.bytes`.
  public init?(coder: KeyedUnarchiver) throws {
    if let text = try coder.bare(String.self, "NS.string") {
      self = text
    } else {
      let bytes = try coder.needed([UInt8].self, "NS.bytes")
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw coder.malformed("'NS.bytes' of a string is not valid UTF-8")
      }
      try coder.checkHashed(text)
      self = text
    }
  }

  /// A bare string. The text `$null` alone would read as nil, so it becomes an object with a key.
  public func _record(in coder: KeyedArchiver) -> _RecordedValue {
    if utf8.count == 5, self == "$null" { return coder.storage.state.note(value: ArchivedMutableString(self)) }
    return _RecordedValue(.string, coder.storage.state.keep(self))
  }

  /// A bare string, or the object that a mutable one is.
  public static func _decode(from uid: ArchiveUID, _ coder: KeyedUnarchiver) throws -> String? {
    try coder.make(bare: String.self, from: uid.rawValue)
  }
}
