// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import HarnessSupport
import KeyedArchives
import KeyedArchiving
import Testing

@Suite("Open containers of a graph")
struct OpenContainersTests {
  private var reader: GraphReader

  init() throws {
    reader = GraphReader(
      try KeyedArchive(KeyedArchiver.archivedData(withRootObject: ["name"], requiringSecureCoding: true)))
  }

  private func numbers(_ range: Range<Int64>) -> GraphReader.Shape { .array(range.map { .integer($0) }) }

  /// The labels and values of the remaining lines of the innermost container.
  private mutating func rest(of open: inout OpenContainers) -> [String] {
    var lines: [String] = []
    while let line = open.next(in: &reader) { lines.append("\(line.label.text) \(ValueText(.plain).text(line.value))") }
    return lines
  }

  @Test("a stack returns its elements in reverse order, whatever their number")
  func stack() {
    var random = SeededRandom(seed: 7)
    var stack = PartedStack<Int>()
    var model: [Int] = []
    for step in 0..<40_000 {
      // Grows to about 8,000 elements, and is emptied at the end.
      if Int.random(in: 0..<5, using: &random) < (step < 20_000 ? 3 : 1) {
        stack.append(step)
        model.append(step)
      } else {
        #expect(stack.popLast() == model.popLast())
      }
      #expect(stack.count == model.count && stack.isEmpty == model.isEmpty)
    }
    for count in [5000, 1025, 1024, 1023, 1, 0] {
      while stack.count < 6000 { stack.append(stack.count) }
      stack.removeLast(downTo: count)
      #expect(stack.count == count)
      if count > 0 {
        #expect(stack.popLast() != nil)
        stack.append(count)
      }
    }
    #expect(stack.popLast() == nil)
  }

  @Test("lines come in stored order, and those of an enclosing container continue", arguments: [3, 16, 17, 5000])
  mutating func order(count: Int64) {
    var open = OpenContainers()
    open.open(GraphReader.Values(numbers(0..<count)), in: &reader)
    #expect(open.next(in: &reader)?.label.text == "[0]")
    open.open(GraphReader.Values([.init("a", .boolean(true)), .init("b", .integer(5))]), in: &reader)
    #expect(open.count == 2 && open.hasLines)
    #expect(rest(of: &open) == ["a true", "b 5"])
    open.close()
    open.open(GraphReader.Values(numbers(70..<100)), in: &reader)
    #expect(open.next(in: &reader)?.value == .integer(70))
    open.close()
    #expect(open.count == 1)
    #expect(rest(of: &open) == (1..<count).map { "[\($0)] \($0)" })
    #expect(!open.hasLines)
    open.close()
    #expect(open.count == 0 && !open.hasLines && open.next(in: &reader) == nil)
  }

  @Test("closing a container drops its further lines, and no others", arguments: [2, 40])
  mutating func closing(count: Int64) {
    var open = OpenContainers()
    open.open(GraphReader.Values(numbers(0..<2)), in: &reader)
    open.open(GraphReader.Values(numbers(0..<count)), in: &reader)
    _ = open.next(in: &reader)
    open.close()
    #expect(rest(of: &open) == ["[0] 0", "[1] 1"])
    open.closeAll()
    #expect(open.count == 0 && open.next(in: &reader) == nil)
  }

  @Test("elements beyond a width are counted", arguments: [0, 3, 20, 49, 50, 51])
  mutating func width(width: Int) {
    let values = GraphReader.Values(numbers(0..<50), width: width)
    #expect(values.count == min(width, 50) && values.hidden == max(0, 50 - width))
    var open = OpenContainers()
    open.open(values, in: &reader)
    #expect(open.hidden == max(0, 50 - width))
    #expect(rest(of: &open).count == min(width, 50))
  }

  @Test("a key of a dictionary that has contents is a line before its value", arguments: [1, 30])
  mutating func pairs(count: Int64) throws {
    let array = KeyedArchive.StoredValue.array((0..<count).map { .integer($0) })
    let keys = KeyedArchive.StoredValue.array((0..<count).map { $0 == 0 ? .array([.integer(9)]) : .integer($0) })
    let contents = ObjectContents([.init("NS.keys", keys), .init("NS.objects", array), .init("x", .boolean(false))])
    var open = OpenContainers()
    open.open(GraphReader.Values(contents.entries), in: &reader)
    #expect(rest(of: &open) == ["x false"])
    open.close()
    let name = try #require(try reader.className(of: ArchiveUID(rawValue: 1)))
    open.open(GraphReader.Values(.object(className: name, contents)), in: &reader)
    #expect(
      rest(of: &open) == ["x false", "key [0] 1 element", "value [0] 0"] + (1..<count).map { "\($0) \($0)" })
  }
}
