// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The open containers of a graph, whose lines are taken one by one.
///
/// A graph can have a hundred thousand open containers, or one with a million values. The lines of a small container are
/// made when it opens, and removed when they are taken. Those of a large one are made when they are taken.
package struct OpenContainers {
  private struct Container {
    /// The number of lines of enclosing containers; -1 for a large container.
    let floor: Int
    /// The number of omitted elements or pairs.
    let hidden: Int
  }

  private var containers = PartedStack<Container>()
  private var innermost: Container?
  /// The lines of small containers; the next one is the last.
  private var lines = PartedStack<GraphReader.Line>()
  private var large: [GraphReader.Values] = []
  /// The number of values of the largest small container.
  private static let smallCount = 16

  package init() {}

  /// The number of open containers.
  package var count: Int { innermost == nil ? 0 : containers.count + 1 }

  /// The number of omitted elements or pairs of the innermost container.
  package var hidden: Int { innermost?.hidden ?? 0 }

  /// Whether a container has further lines.
  package var hasLines: Bool { !lines.isEmpty || large.contains { !$0.isAtEnd } }

  /// Opens a container inside the innermost one.
  package mutating func open(_ values: GraphReader.Values, in reader: inout GraphReader) {
    if let innermost { containers.append(innermost) }
    guard values.count <= Self.smallCount else {
      innermost = Container(floor: -1, hidden: values.hidden)
      large.append(values)
      return
    }
    innermost = Container(floor: lines.count, hidden: values.hidden)
    var values = values
    var made: [GraphReader.Line] = []
    while let line = values.next(in: &reader) { made.append(line) }
    for line in made.reversed() { lines.append(line) }
  }

  /// Takes the next line of the innermost container; returns nil if it has no further one.
  package mutating func next(in reader: inout GraphReader) -> GraphReader.Line? {
    guard let innermost else { return nil }
    guard innermost.floor < 0 else { return lines.count > innermost.floor ? lines.popLast() : nil }
    return large[large.count - 1].next(in: &reader)
  }

  /// Closes the innermost container, and drops its further lines.
  package mutating func close() {
    guard let closed = innermost else { return }
    if closed.floor < 0 { large.removeLast() } else { lines.removeLast(downTo: closed.floor) }
    innermost = containers.popLast()
  }

  package mutating func closeAll() { self = Self() }
}

extension GraphReader {
  /// The values of a container in their stored order, an object's keys first.
  package struct Values {
    private var entries: [KeyedArchive.Entry] = []
    private var elements: [KeyedArchive.StoredValue] = []
    private var pairs: [Contents.Pair] = []
    /// The number of values that are shown, where a pair is one.
    package let count: Int
    /// The number of omitted elements or pairs.
    package let hidden: Int
    private var position = 0
    /// Whether the next line is that of a pair's value, because its key has a line.
    private var isAtPairValue = false

    /// Creates the values of a shape.
    /// - Parameters:
    ///   - shape: The shape; it has no values if it is not a container.
    ///   - width: The maximum number of elements or pairs.
    package init(_ shape: Shape, width: Int = .max) {
      switch shape {
      case .object(_, let contents):
        entries = contents.entries
        elements = contents.elements ?? []
        pairs = contents.pairs ?? []
      case .array(let values): elements = values
      case .dictionary(let values): entries = values
      default: break
      }
      let members = elements.count + pairs.count
      hidden = max(0, members - width)
      count = entries.count + members - hidden
    }

    /// Creates the values of entries.
    package init(_ entries: [KeyedArchive.Entry]) {
      self.entries = entries
      count = entries.count
      hidden = 0
    }

    package var isAtEnd: Bool { position == count }

    /// Takes the next line; returns nil at the end.
    package mutating func next(in reader: inout GraphReader) -> Line? {
      guard position < count else { return nil }
      guard position >= entries.count else {
        position += 1
        let entry = entries[position - 1]
        return Line(KeyedArchive.Entry(reader.shared(entry.key), entry.value))
      }
      let index = position - entries.count
      guard pairs.isEmpty else { return nextOfPair(index, in: &reader) }
      position += 1
      return Line(label: .element(index), value: elements[index])
    }

    private mutating func nextOfPair(_ index: Int, in reader: inout GraphReader) -> Line {
      let pair = pairs[index]
      if isAtPairValue {
        isAtPairValue = false
        position += 1
        return Line(label: .pairValue(index), value: pair.value)
      }
      if let label = reader.keyLabel(pair.key) {
        position += 1
        return Line(label: .pair(label), value: pair.value)
      }
      isAtPairValue = true
      return Line(label: .pairKey(index), value: pair.key)
    }
  }
}
