// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import Foundation
import Testing

@Suite("ProgressLine")
struct ProgressLineTests {
  /// A terminal, a clock that advances on request, and a task.
  private final class Stage {
    var shown = ""
    var time = ContinuousClock.now
    let console: Console

    init(isTerminal: Bool = true, term: String = "xterm", width: Int = 80) {
      // Both streams are the same terminal, so the order of their output matters.
      var write: (String) -> Void = { _ in }
      func output() -> TextOutput {
        TextOutput(isTerminal: isTerminal, width: { width }) {
          write(String(decoding: $0, as: UTF8.self))
          return .written
        }
      }
      console = Console(
        tool: .beasts, input: StandardInput(isTerminal: false) { () throws(Failure) in .init() }, output: output(),
        errors: output(), environment: ["TERM": term])
      write = { [unowned self] in shown += $0 }
    }

    func task(total: Int? = nil, isQuiet: Bool = false) -> ProgressLine {
      ProgressLine(of: "image", total: total, isQuiet: isQuiet, on: console, now: { [unowned self] in time })
    }

    /// The terminal's current last line.
    var line: String { String(shown.split(separator: "\r", omittingEmptySubsequences: false).last ?? "") }
  }

  private let erase = "\u{1B}[K"

  @Test("shows nothing for half a second, then count, total and rate, and erases the line")
  func course() {
    let stage = Stage()
    let progress = stage.task(total: 340)
    stage.time += .milliseconds(499)
    progress.advance(by: 11)
    #expect(stage.shown == "")
    stage.time += .milliseconds(1)
    progress.advance()
    #expect(stage.shown == "\r\(erase)12 of 340 images, 24 a second")
    progress.finish()
    #expect(stage.line == erase)
  }

  @Test("shows nothing for a shorter task")
  func short() {
    let stage = Stage()
    let progress = stage.task(total: 1)
    stage.time += .milliseconds(400)
    progress.advance()
    stage.time += .seconds(5)
    progress.finish()
    #expect(stage.shown == "")
  }

  @Test("updates at most every tenth of a second")
  func interval() {
    let stage = Stage()
    let progress = stage.task()
    stage.time += .seconds(1)
    progress.advance()
    #expect(stage.line == "\(erase)1 image, 1 a second")
    stage.time += .milliseconds(99)
    progress.advance()
    #expect(stage.line == "\(erase)1 image, 1 a second")
    stage.time += .milliseconds(1)
    progress.advance()
    #expect(stage.line == "\(erase)3 images, 2.7 a second")
  }

  @Test(
    "shows small rates with one decimal",
    arguments: [(1, 4, "0.3"), (5, 2, "2.5"), (8, 2, "4"), (199, 20, "10"), (12345, 10, "1235"), (0, 1, "0")])
  func rates(count: Int, seconds: Int, rate: String) {
    let stage = Stage()
    let progress = stage.task()
    stage.time += .seconds(seconds)
    progress.advance(by: count)
    #expect(stage.line.hasSuffix(", \(rate) a second"), "\(stage.line)")
  }

  @Test("shows nothing with --quiet, in files and pipes, and on dumb terminals")
  func silent() {
    for stage in [Stage(isTerminal: false), Stage(term: "dumb"), Stage(term: "")] {
      let progress = stage.task()
      stage.time += .seconds(9)
      progress.advance()
      progress.finish()
      #expect(stage.shown == "")
    }
    let stage = Stage()
    let progress = stage.task(isQuiet: true)
    stage.time += .seconds(9)
    progress.advance()
    progress.finish()
    #expect(stage.shown == "")
  }

  @Test("other output replaces the line")
  func others() {
    let stage = Stage()
    let progress = stage.task()
    stage.time += .seconds(1)
    progress.advance()
    let before = stage.shown
    stage.console.say("a message")
    #expect(stage.shown == before + "\r\(erase)beasts: a message\n")
    stage.time += .seconds(1)
    progress.advance()
    let later = stage.shown
    stage.console.output.write("data\n")
    stage.console.output.flush()
    #expect(stage.shown == later + "\r\(erase)data\n")
    progress.finish()
    #expect(stage.shown == later + "\r\(erase)data\n")
  }

  @Test("the line is shorter than the terminal is wide")
  func narrow() {
    let stage = Stage(width: 12)
    let progress = stage.task(total: 1000)
    stage.time += .seconds(1)
    progress.advance()
    #expect(stage.line == "\(erase)1 of 1000 …")
  }
}
