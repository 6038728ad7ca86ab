// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import Observation
import PropertyListFormat
import Testing
import TypedDefaults
import TypedDefaultsTesting

extension DefaultsKey where Value == Int {
  fileprivate static let launches = DefaultsKey("launches", default: 0)
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
private final class Settings: Observable {
  @ObservableDefault<Int> var launches: Int
  @ObservableDefault<String?> var name: String?

  init(_ store: any DefaultsStore) {
    _launches = ObservableDefault(.launches, store: store)
    _name = ObservableDefault(DefaultsKey("name"), store: store)
  }
}

@Suite("ObservableDefault")
struct ObservableDefaultTests {
  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
  @Test("a view is told of changes of the properties that it reads, by anyone")
  func tracking() throws {
    let store = MemoryStore()
    let settings = Settings(store)
    let told = ValueRecorder<String>()
    func view(_ name: String) {
      withObservationTracking {
        _ = settings.launches
      } onChange: {
        told.add(name)
      }
    }

    view("own")
    settings.launches += 1
    #expect(told.all == ["own"] && settings.launches == 1)
    view("other")
    try store.modify(.launches) { $0 += 1 }
    #expect(told.all == ["own", "other"] && settings.launches == 2)
    view("none")
    settings.name = "Ghost"
    settings.launches = 2  // no change
    #expect(told.all == ["own", "other"])
    #expect(store.snapshot().values == ["launches": 2, "name": "Ghost"])
    try settings.$launches.store.reset(.launches)
    #expect(told.all == ["own", "other", "none"] && settings.launches == 0)
  }

  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
  @Test("a view is told of changes by another process")
  func otherProcesses() throws {
    let location = try StoreLocation()
    let (store, other) = (try location.store(), try location.store())
    let settings = Settings(store)
    let told = ValueRecorder<Int>()
    withObservationTracking {
      _ = settings.launches
    } onChange: {
      told.add(1)
    }
    try other.set(7, for: .launches)
    try store.refresh()
    #expect(told.all == [1] && settings.launches == 7)
  }

  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
  @Test("a change in place keeps a value that cannot be decoded")
  func undecodable() throws {
    let reported = ValueRecorder<DefaultsError>()
    let old: PropertyListDictionary = ["launches": "many", "name": 7]
    let store = MemoryStore(old, reports: { reported.add($0) })
    let settings = Settings(store)
    settings.launches += 1
    settings.name?.append("!")
    struct Wrapped {
      @UserDefault<Int> var launches: Int
      @UserDefault<[String]> var name: [String]

      init(_ store: any DefaultsStore) {
        _launches = UserDefault(.launches, store: store)
        _name = UserDefault(key: "name", defaultValue: [], store: store)
      }
    }
    let wrapped = Wrapped(store)
    wrapped.launches += 1
    wrapped.name.append("!")
    #expect(store.snapshot().values == old)
    #expect(reported.all.map(\.key) == ["launches", "name", "launches", "name"])
    settings.launches = 2
    wrapped.name = ["Ghost"]
    wrapped.launches += 1
    #expect(store.snapshot().values == ["launches": 3, "name": ["Ghost"]])
  }

  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
  @Test("a property that is released ends its observation")
  func release() throws {
    let store = RecordingStore(MemoryStore())
    weak var released: ObservableDefault<Int>?
    do {
      let property = ObservableDefault(.launches, store: store)
      released = property
      #expect(property.wrappedValue == 0)
    }
    #expect(released == nil)
    try store.set(1, for: .launches)
  }
}
