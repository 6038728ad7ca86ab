// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The name of a file or folder. A name consists of bytes, because a disk can hold names that are not valid UTF-8.
public struct StorageName: Hashable, Sendable {
  /// The bytes, without a terminating zero.
  public let bytes: [UInt8]

  /// Creates a name from bytes.
  /// - Parameter bytes: The bytes, without a terminating zero.
  public init(bytes: [UInt8]) { self.bytes = bytes }

  /// Creates a name from a string.
  /// - Parameter text: The name.
  public init(_ text: String) { bytes = Array(text.utf8) }

  /// A Boolean value that indicates whether the name can be an entry of a folder. It is not empty, `.` or `..`, and has
  /// no slash.
  public var isPlain: Bool {
    !bytes.isEmpty && bytes != [0x2E] && bytes != [0x2E, 0x2E] && !bytes.contains { $0 == 0x2F || $0 == 0 }
  }

  /// A Boolean value that indicates whether the name begins with a dot.
  public var isHidden: Bool { bytes.first == 0x2E }
}

extension StorageName: CustomStringConvertible, ExpressibleByStringLiteral {
  /// The name as text. Invalid UTF-8 appears as replacement characters.
  public var description: String { String(decoding: bytes, as: UTF8.self) }

  /// Creates a name from a literal.
  /// - Parameter value: The name.
  public init(stringLiteral value: String) { self.init(value) }
}

/// A path in a storage: the names from the root to an entry. The root has an empty path.
public struct StoragePath: Hashable, Sendable {
  /// The names, outermost first.
  public var names: [StorageName]

  /// Creates a path.
  /// - Parameter names: The names, outermost first.
  public init(_ names: [StorageName] = []) { self.names = names }

  /// The root.
  public static let root = StoragePath()

  /// Returns the path of an entry of a folder.
  /// - Parameters:
  ///   - folder: The path of the folder.
  ///   - name: The name of the entry.
  /// - Returns: The path of the entry.
  public static func / (folder: Self, name: StorageName) -> Self { Self(folder.names + [name]) }

  /// The path of the parent; the root for the root.
  public var folder: StoragePath { StoragePath(Array(names.dropLast())) }
}

extension StoragePath: CustomStringConvertible, ExpressibleByStringLiteral {
  /// The names separated by slashes; `.` for the root.
  public var description: String { names.isEmpty ? "." : names.map(\.description).joined(separator: "/") }

  /// Creates a path of one name.
  /// - Parameter value: The name.
  public init(stringLiteral value: String) { self.init([StorageName(value)]) }
}
