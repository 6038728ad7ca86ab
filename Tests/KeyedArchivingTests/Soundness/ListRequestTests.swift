// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import TestSupport
import Testing

@Suite("Requests for one of several types")
struct ListRequestTests {
  private func array(_ elements: [HandmadeList], _ objects: [HandmadeList] = []) -> Data {
    let references = (0..<elements.count).map { HandmadeList.uid(UInt64(3 + objects.count + $0)) }
    return HandmadeList.archive(
      [Hostile.object(2, [("NS.objects", .array(references))]), Hostile.array] + objects + elements)
  }

  private func text(_ value: Any?) -> String { value.map { "\($0)" } ?? "nil" }

  @Test("for arrays do not allow arrays in them, unless the list has them")
  func nestedArrays() throws {
    let nested = array([Hostile.object(2, [("NS.objects", .array([.uid(4)]))]), "text"])
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedArrayOfObjects(ofClasses: [String.self], from: nested)
    }
    #expect(error?.code == .classNotAllowed && error?.className == "NSArray" && error?.keyPath == "root[0]")
    let list = try KeyedUnarchiver.unarchivedArrayOfObjects(
      ofClasses: [String.self, ArchivedArray.self], from: nested)
    #expect((list?.first as? ArchivedArray)?.elements.first as? String == "text")
    #expect(list?.last as? String == "text")
    let plain = try KeyedUnarchiver.unarchivedArrayOfObjects(
      ofClasses: [String.self, Int.self], from: array(["a", 5]))
    #expect(plain?.first as? String == "a" && plain?.last as? Int == 5)
    let decoder = try Hostile.decoder(nested)
    #expect(decoder.decodeArrayOfObjects(ofClasses: [String.self], forKey: "root") == nil)
    #expect(decoder.error?.code == .classNotAllowed)
    let none = try Hostile.decoder(HandmadeList.archive(["text"]))
    #expect(none.decodeArrayOfObjects(ofClasses: [String.self], forKey: "root") == nil)
    #expect(none.error?.code == .classNotAllowed)
  }

  @Test(
    "decode reals that are not finite as Float, as requests for one type do",
    arguments: [Double.infinity, -.infinity, .nan, 1.5, 1e300])
  func reals(_ value: Double) throws {
    let boxed = array([.real(value)])
    let expected = try? KeyedUnarchiver.unarchivedObject(ofClass: [Float].self, from: boxed)?.first
    let list = try? KeyedUnarchiver.unarchivedArrayOfObjects(ofClasses: [Float.self], from: boxed)
    #expect(text(list?.first as? Float) == text(expected))
    #expect((expected == nil) == (value == 1e300))
    let inline = HandmadeList.archive([Hostile.object(2, [("value", .real(value))]), Hostile.parent])
    let found = try? KeyedUnarchiver.unarchivedObject(ofClass: Reader.self, from: inline)?.value
    #expect(text(found as? Float) == text(expected))
  }

  private struct Reader: SecureKeyedCoding {
    static var archiveClassName: String { "Parent" }
    let value: (any KeyedCoding)?
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) throws {
      value = try coder.decodeTopLevelObject(of: [Float.self], forKey: "value")
    }
  }

  private struct OptionalReader: SecureKeyedCoding {
    static var archiveClassName: String { "Parent" }
    let value: (any KeyedCoding)?
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) throws {
      value = try coder.decodeTopLevelObject(of: [Parent?.self, Int?.self], forKey: "value")
    }
  }

  @Test("accept an optional primitive as its wrapped type")
  func optionals() throws {
    let list = try KeyedUnarchiver.unarchivedArrayOfObjects(
      ofClasses: [String?.self, Int?.self, Parent?.self],
      from: array(["text", 5, Hostile.object(3)], [Hostile.parent]))
    #expect(list?.first as? String == "text" && list?[1] as? Int == 5 && list?.last is Parent)
    let inline = HandmadeList.archive([Hostile.object(2, [("value", 7)]), Hostile.parent])
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: OptionalReader.self, from: inline)?.value as? Int == 7)
  }

  /// Looks at another object of the archive, by a UID that the file does not have.
  private struct Foreign: SecureKeyedCoding {
    static var archiveClassName: String { "Parent" }
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) { self.init() }
    init() {}
    static func decode(_ uid: ArchiveUID, in coder: KeyedUnarchiver) throws -> Foreign? {
      for number in [1000, 1 << 31, UInt32.max] {
        let error = #expect(throws: KeyedArchiveError.self) {
          try Reader.decode(ArchiveUID(rawValue: number), in: coder)
        }
        #expect(error?.code == .valueNotFound, "\(String(describing: error))")
      }
      return Foreign()
    }
  }

  @Test("reject a UID that the archive does not have")
  func foreignUIDs() throws {
    let data = array([Hostile.object(3)], [Hostile.parent])
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: [Foreign].self, from: data)?.count == 1)
    let list = try KeyedUnarchiver.unarchivedObject(ofClasses: [[Foreign].self], from: data)
    #expect((list as? [Foreign])?.count == 1)
  }

  private class Monster: SecureKeyedCoding {
    class var archiveClassName: String { "Monster" }
    func encode(with coder: KeyedArchiver) {}
    required init(coder: KeyedUnarchiver) {}
  }

  private final class Creature: SecureKeyedCoding {
    static var archiveClassName: String { "Creature" }
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) {}
  }

  private struct Zoo: SecureKeyedCoding {
    static var archiveClassName: String { "Zoo" }
    let single: Creature
    let listed: (any KeyedCoding)?
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) throws {
      single = try coder.decode(Creature.self, forKey: "animal")
      listed = try coder.decodeTopLevelObject(of: [Monster.self, Creature.self], forKey: "animal")
    }
  }

  @Test("prefer a name that the caller accepts to a hint")
  func acceptedNames() throws {
    var decoder = KeyedArchiveDecoder()
    decoder.classNames.accept("SCCreature", for: Creature.self)
    let data = HandmadeList.archive([
      Hostile.object(2, [("animal", .uid(3))]), .classRecord("Zoo", "NSObject"), Hostile.object(4),
      [
        "$classname": "SCCreature", "$classes": ["SCCreature", "NSObject"], "$classhints": ["Monster"],
      ],
    ])
    let zoo = try decoder.decode(Zoo.self, from: data)
    #expect(zoo.listed as? Creature === zoo.single)
  }

  private class Base: SecureKeyedCoding, ArchiveClassResolving {
    class var archiveClassName: String { "Base" }
    class func archiveSubclass(named name: String) -> (any KeyedCoding.Type)? { name == "Derived" ? Derived.self : nil }
    func encode(with coder: KeyedArchiver) {}
    required init(coder: KeyedUnarchiver) {}
  }

  private final class Derived: Base {
    override class var archiveClassName: String { "Derived" }
  }

  /// Answers for the classes that the program lacks.
  private final class Fallback: KeyedUnarchiverDelegate {
    func unarchiver(
      _ unarchiver: KeyedUnarchiver, cannotDecodeObjectOfClassName name: String, originalClasses: [String]
    ) -> (any KeyedCoding.Type)? { Base.self }
  }

  @Test(
    "and for one type find a subclass by its name, or fail after more unknown names than are searched",
    arguments: [10, 63, 70, 200])
  func subclasses(_ count: Int) throws {
    let records = (0..<count).map { HandmadeList.classRecord("Unknown\($0)", "NSObject") }
    let objects = (0..<count).map { Hostile.object(UInt64(3 + $0)) } + [Hostile.object(UInt64(3 + count))]
    let data = array(objects, records + [.classRecord("Derived", "Base", "NSObject")])
    let fallback = Fallback()
    for isList in [false, true] {
      let decoder = try Hostile.decoder(data)
      decoder.delegate = fallback
      do {
        let last =
          isList
          ? (try decoder.decodeTopLevelObject(of: [ArchivedArray.self, Base.self], forKey: "root") as? ArchivedArray)?
            .elements.last as? Base
          : try decoder.decode([Base].self, forKey: "root").last
        #expect(last is Derived)
      } catch let error as KeyedArchiveError {
        #expect(error.code == .limitReached && count > 64, "\(error)")
      }
    }
  }
}
