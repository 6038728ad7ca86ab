// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import Testing
@testable import TypedDefaults
import TypedDefaultsTesting

private struct Profile: Codable, Equatable, Sendable {
  var name: String
  var age = 0
}

extension DefaultsKey where Value == Int {
  fileprivate static let launches = DefaultsKey("app.launches", default: 0)
}

extension DefaultsKey where Value == Date? {
  fileprivate static let lastOpened = DefaultsKey("lastOpened")
}

extension DefaultsKey where Value == Profile {
  fileprivate static let profile = DefaultsKey("profile", default: Profile(name: "nobody"))
  fileprivate static let lenientProfile = DefaultsKey("profile", default: Profile(name: "nobody"), policy: .useDefault)
}

@Suite("Typed keys")
struct KeyTests {
  @Test("have a default where nothing is stored, and what was stored after")
  func values() throws {
    let store = MemoryStore()
    #expect(try store.value(for: .launches) == 0)
    #expect(store.isDefault(.launches))
    try store.set(3, for: .launches)
    #expect(try store.value(for: .launches) == 3)
    #expect(store.rawValue(for: "app.launches") == 3)
    try store.modify(.launches) { $0 += 1 }
    #expect(store[.launches] == 4)
    try store.reset(.launches)
    #expect(store[.launches] == 0 && store.keys == [])
  }

  @Test("without a default are nil, and storing nil removes")
  func optionals() throws {
    let store = MemoryStore()
    #expect(try store.value(for: .lastOpened) == nil)
    try store.set(Date(timeIntervalSince1970: 5), for: .lastOpened)
    #expect(try store.value(for: .lastOpened) == Date(timeIntervalSince1970: 5))
    #expect(store.rawValue(for: "lastOpened") == .date(Date(timeIntervalSince1970: 5)))
    try store.set(nil, for: .lastOpened)
    #expect(store.keys == [])
    #expect(try store.value(for: DefaultsKey("x", default: Int?.some(5))) == 5)
  }

  @Test("may make their default when it is needed")
  func closure() throws {
    let made = Told<Void>()
    let key = DefaultsKey<Int>(
      "n",
      makingDefault: {
        made.add(())
        return made.all.count
      })
    let store = MemoryStore()
    #expect(store[key] == 1 && store[key] == 2)
    store[key] = 7
    #expect(store[key] == 7 && made.all.count == 2)
  }

  @Test("leave alone what they cannot decode: throw, or give the default and report, as the key says")
  func policies() throws {
    let reported = Told<DefaultsError>()
    let old: PropertyListValue = ["name": "Ada", "age": "36"]
    let store = MemoryStore(["profile": old], reports: { reported.add($0) })
    let error = #expect(throws: DefaultsError.self) { try store.value(for: .profile) }
    #expect(error?.code == .undecodable && error?.key == "profile")
    #expect(error?.description.contains("age") == true)
    #expect(reported.all.isEmpty)
    #expect(try store.value(for: .lenientProfile) == Profile(name: "nobody"))
    #expect(reported.all.map(\.code) == [.undecodable])
    #expect(store[.profile] == Profile(name: "nobody"))
    #expect(throws: DefaultsError.self) { try store.modify(.lenientProfile) { $0.age = 1 } }
    #expect(store.rawValue(for: .profile) == old)
  }

  @Test("do not coerce, unless they are told to")
  func lenient() throws {
    let store = MemoryStore(["n": 12, "s": "42abc", "b": "YES", "d": 2.75])
    #expect(throws: DefaultsError.self) { try store.value(for: DefaultsKey("n", default: "")) }
    #expect(try store.value(for: DefaultsKey("n", default: "", conversion: .lenient())) == "12")
    #expect(try store.value(for: DefaultsKey("s", default: 0, conversion: .lenient())) == 42)
    #expect(try store.value(for: DefaultsKey("b", default: false, conversion: .lenient())))
    #expect(try store.value(for: DefaultsKey("d", default: 0, conversion: .lenient())) == 2)
    #expect(try store.value(for: DefaultsKey("d", default: "", conversion: .lenient())) == "2.75")
    #expect(try store.value(for: DefaultsKey("s", default: 0.0, conversion: .lenient())) == 42)
  }

  @Test("store by other conversions where asked: JSON, a property list in data, a keyed archive, raw values, functions")
  func conversions() throws {
    enum Size: Int, Sendable { case large, small }
    let store = MemoryStore()
    let json = DefaultsKey("json", default: Profile(name: ""), conversion: .json())
    try store.set(Profile(name: "a", age: 1), for: json)
    #expect(store.rawValue(for: "json") == .data(Data(#"{"age":1,"name":"a"}"#.utf8)))
    #expect(try store.value(for: json) == Profile(name: "a", age: 1))
    try store.setRawValue(#"{"age":2,"name":"b"}"#, for: "json")
    #expect(try store.value(for: json).age == 2)

    let list = DefaultsKey("list", default: Profile(name: ""), conversion: .propertyListData())
    try store.set(Profile(name: "a", age: 1), for: list)
    #expect(try store.value(for: list) == Profile(name: "a", age: 1))

    let url = try #require(URL(string: "https://nuomi1.github.io/"))
    let archive = DefaultsKey("archive", default: url, conversion: .keyedArchive())
    try store.set(url, for: archive)
    guard case .data(let data)? = store.rawValue(for: "archive") else { return }
    #expect(data.count == 263)
    #expect(try store.storedValue(for: archive) == url)

    let size = DefaultsKey("size", default: Size.large, conversion: .rawValue())
    try store.set(.small, for: size)
    #expect(store.rawValue(for: "size") == 1)
    #expect(try store.value(for: size) == .small)
    try store.setRawValue(9, for: "size")
    #expect(throws: DefaultsError.self) { try store.value(for: size) }

    let raw = DefaultsKey("raw", default: [:], conversion: .itself)
    try store.set(["a": [1]], for: raw)
    #expect(try store.value(for: raw) == ["a": [1]])
  }

  @Test("that cannot be encoded change nothing")
  func unencodable() throws {
    struct Broken: Codable, Sendable {
      func encode(to encoder: any Encoder) throws { throw CocoaError(.coderInvalidValue) }
    }
    let reported = Told<DefaultsError>()
    let store = MemoryStore(["b": 1], reports: { reported.add($0) })
    let key = DefaultsKey<Broken?>("b")
    let error = #expect(throws: DefaultsError.self) { try store.set(Broken(), for: key) }
    #expect(error?.code == .unencodable)
    store[key] = Broken()
    #expect(reported.all.map(\.code) == [.unencodable])
    #expect(store.rawValue(for: "b") == 1)
  }

  @Test("that would command a terminal do not, when they are reported")
  func reports() {
    let error = DefaultsError(.noValue, key: "a\u{1B}[2J\n\u{9B}b é", "there is none")
    #expect(DefaultsReports.line("\(error)") == #"TypedDefaults: 'a\u{1b}[2J\u{a}\u{9b}b é': there is none"#)
  }

  @Test("in one transaction are stored together; snapshots are of one moment")
  func transactions() throws {
    let store = RecordingStore()
    try store.update { transaction in
      try transaction.set(2, for: .launches)
      try transaction.set(Profile(name: "Ada"), for: .profile)
      #expect(try transaction.value(for: .launches) == 2)
      transaction.reset(.lastOpened)
    }
    #expect(store.calls.count == 1)
    let snapshot = store.snapshot()
    try store.set(9, for: .launches)
    #expect(try snapshot.value(for: .launches) == 2)
    #expect(try snapshot.value(for: .profile).name == "Ada")
    try store.reset()
    #expect(store.calls.isEmpty && store.keys.isEmpty)
  }
}
