// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DocumentLibraries
import Foundation
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import ScaryCreatures
import TestSupport
import Testing

@Suite("Files of older layouts")
struct OlderLayoutTests {
  @Test("are read, and described by their differences", arguments: LayoutRow.older)
  func read(_ row: LayoutRow) throws {
    let stored = try ScaryCreatureData.stored(in: row.data, limits: .default)
    #expect(stored.model.title == row.title)
    #expect(stored.model.rating.bitPattern == row.rating.bitPattern)
    #expect(stored.layout == row.layout)
    #expect(!stored.isCurrent)
  }

  @Test("do not include the current one with a short class record")
  func current() throws {
    var bare = HandmadeCreature()
    for chain in [["ScaryCreatures.ScaryCreatureData", "NSObject"], ["ScaryCreatures.ScaryCreatureData"], []] {
      bare.classChain = chain
      let stored = try ScaryCreatureData.stored(in: bare.data, limits: .default)
      #expect(stored.model == ScaryCreatureData(title: "Ghost", rating: 5))
      #expect(stored.isCurrent)
      #expect(stored.layout == "secure")
      #expect(stored.warnings.isEmpty)
    }
  }

  @Test("prefer the newer of two keys")
  func bothKeys() throws {
    var both = HandmadeCreature(entries: [("title", .uid(5)), ("rating", .float(1))], objects: ["Old"])
    #expect(try ScaryCreatureData.stored(in: both.data, limits: .default).model.title == "Ghost")
    #expect(try ScaryCreatureData.stored(in: both.data, limits: .default).model.rating == 5)
    // `Data` before and after `root`.
    both = HandmadeCreature(objects: ["something else"], top: [("Data", .uid(5))])
    #expect(try ScaryCreatureData.stored(in: both.data, limits: .default).isCurrent)
    both = HandmadeCreature(objects: ["something else"], top: [("root", .uid(1))])
    both.topKey = "Data"
    let stored = try ScaryCreatureData.stored(in: both.data, limits: .default)
    #expect(stored.model.title == "Ghost")
    #expect(stored.isCurrent)
  }

  /// The expected result for a rating.
  struct Rating: Sendable, CustomTestStringConvertible {
    var name: String
    var value: HandmadeList?
    /// The decoded bits; nil if the file is rejected.
    var bits: UInt32?
    var warnings: [String] = []
    var testDescription: String { name }
  }

  static let ratings = [
    Rating(name: "NaN", value: .float(bits: 0x7FC0_0001), bits: 0x7FC0_0001, warnings: ["ratingOutOfRange"]),
    Rating(name: "infinity", value: .float(bits: 0x7F80_0000), bits: 0x7F80_0000, warnings: ["ratingOutOfRange"]),
    Rating(name: "-infinity", value: .float(bits: 0xFF80_0000), bits: 0xFF80_0000, warnings: ["ratingOutOfRange"]),
    Rating(name: "-0", value: .float(bits: 0x8000_0000), bits: 0x8000_0000),
    Rating(name: "2.5", value: .float(bits: 0x4020_0000), bits: 0x4020_0000),
    Rating(name: "6", value: .float(bits: 0x40C0_0000), bits: 0x40C0_0000, warnings: ["ratingOutOfRange"]),
    Rating(name: "-1", value: .float(bits: 0xBF80_0000), bits: 0xBF80_0000, warnings: ["ratingOutOfRange"]),
    Rating(name: "Double 0.1", value: .real(0.1), bits: 0x3DCC_CCCD, warnings: ["roundedRating"]),
    Rating(name: "Double 1.5", value: .real(1.5), bits: 0x3FC0_0000),
    Rating(
      name: "Double 1e300", value: .real(1e300), bits: 0x7F80_0000, warnings: ["roundedRating", "ratingOutOfRange"]),
    Rating(name: "integer 3", value: 3, bits: 0x4040_0000),
    Rating(name: "integer -3", value: -3, bits: 0xC040_0000, warnings: ["ratingOutOfRange"]),
    Rating(name: "integer that no Float is", value: .integer(16_777_217), bits: nil),
    Rating(name: "true", value: true, bits: nil),
    Rating(name: "false", value: false, bits: nil),
    Rating(name: "a string", value: "5", bits: nil),
    Rating(name: "bytes", value: .data([5]), bits: nil),
    Rating(name: "nothing", value: nil, bits: 0, warnings: ["noRating"]),
  ]

  @Test("keep odd ratings with a warning, or reject them", arguments: ratings)
  func rating(_ row: Rating) throws {
    for isInline in [false, true] {
      // An inline string is always a string, which is not a rating either.
      let file = HandmadeCreature(rating: row.value, isInline: isInline).data
      guard let bits = row.bits else {
        let error = #expect(throws: KeyedArchiveError.self) {
          try ScaryCreatureData.stored(in: file, limits: .default)
        }
        #expect("\(try #require(error))".contains("rating"))
        continue
      }
      let stored = try ScaryCreatureData.stored(in: file, limits: .default)
      #expect(stored.model.rating.bitPattern == bits)
      #expect(stored.warnings.map(\.code) == row.warnings)
    }
  }

  @Test("reject a rating that refers to $null")
  func nullRating() {
    let file = HandmadeCreature(rating: .uid(0), isInline: true).data
    #expect(throws: KeyedArchiveError.self) { try ScaryCreatureData.stored(in: file, limits: .default) }
  }

  @Test("reject a new invalid rating, but not a stored one")
  func settingRatings() throws {
    let room = try CreatureRoom()
    try room.plant("1.scarycreature/Data.plist", HandmadeCreature(rating: .float(6)).data)
    let doc = try room.database().document(1)
    for rating in [-1, 5.5, 6, .nan, .infinity] as [Float] {
      #expect(failure { try doc.setRating(rating) } == .invalidValue)
    }
    try doc.setTitle("Still 6")
    #expect(try room.database().document(1).data == ScaryCreatureData(title: "Still 6", rating: 6))
    #expect(try room.database().document(1).warnings.map(\.code) == ["ratingOutOfRange"])
    for rating in [0, -0.0, 2.5, 5] as [Float] {
      try doc.setRating(rating)
      #expect(try room.database().document(1).data?.rating.bitPattern == rating.bitPattern)
    }
    #expect(failure { try room.database().addCreature(title: "x", rating: .nan) } == .invalidValue)
    #expect(try room.names() == ["1.scarycreature"])
  }

  @Test("are converted by an edit with equal values", arguments: LayoutRow.older)
  func edit(_ row: LayoutRow) throws {
    let room = try CreatureRoom()
    try room.plant("1.scarycreature/Data.plist", row.data)
    try room.database().document(1).setTitle("New")
    let stored = try #require(try room.database().document(1).stored)
    #expect(stored.model.title == "New")
    #expect(stored.model.rating.bitPattern == row.rating.bitPattern)
    #expect(stored.isCurrent)
    let archive = try KeyedArchive(room.bytes("1.scarycreature/Data.plist"))
    #expect(archive.topKeys == ["root"])
    #expect(Set(archive.root.keys) == ["Title", "Rating"])
  }
}
