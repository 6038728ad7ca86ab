// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PropertyListFormat
import TestSupport
import Testing

@Suite("Edited property lists")
struct EditingTests {
  @Test("the XML limit grows with the added objects")
  func muchMore() throws {
    var list = try PropertyList(Data("<plist version=\"1.0\"><array><string>a</string></array></plist>".utf8))
    guard case .array(let rows) = try list.object(list.top), let row = rows.first else {
      Issue.record("an array with an element is expected")
      return
    }
    let text = String(repeating: "b", count: 2 << 20)
    list.replace(row, with: .string(text))
    let read = try unsafe PropertyListSerialization.propertyList(from: list.data(), format: nil) as? [String]
    #expect(read == [text])
  }

  @Test("a dictionary with more keys than values is an error in each use", arguments: [0, 3])
  func unequal(count: Int) throws {
    var list = try PropertyList(HandmadeList.dictionary([("a", 1)]).binary)
    guard case .dictionary(let keys, let values) = try list.object(list.top) else {
      Issue.record("a dictionary is expected")
      return
    }
    list.replace(list.top, with: .dictionary(keys: keys, values: Array(repeating: values[0], count: count)))
    for use in [{ _ = try list.data(format: .binary) }, { _ = try list.tree() }] as [() throws -> Void] {
      let error = #expect(throws: PropertyListError.self) { try use() }
      #expect(error?.code == .badCount)
    }
  }

  @Test("a negative limit rejects each input")
  func negativeLimit() {
    let error = #expect(throws: PropertyListError.self) {
      try PropertyList(HandmadeList.string("a").binary, limits: ReadLimits(maximumObjectCount: -1))
    }
    #expect(error?.code == .limitReached)
  }
}
