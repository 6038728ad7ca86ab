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

  @Test("NS.objects is left out before an index, and not before a key")
  func elementsInDictionary() throws {
    let box = HandmadeList.classRecord("Box", "NSObject")
    let archive = try KeyedArchive(
      HandmadeList.archive([["NS.objects": ["k": .uid(3)], "$class": .uid(2)], box, "text"]))
    #expect(archive.keyPath(to: ArchiveUID(rawValue: 3)) == "root.NS.objects.k")
  }

  @Test("an object to which only a later value of a repeated key leads begins the path")
  func repeatedKeys() throws {
    let box = HandmadeList.classRecord("Box", "NSObject")
    func paths(_ root: [(String, HandmadeList)]) throws -> [String?] {
      let archive = try KeyedArchive(
        HandmadeList.archive(
          [
            .dictionary(root + [("$class", .uid(2))]), box, ["v": .uid(4), "$class": .uid(2)], "text",
            ["other": .uid(3), "$class": .uid(2)],
          ], top: [("root", .uid(1)), ("root", .uid(5))]))
      return [3, 4, 5].map { archive.keyPath(to: ArchiveUID(rawValue: $0)) }
    }
    #expect(try paths([("a", .uid(0)), ("a", .uid(3))]) == ["#3", "#3.v", "#5"])
    #expect(try paths([("a", .uid(0)), ("a", .uid(3)), ("b", .uid(3))]) == ["root.b", "root.b.v", "#5"])
    // Inside of an inline dictionary, and a path of more steps.
    #expect(
      try paths([("a", .dictionary([("k", .uid(0)), ("k", .uid(4))])), ("c", [.uid(0), .uid(3)])])
        == ["root.c[1]", "root.c[1].v", "#5"])
    #expect(try paths([]) == ["#5.other", "#5.other.v", "#5"])
  }
}
