// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing

/// The locations of test files.
enum Fixtures {
  /// The conformance suite, if present.
  static let pngSuite = Locations.shared?.appending(path: "pngsuite")

  static func data(_ name: String) throws -> Data {
    try Data(contentsOf: Locations.fixtures.appending(path: "png").appending(path: name))
  }
}

/// The result of an independent decoder for a fixture: a line of `pixels.tsv`.
struct ExpectedPixels: CustomTestStringConvertible, Sendable {
  let name: String
  let width: Int
  let height: Int
  let sha256: String

  var testDescription: String { name }

  static func all() throws -> [ExpectedPixels] {
    let table = String(decoding: try Fixtures.data("pixels.tsv"), as: UTF8.self)
    return table.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: "\t")
      guard fields.count == 4, let width = Int(fields[1]), let height = Int(fields[2]) else { return nil }
      return ExpectedPixels(name: String(fields[0]), width: width, height: height, sha256: String(fields[3]))
    }
  }
}

/// An entry of the conformance suite's `expected.json`.
struct SuiteEntry: Decodable, CustomTestStringConvertible, Sendable {
  var name = ""
  let valid: Bool
  let width: Int?
  let height: Int?
  let bitDepth: Int?
  let colorType: UInt8?
  let interlace: Int?
  let rgba8_sha256: String?

  private enum CodingKeys: String, CodingKey { case valid, width, height, bitDepth, colorType, interlace, rgba8_sha256 }

  var testDescription: String { name }

  func data() throws -> Data {
    try Data(contentsOf: #require(Fixtures.pngSuite).appending(path: "png").appending(path: name))
  }

  static func all() throws -> [SuiteEntry] {
    guard let suite = Fixtures.pngSuite else { return [] }
    let json = try Data(contentsOf: suite.appending(path: "expected.json"))
    let entries = try JSONDecoder().decode([String: SuiteEntry].self, from: json)
    return entries.sorted { $0.key < $1.key }.map { name, entry in
      var entry = entry
      entry.name = name
      return entry
    }
  }
}
