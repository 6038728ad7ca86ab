// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport

@testable import KeyedArchiveTool

/// One run of the tool inside the test's process.
struct ToolRun {
  let code: ExitCode
  let data: Data
  let errors: String

  /// Standard output as text.
  var output: String { String(decoding: data, as: UTF8.self) }

  /// The lines of standard output.
  var lines: [String] { output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init) }

  /// Each line of standard output as JSON, by Foundation's reader.
  var json: [[String: Any]] {
    get throws {
      try lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:] }
    }
  }

  init(
    _ arguments: String..., input: Data = Data(), isTerminal: Bool = false, environment: [String: String] = [:]
  ) {
    self.init(arguments, input: input, isTerminal: isTerminal, environment: environment)
  }

  init(
    _ arguments: [String], input: Data = Data(), isTerminal: Bool = false, environment: [String: String] = [:]
  ) {
    var (out, err) = (Data(), Data())
    let console = Console(
      output: TextOutput(isTerminal: isTerminal) {
        out.append(contentsOf: $0)
        return .written
      },
      errors: TextOutput(isTerminal: false) {
        err.append(contentsOf: $0)
        return .written
      },
      environment: environment, readInput: { () throws(Failure) in input })
    code = Tool.run(arguments, on: console)
    data = out
    errors = String(decoding: err, as: UTF8.self)
  }
}

/// A folder that is gone when the test is over.
final class ScratchFolder {
  let url = FileManager.default.temporaryDirectory.appending(path: "keyedarchive-\(UUID())")

  init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The path of a file in it.
  func path(_ name: String) -> String { url.appending(path: name).path }

  /// Puts a file in it and returns its path.
  func file(_ name: String, _ data: Data) throws -> String {
    try data.write(to: url.appending(path: name))
    return path(name)
  }
}

/// The archived URL that the project's owner printed: 263 bytes by iOS 14.1, four objects.
let nsurl = Locations.fixtures.appending(path: "apple/NSURL.plist").path
