// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import TestSupport
import Testing

@Suite("What no archiver wrote is refused with the key, and nothing is made of it")
struct MalformedValueTests {
  @Test(arguments: MalformedObject.all)
  func refused(_ malformed: MalformedObject) {
    let error = #expect(throws: KeyedArchiveError.self) { try malformed.decode(malformed.data) }
    #expect(error?.code == malformed.code, "\(String(describing: error))")
    #expect(error?.description.contains(malformed.key) ?? false, "\(String(describing: error))")
    #expect(error?.keyPath?.hasPrefix("root") ?? false, "\(String(describing: error))")
  }
}
