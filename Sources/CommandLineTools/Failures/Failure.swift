// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// What went wrong with one input, in the words of a tool.
package struct Failure: Error {
  /// The exit code it leads to.
  package var exit: ExitCode
  /// A stable name for machines.
  package var code: String
  /// What was expected and what was found.
  package var detail: String
  /// Where in the input: key path, object, line, byte.
  package var place: [String]
  /// What to do about it.
  package var remedy: String?

  /// Makes a failure.
  package init(_ exit: ExitCode, _ code: String, _ detail: String, place: [String] = [], remedy: String? = nil) {
    self.exit = exit
    self.code = code
    self.detail = detail
    self.place = place
    self.remedy = remedy
  }

  /// What, where and what to do, in a line.
  package var line: String {
    var text = detail
    if !place.isEmpty { text += " (\(place.joined(separator: ", ")))" }
    if let remedy { text += ". \(remedy)" }
    return text
  }
}
