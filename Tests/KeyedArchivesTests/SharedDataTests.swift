// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import Testing

@Suite("Traversals of archives with large data")
struct SharedDataTests {
  /// An archive with 200 objects that share the bytes of one data of 1 MB, and 200 that each have it under a key. All of
  /// them in memory would take more than the decoding budget.
  private static func archive() throws -> KeyedArchive {
    var file = ArchiveFile()
    let (array, box) = (file.classUID("NSArray", "NSObject"), file.classUID("Box", "NSObject"))
    let data = file.row(.data(1_000_000))
    var uids: [Int] = []
    for _ in 0..<200 {
      uids.append(file.object(row: file.row(.same(data))))
      let twin = file.row(.same(data))
      uids.append(file.object(row: file.fields(box, [("bytes", twin)])))
    }
    let elements = file.row(.array(uids.map { file.reference($0) }))
    return try KeyedArchive(file.data(root: file.object(row: file.fields(array, [("NS.objects", elements)]))))
  }

  @Test("check() finds no issue, because it does not read the data")
  func check() throws { #expect(try Self.archive().check() == []) }

  @Test("isCyclic and keyPath(to:) visit every object")
  func graph() throws {
    let archive = try Self.archive()
    #expect(!archive.isCyclic)
    let last = ArchiveUID(rawValue: UInt32(archive.objectCount - 2))
    #expect(archive[last]["bytes"].exists)
    #expect(archive.keyPath(to: last) == "root[399]")
  }

  @Test("discardUnreachableObjects() keeps the objects with data, and their bytes")
  func discarding() throws {
    var archive = try Self.archive()
    #expect(try archive.discardUnreachableObjects() == 0)
    #expect(archive.root[0].data == Data(repeating: 7, count: 1_000_000))
    #expect(archive.root[1]["bytes"].data == Data(repeating: 7, count: 1_000_000))
  }

  @Test("object(_:) returns the data")
  func object() throws {
    let archive = try Self.archive()
    let root = try archive.object(ArchiveUID(rawValue: UInt32(archive.objectCount - 1)))
    guard case .instance(_, let entries) = root, case .array(let elements)? = entries.first?.value,
      case .reference(let first)? = elements.first, case .reference(let second)? = elements.dropFirst().first
    else {
      Issue.record("the root is \(root)")
      return
    }
    let data = KeyedArchive.StoredValue.data(Data(repeating: 7, count: 1_000_000))
    #expect(try archive.object(first) == .primitive(data))
    guard case .instance(_, let fields) = try archive.object(second) else { return }
    #expect(fields == [KeyedArchive.Entry("bytes", data)])
  }

  @Test("objects whose layouts share a long key share its memory", arguments: ["", "$$"])
  func sharedKey(_ prefix: String) throws {
    var file = ArchiveFile()
    let (array, box) = (file.classUID("NSArray", "NSObject"), file.classUID("Box", "NSObject"))
    let (key, null) = (prefix + String(repeating: "key", count: 100), file.reference(0))
    let uids = ["a", "b"].map { other in file.object(row: file.fields(box, [(key, null), (other, null)])) }
    let elements = file.row(.array(uids.map { file.reference($0) }))
    let data = file.data(root: file.object(row: file.fields(array, [("NS.objects", elements)])))
    let root = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedObject.self, from: data))
    guard case .references(let boxes)? = root["NS.objects"] else {
      Issue.record("the root is \(root)")
      return
    }
    let keys = boxes.compactMap { box -> String? in
      guard case .object(let object) = box else { return nil }
      return object.entries.map(\.key).first { $0.utf8.count > 10 }
    }
    #expect(keys == [key, key])
    let places = keys.map { unsafe $0.utf8.withContiguousStorageIfAvailable { UInt(bitPattern: $0.baseAddress) } }
    let shared = try #require(places.first ?? nil)
    #expect(places == [shared, shared])
  }

  @Test("nodes that refer to one long string share its memory from the second read on")
  func sharedText() throws {
    var file = ArchiveFile()
    let (array, box) = (file.classUID("NSArray", "NSObject"), file.classUID("Box", "NSObject"))
    let text = file.reference(file.object(row: file.text(String(repeating: "\u{212B}", count: 300))))
    let boxes = (0..<4).map { _ in file.reference(file.object(row: file.fields(box, [("text", text)]))) }
    let root = file.object(row: file.fields(array, [("NS.objects", file.row(.array(boxes)))]))
    let archive = try KeyedArchive(file.data(root: root))
    let texts = (0..<4).compactMap { archive.root[$0]["text"].string }
    let places = texts.map { unsafe $0.utf8.withContiguousStorageIfAvailable { UInt(bitPattern: $0.baseAddress) } }
    let shared = try #require(places.count == 4 ? places[1] : nil)
    #expect(places.dropFirst() == [shared, shared, shared])
  }
}
