// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import KeyedArchivingFoundation
import TestSupport
import Testing

@Suite("Classes of apps, requested as another class")
struct AppClassRefusalTests {
  /// An object of each class, and whether Foundation's archiver on Linux can archive it.
  private static func objects() throws -> [(object: any FoundationCoding, hasFoundation: Bool)] {
    let songs = [Song(title: "one"), Song(title: "two")]
    let folder = Folder(name: "root")
    folder.add(Folder(name: "child"))
    return [
      (try #require(Meal(name: "Soup", photo: nil, rating: 4)), true), (Token(issuer: "a", secret: Data()), true),
      (TimeToken(issuer: "a", secret: Data()), true), (CounterToken(issuer: "a", secret: Data()), true),
      (Session(), true), (Gauge(), true), (Script(text: "a", font: "b"), true), (Chore(title: "a"), true),
      (
        Bookmark(
          id: UUID(), link: try #require(URL(string: "http://a")), created: Date(timeIntervalSinceReferenceDate: 0),
          icon: Data()), true
      ),
      (Memo(text: NSAttributedString(string: "a")), true), (Playlist(songs: songs, current: songs[0]), true),
      (songs[0], true), (Preferences(values: ["a": 1]), true), (folder, true),
      (
        Trip(
          zone: try #require(TimeZone(identifier: "Europe/Paris")), locale: Locale(identifier: "fr_FR"),
          days: NSIndexSet(index: 1), stops: NSOrderedSet(array: ["a"])), true
      ),
      (Sticker(center: .zero, size: .zero, frame: .zero), true), (Diary(title: "a", pages: ["b"]), true),
      (Incident(error: NSError(domain: "a", code: 1), cost: 1), false), (Alarm(NSError(domain: "a", code: 1)), false),
    ] + (try HabitTests.objects()).map { ($0.object, true) }
  }

  private static func archives(of object: some FoundationCoding, _ hasFoundation: Bool) throws -> [Data] {
    let ours = try KeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
    guard hasFoundation else { return [ours] }
    return [ours, try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)]
  }

  /// An eighth of the pairs of classes; with `WHOLE_TESTS`, all.
  @Test("no initializer of any class runs: for one class, a list, and an array of the class")
  func matrix() throws {
    let objects = try Self.objects()
    var pairs = 0
    for (object, hasFoundation) in objects {
      let name = "\(type(of: object))"
      for data in try Self.archives(of: object, hasFoundation) {
        for (other, _) in objects where !object.isKind(of: type(of: other)) {
          pairs += 1
          guard Sample.includes(pairs, each: 8) else { continue }
          #expect(initializers(of: data, name, requestedLike: other) == [], "\(name) as \(type(of: other))")
        }
      }
    }
    #expect(pairs == 1902)
  }

  @Test("and each class decodes as itself, with its initializer")
  func diagonal() throws {
    for (object, hasFoundation) in try Self.objects() {
      for data in try Self.archives(of: object, hasFoundation) {
        let ran = try Initializations.during { try Self.decode(like: object, from: data) }
        #expect(ran.contains("\(type(of: object))"), "\(type(of: object))")
      }
    }
  }

  @Test("elements of another class are refused before any element is made")
  func elements() throws {
    let data = try KeyedArchiver.archivedData(
      withRootObject: Playlist(songs: [Song(title: "a")], current: nil), requiringSecureCoding: true)
    let ran = Initializations.during {
      expectRefusal(of: "Playlist", "array") {
        _ = try KeyedUnarchiver.unarchivedArrayOfObjects(ofClass: Song.self, from: data)
      }
    }
    #expect(ran == [])
  }

  /// Requests an archive's root as another object's class, and returns the classes whose initializers ran.
  private func initializers<Object: FoundationCoding>(
    of data: Data, _ name: String, requestedLike other: Object
  ) -> [String] {
    let label = "\(name) as \(Object.self)"
    return Initializations.during {
      expectRefusal(of: name, label) { _ = try KeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data) }
      expectRefusal(of: name, label) {
        _ = try KeyedUnarchiver.unarchivedObject(ofClasses: [Object.self, String.self], from: data)
      }
      expectRefusal(of: name, label) {
        _ = try KeyedUnarchiver.unarchivedFoundationObject(ofClasses: [Object.self, NSArray.self], from: data)
      }
    }
  }

  private static func decode<Object: FoundationCoding>(like object: Object, from data: Data) throws {
    _ = try KeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data)
  }

  private func expectRefusal(of name: String, _ label: String, _ body: () throws -> Void) {
    let error = #expect(throws: KeyedArchiveError.self, "\(label)") { try body() }
    #expect(error?.code == .classNotAllowed, "\(label)")
    #expect(error?.className == "KeyedArchivingFoundationTests.\(name)", "\(label)")
  }
}
