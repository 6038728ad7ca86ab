// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import KeyedArchiving
import KeyedArchivingFoundation
import TestSupport

/// The rules of one decoding of a mixed graph.
struct MixedRules: Sendable {
  /// The class that ``MixFormer`` selects.
  enum Selection: CaseIterable { case itself, base, late }
  /// The type that the delegate has for the class `Lost`.
  enum Lost: CaseIterable { case bridged, own, none }
  /// What the delegate makes of decoded objects with certain numbers.
  enum Replacement: CaseIterable { case none, sameClass, baseClass }

  @TaskLocal static var current = MixedRules()

  var selection = Selection.itself
  var lost = Lost.none
  var replacement = Replacement.none
  /// Whether caught errors are noted with their paths.
  var showsPaths = true

  /// Whether the delegate replaces an object with a number.
  func replaces(_ number: Int) -> Bool { replacement != .none && number % 5 == 3 }

  func note(_ key: String, _ code: KeyedArchiveError.Code?, _ path: String?) -> String {
    "\(key)!\(code.map { "\($0)" } ?? "-")" + (showsPaths ? "@\(path ?? "-")" : "")
  }
}

/// A bridged class, whose objects refer to objects of bridged classes and of one with keyed coding only.
class MixBridged: NSObject, NSSecureCoding, FoundationCoding {
  class var supportsSecureCoding: Bool { true }
  let number: Int
  private var parts: [String] = []

  required init(replacing number: Int) { self.number = number + 1000 }

  func encode(with coder: NSCoder) {}

  required init?(coder: NSCoder) {
    number = coder.decodeInteger(forKey: "number")
    super.init()
    guard number >= 0, let unarchiver = coder.keyedUnarchiver else { return nil }
    let list: [AnyClass] = [NSArray.self, MixBridged.self, MixOwn.self]
    if coder.decodeBool(forKey: "catches") {
      note("a") { try coder.decodeTopLevelObject(of: MixBridged.self, forKey: "a") }
      note("b") { try unarchiver.decodeIfPresent(MixOwn.self, forKey: "b") }
      note("list") { try coder.decodeTopLevelObject(of: list, forKey: "list") }
    } else {
      note("a") { coder.decodeObject(of: MixBridged.self, forKey: "a") }
      note("b") { unarchiver.decodeObject(of: MixOwn.self, forKey: "b") }
      note("list") { coder.decodeObject(of: list, forKey: "list") }
    }
  }

  private func note(_ key: String, _ decode: () throws -> Any?) { parts += MixedText.parts(key, decode) }

  override var description: String { MixedText.of(type(of: self), number, parts) }
}

/// A class that selects another one to be decoded.
class MixFormer: MixBridged {
  override class func classForKeyedUnarchiver() -> AnyClass {
    switch MixedRules.current.selection {
    case .itself: self
    case .base: MixBridged.self
    case .late: MixLate.self
    }
  }
}

final class MixLate: MixBridged {}

/// A bridged class that no request allows, although it selects one that is allowed.
final class MixRogue: NSObject, NSSecureCoding, FoundationCoding {
  static var supportsSecureCoding: Bool { true }
  override class func classForKeyedUnarchiver() -> AnyClass { MixBridged.self }
  func encode(with coder: NSCoder) {}
  init?(coder: NSCoder) { super.init() }
}

/// A class with keyed coding only.
final class MixOwn: SecureKeyedCoding, CustomStringConvertible {
  let number: Int
  private var parts: [String] = []

  init(replacing number: Int) { self.number = number + 1000 }

  func encode(with coder: KeyedArchiver) {}

  init?(coder: KeyedUnarchiver) throws {
    number = coder.decodeInteger(forKey: "number")
    guard number >= 0 else { return nil }
    let list: [any KeyedCoding.Type] = [ArchivedArray.self, MixBridged.self, MixOwn.self]
    if coder.decodeBool(forKey: "catches") {
      parts += MixedText.parts("a") { try coder.decodeIfPresent(MixBridged.self, forKey: "a") }
      parts += MixedText.parts("b") { try coder.decodeIfPresent(MixOwn.self, forKey: "b") }
      parts += MixedText.parts("list") { try coder.decodeTopLevelObject(of: list, forKey: "list") }
    } else if number % 2 == 0 {
      parts += MixedText.parts("a") { coder.decodeObject(of: MixBridged.self, forKey: "a") }
      parts += MixedText.parts("b") { coder.decodeObject(of: MixOwn.self, forKey: "b") }
      parts += MixedText.parts("list") { coder.decodeObject(of: list, forKey: "list") }
    } else {
      let values = [
        ("a", try coder.decodeIfPresent(MixBridged.self, forKey: "a") as Any?),
        ("b", try coder.decodeIfPresent(MixOwn.self, forKey: "b") as Any?),
        ("list", try coder.decodeTopLevelObject(of: list, forKey: "list") as Any?),
      ]
      for (key, value) in values { parts += MixedText.parts(key) { value } }
    }
  }

  var description: String { MixedText.of(MixOwn.self, number, parts) }
}

/// The texts of decoded objects.
enum MixedText {
  static func of(_ type: Any.Type, _ number: Int, _ parts: [String]) -> String {
    "\(type)#\(number)(\(parts.joined(separator: " ")))"
  }

  /// The text of a value, or of the error that is caught.
  static func parts(_ key: String, _ decode: () throws -> Any?) -> [String] {
    do {
      switch try decode() {
      case nil: return []
      case let array as ArchivedArray: return ["\(key)=[\(array.elements.map { "\($0)" }.joined(separator: ","))]"]
      case let array as NSArray: return ["\(key)=[\(array.map { "\($0)" }.joined(separator: ","))]"]
      case let value?: return ["\(key)=\(value)"]
      }
    } catch {
      let error = error as? KeyedArchiveError
      return [MixedRules.current.note(key, error?.code, error?.keyPath)]
    }
  }
}

/// A delegate that decodes a class without a type, and replaces objects.
final class MixedDelegate: KeyedUnarchiverDelegate {
  func unarchiver(
    _ unarchiver: KeyedUnarchiver, cannotDecodeObjectOfClassName name: String, originalClasses: [String]
  ) -> (any KeyedCoding.Type)? {
    guard name == "Lost" else { return nil }
    return switch MixedRules.current.lost {
    case .bridged: MixBridged.self
    case .own: MixOwn.self
    case .none: nil
    }
  }

  func unarchiver(_ unarchiver: KeyedUnarchiver, didDecode object: any KeyedCoding) -> (any KeyedCoding)? {
    let rules = MixedRules.current
    switch object {
    case let object as MixBridged where rules.replaces(object.number):
      return rules.replacement == .baseClass
        ? MixBridged(replacing: object.number) : type(of: object).init(replacing: object.number)
    case let object as MixOwn where rules.replaces(object.number): return MixOwn(replacing: object.number)
    default: return object
    }
  }
}

/// A random graph without cycles, and what decoding it gives by the rules.
struct MixedGraph {
  enum Request: CaseIterable { case bridged, own, list }

  /// The result of decoding an object: its text, or an error.
  enum Fate: Equatable {
    case object(String)
    case fails(KeyedArchiveError.Code, path: String?)
  }

  struct Node {
    var name: String
    var number: Int
    /// Whether the number is a string.
    var hasWrongNumber = false
    var catches = false
    var a: Int?
    var b: Int?
    var list: [Int]?
  }

  private static let module = "KeyedArchivingFoundationTests"
  private(set) var nodes: [Node] = []
  let isTree: Bool
  let rules: MixedRules

  init(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    isTree = seed % 2 == 0
    rules = MixedRules(
      selection: MixedRules.Selection.allCases.randomElement(using: &random) ?? .itself,
      lost: MixedRules.Lost.allCases.randomElement(using: &random) ?? .none,
      replacement: MixedRules.Replacement.allCases.randomElement(using: &random) ?? .none, showsPaths: isTree)
    let names = [
      "MixBridged", "MixBridged", "MixBridged", "MixFormer", "MixFormer", "MixLate", "MixOwn", "MixOwn", "MixOwn",
      "Lost",
      "MixRogue",
    ]
    for number in 0..<Int.random(in: 1...14, using: &random) {
      let name =
        number == 0 ? ["MixBridged", "MixFormer", "MixOwn"][Int(seed / 2 % 3)] : names.randomElement(using: &random)
      var node = Node(name: name ?? "Lost", number: number)
      node.catches = Bool.random(using: &random)
      switch Int.random(in: 0..<12, using: &random) {
      case 0: node.hasWrongNumber = true
      case 1: node.number = -1
      default: break
      }
      nodes.append(node)
    }
    for index in nodes.indices.dropFirst() {
      for _ in 0..<(isTree ? 1 : Int.random(in: 1...2, using: &random)) {
        let parent = Int.random(in: 0..<index, using: &random)
        // Most references have a type that fits.
        let isOwn = nodes[index].name == "MixOwn"
        let key = Int.random(in: 0..<8, using: &random)
        if key < 3, !isOwn || key == 0, nodes[parent].a == nil {
          nodes[parent].a = index
        } else if key < 6, isOwn || key == 3, nodes[parent].b == nil {
          nodes[parent].b = index
        } else {
          nodes[parent].list = (nodes[parent].list ?? []) + [index]
        }
      }
    }
  }

  /// The archive, without the help of an archiver.
  var data: Data {
    let names = ["MixBridged", "MixFormer", "MixLate", "MixOwn", "MixRogue"].map { "\(Self.module).\($0)" } + ["Lost"]
    var objects = (["NSArray"] + names).map { HandmadeList.classRecord($0, "NSObject") }
    func uid(_ index: Int) -> HandmadeList { .uid(UInt64(names.count + 2 + index)) }
    var lists: [HandmadeList] = []
    for node in nodes {
      let record = names.firstIndex { $0.hasSuffix(node.name) } ?? 0
      var values: [(String, HandmadeList)] = [
        ("$class", .uid(UInt64(record + 2))), ("catches", .boolean(node.catches)),
        ("number", node.hasWrongNumber ? "text" : .integer(Int64(node.number))),
      ]
      if let a = node.a { values.append(("a", uid(a))) }
      if let b = node.b { values.append(("b", uid(b))) }
      if let list = node.list {
        values.append(("list", uid(nodes.count + lists.count)))
        lists.append(["NS.objects": .array(list.map(uid)), "$class": .uid(1)])
      }
      objects.append(.dictionary(values))
    }
    return HandmadeList.archive(objects + lists, top: [("root", uid(0))])
  }

  /// Returns what decoding an object for a request gives.
  func fate(of index: Int = 0, as request: Request, at path: String = "root") -> Fate {
    let node = nodes[index]
    guard let type = type(of: node, as: request) else { return .fails(.classNotAllowed, path: path) }
    if node.hasWrongNumber { return .fails(.typeMismatch, path: path + ".number") }
    if node.number < 0 { return .fails(.valueNotFound, path: path + ".number") }
    var parts: [String] = []
    var failure: Fate?
    func add(_ key: String, _ fates: [Fate], isList: Bool = false) {
      var texts: [String] = []
      for fate in fates {
        switch fate {
        case .object(let text): texts.append(text)
        case .fails(let code, let path):
          if node.catches { parts.append(rules.note(key, code, path)) } else { failure = failure ?? fate }
          return
        }
      }
      parts.append("\(key)=" + (isList ? "[\(texts.joined(separator: ","))]" : texts.joined()))
    }
    if let a = node.a { add("a", [fate(of: a, as: .bridged, at: path + ".a")]) }
    if let b = node.b { add("b", [fate(of: b, as: .own, at: path + ".b")]) }
    if let list = node.list {
      let fates = list.enumerated().map { fate(of: $1, as: .list, at: path + ".list[\($0)]") }
      add("list", fates, isList: true)
    }
    if let failure { return failure }
    guard rules.replaces(node.number) else { return .object(MixedText.of(type, node.number, parts)) }
    if rules.replacement == .baseClass, type is MixBridged.Type, type != MixBridged.self {
      // The path is that of the last value that the initializer requested.
      return .fails(.classNotAllowed, path: nil)
    }
    return .object(MixedText.of(type, node.number + 1000, []))
  }

  /// Returns the class that an object is decoded as, or nil if the request does not allow it.
  private func type(of node: Node, as request: Request) -> Any.Type? {
    let bridged: Any.Type? =
      switch node.name {
      case "MixBridged": MixBridged.self
      case "MixLate": MixLate.self
      case "MixFormer":
        switch rules.selection {
        case .itself: MixFormer.self
        case .base: MixBridged.self
        case .late: MixLate.self
        }
      case "Lost": rules.lost == .bridged ? MixBridged.self : nil
      default: nil
      }
    let isOwn = node.name == "MixOwn" || node.name == "Lost" && rules.lost == .own
    return switch request {
    case .bridged: bridged
    case .own: isOwn ? MixOwn.self : nil
    case .list: bridged ?? (isOwn ? MixOwn.self : nil)
    }
  }
}
