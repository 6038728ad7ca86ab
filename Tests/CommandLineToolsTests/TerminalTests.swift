// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import SystemFiles
import Testing

@testable import CommandLineTools

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// This is the tests' only file that uses `unsafe`: it passes a structure or an array of the required type to the
/// system for one call.
@Suite("Terminal")
struct TerminalTests {
  @Test(
    "recognizes a terminal and its width",
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/ptmx"), "no /dev/ptmx here"), arguments: [132, 20])
  func width(columns: UInt16) throws {
    // The master side of a terminal is a terminal, too.
    let master = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY)
    try #require(master >= 0)
    defer { close(master) }
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    let result = unsafe ioctl(master, UInt(TIOCSWINSZ), &size)
    try #require(result == 0)
    #expect(Terminal.isTerminal(master) && Terminal.width(master) == Int(columns))
  }

  @Test("a pipe is not a terminal and has the default width")
  func pipeWidth() throws {
    var ends: [Int32] = [0, 0]
    let result = unsafe pipe(&ends)
    try #require(result == 0)
    defer { for end in ends { close(end) } }
    #expect(!Terminal.isTerminal(ends[0]) && Terminal.width(ends[0]) == Terminal.defaultWidth)
  }

  /// Runs a function on another thread, and returns the seconds of a processor that it took.
  private func processorTime(of body: @escaping @Sendable () -> Void, meanwhile: () -> Void) -> Double {
    let times = Mailbox<Double>()
    Thread.detachNewThread {
      body()
      var time = timespec()
      unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      times.put(Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
    }
    Thread.sleep(forTimeInterval: 0.5)
    meanwhile()
    return times.take() ?? .infinity
  }

  @Test("waits for a stalled program at the other end of a nonblocking pipe without using the processor")
  func stalledPipe() throws {
    var ends: [Int32] = [0, 0]
    let result = unsafe pipe(&ends)
    try #require(result == 0)
    let (reading, writing) = (ends[0], ends[1])
    defer { for end in ends { close(end) } }
    for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    let bytes = [UInt8](repeating: 7, count: 200_000)
    let stream = Descriptor(number: reading)
    let spentReading = processorTime(of: { _ = try? InputBytes.nextPiece(of: stream) }) {
      _ = Terminal.write([1], to: writing)
    }
    #expect(spentReading < 0.2)
    let spentWriting = processorTime(of: { _ = Terminal.write(bytes, to: writing) }) {
      var count = 0
      while count < bytes.count, let some = try? InputBytes.nextPiece(of: stream) { count += some.count }
    }
    #expect(spentWriting < 0.2)
  }
}
