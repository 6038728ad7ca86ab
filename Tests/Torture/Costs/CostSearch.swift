// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport

/// A search for the input that costs most at one entry point.
///
/// It begins with the inputs of earlier searches, or with known patterns, keeps the costliest inputs and changes these
/// further.
struct CostSearch {
  private struct Member {
    var candidate: CostCandidate
    var origin: String
    var ratio: Double
  }

  private let door: CostDoor
  private let byteCount: Int
  private let measure: CostMeasure
  private var random: SeededRandom
  private var best: [Member] = []
  /// The inputs of earlier searches.
  private var former: [CostFinding] = []
  /// The number of inputs measured.
  private(set) var tried = 0

  /// The file that gets each input before it is measured, for the case that it ends the process.
  var last: String?
  /// The directory of files to begin with.
  var seeds: String?

  private static let population = 16
  /// The maximum number of members that began with the same pattern.
  private static let maximumOfOneOrigin = 6

  init(_ door: CostDoor, byteCount: Int, seed: Int) throws {
    self.door = door
    self.byteCount = byteCount * door.scale
    measure = try CostMeasure(door, byteCount: self.byteCount)
    random = SeededRandom(seed: UInt64(seed))
  }

  /// Searches for a time in seconds, after the inputs of earlier searches. The time is the processor's, for this process and
  /// those that it starts. Returns the costliest inputs, measured again.
  mutating func run(seconds: Double, from former: [CostFinding], limit: Double) throws -> [CostFinding] {
    self.former = former
    try considerFirst()
    let start = System.processorTimeWithChildren()
    while System.processorTimeWithChildren() - start < seconds {
      var (candidate, origin) = parent()
      let other = best[Int.random(in: best.indices, using: &random)].candidate
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        candidate.mutate(&random, for: door.form, with: other)
      }
      try consider(candidate, origin)
    }
    return findings(limit)
  }

  private mutating func considerFirst() throws {
    for finding in former {
      let candidate: CostCandidate? =
        finding.isText ? .text(CostText(finding.data, door.form)) : CostGenome(finding.data).map { .list($0) }
      if let candidate { try consider(candidate, finding.origin) }
    }
    if former.isEmpty {
      for pattern in Bombs.all + CostPatterns.all {
        // A command takes as long to start as to read a small file.
        for size in door.isCommand ? [byteCount / 2] : [byteCount, byteCount / 4] {
          if let genome = CostGenome(pattern.make(size)) { try consider(.list(genome), pattern.name) }
        }
      }
    }
    if let seeds {
      for name in try FileManager.default.subpathsOfDirectory(atPath: seeds).sorted() {
        guard let data = try? Data(contentsOf: URL(filePath: "\(seeds)/\(name)")), data.count <= byteCount * 2,
          let genome = CostGenome(data)
        else { continue }
        try consider(.list(genome), name)
      }
    }
    guard !best.isEmpty else { throw Breach("no input has the form of '\(door.name)'") }
  }

  /// An input to change: one of the costliest, or sometimes a pattern, so that a search that begins with the inputs of an
  /// earlier one also leads elsewhere.
  private mutating func parent() -> (CostCandidate, String) {
    if Int.random(in: 0..<10, using: &random) == 0,
      let pattern = (Bombs.all + CostPatterns.all).randomElement(using: &random),
      let genome = CostGenome(pattern.make(byteCount >> Int.random(in: 0...3, using: &random)))
    {
      return (.list(genome), pattern.name)
    }
    // The better one of two, so that not only the costliest is changed.
    let first = Int.random(in: best.indices, using: &random)
    let member = best[min(first, Int.random(in: best.indices, using: &random))]
    return (member.candidate, member.origin)
  }

  /// Measures an input, and keeps it if it is one of the costliest. One that is too large, or does not have the form of the
  /// entry point, is not measured.
  private mutating func consider(_ candidate: CostCandidate, _ origin: String) throws {
    var candidate = candidate
    var data = candidate.data
    if data.count > byteCount * 2 {
      candidate.removeUnreachable()
      data = candidate.data
    }
    guard data.count <= byteCount * 2, let input = candidate.isText ? data : door.form.input(data),
      input.count <= byteCount * 8
    else { return }
    tried += 1
    if let last { try input.write(to: URL(filePath: last)) }
    let ratio = measure.ratio(input)
    System.say("tried")
    guard best.count < Self.population || ratio > best[best.count - 1].ratio else { return }
    let isCrowded = best.filter { $0.origin == origin }.count >= Self.maximumOfOneOrigin
    if isCrowded, let place = best.lastIndex(where: { $0.origin == origin }) {
      guard best[place].ratio < ratio else { return }
      best.remove(at: place)
    }
    let place = best.firstIndex { $0.ratio < ratio } ?? best.count
    best.insert(Member(candidate: candidate, origin: origin, ratio: ratio), at: place)
    if best.count > Self.population { best.removeLast() }
  }

  /// The costliest input of each of the costliest origins, measured again.
  private func findings(_ limit: Double) -> [CostFinding] {
    var findings: [CostFinding] = []
    for member in best where !findings.contains(where: { $0.origin == member.origin }) {
      let data = member.candidate.data
      let isText = member.candidate.isText
      guard let input = isText ? data : door.form.input(data) else { continue }
      let ratio = min(member.ratio, measure.repeatedRatio(input, limit: limit))
      findings.append(
        CostFinding(
          data: data, isText: isText, origin: member.origin, ratio: CostRun.rounded(ratio), byteCount: input.count,
          instructions: former.first { $0.data == data }?.instructions))
      // Inputs of commands are larger.
      if findings.count == (door.isCommand ? 2 : 3) { break }
    }
    return findings.sorted { $0.ratio > $1.ratio }
  }
}
