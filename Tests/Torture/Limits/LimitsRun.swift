// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchivedClasses
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// What hostile files may cost: every bomb through every door, against plain files of the same size.
///
/// Times are processor times and taken in turns in one process, so they are compared with each other and with nothing
/// else. Memory is what a process of its own needs beyond what it had before.
struct LimitsRun {
  /// A bomb may take so many times the time per byte of a plain file.
  static let timeLimit = 4.0
  /// And so much memory.
  static func memoryLimit(_ byteCount: Int) -> Int { 64 * byteCount + 16 << 20 }

  /// The ways through a file. Each ends in a value or an error of the library.
  static let doors: [(name: String, enter: @Sendable (Data) throws -> Void)] = [
    ("decode values", { _ = try KeyedUnarchiver.unarchivedObject(ofClasses: KeyedUnarchiver.valueTypes, from: $0) }),
    (
      "decode values with a name set",
      {
        let unarchiver = try KeyedUnarchiver(forReadingFrom: $0)
        unarchiver.setClass(ArchivedArray.self, forClassName: "List")
        _ = try unarchiver.decodeTopLevelObject(of: KeyedUnarchiver.valueTypes, forKey: "root")
      }
    ),
    ("decode as data", { _ = try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedObject.self, from: $0) }),
    (
      "decode the top level",
      { _ = try KeyedUnarchiver(forReadingFrom: $0).decodeTopLevel(makingValues: KeyedUnarchiver.valueTypes) }
    ),
    (
      "decode a property list",
      { _ = try KeyedUnarchiver(forReadingFrom: $0).decodeTopLevelDecodable(Plain.self, forKey: "root") }
    ),
    (
      "discard what cannot be reached",
      {
        var archive = try KeyedArchive($0)
        _ = try archive.discardUnreachableObjects()
      }
    ),
    ("check", { _ = try KeyedArchive($0).check() }),
    ("list classes", { _ = try KeyedArchive($0).classNames }),
    ("validate the list", { try PropertyList($0).validate() }),
    ("write as XML", { _ = try PropertyList($0).data(format: .xml) }),
  ]

  /// Anything that a property list may hold.
  private indirect enum Plain: Decodable {
    case array([Plain])
    case text(String)
    case other

    init(from decoder: any Decoder) throws {
      if let elements = try? decoder.singleValueContainer().decode([Plain].self) {
        self = .array(elements)
      } else if let text = try? decoder.singleValueContainer().decode(String.self) {
        self = .text(text)
      } else {
        self = .other
      }
    }
  }

  static func run(_ arguments: inout Arguments) throws {
    let byteCount = try arguments.number("bytes", 200_000)
    let fileSize = try arguments.number("file-bytes", 100_000_000)
    let (isDeepOnly, isMemoryOnly) = (arguments.flag("deep"), arguments.flag("memory"))
    try arguments.finish()
    var (passed, failures, unmeasured) = (0, 0, 0)
    func count(_ cases: Int, failed: Int?) {
      guard let failed else { return unmeasured += cases }
      passed += cases - failed
      failures += failed
    }
    let measuresMemory = Memory.reset() > 0
    func line(_ columns: [String]) { System.say(columns.joined(separator: "\t")) }
    line(["time x", "memory kB", "limit kB", "bytes", "file", "door", "end"])
    for (bomb, file) in Bombs.all.enumerated() where !isDeepOnly && !isMemoryOnly {
      for (door, way) in doors.enumerated() {
        let names = [file.name, way.name]
        do {
          var cost = try Cost(bomb: bomb, door: door, byteCount: byteCount)
          // Other programs may have been at work.
          if cost.ratio > timeLimit {
            let again = try Cost(bomb: bomb, door: door, byteCount: byteCount)
            if again.ratio < cost.ratio { cost = again }
          }
          let isFine = cost.ratio <= timeLimit && cost.memory <= cost.memoryLimit
          line((isFine ? [] : ["FAILED"]) + cost.columns + names + [cost.end])
          passed += isFine ? 1 : 0
          failures += isFine ? 0 : 1
        } catch {
          failures += 1
          line(["FAILED"] + names + ["\(error)"])
        }
      }
    }
    if !isMemoryOnly { count(DeepRun.count, failed: try DeepRun.run()) }
    if !isDeepOnly {
      count(FileMemoryRun.count, failed: try FileMemoryRun.run(fileSize))
      count(CommandMemoryRun.count, failed: try CommandMemoryRun.run())
    }
    if !measuresMemory { print("no memory was measured: this system does not tell how much a process has") }
    print("\(passed) passed, \(failures) failed" + (unmeasured > 0 ? ", \(unmeasured) not measured" : ""))
    if failures > 0 { System.end(1) }
  }

  /// What a bomb costs at a door, as a process of its own measures it.
  private struct Cost {
    /// The time per byte, in times of that of a plain file.
    let ratio: Double
    /// The memory and its limit in kB.
    let (memory, memoryLimit): (Int, Int)
    /// The columns of these numbers and the size of the file.
    let columns: [String]
    /// How the door ended.
    let end: String

    init(bomb: Int, door: Int, byteCount: Int) throws {
      let child = try Child(["limits-worker", "--bomb", "\(bomb)", "--door", "\(door)", "--bytes", "\(byteCount)"])
      defer { _ = child.end() }
      var fields: [String] = []
      try child.lines(timeout: 120) { text in
        if text.hasPrefix("cost\t") {
          fields = text.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
      }
      guard fields.count == 6, let ratio = Double(fields[1]), let memory = Int(fields[2]), let limit = Int(fields[3])
      else { throw Breach("the process died") }
      self.ratio = ratio
      (self.memory, memoryLimit) = (memory, limit)
      (columns, end) = (Array(fields[1...4]), fields[5])
    }
  }

  /// One bomb and one door, in a process of its own.
  static func work(_ arguments: inout Arguments) throws {
    let bomb = Bombs.all[try arguments.number("bomb", 0)]
    let door = doors[try arguments.number("door", 0)]
    let byteCount = try arguments.number("bytes", 200_000)
    try arguments.finish()
    let hostile = bomb.make(byteCount)
    let plain = Bombs.plain.map { $0(hostile.count) }
    func time(_ data: Data) throws -> (seconds: Double, end: String) {
      let start = System.processorTime()
      let end: String
      do {
        try door.enter(data)
        end = "a value"
      } catch let error as KeyedArchiveError {
        end = "\(error.code): \(error)"
      } catch let error as PropertyListError {
        end = "\(error.code): \(error)"
      }
      return (System.processorTime() - start, end)
    }
    let idle = Memory.reset()
    let end = try time(hostile).end
    let memory = max(0, Memory.peak() - idle)
    // The best of some rounds: what the machine adds is never less than nothing.
    let files = plain + [hostile]
    var best = [Double](repeating: .infinity, count: files.count)
    var spent = 0.0
    var rounds = 0
    while rounds < 3 || rounds < 9 && spent < 4 || spent < 1 && rounds < 100 {
      for (place, data) in files.enumerated() {
        let seconds = try time(data).seconds
        best[place] = min(best[place], seconds / Double(data.count))
        spent += seconds
      }
      rounds += 1
    }
    let plainest = best.dropLast().max() ?? 0
    let ratio = ((best.last ?? 0) / max(plainest, .leastNonzeroMagnitude) * 100).rounded() / 100
    System.say("cost\t\(ratio)\t\(memory)\t\(memoryLimit(hostile.count) / 1024)\t\(hostile.count)\t\(end)")
  }
}
