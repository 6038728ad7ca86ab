// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Dispatch
import Foundation
import SystemFiles
import TestSupport
import Testing

@Suite("OrderedWork", .notHanging)
struct OrderedWorkTests {
  @Test("gives the results in the order of the items, whichever is ready first", arguments: [1, 2, 3, 16])
  func order(threadCount: Int) {
    let work = OrderedWork(threadCount: threadCount) { (number: Int) in
      // Every fifth item takes longer than those after it.
      if number.isMultiple(of: 5) { Thread.sleep(forTimeInterval: 0.002) }
      return number * number
    }
    var results: [Int] = []
    for number in 0..<300 { work.add(number) { results.append($0) } }
    work.finish { results.append($0) }
    #expect(results == (0..<300).map { $0 * $0 })
    #expect(work.count == 0)
  }

  @Test("holds no more items than its window while one of them takes longer", arguments: [2, 5])
  func window(threadCount: Int) {
    let gate = DispatchSemaphore(value: 0)
    let begun = Locked(0)
    let work = OrderedWork(threadCount: threadCount) { (number: Int) in
      begun.withLock { $0 += 1 }
      if number == 0 { gate.wait() }
      return number
    }
    var results: [Int] = []
    for number in 0..<work.windowCount { work.add(number) { results.append($0) } }
    #expect(work.count == work.windowCount && results.isEmpty)
    // The others do all of the window, and nothing beyond it.
    while begun.withLock({ $0 }) < work.windowCount { Thread.sleep(forTimeInterval: 0.001) }
    #expect(work.takeNext(within: 1) { results.append($0) } && results.isEmpty)
    gate.signal()
    for number in work.windowCount..<100 {
      work.add(number) { results.append($0) }
      #expect(work.count <= work.windowCount)
    }
    work.finish { results.append($0) }
    #expect(results == Array(0..<100))
  }

  @Test("holds no more items than their costs allow, and a single one that costs more")
  func costs() {
    let work = OrderedWork(threadCount: 4, maximumCost: 10) { (number: Int) in number }
    var results: [Int] = []
    for number in 0..<50 {
      work.add(number, cost: 5) { results.append($0) }
      #expect(work.count <= 2)
    }
    work.add(50, cost: .max) { results.append($0) }
    #expect(work.count == 1)
    work.add(51, cost: 1) { results.append($0) }
    #expect(work.count == 1)
    work.finish { results.append($0) }
    #expect(results == Array(0...51))
  }

  @Test("runs several items at the same time")
  func parallel() {
    let others = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    // Each of the two waits until the other has begun.
    let work = OrderedWork(threadCount: 2) { (number: Int) in
      (number == 0 ? others.0 : others.1).signal()
      return (number == 0 ? others.1 : others.0).wait(timeout: .now() + 60) == .success
    }
    var results: [Bool] = []
    for number in 0..<2 { work.add(number) { results.append($0) } }
    work.finish { results.append($0) }
    #expect(results == [true, true])
  }

  @Test("with one thread, works on the owner's thread and returns each result at once")
  func single() {
    let owner = ObjectIdentifier(Thread.current)
    let work = OrderedWork(threadCount: 1) { (_: Int) in ObjectIdentifier(Thread.current) }
    var results: [ObjectIdentifier] = []
    work.add(1) { results.append($0) }
    #expect(results == [owner] && work.count == 0)
  }

  @Test("a result that is not ready in time can be taken later")
  func time() {
    let gate = DispatchSemaphore(value: 0)
    let work = OrderedWork(threadCount: 2) { (number: Int) in
      gate.wait()
      return number
    }
    var results: [Int] = []
    #expect(!work.takeNext { results.append($0) })
    work.add(7) { results.append($0) }
    #expect(work.takeNext(within: 1) { results.append($0) } && results.isEmpty && work.count == 1)
    gate.signal()
    #expect(work.takeNext { results.append($0) } && results == [7] && work.count == 0)
  }

  @Test("begins no further item after it is canceled, and can go on with others")
  func cancel() {
    let begun = Locked(0)
    let gate = DispatchSemaphore(value: 0)
    let work = OrderedWork(threadCount: 2) { (_: Int) in
      begun.withLock { $0 += 1 }
      gate.wait()
    }
    for number in 0..<8 { work.add(number) {} }
    while begun.withLock({ $0 }) < 2 { Thread.sleep(forTimeInterval: 0.001) }
    // A signal for each item, because on a busy machine more than two may begin before `cancel()` does.
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.02) { for _ in 0..<8 { gate.signal() } }
    work.cancel()
    let begunCount = begun.withLock { $0 }
    #expect(work.count == 0)
    Thread.sleep(forTimeInterval: 0.02)
    #expect(begun.withLock { $0 } == begunCount)
    gate.signal()
    var results = 0
    work.add(9) { results += 1 }
    work.finish { results += 1 }
    #expect(results == 1)
  }
}
