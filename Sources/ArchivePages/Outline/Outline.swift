// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// A graph as rows, in the order in which a tree shows them: what is inside of a value follows it, one level deeper.
///
/// An object has a row where it is met first, its home. Where it is met again, a row refers to that one, so an outline is
/// as long as the archive and never loops. All writers of this module draw from an outline. Texts may be anything: each
/// writer makes them harmless in its own way.
package struct Outline: Sendable {
  /// What is shown, such as a file's name.
  package var title: String
  /// What is known of it as a whole, a few words each.
  package var facts: [String] = []
  /// What is wrong with it and what is left out, a sentence each.
  package var remarks: [String] = []
  /// The classes of its objects; the place of a class is also its colour.
  package private(set) var classes: [ClassName] = []
  /// The rows.
  package private(set) var rows: [Row] = []
  /// What more there is to show of a row's value, by the row's place.
  package private(set) var previews: [Int: Preview] = [:]
  /// About how many bytes a page of it has.
  package private(set) var weight = 0
  private var places: [BytewiseString: Int] = [:]

  /// An outline without rows.
  package init(title: String) { self.title = title }

  /// A class and what it inherits from.
  package struct ClassName: Sendable {
    /// Its name.
    package var name: String
    /// Itself and its superclasses, where the archive says them.
    package var chain: [String]
  }

  /// A value with what stands before it.
  package struct Row: Sendable {
    /// How many rows it is inside of.
    package var depth: Int
    /// What stands before it.
    package var label: Label
    /// What it is.
    package var kind: Kind
    /// The place of its class.
    package var classPlace: Int?
    /// The number of its object.
    package var number: UInt32?
    /// What is shown of it in a line.
    package var text: String
    /// The row where the object is shown, if this is not it.
    package var home: Int?

    /// Makes a row.
    package init(
      depth: Int, label: Label, kind: Kind, classPlace: Int? = nil, number: UInt32? = nil, text: String = "",
      home: Int? = nil
    ) {
      self.depth = depth
      self.label = label
      self.kind = kind
      self.classPlace = classPlace
      self.number = number
      self.text = text
      self.home = home
    }
  }

  /// What stands before a value.
  package enum Label: Sendable, Equatable {
    /// Nothing.
    case none
    /// A key path, where the outline does not begin at the top.
    case path(String)
    /// A key.
    case key(String)
    /// The place of an element.
    case element(Int)
    /// The key of a dictionary's pair, as it is shown: a string in quotes, a number.
    case pair(String)
    /// The key of a pair that has a row of its own, and the value that belongs to it.
    case pairKey(Int), pairValue(Int)

    /// The label in words.
    package var text: String {
      switch self {
      case .none: ""
      case .path(let text), .key(let text), .pair(let text): text
      case .element(let index): "[\(index)]"
      case .pairKey(let index): "key [\(index)]"
      case .pairValue(let index): "value [\(index)]"
      }
    }
  }

  /// What a value is. The numbers are those that the page's script knows.
  package enum Kind: Int, Sendable, CaseIterable {
    case null, boolean, number, string, date, url, uuid, data
    /// An object with a class.
    case object
    /// An array or dictionary that is no object.
    case array, dictionary
    case classRecord, damaged
    /// Rows that belong together and are no value.
    case group
    /// Something that is said in place of rows.
    case note
  }

  /// The place of a class, which is added if it is new.
  package mutating func place(ofClass name: String, chain: [String] = []) -> Int {
    if let place = places[BytewiseString(name)] { return place }
    places[BytewiseString(name)] = classes.count
    classes.append(ClassName(name: name, chain: chain))
    weight += 16 + Self.weight(of: name) + chain.reduce(0) { $0 + 3 + Self.weight(of: $1) }
    return classes.count - 1
  }

  /// Adds a row and returns its place.
  @discardableResult
  package mutating func add(_ row: Row, _ preview: Preview? = nil) -> Int {
    rows.append(row)
    weight += 40 + Self.weight(of: row.text) + Self.weight(of: row.label.text)
    if let preview {
      previews[rows.count - 1] = preview
      weight += preview.weight
    }
    return rows.count - 1
  }

  /// How many bytes a text has at most, once it is safe to stand in a page: those with a meaning become six.
  static func weight(of text: String) -> Int {
    text.utf8.reduce(0) { sum, byte in
      switch byte {
      case 0..<0x20, 0x22, 0x26, 0x27, 0x3C, 0x3E, 0x5C, 0x7F: sum + 6
      case 0x80...: sum + 3
      default: sum + 1
      }
    }
  }

  /// For each row, the place behind the last row inside of it.
  package var ends: [Int] {
    var ends = [Int](repeating: rows.count, count: rows.count)
    var open: [Int] = []
    for (place, row) in rows.enumerated() {
      while let last = open.last, rows[last].depth >= row.depth {
        ends[last] = place
        open.removeLast()
      }
      open.append(place)
    }
    return ends
  }
}
