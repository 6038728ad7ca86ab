// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import KeyedArchivingFoundation
import TestSupport
import Testing

/// A class whose `encode(with:)` and `init(coder:)` do what a test says.
final class Probe: NSObject, NSSecureCoding, FoundationCoding {
  /// A closure, which only the test's own task calls.
  struct Step: @unchecked Sendable {
    let run: (NSCoder) -> Void
  }

  static var supportsSecureCoding: Bool { true }
  @TaskLocal static var reading: Step?
  private let write: (NSCoder) -> Void

  init(write: @escaping (NSCoder) -> Void) { self.write = write }

  func encode(with coder: NSCoder) { write(coder) }

  init?(coder: NSCoder) {
    write = { _ in }
    super.init()
    Probe.reading?.run(coder)
  }

  /// Archives a probe with this package.
  static func archive(_ write: @escaping (NSCoder) -> Void) throws -> Data {
    try KeyedArchiver.archivedData(withRootObject: Probe(write: write), requiringSecureCoding: true)
  }

  /// Decodes a probe with this package, and returns what its initializer read.
  static func read<Value>(
    _ data: Data, settings: (KeyedUnarchiver) -> Void = { _ in }, _ read: @escaping (NSCoder) -> Value
  ) throws -> Value {
    var result: Value?
    try $reading.withValue(Step { result = read($0) }) {
      let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
      settings(unarchiver)
      _ = try unarchiver.decode(Probe.self, forKey: KeyedArchiver.rootKey)
    }
    return try #require(result)
  }

  /// Returns the error of an archiving.
  static func errorOfArchiving(_ write: @escaping (NSCoder) -> Void) throws -> KeyedArchiveError {
    try #require(#expect(throws: KeyedArchiveError.self) { try archive(write) })
  }

  /// Returns the error of a decoding.
  static func errorOfReading(_ data: Data, _ read: @escaping (NSCoder) -> Void) throws -> KeyedArchiveError {
    try #require(#expect(throws: KeyedArchiveError.self) { try Probe.read(data, read) })
  }

  /// An archive with one probe, whose values are handmade.
  static func handmade(_ values: [(String, HandmadeList)], _ objects: [HandmadeList] = []) -> Data {
    // Object 1 is the probe, object 2 its class; more objects follow.
    HandmadeList.archive(
      [.dictionary(values + [("$class", .uid(2))]), .classRecord("KeyedArchivingFoundationTests.Probe", "NSObject")]
        + objects)
  }
}
