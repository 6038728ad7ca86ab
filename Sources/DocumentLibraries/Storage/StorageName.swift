// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The name of a file or folder, which is bytes: a disk may hold names that are no text.
public struct StorageName: Hashable, Sendable {
  /// The bytes, without a terminating zero.
  public let bytes: [UInt8]

  /// Makes a name from its bytes.
  public init(bytes: [UInt8]) { self.bytes = bytes }

  /// Makes a name from a text.
  public init(_ text: String) { bytes = Array(text.utf8) }

  /// Whether it names an entry of the folder it stands in: not empty, no separator, neither `.` nor `..`.
  public var isPlain: Bool {
    !bytes.isEmpty && bytes != [0x2E] && bytes != [0x2E, 0x2E] && !bytes.contains { $0 == 0x2F || $0 == 0 }
  }

  /// Whether listings leave it out.
  public var isHidden: Bool { bytes.first == 0x2E }
}

extension StorageName: CustomStringConvertible, ExpressibleByStringLiteral {
  /// The name as text; bytes that are no text are shown as the replacement character.
  public var description: String { String(decoding: bytes, as: UTF8.self) }

  /// Makes a name from a literal.
  public init(stringLiteral value: String) { self.init(value) }
}

/// A place in a storage: the names on the way from its root, none for the root itself.
public struct StoragePath: Hashable, Sendable {
  /// The names, outermost first.
  public var names: [StorageName]

  /// Makes a path.
  public init(_ names: [StorageName] = []) { self.names = names }

  /// The root.
  public static let root = StoragePath()

  /// The entry of this folder with a name.
  public static func / (folder: Self, name: StorageName) -> Self { Self(folder.names + [name]) }

  /// The folder it is in; the root for the root.
  public var folder: StoragePath { StoragePath(Array(names.dropLast())) }
}

extension StoragePath: CustomStringConvertible, ExpressibleByStringLiteral {
  /// The names with slashes between; `.` for the root.
  public var description: String { names.isEmpty ? "." : names.map(\.description).joined(separator: "/") }

  /// Makes a path of one name.
  public init(stringLiteral value: String) { self.init([StorageName(value)]) }
}
