// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

@Suite("Colors that share their space or their replacement")
struct SharedColorTests {
  private func archived(_ value: any KeyedCoding) throws -> KeyedArchive {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.encode(value, forKey: "root")
    return try KeyedArchive(archiver.encodedData)
  }

  @Test("are not shared by colors with the name '-' and without a name")
  func absentName() throws {
    var dash = ArchivedColor(white: 1)
    dash.colorName = "-"
    let colors = [ArchivedColor(white: 1), dash].map {
      ArchivedColor(catalog: "System", name: "labelColor", fallback: $0)
    }
    let root = try archived(colors).root
    #expect(!root[0]["NSColor"]["NSColorName"].exists && root[1]["NSColor"]["NSColorName"].string == "-")
  }

  @Test("take the time for an ICC profile once, when they are decoded and when they are archived")
  func profile() throws {
    // Reading the profile for each color would take a minute.
    let count: UInt64 = 2000
    var objects: [HandmadeList] = [
      ["NS.objects": .array((0..<count).map { .uid(7 + $0) }), "$class": .uid(2)], .classRecord("NSArray", "NSObject"),
      .classRecord("NSColor", "NSObject"), ["NSICC": .uid(6), "$class": .uid(5)],
      .classRecord("NSColorSpace", "NSObject"), .data([UInt8](repeating: 7, count: 1_000_000)),
    ]
    for _ in 0..<count {
      objects.append([
        "NSColorSpace": 3, "NSWhite": .data(Array("0.5\0".utf8)), "NSCustomColorSpace": .uid(4), "$class": .uid(3),
      ])
    }
    let data = HandmadeList.archive(objects)
    let start = System.threadTime()
    let colors = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: [ArchivedColor].self, from: data))
    let anew = try archived(colors)
    #expect(System.threadTime() - start < 20)
    #expect(Set((0..<Int(count)).map { anew.root[$0]["NSCustomColorSpace"].uid }).count == 1)
    #expect(anew.root[7]["NSCustomColorSpace"]["NSICC"].data?.count == 1_000_000)
  }

  @Test("are archived in a time that grows with the number of colors in each other")
  func nested() throws {
    // The square of this number would take a minute.
    let count = 3000
    var color = ArchivedColor(white: 0)
    for _ in 0..<count { color = ArchivedColor(catalog: "System", name: "labelColor", fallback: color) }
    let start = System.threadTime()
    let anew = try archived(color)
    #expect(System.threadTime() - start < 20)
    #expect(anew.objectCount > count)
  }

  @Test("are compared, and have an opacity, on threads with little stack")
  func smallStack() throws {
    func nested(_ alpha: Double) -> ArchivedColor {
      var color = ArchivedColor(white: 0, alpha: alpha)
      for _ in 0..<500 { color = ArchivedColor(catalog: "System", name: "labelColor", fallback: color) }
      return color
    }
    let (color, same, other) = (nested(0.25), nested(0.25), nested(0.5))
    var results: [Bool] = []
    // A call for each level took more than 512 KiB.
    try System.onThread(stackBytes: 128 << 10) {
      results = [color.alpha == 0.25, color == same, color != other]
    }
    #expect(results == [true, true, true])
  }

  @Test("are one object if they are equal, and two if they are not")
  func identity() throws {
    let (red, gray) = (ArchivedColor(red: 1, green: 0, blue: 0), ArchivedColor(white: 0.5))
    func named(_ name: String, _ color: ArchivedColor) -> ArchivedColor {
      ArchivedColor(catalog: "System", name: name, fallback: color)
    }
    let root = try archived(
      ArchivedArray([named("a", red), named("b", ArchivedColor(red: 1, green: 0, blue: 0)), named("c", gray)])
    ).root
    #expect(root[0]["NSColor"].uid == root[1]["NSColor"].uid && root[0]["NSColor"].uid != root[2]["NSColor"].uid)
    var spaces = [ArchivedColorSpace(id: 1), ArchivedColorSpace(id: 1), ArchivedColorSpace(id: 2)]
    spaces += [ArchivedColorSpace(profile: Data([1])), ArchivedColorSpace(profile: Data([1]))]
    spaces.append(ArchivedColorSpace(profile: Data([2])))
    let list = try archived(spaces).root
    let uids = (0..<6).map { list[$0].uid }
    #expect(uids[0] == uids[1] && uids[3] == uids[4] && Set(uids).count == 4)
  }

  @Test("are one object if they came from one, even with keys that their type does not know")
  func unknownKeys() throws {
    let data = HandmadeList.archive([
      ["NS.objects": [.uid(3), .uid(4)], "$class": .uid(2)], .classRecord("NSArray", "NSObject"),
      ["NSColorSpace": 3, "NSWhite": .data(Array("0".utf8)), "NSCustomColorSpace": .uid(6), "$class": .uid(5)],
      ["NSColorSpace": 3, "NSWhite": .data(Array("1".utf8)), "NSCustomColorSpace": .uid(6), "$class": .uid(5)],
      .classRecord("NSColor", "NSObject"), ["NSID": 7, "X": 1, "$class": .uid(7)],
      .classRecord("NSColorSpace", "NSObject"),
    ])
    let colors = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: [ArchivedColor].self, from: data))
    let root = try archived(colors).root
    #expect(root[0]["NSCustomColorSpace"].uid == root[1]["NSCustomColorSpace"].uid)
    #expect(root[0]["NSCustomColorSpace"]["X"].number == .integer(1))
  }
}
