// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport

/// What a folder of hostile files holds, and what a decoder owes each: the file `manifest.json` in it.
struct Manifest: Decodable {
  /// A file.
  struct Case: Decodable {
    var name: String
    var file: String
    var mode: Mode
    var expect: Expectation
    var limits: Limits?
    var secure: Bool?
    var key: String?
    var allow: [String]?
    var steps: [Step]?
    var summary: Summary?
  }

  /// One decode of several on the same decoder.
  struct Step: Decodable {
    var key: String
    var allow: [String]
    var expect: Expectation
  }

  enum Mode: String, Decodable { case plist, archive }

  enum Expectation: String, Decodable {
    /// A typed error.
    case error
    /// A value, which is as the summary says.
    case ok
    /// A value or a typed error.
    case either
  }

  struct Limits: Decodable {
    var seconds: Double
    var memory: Int

    enum CodingKeys: String, CodingKey {
      case seconds
      case memory = "memory_mb"
    }

    static let standard = Limits(seconds: 5, memory: 256)
  }

  /// How many more files follow from one.
  struct Rule: Decodable {
    var id: String
    var base: String
    var mutate: String
    var values: [UInt8]?
    var upto: String?
    var expect: Expectation
  }

  var form: Int
  var cases: [Case]
  var rules: [Rule]?

  init(in folder: URL) throws {
    let data = try Data(contentsOf: folder.appending(path: "manifest.json"))
    self = try JSONDecoder().decode(Manifest.self, from: data)
    guard form == 1 else { throw Breach("the manifest is of form \(form), and only form 1 is known") }
  }
}
