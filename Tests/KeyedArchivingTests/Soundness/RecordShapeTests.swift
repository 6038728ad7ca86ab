// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import Foundation
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

@Suite("Class records that are none, or run in circles, end in an error")
struct RecordShapeTests {
  private enum Cage {}

  private struct Record: Sendable, CustomTestStringConvertible {
    var name: String
    /// The objects from number 2 on; number 1 has number 2 as its class.
    var objects: [HandmadeList]
    var testDescription: String { name }
  }

  private static let records = [
    Record(name: "an object that is its own class", objects: [Hostile.object(2)]),
    Record(name: "two objects, each the class of the other", objects: [Hostile.object(3), Hostile.object(2)]),
    Record(name: "an object of an allowed class", objects: [Hostile.object(3), Hostile.parent]),
    Record(name: "a text with an allowed name", objects: ["Parent"]),
    Record(name: "a number", objects: [5]),
    Record(name: "data", objects: [.data([1])]),
    Record(name: "nothing", objects: ["$null"]),
    Record(name: "an empty dictionary", objects: [.dictionary([])]),
    Record(name: "a name that is a number", objects: [["$classname": 5, "$classes": ["Parent"]]]),
    Record(name: "a name by reference", objects: [["$classname": .uid(3), "$classes": ["Parent"]], "Parent"]),
    Record(name: "superclasses that are a text", objects: [["$classname": "Parent", "$classes": "Parent"]]),
    Record(name: "superclasses by reference", objects: [["$classname": "Parent", "$classes": [.uid(3)]], "NSObject"]),
    Record(name: "hints that are a text", objects: [["$classname": "Parent", "$classhints": "Parent"]]),
  ]

  @Test("whatever is asked for", arguments: records)
  private func refused(_ record: Record) throws {
    let data = HandmadeList.archive([Hostile.object(2)] + record.objects)
    let ways: [(KeyedUnarchiver) throws -> Any?] = [
      { try $0.decodeTopLevelObject(of: Parent.self, forKey: "root") },
      { try $0.decodeTopLevelObject(of: [Parent.self, ArchivedObject.self], forKey: "root") },
      { try $0.decodeTopLevelObject(of: ArchivedObject.self, forKey: "root") },
      { try $0.decodeTopLevel(makingValues: KeyedUnarchiver.valueTypes) },
    ]
    for way in ways {
      let error = #expect(throws: KeyedArchiveError.self) { try way(Hostile.decoder(data)) }
      #expect(error?.code == .damagedArchive, "\(String(describing: error))")
      #expect(error?.uid == ArchiveUID(rawValue: 2), "\(String(describing: error))")
    }
    #expect(try KeyedArchive(data).check().contains { $0.severity == .error })
  }

  @Test("no object has number 0, or one that is not there, for its class", arguments: [0, 9, 0xFFFF_FFFF, 1 << 40])
  func noRecord(_ number: UInt64) throws {
    let data = HandmadeList.archive([Hostile.object(number)])
    let error = #expect(throws: KeyedArchiveError.self) {
      try Hostile.decoder(data).decode(Parent.self, forKey: "root")
    }
    #expect(error?.code == .damagedArchive)
  }
}
