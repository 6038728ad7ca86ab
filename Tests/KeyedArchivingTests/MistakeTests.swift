// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

/// A meal as an app would declare it.
private class Meal: SecureKeyedCoding {
  class var archiveClassName: String { "FoodTracker.Meal" }
  var name: String
  var rating: Int
  init(_ name: String, rating: Int) {
    self.name = name
    self.rating = rating
  }
  func encode(with coder: KeyedArchiver) {
    coder.encode(name, forKey: "name")
    coder.encode(rating, forKey: "rating")
  }
  required init?(coder: KeyedUnarchiver) throws {
    name = try coder.decode(String.self, forKey: "name")
    rating = coder.decodeInteger(forKey: "rating")
  }
}

/// Reads a meal, and makes one mistake in doing so.
private class MealReader: SecureKeyedCoding {
  class var archiveClassName: String { "FoodTracker.Meal" }
  init() {}
  func encode(with coder: KeyedArchiver) {}
  required init?(coder: KeyedUnarchiver) throws {}
}

private final class Misspelling: MealReader {
  override class var archiveClassName: String { "FoodTracker.Meal" }
  required init?(coder: KeyedUnarchiver) throws {
    guard coder.decodeObject(of: String.self, forKey: "nmae") != nil else { return nil }
    try super.init(coder: coder)
  }
}

private final class ThrowingMisspelling: MealReader {
  override class var archiveClassName: String { "FoodTracker.Meal" }
  required init?(coder: KeyedUnarchiver) throws {
    _ = try coder.decode(String.self, forKey: "nmae")
    try super.init(coder: coder)
  }
}

private final class WrongKind: MealReader {
  override class var archiveClassName: String { "FoodTracker.Meal" }
  required init?(coder: KeyedUnarchiver) throws {
    _ = coder.decodeInteger(forKey: "name")
    try super.init(coder: coder)
  }
}

private final class InlineAsObject: MealReader {
  override class var archiveClassName: String { "FoodTracker.Meal" }
  required init?(coder: KeyedUnarchiver) throws {
    _ = coder.decodeObject(of: String.self, forKey: "rating")
    try super.init(coder: coder)
  }
}

private final class NarrowNumber: MealReader {
  override class var archiveClassName: String { "FoodTracker.Meal" }
  required init?(coder: KeyedUnarchiver) throws {
    _ = coder.decodeInt32(forKey: "rating")
    try super.init(coder: coder)
  }
}

private final class RenamedMeal: SecureKeyedCoding {
  static var archiveClassName: String { "Kitchen.Dish" }
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) {}
}

private final class Dessert: Meal {
  override class var archiveClassName: String { "FoodTracker.Dessert" }
}

/// Its superclass declares a name that it does not override.
private final class Snack: Meal {}

private final class Soup: Meal {
  override class var archiveClassName: String { "FoodTracker.Soup" }
  override func encode(with coder: KeyedArchiver) {
    super.encode(with: coder)
    coder.encode("hot", forKey: "rating")
  }
}

private final class Insecure: KeyedCoding {
  static var archiveClassName: String { "FoodTracker.Insecure" }
  init() {}
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) {}
}

/// Refers to its parent, which is being decoded, and asks for it at once.
private final class Page: SecureKeyedCoding {
  static var archiveClassName: String { "Page" }
  var parent: Page?
  var child: Page?
  init() {}
  func encode(with coder: KeyedArchiver) {
    coder.encode(parent, forKey: "parent")
    coder.encode(child, forKey: "child")
  }
  init?(coder: KeyedUnarchiver) {
    child = coder.decodeObject(of: Page.self, forKey: "child")
    parent = coder.decodeObject(of: Page.self, forKey: "parent")
  }
}

/// Hands its neighbor over later, and requires a text.
private final class Stop: SecureKeyedCoding {
  static var archiveClassName: String { "Stop" }
  let title: String?
  var next: Stop?
  init(_ title: String?, next: Stop? = nil) {
    self.title = title
    self.next = next
  }
  func encode(with coder: KeyedArchiver) {
    coder.encode(title, forKey: "title")
    coder.encode(next, forKey: "next")
  }
  init?(coder: KeyedUnarchiver) throws {
    title = try coder.decode(String.self, forKey: "title")
    coder.decodeObject(of: Stop.self, forKey: "next") { self.next = $0 }
  }
}

/// A mistake, and the message of its error: what is wrong, where it is, and how to mend it.
private struct Mistake {
  let name: String
  /// The kind, the place and the remedy, each as a part of the message.
  let what: String
  let place: String?
  let remedy: String
  let make: () throws -> Void

  init(
    _ name: String, what: String, at place: String? = nil, remedy: String, _ make: @escaping () throws -> Void
  ) {
    (self.name, self.what, self.place, self.remedy, self.make) = (name, what, place, remedy, make)
  }

  /// The whole message.
  var message: String { what + (place.map { " (\($0))" } ?? "") + ". " + remedy }
}

@Suite("Typical mistakes: the message says what is wrong, where, and how to mend it")
struct MistakeTests {
  /// An archive of an object.
  private static func data(_ object: some KeyedCoding) throws -> Data {
    try KeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
  }

  private static func meal(as type: (some MealReader).Type) throws {
    _ = try KeyedUnarchiver.unarchivedObject(ofClass: type, from: data(Meal("Soup", rating: 5_000_000_000)))
  }

  private static func read(_ bytes: some Sequence<UInt8>) throws {
    _ = try KeyedUnarchiver.unarchivedObject(ofClass: Meal.self, from: Data(bytes))
  }

  private static var decoding: [Mistake] {
    [
      Mistake(
        "a key is misspelt, and the initializer returns nil", what: "?", at: "at root", remedy: "?"
      ) { try meal(as: Misspelling.self) },
      Mistake(
        "a key is misspelt in a call that throws", what: "?", at: "at root.nmae", remedy: "?"
      ) { try meal(as: ThrowingMisspelling.self) },
      Mistake("a text is read as a number", what: "?", remedy: "?") { try meal(as: WrongKind.self) },
      Mistake("a number that was stored inline is requested as a text", what: "?", remedy: "?") {
        try meal(as: InlineAsObject.self)
      },
      Mistake("a number does not fit", what: "?", remedy: "?") { try meal(as: NarrowNumber.self) },
      Mistake("a class was renamed", what: "?", remedy: "?") {
        _ = try KeyedUnarchiver.unarchivedObject(ofClass: RenamedMeal.self, from: data(Meal("Soup", rating: 1)))
      },
      Mistake("a subclass is not declared", what: "?", remedy: "?") {
        _ = try KeyedUnarchiver.unarchivedObject(ofClass: Meal.self, from: data(Dessert("Pie", rating: 1)))
      },
      Mistake("one object is requested where an array is", what: "?", remedy: "?") {
        _ = try KeyedUnarchiver.unarchivedObject(ofClass: Meal.self, from: data([Meal("Soup", rating: 1)]))
      },
      Mistake("an array is requested where one object is", what: "?", remedy: "?") {
        _ = try KeyedUnarchiver.unarchivedObject(ofClass: [Meal].self, from: data(Meal("Soup", rating: 1)))
      },
      Mistake("an element is nil", what: "?", remedy: "?") {
        _ = try KeyedUnarchiver.unarchivedObject(ofClass: [String].self, from: data(["a", nil] as [String?]))
      },
      Mistake("a list of classes lacks one", what: "?", remedy: "?") {
        _ = try KeyedUnarchiver.unarchivedObject(
          ofClasses: [ArchivedArray.self, String.self], from: data([Meal("Soup", rating: 1)]))
      },
      Mistake("a cycle is decoded at once", what: "?", remedy: "?") {
        let page = Page()
        page.child = Page()
        page.child?.parent = page
        _ = try KeyedUnarchiver.unarchivedObject(ofClass: Page.self, from: data(page))
      },
      Mistake("an object of a deferred reference fails", what: "?", remedy: "?") {
        let stops = Stop("a", next: Stop("b", next: Stop(nil)))
        _ = try KeyedUnarchiver.unarchivedObject(ofClass: [Stop].self, from: data([stops]))
      },
      Mistake("a class does not adopt secure coding", what: "?", remedy: "?") {
        let data = try KeyedArchiver.archivedData(withRootObject: Insecure(), requiringSecureCoding: false)
        _ = try KeyedUnarchiver.unarchivedObject(ofClass: Insecure.self, from: data)
      },
      Mistake("the archive has another top-level key", what: "?", remedy: "?") {
        let archiver = KeyedArchiver(requiringSecureCoding: true)
        archiver.encode(Meal("Soup", rating: 1), forKey: "meal")
        _ = try KeyedUnarchiver.unarchivedObject(ofClass: Meal.self, from: archiver.encodedData)
      },
      Mistake("a decoder is used after it finished", what: "?", remedy: "?") {
        let unarchiver = try KeyedUnarchiver(forReadingFrom: data("text"))
        unarchiver.finishDecoding()
        _ = try unarchiver.decode(String.self, forKey: "root")
      },
      Mistake("an initializer asks for more objects without keys than were encoded", what: "?", remedy: "?") {
        let unarchiver = try KeyedUnarchiver(forReadingFrom: data("text"))
        _ = unarchiver.decodeObject(of: String.self)
        if let error = unarchiver.error { throw error }
      },
    ]
  }

  private static var encoding: [Mistake] {
    [
      Mistake("a subclass inherits the name of its superclass", what: "?", remedy: "?") {
        _ = try data([Snack("Nuts", rating: 1)])
      },
      Mistake("a class and its superclass use one key", what: "?", remedy: "?") {
        _ = try data([Soup("Soup", rating: 1)])
      },
      Mistake("a value is encoded after the archive is finished", what: "?", remedy: "?") {
        let archiver = KeyedArchiver(requiringSecureCoding: true)
        archiver.encode("a", forKey: "a")
        _ = try archiver.encodedData
        archiver.encode("b", forKey: "b")
        _ = try archiver.encodedData
      },
      Mistake("a class that is archived does not adopt secure coding", what: "?", remedy: "?") {
        _ = try data([Insecure()])
      },
    ]
  }

  private static var files: [Mistake] {
    [
      Mistake("a file of JSON", what: "?", remedy: "?") { try read(#"{"name": "Soup"}"#.utf8) },
      Mistake("a typedstream", what: "?", remedy: "?") {
        try read([4, 11] + Array("streamtyped".utf8) + [0x81, 0xE8])
      },
      Mistake("a property list that is no archive", what: "?", remedy: "?") {
        try read(PropertyListSerialization.data(fromPropertyList: ["name": "Soup"], format: .xml, options: 0))
      },
      Mistake("an array as a property list", what: "?", remedy: "?") {
        try read(PropertyListSerialization.data(fromPropertyList: ["Soup"], format: .binary, options: 0))
      },
      Mistake("a file without its end", what: "?", remedy: "?") {
        try read(data(Meal("Soup", rating: 1)).dropLast(20))
      },
      Mistake("an empty file", what: "?", remedy: "?") { try read([]) },
      Mistake("a missing file", what: "?", remedy: "?") {
        _ = try KeyedUnarchiver(contentsOf: URL(fileURLWithPath: "/nonexistent/meals"))
      },
      Mistake("an archiver with a strange name", what: "?", remedy: "?") {
        let archiver = KeyedArchiver(requiringSecureCoding: true)
        archiver.archiverName = "My\u{202E}Archiver"
        _ = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
      },
    ]
  }

  @Test("in reading, in writing, and of files")
  func messages() {
    let mistakes = Self.decoding + Self.encoding + Self.files
    #expect(mistakes.count >= 24)
    for mistake in mistakes {
      let error = #expect(throws: KeyedArchiveError.self, "\(mistake.name)") { try mistake.make() }
      #expect(error.map { "\($0)" } == mistake.message, "\(mistake.name)")
      // A whole file has no place.
      #expect(mistake.place != nil || Self.files.contains { $0.name == mistake.name }, "\(mistake.name)")
    }
  }
}
