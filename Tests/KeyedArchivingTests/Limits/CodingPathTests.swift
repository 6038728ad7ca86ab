// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import Synchronization
import TestSupport
import Testing

/// A value of one of several forms. It finds its form by trying one after the other.
private final class Tree: KeyedCodable {
  /// The errors of all forms that a value did not have.
  final class Errors: Sendable {
    private let list = Mutex<[DecodingError]>([])
    var all: [DecodingError] { list.withLock { $0 } }
    func add(_ error: DecodingError) { list.withLock { $0.append(error) } }
  }

  @TaskLocal static var errors = Errors()

  private enum CodingKeys: String, CodingKey { case name, child, leaves }

  let child: Tree?
  let leafCount: Int

  init(depth: Int, leaves: Int) {
    child = depth > 0 ? Tree(depth: depth - 1, leaves: leaves) : nil
    leafCount = depth > 0 ? 0 : leaves
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    if let child { return try container.encode(child, forKey: .child) }
    try container.encode(Array(repeating: 1, count: leafCount), forKey: .leaves)
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    child = try container.decodeIfPresent(Tree.self, forKey: .child)
    leafCount = child == nil ? try container.decode([Int].self, forKey: .leaves).count : 0
    for _ in 0..<leafCount {
      do {
        _ = try container.decode(String.self, forKey: .name)
      } catch let error as DecodingError {
        Tree.errors.add(error)
      }
    }
  }
}

private func context(_ error: DecodingError) -> DecodingError.Context? {
  if case .keyNotFound(_, let context) = error { context } else { nil }
}

@Suite("Coding paths of many errors")
struct CodingPathTests {
  private func errors(depth: Int, leaves: Int) throws -> (data: Data, errors: [DecodingError]) {
    let data = try KeyedArchiver.archivedData(
      withRootObject: Tree(depth: depth, leaves: leaves), requiringSecureCoding: true)
    let errors = Tree.Errors()
    let tree = try Tree.$errors.withValue(errors) {
      try KeyedUnarchiver.unarchivedObject(ofClass: Tree.self, from: data)
    }
    #expect(tree != nil)
    return (data, errors.all)
  }

  @Test("are complete for a few errors")
  func complete() throws {
    let (_, errors) = try errors(depth: 40, leaves: 20)
    #expect(errors.count == 20)
    for error in errors {
      let path = context(error)?.codingPath.map(\.stringValue)
      #expect(path == ["root"] + Array(repeating: "child", count: 40))
    }
  }

  @Test("have in all a number of steps that the size of the file limits")
  func limited() throws {
    let (data, errors) = try errors(depth: 100, leaves: 5000)
    #expect(errors.count == 5000)
    let steps = errors.map { context($0)?.codingPath.count ?? 0 }
    #expect(steps.first == 101)
    #expect(steps.reduce(0, +) < data.count + 16_384 + 4 * errors.count)
    // The error of the library has the complete path, which is made when it is read.
    let cause = try #require(errors.last.flatMap { context($0)?.underlyingError } as? KeyedArchiveError)
    #expect(cause.keyPath == "root" + String(repeating: ".child", count: 100) + ".name")
  }
}
