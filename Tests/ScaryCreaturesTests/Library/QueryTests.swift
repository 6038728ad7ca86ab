// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DocumentLibraries
import Foundation
import ScaryCreatures
import TestSupport
import Testing

@Suite("Queries")
struct QueryTests {
  private func room() throws -> CreatureRoom {
    let room = try CreatureRoom()
    let creatures: [(Int, String, Float, Double)] = [
      (1, "Ghost", 5, 600), (2, "yeti", 3, 500), (3, "Café Monster", 5, 400), (10, "ghost", 0, 300),
      (12, "Cafe\u{301} Slug", 2.5, 600), (25, "Spider", 3, 100),
    ]
    for (number, title, rating, date) in creatures {
      let path = "\(number).scarycreature/Data.plist"
      try room.plant(path, HandmadeCreature(title: title, rating: .float(rating)).data)
      try room.setModified(path, Date(timeIntervalSince1970: 1_000_000_000 + date))
    }
    return room
  }

  private func numbers(_ query: CreatureQuery, in room: CreatureRoom? = nil) throws -> [Int] {
    let room = try room ?? self.room()
    let (found, unreadable) = try withExtendedLifetime(room) { try room.database().creatures(query) }
    #expect(unreadable.isEmpty)
    return found.compactMap { $0.number?.rawValue }
  }

  @Test("return all creatures by number without conditions")
  func all() throws {
    #expect(try numbers(CreatureQuery()) == [1, 2, 3, 10, 12, 25])
    #expect(try numbers(CreatureQuery(descending: true)) == [25, 12, 10, 3, 2, 1])
  }

  @Test("filter by minimum rating")
  func minimumRating() throws {
    #expect(try numbers(CreatureQuery(minimumRating: 3)) == [1, 2, 3, 25])
    #expect(try numbers(CreatureQuery(minimumRating: 2.5)) == [1, 2, 3, 12, 25])
    #expect(try numbers(CreatureQuery(minimumRating: 5.5)) == [])
  }

  @Test("filter by title without regard to case and composition")
  func title() throws {
    #expect(try numbers(CreatureQuery(titleContains: "GHOST")) == [1, 10])
    #expect(try numbers(CreatureQuery(titleContains: "caf\u{E9}")) == [3, 12])
    #expect(try numbers(CreatureQuery(titleContains: "")) == [1, 2, 3, 10, 12, 25])
    #expect(try numbers(CreatureQuery(minimumRating: 1, titleContains: "ghost")) == [1])
    #expect(try numbers(CreatureQuery(titleContains: ".*")) == [])
    // The two small sigmas have one capital letter, and the capital of the German letter is two.
    let room = try CreatureRoom()
    let titles = ["\u{39F}\u{394}\u{39F}\u{3A3}", "\u{3BF}\u{3B4}\u{3BF}\u{3C2}", "Stra\u{DF}e"]
    for (number, title) in titles.enumerated() {
      try room.plant("\(number).scarycreature/Data.plist", HandmadeCreature(title: title, rating: .float(1)).data)
    }
    #expect(try numbers(CreatureQuery(titleContains: "\u{3BF}\u{3B4}\u{3BF}\u{3C3}"), in: room) == [0, 1])
    #expect(try numbers(CreatureQuery(titleContains: "STRASSE"), in: room) == [2])
  }

  @Test("sort stably in both directions")
  func orders() throws {
    #expect(try numbers(CreatureQuery(order: .title)) == [3, 12, 1, 10, 25, 2])
    #expect(try numbers(CreatureQuery(order: .title, descending: true)) == [2, 25, 1, 10, 12, 3])
    #expect(try numbers(CreatureQuery(order: .rating)) == [10, 12, 2, 25, 1, 3])
    #expect(try numbers(CreatureQuery(order: .rating, descending: true)) == [1, 3, 2, 25, 12, 10])
    #expect(try numbers(CreatureQuery(order: .date)) == [25, 10, 3, 2, 1, 12])
    #expect(try numbers(CreatureQuery(order: .date, descending: true)) == [1, 12, 2, 3, 10, 25])
    #expect(try numbers(CreatureQuery(minimumRating: 1, order: .date, descending: true)) == [1, 12, 2, 3, 25])
    #expect(try numbers(CreatureQuery(minimumRating: 1, descending: true)) == [25, 12, 3, 2, 1])
  }

  @Test("return all creatures in pages")
  func pages() throws {
    let room = try room()
    for order in CreatureQuery.Order.allCases {
      for descending in [false, true] {
        let all = try numbers(CreatureQuery(order: order, descending: descending), in: room)
        for size in 1...7 {
          let pages = try stride(from: 0, to: 6, by: size).map { offset in
            try numbers(
              CreatureQuery(order: order, descending: descending, offset: offset, limit: size), in: room)
          }
          #expect(pages.allSatisfy { $0.count <= size })
          #expect(Array(pages.joined()) == all)
        }
      }
    }
    #expect(try numbers(CreatureQuery(offset: 6), in: room) == [])
    #expect(try numbers(CreatureQuery(offset: 99, limit: 5), in: room) == [])
    #expect(try numbers(CreatureQuery(limit: 0), in: room) == [])
    #expect(try numbers(CreatureQuery(offset: -3, limit: -1), in: room) == [])
    #expect(try numbers(CreatureQuery(offset: .max, limit: .max), in: room) == [])
  }

  @Test("report unreadable creatures in every order")
  func unreadable() throws {
    let room = try room()
    try room.plant("4.scarycreature/Data.plist", Data("damaged".utf8))
    try room.plantFolder("5.scarycreature")
    for (query, expected) in [
      (CreatureQuery(minimumRating: 0), [4, 5]), (CreatureQuery(order: .title), [4, 5]),
      (CreatureQuery(order: .rating, descending: true), [4, 5]),
      // A damaged file has a date.
      (CreatureQuery(order: .date), [5]), (CreatureQuery(minimumRating: 0, order: .date), [4, 5]),
      (CreatureQuery(), []),
    ] as [(CreatureQuery, [Int])] {
      let (found, unreadable) = try room.database().creatures(query)
      #expect(unreadable.map(\.number.rawValue) == expected, "\(query)")
      #expect(found.count + unreadable.count == 8)
      for creature in unreadable {
        let code = (creature.error as? LibraryError)?.code
        #expect(code == (creature.number == 4 ? .unreadableArchive : .missingDataFile))
      }
    }
  }

  @Test("sort a rating that is not a number before all others")
  func noNumber() throws {
    let room = try room()
    try room.plant("7.scarycreature/Data.plist", HandmadeCreature(rating: .float(.nan)).data)
    try room.plant("8.scarycreature/Data.plist", HandmadeCreature(rating: .float(.nan)).data)
    #expect(try numbers(CreatureQuery(order: .rating), in: room) == [7, 8, 10, 12, 2, 25, 1, 3])
    #expect(try numbers(CreatureQuery(order: .rating, descending: true), in: room) == [1, 3, 2, 25, 12, 10, 7, 8])
    #expect(try numbers(CreatureQuery(minimumRating: 0), in: room) == [1, 2, 3, 10, 12, 25])
  }

  @Test("read no content for orders by number and date")
  func lazy() throws {
    let room = try CreatureRoom()
    for number in 1...3 { try room.plant("\(number).scarycreature/Data.plist", Data("damaged".utf8)) }
    #expect(try numbers(CreatureQuery(), in: room) == [1, 2, 3])
    #expect(try numbers(CreatureQuery(order: .date), in: room).sorted() == [1, 2, 3])
  }
}

@Suite("Creature change streams")
struct CreatureObservationTests {
  @Test("report changes of this process and of others", .notHanging)
  func changes() async throws {
    let room = try CreatureRoom()
    let database = try room.database()
    try database.addCreature(title: "Before")
    let stream = try database.changes()
    let doc = try database.addCreature(title: "Ghost")
    try doc.setRating(3)
    try doc.setFullImage(SampleFiles.png(1, 2, 3))
    try doc.saveImages()
    try doc.deleteDoc()
    // Another process's view of the folder.
    try room.database().addCreature(title: "By others")
    try room.database().document(1).setTitle("By others as well")
    #expect(try database.refresh() == [.changed(1), .added(2)])
    #expect(try database.refresh().isEmpty)
    try room.database().document(1).deleteDoc()
    #expect(try database.refresh() == [.removed(1)])
    // A migration is a change, too.
    try room.plant("3.scarycreature/Data.plist", HandmadeCreature(isInline: true).data)
    #expect(try database.refresh() == [.added(3)])
    try database.migrate { _ in true }
    var told: [LibraryChange] = []
    for await change in stream {
      told.append(change)
      if told.count == 9 { break }
    }
    #expect(
      told == [
        .added(2), .changed(2), .changed(2), .removed(2), .changed(1), .added(2), .removed(1), .added(3), .changed(3),
      ])
  }
}
