// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

/// A dish as an app would declare it.
private class Dish: SecureKeyedCoding {
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
private class DishReader: SecureKeyedCoding {
  class var archiveClassName: String { "FoodTracker.Meal" }
  init() {}
  func encode(with coder: KeyedArchiver) {}
  required init?(coder: KeyedUnarchiver) throws {}
}

private final class Misspelling: DishReader {
  override class var archiveClassName: String { "FoodTracker.Meal" }
  required init?(coder: KeyedUnarchiver) throws {
    guard coder.decodeObject(of: String.self, forKey: "nmae") != nil else { return nil }
    try super.init(coder: coder)
  }
}

private final class ThrowingMisspelling: DishReader {
  override class var archiveClassName: String { "FoodTracker.Meal" }
  required init?(coder: KeyedUnarchiver) throws {
    _ = try coder.decode(String.self, forKey: "nmae")
    try super.init(coder: coder)
  }
}

private final class WrongKind: DishReader {
  override class var archiveClassName: String { "FoodTracker.Meal" }
  required init?(coder: KeyedUnarchiver) throws {
    _ = coder.decodeInteger(forKey: "name")
    try super.init(coder: coder)
  }
}

private final class InlineAsObject: DishReader {
  override class var archiveClassName: String { "FoodTracker.Meal" }
  required init?(coder: KeyedUnarchiver) throws {
    _ = coder.decodeObject(of: String.self, forKey: "rating")
    try super.init(coder: coder)
  }
}

private final class NarrowNumber: DishReader {
  override class var archiveClassName: String { "FoodTracker.Meal" }
  required init?(coder: KeyedUnarchiver) throws {
    _ = coder.decodeInt32(forKey: "rating")
    try super.init(coder: coder)
  }
}

private final class RenamedDish: SecureKeyedCoding {
  static var archiveClassName: String { "Kitchen.Dish" }
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) {}
}

private final class Dessert: Dish {
  override class var archiveClassName: String { "FoodTracker.Dessert" }
}

/// Its superclass declares a name that it does not override.
private final class Snack: Dish {}

private final class Soup: Dish {
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

  private static func meal(as type: (some DishReader).Type) throws {
    _ = try KeyedUnarchiver.unarchivedObject(ofClass: type, from: data(Dish("Soup", rating: 5_000_000_000)))
  }

  private static func read(_ bytes: some Sequence<UInt8>) throws {
    _ = try KeyedUnarchiver.unarchivedObject(ofClass: Dish.self, from: Data(bytes))
  }

  private static var decoding: [Mistake] {
    [
      Mistake(
        "a key is misspelt, and the initializer returns nil",
        what: "init(coder:) of 'Misspelling' returned nil; requested, but not in the archive: 'nmae'; the "
          + "object has the keys 'name', 'rating'",
        at: "at root, #1",
        remedy: "Compare the keys: the type may request them under other names"
      ) { try meal(as: Misspelling.self) },
      Mistake(
        "a key is misspelt in a call that throws",
        what: "missing value for 'nmae'; expected String",
        at: "at root.nmae, #1",
        remedy: "The object has the keys 'name', 'rating': correct the key, or use decodeIfPresent for a "
          + "value that may be absent"
      ) { try meal(as: ThrowingMisspelling.self) },
      Mistake(
        "a text is read as a number",
        what: "type mismatch: found a value of kind string; expected Int",
        at: "at root.name, #1, byte 133",
        remedy: "Request the type that the archive has here"
      ) { try meal(as: WrongKind.self) },
      Mistake(
        "a number that was stored inline is requested as a text",
        what: "type mismatch: found a value of kind integer; expected String",
        at: "at root.rating, #1, byte 124",
        remedy: "Request the type that the archive has here"
      ) {
        try meal(as: InlineAsObject.self)
      },
      Mistake(
        "a number does not fit",
        what: "5000000000 does not fit Int32",
        at: "at root.rating, #1, byte 124",
        remedy: "Request a wider type"
      ) { try meal(as: NarrowNumber.self) },
      Mistake(
        "a class was renamed",
        what: "class 'FoodTracker.Meal' is not allowed here; allowed: 'Kitchen.Dish'",
        at: "at root",
        remedy: "If you trust it, request its type, or declare 'FoodTracker.Meal' in "
          + "RenamedDish.archiveClassAliases if that is a former name, or its type in "
          + "RenamedDish.archiveSubclasses if it is a subclass"
      ) {
        _ = try KeyedUnarchiver.unarchivedObject(ofClass: RenamedDish.self, from: data(Dish("Soup", rating: 1)))
      },
      Mistake(
        "a subclass is not declared",
        what: "class 'FoodTracker.Dessert' is not allowed here; allowed: 'FoodTracker.Meal'",
        at: "at root",
        remedy: "The archive says that 'FoodTracker.Dessert' is a subclass. If you trust it, declare its "
          + "type in Dish.archiveSubclasses; under an alias the fields of the subclass would be lost"
      ) {
        _ = try KeyedUnarchiver.unarchivedObject(ofClass: Dish.self, from: data(Dessert("Pie", rating: 1)))
      },
      Mistake(
        "one object is requested where an array is",
        what: "class 'NSArray' is not allowed here; allowed: 'FoodTracker.Meal'",
        at: "at root",
        remedy: "The archive contains a collection here: request its type, such as [Dish]"
      ) {
        _ = try KeyedUnarchiver.unarchivedObject(ofClass: Dish.self, from: data([Dish("Soup", rating: 1)]))
      },
      Mistake(
        "a set is requested where an array is",
        what: "class 'NSArray' is not allowed here; allowed: 'NSSet', 'NSMutableSet'",
        at: "at root",
        remedy: "The archive contains a collection here: request its type, such as [Int]"
      ) {
        _ = try KeyedUnarchiver.unarchivedObject(ofClass: Set<Int>.self, from: data([1]))
      },
      Mistake(
        "a dictionary is requested where an array is",
        what: "class 'NSArray' is not allowed here; allowed: 'NSDictionary', 'NSMutableDictionary'",
        at: "at root",
        remedy: "The archive contains a collection here: request its type, such as ArchivedArray"
      ) {
        _ = try KeyedUnarchiver.unarchivedObject(ofClass: [String: Int].self, from: data([1]))
      },
      Mistake(
        "a decoder requests another root than the archive has",
        what: "missing top-level key 'root'",
        at: "at $top",
        remedy: "Set the rootKey of the decoder to one of the archive's keys: 'person'"
      ) {
        var encoder = KeyedArchiveEncoder()
        encoder.rootKey = "person"
        _ = try KeyedArchiveDecoder().decode(Int.self, from: encoder.encode(1))
      },
      Mistake(
        "an array is requested where one object is",
        what: "class 'FoodTracker.Meal' is not allowed here; allowed: 'NSArray', 'NSMutableArray'",
        at: "at root",
        remedy: "Request the type for 'FoodTracker.Meal', which the archive contains here"
      ) {
        _ = try KeyedUnarchiver.unarchivedObject(ofClass: [Dish].self, from: data(Dish("Soup", rating: 1)))
      },
      Mistake(
        "an element is nil",
        what: "class 'NSNull' is not allowed here; allowed: 'NSString', 'NSMutableString'",
        at: "at root[1], #1",
        remedy: "If the value may be nil, request an optional: String?, in a collection [String?]"
      ) {
        _ = try KeyedUnarchiver.unarchivedObject(ofClass: [String].self, from: data(["a", nil] as [String?]))
      },
      Mistake(
        "a list of classes lacks one",
        what: "class 'FoodTracker.Meal' is not allowed here; allowed: ArchivedArray, String",
        at: "at root[0], #2",
        remedy: "If you trust it, add its type to the list"
      ) {
        _ = try KeyedUnarchiver.unarchivedObject(
          ofClasses: [ArchivedArray.self, String.self], from: data([Dish("Soup", rating: 1)]))
      },
      Mistake(
        "a cycle is decoded at once",
        what: "reference cycle: object #1 is requested while it is being decoded",
        at: "at root.child.parent, #1",
        remedy: "Decode it with a closure: decodeObject(of: T.self, forKey: key) { self.property = $0 }. "
          + "In a Codable type, declare a property of one object with @ArchiveReference; for a collection, conform the "
          + "class to SecureKeyedCoding and use the closure"
      ) {
        let page = Page()
        page.child = Page()
        page.child?.parent = page
        _ = try KeyedUnarchiver.unarchivedObject(ofClass: Page.self, from: data(page))
      },
      Mistake(
        "an object of a deferred reference fails",
        what: "missing value for 'title'; expected String",
        at: "at root[0].next.next.title, #6",
        remedy: "The archive stores nil: use decodeIfPresent for a value that may be nil"
      ) {
        let stops = Stop("a", next: Stop("b", next: Stop(nil)))
        _ = try KeyedUnarchiver.unarchivedObject(ofClass: [Stop].self, from: data([stops]))
      },
      Mistake(
        "a class does not adopt secure coding",
        what: "secure coding required: 'FoodTracker.Insecure' would be decoded as Insecure, which does "
          + "not adopt it",
        at: "at root, #2",
        remedy: "Conform Insecure to SecureKeyedCoding, or set requiresSecureCoding to false"
      ) {
        let data = try KeyedArchiver.archivedData(withRootObject: Insecure(), requiringSecureCoding: false)
        _ = try KeyedUnarchiver.unarchivedObject(ofClass: Insecure.self, from: data)
      },
      Mistake(
        "the archive has another top-level key",
        what: "missing top-level key 'root'",
        at: "at $top",
        remedy: "Open it with KeyedUnarchiver(forReadingFrom:) and request one of its keys: 'meal'"
      ) {
        let archiver = KeyedArchiver(requiringSecureCoding: true)
        archiver.encode(Dish("Soup", rating: 1), forKey: "meal")
        _ = try KeyedUnarchiver.unarchivedObject(ofClass: Dish.self, from: archiver.encodedData)
      },
      Mistake(
        "a decoder is used after it finished",
        what: "the unarchiver is finished",
        at: "at $top",
        remedy: "Decode all values before you call finishDecoding()"
      ) {
        let unarchiver = try KeyedUnarchiver(forReadingFrom: data("text"))
        unarchiver.finishDecoding()
        _ = try unarchiver.decode(String.self, forKey: "root")
      },
      Mistake(
        "an initializer asks for more objects without keys than were encoded",
        what: "missing unkeyed value: the object has only 0",
        at: "at $top",
        remedy: "Decode as many unkeyed values as were encoded, in the same order"
      ) {
        let unarchiver = try KeyedUnarchiver(forReadingFrom: data("text"))
        _ = unarchiver.decodeObject(of: String.self)
        if let error = unarchiver.error { throw error }
      },
    ]
  }

  private static var encoding: [Mistake] {
    [
      Mistake(
        "a subclass inherits the name of its superclass",
        what: "duplicate class name: 'KeyedArchivingTests.Snack' has the name 'FoodTracker.Meal' of its "
          + "superclass",
        at: "at root[0]",
        remedy: "Declare the superclass's archiveClassName with 'class var' and override it in the "
          + "subclass, or call setClassName(_:for:) for the subclass"
      ) {
        _ = try data([Snack("Nuts", rating: 1)])
      },
      Mistake(
        "a class and its superclass use one key",
        what: "duplicate key 'rating': two values were encoded for it, and the first would be lost",
        at: "at root[0]",
        remedy: "Use each key once; a subclass must not reuse the keys of its superclass. To keep the later "
          + "value, set repeatedKeyPolicy to .keepLast"
      ) {
        _ = try data([Soup("Soup", rating: 1)])
      },
      Mistake(
        "a value is encoded after the archive is finished",
        what: "'b' was encoded after finishEncoding()",
        at: "at b",
        remedy: "Encode every value before finishing, or create another archiver"
      ) {
        let archiver = KeyedArchiver(requiringSecureCoding: true)
        archiver.encode("a", forKey: "a")
        _ = try archiver.encodedData
        archiver.encode("b", forKey: "b")
        _ = try archiver.encodedData
      },
      Mistake(
        "a class that is archived does not adopt secure coding",
        what: "class 'FoodTracker.Insecure' does not adopt secure coding, which this archiver requires",
        at: "at root[0]",
        remedy: "Conform Insecure to SecureKeyedCoding, or archive with requiringSecureCoding: false"
      ) {
        _ = try data([Insecure()])
      },
    ]
  }

  private static var files: [Mistake] {
    [
      Mistake(
        "a file of JSON",
        what: "not a keyed archive: found JSON; expected a binary or XML property list",
        remedy: "Check that the right file was opened"
      ) { try read(#"{"name": "Soup"}"#.utf8) },
      Mistake(
        "a typedstream",
        what: "not a keyed archive: found a typedstream, which the unkeyed NSArchiver writes; expected a "
          + "binary or XML property list",
        remedy: "Check that the right file was opened"
      ) {
        try read([4, 11] + Array("streamtyped".utf8) + [0x81, 0xE8])
      },
      Mistake(
        "a property list that is no archive",
        what: "not a keyed archive: the property list's top-level dictionary has no '$archiver'; it has "
          + "the keys 'name'",
        at: "line 4",
        remedy: "Check that the right file was opened; read another property list with PropertyList or "
          + "PropertyListDecoder"
      ) {
        try read(PropertyListSerialization.data(fromPropertyList: ["name": "Soup"], format: .xml, options: 0))
      },
      Mistake(
        "an array as a property list",
        what: "not a keyed archive: the property list's top-level object is of kind array; expected a "
          + "dictionary",
        at: "byte 8",
        remedy: "Check that the right file was opened; read another property list with PropertyList or "
          + "PropertyListDecoder"
      ) {
        try read(PropertyListSerialization.data(fromPropertyList: ["Soup"], format: .binary, options: 0))
      },
      Mistake(
        "a file without its end",
        what: "invalid trailer: the offset size is 101; expected 1 to 8 bytes",
        at: "byte 219",
        remedy: "The file may be truncated; compare its size with the original"
      ) {
        try read(data(Dish("Soup", rating: 1)).dropLast(20))
      },
      Mistake(
        "an empty file",
        what: "not a keyed archive: found empty data; expected a binary or XML property list",
        remedy: "Check that the right file was opened"
      ) { try read([]) },
      Mistake(
        "a missing file",
        what: "could not read '/nonexistent/meals': no such file",
        remedy: "Check the path, and that the program may read it"
      ) {
        _ = try KeyedUnarchiver(contentsOf: URL(fileURLWithPath: "/nonexistent/meals"))
      },
      Mistake(
        "an archiver with a strange name",
        what: "unknown archiver 'My\\u{202e}Archiver'",
        remedy: "If you trust the file, pass archivers: .any"
      ) {
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
