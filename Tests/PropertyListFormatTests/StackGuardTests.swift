// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import HarnessSupport
import PropertyListFormat
import Testing

@Suite("StackGuard")
struct StackGuardTests {
  /// Returns how many levels of 1 KiB or more a guard permits, at most `limit`.
  private func levels(_ guarding: inout StackGuard, _ bounds: Range<UInt>?, limit: Int) -> Int {
    let ballast = InlineLevel()
    guard limit > 0, guarding.hasSpace(within: bounds) else { return 0 }
    let deeper = levels(&guarding, bounds, limit: limit - 1)
    return deeper + 1 + Int(ballast.first)
  }

  /// Returns how many levels of 1 KiB or more a guard permits on the current thread, at most `limit`.
  private func levels(_ guarding: inout StackGuard, limit: Int) -> Int {
    let ballast = InlineLevel()
    guard limit > 0, guarding.isClearlySufficient || guarding.hasSpace() else { return 0 }
    let deeper = levels(&guarding, limit: limit - 1)
    return deeper + 1 + Int(ballast.first)
  }

  /// A value of 1 KiB, which is on the stack.
  private struct InlineLevel {
    typealias Row = (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)
    typealias Block = (Row, Row, Row, Row, Row, Row, Row, Row)
    let first: UInt64
    let block: (Block, Block)

    @inline(never)
    init() {
      let row: Row = (0, 0, 0, 0, 0, 0, 0, 0)
      let block: Block = (row, row, row, row, row, row, row, row)
      self.block = (block, block)
      first = self.block.1.7.7
    }
  }

  @Test("refuses the depth that 256 KiB cannot have if the bounds of the stack are unknown")
  func unknownBounds() {
    var unbounded = StackGuard()
    let permitted = levels(&unbounded, nil, limit: 1000)
    #expect(permitted > 8 && permitted < 256)
  }

  @Test("determines the bounds again on another stack, with more and with less space")
  func otherStack() throws {
    var guarding = StackGuard()
    #expect(guarding.hasSpace() && guarding.isClearlySufficient)
    // All stacks exist until the last one was tried: a stack can have the addresses of one that ended, and then the guard
    // cannot tell them apart.
    func continueOnThreads(_ rest: ArraySlice<Int>) throws {
      guard let kilobytes = rest.first else { return }
      try System.onThread(stackBytes: kilobytes << 10) {
        #expect(!guarding.isClearlySufficient)
        let permitted = levels(&guarding, limit: 4000)
        #expect(permitted > 8 && permitted < kilobytes)
        #expect(throws: Never.self) { try continueOnThreads(rest.dropFirst()) }
      }
    }
    try continueOnThreads([256, 512, 256, 8192, 256])
    #expect(!guarding.isClearlySufficient)
    #expect(guarding.hasSpace() && guarding.isClearlySufficient)
  }
}
