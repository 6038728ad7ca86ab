// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing

@Suite("Messages about broken files")
struct MessageTests {
  private static let file = Locations.fixtures.appending(path: "messages/hostile.txt")

  /// What the library says of a case; the code stands in front.
  private static func message(_ hostile: HostileCase) -> String {
    do {
      try hostile.read()
      return "no error"
    } catch let error as KeyedArchiveError {
      return "\(error.code): \(error)"
    } catch let error as PropertyListError {
      return "\(error.code): \(error)"
    } catch {
      return "an error of type \(type(of: error))"
    }
  }

  @Test("fifty cases and more, each as it was read and found good")
  func snapshot() throws {
    let text = try String(contentsOf: Self.file, encoding: .utf8)
    var expected: [String: String] = [:]
    let lines = text.split(separator: "\n")
    for (name, message) in zip(lines, lines.dropFirst()) where !name.hasPrefix("#") && message.hasPrefix("  ") {
      expected[String(name)] = String(message.dropFirst(2))
    }
    #expect(HostileCases.all.count >= 50)
    #expect(Set(HostileCases.all.map(\.name)) == Set(expected.keys))
    for hostile in HostileCases.all {
      #expect(Self.message(hostile) == expected[hostile.name], "\(hostile.name)")
    }
  }

  /// What a decoder finds in an object it tells with the way there; what a reader finds in bytes, with their place.
  @Test("each says where, and what to do", arguments: HostileCases.all.indices)
  func place(_ index: Int) {
    let hostile = HostileCases.all[index]
    do {
      try hostile.read()
      Issue.record("\(hostile.name): it was read")
    } catch let error as KeyedArchiveError {
      let hasPlace = error.keyPath != nil || error.byteOffset != nil || error.uid != nil
      // Of a whole file there is nothing to say but that it is not one.
      #expect(hasPlace || error.code == .unknownArchiver, "\(hostile.name): \(error)")
      #expect(error.remedy != nil, "\(hostile.name): \(error)")
    } catch let error as PropertyListError {
      let hasPlace = error.byteOffset != nil || error.line != nil || error.detail.contains("object ")
      #expect(hasPlace || error.code == .limitReached, "\(hostile.name): \(error)")
      #expect(error.remedy != nil, "\(hostile.name): \(error)")
    } catch {
      Issue.record("\(hostile.name): \(error)")
    }
  }
}
