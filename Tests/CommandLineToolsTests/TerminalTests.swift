// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import Testing

@testable import CommandLineTools

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// This is the tests' only file that uses `unsafe`: it passes a structure of the required type to the system for one
/// call.
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
}
