// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchives
public import KeyedArchiving
import PropertyListFormat

/// One thing in which two archives differ; see `KeyedArchive.differences(from:ignoring:)`.
public struct ArchiveDifference: Sendable, Equatable {
  /// What kind of difference it is.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A key, an element or a pair is there that was not.
    case added
    /// A key, an element or a pair is not there any more.
    case removed
    /// A value is another, or of another kind.
    case changed
    /// A value is the same and stored in another form: a number or text inside its object instead of as an object of its
    /// own, an integer or a real of another width, elements under numbered keys, a string or data that can change.
    case form
    /// Objects have another class, or one with other superclasses or hints. ValueRecorder once for each two classes, where objects
    /// of them are met first.
    case className = "class"
    /// A reference leads to an object that others refer to, where it led to one of its own; or the other way round; or to
    /// another one that others refer to.
    case sharing
    /// The archiver has another name.
    case archiver
  }

  /// What is on one side of a difference.
  public enum Value: Sendable, Equatable {
    /// Nil.
    case null
    /// A number, boolean, text, data or date, with its object's number where it is an object of its own.
    case plain(KeyedArchive.StoredValue, ArchiveUID?)
    /// An object of a class.
    case object(className: String, ArchiveUID)
    /// An array inside an object, of so many elements, which is no object itself.
    case array(count: Int)
    /// A dictionary inside an object, of so many keys, which is no object itself.
    case dictionary(count: Int)
    /// A class.
    case classRecord(ClassDescription)
    /// An object that stands at another place too, which is named where it is known.
    case shared(ArchiveUID, path: String?)
    /// An object that nothing else was compared with.
    case unshared(ArchiveUID)
    /// The name of an archiver.
    case name(String)
  }

  /// What kind of difference it is.
  public var kind: Kind

  /// Where it is, such as `root.creatures[3].Title`: the way from the top of the new archive, or of the old one if the
  /// value is only there. A way of many steps begins with the number of an object on it, `#1234.next.Title`.
  public var path: String

  /// The way in the old archive, if that is another one.
  public var oldPath: String?

  /// What was there; nil if there was nothing.
  public var old: Value?

  /// What is there; nil if there is nothing.
  public var new: Value?

  /// How many objects the difference concerns: more than one only for another class.
  public var count = 1
}

extension ArchiveDifference: CustomStringConvertible {
  /// The difference in a line, such as `changed root.Title: "Ghost" -> "Yeti"`. Long texts are cut.
  public var description: String {
    let sides = [old, new].compactMap { $0?.description }.joined(separator: " -> ")
    let number = count > 1 ? " (\(count) objects)" : ""
    return "\(kind.rawValue) \(path): \(sides)\(number)"
  }
}

extension ArchiveDifference.Value: CustomStringConvertible {
  /// The value in a few words.
  public var description: String {
    switch self {
    case .null: "nil"
    case .plain(let value, let uid): Self.text(value) + (uid.map { " \($0)" } ?? "")
    case .object(let name, let uid): "\(MessageText.shortened(name)) \(uid)"
    case .array(let count): "array of \(count)"
    case .dictionary(let count): "dictionary of \(count)"
    case .classRecord(let description):
      ([description.chain.first == description.name ? nil : description.name].compactMap(\.self) + description.chain)
        .map { MessageText.shortened($0) }.joined(separator: " < ")
        + (description.hints.isEmpty
          ? "" : " (or \(description.hints.map { MessageText.shortened($0) }.joined(separator: ", ")))")
    case .shared(let uid, let path): path.map { "the object at \($0)" } ?? "the object \(uid)"
    case .unshared: "an object of its own"
    case .name(let name): "\(MessageText.shortened(name).debugDescription)"
    }
  }

  private static func text(_ value: KeyedArchive.StoredValue) -> String {
    switch value {
    case .string(let text): MessageText.shortened(text).debugDescription
    case .data(let bytes): "<\(bytes.count) bytes>"
    case .boolean(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .wideInteger(let value): "\(value) (16 bytes)"
    case .float(let value): "\(value) (float)"
    case .double(let value): "\(value)"
    case .date(let value): "\(value) s since 2001"
    case .reference(let uid): "\(uid)"
    case .array(let values): "array of \(values.count)"
    case .dictionary(let entries): "dictionary of \(entries.count)"
    }
  }
}
