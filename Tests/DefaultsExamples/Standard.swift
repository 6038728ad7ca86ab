// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TypedDefaults
import TypedDefaultsFoundation

// example: standard
/// The settings of an app, in `UserDefaults.standard` like those of its other libraries.
struct Settings {
  @UserDefault(key: "veryHappyIndex", defaultValue: 0) var veryHappyIndex: Int
  @UserDefault(key: "name") var name: String?
}

func standard() throws {
  try StandardDefaults.use(UserDefaultsStore.standard)
  let settings = Settings()
  settings.veryHappyIndex = 3
  print(UserDefaults.standard.integer(forKey: "veryHappyIndex"))
  UserDefaults.standard.set("Ghost", forKey: "name")
  print(settings.name ?? "-")

  let launches = Defaults(key: "launches", value: 1)
  UserDefaults.standard.set(with: launches)
  print(UserDefaults.standard.value(with: launches) ?? 0, launches.value(with: StandardDefaults.store) ?? 0)
}
// end of example

/// Another choice of the default store is an error, and the first one stays.
func secondChoice() throws {
  let first = MemoryStore()
  try StandardDefaults.use(first)
  try StandardDefaults.use(first)
  do {
    try StandardDefaults.use(MemoryStore())
  } catch {
    print(error)
  }
  print(StandardDefaults.store === first)
}

/// A program without a choice uses the default store of the system.
func noChoice() {
  let used = StandardDefaults.store
  print(used === UserDefaultsStore.standard, used === StandardDefaults.file)
}

/// So is a choice after the first use.
func lateChoice() {
  let used = StandardDefaults.store
  do {
    try StandardDefaults.use(MemoryStore())
  } catch {
    print(error)
  }
  print(StandardDefaults.store === used)
}
