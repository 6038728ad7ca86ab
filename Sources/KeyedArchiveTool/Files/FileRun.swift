// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Several files one after the other: a bad one does not end the run, the worst exit code is the run's.
struct FileRun {
  let console: Console
  let json: Bool

  /// Does something with each file and says in the end how many were not fine.
  func callAsFunction(
    _ files: [String], _ body: (_ file: String) throws(Failure) -> ExitCode
  ) -> ExitCode {
    var counts: [ExitCode: Int] = [:]
    for file in files {
      guard console.output.isOpen else { break }
      var code: ExitCode
      do {
        code = try body(file)
      } catch {
        console.report(error, file: file, json: json)
        code = error.exit
      }
      counts[code, default: 0] += 1
    }
    let worst = counts.keys.max() ?? .fine
    if files.count > 1, worst != .fine, console.output.isOpen {
      guard !json else {
        summarizeForMachines(files.count, worst)
        return worst
      }
      let parts = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key.meaning)" }
      console.say("\(files.count) files: \(parts.joined(separator: "; ")) (exit \(worst.rawValue))")
    }
    return worst
  }

  private func summarizeForMachines(_ count: Int, _ worst: ExitCode) {
    var line = JSONWriter()
    line.beginObject()
    line.key("summary")
    line.beginObject()
    line.field("files", count)
    line.field("exit", Int(worst.rawValue))
    line.endObject()
    line.endObject()
    line.newline()
    console.output.flush()
    console.errors.write(line.bytes)
    console.errors.flush()
  }
}
