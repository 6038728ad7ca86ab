// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveGenerators
import Foundation
import HarnessSupport
import KeyedArchiving
import TestSupport
import Testing

private typealias Model = AllowListModel

/// A type of the model. Its initializer notes that it ran, and requests the value of `k` as the trial says.
private protocol Modelled: SecureKeyedCoding {
  /// What was found for `k`, described when all is decoded: references may be delivered late.
  var content: Any? { get }
}

/// One trial: tests do not run it in parallel, because task-local values hold it.
private final class Trial: @unchecked Sendable {  // Used by one task only.
  @TaskLocal static var current = Trial()
  var ran: [String] = []
  var inner: Question?

  static func begin(_ type: any Modelled.Type, _ coder: KeyedUnarchiver, requests: Bool) throws -> Any? {
    current.ran.append("\(type)")
    guard requests, let inner = current.inner, coder.containsValue(forKey: "k") else { return nil }
    return try inner.ask(coder, "k")
  }
}

private class Base: Modelled {
  class var archiveClassName: String { "\(self)" }
  class var archiveSubclasses: [any KeyedCoding.Type] { [Left.self, Right.self, Stray.self] }
  class var archiveClassAliases: [String] { self == Left.self ? ["OldLeft"] : [] }
  var content: Any? { nil }
  func encode(with coder: KeyedArchiver) {}
  required init?(coder: KeyedUnarchiver) throws { _ = try Trial.begin(Self.self, coder, requests: false) }
}
private class Left: Base {}
private final class Right: Base {}
private final class Leaf: Left {}

/// Answers to its subclass's name without declaring it.
private class Greedy: Modelled {
  class var archiveClassName: String { "\(self)" }
  class var archiveClassAliases: [String] { self == Greedy.self ? ["Modest"] : [] }
  var content: Any? { nil }
  func encode(with coder: KeyedArchiver) {}
  required init?(coder: KeyedUnarchiver) throws { _ = try Trial.begin(Self.self, coder, requests: false) }
}
private final class Modest: Greedy {}

private final class Stray: Modelled {
  static var archiveClassName: String { "Stray" }
  var content: Any? { nil }
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) throws { _ = try Trial.begin(Self.self, coder, requests: false) }
}

private struct Item: Modelled {
  static var archiveClassName: String { "Item" }
  static var archiveClassAliases: [String] { ["OldItem"] }
  var content: Any? { nil }
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) throws { _ = try Trial.begin(Self.self, coder, requests: false) }
}

/// A closed family of values.
private struct Family: Modelled {
  static var archiveClassName: String { "Family" }
  static var archiveSubclasses: [any KeyedCoding.Type] { [Item.self, Left.self] }
  var content: Any? { nil }
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) throws { _ = try Trial.begin(Self.self, coder, requests: false) }
}

private final class Keeper: Modelled {
  static var archiveClassName: String { "Keeper" }
  let content: Any?
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) throws { content = try Trial.begin(Self.self, coder, requests: true) }
}

private struct Box: Modelled {
  static var archiveClassName: String { "Box" }
  let content: Any?
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) throws { content = try Trial.begin(Self.self, coder, requests: true) }
}

/// Delivers what it deferred into itself.
private final class Waiter: Modelled {
  static var archiveClassName: String { "Waiter" }
  private(set) var content: Any?
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) throws {
    _ = try Trial.begin(Self.self, coder, requests: false)
    Trial.current.inner?.wait(coder, "k") { [self] in content = $0 }
  }
}

private final class Coded: Modelled, KeyedCodable {
  static var archiveClassName: String { "Coded" }
  let content: Any?
  private enum Key: CodingKey { case k }
  func encode(to encoder: any Encoder) throws {}
  init(from decoder: any Decoder) throws {
    let coder = try #require(decoder.keyedUnarchiver)
    _ = try Trial.begin(Self.self, coder, requests: false)
    let container = try decoder.container(keyedBy: Key.self)
    guard container.contains(.k), case .type("Pair")? = Trial.current.inner?.request else {
      content = try Trial.current.inner.flatMap { coder.containsValue(forKey: "k") ? try $0.ask(coder, "k") : nil }
      return
    }
    content = try container.decode(Pair.self, forKey: .k)
  }
}

/// A Codable struct. Made of a single value, as of an object of another class, it is refused.
private struct Pair: Modelled, KeyedCodable {
  static var archiveClassName: String { "Pair" }
  var content: Any? { nil }
  func encode(to encoder: any Encoder) throws {}
  init(from decoder: any Decoder) throws {
    guard let coder = decoder.keyedUnarchiver else {
      throw KeyedArchiveError(.classNotAllowed, "no object of the class")
    }
    _ = try Trial.begin(Self.self, coder, requests: false)
  }
}

private var types: [any Modelled.Type] {
  [
    Base.self, Left.self, Right.self, Leaf.self, Greedy.self, Modest.self, Stray.self, Item.self, Family.self,
    Keeper.self, Box.self, Waiter.self, Coded.self, Pair.self,
  ]
}

private let kinds: [Model.Kind] = [
  .init(name: "Base", declared: ["Left", "Right", "Stray"]),
  .init(name: "Left", aliases: ["OldLeft"], superclasses: ["Base"], declared: ["Left", "Right", "Stray"]),
  .init(name: "Right", superclasses: ["Base"], declared: ["Left", "Right", "Stray"]),
  .init(name: "Leaf", superclasses: ["Left", "Base"], declared: ["Left", "Right", "Stray"]),
  .init(name: "Greedy", aliases: ["Modest"]), .init(name: "Modest", superclasses: ["Greedy"]), .init(name: "Stray"),
  .init(name: "Item", aliases: ["OldItem"], isClass: false),
  .init(name: "Family", declared: ["Item", "Left"], isClass: false),
  .init(name: "Keeper", requests: true), .init(name: "Box", isClass: false, requests: true),
  .init(name: "Waiter", requests: true), .init(name: "Coded", requests: true), .init(name: "Pair", isClass: false),
]

/// A request, and the call by which it is made.
private struct Question {
  enum Call: CaseIterable { case throwing, keeping, deferred }

  let request: Model.Request
  var call = Call.throwing

  private static func type(_ name: String) -> any Modelled.Type { types.first { "\($0)" == name } ?? Stray.self }

  private static func listed(_ request: Model.Request) -> any KeyedCoding.Type {
    func array<Value: KeyedCoding>(_ type: Value.Type) -> any KeyedCoding.Type { [Value].self }
    return switch request {
    case .type(let name): type(name)
    case .array(let name): array(type(name))
    case .untypedArray, .list: ArchivedArray.self
    }
  }

  static func describe(_ value: Any) -> ModelAnswer {
    switch value {
    case let array as ArchivedArray: .array(array.elements.map { describe($0) })
    case let value as any Modelled: .made("\(Swift.type(of: value))", value.content.map { describe($0) })
    case let array as [Any]: .array(array.map { describe($0) })
    default: .refused
    }
  }

  /// Makes the call; nil if the value came out as nil.
  func ask(_ coder: KeyedUnarchiver, _ key: String) throws -> Any? {
    if call == .deferred {
      // At the top level it is delivered before the call returns.
      var found: Any?
      wait(coder, key) { found = $0 }
      return found
    }
    func one<Value: KeyedCoding>(_ type: Value.Type) throws -> Any? {
      call == .throwing ? try coder.decode(type, forKey: key) : coder.decodeObject(of: type, forKey: key)
    }
    guard case .list(let list) = request else { return try one(Self.listed(request)) }
    let types = list.map(Self.listed)
    return call == .throwing
      ? try coder.decodeTopLevelObject(of: types, forKey: key) : coder.decodeObject(of: types, forKey: key)
  }

  /// Makes the deferred call.
  func wait(_ coder: KeyedUnarchiver, _ key: String, _ deliver: @escaping (Any) -> Void) {
    func one<Value: KeyedCoding>(_ type: Value.Type) {
      coder.decodeObject(of: type, forKey: key) { deliver($0) }
    }
    if case .list(let list) = request {
      coder.decodeObject(of: list.map(Self.listed), forKey: key) { deliver($0) }
    } else {
      one(Self.listed(request))
    }
  }
}

private final class Answering: KeyedUnarchiverDelegate {
  var type: (any KeyedCoding.Type)?
  func unarchiver(
    _ unarchiver: KeyedUnarchiver, cannotDecodeObjectOfClassName name: String, originalClasses: [String]
  ) -> (any KeyedCoding.Type)? { type }
}

@Suite("The allow list, against a model of it", .serialized)
struct AllowListModelTests {
  private static let classNames = kinds.flatMap { [$0.name] + $0.aliases } + ["Lost", "NSArray", "NSArray", "NSArray"]

  private func random(_ random: inout SeededRandom) -> Model.Request {
    func name(_ random: inout SeededRandom) -> String { types.randomElement(using: &random).map { "\($0)" } ?? "" }
    switch Int.random(in: 0..<9, using: &random) {
    case 0..<3: return .type(name(&random))
    case 3: return .array(of: name(&random))
    // Alone it has no list. Under a list with everything on it nearly anything comes out, and is kept.
    case 4: return .untypedArray
    case 5: return .list(types.map { .type("\($0)") } + [.untypedArray])
    default:
      var list: [Model.Request] = (0..<Int.random(in: 0...4, using: &random)).map { _ in .type(name(&random)) }
      if Bool.random(using: &random) { list.append(.untypedArray) }
      if Int.random(in: 0..<4, using: &random) == 0 { list.append(.array(of: name(&random))) }
      return .list(list.shuffled(using: &random))
    }
  }

  /// Objects that refer to later ones only.
  private func model(_ random: inout SeededRandom) -> Model {
    let count = Int.random(in: 2...6, using: &random)
    var model = Model(kinds: Dictionary(uniqueKeysWithValues: kinds.map { ($0.name, $0) }), objects: [])
    for place in 0..<count {
      func later() -> Int? { place + 1 < count ? Int.random(in: place + 1..<count, using: &random) : nil }
      var object = Model.Object(name: Self.classNames.randomElement(using: &random) ?? "")
      if object.name == "NSArray" {
        object.elements = (0..<Int.random(in: 0...2, using: &random)).compactMap { _ in later() }
      } else {
        object.k = later()
        if Int.random(in: 0..<4, using: &random) == 0 {
          object.hints = (0..<2).map { _ in Self.classNames.first { _ in Bool.random(using: &random) } ?? "Lost" }
        }
      }
      model.objects.append(object)
    }
    if Int.random(in: 0..<3, using: &random) == 0 {
      model.setClasses[Self.classNames.filter { $0 != "NSArray" }.randomElement(using: &random) ?? ""] =
        kinds.randomElement(using: &random)?.name
    }
    if Int.random(in: 0..<3, using: &random) == 0 { model.delegateAnswer = kinds.randomElement(using: &random)?.name }
    model.inner = self.random(&random)
    return model
  }

  private func archive(_ model: Model, _ random: inout SeededRandom) -> Data {
    var (objects, records): ([HandmadeList], [HandmadeList]) = ([], [])
    for object in model.objects {
      let classUID = UInt64(model.objects.count + records.count + 1)
      // Whatever it claims to descend from.
      let claimed = [object.name, Self.classNames.randomElement(using: &random) ?? "", "NSObject"]
      var record: [(String, HandmadeList)] = [
        ("$classname", .string(object.name)), ("$classes", .array(claimed.map { .string($0) })),
      ]
      if !object.hints.isEmpty { record.append(("$classhints", .array(object.hints.map { .string($0) }))) }
      records.append(.dictionary(record))
      var values: [(String, HandmadeList)] = [("$class", .uid(classUID))]
      if let elements = object.elements { values.append(("NS.objects", .array(elements.map { .uid(UInt64($0 + 1)) }))) }
      if let k = object.k { values.append(("k", .uid(UInt64(k + 1)))) }
      objects.append(.dictionary(values))
    }
    let top = model.objects.indices.map { ("\($0)", HandmadeList.uid(UInt64($0 + 1))) }
    return HandmadeList.archive(objects + records, top: top)
  }

  @Test("gives the model's answer to each call, whatever was requested before", arguments: 0..<16)
  func agrees(seed: UInt64) throws {
    for round in 0..<16 where Sample.includes(round + Int(seed), each: 8) {
      var random = SeededRandom(seed: seed << 16 | UInt64(round))
      let model = self.model(&random)
      let data = archive(model, &random)
      let delegate = Answering()
      delegate.type = model.delegateAnswer.flatMap { name in types.first { "\($0)" == name } }
      func decoder() throws -> KeyedUnarchiver {
        let coder = try KeyedUnarchiver(forReadingFrom: data)
        coder.decodingFailurePolicy = .raiseException
        for (name, kind) in model.setClasses { coder.setClass(types.first { "\($0)" == kind }, forClassName: name) }
        if delegate.type != nil { coder.delegate = delegate }
        return coder
      }
      var requests = (0..<6).map { _ in self.random(&random) }
      requests += requests
      let trial = Trial()
      trial.inner = Question(request: model.inner)
      try Trial.$current.withValue(trial) {
        var coder = try decoder()
        let places = model.objects.indices.flatMap { place in requests.map { (place, $0) } }
        for (place, request) in places.shuffled(using: &random) {
          // A call that could not throw bars the decoder for the outermost caller.
          if coder.error != nil { coder = try decoder() }
          var model = model
          let expected = model.answer(place, request)
          let call = Question.Call.allCases.randomElement(using: &random) ?? .throwing
          trial.inner = Question(
            request: model.inner, call: Bool.random(using: &random) ? .throwing : .keeping)
          trial.ran = []
          var found = ModelAnswer.refused
          do {
            let value = try Question(request: request, call: call).ask(coder, "\(place)")
            found = value.map(Question.describe) ?? .refused
          } catch {}
          let what = "seed \(seed), round \(round), object \(place) \(model.objects), \(request), inner \(model.inner)"
          #expect(found == expected, "\(what)")
          #expect(Set(trial.ran).isSubset(of: model.mayRun), "\(what)")
        }
      }
    }
  }
}
