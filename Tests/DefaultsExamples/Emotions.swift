// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TypedDefaults

// example: emotions
enum Emotion: String, CaseIterable {
  case veryHappyIndex, moderateSmileIndex, neutralIndex, slightlyUpsetIndex, verySadIndex
  var count: DefaultsKey<Int> { DefaultsKey(rawValue, default: 0) }
}

/// A screen that increments and resets the counters.
struct CountingScreen {
  let store: any DefaultsStore
  func add(_ number: Int = 1, to emotion: Emotion) throws { try store.modify(emotion.count) { $0 += number } }
  func reset(_ emotion: Emotion) throws { try store.reset(emotion.count) }
  func resetAll() throws { try store.remove(Emotion.allCases.map(\.rawValue)) }
}

/// A screen that shows the counters.
func show(_ store: any DefaultsStore, _ print: @escaping @Sendable ([Int]) -> Void) -> DefaultsObservation {
  store.observe(Emotion.allCases.map(\.rawValue), initial: true, ignoring: nil) { _ in
    let now = store.snapshot()
    print(Emotion.allCases.map { (try? now.value(for: $0.count)) ?? 0 })
  }
}
// end of example

/// The counters with property wrappers, as in the article.
enum AppDefaults {
  @UserDefault(key: "veryHappyIndex", defaultValue: 0) static var veryHappyIndex: Int
  @UserDefault(key: "verySadIndex", defaultValue: 0) static var verySadIndex: Int
}

func emotions() {
  do {
    try StandardDefaults.store.removeAll()
    let screen = CountingScreen(store: StandardDefaults.store)
    let observation = show(StandardDefaults.store) { print($0) }
    try screen.add(to: .veryHappyIndex)
    try screen.add(3, to: .neutralIndex)
    AppDefaults.verySadIndex += 2
    try screen.reset(.neutralIndex)
    try screen.resetAll()
    AppDefaults.veryHappyIndex = 7
    observation.cancel()
    print(AppDefaults.veryHappyIndex, AppDefaults.verySadIndex)
    print(UserDefaults.standard.integer(forKey: "veryHappyIndex"))
  } catch {
    print(error.localizedDescription)
  }
}
