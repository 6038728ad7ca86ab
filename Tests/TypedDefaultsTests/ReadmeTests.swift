// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import Synchronization
import TestSupport
import Testing
import TypedDefaults

@Suite("The README's example of settings")
struct DefaultsReadmeTests {
  @Test("does what it says")
  func example() throws {
    let scratch = try ScratchFolder()
    let folder = scratch.url
    let told = ValueRecorder()
    @Sendable func print(_ text: String) { told.add(text) }
    // example: defaults
    let store = try FileStore(at: folder.appending(path: "settings.plist"))
    let launches = DefaultsKey("launches", default: 0)
    let observation = store.observe(launches) { print("launched \($0.new) times") }
    try store.modify(launches) { $0 += 1 }
    // end of example
    #expect(try store.value(for: launches) == 1)
    #expect(told.texts == ["launched 1 times"])
    observation.cancel()
  }

  @Test("is that of this file, to the letter")
  func sameText() throws { try ReadmeExample.check("defaults", in: #filePath) }
}

/// What was printed.
private final class ValueRecorder: Sendable {
  private let lines = Mutex<[String]>([])
  var texts: [String] { lines.withLock { $0 } }
  func add(_ text: String) { lines.withLock { $0.append(text) } }
}
