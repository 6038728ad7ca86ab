// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DocumentLibraries
import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import Testing

/// A model with nested Codable values.
struct Trip: Codable, Equatable, DocumentModel {
  static let folderExtension = "trip"
  static let archiveClassName = "Travel.Trip"

  var title = "Alps"
  var start = Stop("Bern", note: "early")
  var stops = [Stop("Thun"), Stop("Spiez"), Stop("Brig")]
  var guides = ["day": Stop("Visp"), "night": Stop("Raron")]

  struct Stop: Codable, Equatable {
    var name: String
    var nights = 1
    var note: String?
    var country = Country()

    init(_ name: String, note: String? = nil) { (self.name, self.note) = (name, note) }
  }

  struct Country: Codable, Equatable { var code = "CH" }
}

@Suite("Unknown keys of nested objects")
struct NestedUnknownKeyTests {
  private let data: StoragePath = "1.trip" / "Data.plist"

  /// Makes a document as a newer program saves it: each stop has a hotel, each country a language, and the trip has its
  /// favourite stop.
  private func room(_ place: Place, _ trip: Trip = Trip()) throws -> Room {
    let room = try place.room()
    try DocumentLibrary<Trip>(in: room.storage).addDocument(trip)
    var archive = try stored(room)
    var hotel = 0
    for stop in stops(archive) {
      let (uid, country) = (try #require(stop.uid), try #require(stop["country"].uid))
      hotel += 1
      let name = try archive.addObject(.primitive(.string("Hotel \(hotel)")))
      try archive.setValue(.reference(name), forKey: "hotel", of: uid)
      try archive.setValue(.integer(Int64(hotel)), forKey: "language", of: country)
    }
    let favourite = try #require(archive.root["stops"][1].uid)
    try archive.setValue(.reference(favourite), forKey: "favourite", of: #require(archive.root.uid))
    try room.storage.removeFile(data)
    try room.storage.plant(data, archive.data())
    return room
  }

  private func stored(_ room: Room) throws -> KeyedArchive { try KeyedArchive(#require(try room.storage.bytes(data))) }

  /// All stops of a trip: the first one, those of the list, and the guides.
  private func stops(_ archive: KeyedArchive) -> [KeyedArchive.Node] {
    let root = archive.root
    let list = (0..<20).map { root["stops"][$0] }.filter(\.exists)
    return [root["start"]] + list + [root["guides"]["day"], root["guides"]["night"]].filter(\.exists)
  }

  /// Edits the document, and returns the names of all stops with their hotels.
  private func hotels(_ room: Room, after edit: (inout Trip) -> Void) throws -> [String] {
    let document = try DocumentLibrary<Trip>(in: room.storage).document(1)
    var edited = try #require(try document.data)
    edit(&edited)
    try document.edit(edit)
    #expect(try DocumentLibrary<Trip>(in: room.storage).document(1).data == edited)
    return try stops(stored(room)).map { stop in
      // The object inside of the stop has an unknown key, too.
      let language = stop["country"]["language"].number?.integer.map { "\($0)" }
      #expect(stop["hotel"].string == language.map { "Hotel \($0)" })
      return "\(stop["name"].string ?? "?") \(language ?? "-")"
    }
  }

  @Test("remain after any number of saves of other values", arguments: Place.allCases)
  func others(_ place: Place) throws {
    let room = try room(place)
    let count = try stored(room).objectCount
    for round in 0..<5 {
      #expect(
        try hotels(room) { $0.title = "Round \(round)" } == [
          "Bern 1", "Thun 2", "Spiez 3", "Brig 4", "Visp 5", "Raron 6",
        ])
    }
    #expect(try stored(room).objectCount <= count + 1)
    let root = try stored(room).root
    #expect(root["favourite"].uid == root["stops"][1].uid)
  }

  @Test("remain in an object that is edited in its place, and edits win", arguments: Place.allCases)
  func edited(_ place: Place) throws {
    let room = try room(place)
    let names = try hotels(room) {
      $0.start.name = "Basel"
      $0.start.note = nil
      $0.stops[1].nights = 5
      $0.guides["day"]?.country.code = "FR"
    }
    #expect(names == ["Basel 1", "Thun 2", "Spiez 3", "Brig 4", "Visp 5", "Raron 6"])
    #expect(try !stored(room).root["start"]["note"].exists, "a key that the model knows")
  }

  @Test("move with the elements of lists and the values of dictionaries", arguments: Place.allCases)
  func moved(_ place: Place) throws {
    let room = try room(place)
    let names = try hotels(room) {
      $0.stops.swapAt(0, 2)
      $0.stops.remove(at: 1)
      $0.stops.insert(Trip.Stop("Sion"), at: 0)
      $0.guides["night"] = nil
    }
    #expect(names == ["Bern 1", "Sion -", "Brig 4", "Thun 2", "Visp 5"])
    let root = try stored(room).root
    #expect(root["favourite"]["hotel"].string == "Hotel 3", "a removed stop that an unknown key has")
  }

  @Test("are added in the order of the elements, whatever the process")
  func order() throws {
    var trip = Trip()
    trip.stops = (0..<20).map { Trip.Stop("Stop \($0)") }
    let room = try room(.memory, trip)
    _ = try hotels(room) { $0.stops.remove(at: 0) }
    let root = try stored(room).root
    let uids = try (0..<19).map { try #require(root["stops"][$0]["hotel"].uid).rawValue }
    #expect(uids == uids.sorted() || uids == uids.sorted().reversed())
  }

  @Test("are given to no other object: neither to one that replaces several, nor to one of several equal ones")
  func limits() throws {
    let edit = try room(.memory)
    // An element that is edited while others come and go is a new one.
    let edited = try hotels(edit) {
      $0.stops[1].nights = 5
      $0.stops.remove(at: 0)
    }
    #expect(edited == ["Bern 1", "Spiez -", "Brig 4", "Visp 5", "Raron 6"])
    var twins = Trip()
    twins.stops = [Trip.Stop("Thun"), Trip.Stop("Thun"), Trip.Stop("Brig")]
    let equal = try room(.memory, twins)
    #expect(
      try hotels(equal) { $0.title = "Twins" } == ["Bern 1", "Thun 2", "Thun 3", "Brig 4", "Visp 5", "Raron 6"])
    #expect(try hotels(equal) { $0.stops.remove(at: 0) } == ["Bern 1", "Thun -", "Brig 4", "Visp 5", "Raron 6"])
  }

  @Test("remain beside a list whose elements nest more deeply than the stack allows")
  func deep() throws {
    let room = try Place.memory.room()
    let library = try DocumentLibrary<Chains>(in: room.storage)
    let document = try library.addDocument(Chains([Link(length: 20_000), Link(length: 1)]))
    let file: StoragePath = "1.chains" / "Data.plist"
    var archive = try KeyedArchive(#require(try room.storage.bytes(file)))
    try archive.setValue(.integer(7), forKey: "unknown", of: #require(archive.root.uid))
    try room.storage.removeFile(file)
    try room.storage.plant(file, archive.data())
    document.discardCache()
    try document.edit { $0.name = "Longer" }
    let root = try KeyedArchive(#require(try room.storage.bytes(file))).root
    #expect(root["unknown"].number?.integer == 7)
    #expect(root["name"].string == "Longer")
  }

  /// A list of texts in a file that has an unknown key.
  private struct Links: Codable, DocumentModel {
    static let folderExtension = "links"
    static let archiveClassName = "Travel.Links"
    var texts: [String]
  }

  @Test("remain in a time that does not depend on how long the beginnings of elements are equal")
  func equalBeginnings() throws {
    func time(_ text: (Int) -> String) throws -> Double {
      let room = try Place.memory.room()
      let document = try DocumentLibrary<Links>(in: room.storage).addDocument(Links(texts: (10_000..<12_000).map(text)))
      let file: StoragePath = "1.links" / "Data.plist"
      var archive = try KeyedArchive(#require(try room.storage.bytes(file)))
      try archive.setValue(.integer(7), forKey: "unknown", of: #require(archive.root.uid))
      try room.storage.removeFile(file)
      try room.storage.plant(file, archive.data())
      document.discardCache()
      let start = System.threadTime()
      try document.edit { $0.texts[0] = "new" }
      return System.threadTime() - start
    }
    let rest = String(repeating: "x", count: 200)
    let times = try (0..<3).map { _ in (try time { "\(rest)\($0)" }, try time { "\($0)\(rest)" }) }
    #expect(try #require(times.map(\.0).min()) < 2 * #require(times.map(\.1).min()))
  }
}

/// A model with linked lists, which are decoded without recursion.
private struct Chains: DocumentModel {
  static let folderExtension = "chains"
  static let archiveClassName = "Travel.Chains"

  var name = ""
  var links: [Link]

  init(_ links: [Link]) { self.links = links }

  func encode(with coder: KeyedArchiver) {
    coder.encode(name, forKey: "name")
    coder.encode(links, forKey: "links")
  }

  init?(coder: KeyedUnarchiver) {
    name = coder.decodeObject(of: String.self, forKey: "name") ?? ""
    links = coder.decodeObject(of: [Link].self, forKey: "links") ?? []
  }
}

private final class Link: SecureKeyedCoding, @unchecked Sendable {
  static let archiveClassName = "Travel.Link"

  var next: Link?

  init(length: Int) {
    var link: Link?
    for _ in 1..<length {
      let outer = Link(next: link)
      link = outer
    }
    next = link
  }

  private init(next: Link?) { self.next = next }

  deinit {
    // Not recursive, because the list is long.
    var link = next.take()
    while isKnownUniquelyReferenced(&link) { link = link?.next.take() }
  }

  func encode(with coder: KeyedArchiver) { coder.encode(next, forKey: "next") }

  init?(coder: KeyedUnarchiver) {
    coder.decodeObject(of: Link.self, forKey: "next") { [unowned self] in next = $0 }
  }
}
