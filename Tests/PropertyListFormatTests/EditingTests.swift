// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import PropertyListFormat
import TestSupport
import Testing

@Suite("Edited property lists")
struct EditingTests {
  @Test("the XML limit grows with the added objects")
  func muchMore() throws {
    var list = try PropertyList(Data("<plist version=\"1.0\"><array><string>a</string></array></plist>".utf8))
    guard case .array(let rows) = try list.object(list.top), let row = rows.first else {
      Issue.record("an array with an element is expected")
      return
    }
    let text = String(repeating: "b", count: 2 << 20)
    list.replace(row, with: .string(text))
    let read = try unsafe PropertyListSerialization.propertyList(from: list.data(), format: nil) as? [String]
    #expect(read == [text])
  }

  @Test("a long text that many references share is not read for each when the list is written")
  func longText() throws {
    func time(_ text: String) throws -> Double {
      var table = TableFile()
      let element = table.add(.string(text))
      let (kept, changed) = (table.add(.array([Int](repeating: element, count: 2000))), table.add(.integer(1)))
      let top = table.add(.array([kept, changed]))
      var list = try PropertyList(table.data(top: top))
      list.replace(ObjectRef(rawValue: UInt32(changed)), with: .integer(2))
      let read = try unsafe PropertyListSerialization.propertyList(from: list.data(), format: nil) as? [Any]
      #expect(read?.first as? [String] == [String](repeating: text, count: 2000))
      #expect(read?.last as? Int == 2)
      return try System.leastTime { _ = try list.data() }
    }
    let short = try time("\u{436}")
    #expect(try time(String(repeating: "\u{436}", count: 4000)) < 4 * short)
  }

  @Test("a dictionary with more keys than values is an error in each use", arguments: [0, 3])
  func unequal(count: Int) throws {
    var list = try PropertyList(HandmadeList.dictionary([("a", 1)]).binary)
    guard case .dictionary(let keys, let values) = try list.object(list.top) else {
      Issue.record("a dictionary is expected")
      return
    }
    list.replace(list.top, with: .dictionary(keys: keys, values: Array(repeating: values[0], count: count)))
    for (use, call) in Self.uses {
      let error = #expect(throws: PropertyListError.self, "\(use)") { try call(list) }
      #expect(error?.code == .badCount, "\(use)")
    }
  }

  /// Everything that reads all objects of a list.
  private static let uses: [(String, @Sendable (PropertyList) throws -> Void)] = [
    ("binary", { _ = try $0.data(format: .binary) }), ("XML", { _ = try $0.data(format: .xml) }),
    ("tree", { _ = try $0.tree() }), ("validate", { try $0.validate() }),
  ]

  @Test(
    "a reference to an object that does not exist is an error in each use",
    arguments: [
      PropertyListObject.array([ObjectRef(rawValue: 99)]),
      .dictionary(keys: [ObjectRef(rawValue: 99)], values: [ObjectRef(rawValue: 0)]),
      .dictionary(keys: [ObjectRef(rawValue: 1)], values: [ObjectRef(rawValue: 99)]),
    ])
  func dangling(object: PropertyListObject) throws {
    var list = try PropertyList(HandmadeList.array(["a"]).binary)
    list.replace(list.top, with: object)
    for (use, call) in Self.uses {
      let error = #expect(throws: PropertyListError.self, "\(use)") { try call(list) }
      #expect(error?.code == .badReference, "\(use)")
    }
  }

  @Test("a UID of more than 32 bits, which no reader accepts, is an error of each writer")
  func wideUID() throws {
    for (use, call) in Self.uses where use != "tree" {
      var list = try PropertyList(HandmadeList.array(["a"]).binary)
      list.replace(list.top, with: .uid(1 << 32))
      let error = #expect(throws: PropertyListError.self, "\(use)") { try call(list) }
      #expect(error?.code == .notRepresentable, "\(use)")
    }
    for format in [PropertyList.Format.binary, .xml] {
      let error = #expect(throws: PropertyListError.self) { try PropertyListValue.uid(1 << 32).propertyList(format) }
      #expect(error?.code == .notRepresentable)
      let largest = PropertyListValue.uid(1 << 32 - 1)
      #expect(try PropertyListValue(propertyList: largest.propertyList(format)) == largest)
    }
  }

  /// Returns a file whose top array has this many elements. All of them are one array, which is ten times as long.
  private func overlapping(_ count: Int) throws -> PropertyList {
    let width = 10 * count
    var bytes = Data("bplist00".utf8)
    func number(_ value: Int, _ byteCount: Int) -> Data {
      Data((0..<byteCount).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
    }
    var offsets = [bytes.count]
    bytes += [0xAF, 0x12] + number(count, 4)
    for index in 0..<count { bytes += number(2 + index, 2) }
    offsets.append(bytes.count)
    bytes += [0x51, 0x61]
    offsets += Array(repeating: bytes.count, count: count)
    bytes += [0xAF, 0x12] + number(width, 4)
    for _ in 0..<width { bytes += number(1, 2) }
    let table = bytes.count
    for offset in offsets { bytes += number(offset, 4) }
    bytes += Data(count: 6) + [4, 2] + number(offsets.count, 8) + number(0, 8) + number(table, 8)
    return try PropertyList(bytes)
  }

  @Test("the cost of overlapping objects is limited after an edit, as before", .notHanging)
  func overlapping() throws {
    var list = try overlapping(2000)
    let first = #expect(throws: PropertyListError.self) { try list.validate() }
    #expect(first?.code == .limitReached)
    let ref = list.append(.string("x"))
    for (use, call) in Self.uses {
      let error = #expect(throws: PropertyListError.self, "\(use)") { try call(list) }
      #expect(error?.code == .limitReached, "\(use)")
    }
    list.setTop(ref)
    #expect(throws: PropertyListError.self) { try list.data(format: .binary) }
    // An honest file has each object once.
    var honest = try PropertyList(PropertyListValue.array((0..<5000).map { .string("\($0)") }).propertyList())
    _ = honest.append(.string("x"))
    for (_, call) in Self.uses { try call(honest) }
  }

  @Test("a negative limit rejects each input")
  func negativeLimit() {
    let error = #expect(throws: PropertyListError.self) {
      try PropertyList(HandmadeList.string("a").binary, limits: ReadLimits(maximumObjectCount: -1))
    }
    #expect(error?.code == .limitReached)
  }
}
