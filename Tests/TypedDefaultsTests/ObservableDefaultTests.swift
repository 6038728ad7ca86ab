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
