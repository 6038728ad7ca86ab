// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing
import TypedDefaults

@Suite("Hostile text in stores")
struct HostileTextTests {
  private let text = HostileText.marks(100_000)

  @Test(
    "a store's file with long texts as keys and values is read within seconds, and its values decode or are refused")
  func file() throws {
    let place = try Place()
    try HandmadeList.dictionary([
      (text, .string(text)), ("M" + text, .integer(2)), ("dictionary", .dictionary([(text, .integer(1))])),
      ("list", .array([.string(text), .string("M" + text)])),
    ]).binary.write(to: place.url)
    let time = try HostileText.time {
      let store = try place.store()
      #expect(store.keys.count == 4)
      #expect(store.rawValue(for: text) == .string(text))
      #expect(store.rawValue(for: "M" + text) == 2)
      #expect(store.rawValue(for: text + "x") == nil)
      let (dictionary, list) = (store.rawValue(for: "dictionary"), store.rawValue(for: "list"))
      let decoder = UserDefaultsDecoder()
      #expect(throws: DecodingError.self) { try decoder.decode([String: Int].self, from: #require(dictionary)) }
      #expect(throws: DecodingError.self) { try decoder.decode(Set<String>.self, from: #require(list)) }
      #expect(throws: DecodingError.self) { try decoder.decode([Set<String>].self, from: .array([#require(list)])) }
      #expect(try decoder.decode([String].self, from: #require(list)).count == 2)
      #expect((dictionary?.plain as? [String: Any])?.isEmpty == true)
      try store.setRawValue(3, for: "M" + text)
      try store.flush()
    }
    #expect(time < HostileText.patience)
    #expect(try place.store().rawValue(for: "M" + text) == 3)
  }

  @Test("keys that Swift treats as equal are two keys of a store", arguments: 0..<4)
  func twins(_ number: Int) throws {
    let (a, b) = HostileText.twins[number]
    let place = try Place()
    let store = try place.store()
    try store.setRawValue(1, for: a)
    #expect(store.rawValue(for: b) == nil)
    try store.setRawValue(2, for: b)
    try store.flush()
    let read = try place.store()
    #expect(read.rawValue(for: a) == 1)
    #expect(read.rawValue(for: b) == 2)
  }
}
