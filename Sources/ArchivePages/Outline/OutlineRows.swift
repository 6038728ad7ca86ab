// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

extension Outline {
  /// The rows of an outline. A row takes 32 bytes, and each text of the last thousands is stored once.
  ///
  /// An outline of a large archive has several rows for each object, and most of their labels are the same keys.
  package struct Rows: RandomAccessCollection, Sendable {
    /// A row as numbers.
    struct Numbers {
      /// The number of the label, as in the JSON of a page.
      var label: Int64
      var depth: Int32
      var classIndex: Int32
      /// The UID; -1 for none or for one that an archive cannot have.
      var number: Int32
      /// The index of the text.
      var text: Int32
      var home: Int32
      var kind: Kind
    }

    private(set) var numbers: ContiguousArray<Numbers> = []
    /// The texts in the order of their first use.
    private(set) var texts: [String] = []
    private var places: [BytewiseString: Int32] = [:]
    /// The maximum number of places. They are forgotten together, because those of a million different numbers would take
    /// as much memory as their rows.
    private static let maximumPlaces = 1 << 15

    package var startIndex: Int { 0 }
    package var endIndex: Int { numbers.count }

    package subscript(place: Int) -> Row {
      let row = numbers[place]
      return Row(
        depth: Int(row.depth), label: label(row.label), kind: row.kind, classIndex: Self.index(row.classIndex),
        number: row.number < 0 ? nil : UInt32(row.number), text: row.text < 0 ? "" : texts[Int(row.text)],
        home: Self.index(row.home))
    }

    mutating func reserveCapacity(_ count: Int) {
      numbers.reserveCapacity(count)
      texts.reserveCapacity(count)
    }

    /// Adds a row. An outline has at most as many rows, texts and classes as a 32-bit number counts.
    mutating func append(_ row: Row) {
      let label = number(of: row.label)
      numbers.append(
        Numbers(
          label: label, depth: Self.number(row.depth), classIndex: Self.number(row.classIndex),
          number: row.number.flatMap { Int32(exactly: $0) } ?? -1,
          text: row.text.isEmpty ? -1 : place(of: row.text), home: Self.number(row.home), kind: row.kind))
    }

    /// Releases the memory that only adding rows needs. A text that is added again is then stored again.
    mutating func endAdding() { places = [:] }

    private static func index(_ number: Int32) -> Int? { number < 0 ? nil : Int(number) }

    private static func number(_ index: Int?) -> Int32 { index.map { Int32(clamping: $0) } ?? -1 }

    private mutating func place(of text: String) -> Int32 {
      if let place = places[BytewiseString(text)] { return place }
      if places.count == Self.maximumPlaces { places.removeAll(keepingCapacity: true) }
      let place = Int32(clamping: texts.count)
      places[BytewiseString(text)] = place
      texts.append(text)
      return place
    }

    private mutating func number(of label: Label) -> Int64 {
      switch label {
      case .none: -1
      case .key(let text): 4 * Int64(place(of: text))
      case .pair(let text): 4 * Int64(place(of: text)) + 1
      case .path(let text): 4 * Int64(place(of: text)) + 2
      case .pairKey(let index): 8 * Int64(index) + 3
      case .pairValue(let index): 8 * Int64(index) + 7
      case .element(let index): -2 - Int64(index)
      }
    }

    private func label(_ number: Int64) -> Label {
      guard number >= 0 else { return number == -1 ? .none : .element(Int(clamping: -2 - number)) }
      return switch number % 4 {
      case 0: .key(texts[Int(clamping: number / 4)])
      case 1: .pair(texts[Int(clamping: number / 4)])
      case 2: .path(texts[Int(clamping: number / 4)])
      default: number % 8 == 3 ? .pairKey(Int(clamping: number / 8)) : .pairValue(Int(clamping: number / 8))
      }
    }
  }
}
