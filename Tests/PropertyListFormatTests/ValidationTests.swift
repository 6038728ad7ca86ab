// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PropertyListFormat
import TestSupport
import Testing

@Suite("PropertyList.validate()")
struct ValidationTests {
  private func list(_ rows: [PropertyListObject], _ limits: ReadLimits = .default) throws -> PropertyList {
    try PropertyList(table: rows, top: ObjectRef(rawValue: 0), limits: limits)
  }
  private func array(_ refs: UInt32...) -> PropertyListObject { .array(refs.map(ObjectRef.init(rawValue:))) }

  @Test("accepts a valid list with shared objects")
  func sound() throws {
    try list([.string("alone")]).validate()
    try list([array(1, 1, 2), array(2, 2), .integer(1)]).validate()
    let dictionary = PropertyListObject.dictionary(
      keys: [ObjectRef(rawValue: 1)], values: [ObjectRef(rawValue: 2)])
    try list([dictionary, .string("key"), array()]).validate()
  }

  @Test("reports reference cycles of any length")
  func cycles() throws {
    for rows in [[array(0)], [array(1), array(0)], [array(2, 1), array(2), array(1)]] {
      let error = #expect(throws: PropertyListError.self) { try list(rows).validate() }
      #expect(error?.code == .cycle)
    }
  }

  @Test("limits the depth, also through shared objects")
  func depth() throws {
    let limits = ReadLimits(maximumDepth: 4)
    try list([array(1), array(2), array(3), array()], limits).validate()
    // Object 4 has a depth of three, and was visited before it is reached at a depth of two.
    for rows in [
      [array(1), array(2), array(3), array(4), array()],
      [array(4, 1), array(4), array(), array(2), array(5), array(2)],
      [array(1, 2), array(3), array(1), array(4), array()],
    ] {
      let error = #expect(throws: PropertyListError.self) { try list(rows, ReadLimits(maximumDepth: 3)).validate() }
      #expect(error?.code == .limitReached)
    }
  }

  @Test(
    "visits each object once if each level contains the next one twice",
    .notHanging)
  func sharing() throws {
    let levels = (1...200).map { array(UInt32($0), UInt32($0)) }
    try list(levels + [.integer(1)]).validate()
  }

  @Test("reports keys that are no strings, and damaged objects")
  func rows() throws {
    let dictionary = PropertyListObject.dictionary(
      keys: [ObjectRef(rawValue: 1)], values: [ObjectRef(rawValue: 1)])
    let error = #expect(throws: PropertyListError.self) { try list([dictionary, .integer(1)]).validate() }
    #expect(error?.code == .keyIsNotAString)
    // An array with a reserved marker.
    let bytes: [UInt8] =
      Array("bplist00".utf8) + [0xA1, 1, 0x70, 8, 10] + [0, 0, 0, 0, 0, 0, 1, 1]
      + [0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 11]
    #expect(throws: PropertyListError.self) { try PropertyList(Data(bytes)).validate() }
  }

  @Test("accepts UIDs of 32 bits in any width")
  func uids() throws {
    func file(_ uid: [UInt8]) -> Data {
      let object = [UInt8(0x7F + uid.count)] + uid
      return Data(
        Array("bplist00".utf8) + object + [8] + [0, 0, 0, 0, 0, 0, 1, 1]
          + [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(8 + object.count)])
    }
    let list = try PropertyList(file([0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF]))
    #expect(try list.object(list.top) == .uid(0xFFFF_FFFF))
    let error = #expect(throws: PropertyListError.self) { try PropertyList(file([0, 0, 0, 1, 0, 0, 0, 0])).validate() }
    #expect(error?.code == .malformedValue)
  }
}
