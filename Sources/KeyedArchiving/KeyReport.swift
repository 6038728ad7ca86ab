// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat

/// The keys for which an archive and the types that decode it disagree, or that a type encoded twice.
///
/// ```swift
/// let (creature, keys) = try KeyedArchiveDecoder().decodeReportingKeys(Creature.self, from: data)
/// print(keys)
/// // root.friends[3], 'Zoo.Creature': not requested: 'title'; requested, but not in the archive: 'titel'
/// ```
///
/// `decodeReportingKeys(_:from:)` and ``KeyedUnarchiver/keyReport`` return the
/// report of a decode. ``KeyedArchiveDecoder/keyReportHandler`` and ``KeyedArchiveEncoder/keyReportHandler`` receive
/// reports that are not empty.
///
/// The lists are in a deterministic order: the top level first, then the objects in the order in which the archive
/// stores them. The keys of one object are in the order of their bytes.
public struct KeyReport: Sendable, Hashable {
  /// A key of an object of the archive, or of the top level.
  public struct Entry: Sendable, Hashable {
    /// The path to the object, as error messages show it, such as `root.creatures[3]`. It is `$top` for a top-level key.
    ///
    /// An object that is reached on several paths has the shortest one, and among several of those the first in the
    /// order of the file. The path begins at the object's UID, such as `#7`, if the archive has too many long paths.
    public var path: String

    /// The class name of the object in the archive; nil for the top level.
    public var className: String?

    /// The key, as a type requests it.
    public var key: String

    /// Whether the object is a dictionary that was decoded by a nested container of a `Codable` type, and the key is one
    /// of its keys.
    public var isDictionaryKey: Bool

    /// The UID of the object in `$objects`; nil for the top level, and for entries that a program made.
    ///
    /// Equal entries may have different UIDs: those of one object differ from archive to archive.
    public internal(set) var uid: ArchiveUID?

    /// Creates an entry.
    /// - Parameters:
    ///   - path: The path to the object.
    ///   - className: The class name of the object; nil for the top level.
    ///   - key: The key.
    ///   - isDictionaryKey: Whether the object is a dictionary, and the key is one of its keys.
    public init(path: String, className: String?, key: String, isDictionaryKey: Bool = false) {
      self.path = path
      self.className = className
      self.key = key
      self.isDictionaryKey = isDictionaryKey
    }
  }

  /// The keys in the archive that no call requested: those of decoded objects, and top-level keys.
  ///
  /// Every call that names a key requests it, also `containsValue(forKey:)` and `contains(_:)`, and also in an
  /// initializer that failed. Listing the keys with `allKeys` requests none. To ignore a key on purpose, call
  /// `containsValue(forKey:)` or `contains(_:)` for it.
  ///
  /// The keys of an object that was never decoded have no entries. The unread key that refers to the object has one.
  ///
  /// Values of types of Swift, Foundation and this package never have entries. Examples are `Date`, arrays and
  /// `ArchivedColor`. Other systems and versions archive keys that these types do not need.
  public var unreadKeys: [Entry]

  /// The keys that were requested by calls that return nil, zero or `false` for an absent key, and that are absent.
  ///
  /// These are the calls with the names of `NSCoder`: `decodeObject(of:forKey:)`, `decodeInteger(forKey:)` and similar
  /// methods. With them, a program cannot distinguish a misspelt key from a stored zero.
  public var absentKeys: [Entry]

  /// The other requested keys that are absent.
  ///
  /// They were requested by `decodeIfPresent`, `containsValue(forKey:)` or `contains(_:)`, or by a call whose error the
  /// program caught.
  ///
  /// They are usual, for example for each optional property that is nil. Beside an unread key of the same object, one of
  /// them can be a misspelling of that key.
  public var absentOptionalKeys: [Entry]

  /// The keys for which one object, or the top level, encoded several values, of which only the last is archived.
  ///
  /// Only the report of an encoder has them, with ``KeyedArchiver/RepeatedKeyPolicy/keepLast``.
  public var repeatedKeys: [Entry]

  /// Creates a report.
  /// - Parameters:
  ///   - unreadKeys: The keys in the archive that no call requested.
  ///   - absentKeys: The requested keys that are absent, of calls that return nil, zero or `false` for them.
  ///   - absentOptionalKeys: The other requested keys that are absent.
  ///   - repeatedKeys: The keys for which several values were encoded.
  public init(
    unreadKeys: [Entry] = [], absentKeys: [Entry] = [], absentOptionalKeys: [Entry] = [], repeatedKeys: [Entry] = []
  ) {
    self.unreadKeys = unreadKeys
    self.absentKeys = absentKeys
    self.absentOptionalKeys = absentOptionalKeys
    self.repeatedKeys = repeatedKeys
  }

  /// Whether the archive and the types agree: ``unreadKeys``, ``absentKeys`` and ``repeatedKeys`` are empty.
  ///
  /// ``absentOptionalKeys`` do not count.
  public var isEmpty: Bool { unreadKeys.isEmpty && absentKeys.isEmpty && repeatedKeys.isEmpty }
}

extension KeyReport.Entry {
  /// Creates an entry for a key of an object, whose UID is 0 for the top level.
  init(_ path: String, _ className: String?, _ key: String, _ isDictionaryKey: Bool, of uid: UInt32) {
    self.init(path: path, className: className, key: key, isDictionaryKey: isDictionaryKey)
    self.uid = uid == 0 ? nil : ArchiveUID(rawValue: uid)
  }

  /// The path to the value of the key, as error messages show it, such as `root.creatures[3].title`.
  public var keyPath: String {
    if isDictionaryKey { return "\(path)[\(key.debugDescription)]" }
    return className == nil ? key : "\(path).\(key)"
  }

  /// Returns whether two entries have the same texts, compared by their bytes. Their UIDs may differ.
  /// - Parameters:
  ///   - a: An entry.
  ///   - b: Another entry.
  /// - Returns: Whether the entries are equal.
  public static func == (a: Self, b: Self) -> Bool {
    a.isDictionaryKey == b.isDictionaryKey && a.key == b.key && a.className == b.className && a.path == b.path
  }

  /// Hashes the texts of the entry.
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(BytewiseString(path))
    hasher.combine(BytewiseString(key))
  }
}

extension KeyReport.Entry: CustomStringConvertible {
  /// The key, the class and the path, as one line.
  public var description: String { "'\(MessageText.plain(MessageText.shortened(key)))' of \(place)" }

  /// The object, as messages name it.
  fileprivate var place: String {
    let path = MessageText.plain(MessageText.shortened(path))
    return className.map { "\(path), '\(MessageText.plain(MessageText.shortened($0)))'" } ?? path
  }
}

extension KeyReport: CustomStringConvertible {
  /// The maximum number of objects in a description.
  private static let maximumLineCount = 20

  /// The unread, absent and repeated keys, with a line for each object. At most 20 objects are shown.
  ///
  /// Names from the archive are shortened, and unusual characters are escaped. Absent optional keys are only listed for
  /// objects with unread keys, which they can explain.
  public var description: String {
    var lines: [Line] = []
    var numbers: [BytewiseString: Int] = [:]
    func add(_ entries: [Entry], _ list: WritableKeyPath<Line, [String]>, always: Bool = true) {
      for entry in entries {
        let path = BytewiseString(entry.path)
        if let number = numbers[path] {
          lines[number][keyPath: list].append(entry.key)
        } else if always {
          numbers[path] = lines.count
          lines.append(Line(place: entry.place))
          lines[lines.count - 1][keyPath: list].append(entry.key)
        }
      }
    }
    add(unreadKeys, \.unread)
    add(absentOptionalKeys, \.absent, always: false)
    add(absentKeys, \.absent)
    add(repeatedKeys, \.repeated)
    guard !lines.isEmpty else { return "no unread, absent or repeated keys" }
    let more = lines.count - Self.maximumLineCount
    return (lines.prefix(Self.maximumLineCount).map(\.text) + (more > 0 ? ["and \(more) more objects"] : []))
      .joined(separator: "\n")
  }

  /// The keys of one object.
  private struct Line {
    var place: String
    var unread: [String] = []
    var absent: [String] = []
    var repeated: [String] = []

    var text: String {
      let parts = [
        ("not requested", unread), ("requested, but not in the archive", absent), ("encoded more than once", repeated),
      ]
      return "\(place): "
        + parts.filter { !$0.1.isEmpty }.map { "\($0.0): \(MessageText.list($0.1))" }.joined(separator: "; ")
    }
  }
}

/// The keys that objects encoded more than once. In the end each has an entry with the first object of its class, in the
/// order of the archive. That order and the paths are known when the archive is written.
struct RepeatedKeys {
  private var topKeys: [String] = []
  /// The keys of dictionaries that are nested containers, with the UIDs of these.
  private var nested: [(uid: UInt32, key: String)] = []
  var entries: [KeyReport.Entry] = []

  /// Whether only the last of two values was kept anywhere, apart from objects. The layouts of these tell their keys.
  var isEmpty: Bool { topKeys.isEmpty && nested.isEmpty && entries.isEmpty }

  mutating func add(topLevel key: String) { topKeys.append(key) }

  mutating func add(_ keys: [String], ofNested uid: UInt32) { for key in keys { nested.append((uid, key)) } }

  /// Assigns new UIDs.
  mutating func renumber(_ numbers: [UInt32]) {
    for index in nested.indices { nested[index].uid = numbers[Int(nested[index].uid)] }
  }

  /// A key of an object; the UID is 0 for the top level.
  struct Place {
    var uid: UInt32
    var className: String?
    var key: String
    var isDictionaryKey = false
  }

  /// Returns the first place of each key of a class: the top level first, then the objects by their UIDs. The keys of one
  /// object are in the order of their bytes.
  func firstPlaces(of objects: [Place]) -> [Place] {
    struct ClassKey: Hashable {
      var className: BytewiseString?
      var key: BytewiseString
    }
    var places = topKeys.map { Place(uid: 0, key: $0) } + objects
    places += nested.map { Place(uid: $0.uid, className: "NSDictionary", key: $0.key, isDictionaryKey: true) }
    places.sort { $0.uid != $1.uid ? $0.uid < $1.uid : $0.key < $1.key }
    var known: Set<ClassKey> = []
    return places.filter {
      known.insert(ClassKey(className: $0.className.map { BytewiseString($0) }, key: BytewiseString($0.key))).inserted
    }
  }

  /// Returns the entries of places. An object without a path, which only a lost value led to, is named by its UID.
  static func entries(of places: [Place], in archive: Data) throws -> [KeyReport.Entry] {
    let paths = try KeyedUnarchiver.paths(to: places.map(\.uid), in: archive)
    return places.map { place in
      let path = place.uid == 0 ? "$top" : paths[place.uid] ?? "\(ArchiveUID(rawValue: place.uid))"
      return KeyReport.Entry(path, place.className, place.key, place.isDictionaryKey, of: place.uid)
    }
  }
}

extension ArchiverState {
  /// Returns the first places of all repeated keys, after the objects have their final UIDs.
  func placesOfRepeatedKeys() -> [RepeatedKeys.Place] {
    guard trie.hasRepeatedKeys || !repeatedKeys.isEmpty else { return [] }
    var objects: [RepeatedKeys.Place] = []
    // A layout belongs to one class.
    var seen: Set<Int> = []
    for uid in 0..<entries.count where trie.hasRepeatedKeys && entries[uid].kind == .object {
      let layout = entries[uid].keyLayout
      guard let keys = trie.repeatedKeys[Int32(truncatingIfNeeded: layout)], seen.insert(layout).inserted else {
        continue
      }
      let name = types[Int(trie.keyLayouts[layout].type)].name
      for key in keys { objects.append(.init(uid: UInt32(truncatingIfNeeded: uid), className: name, key: key)) }
    }
    return repeatedKeys.firstPlaces(of: objects)
  }
}
