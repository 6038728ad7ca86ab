// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

@Suite("Key paths of objects")
struct ObjectPathTests {
  @Test("keys with dots and other characters of the syntax are in quotes")
  func quoted() throws {
    let box = HandmadeList.classRecord("Box", "NSObject")
    let archive = try KeyedArchive(
      HandmadeList.archive(
        [
          ["b": .uid(2), "$class": .uid(7)], ["$class": .uid(7)], ["n": .uid(4), "c[0]": .uid(5), "$class": .uid(7)],
          ["$class": .uid(7)], ["NS.relative": .uid(6), "$class": .uid(7)],
          ["NS.objects": [.uid(8)], "list": [.uid(9)], "$class": .uid(7)], box, ["$class": .uid(7)],
          ["$class": .uid(7)],
        ], top: [("a", .uid(1)), ("a.b", .uid(3))]))
    let paths = (1...9).map { archive.keyPath(to: ArchiveUID(rawValue: $0)) }
    #expect(
      paths == [
        "a", "a.b", #"["a.b"]"#, #"["a.b"].n"#, #"["a.b"]["c[0]"]"#, #"["a.b"]["c[0]"].NS.relative"#, nil,
        #"["a.b"]["c[0]"].NS.relative[0]"#, #"["a.b"]["c[0]"].NS.relative.list[0]"#,
      ])
  }
}
