// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PropertyListFormat
import TestSupport
import Testing

@Suite("Edited lists")
struct EditingTests {
  @Test("a list that was small may be written as XML with much more in it")
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

  @Test("a dictionary that has not as many values as keys is an error, wherever it is met", arguments: [0, 3])
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

  @Test("a limit below zero allows nothing")
  func negativeLimit() {
    let error = #expect(throws: PropertyListError.self) {
      try PropertyList(HandmadeList.string("a").binary, limits: ReadLimits(maximumObjectCount: -1))
    }
    #expect(error?.code == .limitReached)
  }
}
