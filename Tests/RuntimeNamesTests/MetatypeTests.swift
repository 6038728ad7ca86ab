// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import RuntimeNames
import Testing

@Suite("Metatypes in runtime names")
struct MetatypeTests {
  @Test("the type of the type of a protocol's conforming types is shown as the runtime shows it")
  func metatypes() {
    #expect(RuntimeName.swiftName(of: "_TtGC1M3OneMPMPS_6Marked__") == "M.One<M.Marked.Type.Protocol>")
    #expect(RuntimeName.swiftName(of: "_TtGC1M3OnePMPS_6Marked__") == "M.One<M.Marked.Type>")
  }
}
