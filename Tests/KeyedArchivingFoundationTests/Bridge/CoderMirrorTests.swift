// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import KeyedArchivingFoundation
import Testing

@Suite("Mirrors of coders")
struct CoderMirrorTests {
  /// The text of a dump, which reads each stored property that a mirror shows.
  private func dumped(_ value: Any) -> String {
    var text = ""
    dump(value, to: &text)
    return text
  }

  @Test("show no stored property, so that a dump and a failed expectation can describe each coder")
  func children() throws {
    var dumps: [String] = []
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.encode(
      Probe { coder in
        coder.encode(1, forKey: "k")
        dumps.append(self.dumped(coder))
      }, forKey: KeyedArchiver.rootKey)
    dumps.append(dumped(archiver))
    let data = try archiver.encodedData
    try Probe.read(data, settings: { dumps.append(self.dumped($0)) }) { dumps.append(self.dumped($0)) }
    #expect(dumps.count == 4)
    for text in dumps { #expect(text.contains("KeyedArchiver") || text.contains("KeyedUnarchiver"), "\(text)") }
  }
}
