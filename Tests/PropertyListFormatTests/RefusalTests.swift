// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
@_spi(Archiving) import PropertyListFormat
import TestSupport
import Testing

@Suite("Errors of property lists")
struct RefusalTests {
  /// A binary file of consecutive objects, each number of which can be wrong.
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

  @Test("a binary file of one Boolean has 42 bytes and is valid")
  func sound() throws {
    let list = try PropertyList(File(objects: [[0x09]]).data)
    #expect(File(objects: [[0x09]]).data.count == 42)
    #expect(try list.object(list.top) == .boolean(true) && list.objectCount == 1)
  }

  @Test("bytes after the end are reported at the end, if they are at most 1 MiB")
  func excess() {
    let data = File(objects: [[0x09]]).data
    for more in [Data("\n".utf8), data, data.dropLast(), Data(count: 41), Data(repeating: 0x01, count: 1 << 20)] {
      let error = error(data + more)
      #expect(error == PropertyListError(.badTrailer, at: 42, ""))
      let count = more.count == 1 ? "1 byte follows" : "\(more.count) bytes follow"
      #expect(error?.detail == "unexpected bytes after the end: the property list ends at byte 42, and \(count)")
    }
    for other in [data + Data(repeating: 0x01, count: 1 << 20 + 1), data.dropLast(3), Data(count: 8) + data] {
      #expect(error(other)?.detail.hasPrefix("unexpected bytes") == false)
    }
  }

  @Test("an invalid trailer is reported at the offset of the field")
  func trailers() {
    // The trailer starts at byte 10, and its fields at offsets 6, 7, 8, 16 and 24 in it.
    let files: [(File, Int, String)] = [
      (File(objects: [[0x09]], referenceWidth: 0), 17, "the reference size is 0; expected 1 to 8 bytes"),
      (File(objects: [[0x09]], referenceWidth: 9), 17, "the reference size is 9; expected 1 to 8 bytes"),
      (File(objects: [[0x09]], count: 0), 18, "the object count is 0"),
      (File(objects: [[0x09]], count: 2), 18, "the offset table has 1 bytes; expected 2 offsets of 1 bytes each"),
      (File(objects: [[0x09]], top: 1), 26, "the top object is 1; the file has only objects 0 to 0"),
      (File(objects: [[0x09]], table: 8), 34, "the offset table is at byte 8; expected byte 9 to 9"),
      (File(objects: [[0x09]], table: 10), 34, "the offset table is at byte 10; expected byte 9 to 9"),
    ]
    for (file, offset, text) in files {
      let error = error(file.data)
      #expect(
        error == PropertyListError(.badTrailer, at: offset, "")
          && error?.detail.hasPrefix("invalid trailer: \(text)") == true)
    }
    let many = File(objects: Array(repeating: [0x09], count: 257), offsetWidth: 2)
    let narrow = error(many.data)
    #expect(narrow == PropertyListError(.badTrailer, at: 8 + 257 + 514 + 7, ""))
    #expect(narrow?.detail == "invalid trailer: the reference size is 1; 257 objects need wider references")
    #expect(error(Data(File(objects: [[0x09]]).data.prefix(39)))?.code == .truncated)
  }

  @Test("an invalid length is reported")
  func counts() {
    let none = error(File(objects: [[0x5F, 0x51]]).data)
    #expect(none == PropertyListError(.badCount, at: 8, ""))
    #expect(none?.detail == "missing length: after a marker with length 15, expected an integer of 1, 2, 4 or 8 bytes")
    let large = error(File(objects: [[0x09], [0x4F, 0x11, 0x01, 0x00]]).data)
    #expect(large == PropertyListError(.badCount, at: 9, ""))
    #expect(large?.detail == "invalid length: found 256; the file has only 13 bytes of objects")
    // The length extends past the objects.
    let cut = error(File(objects: [[0xAF, 0x13, 0x00]]).data)
    #expect(cut == PropertyListError(.truncated, at: 8, ""))
    #expect(cut?.detail == "truncated array: it extends past the end of the object area at byte 11")
  }

  @Test(
    "a truncated object is reported with the name of its kind",
    arguments: [
      ([0x13, 0], "integer"), ([0x22, 0], "real"), ([0x23, 0], "real"), ([0x33, 0], "date"), ([0x42, 0], "data"),
      ([0x52, 0x41], "string"), ([0x61, 0], "string"), ([0x83, 0], "UID"), ([0xA2, 0], "array"), ([0xC2, 0], "set"),
      ([0xD1, 0], "dictionary"),
    ] as [([UInt8], String)])
  func overruns(_ bytes: [UInt8], _ kind: String) {
    let error = error(File(objects: [bytes]).data)
    #expect(error == PropertyListError(.truncated, at: 8, ""))
    #expect(error?.detail.hasPrefix("truncated \(kind): it extends past the end of the object area") == true)
  }

  @Test("an exceeded limit is reported with its name")
  func limits() {
    let text = [UInt8](repeating: 0x41, count: 20)
    func check(_ data: Data, _ limits: ReadLimits, _ text: String, _ limit: String) {
      let error = error(data, limits)
      #expect(error?.code == .limitReached && error?.detail == text)
      #expect(error?.remedy == "If you trust the file, raise ReadLimits.\(limit)")
    }
    check(
      File(objects: [[0x09]]).data, ReadLimits(maximumByteCount: 41),
      "byte limit reached: found 42; expected at most 41", "maximumByteCount")
    check(
      document("<true/>"), ReadLimits(maximumByteCount: 21), "byte limit reached: found 22; expected at most 21",
      "maximumByteCount")
    check(
      File(objects: [[0x09], [0x09]]).data, ReadLimits(maximumObjectCount: 1),
      "object limit reached: found 2; expected at most 1", "maximumObjectCount")
    check(
      document("<array><true/></array>"), ReadLimits(maximumObjectCount: 1),
      "object limit reached: found 2; expected at most 1", "maximumObjectCount")
    check(
      File(objects: [[0x5F, 0x10, 20] + text]).data, ReadLimits(maximumStringByteCount: 19),
      "string length limit reached: found 20; expected at most 19", "maximumStringByteCount")
    check(
      File(objects: [[0x6F, 0x10, 20] + text + text]).data, ReadLimits(maximumStringByteCount: 39),
      "string length limit reached: found 40; expected at most 39", "maximumStringByteCount")
    check(
      File(objects: [[0x4F, 0x10, 20] + text]).data, ReadLimits(maximumDataByteCount: 19),
      "data length limit reached: found 20; expected at most 19", "maximumDataByteCount")
    check(
      document("<dict><key>a</key><true/><key>b</key><true/></dict>"), ReadLimits(maximumObjectCount: 4),
      "object limit reached: found 5; expected at most 4", "maximumObjectCount")
  }

  @Test("a value of an XML file that exceeds a limit is reported at its place in the file")
  func xmlLimits() {
    let limits = ReadLimits(maximumStringByteCount: 19, maximumDataByteCount: 14)
    let data = Data(repeating: 0, count: 15).base64EncodedString()
    // A letter with an accent has two bytes in UTF-8.
    for (long, kind, count, limit) in [
      ("<string>\(String(repeating: "é", count: 10))</string>", "string", 20, 19),
      ("<data>\(data)</data>", "data", 15, 14),
      ("<dict><key>\(String(repeating: "k", count: 20))</key>", "string", 20, 19),
    ] {
      let start = "<plist>\n<array>\n"
      let error = error(Data("\(start)\(long)".utf8), limits)
      #expect(error?.code == .limitReached && error?.line == 3)
      #expect(error?.byteOffset == start.utf8.count + long.utf8.count)
      #expect(error?.detail == "\(kind) length limit reached: found \(count); expected at most \(limit)")
    }
  }

  @Test("values that XML cannot hold are reported")
  func xml() throws {
    let foreign: [(PropertyListObject, String)] = [
      (.null, "null at '0'"), (.set([]), "a set at '0'"), (.date(.infinity), "the date inf at '0'"),
      (.wideInteger(high: 1, low: 0), "the integer 18446744073709551616 at '0', which needs more than 64 bits"),
    ]
    let inner = try PropertyList(
      table: [
        .dictionary(keys: [ObjectRef(rawValue: 1)], values: [ObjectRef(rawValue: 2)]), .string("a"),
        .array([ObjectRef(rawValue: 1), ObjectRef(rawValue: 3)]), .null,
      ], top: ObjectRef(rawValue: 0))
    let place = #expect(throws: PropertyListError.self) { try inner.data(format: .xml) }
    #expect(place?.detail.hasSuffix("null at 'a.1'") == true)
    for (object, text) in foreign {
      let list = try PropertyList(table: [.array([ObjectRef(rawValue: 1)]), object], top: ObjectRef(rawValue: 0))
      let error = #expect(throws: PropertyListError.self) { try list.data(format: .xml) }
      #expect(
        error?.code == .notRepresentable && error?.detail == "unsupported value: XML property lists cannot hold \(text)"
      )
      // A binary file can hold it.
      #expect(try PropertyList(list.data(format: .binary)).object(ObjectRef(rawValue: 1)) == object)
    }
    let key = try PropertyList(
      table: [.dictionary(keys: [ObjectRef(rawValue: 1)], values: [ObjectRef(rawValue: 1)]), .integer(1)],
      top: ObjectRef(rawValue: 0))
    #expect(#expect(throws: PropertyListError.self) { try key.data(format: .xml) }?.code == .keyIsNotAString)
    let rows = (1...3).map { PropertyListObject.array([ObjectRef(rawValue: $0)]) } + [.boolean(true)]
    let deep = try PropertyList(table: rows, top: ObjectRef(rawValue: 0), limits: ReadLimits(maximumDepth: 2))
    let error = #expect(throws: PropertyListError.self) { try deep.data(format: .xml) }
    #expect(error?.detail == "nesting limit reached: containers nest more than 2 levels deep")
  }

  @Test("a dangling reference is reported at its offset in each container and width")
  func references() {
    // One container after the 8 bytes of the header, and a Boolean: the last object has index 1.
    let files: [([UInt8], UInt8, Int, UInt64)] = [
      ([0xA1, 2], 1, 9, 2), ([0xA1, 0xFF], 1, 9, 255), ([0xA2, 1, 2], 1, 10, 2), ([0xC1, 2], 1, 9, 2),
      ([0xD1, 2, 1], 1, 9, 2), ([0xD1, 1, 2], 1, 10, 2), ([0xA1, 1, 1], 2, 9, 257),
      ([0xA1, 0, 1, 0, 1], 4, 9, 65537), ([0xA1, 1, 0, 0, 0, 0, 0, 0, 1], 8, 9, 1 << 56 + 1),
      ([0xA1] + [UInt8](repeating: 0xFF, count: 8), 8, 9, .max),
    ]
    for (container, width, place, row) in files {
      let error = error(File(objects: [container, [0x09]], referenceWidth: width).data)
      #expect(error?.code == .badReference && error?.byteOffset == place)
      #expect(error?.detail == "dangling reference to object \(row): the property list has only objects 0 to 1")
    }
  }

  @Test("an inconsistent object table is rejected")
  func tables() {
    let (zero, one) = (ObjectRef(rawValue: 0), ObjectRef(rawValue: 1))
    let tables: [([PropertyListObject], PropertyListError.Code)] = [
      ([], .badCount), ([.dictionary(keys: [zero], values: [])], .badCount), ([.array([one])], .badReference),
      ([.set([one])], .badReference), ([.dictionary(keys: [one], values: [zero])], .badReference),
      ([.dictionary(keys: [zero], values: [one])], .badReference),
      ([.array([one]), .uid(1 << 32)], .notRepresentable), ([.uid(.max)], .notRepresentable),
    ]
    for (rows, code) in tables {
      #expect(#expect(throws: PropertyListError.self) { try PropertyList(table: rows, top: zero) }?.code == code)
    }
    #expect(throws: PropertyListError(.badReference, "")) { try PropertyList(table: [.null], top: one) }
  }

  @Test("a missing object of an edited list is reported")
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

  @Test("an unreadable file is reported with its path")
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

  @Test("no more bytes of a file, pipe or device are read than the limit allows")
  func fileLimit() throws {
    let folder = try ScratchFolder()
    let limits = ReadLimits(maximumByteCount: 1000)
    // A sparse file takes no space on the disk.
    let sparse = try folder.file("sparse.plist", Data())
    try FileHandle(forWritingTo: URL(filePath: sparse)).truncate(atOffset: 1 << 28)
    for path in [sparse, "/dev/zero"] {
      let error = #expect(throws: PropertyListError.self) {
        try PropertyList(contentsOf: URL(filePath: path), limits: limits)
      }
      #expect(error?.code == .limitReached)
      #expect(error?.detail == "byte limit reached: the file has more than 1000 bytes")
    }
  }

  @Test("a pipe is read to its end")
  func pipe() throws {
    let pipe = Pipe()
    try pipe.fileHandleForWriting.write(contentsOf: File(objects: [[0x09]]).data)
    try pipe.fileHandleForWriting.close()
    let url = URL(filePath: "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)")
    #expect(try PropertyList(contentsOf: url).object(ObjectRef(rawValue: 0)) == .boolean(true))
  }

  @Test("a folder in place of a file is reported as one")
  func folderAsFile() throws {
    let folder = try ScratchFolder()
    let error = #expect(throws: PropertyListError.self) { try PropertyList(contentsOf: URL(filePath: folder.url.path)) }
    #expect(error?.code == .fileAccess)
    #expect(
      error?.description.hasPrefix("could not read '\(folder.url.path)': it is a folder, not a file.") == true,
      "\(error as Any)")
  }

  @Test("text that is invalid in its encoding is reported")
  func encodings() {
    let odd = error(Data([0xFE, 0xFF, 0x00, 0x3C, 0x00]))
    #expect(odd?.code == .truncated && odd?.detail == "invalid UTF-16 file: found an odd number of bytes")
    // A lone surrogate.
    let surrogate = error(Data([0xFE, 0xFF, 0x00, 0x3C, 0xD8, 0x00]))
    #expect(
      surrogate?.code == .invalidText && surrogate?.detail == "invalid UTF-16 in the file: found a lone surrogate")
    let bytes = error(Data("<plist><string>".utf8) + [0xC3] + Data("</string></plist>".utf8))
    #expect(bytes == PropertyListError(.invalidText, at: 15, ""))
    #expect(error(Data())?.detail == "no property list: found an empty file; expected 'bplist00' or XML")
    #expect(
      error(Data([0, 1, 0xAB]))?.detail == "no property list: found the bytes 00 01 ab; expected 'bplist00' or XML")
    // A bitmap image with the byte of '<' in it.
    let image = error(Data([0x42, 0x4D, 0xFF, 0x3C, 0x00]))
    #expect(image?.code == .notAPropertyList)
    #expect(image?.detail == "no property list: found the bytes 42 4d ff 3c 00; expected 'bplist00' or XML")
    for start in [Data(), Data("\n\t".utf8), Data([0xEF, 0xBB, 0xBF])] {
      #expect(error(start + Data("<plist>".utf8) + [0xFF])?.code == .invalidText)
    }
  }

  @Test("malformed XML is reported with the reason")
  func markup() throws {
    for (text, code, detail) in [
      ("<plist><string><![CDATA[x]]", .truncated, "CDATA section without an end"),
      ("<plist><string><!-- x", .truncated, "comment without an end"),
      ("<plist><string><?x", .truncated, "processing instruction without an end"),
      ("<!DOCTYPE plist [", .truncated, "document type without an end"),
      ("<plist/> ", .malformedXML, "the element 'plist' is empty"),
      ("<plist><true/></plist>x", .malformedXML, "unexpected text between elements"),
      ("<plist><true/></plist><a/>", .malformedXML, "unexpected content after </plist>"),
      ("<plist><string\u{0}/></plist>", .malformedXML, "zero byte in a tag"),
      ("<!DOCTYPE plist [<!-- it's --><!ENTITY a 'b'>]>", .malformedXML, "unsupported entity declaration"),
      ("<!DOCTYPE plist [%a;]>", .malformedXML, "unsupported parameter entity"),
    ] as [(String, PropertyListError.Code, String)] {
      let error = error(Data(text.utf8))
      #expect(error?.code == code && error?.detail.contains(detail) == true, "\(text): \(error as Any)")
      #expect(error?.line == 1)
    }
    // Harmless markup is ignored.
    let list = try PropertyList(
      document("<string>a<?note >?>b<!-- ' -->c</string>", "<!DOCTYPE plist [<!-- it's ] > --> <!ELEMENT plist ANY> ]>")
    )
    #expect(try list.object(list.top) == .string("abc"))
  }

  @Test("errors have a position and a text, and can be changed")
  func errors() {
    var error = PropertyListError(.badCount, "it is so")
    #expect("\(error)" == "it is so. Use another copy of the file, or correct the program that wrote it")
    #expect("\(error.code)" == error.code.name)
    error.code = .truncated
    error.byteOffset = 3
    error.line = 2
    error.detail = "it is not"
    let compare = "The file may be truncated; compare its size with the original"
    #expect(error.localizedDescription == "it is not (line 2, byte 3). \(compare)")
    error.remedy = "Change it"
    #expect("\(error)" == "it is not (line 2, byte 3). Change it")
    #expect(
      error == PropertyListError(.truncated, at: 3, line: 2, "") && error != PropertyListError(.truncated, at: 3, ""))
  }

  @Test("objects of different kinds are not equal, and each has the name of its kind")
  func objects() {
    let kinds: [(PropertyListObject, String)] = [
      (.null, "null"), (.boolean(true), "boolean"), (.integer(1), "integer"),
      (.wideInteger(high: 1, low: 0), "integer"),
      (.float(1), "real"), (.double(1), "real"), (.date(1), "date"), (.data(Data()), "data"), (.string(""), "string"),
      (.uid(1), "uid"), (.array([]), "array"), (.set([]), "set"), (.dictionary(keys: [], values: []), "dictionary"),
    ]
    for (row, one) in kinds.enumerated() {
      #expect(one.0.kindName == one.1)
      for (column, other) in kinds.enumerated() { #expect((one.0 == other.0) == (row == column)) }
    }
  }

  @Test("the offset of an object is that of its marker, whatever the width of its length")
  func markerOffsets() throws {
    var objects: [[UInt8]] = [
      [0x00], [0x08], [0x09], [0x10, 5], [0x11, 0, 5], [0x22, 0, 0, 0, 0], [0x23] + Array(repeating: 0, count: 8),
      [0x33] + Array(repeating: 0x5F, count: 8), [0x80, 1], [0x81, 0, 1],
    ]
    for (marker, unit) in [(0x40, 1), (0x50, 1), (0x60, 2), (0xA0, 1), (0xC0, 1), (0xD0, 2)] as [(UInt8, Int)] {
      for count in [0, 1, 14, 15, 16, 17, 79, 95, 200] {
        // Each reference is to the first object, and each character is NUL.
        let content = [UInt8](repeating: 0, count: count * unit)
        if count < 15 { objects.append([marker | UInt8(count)] + content) }
        for logarithm in 0..<4 {
          let width = 1 << logarithm
          let length = [UInt8](repeating: 0, count: width - 1) + [UInt8(count)]
          objects.append([marker | 0x0F, 0x10 | UInt8(logarithm)] + length + content)
        }
      }
    }
    let list = try PropertyList(File(objects: objects, offsetWidth: 2, referenceWidth: 2).data)
    // The references have one byte.
    let narrow = try PropertyList(File(objects: Array(objects.prefix(250)), offsetWidth: 2).data)
    for list in [list, narrow] {
      try list.withBytes { bytes throws(PropertyListError) in
        for row in 0..<UInt32(list.objectCount) {
          guard let item = try? list.table.item(ObjectRef(rawValue: row), in: bytes) else { continue }
          #expect(try item.offset(in: bytes) == list.table.offset(of: ObjectRef(rawValue: row), in: bytes))
        }
      }
    }
  }
}
