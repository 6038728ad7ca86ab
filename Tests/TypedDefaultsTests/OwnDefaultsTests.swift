// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat
import Testing
import TypedDefaults
import TypedDefaultsTesting

@Suite("A default store for each test", .ownDefaults)
struct OwnDefaultsTests {
  @UserDefault(key: "launches", defaultValue: 0) var launches: Int

  @Test("tests and their cases do not see each other's values", arguments: 1...20)
  func cases(_ number: Int) async {
    #expect(launches == 0 && StandardDefaults.store.keys == [])
    launches = number
    await Task.yield()
    #expect(launches == number)
    // A task of the test has the same store.
    #expect(await Task { launches }.value == number)
  }

  @Test("a test can begin with values", .ownDefaults(["launches": 3]))
  func values() {
    #expect(launches == 3)
    launches += 1
    #expect(StandardDefaults.store.rawValue(for: "launches") == 4)
  }
}
