// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation

/// The least that this library must be ahead of others: a file that is kept beside the harness.
///
/// These are ratios within one run, not times, so they mean the same on every machine. A case that takes twice the time it
/// did when the file was written is below its threshold.
struct Thresholds: Codable {
  /// For a case such as `creatures 1000 encode json`: how many times our time the other coder needs at least.
  var factors: [String: Double]

  /// What a run must reach when it is 1.7 times slower than now.
  init(_ comparison: Comparison) {
    factors = [:]
    for (name, factor) in Self.cases(comparison) { factors[name] = (factor / 1.7 * 100).rounded(.down) / 100 }
  }

  /// Reads the file.
  init(contentsOf path: String) throws {
    self = try JSONDecoder().decode(Thresholds.self, from: Data(contentsOf: URL(filePath: path)))
  }

  /// What is below its threshold, has none, or is not there.
  func failures(_ comparison: Comparison) -> [String] {
    let found = Dictionary(Self.cases(comparison)) { first, _ in first }
    let unknown = found.keys.filter { factors[$0] == nil }.sorted().map { "\($0): no threshold" }
    return unknown
      + factors.sorted { $0.key < $1.key }.compactMap { name, least in
        guard let factor = found[name] else { return "\(name): not measured" }
        return factor < least ? "\(name): \(number(factor)) times, at least \(number(least)) expected" : nil
      }
  }

  /// Every ratio but those to Foundation's archiver, which is too slow to be timed well.
  private static func cases(_ comparison: Comparison) -> [(String, Double)] {
    comparison.rows.flatMap { row in
      let operations = [("encode", \Comparison.Cost.encode), ("decode", \Comparison.Cost.decode)]
      return operations.flatMap { operation, cost in
        let name = "\(row.workload) \(row.count) \(operation)"
        return [
          row.factor(.propertyList, cost).map { ("\(name) propertyList", $0) },
          row.factor(.json, cost).map { ("\(name) json", $0) },
          row.factor(.keyed, cost, to: .keyedCodable).map { ("\(name) keyed to keyedCodable", $0) },
          row.factor(.propertyList, cost, to: .listValues).map { ("\(name) propertyList to listValues", $0) },
          row.factor(.propertyListXML, cost, to: .listValuesXML).map {
            ("\(name) propertyListXML to listValuesXML", $0)
          },
        ].compactMap(\.self)
      }
    }
  }
}
