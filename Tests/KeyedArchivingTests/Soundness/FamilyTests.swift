// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import SystemFiles
import TestSupport
import Testing

private enum Made {
  static let names = Locked<[String]>([])
  static func note(_ type: Any.Type) { names.withLock { $0.append("\(type)") } }
  static func take() -> [String] {
    names.withLock { names in
      defer { names = [] }
      return names
    }
  }
}

/// Declares its subclasses in a member that they inherit.
private class Animal: SecureKeyedCoding {
  class var archiveClassName: String { "\(self)" }
  class var archiveSubclasses: [any KeyedCoding.Type] { [Cat.self, Dog.self, Siamese.self, Plant.self] }
  init() {}
  func encode(with coder: KeyedArchiver) {}
  required init?(coder: KeyedUnarchiver) { Made.note(Self.self) }
}
private class Cat: Animal {}
private final class Siamese: Cat {}
private final class Dog: Animal {}

/// No animal, whatever `Animal` declares.
private final class Plant: SecureKeyedCoding {
  static var archiveClassName: String { "Plant" }
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) { Made.note(Self.self) }
}

/// A closed family of structs.
private struct Shape: SecureKeyedCoding {
  static var archiveClassName: String { "Shape" }
  static var archiveSubclasses: [any KeyedCoding.Type] { [Circle.self] }
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) { Made.note(Self.self) }
}
private struct Circle: SecureKeyedCoding {
  static var archiveClassName: String { "Circle" }
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) { Made.note(Self.self) }
}

/// Offers one type for each class.
private final class Offering: KeyedUnarchiverDelegate {
  let type: any KeyedCoding.Type
  init(_ type: any KeyedCoding.Type) { self.type = type }
  func unarchiver(
    _ unarchiver: KeyedUnarchiver, cannotDecodeObjectOfClassName name: String, originalClasses: [String]
  ) -> (any KeyedCoding.Type)? { type }
}

@Suite("Declared families", .serialized)
struct FamilyTests {
  private func data(_ name: String) -> Data {
    HandmadeList.archive([["$class": .uid(2)], .classRecord(name, "Animal", "NSObject")])
  }

  /// What each way to request a type makes of an object; the initializers that ran must be of nothing else.
  private func expect<Value: KeyedCoding>(
    _ type: Value.Type, from name: String, makes expected: [String], underList listed: [String]? = nil,
    prepare: (KeyedUnarchiver) -> Void = { _ in }, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let typed: [(KeyedUnarchiver) throws -> Any?] = [
      { try $0.decode(type, forKey: "root") },
      { $0.decodeObject(of: type, forKey: "root") },
      { coder in
        var found: Value?
        coder.decodeObject(of: type, forKey: "root") { found = $0 }
        return found
      },
    ]
    let flat: [(KeyedUnarchiver) throws -> Any?] = [
      { try $0.decodeTopLevelObject(of: [type], forKey: "root") },
      { try $0.decodeTopLevelObject(of: [Value?.self, String.self], forKey: "root") },
    ]
    for (ways, expected) in [(typed, expected), (flat, listed ?? expected)] {
      for way in ways {
        let coder = try Hostile.decoder(data(name))
        prepare(coder)
        _ = Made.take()
        let made = try? way(coder)
        #expect(Made.take() == expected, sourceLocation: sourceLocation)
        #expect((made != nil) == !expected.isEmpty, sourceLocation: sourceLocation)
      }
    }
  }

  @Test("a subclass that inherits the declaration admits no sibling, parent or foreign class")
  func inheritedDeclaration() throws {
    for name in ["Cat", "Dog", "Siamese"] { try expect(Animal.self, from: name, makes: [name]) }
    try expect(Cat.self, from: "Siamese", makes: ["Siamese"])
    for name in ["Dog", "Animal", "Plant"] { try expect(Cat.self, from: name, makes: []) }
    for name in ["Dog", "Cat", "Animal"] { try expect(Siamese.self, from: name, makes: []) }
    try expect(Animal.self, from: "Plant", makes: [])
  }

  @Test("a name set on the decoder, or a delegate's answer, selects a subclass of the requested class only")
  func selected() throws {
    for (type, requested) in [(Dog.self, []), (Plant.self, []), (Animal.self, []), (Siamese.self, ["Siamese"])]
      as [(any KeyedCoding.Type, [String])]
    {
      try expect(Cat.self, from: "Lost", makes: requested) { $0.setClass(type, forClassName: "Lost") }
      let delegate = Offering(type)
      try withExtendedLifetime(delegate) {
        try expect(Cat.self, from: "Lost", makes: requested) { $0.delegate = delegate }
      }
    }
  }

  @Test("a struct's declared members come out under a list with the struct, and not where the struct is requested")
  func structs() throws {
    try expect(Shape.self, from: "Shape", makes: ["Shape"])
    try expect(Shape.self, from: "Circle", makes: [], underList: ["Circle"])
    try expect(Shape.self, from: "Lost", makes: [], underList: ["Circle"]) {
      $0.setClass(Circle.self, forClassName: "Lost")
    }
    try expect(Circle.self, from: "Shape", makes: [])
  }

  @Test("an answer of the delegate that is not on the list is named in the error")
  func offListAnswer() throws {
    let delegate = Offering(Plant.self)
    let coder = try Hostile.decoder(data("Lost"))
    coder.delegate = delegate
    let error = withExtendedLifetime(delegate) {
      #expect(throws: KeyedArchiveError.self) {
        try coder.decodeTopLevelObject(of: [Cat.self, String.self], forKey: "root")
      }
    }
    #expect(error?.detail.contains("Plant") == true, "\(String(describing: error))")
  }
}
