// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How much memory the process has, in kilobytes; 0 where the system does not tell.
enum Memory {
  /// Begins a new measurement of the peak, and tells what is used now.
  static func reset() -> Int {
    try? Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
    return field("VmRSS:")
  }

  /// The most that was used since the measurement began.
  static func peak() -> Int { field("VmHWM:") }

  private static func field(_ name: String) -> Int {
    guard let status = try? Data(contentsOf: URL(filePath: "/proc/self/status")) else { return 0 }
    for line in status.split(separator: 0x0A) where line.starts(with: name.utf8) {
      return Int(String(decoding: line.filter { (0x30...0x39).contains($0) }, as: UTF8.self)) ?? 0
    }
    return 0
  }
}
