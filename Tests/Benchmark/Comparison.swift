// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation

/// Measures coders against each other in one process: the coders take turns, so that all of them meet the same machine,
/// and the best turn of each counts, which neighbours disturb least.
struct Comparison: Codable {
  /// What one coder needs for a workload.
  struct Cost: Codable {
    let coder: Coder
    /// Nanoseconds of processor time for a value; nil where it takes too long to be worth waiting for.
    var encode: Double?
    var decode: Double?
    var byteCount: Int?
  }

  /// A workload of one size.
  struct Row: Codable {
    let workload: Workload
    let count: Int
    var costs: [Cost]

    /// How many times the time of this library's archiver, or of another of its coders, a coder takes.
    func factor(_ coder: Coder, _ cost: KeyPath<Cost, Double?>, to own: Coder = .keyed) -> Double? {
      guard let ours = costs.first(where: { $0.coder == own })?[keyPath: cost], ours > 0 else { return nil }
      return costs.first { $0.coder == coder }?[keyPath: cost].map { $0 / ours }
    }
  }

  var rows: [Row] = []

  /// Seconds of processor time that one run may take; a coder that needs more is not run with more values.
  private static let patience = 4.0

  /// Measures every workload.
  static func run(quick: Bool) throws -> Comparison {
    keepMemory()
    var comparison = Comparison()
    var tooSlow: Set<String> = []
    for workload in Workload.allCases {
      for count in workload.sizes(quick: quick) {
        let coders = Coder.allCases.filter { $0.has(workload) && !tooSlow.contains("\($0) \(workload)") }
        let row = try measure(workload, count, coders, rounds: quick ? 5 : 7)
        for cost in row.costs where max(cost.encode ?? 0, cost.decode ?? 0) * Double(count) * 10 / 1e9 > patience {
          tooSlow.insert("\(cost.coder) \(workload)")
        }
        comparison.rows.append(row)
      }
    }
    return comparison
  }

  private static func measure(_ workload: Workload, _ count: Int, _ coders: [Coder], rounds: Int) throws -> Row {
    var costs: [Cost] = []
    var turns: [(encode: Turn, decode: Turn)] = []
    for coder in coders {
      let job = try Job(coder, workload, count)
      let data = try job.encode()
      guard try job.decode(data)() else {
        throw BenchmarkError("\(coder.title), \(count) \(workload): what came out is not what went in")
      }
      costs.append(Cost(coder: coder, byteCount: data.count))
      turns.append((try Turn { _ = try job.encode() }, try Turn { _ = try job.decode(data) }))
    }
    for _ in 0..<rounds {
      for place in coders.indices {
        try turns[place].encode.take()
        try turns[place].decode.take()
      }
    }
    for place in coders.indices {
      costs[place].encode = turns[place].encode.best / Double(count) * 1e9
      costs[place].decode = turns[place].decode.best / Double(count) * 1e9
    }
    return Row(workload: workload, count: count, costs: costs)
  }

  /// Something that is timed again and again.
  private struct Turn {
    private let body: () throws -> Void
    /// How often it runs in one turn, so that the clock is fine enough.
    private let repetitions: Int
    private(set) var best: Double

    init(_ body: @escaping () throws -> Void) throws {
      self.body = body
      let once = try CPUTime.of(body)
      best = once
      repetitions = max(1, min(20_000, Int(0.02 / max(once, 1e-7))))
    }

    /// Runs again; not what takes so long that once is enough.
    mutating func take() throws {
      guard best < 0.3 else { return }
      let time = try CPUTime.of { for _ in 0..<repetitions { try body() } }
      best = min(best, time / Double(repetitions))
    }
  }

  /// The tables for people.
  var table: String {
    (["Nanoseconds of processor time for each value, and how many times that the others take."]
      + lines(.keyed, against: [.foundation, .propertyList, .json])
      + lines(.keyedCodable, against: [.keyed])
      + lines(.listValues, against: [.propertyList, .json])
      + lines(.listValuesXML, against: [.propertyListXML, .json])).joined(separator: "\n")
  }

  private func lines(_ own: Coder, against others: [Coder]) -> [String] {
    var lines = [
      "",
      pad(own.title, 20) + pad("encode", -9) + pad("decode", -9) + "  " + others.map { pad($0.title, -18) }.joined(),
    ]
    for row in rows {
      guard let ours = row.costs.first(where: { $0.coder == own }) else { continue }
      var line = pad("\(row.workload) \(row.count)", 20)
      line += pad(ours.encode.map { "\(Int($0.rounded()))" } ?? "-", -9)
      line += pad(ours.decode.map { "\(Int($0.rounded()))" } ?? "-", -9) + "  "
      for coder in others {
        let factors = [\Cost.encode, \.decode].map { row.factor(coder, $0, to: own).map(number) ?? "-" }
        line += pad(factors.joined(separator: " / "), -18)
      }
      lines.append(line)
    }
    return lines
  }
}
