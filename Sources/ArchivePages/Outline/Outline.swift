// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// A graph as the rows of a tree: the contents of a value follow it, one level deeper.
///
/// The home of an object is the row of its first occurrence; later rows refer to that row. An outline is therefore as
/// long as the archive and has no cycles. All writers of this module read outlines. Texts may contain anything, so each
/// writer escapes them.
package struct Outline: Sendable {
  /// The title, such as a file name.
  package var title: String
  /// Properties of the archive, a few words each.
  package var facts: [String] = []
  /// Problems and omissions, a sentence each.
  package var remarks: [String] = []
  /// The classes of the objects; the index of a class determines its color.
  package private(set) var classes: [ClassName] = []
  package private(set) var rows = Rows()
  /// The previews of values by row.
  package private(set) var previews: [Int: Preview] = [:]
  /// The approximate size of a page in bytes.
  package private(set) var weight = 0
  private var places: [BytewiseString: Int] = [:]

  package init(title: String) { self.title = title }

  /// A class with its superclass chain.
  package struct ClassName: Sendable {
    package var name: String
    /// The class and its superclasses, if the archive has them.
    package var chain: [String]
  }

  /// A value with its label.
  package struct Row: Sendable {
    /// The number of enclosing rows.
    package var depth: Int
    package var label: Label
    package var kind: Kind
    /// The index of its class.
    package var classIndex: Int?
    /// The UID of its object.
    package var number: UInt32?
    /// The value in a line.
    package var text: String
    /// The row of the object's first occurrence, if it is another one.
    package var home: Int?

    package init(
      depth: Int, label: Label, kind: Kind, classIndex: Int? = nil, number: UInt32? = nil, text: String = "",
      home: Int? = nil
    ) {
      self.depth = depth
      self.label = label
      self.kind = kind
      self.classIndex = classIndex
      self.number = number
      self.text = text
      self.home = home
    }
  }

  /// The label of a value.
  package enum Label: Sendable, Equatable {
    case none
    /// A key path, at the start of a partial outline.
    case path(String)
    case key(String)
    /// The index of an element.
    case element(Int)
    /// A dictionary key as text: a string in quotes, or a number.
    case pair(String)
    /// A dictionary key with its own row, and its value.
    case pairKey(Int), pairValue(Int)

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

  /// The kind of a value. The page's script uses the raw values.
  package enum Kind: UInt8, Sendable, CaseIterable {
    case null, boolean, number, string, date, url, uuid, data
    case object
    /// An inline array or dictionary.
    case array, dictionary
    case classRecord, damaged
    /// A group of rows; not a value.
    case group
    /// A remark in place of rows.
    case note

    /// Whether the rows that follow can be the content of the value.
    var isContainer: Bool { [.object, .array, .dictionary].contains(self) }
  }

  /// Returns the index of a class, which is added if its name is new. A class with a known name has the first one's chain.
  package mutating func index(ofClass name: String, chain: [String] = []) -> Int {
    if let place = places[BytewiseString(name)] { return place }
    places[BytewiseString(name)] = classes.count
    classes.append(ClassName(name: name, chain: chain))
    weight += 16 + Self.weight(of: name) + chain.reduce(0) { $0 + 3 + Self.weight(of: $1) }
    return classes.count - 1
  }

  /// Reserves memory for a number of rows.
  package mutating func reserveRows(_ count: Int) { rows.reserveCapacity(count) }

  /// Releases the memory that only adding rows needs.
  package mutating func endAdding() { rows.endAdding() }

  /// Adds a row.
  /// - Returns: Its index.
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

  /// Returns the maximum size of a text in a page, where escaped bytes take six.
  static func weight(of text: String) -> Int {
    text.utf8.reduce(0) { sum, byte in
      switch byte {
      case 0..<0x20, 0x22, 0x26, 0x27, 0x3C, 0x3E, 0x5C, 0x7F: sum + 6
      case 0x80...: sum + 3
      default: sum + 1
      }
    }
  }

  /// For each row, the index after its last contained row.
  package var ends: [Int] {
    var ends = [Int](repeating: rows.count, count: rows.count)
    var open: [Int] = []
    for (place, row) in rows.numbers.enumerated() {
      while let last = open.last, rows.numbers[last].depth >= row.depth {
        ends[last] = place
        open.removeLast()
      }
      open.append(place)
    }
    return ends
  }
}
