// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import Foundation
import KeyedArchiving
import TestSupport
import Testing
import ToolTestSupport

@testable import KeyedArchiveTool

@Suite("roundtrip")
struct RoundtripTests {
  @Test("preserves Apple's file")
  func preserved() {
    #expect(ToolRun("roundtrip", nsurl).lines == ["\(nsurl): preserved"])
    #expect(
      ToolRun("roundtrip", "--json", nsurl).lines == [
        #"{"schema":1,"file":"\#(nsurl)","preserved":true,"rebuilt":true}"#
      ])
  }

  @Test("names what values do not preserve: whether two equal long strings were one object")
  func notRebuilt() throws {
    // Two fonts that refer to two equal strings; AppKit has one string per name.
    func font(_ name: UInt64) -> HandmadeList {
      ["NSName": .uid(name), "NSSize": 12.0, "NSfFlags": 16, "$class": .uid(4)]
    }
    let data = HandmadeList.archive([
      ["NS.objects": [.uid(2), .uid(5)], "$class": .uid(7)], font(3), "Helvetica-Narrow-Bold",
      .classRecord("NSFont", "NSObject"), font(6), "Helvetica-Narrow-Bold", .classRecord("NSArray", "NSObject"),
    ])
    let line = try ToolRun("roundtrip", "--json", "-", input: data).json[0]
    #expect(line["rebuilt"] as? Bool == false)
    #expect((line["notRebuilt"] as? [String: Any])?["reason"] as? String == "sharedObjects")
  }

  @Test("reports the error code for a file with an object that its type rejects")
  func refused() throws {
    let data = HandmadeList.archive([
      ["NS.uuidbytes": .data([1, 2]), "$class": .uid(2)], .classRecord("NSUUID", "NSObject"),
    ])
    let line = try ToolRun("roundtrip", "--json", "-", input: data).json[0]
    #expect(line["rebuilt"] as? Bool == false)
    let reason = try #require(line["notRebuilt"] as? [String: Any])
    #expect(reason["reason"] as? String == "malformedValue")
    #expect((reason["detail"] as? String)?.contains("NS.uuidbytes") == true)
  }

  @Test("preserves this library's files")
  func own() throws {
    #expect(ToolRun("roundtrip", "-", input: try Creature.pair()).code == .fine)
  }

  @Test("reports where a file of another writer differs")
  func parts() throws {
    // The handmade list has references of four bytes, so its first object differs.
    let run = ToolRun("roundtrip", "--json", "-", nsurl, input: Handmade.archive(["x"]))
    #expect(run.code == .negative && run.lines.count == 2)
    let difference = try #require(try run.json[0]["differsAt"] as? [String: Any])
    #expect(difference["part"] as? String == "object" && difference["kind"] as? String != nil)
    #expect(try run.json[1]["preserved"] as? Bool == true)
  }

  @Test("names the object at the first difference by index and UID")
  func object() throws {
    // Object 1 is an integer with unnecessary bytes: 12 00000005 instead of 10 05.
    let data = try HandWritten.archive(rootBytes: [0x12, 0, 0, 0, 5])
    let run = ToolRun("roundtrip", "-", input: data)
    #expect(run.code == .negative)
    #expect(
      run.output
        == "-: not preserved: the rewritten bytes differ at byte 90, in object index 11, of kind integer, which has UID #1\n"
    )
    let json = try ToolRun("roundtrip", "--json", "-", input: data).json[0]
    #expect((json["differsAt"] as? [String: Any])?["object"] as? Int == 1)
  }
}

/// A file in the exact layout of Apple's writer except for one object.
enum HandWritten {
  static func archive(rootBytes: [UInt8]) throws -> Data {
    func ascii(_ text: String) -> [UInt8] {
      text.utf8.count < 15
        ? [0x50 | UInt8(text.utf8.count)] + Array(text.utf8) : [0x5F, 0x10, UInt8(text.utf8.count)] + Array(text.utf8)
    }
    let objects: [[UInt8]] = [
      [0xD4, 1, 2, 3, 4, 5, 6, 7, 9], ascii("$version"), ascii("$archiver"), ascii("$top"), ascii("$objects"),
      [0x12, 0, 1, 0x86, 0xA0], ascii("NSKeyedArchiver"), [0xD1, 8, 12], ascii("root"), [0xA2, 10, 11], ascii("$null"),
      rootBytes, [0x80, 1],
    ]
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in objects {
      offsets.append(UInt8(bytes.count))
      bytes += object
    }
    let table = UInt8(bytes.count)
    bytes += offsets + [0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, UInt8(objects.count)]
    bytes += [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, table]
    return Data(bytes)
  }
}
