// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport

/// Sends files through the doors: what was once found must not come back.
enum Replay {
  static func run(_ arguments: inout Arguments) throws {
    let door = try arguments.text("door").map { name in
      guard let door = Door(rawValue: name) else { throw UsageError() }
      return door
    }
    let files = try arguments.files()
    try arguments.finish()
    let doors = door.map { [$0] } ?? Door.allCases
    var failed = 0
    for file in files {
      let bytes = try Data(contentsOf: URL(filePath: file))
      for door in doors {
        do {
          try door.enter(bytes)
        } catch {
          failed += 1
          print("FAILED \(file), \(door.rawValue): \(error)")
        }
      }
    }
    print("\(files.count * doors.count - failed) passed, \(failed) failed")
    if failed > 0 { System.end(1) }
  }
}
