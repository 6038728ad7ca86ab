// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import SystemFiles
import TestSupport
import Testing
import TypedDefaults

@Suite("README example: defaults")
struct DefaultsReadmeTests {
  @Test("works as described")
  func example() throws {
    let scratch = try ScratchFolder()
    let folder = scratch.url
    let recorder = ValueRecorder()
    @Sendable func print(_ text: String) { recorder.add(text) }
    // example: defaults
    let store = try FileStore(at: folder.appending(path: "settings.plist"))
    let launches = DefaultsKey("launches", default: 0)
    let observation = store.observe(launches) { print("launched \($0.new) times") }
    try store.modify(launches) { $0 += 1 }
    // end of example
    #expect(try store.value(for: launches) == 1)
    #expect(recorder.texts == ["launched 1 times"])
    observation.cancel()
  }

  @Test("equals the code of this test")
  func sameText() throws { try ReadmeExample.check("defaults", in: #filePath) }
}

/// The printed lines.
private final class ValueRecorder: Sendable {
  private let lines = Locked<[String]>([])
  var texts: [String] { lines.withLock { $0 } }
  func add(_ text: String) { lines.withLock { $0.append(text) } }
}
