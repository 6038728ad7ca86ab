// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import Foundation
import HarnessSupport
import TestSupport
import Testing

@testable import KeyedArchiving

/// An element of a set that hashes its text.
private struct Note: Hashable, SecureKeyedCoding {
  static var archiveClassName: String { "Note" }
  let number: Int
  let text: String

  init(coder: KeyedUnarchiver) throws {
    number = try coder.decode(Int.self, forKey: "number")
    text = try coder.decode(String.self, forKey: "text")
  }

  func encode(with coder: KeyedArchiver) {}
}

/// A value that holds a note.
private struct Folder: Hashable, SecureKeyedCoding {
  static var archiveClassName: String { "Folder" }
  let number: Int
  let note: Note

  init(coder: KeyedUnarchiver) throws {
    number = try coder.decode(Int.self, forKey: "number")
    note = try coder.decode(Note.self, forKey: "note")
  }

  func encode(with coder: KeyedArchiver) {}
}

@Suite("Values to which many others refer")
struct ManyReferencesTests {
  /// The place of the text that all elements share.
  enum Place: CaseIterable { case element, insideOfElement, inline }

  private func set(_ count: Int, textLength: Int, _ place: Place) -> Data {
    var file = ArchiveFile()
    let text = file.text(String(repeating: "a", count: textLength))
    let value = place == .inline ? text : file.reference(file.object(row: text))
    let (note, folder) = (file.classUID("Note", "NSObject"), file.classUID("Folder", "NSObject"))
    let shared = file.reference(
      file.object(row: file.fields(note, [("number", file.row(.integer(0))), ("text", value)])))
    let elements = (0..<count).map { number in
      let fields = [("number", file.row(.integer(number)))]
      let element =
        place == .insideOfElement
        ? file.fields(folder, fields + [("note", shared)]) : file.fields(note, fields + [("text", value)])
      return file.reference(file.object(row: element))
    }
    let list = file.row(.array(elements))
    return file.data(root: file.object(row: file.fields(file.classUID("NSSet", "NSObject"), [("NS.objects", list)])))
  }

  private func elementCount(_ data: Data, _ place: Place) throws -> Int? {
    place == .insideOfElement
      ? try KeyedUnarchiver.unarchivedObject(ofClass: Set<Folder>.self, from: data)?.count
      : try KeyedUnarchiver.unarchivedObject(ofClass: Set<Note>.self, from: data)?.count
  }

  @Test("are hashed for each element of a set, which is limited for long ones", arguments: Place.allCases)
  func hashing(_ place: Place) throws {
    #expect(try elementCount(set(2000, textLength: 300, place), place) == 2000)
    let error = try #require(throws: KeyedArchiveError.self) {
      try elementCount(set(10_000, textLength: 200_000, place), place)
    }
    #expect(error.code == .limitReached, "\(error)")
  }

  @Test("are limited if they are sequences of numbers", arguments: ["NSIndexSet", "NSIndexPath"])
  func numbers(_ className: String) throws {
    func archive(_ count: Int, _ pairCount: Int) -> Data {
      // Ranges of one index each, with an index between them.
      var bytes: [UInt8] = []
      for number in 0..<pairCount {
        Varint.append(UInt64(2 * number), to: &bytes)
        Varint.append(1, to: &bytes)
      }
      let object: HandmadeList =
        className == "NSIndexSet"
        ? ["NSRangeCount": .integer(Int64(pairCount)), "NSRangeData": .uid(4), "$class": .uid(3)]
        : ["NSIndexPathLength": .integer(Int64(2 * pairCount)), "NSIndexPathData": .uid(4), "$class": .uid(3)]
      let objects = HandmadeList.array((0..<count).map { .uid(UInt64(5 + $0)) })
      return HandmadeList.archive(
        [
          ["NS.objects": objects, "$class": .uid(2)], .classRecord("NSArray", "NSObject"),
          .classRecord(className, "NSObject"), .data(bytes),
        ] + (0..<count).map { _ in object })
    }
    func decode(_ data: Data) throws -> Int? {
      className == "NSIndexSet"
        ? try KeyedUnarchiver.unarchivedObject(ofClass: [ArchivedIndexSet].self, from: data)?.count
        : try KeyedUnarchiver.unarchivedObject(ofClass: [IndexPath].self, from: data)?.count
    }
    #expect(try decode(archive(500, 20)) == 500)
    let error = try #require(throws: KeyedArchiveError.self) { try decode(archive(2000, 20_000)) }
    #expect(error.code == .limitReached, "\(error)")
  }

  @Test("are limited if they are the superclasses of units")
  func unitClasses() throws {
    func archive(_ count: Int, _ classCount: Int) -> Data {
      var file = ArchiveFile()
      let name = file.text("NSUnit")
      let chain = file.row(.array(Array(repeating: name, count: classCount)))
      let record = file.object(
        row: file.row(.dictionary([(file.text("$classname"), name), (file.text("$classes"), chain)])))
      let symbol = file.reference(file.object(row: file.text("m")))
      let units = (0..<count).map { _ in
        file.reference(file.object(row: file.fields(record, [("NS.symbol", symbol)])))
      }
      let list = file.row(.array(units))
      return file.data(
        root: file.object(row: file.fields(file.classUID("NSArray", "NSObject"), [("NS.objects", list)])))
    }
    let units = try KeyedUnarchiver.unarchivedObject(ofClass: [ArchivedUnit].self, from: archive(1000, 4))
    #expect(units?.count == 1000)
    let error = try #require(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: [ArchivedUnit].self, from: archive(5000, 5000))
    }
    #expect(error.code == .limitReached, "\(error)")
  }
}
