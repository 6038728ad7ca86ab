// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

private final class Hidden: SecureKeyedCoding {
  var text = "hidden"
  init() {}
  init?(coder: KeyedUnarchiver) { text = coder.decodeObject(of: String.self, forKey: "text") ?? "" }
  func encode(with coder: KeyedArchiver) { coder.encode(text, forKey: "text") }
}

final class Casket<Content>: SecureKeyedCoding {
  init() {}
  init?(coder: KeyedUnarchiver) {}
  func encode(with coder: KeyedArchiver) {}
}

private final class Declared: SecureKeyedCoding {
  static let archiveClassName = RuntimeClassName(of: Declared.self).name
  init() {}
  init?(coder: KeyedUnarchiver) {}
  func encode(with coder: KeyedArchiver) {}
}

/// Classes that have one name in Swift, `q.Outer.T` and a number, by their own names and by aliases.
private class Variety: SecureKeyedCoding {
  class var archiveClassName: String { "q.Base" }
  class var archiveClassAliases: [String] { [] }
  required init(coder: KeyedUnarchiver) {}
  func encode(with coder: KeyedArchiver) {}
}

private final class MangledName: Variety {
  override class var archiveClassName: String { "_TtCO1q5Outer2T0" }
}

private final class PlainName: Variety {
  override class var archiveClassName: String { "q.Outer.T1" }
}

private final class MangledAlias: Variety {
  override class var archiveClassName: String { "q.New2" }
  override class var archiveClassAliases: [String] { ["q.Old2", "_TtCO1q5Outer2T2"] }
}

private final class PlainAlias: Variety {
  override class var archiveClassName: String { "q.New3" }
  override class var archiveClassAliases: [String] { ["q.Old3", "q.Outer.T3"] }
}

@Suite("Class names of Apple's runtime")
struct RuntimeClassNameTests {
  class Animal: SecureKeyedCoding {
    class var archiveSubclasses: [any KeyedCoding.Type] { [Bird.self] }
    var text: String
    init(_ text: String) { self.text = text }
    required init?(coder: KeyedUnarchiver) { text = coder.decodeObject(of: String.self, forKey: "text") ?? "" }
    func encode(with coder: KeyedArchiver) { coder.encode(text, forKey: "text") }
  }

  class Bird: Animal {}

  final class Box<Content>: SecureKeyedCoding {
    init() {}
    init?(coder: KeyedUnarchiver) {}
    func encode(with coder: KeyedArchiver) {}
  }

  /// A struct, which has its name in Swift.
  struct Chest<Content>: SecureKeyedCoding {
    init?(coder: KeyedUnarchiver) {}
    func encode(with coder: KeyedArchiver) {}
  }

  struct Diary: Codable {
    var style = Date.FormatStyle(
      date: .long, locale: Locale(identifier: "de_DE"), calendar: Calendar(identifier: .gregorian), timeZone: .gmt)
  }

  /// A class that is only Codable.
  final class Plain: Codable { var number = 4 }

  struct Holder: KeyedCodable { var plain: Plain }

  /// Archives an object with a class name.
  private static func archive<Value: SecureKeyedCoding>(_ value: Value, named name: String) throws -> Data {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.setClassName(name, for: Value.self)
    archiver.encode(value, forKey: "root")
    return try archiver.encodedData
  }

  private static func className(_ value: some SecureKeyedCoding) throws -> String? {
    try KeyedArchive(KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)).root.className
  }

  @Test("nested and generic classes are archived by their mangled names, and their superclasses too")
  func written() throws {
    #expect(try Self.className(Animal("a")) == "_TtCV19KeyedArchivingTests21RuntimeClassNameTests6Animal")
    #expect(try Self.className(Box<Int>()) == "_TtGCV19KeyedArchivingTests21RuntimeClassNameTests3Box_Si_")
    // In Swift, this name has as few dots as that of a class without arguments.
    #expect(try Self.className(Casket<Void>()) == "_TtGC19KeyedArchivingTests6CasketT__")
    let data = try KeyedArchiver.archivedData(withRootObject: Bird("b"), requiringSecureCoding: true)
    #expect(
      try KeyedArchive(data).root.classDescription?.chain == [
        "_TtCV19KeyedArchivingTests21RuntimeClassNameTests4Bird",
        "_TtCV19KeyedArchivingTests21RuntimeClassNameTests6Animal", "NSObject",
      ])
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Animal.self, from: data) is Bird)
  }

  @Test("a class with an argument of Foundation's has the name that it has on Apple's systems")
  func foundation() throws {
    let start = "_TtGCV19KeyedArchivingTests21RuntimeClassNameTests3Box_V10Foundation"
    #expect(Box<Decimal>.archiveClassName == start + "7Decimal_")
    #expect(Box<UUID>.archiveClassName == start + "4UUID_")
    #expect(Box<Date>.archiveClassName == start + "4Date_")
    #expect(Box<Data>.archiveClassName == start + "4Data_")
    #expect(Box<URL>.archiveClassName == start + "3URL_")
    // Elsewhere, these are in another module, one of them in an extension of a type of a third one.
    #expect(Box<ByteCountFormatStyle>.archiveClassName == start + "20ByteCountFormatStyle_")
    let style = String(start.dropLast("V10Foundation".utf8.count)) + "VV10Foundation4Date11FormatStyle_"
    #expect(Box<Date.FormatStyle>.archiveClassName == style)
    #expect(
      RuntimeClassName(style).swiftName
        == "KeyedArchivingTests.RuntimeClassNameTests.Box<Foundation.Date.FormatStyle>")
    #expect(
      Chest<[Date.FormatStyle]>.archiveClassName
        == "KeyedArchivingTests.RuntimeClassNameTests.Chest<Swift.Array<Foundation.Date.FormatStyle>>")
    let diary = Diary()
    let archived = try KeyedArchiveEncoder().encode(diary)
    #expect(try KeyedArchive(archived).root["style"].className == "Foundation.Date.FormatStyle")
    #expect(try KeyedArchiveDecoder().decode(Diary.self, from: archived).style == diary.style)
    let data = try KeyedArchiver.archivedData(withRootObject: Box<Decimal>(), requiringSecureCoding: true)
    _ = try KeyedUnarchiver.unarchivedObject(ofClass: Box<Decimal>.self, from: data)
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: Box<Date>.self, from: data)
    }
    #expect(error?.code == .classNotAllowed)
  }

  @Test("archives with the names in Swift, which earlier versions wrote, are decoded")
  func formerNames() throws {
    let animal = try Self.archive(Animal("a"), named: "KeyedArchivingTests.RuntimeClassNameTests.Animal")
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Animal.self, from: animal)?.text == "a")
    let list = try KeyedUnarchiver.unarchivedObject(ofClasses: [String.self, Animal.self], from: animal)
    #expect((list as? Animal)?.text == "a")

    let bird = try Self.archive(Bird("b"), named: "KeyedArchivingTests.RuntimeClassNameTests.Bird")
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Animal.self, from: bird) is Bird)
    #expect(try KeyedUnarchiver.unarchivedObject(ofClasses: [Animal.self], from: bird) is Bird)

    let box = try Self.archive(
      Box<UUID>(), named: "KeyedArchivingTests.RuntimeClassNameTests.Box<Foundation.UUID>")
    _ = try KeyedUnarchiver.unarchivedObject(ofClass: Box<UUID>.self, from: box)
    #expect(throws: KeyedArchiveError.self) { try KeyedUnarchiver.unarchivedObject(ofClass: Box<Int>.self, from: box) }
  }

  @Test("a class that is only Codable has the same names")
  func codable() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Holder(plain: Plain()), requiringSecureCoding: true)
    let name = "_TtCV19KeyedArchivingTests21RuntimeClassNameTests5Plain"
    #expect(try KeyedArchive(data).root["plain"].className == name)
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Holder.self, from: data)?.plain.number == 4)
  }

  @Test("a private class is decoded by the name that it has on Apple's systems, whichever file that says")
  func privateClasses() throws {
    let name = "_TtC19KeyedArchivingTestsP33_0123456789ABCDEF0123456789ABCDEF6Hidden"
    let data = try Self.archive(Hidden(), named: name)
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Hidden.self, from: data)?.text == "hidden")
    #expect(try KeyedUnarchiver.unarchivedObject(ofClasses: [Hidden.self], from: data) is Hidden)
    #if !canImport(ObjectiveC)
      #expect(try Self.className(Hidden()) == "KeyedArchivingTests.Hidden")
    #endif
    for other in [
      "_TtC19KeyedArchivingTestsP33_0123456789ABCDEF0123456789ABCDEF5Other", "_TtC5OtherP1_6Hidden", "Hidden",
    ] {
      let data = try Self.archive(Hidden(), named: other)
      #expect(throws: KeyedArchiveError.self) { try KeyedUnarchiver.unarchivedObject(ofClass: Hidden.self, from: data) }
      #expect(throws: KeyedArchiveError.self) {
        try KeyedUnarchiver.unarchivedObject(ofClasses: [Hidden.self], from: data)
      }
    }
  }

  @Test("a private class whose file declares its name has its name in Swift too, and no other file's")
  func declaredNames() throws {
    let name = Declared.archiveClassName
    #expect(name.hasPrefix("_TtC19KeyedArchivingTestsP33_") && name.hasSuffix("8Declared"))
    for name in [name, "KeyedArchivingTests.Declared"] {
      _ = try KeyedUnarchiver.unarchivedObject(ofClass: Declared.self, from: Self.archive(Declared(), named: name))
    }
    let other = try Self.archive(
      Declared(), named: "_TtC19KeyedArchivingTestsP33_0123456789ABCDEF0123456789ABCDEF8Declared")
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: Declared.self, from: other)
    }
    #expect(error?.code == .classNotAllowed)
  }

  /// Returns the type that a request for a single type makes of an archive, or nil.
  private static func single<Value: KeyedCoding>(_ type: Value.Type, _ data: Data) -> Any.Type? {
    (try? KeyedUnarchiver.unarchivedObject(ofClass: type, from: data)).map { Swift.type(of: $0) }
  }

  @Test("a class matches both forms of its names and aliases, alone and on a list, by name and by hint")
  func forms() throws {
    let types: [any KeyedCoding.Type] = [MangledName.self, PlainName.self, MangledAlias.self, PlainAlias.self]
    for (number, type) in types.enumerated() {
      for form in ["_TtCO1q5Outer2T\(number)", "q.Outer.T\(number)"] {
        // A hint never precedes the name, and the first of two hints precedes the other.
        let records: [(String, [String])] = [
          (form, []), (form, ["q.Base"]), ("Unknown", [form]), ("Unknown", [form, "q.Base"]),
        ]
        for (name, hints) in records {
          let record: HandmadeList = [
            "$classname": .string(name), "$classes": [.string(name)], "$classhints": .array(hints.map { .string($0) }),
          ]
          let data = HandmadeList.archive([["$class": .uid(2)], record])
          #expect(Self.single(type, data) == type, "\(name) \(hints)")
          for list in [[type, Variety.self], [Variety.self, type], types + [Variety.self]] {
            let made = try KeyedUnarchiver.unarchivedObject(ofClasses: list, from: data)
            #expect(made.map { Swift.type(of: $0) as Any.Type } == type, "\(name) \(hints) \(list)")
          }
          for other in types where other != type { #expect(Self.single(other, data) == nil, "\(name) \(hints)") }
        }
      }
    }
  }

  @Test("names of real archives from Apple's systems are read")
  func realNames() {
    // From the saved states of windows of Xcode.
    let name = "_TtGCV16DVTExplorableKit26ExplorableOutlineViewTypes7UIState_VS_31ExplorableStateSavingIdentifier_"
    #expect(
      RuntimeClassName(name).swiftName
        == "DVTExplorableKit.ExplorableOutlineViewTypes.UIState<DVTExplorableKit.ExplorableStateSavingIdentifier>")
    #expect(RuntimeClassName("NSString").swiftName == "NSString")
    #expect(RuntimeClassName("_TtX").swiftName == "_TtX")
  }
}
