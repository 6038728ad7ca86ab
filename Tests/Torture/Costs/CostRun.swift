// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport
import PropertyListFormat

/// A search for the input that costs most at each door, in processor time per byte beside a plain file.
///
/// It begins with what is known to be costly, keeps the costliest inputs that it meets and changes these further.
enum CostRun {
  /// No input may take more than so many times the time per byte of a plain file.
  static let limit = 20.0
  /// Nor more than so many seconds, measured a few times.
  private static let longest = 120
  private static let population = 16

  static func run(_ arguments: inout Arguments) throws {
    let seconds = try arguments.number("seconds", 10)
    let seed = try arguments.number("seed", 1)
    let byteCount = try arguments.number("bytes", 48_000)
    let wanted = arguments.text("door")
    let keep = arguments.text("keep")
    let seeds = arguments.text("seeds")
    let includesCommands = arguments.flag("commands")
    try arguments.finish()
    let doors = CostDoor.all.indices.filter {
      let door = CostDoor.all[$0]
      return wanted.map { $0 == door.name } ?? (includesCommands || !door.isCommand)
    }
    guard !doors.isEmpty else { throw UsageError() }
    if let keep { try FileManager.default.createDirectory(atPath: keep, withIntermediateDirectories: true) }
    System.say(["worst x", "bytes", "tried", "seed", "door", "input"].joined(separator: "\t"))
    var failures = 0
    for door in doors {
      let name = CostDoor.all[door].name
      var options = ["--number", "\(door)", "--seconds", "\(seconds)", "--seed", "\(seed)", "--bytes", "\(byteCount)"]
      if let keep { options += ["--keep", keep] }
      if let seeds { options += ["--seeds", seeds] }
      let child = try Child(["costs-worker"] + options)
      defer { _ = child.end() }
      var found: [Substring] = []
      do {
        // The worker says a line for each input.
        while let text = try child.line(timeout: longest) {
          if text.hasPrefix("worst\t") { found = text.split(separator: "\t").dropFirst().map { $0 } }
        }
      } catch {
        child.kill()
      }
      guard found.count == 4, let ratio = Double(found[0]) else {
        failures += 1
        System.say("FAILED\t\(name): an input takes more than \(longest) s, or ended the process")
        continue
      }
      if ratio > limit { failures += 1 }
      let columns = [String(found[0]), String(found[1]), String(found[2]), "\(seed)", name, String(found[3])]
      System.say(((ratio > limit ? ["FAILED"] : []) + columns).joined(separator: "\t"))
    }
    print("\(doors.count - failures) passed, \(failures) failed")
    if failures > 0 { System.end(1) }
  }

  /// An input with what it cost.
  private struct Found {
    var genome: CostGenome
    var origin: String
    var ratio: Double
  }

  /// The search at one door, in a process of its own.
  static func work(_ arguments: inout Arguments) throws {
    let door = CostDoor.all[try arguments.number("number", 0)]
    let seconds = try arguments.number("seconds", 10)
    let byteCount = try arguments.number("bytes", 48_000) * door.scale
    var random = SeededRandom(seed: UInt64(try arguments.number("seed", 1)))
    let keep = arguments.text("keep")
    let folder = arguments.text("seeds")
    try arguments.finish()

    let plains = plains(door, byteCount)
    let costs = plains.map { $0.cost(4) }
    guard let plainest = costs.max(), let place = costs.firstIndex(of: plainest) else {
      throw Breach("there is no plain file for '\(door.name)'")
    }
    let plain = plains[place]
    var tried = 0
    /// The cost of an input beside that of a plain one; nil if it is too large, or has no such form.
    func ratio(_ genome: CostGenome) throws -> Double? {
      let data = genome.data
      guard data.count <= byteCount * 2, let input = form(data, door) else { return nil }
      tried += 1
      if let keep { try input.write(to: URL(filePath: "\(keep)/\(door.name)-last.plist")) }
      let first = least(1, input, door) / weight(input, door) / plainest
      // The machine may be slower now than it was.
      return first > 2 ? min(first, multiple(input, door, plain)) : first
    }

    var best: [Found] = []
    func consider(_ genome: CostGenome, _ origin: String) throws {
      guard let ratio = try ratio(genome) else { return }
      System.say("tried")
      guard best.count < population || ratio > best[best.count - 1].ratio else { return }
      let place = best.firstIndex { $0.ratio < ratio } ?? best.count
      best.insert(Found(genome: genome, origin: origin, ratio: ratio), at: place)
      if best.count > population { best.removeLast() }
    }

    for bomb in Bombs.all + CostPatterns.all {
      for size in [byteCount, byteCount / 4] {
        if let genome = CostGenome(bomb.make(size)) { try consider(genome, bomb.name) }
      }
    }
    if let folder {
      for name in try FileManager.default.subpathsOfDirectory(atPath: folder).sorted() {
        guard let data = try? Data(contentsOf: URL(filePath: "\(folder)/\(name)")), data.count <= byteCount * 2,
          let genome = CostGenome(data)
        else { continue }
        try consider(genome, name)
      }
    }
    let start = System.processorTimeWithChildren()
    while System.processorTimeWithChildren() - start < Double(seconds) {
      // The better one of two, so that the worst of all is not the only one that is changed.
      let first = Int.random(in: best.indices, using: &random)
      let parent = best[min(first, Int.random(in: best.indices, using: &random))]
      var genome = parent.genome
      for _ in 0..<Int.random(in: 1...3, using: &random) { genome.mutate(&random) }
      try consider(genome, parent.origin)
    }
    guard let worst = best.first else { throw Breach("nothing was tried") }
    // What is said is what is measured once more, at leisure.
    guard let input = form(worst.genome.data, door) else { throw Breach("what was measured has no such form") }
    var again = min(worst.ratio, (0..<3).map { _ in multiple(input, door, plain) }.min() ?? worst.ratio)
    // Others may be at work on the machine.
    for _ in 0..<10 where again > limit { again = min(again, multiple(input, door, plain)) }
    if let keep {
      try input.write(to: URL(filePath: "\(keep)/\(door.name).plist"))
      try? FileManager.default.removeItem(atPath: "\(keep)/\(door.name)-last.plist")
    }
    System.say("worst\t\((again * 10).rounded() / 10)\t\(input.count)\t\(tried)\t\(worst.origin)")
  }

  /// A file that costs nothing special.
  private struct Plain {
    var input: Data
    var door: CostDoor

    /// What it costs per byte.
    func cost(_ times: Int) -> Double { least(times, input, door) / Double(input.count) }
  }

  /// The plain files for a door. Some doors have nothing to do with a plain file, because it holds nothing that they ask
  /// for; to decode it is what a file costs at least.
  private static func plains(_ door: CostDoor, _ byteCount: Int) -> [Plain] {
    let doors = [door] + CostDoor.all.filter { $0.name == "decode-list" && !door.isCommand }
    return doors.flatMap { door in
      Bombs.plain.compactMap { make in form(make(byteCount), door).map { Plain(input: $0, door: door) } }
    }
  }

  /// What an input costs per byte beside a plain one, both measured now.
  private static func multiple(_ input: Data, _ door: CostDoor, _ plain: Plain) -> Double {
    let cost = least(2, input, door) / weight(input, door)
    return cost / plain.cost(2)
  }

  /// How many bytes an input counts as: small files are opened more than read.
  private static func weight(_ input: Data, _ door: CostDoor) -> Double { Double(max(input.count, 8192 * door.scale)) }

  /// The file in the form that a door is for; nil if it cannot have it.
  private static func form(_ data: Data, _ door: CostDoor) -> Data? {
    switch door.form {
    case .binary: data
    case .xml: try? PropertyList(data).data(format: .xml)
    case .json: CommandTool.json(data)
    }
  }

  /// The least time that an input takes at a door.
  private static func least(_ times: Int, _ data: Data, _ door: CostDoor) -> Double {
    var least = Double.infinity
    for _ in 0..<times { least = min(least, door.cost(data)) }
    return least
  }
}
