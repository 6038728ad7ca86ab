// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing

/// A protocol as libraries declare it for encoders of any format.
private protocol TopLevelEncoding {
  associatedtype Output
  func encode<Value: Encodable>(_ value: Value) throws -> Output
}

private protocol TopLevelDecoding {
  associatedtype Input
  func decode<Value: Decodable>(_ type: Value.Type, from input: Input) throws -> Value
}

extension KeyedArchiveEncoder: TopLevelEncoding {}
extension KeyedArchiveDecoder: TopLevelDecoding {}

@Suite("KeyedArchiveEncoder and KeyedArchiveDecoder")
struct OneCallCodingTests {
  // MARK: Types without a conformance of this package

  struct Person: Codable, Equatable, Sendable {
    var name: String
    var birthday: Date?
    var scores: [String: Double] = [:]
    var tags: Set<String> = []
    var home: Place?
    var mood = Mood.calm
    var last = Event.none
  }

  struct Place: Codable, Equatable, Sendable {
    var latitude: Float
    var longitude: Float
  }

  enum Mood: String, Codable, Sendable { case calm, angry }

  indirect enum Event: Codable, Equatable, Sendable {
    case none
    case moved(to: Place, on: Date)
    case both(Event, Event)
  }

  private static let person = Person(
    name: "Åsa", birthday: Date(timeIntervalSinceReferenceDate: 12_345.5), scores: ["a": 1.5, "b": -2],
    tags: ["x", "y"], home: Place(latitude: 59.5, longitude: 18.25), mood: .angry,
    last: .both(.none, .moved(to: Place(latitude: 1, longitude: 2), on: Date(timeIntervalSinceReferenceDate: 0))))

  private func coded<Value: Codable>(_ value: Value) throws -> Value {
    try KeyedArchiveDecoder().decode(Value.self, from: KeyedArchiveEncoder().encode(value))
  }

  @Test("a plain Codable type is archived as a readable graph, and decoded equal")
  func plain() throws {
    #expect(try coded(Self.person) == Self.person)
    let archive = try KeyedArchive(KeyedArchiveEncoder().encode(Self.person))
    #expect(archive.root.className == "KeyedArchivingTests.OneCallCodingTests.Person")
    #expect(archive.root["name"].string == "Åsa")
    #expect(archive.root["home"]["latitude"].number?.real == 59.5)
    #expect(archive.root["mood"].string == "angry")
  }

  @Test("a program whose class conforms to KeyedCoding reads what the encoder writes")
  func readByKeyedCoding() throws {
    struct Reader: SecureKeyedCoding {
      static let archiveClassName = "Place"
      var latitude: Float
      func encode(with coder: KeyedArchiver) {}
      init?(coder: KeyedUnarchiver) { latitude = coder.decodeFloat(forKey: "latitude") }
    }
    var encoder = KeyedArchiveEncoder()
    encoder.classNames[Place.self] = "Place"
    let data = try encoder.encode(Place(latitude: 7, longitude: 8))
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Reader.self, from: data)?.latitude == 7)
  }

  @Test("Foundation's unarchiver reads collections of standard values")
  func foundation() throws {
    let data = try KeyedArchiveEncoder().encode(["a": [1, 2], "b": []])
    let read = try NSKeyedUnarchiver.unarchivedObject(
      ofClasses: [NSDictionary.self, NSArray.self, NSString.self, NSNumber.self], from: data)
    #expect(read as? [String: [Int]] == ["a": [1, 2], "b": []])
  }

  @Test("scalars, optionals and collections can be the root")
  func roots() throws {
    #expect(try coded(7) == 7)
    #expect(try coded(UInt64.max) == .max)
    #expect(try coded(-0.5) == -0.5)
    #expect(try coded(true))
    #expect(try coded("text") == "text")
    #expect(try coded(Data([1, 2])) == Data([1, 2]))
    #expect(try coded(Date(timeIntervalSinceReferenceDate: 5)) == Date(timeIntervalSinceReferenceDate: 5))
    #expect(try coded(Mood.calm) == .calm)
    #expect(try coded(Event.none) == .none)
    #expect(try coded(Int?.none) == nil)
    #expect(try coded(Int?.some(3)) == 3)
    #expect(try coded(Place?.none) == nil)
    #expect(try coded([Place(latitude: 1, longitude: 2), nil]) == [Place(latitude: 1, longitude: 2), nil])
    #expect(try coded([1: "one"]) == [1: "one"])
    #expect(try coded([Mood.calm: 1]) == [.calm: 1])
  }

  // MARK: Classes

  class Animal: Codable {
    var name: String
    init(name: String) { self.name = name }
  }

  final class Dog: Animal {
    var age = 0

    private enum CodingKeys: CodingKey { case age }

    init(name: String, age: Int) {
      super.init(name: name)
      self.age = age
    }

    required init(from decoder: any Decoder) throws {
      age = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .age)
      try super.init(from: decoder)
    }

    override func encode(to encoder: any Encoder) throws {
      try super.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(age, forKey: .age)
    }
  }

  struct Kennel: Codable {
    var dogs: [Dog]
    var favorite: Dog
  }

  @Test("an instance that is referenced twice is one object")
  func identity() throws {
    let rex = Dog(name: "Rex", age: 3)
    let data = try KeyedArchiveEncoder().encode(Kennel(dogs: [rex, rex], favorite: rex))
    let kennel = try KeyedArchiveDecoder().decode(Kennel.self, from: data)
    #expect(kennel.dogs[0] === kennel.dogs[1])
    #expect(kennel.dogs[0] === kennel.favorite)
    #expect(kennel.favorite.name == "Rex")
    #expect(kennel.favorite.age == 3)
  }

  final class Node: KeyedCodable {
    var number: Int
    @ArchiveReference var next: Node?
    init(_ number: Int) { self.number = number }
  }

  @Test("a cycle of references is decoded")
  func cycle() throws {
    let (a, b) = (Node(1), Node(2))
    (a.next, b.next) = (b, a)
    defer { a.next = nil }
    let read = try KeyedArchiveDecoder().decode(Node.self, from: KeyedArchiveEncoder().encode(a))
    defer { read.next = nil }
    #expect(read.number == 1)
    #expect(read.next?.number == 2)
    #expect(read.next?.next === read)
  }

  @Test("a type that conforms to both protocols is encoded by KeyedCoding in generic code too")
  func bothConformances() throws {
    func viaProtocol<Coder: TopLevelEncoding>(_ encoder: Coder, _ value: some Encodable) throws -> Coder.Output {
      try encoder.encode(value)
    }
    func read<Value: Decodable, Coder: TopLevelDecoding>(
      _ type: Value.Type, _ decoder: Coder, _ input: Coder.Input
    ) throws -> Value { try decoder.decode(type, from: input) }
    let data = try viaProtocol(KeyedArchiveEncoder(), [Node(4)])
    #expect(try data == KeyedArchiveEncoder().encode([Node(4)]))
    #expect(try data == KeyedArchiver.archivedData(withRootObject: [Node(4)], requiringSecureCoding: true))
    #expect(try read([Node].self, KeyedArchiveDecoder(), data).map(\.number) == [4])
  }

  // MARK: Options

  @Test("the output format, layout and top-level key are those of the options")
  func formats() throws {
    var encoder = KeyedArchiveEncoder()
    encoder.outputFormat = .xml
    encoder.rootKey = "person"
    let xml = try encoder.encode(Self.person)
    #expect(String(decoding: xml, as: UTF8.self).hasPrefix("<?xml"))
    var decoder = KeyedArchiveDecoder()
    decoder.rootKey = "person"
    #expect(try decoder.decode(Person.self, from: xml) == Self.person)
    let error = #expect(throws: KeyedArchiveError.self) { try KeyedArchiveDecoder().decode(Person.self, from: xml) }
    #expect(error?.code == .valueNotFound)
    #expect(error?.remedy?.contains("person") == true)
    for layout in [ArchiveLayout.appleLegacy, .apple] {
      encoder = KeyedArchiveEncoder()
      encoder.layout = layout
      #expect(try KeyedArchiveDecoder().decode(Person.self, from: encoder.encode(Self.person)) == Self.person)
    }
  }

  @Test("class names can be chosen, and former ones accepted, for plain Codable types and others")
  func classNames() throws {
    var encoder = KeyedArchiveEncoder()
    encoder.classNames[Person.self] = "SCPerson"
    encoder.classNames[Dog.self] = "SCDog"
    encoder.classNames[Node.self] = "SCNode"
    struct All: Codable {
      var person: Person
      var dog: Dog
      var node: Node
    }
    let data = try encoder.encode(All(person: Self.person, dog: Dog(name: "d", age: 1), node: Node(2)))
    let archive = try KeyedArchive(data)
    #expect(archive.root["person"].className == "SCPerson")
    #expect(archive.root["dog"].className == "SCDog")
    #expect(archive.root["node"].className == "SCNode")
    #expect(throws: DecodingError.self) { try KeyedArchiveDecoder().decode(All.self, from: data) }
    var decoder = KeyedArchiveDecoder()
    decoder.classNames = encoder.classNames
    let read = try decoder.decode(All.self, from: data)
    #expect(read.person == Self.person)
    #expect(read.dog.age == 1)
    #expect(read.node.number == 2)
    var former = KeyedArchiveDecoder()
    former.classNames.accept("SCPerson", for: Person.self)
    former.classNames.accept("SCDog", for: Dog.self)
    former.classNames.accept("SCNode", for: Node.self)
    #expect(try former.decode(All.self, from: data).person == Self.person)
    #expect(former.classNames[Person.self] == nil)
    #expect(encoder.classNames[Person.self] == "SCPerson")
  }

  @Test("userInfo reaches encode(to:) and init(from:)")
  func userInfo() throws {
    struct Scaled: Codable {
      static let factor = CodingUserInfoKey(rawValue: "factor")
      var value: Int
      init(_ value: Int) { self.value = value }
      private static func factor(_ userInfo: [CodingUserInfoKey: Any]) -> Int {
        factor.flatMap { userInfo[$0] as? Int } ?? 1
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value * Self.factor(encoder.userInfo))
      }
      init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(Int.self) / Self.factor(decoder.userInfo)
      }
    }
    let key = try #require(Scaled.factor)
    var encoder = KeyedArchiveEncoder()
    encoder.userInfo[key] = 6
    let data = try encoder.encode([Scaled(7)])
    #expect(try KeyedArchiveDecoder().decode([Int].self, from: data) == [42])
    var decoder = KeyedArchiveDecoder()
    decoder.userInfo[key] = 3
    #expect(try decoder.decode([Scaled].self, from: data).map(\.value) == [14])
  }

  @Test("types without secure coding need the option")
  func insecure() throws {
    struct Open: KeyedCoding {
      func encode(with coder: KeyedArchiver) {}
      init() {}
      init?(coder: KeyedUnarchiver) {}
    }
    let error = #expect(throws: KeyedArchiveError.self) { try KeyedArchiveEncoder().encode(Open()) }
    #expect(error?.code == .classNotSecure)
    var encoder = KeyedArchiveEncoder()
    encoder.requiresSecureCoding = false
    let data = try encoder.encode(Open())
    let refused = #expect(throws: KeyedArchiveError.self) { try KeyedArchiveDecoder().decode(Open.self, from: data) }
    #expect(refused?.code == .classNotSecure)
    var decoder = KeyedArchiveDecoder()
    decoder.requiresSecureCoding = false
    _ = try decoder.decode(Open.self, from: data)
  }

  @Test("limits apply")
  func limits() throws {
    var encoder = KeyedArchiveEncoder()
    encoder.maximumObjectCount = 10
    #expect(throws: KeyedArchiveError.self) { try encoder.encode(Array(0..<20)) }
    let data = try KeyedArchiveEncoder().encode(Array(0..<20))
    var decoder = KeyedArchiveDecoder()
    decoder.limits.maximumObjectCount = 10
    let error = #expect(throws: KeyedArchiveError.self) { try decoder.decode([Int].self, from: data) }
    #expect(error?.code == .limitReached)
  }

  // MARK: Errors

  /// An error of a type that names a cause.
  struct Report: Error { var cause: any Error }

  @Test("an error that a type throws is thrown unchanged, also one with a cause")
  func causes() throws {
    struct Throwing: Codable {
      let error: any Error
      init(_ error: any Error) { self.error = error }
      init(from decoder: any Decoder) throws { throw CancellationError() }
      func encode(to encoder: any Encoder) throws { throw error }
    }
    let cause = KeyedArchiveError(.reportedByClass, "file 7 is damaged", underlying: Failure(number: 7))
    let context = EncodingError.Context(codingPath: [], debugDescription: "mine", underlyingError: cause)
    for value in [AnyThrowing.plain, .inside] {
      #expect { try value.encode(Throwing(EncodingError.invalidValue(1, context))) } throws: { error in
        guard case EncodingError.invalidValue(_, let context)? = error as? EncodingError else { return false }
        return context.debugDescription == "mine"
      }
      #expect { try value.encode(Throwing(cause)) } throws: {
        ($0 as? KeyedArchiveError)?.detail == "file 7 is damaged"
      }
      #expect(throws: Failure(number: 3)) { try value.encode(Throwing(Failure(number: 3))) }
      #expect { try value.encode(Throwing(Report(cause: cause))) } throws: { $0 is Report }
    }
  }

  /// A value alone, or inside of others.
  enum AnyThrowing {
    case plain, inside

    func encode(_ value: some Codable) throws -> Data {
      switch self {
      case .plain: try KeyedArchiveEncoder().encode(value)
      case .inside: try KeyedArchiveEncoder().encode(["a": [value]])
      }
    }
  }

  struct Failure: Error, Equatable { var number: Int }

  /// A value whose coding fails by itself.
  struct Failing: Codable {
    var fails = true
    private enum CodingKeys: CodingKey { case number }
    func encode(to encoder: any Encoder) throws {
      if fails { throw Failure(number: 1) }
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(1, forKey: .number)
    }
    init(fails: Bool) { self.fails = fails }
    init(from decoder: any Decoder) throws { throw Failure(number: 2) }
  }

  struct Outer: Codable { var inner: [Failing] }

  @Test("an error of a type's own code is thrown unchanged, from any depth")
  func ownErrors() throws {
    #expect(throws: Failure(number: 1)) { try KeyedArchiveEncoder().encode(Failing(fails: true)) }
    #expect(throws: Failure(number: 1)) { try KeyedArchiveEncoder().encode(Outer(inner: [Failing(fails: true)])) }
    let data = try KeyedArchiveEncoder().encode(Outer(inner: [Failing(fails: false)]))
    #expect(throws: Failure(number: 2)) { try KeyedArchiveDecoder().decode(Outer.self, from: data) }
    // As JSONDecoder does it.
    #expect(throws: Failure(number: 2)) {
      try JSONDecoder().decode(Outer.self, from: JSONEncoder().encode(Outer(inner: [Failing(fails: false)])))
    }
  }

  @Test("a value of another type is a DecodingError as with JSONDecoder, whose cause has the place")
  func mismatch() throws {
    struct Written: Codable {
      var name = "n"
      var home: [String: String] = [:]
    }
    struct Read: Codable {
      var name: Int
      var home: [String: String]
    }
    var encoder = KeyedArchiveEncoder()
    encoder.classNames[Written.self] = "P"
    var decoder = KeyedArchiveDecoder()
    decoder.classNames[Read.self] = "P"
    let data = try encoder.encode(["x": [Written()]])
    let error = #expect(throws: DecodingError.self) { try decoder.decode([String: [Read]].self, from: data) }
    guard case .typeMismatch(_, let context) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.codingPath.last?.stringValue == "name")
    let cause = try #require(context.underlyingError as? KeyedArchiveError)
    #expect(cause.keyPath == "root[\"x\"][0].name")
  }

  /// The kind of a `DecodingError` and its coding path without the top-level key; the type of another error.
  private func outcome(_ body: () throws -> Void) -> (kind: String, path: [String])? {
    func path(_ context: DecodingError.Context) -> [String] {
      context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.filter { $0 != "root" }
    }
    do {
      try body()
      return nil
    } catch DecodingError.typeMismatch(_, let context) {
      return ("typeMismatch", path(context))
    } catch DecodingError.valueNotFound(_, let context) {
      return ("valueNotFound", path(context))
    } catch DecodingError.dataCorrupted(let context) {
      return ("dataCorrupted", path(context))
    } catch {
      return ("\(type(of: error))", [])
    }
  }

  @Test("a root of another type is the DecodingError of JSONDecoder, with the index or key of the element")
  func rootMismatch() throws {
    let values: [any Encodable] = [
      1, 300, -1, true, "x", [1], ["x"], [1, 300], [[1], [-1]], [["x"]], ["a": 1], ["a": "x"], ["a": ["b": "x"]],
      [1, nil], ["x", nil], ["a": nil] as [String: Int?], Int?.none,
    ]
    let types: [any Decodable.Type] = [
      Int.self, UInt8.self, String.self, [Int].self, [UInt8].self, [String].self, [[Int]].self, [String: Int].self,
      [String: UInt8].self, [String: [String: Int]].self, Set<Int>.self, [Place].self, Date.self, Data.self,
    ]
    func read<Value: Decodable>(_ type: Value.Type, _ value: some Encodable) throws {
      let (data, json) = (try KeyedArchiveEncoder().encode(value), try JSONEncoder().encode(value))
      guard let own = outcome({ _ = try KeyedArchiveDecoder().decode(type, from: data) }) else { return }
      let name = "\(value) as \(type)"
      #expect(["typeMismatch", "valueNotFound", "dataCorrupted"].contains(own.kind), "\(name): \(own)")
      // JSON has no dates and data of its own, and no arrays that differ from sets.
      guard ![Date.self, Data.self, Set<Int>.self].contains(where: { $0 == type }),
        let theirs = outcome({ _ = try JSONDecoder().decode(type, from: json) })
      else { return }
      #expect(own.kind == theirs.kind, "\(name): \(own), \(theirs)")
      // JSONDecoder leaves out the index of a number that is out of range.
      if own.kind != "dataCorrupted" || !theirs.path.isEmpty {
        #expect(own.path == theirs.path, "\(name): \(own), \(theirs)")
      }
    }
    for value in values { for type in types { try read(type, value) } }
  }

  @Test("the cause of the DecodingError of a root is the KeyedArchiveError with the place")
  func rootCause() throws {
    let data = try KeyedArchiveEncoder().encode([[1], ["x"]] as [[AnyEncodable]])
    let error = #expect(throws: DecodingError.self) { try KeyedArchiveDecoder().decode([[Int]].self, from: data) }
    guard case .typeMismatch(_, let context) = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(context.codingPath.map(\.stringValue) == ["root", "1", "0"])
    #expect((context.underlyingError as? KeyedArchiveError)?.keyPath == "root[1][0]")
    // Inside of other values, too.
    struct Holder: Codable { var list: [Int] }
    struct Other: Codable { var list = ["x"] }
    var (encoder, decoder) = (KeyedArchiveEncoder(), KeyedArchiveDecoder())
    encoder.classNames[Other.self] = "H"
    decoder.classNames[Holder.self] = "H"
    let holder = try encoder.encode([Other()])
    let inner = #expect(throws: DecodingError.self) { try decoder.decode([Holder].self, from: holder) }
    guard case .typeMismatch(_, let context) = inner else {
      Issue.record("\(inner as Any)")
      return
    }
    #expect(context.codingPath.map(\.stringValue) == ["root", "0", "list", "0"])
  }

  /// A value of any type.
  private struct AnyEncodable: Encodable, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    var value: any Encodable
    init(integerLiteral value: Int) { self.value = value }
    init(stringLiteral value: String) { self.value = value }
    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
  }

  @Test("a subclass instance as the superclass is a DecodingError; a type of KeyedCoding alone has its own error")
  func rootClasses() throws {
    let dog = try KeyedArchiveEncoder().encode(Dog(name: "d", age: 1))
    #expect(throws: DecodingError.self) { try KeyedArchiveDecoder().decode(Animal.self, from: dog) }
    struct Plain: SecureKeyedCoding {
      func encode(with coder: KeyedArchiver) {}
      init?(coder: KeyedUnarchiver) {}
    }
    let error = #expect(throws: KeyedArchiveError.self) { try KeyedArchiveDecoder().decode(Plain.self, from: dog) }
    #expect(error?.code == .classNotAllowed)
  }

  @Test("several types can have one name: the requested type decides")
  func sharedName() throws {
    struct First: Codable, Equatable { var number = 1 }
    struct Second: Codable, Equatable {
      var number = 1
      var text: String?
    }
    final class Third: Codable { var number = 3 }
    var names = ArchiveClassNames()
    names[First.self] = "Shared"
    names[Second.self] = "Shared"
    names.accept("Shared", for: Third.self)
    names.accept("Shared", for: Node.self)
    var (encoder, decoder) = (KeyedArchiveEncoder(), KeyedArchiveDecoder())
    encoder.classNames = names
    decoder.classNames = names
    struct Both: Codable, Equatable {
      var first = First()
      var second = Second(number: 2, text: "t")
      var list = [First(number: 5)]
    }
    let data = try encoder.encode(First(number: 7))
    #expect(try decoder.decode(First.self, from: data) == First(number: 7))
    #expect(try decoder.decode(Second.self, from: data) == Second(number: 7))
    #expect(try decoder.decode(Third.self, from: data).number == 7)
    #expect(try decoder.decode(Node.self, from: data).number == 7)
    #expect(try decoder.decode(Both.self, from: encoder.encode(Both())) == Both())
  }

  class Vehicle: KeyedCodable { var wheels = 4 }

  final class Car: Vehicle {}

  @Test("a name of a class and of its subclass is that of the requested one", arguments: [true, false])
  func nameOfSubclass(_ isSubclassFirst: Bool) throws {
    var encoder = KeyedArchiveEncoder()
    encoder.classNames[Vehicle.self] = "Shared"
    var decoder = KeyedArchiveDecoder()
    for type in isSubclassFirst ? [Car.self, Vehicle.self] : [Vehicle.self, Car.self] as [Vehicle.Type] {
      decoder.classNames.accept("Shared", for: type)
    }
    let data = try encoder.encode([Vehicle()])
    #expect(try decoder.decode([Vehicle].self, from: data).map { type(of: $0) == Vehicle.self } == [true])
    #expect(try decoder.decode([Car].self, from: data).map(\.wheels) == [4])
  }

  @Test("messages name the types of the caller, and no call that the caller did not make")
  func namesInMessages() throws {
    struct First: Codable { var number = 1 }
    struct Second: Codable { var number = 1 }
    var (encoder, decoder) = (KeyedArchiveEncoder(), KeyedArchiveDecoder())
    encoder.classNames[First.self] = "V"
    decoder.classNames[First.self] = "V"
    decoder.classNames[Second.self] = "V"
    let one = try encoder.encode(First())
    let list = try encoder.encode([First()])
    func messages<Value: Decodable>(_ type: Value.Type, _ data: Data) -> String {
      let error = #expect(throws: (any Error).self) { try decoder.decode(type, from: data) }
      return error.map { "\($0)" } ?? ""
    }
    let texts = [
      messages([First].self, one), messages(First.self, list), messages(Second.self, list), messages([Dog].self, list),
      messages([String: First].self, one), messages([String: First].self, list), messages(Set<Int>.self, list),
      messages(Place.self, one), messages([Place].self, list),
      messages([First].self, try encoder.encode([First?.none])), messages(Dog.self, list), messages(Dog.self, one),
    ]
    for text in texts {
      for internalName in ["setClass", "DecodableValue", "DecodableObject", "DecodableArray", "DecodableDictionary"] {
        #expect(!text.contains(internalName), "\(text)")
      }
    }
    #expect(texts[10].contains("request its type, such as [Dog]"))
    #expect(
      texts[11].contains(
        "If that is a former name of Dog, call classNames.accept('V', for: Dog.self) of the decoder, or conform Dog to "
          + "KeyedCodable with the name in archiveClassAliases. If it is a subclass, do so and declare it in archiveSubclasses"
      ))
  }

  private struct Renamed: Codable { var number = 1 }
  private struct RenamedCodable: KeyedCodable { var number = 1 }
  private final class RenamedClass: Codable { var number = 1 }
  private enum RenamedEnum: Codable { case one(Int) }

  /// Codable types of each kind that had another name when they were archived.
  @Test("an error about a renamed Codable type names the call that accepts the former name")
  func renamedTypes() throws {
    func check<Value: Codable>(_ value: Value, _ call: String) throws {
      var encoder = KeyedArchiveEncoder()
      encoder.classNames[Value.self] = "Zoo.Former"
      func remedies<Root: Codable>(_ root: Root, without names: ArchiveClassNames = .init()) throws -> String {
        let data = try encoder.encode(root)
        var decoder = KeyedArchiveDecoder()
        decoder.classNames.accept("Zoo.Former", for: Value.self)
        _ = try decoder.decode(Root.self, from: data)
        let error = #expect(throws: DecodingError.self) { try KeyedArchiveDecoder().decode(Root.self, from: data) }
        return error.map { KeyedArchiveError(wrapping: $0).remedy ?? "" } ?? ""
      }
      #expect(try remedies(value).contains(call))
      #expect(try remedies([value]).contains(call))
      #expect(try remedies(["k": [value]]).contains(call))
    }
    try check(Renamed(), "call classNames.accept('Zoo.Former', for: Renamed.self) of the decoder")
    try check(RenamedClass(), "call classNames.accept('Zoo.Former', for: RenamedClass.self) of the decoder")
    try check(RenamedEnum.one(1), "call classNames.accept('Zoo.Former', for: RenamedEnum.self) of the decoder")
    try check(
      RenamedCodable(), "declare 'Zoo.Former' in RenamedCodable.archiveClassAliases if that is a former name")
  }

  @Test("an error about a nested type that was renamed with its module says what the type must declare")
  func renamedNestedType() throws {
    struct Recipe: KeyedCodable {
      static var archiveClassName: String { "Kitchen.Recipe" }
      var steps = [Renamed()]
    }
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.encode(Recipe(), forKey: "root")
    let data = try KeyedArchive(archiver.encodedData)
    let old = try #require(data.classNames.first { $0.hasSuffix("Renamed") })
    let former = try data.migrated(by: [.renameClass(ClassSelector([old]), to: "Kitchen.Renamed")]).archive.data()
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: Recipe.self, from: former)
    }
    #expect(error?.code == .classNotAllowed && error?.keyPath == "root.steps[0]")
    #expect(error?.remedy?.contains("conform Renamed to KeyedCodable with the name in archiveClassAliases") == true)
  }

  @Test("an absent key is keyNotFound, nil is valueNotFound, with the coding path")
  func absent() throws {
    struct Sparse: Codable { var name: String? }
    struct Full: Codable { var name: String }
    var encoder = KeyedArchiveEncoder()
    encoder.classNames[Sparse.self] = "P"
    var decoder = KeyedArchiveDecoder()
    decoder.classNames[Full.self] = "P"
    let data = try encoder.encode([Sparse()])
    let error = #expect(throws: DecodingError.self) { try decoder.decode([Full].self, from: data) }
    guard case .keyNotFound(let key, let context) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(key.stringValue == "name")
    #expect(context.codingPath.last?.intValue == 0)
    let null = try KeyedArchiveEncoder().encode(String?.none)
    #expect(throws: DecodingError.self) { try KeyedArchiveDecoder().decode(Place.self, from: null) }
    #expect(throws: (any Error).self) { try KeyedArchiveDecoder().decode(String.self, from: null) }
    #expect(throws: (any Error).self) { try KeyedArchiveDecoder().decode(ArchivedObject.self, from: null) }
  }

  @Test("a caught error is over")
  func caught() throws {
    struct Either: Decodable {
      var text = ""
      private enum CodingKeys: CodingKey { case name }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        do {
          text = "\(try container.decode(Int.self, forKey: .name))"
        } catch {
          text = try container.decode(String.self, forKey: .name)
        }
      }
    }
    var encoder = KeyedArchiveEncoder()
    encoder.classNames[Person.self] = "P"
    var decoder = KeyedArchiveDecoder()
    decoder.classNames[Either.self] = "P"
    #expect(try decoder.decode(Either.self, from: encoder.encode(Self.person)).text == "Åsa")
  }

  @Test("data that is no archive, and a root of another class, are errors")
  func noArchive() throws {
    for data in [Data(), Data("{}".utf8), try PropertyListEncoder().encode(["a": 1])] {
      let error = #expect(throws: KeyedArchiveError.self) { try KeyedArchiveDecoder().decode(Person.self, from: data) }
      #expect(error?.code != .reportedByClass)
    }
    let data = try KeyedArchiveEncoder().encode(Self.person)
    #expect(throws: DecodingError.self) { try KeyedArchiveDecoder().decode(Place.self, from: data) }
    for end in stride(from: 0, to: data.count, by: 7) {
      #expect(throws: (any Error).self) { try KeyedArchiveDecoder().decode(Person.self, from: data.prefix(end)) }
    }
  }

  // MARK: Other encoders as the oracle

  /// A value with every kind of Codable content, made from random numbers.
  struct Tree: Codable, Equatable {
    var flag: Bool
    var small: Int8
    var large: UInt64
    var real: Double
    var single: Float
    var text: String
    var data: Data
    var date: Date
    var optional: Int?
    var numbers: [Int]
    var texts: [String: String]
    var choice: Choice
    var children: [Tree]
    var named: [String: Tree]
    var pair: Pair?

    struct Pair: Codable, Equatable {
      var left: String
      var right: [Double]
    }

    enum Choice: Codable, Equatable {
      case none
      case number(Int)
      case labeled(text: String, Bool)
    }

    init(_ random: inout SeededRandom, depth: Int) {
      func number(_ bound: UInt64) -> Int { Int(random.next() % bound) }
      func word() -> String {
        String((0..<number(9)).map { _ in ["a", "é", "日", "\u{1F600}", "\"", "\\", " "][number(7)] }.joined())
      }
      flag = number(2) == 0
      small = Int8(truncatingIfNeeded: random.next())
      // A reader of JSON may keep the bits of a double only.
      large = random.next() >> 11
      real = Double(number(1_000_000)) / 64
      single = Float(number(10_000)) / 16
      text = word()
      data = Data((0..<number(20)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
      date = Date(timeIntervalSinceReferenceDate: Double(number(1_000_000)))
      optional = number(2) == 0 ? nil : number(1000)
      numbers = (0..<number(6)).map { _ in number(100) - 50 }
      texts = Dictionary((0..<number(4)).map { _ in (word(), word()) }) { a, _ in a }
      choice = [.none, .number(number(100)), .labeled(text: word(), number(2) == 0)][number(3)]
      children = depth == 0 ? [] : (0..<number(3)).map { _ in Tree(&random, depth: depth - 1) }
      named =
        depth == 0
        ? [:] : Dictionary((0..<number(3)).map { _ in (word(), Tree(&random, depth: depth - 1)) }) { a, _ in a }
      pair = number(3) == 0 ? nil : Pair(left: word(), right: (0..<number(3)).map { _ in Double(number(100)) / 8 })
    }
  }

  /// A ninth of the values; with `WHOLE_TESTS`, all.
  @Test("200 random values come back as through JSONEncoder and PropertyListEncoder")
  func random() throws {
    for round in Sample.cases(0..<200, each: 9) {
      var random = SeededRandom(seed: 21_000 + UInt64(round))
      let value = Tree(&random, depth: 3)
      var encoder = KeyedArchiveEncoder()
      encoder.outputFormat = round.isMultiple(of: 4) ? .xml : .binary
      let read = try KeyedArchiveDecoder().decode(Tree.self, from: encoder.encode(value))
      #expect(read == value)
      let json = JSONEncoder()
      json.outputFormatting = .sortedKeys
      #expect(try json.encode(read) == json.encode(value))
      #expect(try JSONDecoder().decode(Tree.self, from: json.encode(value)) == read)
      let list = PropertyListEncoder()
      #expect(try PropertyListDecoder().decode(Tree.self, from: list.encode(value)) == read)
    }
  }
}
