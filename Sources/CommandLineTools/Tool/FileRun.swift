// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// A run over several files. It continues after a failure, and its exit code is the highest one.
package struct FileRun {
  private let console: Console
  private let json: Bool
  private let noun: String
  private let hasSummary: Bool
  private let changesFiles: Bool

  /// Creates a run.
  /// - Parameters:
  ///   - console: The console that receives failures.
  ///   - json: Whether failures are printed as JSON.
  ///   - noun: The name of one item.
  ///   - hasSummary: Whether a summary follows the failures of several items. It is `false` for a command that needs all its
  ///     items, because it then does nothing with those that can be read.
  ///   - changesFiles: Whether the run changes files. It then continues if the reader closes the output.
  package init(
    console: Console, json: Bool, noun: String = "file", hasSummary: Bool = true, changesFiles: Bool = false
  ) {
    self.console = console
    self.json = json
    self.noun = noun
    self.hasSummary = hasSummary
    self.changesFiles = changesFiles
  }

  /// Calls a function for work that concerns no single file, such as the end of a run, and reports its failure. Returns the
  /// exit code.
  package func finish(_ body: () throws(Failure) -> ExitCode) -> ExitCode {
    do {
      return try body()
    } catch {
      console.report(error, file: nil, json: json)
      return error.exit
    }
  }

  /// Processes each file, and prints a summary if any exit code is not ``ExitCode/fine``. Returns the highest exit code.
  package func callAsFunction(_ files: [String], _ body: (_ file: String) throws(Failure) -> ExitCode) -> ExitCode {
    var counts: [ExitCode: Int] = [:]
    for file in files {
      guard console.continues(changingFiles: changesFiles) else { break }
      let code: ExitCode
      do {
        code = try body(file)
      } catch {
        console.report(error, file: file, noun: noun, json: json)
        code = error.exit
      }
      counts[code, default: 0] += 1
    }
    let worst = counts.keys.max() ?? .fine
    guard hasSummary, files.count > 1, worst != .fine, console.continues(changingFiles: changesFiles) else {
      return worst
    }
    if json {
      console.sayJSON { line in
        line.key("summary")
        line.beginObject()
        line.field("\(noun)s", files.count)
        line.field("exit", Int(worst.rawValue))
        line.endObject()
      }
    } else {
      let parts = counts.sorted { $0.key < $1.key }.map { "\($0.value) \(console.tool.meaning(of: $0.key))" }
      console.say("\(CountText.text(files.count, noun)): \(parts.joined(separator: "; ")) (exit \(worst.rawValue))")
    }
    return worst
  }
}
