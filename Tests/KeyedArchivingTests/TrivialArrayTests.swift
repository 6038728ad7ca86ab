// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Testing

@testable import KeyedArchiving

@Suite("The blocks of memory that the coders keep what refers to nothing in")
struct GrowingArrayTests {
  @Test("hold what an array would hold", arguments: [1, 2, 3, 5])
  func sameAsArray(_ seed: UInt64) {
    var block = TrivialArray<UInt32>()
    var array: [UInt32] = []
    var random = SystemRandomNumberGenerator()
    for round in 0..<5000 {
      switch UInt64(round) &* seed % 11 {
      case 0:
        #expect(block.popLast() == array.popLast())
      case 1 where !array.isEmpty:
        let place = Int.random(in: array.indices, using: &random)
        block[place] &+= 7
        array[place] &+= 7
      case 2 where round % 500 == 2:
        block.removeAll(from: array.count / 2)
        array.removeSubrange((array.count / 2)...)
      default:
        let value = UInt32.random(in: 0...(.max), using: &random)
        block.append(value)
        array.append(value)
      }
      #expect(block.last == array.last)
    }
    #expect(block.count == array.count)
    #expect(block.isEmpty == array.isEmpty)
    for place in array.indices { #expect(block[place] == array[place]) }
  }

  @Test("make room without adding anything, and begin with as many of one kind as asked for")
  func room() {
    var block = TrivialArray<UInt8>(repeating: 3, count: 5)
    block.reserve(1000)
    #expect(block.count == 5)
    block.append(contentsOf: [1, 2])
    #expect((0..<block.count).map { block[$0] } == [3, 3, 3, 3, 3, 1, 2])
    block.reverse()
    #expect((0..<block.count).map { block[$0] } == [2, 1, 3, 3, 3, 3, 3])
    block.reverse()
    block.removeLast()
    #expect(block.last == 1)
    block.removeAll()
    #expect(block.count == 0)
    let none = TrivialArray<Int>(repeating: 1, count: 0)
    #expect(none.count == 0)
  }

  @Test("keep all elements but those that are discarded", arguments: [100, 5000, 1 << 20])
  func discard(_ count: Int) {
    var block = TrivialArray<UInt64>()
    for element in 0..<count { block.append(UInt64(element) | 1) }
    let range = count / 3..<count / 2
    block.discard(range)
    #expect(block.count == count)
    let changed = (0..<count).first { !range.contains($0) && block[$0] != UInt64($0) | 1 }
    #expect(changed == nil)
    block.empty(keepingMapping: true)
    #expect(block.count == 0)
    for element in 0..<count { block.append(UInt64(element)) }
    let wrong = (0..<count).first { block[$0] != UInt64($0) }
    #expect(wrong == nil)
  }

  @Test("are empty again, and hold other elements, whether they kept their memory or not", arguments: [3, 100, 5000])
  func reuse(_ count: Int) {
    var arena = SmallArena(64)
    var block = TrivialArray<UInt64>(4, from: &arena)
    for round in 0..<3 {
      for value in 0..<count { block.append(UInt64(value + round)) }
      #expect((0..<block.count).map { block[$0] } == (0..<count).map { UInt64($0 + round) })
      block.empty()
      #expect(block.isEmpty && block.last == nil)
      block.refill(7, count: count)
      #expect((0..<block.count).map { block[$0] } == [UInt64](repeating: 7, count: count))
      block.refill(8, count: 2)
      #expect((0..<block.count).map { block[$0] } == [8, 8])
      block.empty()
    }
  }

  @Test("begin in a block that several share, keep apart there, and leave it when they outgrow it")
  func firstBlock() {
    var block = SmallArena(100)
    var numbers = TrivialArray<UInt64>(4, from: &block)
    var bytes = TrivialArray<UInt8>(16, from: &block)
    var filled = TrivialArray<UInt16>(repeating: 9, count: 10, from: &block)
    // There is no room for this one any more, and none is needed for that one.
    var late = TrivialArray<UInt64>(100, from: &block)
    let empty = TrivialArray<UInt64>(0, from: &block)
    #expect(late.isEmpty && empty.isEmpty)
    for number in 0..<200 {
      numbers.append(UInt64(number))
      bytes.append(UInt8(number))
      filled.append(UInt16(number))
      late.append(UInt64(number))
      #expect(numbers.count == number + 1 && bytes.count == number + 1 && filled.count == number + 11)
    }
    #expect((0..<10).allSatisfy { filled[$0] == 9 })
    for number in 0..<200 {
      #expect(numbers[number] == UInt64(number) && bytes[number] == UInt8(number))
      #expect(filled[number + 10] == UInt16(number) && late[number] == UInt64(number))
    }
    numbers.removeAll()
    #expect(bytes.last == 199)
  }

  @Test("trap where nothing was stored")
  func traps() async {
    await #expect(processExitsWith: .failure) { _ = TrivialArray<Int>()[0] }
    await #expect(processExitsWith: .failure) { _ = TrivialArray(repeating: 1, count: 3)[3] }
    await #expect(processExitsWith: .failure) { _ = TrivialArray(repeating: 1, count: 3)[-1] }
    await #expect(processExitsWith: .failure) {
      var block = TrivialArray(repeating: 1, count: 3)
      block.removeAll(from: 1)
      block[1] = 2
    }
    await #expect(processExitsWith: .failure) {
      var block = TrivialArray<Int>()
      block.removeLast()
    }
    await #expect(processExitsWith: .failure) {
      var first = SmallArena(64)
      var block = TrivialArray<Int>(4, from: &first)
      block.append(1)
      block[1] = 2
    }
    await #expect(processExitsWith: .failure) {
      var block = TrivialArray<Int>()
      block.reserve(.max)
    }
  }
}
