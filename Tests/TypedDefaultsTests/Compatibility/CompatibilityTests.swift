// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PropertyListFormat
import TestSupport
import Testing
import TypedDefaults
import TypedDefaultsFoundation
import TypedDefaultsTesting

@Suite("Types of published articles")
struct CompatibilityTests {
  private struct Book: Codable, Equatable, Sendable {
    var title: String
    var pageCount: Int
  }

  private struct Config: DefaultsConvertible, Equatable {
    var isOn = true
    var level = 1
    static let key = "Config"

    init() {}

    init?(_ object: Any) {
      guard let object = object as? [String: Any] else { return nil }
      isOn = object["isOn"] as? Bool ?? true
      level = object["level"] as? Int ?? 1
    }

    func serialize() -> Any { ["isOn": isOn, "level": level] as [String: Any] }
  }

  @Test("ObjectSavable stores JSON in data, and nil removes the value")
  func objectSavable() throws {
    let store = MemoryStore()
    let book = Book(title: "T", pageCount: 1)
    try store.setObject(book, forKey: "book")
    #expect(store.rawValue(for: "book") == .data(Data(#"{"pageCount":1,"title":"T"}"#.utf8)))
    #expect(try store.getObject(forKey: "book", castTo: Book.self) == book)
    try store.setObject(Book?.none, forKey: "book")
    #expect(store.keys == [])
  }

  @Test("ObjectSavableError has the three texts and details")
  func objectErrors() throws {
    #expect(ObjectSavableError.unableToEncode.rawValue == "Unable to encode object into data")
    #expect(ObjectSavableError.noValue.errorDescription == "No data object found for the given key")
    #expect(ObjectSavableError.unableToDecode.localizedDescription == "Unable to decode object into given type")
    #expect(ObjectSavableError(rawValue: "No data object found for the given key") == .noValue)
    #expect(ObjectSavableError(rawValue: "other") == nil)
    // The details do not affect equality.
    #expect(Set([.noValue, .noValue.about("key", Book.self), .unableToDecode] as [ObjectSavableError]).count == 2)
    let store = MemoryStore(["text": "x", "book": .data(Data(#"{"title":1}"#.utf8))])
    let suite = ScratchSuite()
    defer { withExtendedLifetime(suite) {} }
    let defaults = suite.defaults
    defaults.set("x", forKey: "text")
    defaults.set(Data(#"{"title":1}"#.utf8), forKey: "book")
    for savable in [store as any ObjectSavable, defaults] {
      let missing = #expect(throws: ObjectSavableError.self) {
        try savable.getObject(forKey: "none", castTo: Book.self)
      }
      #expect(missing == .noValue && missing?.key == "none")
      // The stored value is of another kind.
      let text = #expect(throws: ObjectSavableError.self) { try savable.getObject(forKey: "text", castTo: Book.self) }
      #expect(text == .unableToDecode && text?.underlying is DefaultsError)
      let book = #expect(throws: ObjectSavableError.self) { try savable.getObject(forKey: "book", castTo: Book.self) }
      #expect(book == .unableToDecode && book?.type == "Book")
      guard case DecodingError.typeMismatch(_, let context)? = book?.underlying else {
        Issue.record("no path: \(book?.underlying as Any)")
        continue
      }
      #expect(context.codingPath.map(\.stringValue) == ["title"])
      let nan = #expect(throws: ObjectSavableError.self) { try savable.setObject([Double.nan], forKey: "nan") }
      #expect(nan == .unableToEncode)
    }
  }

  @Test("ObjectSavableError can be caught by its kind and thrown by other code")
  func objectErrorPatterns() throws {
    struct Other: Error {}
    func kind(_ body: () throws -> Void) -> String {
      do {
        try body()
        return "none"
      } catch ObjectSavableError.noValue {
        return "no value"
      } catch let error as ObjectSavableError where error == .unableToDecode {
        return "decode"
      } catch let error as ObjectSavableError {
        switch error {
        case .unableToEncode: return "encode"
        default: return "?"
        }
      } catch {
        return "other"
      }
    }
    let store = MemoryStore(["text": "x"])
    #expect(kind { _ = try store.getObject(forKey: "a", castTo: Int.self) } == "no value")
    #expect(kind { _ = try store.getObject(forKey: "text", castTo: Int.self) } == "decode")
    #expect(kind { try store.setObject([Double.nan], forKey: "a") } == "encode")
    #expect(kind { throw ObjectSavableError.noValue } == "no value")
    #expect(kind { throw Other() } == "other")
  }

  private struct Settings: Sendable {
    @UserDefault(key: "launch.count", defaultValue: 0) var count: Int
    @UserDefault(key: "name") var name: String?
    static let shared = Settings()
  }

  @MainActor private enum Global {
    @UserDefault(key: "launch.count", defaultValue: 0) static var count: Int
  }

  @Test("@UserDefault works on instance and static properties") @MainActor
  func wrapper() throws {
    let reported = ValueRecorder<DefaultsError>()
    let store = MemoryStore(reports: { reported.add($0) })
    try StandardDefaults.$substitute.withValue(store) {
      #expect(Settings.shared.count == 0 && Settings.shared.name == nil)
      Settings.shared.count += 1
      Settings.shared.name = "Ada"
      #expect(Global.count == 1)
      Global.count = 5
      #expect(store.rawValue(for: "launch.count") == 5 && store.rawValue(for: "name") == "Ada")
      Settings.shared.name = nil
      #expect(store.keys == ["launch.count"])
      // A value of another type stays, and is reported.
      try store.setRawValue("text", for: "launch.count")
      #expect(Settings.shared.count == 0)
      #expect(reported.all.map(\.code) == [.undecodable])
      #expect(throws: DefaultsError.self) { try Settings.shared.$count.get() }
      #expect(store.rawValue(for: "launch.count") == "text")
    }
  }

  @Test("@UserDefault can be observed")
  func wrapperObserved() throws {
    let wrapper = UserDefault(key: "n", defaultValue: 0, store: MemoryStore())
    let recorder = ValueRecorder<DefaultsValueChange<Int>>()
    let token = wrapper.projectedValue.observe { recorder.add($0) }
    wrapper.wrappedValue = 1
    try wrapper.set(2)
    try wrapper.reset()
    #expect(recorder.all.map(\.old) == [0, 1, 2] && recorder.all.map(\.new) == [1, 2, 0])
    withExtendedLifetime(token) {}
  }

  @Test("typed stores convert their value, also in memory")
  func typedStores() throws {
    let location = try StoreLocation()
    let reported = ValueRecorder<DefaultsError>()
    let memory = MemoryStore(reports: { reported.add($0) })
    for store in [
      AnyStore(InMemoryStore<Config>()), AnyStore(PersistentStore<Config>(try location.store())),
      AnyStore(PersistentStore<Config>(memory, key: "other")),
    ] {
      let recorder = ValueRecorder<Int?>()
      let token = store.observe { recorder.add($0.new?.level) }
      #expect(store.get() == nil)
      var config = Config()
      config.level = 3
      store.set(config)
      #expect(store.get() == config)
      #expect(store.store.rawValue(for: store.key.name) == ["isOn": true, "level": 3])
      store.remove()
      #expect(try store.load() == nil)
      #expect(recorder.all == [3, nil])
      withExtendedLifetime(token) {}
    }
    try memory.setRawValue("no dictionary", for: "other")
    let store = PersistentStore<Config>(memory, key: "other")
    #expect(store.get() == nil)
    #expect(throws: DefaultsError.self) { try store.load() }
    #expect(reported.all.map(\.code) == [.undecodable])
    #expect(memory.rawValue(for: "other") == "no dictionary")
  }

  @Test("AnyStore is a view of any key of any store")
  func anyStore() throws {
    let store = MemoryStore(["n": 3])
    let number = AnyStore(store, key: DefaultsKey<Int?>("n"))
    #expect(number.get() == 3)
    number.set(4)
    #expect(store.rawValue(for: "n") == 4)
  }

  @Test("a value that property lists cannot hold is rejected")
  func unserializable() {
    struct Odd: DefaultsConvertible {
      static let key = "Odd"
      init() {}
      init?(_ object: Any) {}
      func serialize() -> Any { ["x": Odd.self] }
    }
    #expect(throws: DefaultsError.self) { try InMemoryStore<Odd>().save(Odd()) }
  }

  @Test("Defaults stores and loads its value")
  func defaults() throws {
    let store = MemoryStore()
    let defaults = Defaults(key: "u_url", value: try #require(URL(string: "https://nuomi1.github.io/")))
    #expect(defaults.value(with: store) == nil)
    defaults.set(with: store)
    #expect(defaults.value(with: store) == defaults.value)
    #expect(try defaults.load(from: store) == defaults.value)
    let other = MemoryStore()
    try defaults.store(in: other)
    #expect(other.rawValue(for: "u_url") == "https://nuomi1.github.io/")
  }
}
