// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport

/// The costliest inputs at each entry point, in processor time per byte relative to a plain file: a search for them, or a
/// replay of those found.
enum CostRun {
  /// The most that an input may cost, relative to a plain file.
  static let limit = 20.0
  /// The maximum number of seconds for a few runs of an operation.
  static let longest = 300
  private static let defaultFolder = "Fixtures/costs"

  /// The options of a search or replay.
  private struct Options {
    var seconds: Int?
    var seed: Int
    var byteCount: Int
    var keep: String?
    var seeds: String?
    var countsInstructions: Bool

    init(_ arguments: inout Arguments) throws {
      let minutes = try arguments.number("minutes", 0)
      seconds = try arguments.number("seconds", minutes * 60)
      if seconds == 0 { seconds = nil }
      // With 0, each search that begins with inputs of earlier ones has another seed.
      seed = try arguments.number("seed", 0)
      byteCount = try arguments.number("bytes", 48_000)
      keep = arguments.text("keep")
      seeds = arguments.text("seeds")
      countsInstructions = arguments.flag("instructions")
    }

    var arguments: [String] {
      var arguments = ["--seconds", "\(seconds ?? 0)", "--seed", "\(seed)", "--bytes", "\(byteCount)"]
      if let keep { arguments += ["--keep", keep] }
      if let seeds { arguments += ["--seeds", seeds] }
      return arguments + (countsInstructions ? ["--instructions"] : [])
    }
  }

  static func run(_ arguments: inout Arguments) throws {
    var options = try Options(&arguments)
    let names = arguments.text("door")?.split(separator: ",").map(String.init)
    let includesCommands = arguments.flag("commands")
    let printsTable = arguments.flag("table")
    try arguments.finish()
    if printsTable { return print(try CostFindings(folder: options.keep ?? defaultFolder).table()) }
    if options.seconds == nil { options.keep = options.keep ?? defaultFolder }
    if options.countsInstructions, !CostInstructions.isAvailable {
      System.say("instructions are not counted: valgrind is not installed")
      options.countsInstructions = false
    }
    let doors = try numbers(of: names, includesCommands || options.seconds == nil)
    System.say(["worst x", "instructions x", "bytes", "tried", "seconds", "door", "input"].joined(separator: "\t"))
    var (passed, failures) = (0, 0)
    for door in doors {
      switch try result(of: door, options) {
      case .passed: passed += 1
      case .failed: failures += 1
      case .notSearched: break
      }
    }
    let rest = doors.count - passed - failures
    print("\(passed) passed, \(failures) failed" + (rest > 0 ? ", \(rest) not searched yet" : ""))
    // A search need not come to an end for each entry point; a ledger has all.
    if failures > 0 || options.seconds == nil && rest > 0 { System.end(1) }
  }

  /// The positions of entry points in ``CostDoor/all``.
  private static func numbers(of names: [String]?, _ includesCommands: Bool) throws -> [Int] {
    guard let names else {
      let doors = CostDoor.all
      return doors.indices.filter { includesCommands || !doors[$0].isCommand }
    }
    return try names.map { name in
      guard let number = CostDoor.all.firstIndex(where: { $0.name == name }) else {
        let all = CostDoor.all.map { "'\($0.name)'" }.joined(separator: ", ")
        throw Breach("no entry point is called '\(name)'. They are called \(all)")
      }
      return number
    }
  }

  private enum Outcome { case passed, failed, notSearched }

  /// Starts a process for an entry point, and prints its result.
  private static func result(of number: Int, _ options: Options) throws -> Outcome {
    let name = CostDoor.all[number].name
    let last = FileManager.default.temporaryDirectory
      .appending(path: "costs-last-\(ProcessInfo.processInfo.processIdentifier)").path
    defer { try? FileManager.default.removeItem(atPath: last) }
    let child = try Child(["costs-worker", "--number", "\(number)", "--last", last] + options.arguments)
    defer { _ = child.end() }
    var found: [Substring] = []
    var nothing: Substring?
    // The process prints a line for each input. Without a result, the last input failed.
    try? child.lines(timeout: longest) { text in
      if text.hasPrefix("worst\t") { found = text.split(separator: "\t").dropFirst().map { $0 } }
      if text.hasPrefix("nothing\t") { nothing = text.dropFirst(8) }
    }
    if let nothing {
      System.say("-\t\(name): \(nothing)")
      return .notSearched
    }
    guard found.count == 6, let ratio = Double(found[0]) else {
      let kept = keepLast(last, name, options)
      System.say("FAILED\t\(name): an input takes more than \(longest) s, or ended the process\(kept)")
      return .failed
    }
    let isFine = ratio <= limit
    System.say(
      ((isFine ? [] : ["FAILED"]) + found[0...4].map(String.init) + [name, String(found[5])]).joined(separator: "\t"))
    return isFine ? .passed : .failed
  }

  /// Moves the input that ended a process to the folder with findings. Returns a text that says so.
  private static func keepLast(_ last: String, _ name: String, _ options: Options) -> String {
    guard let keep = options.keep, let data = try? Data(contentsOf: URL(filePath: last)) else { return "" }
    let file = "\(keep)/\(String(name.map { $0 == " " ? "-" : $0 })).failed"
    guard (try? data.write(to: URL(filePath: file))) != nil else { return "" }
    return "; it is in \(file)"
  }

  /// The search or replay at one entry point, in a process of its own.
  static func work(_ arguments: inout Arguments) throws {
    let door = CostDoor.all[try arguments.number("number", 0)]
    let last = arguments.text("last")
    let options = try Options(&arguments)
    try arguments.finish()
    let findings = options.keep.map { CostFindings(folder: $0) }
    let former = try findings?.searches(withInputsOf: door).first { $0.door.name == door.name }
    var search = former ?? CostFindings.Search(door: door, seconds: 0, findings: [])
    var tried = search.findings.count
    if let seconds = options.seconds {
      let seed = options.seed > 0 ? options.seed : search.seconds + 1
      var run = try CostSearch(door, byteCount: options.byteCount, seed: seed)
      run.last = last
      run.seeds = options.seeds
      search.findings = try run.run(seconds: Double(seconds), from: search.findings, limit: limit)
      search.seconds += Int(System.processorTimeWithChildren())
      tried = run.tried
    } else {
      try replay(&search, options)
    }
    if options.countsInstructions { try countInstructions(&search, options) }
    guard let worst = search.findings.max(by: { $0.ratio < $1.ratio }) else {
      return System.say("nothing\tno input is kept in \(options.keep ?? ""); search with --minutes and --keep")
    }
    if options.seconds != nil {
      try findings?.save(search)
    } else if options.countsInstructions {
      try findings?.saveLedger(replacing: search)
    }
    let instructions = search.findings.compactMap(\.instructions).max().map { "\($0)" } ?? "-"
    let columns = ["\(worst.ratio)", instructions, "\(worst.byteCount)", "\(tried)", "\(search.seconds)", worst.origin]
    System.say("worst\t" + columns.joined(separator: "\t"))
  }

  /// Measures the kept inputs again.
  private static func replay(_ search: inout CostFindings.Search, _ options: Options) throws {
    guard !search.findings.isEmpty else { return }
    let measure = try CostMeasure(search.door, byteCount: options.byteCount * search.door.scale)
    for index in search.findings.indices {
      guard let input = search.findings[index].input(search.door.form) else {
        throw Breach("a kept input of '\(search.door.name)' does not have its form")
      }
      search.findings[index].ratio = rounded(measure.repeatedRatio(input, limit: limit))
      System.say("tried")
    }
  }

  /// Counts the instructions of the costliest input.
  private static func countInstructions(_ search: inout CostFindings.Search, _ options: Options) throws {
    guard let index = search.findings.indices.max(by: { search.findings[$0].ratio < search.findings[$1].ratio }),
      let input = search.findings[index].input(search.door.form)
    else { return }
    let measure = try CostMeasure(search.door, byteCount: options.byteCount * search.door.scale)
    let ratio = try CostInstructions().ratio(input, search.door, measure.reference)
    search.findings[index].instructions = rounded(ratio)
  }

  static func rounded(_ ratio: Double) -> Double { (ratio * 10).rounded() / 10 }
}
