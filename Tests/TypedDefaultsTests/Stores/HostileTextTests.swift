// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PropertyListFormat
import TestSupport
import Testing
import TypedDefaults

@Suite("Hostile text in stores")
struct HostileTextTests {
  private let text = HostileText.marks(100_000)

  @Test(
    "a file with long runs of combining marks is read within seconds")
  func file() throws {
    let location = try StoreLocation()
    try HandmadeList.dictionary([
      (text, .string(text)), ("M" + text, .integer(2)), ("dictionary", .dictionary([(text, .integer(1))])),
      ("list", .array([.string(text), .string("M" + text)])),
    ]).binary.write(to: location.url)
    let time = try HostileText.time {
      let store = try location.store()
      #expect(store.keys.count == 4)
      #expect(store.rawValue(for: text) == .string(text))
      #expect(store.rawValue(for: "M" + text) == 2)
      #expect(store.rawValue(for: text + "x") == nil)
      let (dictionary, list) = (store.rawValue(for: "dictionary"), store.rawValue(for: "list"))
      let decoder = PropertyListValueDecoder()
      #expect(throws: DecodingError.self) { try decoder.decode([String: Int].self, from: #require(dictionary)) }
      #expect(throws: DecodingError.self) { try decoder.decode(Set<String>.self, from: #require(list)) }
      #expect(throws: DecodingError.self) { try decoder.decode([Set<String>].self, from: .array([#require(list)])) }
      #expect(try decoder.decode([String].self, from: #require(list)).count == 2)
      #expect((dictionary?.plain as? [String: Any])?.isEmpty == true)
      try store.setRawValue(3, for: "M" + text)
      try store.flush()
    }
    #expect(time < HostileText.patience)
    #expect(try location.store().rawValue(for: "M" + text) == 3)
  }

  @Test("canonically equivalent keys are different", arguments: 0..<4)
  func twins(_ number: Int) throws {
    let (a, b) = HostileText.twins[number]
    let location = try StoreLocation()
    let store = try location.store()
    try store.setRawValue(1, for: a)
    #expect(store.rawValue(for: b) == nil)
    try store.setRawValue(2, for: b)
    try store.flush()
    let read = try location.store()
    #expect(read.rawValue(for: a) == 1)
    #expect(read.rawValue(for: b) == 2)
  }
}
