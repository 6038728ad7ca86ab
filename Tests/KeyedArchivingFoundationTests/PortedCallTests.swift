// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import Foundation
import KeyedArchives
import KeyedArchiving
import KeyedArchivingFoundation
import Testing

@Suite("Calls with objects of Foundation, as they are written for NSKeyedArchiver")
struct PortedCallTests {
  private static let date = NSDate(timeIntervalSinceReferenceDate: 5.5)
  private static var memo: NSAttributedString {
    NSAttributedString(string: "memo", attributes: [NSAttributedString.Key("n"): "v"])
  }

  private func archive() throws -> Data {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.encode("text" as NSString, forKey: "text")
    archiver.encode(NSData(data: Data([1, 2])), forKey: "data")
    archiver.encode(Self.date, forKey: "date")
    archiver.encode(NSURL(string: "http://a/b"), forKey: "url")
    archiver.encode(NSUUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"), forKey: "id")
    archiver.encode(NSNumber(value: 7), forKey: "number")
    archiver.encode(NSNumber(value: true), forKey: "on")
    archiver.encode(NSNumber(value: 2.5), forKey: "real")
    archiver.encode(NSDecimalNumber(string: "1.5"), forKey: "decimal")
    archiver.encode(Self.memo, forKey: "memo")
    archiver.encode(NSString?.none, forKey: "nil")
    return try archiver.encodedData
  }

  @Test("they decode by the calls with the same classes")
  func roundTrip() throws {
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archive())
    #expect(unarchiver.decodeObject(of: NSString.self, forKey: "text") == "text")
    #expect(unarchiver.decodeObject(of: NSData.self, forKey: "data") == Data([1, 2]))
    #expect(unarchiver.decodeObject(of: NSDate.self, forKey: "date") == Self.date as Date)
    #expect(unarchiver.decodeObject(of: NSURL.self, forKey: "url")?.absoluteString == "http://a/b")
    #expect(
      unarchiver.decodeObject(of: NSUUID.self, forKey: "id")?.uuidString == "00112233-4455-6677-8899-AABBCCDDEEFF")
    #expect(unarchiver.decodeObject(of: NSNumber.self, forKey: "number")?.intValue == 7)
    #expect(unarchiver.decodeObject(of: NSNumber.self, forKey: "on") === NSNumber(value: true))
    #expect(unarchiver.decodeObject(of: NSNumber.self, forKey: "real")?.doubleValue == 2.5)
    #expect(unarchiver.decodeObject(of: NSNumber.self, forKey: "decimal") == NSDecimalNumber(string: "1.5"))
    #expect(unarchiver.decodeObject(of: NSAttributedString.self, forKey: "memo") == Self.memo)
    #expect(unarchiver.decodeObject(of: NSNumber.self, forKey: "nil") == nil)
    #expect(unarchiver.decodeObject(of: NSAttributedString.self, forKey: "absent") == nil)
    #expect(unarchiver.error == nil)
    #expect(unarchiver.decodeObject(of: NSNumber.self, forKey: "text") == nil)
    #expect(unarchiver.error?.code == .classNotAllowed)
  }

  @Test("Foundation's unarchiver reads them, and the archive has no difference from Foundation's")
  func foundation() throws {
    let theirs = NSKeyedArchiver(requiringSecureCoding: true)
    theirs.encode("text" as NSString, forKey: "text")
    theirs.encode(NSData(data: Data([1, 2])), forKey: "data")
    theirs.encode(Self.date, forKey: "date")
    theirs.encode(NSURL(string: "http://a/b"), forKey: "url")
    theirs.encode(NSNumber(value: 7), forKey: "number")
    theirs.encode(Self.memo, forKey: "memo")
    let ours = KeyedArchiver(requiringSecureCoding: true)
    ours.encode("text" as NSString, forKey: "text")
    ours.encode(NSData(data: Data([1, 2])), forKey: "data")
    ours.encode(Self.date, forKey: "date")
    ours.encode(NSURL(string: "http://a/b"), forKey: "url")
    ours.encode(NSNumber(value: 7), forKey: "number")
    ours.encode(Self.memo, forKey: "memo")
    let differences = try KeyedArchive(ours.encodedData).differences(from: KeyedArchive(theirs.encodedData))
    #expect(differences.map { "\($0)" } == [])
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archive())
    #expect(unarchiver.decodeObject(of: NSString.self, forKey: "text") == "text")
    #expect(unarchiver.decodeObject(of: NSDate.self, forKey: "date") == Self.date)
    #expect(unarchiver.decodeObject(of: NSNumber.self, forKey: "number") == 7)
  }

  @Test("references to one object share its archived form")
  func identity() throws {
    let url = NSURL(string: "http://a")
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.encode(url, forKey: "one")
    archiver.encode(url, forKey: "two")
    let archive = try KeyedArchive(archiver.encodedData)
    #expect(archive["one"].uid != nil && archive["one"].uid == archive["two"].uid)
  }

  @Test("a root object of classes of Foundation and of the program")
  func root() throws {
    let meal = try #require(Meal(name: "Soup", photo: nil, rating: 1))
    let data = try NSKeyedArchiver.archivedData(withRootObject: [meal] as NSArray, requiringSecureCoding: true)
    let list = try KeyedUnarchiver.unarchivedFoundationObject(ofClasses: [NSArray.self, Meal.self], from: data)
    #expect((list as? [Meal])?.map(\.name) == ["Soup"])
    let ran = Initializations.during {
      let error = #expect(throws: KeyedArchiveError.self) {
        try KeyedUnarchiver.unarchivedFoundationObject(ofClasses: [NSArray.self, Song.self], from: data)
      }
      #expect(error?.code == .classNotAllowed)
    }
    #expect(ran == [])
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.encode(1, forKey: "other")
    let other = try archiver.encodedData
    let missing = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedFoundationObject(ofClasses: [NSArray.self], from: other)
    }
    #expect(missing?.code == .valueNotFound)
  }
}
