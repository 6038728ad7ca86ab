// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

@Suite("Class records that lie get nothing through")
struct LyingRecordTests {
  private enum Cage {}
  private typealias Bird = CagedCanary<Cage>

  /// Answers to a former name.
  private final class Renamed: SecureKeyedCoding {
    static var archiveClassName: String { "New" }
    static var archiveClassAliases: [String] { ["Old"] }
    func encode(with coder: KeyedArchiver) {}
    init?(coder: KeyedUnarchiver) {}
  }

  private func data(_ record: HandmadeList) -> Data { HandmadeList.archive([Hostile.object(2), record]) }

  /// Every way to ask for a parent, with the canary's class set under its name so that the decoder knows it.
  private func expectRefusedAsParent(
    _ record: HandmadeList, _ className: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for isNameSet in [false, true] {
      let ways: [(KeyedUnarchiver) throws -> Any?] = [
        { try $0.decodeTopLevelObject(of: Parent.self, forKey: "root") },
        { try $0.decodeTopLevelObject(of: [Parent.self, Renamed.self], forKey: "root") },
        { try $0.decodeTopLevelObject(of: [Parent].self, forKey: "root") },
      ]
      for way in ways {
        expectRefused(Cage.self, className, sourceLocation: sourceLocation) {
          let unarchiver = try Hostile.decoder(data(record))
          if isNameSet { unarchiver.setClass(Bird.self, forClassName: "Canary") }
          return try way(unarchiver)
        }
      }
    }
  }

  @Test("a chain that claims an allowed superclass, or is nothing but allowed names")
  func chains() {
    expectRefusedAsParent(.classRecord("Canary", "Parent", "NSObject"), "Canary")
    expectRefusedAsParent(["$classname": "Canary", "$classes": ["Parent", "NSObject"]], "Canary")
    expectRefusedAsParent(["$classname": "Canary", "$classes": ["Parent", "Parent", "Parent"]], "Canary")
    expectRefusedAsParent(["$classname": "Canary", "$classes": []], "Canary")
    expectRefusedAsParent(["$classname": "Canary"], "Canary")
  }

  @Test("hints choose among what was asked for and nothing else")
  func hints() throws {
    expectRefusedAsParent(["$classname": "Lost", "$classes": ["Lost"], "$classhints": ["Canary"]], "Lost")
    // The hint names what was asked for, and that is what is made, not what the name says.
    let hinted: HandmadeList = ["$classname": "Canary", "$classes": ["Canary"], "$classhints": ["Parent"]]
    #expect(try Hostile.decoder(data(hinted)).decode(Parent.self, forKey: "root").child == nil)
    #expect(Bird.births == 0)
  }

  @Test("a name that is there twice, whichever comes first")
  func twoNames() throws {
    expectRefusedAsParent(["$classname": "Canary", "$classname": "Parent", "$classes": ["Parent"]], "Canary")
    let reversed: HandmadeList = ["$classname": "Parent", "$classname": "Canary", "$classes": ["Canary"]]
    #expect(try Hostile.decoder(data(reversed)).decode(Parent.self, forKey: "root").child == nil)
    #expect(Bird.births == 0)
  }

  @Test("what a check of class names says of a record, the decoder says too")
  func checkAndDecoderAgree() throws {
    let records: [(HandmadeList, String)] = [
      (["$classname": "Canary", "$classname": "Parent"], "Canary"),
      (["$classname": "Parent", "$classname": "Canary"], "Parent"),
      (["$classes": ["Parent"], "$classname": "Canary", "$classes": ["Canary"], "$classname": "Parent"], "Canary"),
    ]
    for (record, name) in records {
      let archive = try KeyedArchive(data(record))
      #expect(archive.classNames == [name])
      #expect(archive.root.className == name)
      let isAllowed = !archive.check(allowing: ["Parent"]).contains { $0.code == "classNotAllowed" }
      #expect(isAllowed == (name == "Parent"))
      let verdict = Hostile.verdict { try Hostile.decoder(data(record)).decode(Parent.self, forKey: "root") }
      #expect(verdict == (name == "Parent" ? "made" : "classNotAllowed"))
    }
  }

  @Test("names that are nearly those that are allowed")
  func nearlyNames() {
    for name in ["parent", "Parent ", " Parent", "Parent\u{0}", "Parent\u{200B}", "Раrent", "Parent.Canary", ""] {
      expectRefusedAsParent(.classRecord(name, "Parent", "NSObject"), name)
    }
  }

  @Test("an alias stands for the type that declares it, and for no other")
  func aliases() throws {
    let old = data(.classRecord("Old", "NSObject"))
    #expect(try Hostile.decoder(old).decodeTopLevelObject(of: Renamed.self, forKey: "root") != nil)
    expectRefused(Cage.self, "Old") { try Hostile.decoder(old).decodeTopLevelObject(of: Parent.self, forKey: "root") }
    expectRefused(Cage.self, "Old") { try Hostile.decoder(old).decodeTopLevelObject(of: [Parent.self], forKey: "root") }
  }
}
