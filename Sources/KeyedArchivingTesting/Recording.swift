// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat
import SystemFiles

/// Whether checks write missing fixtures and changed texts. The environment decides, so a program cannot forget to turn it
/// off.
struct Recording: Sendable {
  /// The variable of the environment that turns recording on.
  static let variable = "RECORD_ARCHIVES"

  var environment = ProcessInfo.processInfo.environment

  /// A Boolean value that indicates whether the environment asks for recording.
  var isOn: Bool { isSet(Self.variable) }

  /// A Boolean value that indicates whether this is continuous integration, whose services set `CI`. Fixtures that
  /// are recorded there would never be reviewed.
  var isRefused: Bool { isOn && isSet("CI") }

  private func isSet(_ name: String) -> Bool {
    guard let value = environment[name] else { return false }
    return !value.isEmpty && !["0", "false", "no"].contains(value.lowercased())
  }

  /// Writes a file.
  func write(_ data: Data, to url: URL) throws {
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url, options: .atomic)
  }
}

/// The standard error stream. It is not buffered, so a line is visible even if the process ends with a trap.
enum StandardError {
  static func write(_ line: String) { _ = try? Descriptor(number: 2).write(Data((line + "\n").utf8)) }
}
