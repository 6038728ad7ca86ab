// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import SystemFiles
import Testing

@Suite("Capability")
struct CapabilityTests {
  @Test("an error names what the system lacks", arguments: Capability.allCases)
  func errors(capability: Capability) {
    let error = SystemError(lacking: capability)
    #expect(error.lacking == capability && error.reason == .unsupported)
    #expect(error.message == "this system has no \(capability.rawValue)")
  }

  @Test("errors of the system lack nothing")
  func numbers() {
    for number: Int32 in 0...133 { #expect(SystemError(number).lacking == nil) }
  }
}
