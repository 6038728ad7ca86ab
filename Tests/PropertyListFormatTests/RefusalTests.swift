// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PropertyListFormat
import TestSupport
import Testing

@Suite("What is refused, where, and in which words")
struct RefusalTests {
  /// A binary file of objects that lie behind each other, each number of which can be a lie.
  private struct File {
    var objects: [[UInt8]]
    var offsetWidth = 1
    var referenceWidth: UInt8 = 1
    var count: UInt64?
    var top: UInt64 = 0
    var table: UInt64?

    var data: Data {
      func bigEndian(_ value: UInt64, _ width: Int) -> [UInt8] {
        (0..<width).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (width - 1 - $0))) }
      }
      var bytes = Array("bplist00".utf8)
      var offsets: [UInt8] = []
      for object in objects {
        offsets += bigEndian(UInt64(bytes.count), offsetWidth)
        bytes += object
      }
      let place = table ?? UInt64(bytes.count)
      bytes += offsets + [0, 0, 0, 0, 0, 0, UInt8(offsetWidth), referenceWidth]
      for number in [count ?? UInt64(objects.count), top, place] { bytes += bigEndian(number, 8) }
      return Data(bytes)
    }
  }

  private func error(_ data: Data, _ limits: ReadLimits = .default) -> PropertyListError? {
    #expect(throws: PropertyListError.self) {
      let list = try PropertyList(data, limits: limits)
      for row in 0..<UInt32(list.objectCount) { _ = try list.object(ObjectRef(rawValue: row)) }
    }
  }

  private func document(_ body: String, _ prolog: String = "") -> Data { Data("\(prolog)<plist>\(body)</plist>".utf8) }

  @Test("a binary file of one boolean is 42 bytes, and sound")
  func sound() throws {
    let list = try PropertyList(File(objects: [[0x09]]).data)
    #expect(File(objects: [[0x09]]).data.count == 42)
    #expect(try list.object(list.top) == .boolean(true) && list.objectCount == 1)
  }

  @Test("a trailer that cannot be right, by the field of it that is not")
  func trailers() {
    // The trailer of such a file begins at byte 10; its fields are at 6, 7, 8, 16 and 24 of it.
    let files: [(File, Int, String)] = [
      (File(objects: [[0x09]], referenceWidth: 0), 17, "references have 1 to 8 bytes, the trailer says 0"),
      (File(objects: [[0x09]], referenceWidth: 9), 17, "references have 1 to 8 bytes, the trailer says 9"),
      (File(objects: [[0x09]], count: 0), 18, "the trailer says the file holds no object"),
      (File(objects: [[0x09]], count: 2), 18, "2 offsets of 1 bytes must fill the 1 bytes between table and trailer"),
      (File(objects: [[0x09]], top: 1), 26, "the top object must be one of the 1 there are, the trailer says number 1"),
      (File(objects: [[0x09]], table: 8), 34, "the offset table must lie between header and trailer"),
      (File(objects: [[0x09]], table: 10), 34, "the offset table must lie between header and trailer"),
    ]
    for (file, offset, text) in files {
      let error = error(file.data)
      #expect(error == PropertyListError(.badTrailer, at: offset, "") && error?.detail.hasPrefix(text) == true)
    }
    let many = File(objects: Array(repeating: [0x09], count: 257), offsetWidth: 2)
    let narrow = error(many.data)
    #expect(narrow == PropertyListError(.badTrailer, at: 8 + 257 + 514 + 7, ""))
    #expect(narrow?.detail == "257 objects need wider references than the trailer's 1 bytes")
    #expect(error(Data(File(objects: [[0x09]]).data.prefix(39)))?.code == .truncated)
  }

  @Test("a count that is none, or is larger than what is there")
  func counts() {
    let none = error(File(objects: [[0x5F, 0x51]]).data)
    #expect(none == PropertyListError(.badCount, at: 8, ""))
    #expect(none?.detail == "a count of 15 or more must follow as an integer of 1 to 8 bytes, and does not")
    let large = error(File(objects: [[0x09], [0x4F, 0x11, 0x01, 0x00]]).data)
    #expect(large == PropertyListError(.badCount, at: 9, ""))
    #expect(large?.detail == "the count 256 exceeds the 13 bytes before the offset table")
    // The count itself goes on behind the objects.
    let cut = error(File(objects: [[0xAF, 0x13, 0x00]]).data)
    #expect(cut == PropertyListError(.truncated, at: 8, ""))
    #expect(cut?.detail == "the object of kind array reaches past the object area, which ends at byte 11")
  }

  @Test(
    "what reaches past the objects, or is of no width that its kind has, by the kind's name",
    arguments: [
      ([0x13, 0], "integer"), ([0x22, 0], "real"), ([0x23, 0], "real"), ([0x33, 0], "date"), ([0x42, 0], "data"),
      ([0x52, 0x41], "string"), ([0x61, 0], "string"), ([0x83, 0], "UID"), ([0xA2, 0], "array"), ([0xC2, 0], "set"),
      ([0xD1, 0], "dictionary"),
    ] as [([UInt8], String)])
  func overruns(_ bytes: [UInt8], _ kind: String) {
    let error = error(File(objects: [bytes]).data)
    #expect(error == PropertyListError(.truncated, at: 8, ""))
    #expect(error?.detail.hasPrefix("the object of kind \(kind) reaches past the object area") == true)
  }

  @Test("more than the limits allow, by the limit's name")
  func limits() {
    let text = [UInt8](repeating: 0x41, count: 20)
    func check(_ data: Data, _ limits: ReadLimits, _ text: String) {
      let error = error(data, limits)
      #expect(error?.code == .limitReached && error?.detail == text)
    }
    check(
      File(objects: [[0x09]]).data, ReadLimits(maximumByteCount: 41),
      "the file has 42 bytes, the limit is 41 (maximumByteCount)")
    check(
      document("<true/>"), ReadLimits(maximumByteCount: 21), "the file has 22 bytes, the limit is 21 (maximumByteCount)"
    )
    check(
      File(objects: [[0x09], [0x09]]).data, ReadLimits(maximumObjectCount: 1),
      "the file holds 2 objects, the limit is 1 (maximumObjectCount)")
    check(
      document("<array><true/></array>"), ReadLimits(maximumObjectCount: 1),
      "the file holds more than 1 values (maximumObjectCount)")
    check(
      File(objects: [[0x5F, 0x10, 20] + text]).data, ReadLimits(maximumStringByteCount: 19),
      "the string has 20 bytes, the limit is 19 (maximumStringByteCount)")
    check(
      File(objects: [[0x6F, 0x10, 20] + text + text]).data, ReadLimits(maximumStringByteCount: 39),
      "the string has 40 bytes, the limit is 39 (maximumStringByteCount)")
    check(
      File(objects: [[0x4F, 0x10, 20] + text]).data, ReadLimits(maximumDataByteCount: 19),
      "the data has 20 bytes, the limit is 19 (maximumDataByteCount)")
  }

  @Test("what XML has no form for")
  func xml() throws {
    let foreign: [(PropertyListObject, String)] = [
      (.null, "object 1 is null, which has no form in XML"), (.set([]), "object 1 is a set, which has no form in XML"),
      (.date(.infinity), "the date inf in object 1 has no form in XML"),
      (
        .wideInteger(1 << 64),
        "the integer 18446744073709551616 in object 1 has no form in XML: it needs more than 64 bits"
      ),
    ]
    for (object, text) in foreign {
      let list = try PropertyList(table: [.array([ObjectRef(rawValue: 1)]), object], top: ObjectRef(rawValue: 0))
      let error = #expect(throws: PropertyListError.self) { try list.data(format: .xml) }
      #expect(
        error?.code == .notRepresentable
          && error?.detail == text.replacing("object 1", with: "\(ObjectRef(rawValue: 1))"))
      // In a binary file it has one.
      #expect(try PropertyList(list.data(format: .binary)).object(ObjectRef(rawValue: 1)) == object)
    }
    let key = try PropertyList(
      table: [.dictionary(keys: [ObjectRef(rawValue: 1)], values: [ObjectRef(rawValue: 1)]), .integer(1)],
      top: ObjectRef(rawValue: 0))
    #expect(#expect(throws: PropertyListError.self) { try key.data(format: .xml) }?.code == .keyIsNotAString)
    let rows = (1...3).map { PropertyListObject.array([ObjectRef(rawValue: $0)]) } + [.boolean(true)]
    let deep = try PropertyList(table: rows, top: ObjectRef(rawValue: 0), limits: ReadLimits(maximumDepth: 2))
    let error = #expect(throws: PropertyListError.self) { try deep.data(format: .xml) }
    #expect(error?.detail == "containers nest deeper than 2 levels (maximumDepth)")
  }

  @Test("a reference to an object that the file does not have, by where it stands, in each container and width")
  func references() {
    // One container each, behind the 8 bytes of the header, and a boolean: the last row is 1.
    let files: [([UInt8], UInt8, Int, UInt64)] = [
      ([0xA1, 2], 1, 9, 2), ([0xA1, 0xFF], 1, 9, 255), ([0xA2, 1, 2], 1, 10, 2), ([0xC1, 2], 1, 9, 2),
      ([0xD1, 2, 1], 1, 9, 2), ([0xD1, 1, 2], 1, 10, 2), ([0xA1, 1, 1], 2, 9, 257),
      ([0xA1, 0, 1, 0, 1], 4, 9, 65537), ([0xA1, 1, 0, 0, 0, 0, 0, 0, 1], 8, 9, 1 << 56 + 1),
    ]
    for (container, width, place, row) in files {
      let error = error(File(objects: [container, [0x09]], referenceWidth: width).data)
      #expect(error?.code == .badReference && error?.byteOffset == place)
      #expect(error?.detail == "a reference to object \(row) where the file holds 2")
    }
  }

  @Test("a table whose rows do not fit each other")
  func tables() {
    let (zero, one) = (ObjectRef(rawValue: 0), ObjectRef(rawValue: 1))
    let tables: [([PropertyListObject], PropertyListError.Code)] = [
      ([], .badCount), ([.dictionary(keys: [zero], values: [])], .badCount), ([.array([one])], .badReference),
      ([.set([one])], .badReference), ([.dictionary(keys: [one], values: [zero])], .badReference),
      ([.dictionary(keys: [zero], values: [one])], .badReference),
    ]
    for (rows, code) in tables {
      #expect(#expect(throws: PropertyListError.self) { try PropertyList(table: rows, top: zero) }?.code == code)
    }
    #expect(throws: PropertyListError(.badReference, "")) { try PropertyList(table: [.null], top: one) }
  }

  @Test("a row that an edited list does not have")
  func rows() throws {
    var list = try PropertyList(table: [.array([])], top: ObjectRef(rawValue: 0))
    let row = list.append(.string("new"))
    list.replace(row, with: .string("newer"))
    list.replace(ObjectRef(rawValue: 0), with: .array([row, ObjectRef(rawValue: 7)]))
    #expect(try list.object(row) == .string("newer") && list.isEdited)
    #expect(throws: PropertyListError(.badReference, "")) { try list.object(ObjectRef(rawValue: 2)) }
    let error = #expect(throws: PropertyListError.self) { try list.validate() }
    #expect(error?.code == .badReference)
  }

  @Test("a file that cannot be read, by its path")
  func files() throws {
    let folder = try ScratchFolder()
    let error = #expect(throws: PropertyListError.self) {
      try PropertyList(contentsOf: folder.url.appending(path: "none.plist"))
    }
    #expect(error?.code == .fileAccess)
    #expect(error?.description.contains("could not read '\(folder.path("none.plist"))': no such file") == true)
    let there = try folder.file("there.plist", File(objects: [[0x09]]).data)
    try PropertyList(contentsOf: URL(filePath: there)).validate()
  }

  @Test("text that is in none of the encodings it could be in")
  func encodings() {
    let odd = error(Data([0xFE, 0xFF, 0x00, 0x3C, 0x00]))
    #expect(odd?.code == .truncated && odd?.detail == "a UTF-16 file has an odd number of bytes")
    // A lone surrogate.
    let surrogate = error(Data([0xFE, 0xFF, 0x00, 0x3C, 0xD8, 0x00]))
    #expect(surrogate?.code == .invalidText && surrogate?.detail == "the file is not valid UTF-16")
    let bytes = error(Data("<plist><string>".utf8) + [0xC3] + Data("</string></plist>".utf8))
    #expect(bytes == PropertyListError(.invalidText, at: 15, ""))
    #expect(error(Data())?.detail == "expected a property list, found no bytes")
    #expect(
      error(Data([0, 1, 0xAB]))?.detail == "expected 'bplist00' or an XML property list, found the bytes 00 01 ab")
  }

  @Test("XML that is cut off or holds what no element may, by what it is")
  func markup() throws {
    for (text, code, detail) in [
      ("<plist><string><![CDATA[x]]", .truncated, "a CDATA section has no end"),
      ("<plist><string><!-- x", .truncated, "a comment has no end"),
      ("<plist><string><?x", .truncated, "a processing instruction has no end"),
      ("<!DOCTYPE plist [", .truncated, "the document type has no end"),
      ("<plist/> ", .malformedXML, "the element 'plist' is empty"),
      ("<plist><true/></plist>x", .malformedXML, "there is text where only elements may stand"),
      ("<plist><true/></plist><a/>", .malformedXML, "there is something behind the end of the property list"),
      ("<plist><string\u{0}/></plist>", .malformedXML, "a tag holds a zero byte"),
      ("<!DOCTYPE plist [<!-- it's --><!ENTITY a 'b'>]>", .malformedXML, "declares an entity"),
      ("<!DOCTYPE plist [%a;]>", .malformedXML, "uses a parameter entity"),
    ] as [(String, PropertyListError.Code, String)] {
      let error = error(Data(text.utf8))
      #expect(error?.code == code && error?.detail.contains(detail) == true, "\(text): \(error as Any)")
      #expect(error?.line == 1)
    }
    // What is no harm is passed over.
    let list = try PropertyList(
      document("<string>a<?note >?>b<!-- ' -->c</string>", "<!DOCTYPE plist [<!-- it's ] > --> <!ELEMENT plist ANY> ]>")
    )
    #expect(try list.object(list.top) == .string("abc"))
  }

  @Test("errors have a place and a text, and can be made more of by those who pass them on")
  func errors() {
    var error = PropertyListError(.badCount, "it is so")
    #expect("\(error)" == "it is so" && "\(error.code)" == error.code.name)
    error.code = .truncated
    error.byteOffset = 3
    error.line = 2
    error.detail = "it is not"
    #expect(error.localizedDescription == "it is not (line 2, byte 3)")
    #expect(
      error == PropertyListError(.truncated, at: 3, line: 2, "") && error != PropertyListError(.truncated, at: 3, ""))
  }

  @Test("objects of no other kind are equal, and each has its kind's name")
  func objects() {
    let kinds: [(PropertyListObject, String)] = [
      (.null, "null"), (.boolean(true), "boolean"), (.integer(1), "integer"), (.wideInteger(1 << 64), "integer"),
      (.float(1), "real"), (.double(1), "real"), (.date(1), "date"), (.data(Data()), "data"), (.string(""), "string"),
      (.uid(1), "uid"), (.array([]), "array"), (.set([]), "set"), (.dictionary(keys: [], values: []), "dictionary"),
    ]
    for (row, one) in kinds.enumerated() {
      #expect(one.0.kindName == one.1)
      for (column, other) in kinds.enumerated() { #expect((one.0 == other.0) == (row == column)) }
    }
  }
}
