// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchives
public import KeyedArchiving
import PropertyListFormat

/// A difference between two archives; see `KeyedArchive.differences(from:ignoring:)`.
public struct ArchiveDifference: Sendable, Equatable {
  /// The kind of a difference.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A key, element or pair was added.
    case added
    /// A key, element or pair was removed.
    case removed
    /// A value or its kind changed.
    case changed
    /// An equal value is stored in another form. Examples are boxed instead of inline values, numbers of another width,
    /// numbered keys, and mutable strings or data.
    case form
    /// Objects have another class, or a class with other superclasses or hints. Reported once per pair of classes, at
    /// the first of their objects.
    case className = "class"
    /// A reference leads to a shared object instead of an unshared one or vice versa, or to another shared object.
    case sharing
    /// The name of the archiver changed.
    case archiver
  }

  /// A value on one side of a difference.
  public enum Value: Sendable, Equatable {
    /// The value nil.
    case null
    /// A primitive; the UID is nil if it is inline.
    case primitive(KeyedArchive.StoredValue, ArchiveUID?)
    /// An object of a class.
    case object(className: String, ArchiveUID)
    /// An inline array.
    case array(count: Int)
    /// An inline dictionary.
    case dictionary(count: Int)
    /// A class record.
    case classRecord(ClassDescription)
    /// An object that other references lead to, with the path of its first occurrence if it is known.
    case shared(ArchiveUID, path: String?)
    /// An object without another counterpart.
    case unshared(ArchiveUID)
    /// The name of an archiver.
    case name(String)
  }

  /// The kind of the difference.
  public var kind: Kind

  /// The key path of the value in the new archive, such as `root.creatures[3].Title`, or in the old archive if the
  /// value was removed. A path of many steps begins with the UID of an object on it, such as `#1234.next.Title`. Very long keys
  /// are shortened.
  public var path: String

  /// The key path in the old archive, if it differs from ``path``.
  public var oldPath: String?

  /// The old value; nil if the value was added.
  public var old: Value?

  /// The new value; nil if the value was removed.
  public var new: Value?

  /// The number of affected objects; greater than 1 only for differences of kind ``Kind/className``.
  public var count = 1
}

extension ArchiveDifference {
  /// Creates the difference of two property lists whose top-level values are of different kinds.
  package init(ofTopLevel old: Value, _ new: Value) {
    self.init(kind: .changed, path: GraphPath.top.description, old: old, new: new)
  }
}

extension ArchiveDifference: CustomStringConvertible {
  /// The difference in one line, such as `changed root.Title: "Ghost" -> "Yeti"`. Long texts are shortened.
  public var description: String {
    let sides = [old, new].compactMap { $0?.description }.joined(separator: " -> ")
    let number = count > 1 ? " (\(count) objects)" : ""
    return "\(kind.rawValue) \(path): \(sides)\(number)"
  }
}

extension ArchiveDifference.Value: CustomStringConvertible {
  /// A short description of the value.
  public var description: String {
    switch self {
    case .null: "nil"
    case .primitive(let value, let uid): Self.text(value) + (uid.map { " \($0)" } ?? "")
    case .object(let name, let uid): "\(MessageText.shortened(name)) \(uid)"
    case .array(let count): "array of \(count)"
    case .dictionary(let count): "dictionary of \(count)"
    case .classRecord(let description):
      ([description.chain.first == description.name ? nil : description.name].compactMap(\.self) + description.chain)
        .map { MessageText.shortened($0) }.joined(separator: " < ")
        + (description.hints.isEmpty
          ? "" : " (or \(description.hints.map { MessageText.shortened($0) }.joined(separator: ", ")))")
    case .shared(let uid, let path): path.map { "the object at \($0)" } ?? "the object \(uid)"
    case .unshared: "an unshared object"
    case .name(let name): "\(MessageText.shortened(name).debugDescription)"
    }
  }

  private static func text(_ value: KeyedArchive.StoredValue) -> String {
    switch value {
    case .string(let text): MessageText.shortened(text).debugDescription
    case .data(let bytes): "<\(bytes.count) bytes>"
    case .boolean(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .wideInteger(let high, let low): "\(WideInteger(high: high, low: low)) (16 bytes)"
    case .float(let value): "\(value) (float)"
    case .double(let value): "\(value)"
    case .date(let value): "\(value) s since 2001"
    case .reference(let uid): "\(uid)"
    case .array(let values): "array of \(values.count)"
    case .dictionary(let entries): "dictionary of \(entries.count)"
    }
  }
}
