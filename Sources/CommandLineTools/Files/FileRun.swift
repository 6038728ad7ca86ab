// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Several files one after the other: a bad one does not end the run, the worst exit code is the run's.
package struct FileRun {
  private let console: Console
  private let json: Bool
  private let noun: String

  /// Makes a run; `noun` is what one of the items is called where they are no files.
  package init(console: Console, json: Bool, noun: String = "file") {
    self.console = console
    self.json = json
    self.noun = noun
  }

  /// Does something with each file and says in the end how many were not fine.
  package func callAsFunction(
    _ files: [String], _ body: (_ file: String) throws(Failure) -> ExitCode
  ) -> ExitCode {
    var counts: [ExitCode: Int] = [:]
    for file in files {
      guard console.output.isOpen else { break }
      var code: ExitCode
      do {
        code = try body(file)
      } catch {
        console.report(error, file: file, noun: noun, json: json)
        code = error.exit
      }
      counts[code, default: 0] += 1
    }
    let worst = counts.keys.max() ?? .fine
    guard files.count > 1, worst != .fine, console.output.isOpen else { return worst }
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
