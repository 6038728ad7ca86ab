// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import Foundation
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

/// Runs one call of the decoder from wherever code outside of the library runs.
private final class Probe: @unchecked Sendable {  // Used by one task only.
  @TaskLocal static var current: Probe?

  weak var coder: KeyedUnarchiver?
  let delegate = Delegate()
  let call: (KeyedUnarchiver) throws -> Void
  /// The callbacks that ran, and those from which the call was made: not from those that ran within the call itself.
  private(set) var reached: Set<Callback> = []
  private(set) var fired: Set<Callback> = []
  private var isRunning = false

  init(_ coder: KeyedUnarchiver, _ call: @escaping (KeyedUnarchiver) throws -> Void) {
    self.coder = coder
    self.call = call
  }

  static func fire(_ callback: Callback) {
    guard let probe = current, let coder = probe.coder else { return }
    probe.reached.insert(callback)
    guard !probe.isRunning else { return }
    probe.fired.insert(callback)
    // What a call decodes runs callbacks too.
    probe.isRunning = true
    defer { probe.isRunning = false }
    try? probe.call(coder)
  }
}

private enum Callback: CaseIterable {
  case initializer, structInitializer, codableInitializer, awakening, delivery, lateDelivery, className, aliases
  case subclasses, subclassByName, classForUnarchiver, supportsSecureCoding, hash, equality, cannotDecode, didDecode,
    willReplace, willFinish, didFinish
  case objectDeinitializer, structDeinitializer, closureDeinitializer, errorDeinitializer, userInfoDeinitializer
}

/// Fires when the last reference to it is released.
private final class Farewell: Sendable {
  let callback: Callback
  init(_ callback: Callback) { self.callback = callback }
  deinit { Probe.fire(callback) }
}

private final class Carrier: SecureKeyedCoding, ArchiveAwakening, ArchiveClassResolving {
  static func archiveSubclass(named name: String) -> (any KeyedCoding.Type)? {
    Probe.fire(.subclassByName)
    return nil
  }
  static func classForUnarchiver() -> AnyClass {
    Probe.fire(.classForUnarchiver)
    return Carrier.self
  }
  static var archiveClassName: String {
    Probe.fire(.className)
    return "Carrier"
  }
  static var archiveClassAliases: [String] {
    Probe.fire(.aliases)
    return []
  }
  static var archiveSubclasses: [any KeyedCoding.Type] {
    Probe.fire(.subclasses)
    return []
  }
  static var supportsSecureCoding: Bool {
    Probe.fire(.supportsSecureCoding)
    return true
  }
  private let farewell = Farewell(.objectDeinitializer)
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) throws {
    Probe.fire(.initializer)
    let token = Farewell(.closureDeinitializer)
    // The owner is in progress, so this waits; the other is queued.
    coder.decodeObject(of: Child.self, forKey: "child") { _ in
      Probe.fire(.lateDelivery)
      withExtendedLifetime(token) {}
    }
    for _ in 0..<3 { _ = try coder.decode([Pair].self, forKey: "pairs") }
    _ = try? coder.decode(Set<Key>.self, forKey: "keys")
    _ = try? coder.decode(Coded.self, forKey: "coded")
    // Another object of the archive fails after it registered references, and is forgotten with what was in it.
    _ = try? coder.decode(Failing.self, forKey: "failing")
    // A class that is not a subclass is searched by name.
    _ = try? coder.decode(Carrier.self, forKey: "child")
    // And an error that nothing throws is kept and replaced.
    _ = try? coder.decode(Renamed.self, forKey: "lost")
  }
  func awakeAfter(using coder: KeyedUnarchiver) throws -> Carrier {
    Probe.fire(.awakening)
    return self
  }
}

private final class Child: SecureKeyedCoding {
  static var archiveClassName: String { "Child" }
  private let farewell = Farewell(.objectDeinitializer)
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) {
    coder.decodeObject(of: Child.self, forKey: "self") { _ in Probe.fire(.delivery) }
  }
}

private struct Pair: SecureKeyedCoding {
  static var archiveClassName: String { "Pair" }
  let farewell = Farewell(.structDeinitializer)
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) { Probe.fire(.structInitializer) }
}

private struct Key: SecureKeyedCoding, Hashable {
  static var archiveClassName: String { "Key" }
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) {}
  static func == (a: Key, b: Key) -> Bool {
    Probe.fire(.equality)
    return false
  }
  func hash(into hasher: inout Hasher) { Probe.fire(.hash) }
}

private struct Coded: KeyedCodable {
  static var archiveClassName: String { "Coded" }
  func encode(to encoder: any Encoder) throws {}
  init(from decoder: any Decoder) throws { Probe.fire(.codableInitializer) }
}

private final class Failing: SecureKeyedCoding {
  struct Reason: Error { let farewell = Farewell(.errorDeinitializer) }
  static var archiveClassName: String { "Failing" }
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) throws {
    let token = Farewell(.closureDeinitializer)
    coder.decodeObject(of: Failing.self, forKey: "self") { _ in withExtendedLifetime(token) {} }
    coder.decodeObject(of: Carrier.self, forKey: "owner") { _ in withExtendedLifetime(token) {} }
    _ = try coder.decode(Child.self, forKey: "child")
    for _ in 0..<3 { _ = try coder.decode([Pair].self, forKey: "pairs") }
    coder.failWithError(Reason())
    throw Reason()
  }
}

private final class Renamed: SecureKeyedCoding {
  static var archiveClassName: String { "Renamed" }
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) {}
}

private final class Delegate: KeyedUnarchiverDelegate {
  func unarchiver(
    _ unarchiver: KeyedUnarchiver, cannotDecodeObjectOfClassName name: String, originalClasses: [String]
  ) -> (any KeyedCoding.Type)? {
    Probe.fire(.cannotDecode)
    return Renamed.self
  }
  func unarchiver(_ unarchiver: KeyedUnarchiver, didDecode object: any KeyedCoding) -> (any KeyedCoding)? {
    Probe.fire(.didDecode)
    return object
  }
  func unarchiver(
    _ unarchiver: KeyedUnarchiver, willReplace object: any KeyedCoding, with newObject: (any KeyedCoding)?
  ) { Probe.fire(.willReplace) }
  func unarchiverWillFinish(_ unarchiver: KeyedUnarchiver) { Probe.fire(.willFinish) }
  func unarchiverDidFinish(_ unarchiver: KeyedUnarchiver) { Probe.fire(.didFinish) }
}

/// In the checked build (`CHECK_EXCLUSIVITY=1`) an overlapping access ends the process. In any build the decoder must
/// not crash, and each callback must have been reached.
@Suite("A decoder that is used from its callbacks", .serialized)
struct DecoderReentrancyTests {
  private static let key = CodingUserInfoKey(rawValue: "key")

  private static var calls: [(String, (KeyedUnarchiver) throws -> Void)] {
    [
      ("containsValue", { _ = $0.containsValue(forKey: "child") }),
      ("containsNextValue", { _ = $0.containsNextValue }),
      ("decodeInteger", { _ = $0.decodeInteger(forKey: "number") }),
      ("decodeBytes", { _ = $0.decodeBytes(forKey: "bytes") }),
      ("decodeString", { _ = $0.decodeString(forKey: "text") }),
      ("decodeObject", { _ = $0.decodeObject(of: Child.self, forKey: "child") }),
      ("decode", { _ = try $0.decode(Child.self, forKey: "child") }),
      ("decode absent", { _ = try $0.decode(Child.self, forKey: "absent") }),
      ("decode array", { _ = try $0.decode([Pair].self, forKey: "pairs") }),
      ("decode set", { _ = try $0.decode(Set<Key>.self, forKey: "keys") }),
      ("decode failing", { _ = try $0.decode(Failing.self, forKey: "failing") }),
      ("decode Codable", { _ = try $0.decode(Coded.self, forKey: "coded") }),
      (
        "decode list",
        { _ = try $0.decodeTopLevelObject(of: [Child.self, ArchivedArray.self, Pair.self], forKey: "pairs") }
      ),
      ("decode data", { _ = try $0.decodeTopLevelObject(of: ArchivedObject.self, forKey: "child") }),
      ("decodeIfPresent", { _ = try $0.decodeIfPresent(Child.self, forKey: "child") }),
      ("decodeTopLevelObject", { _ = try $0.decodeTopLevelObject(of: Child.self, forKey: "child") }),
      ("decode itself", { _ = try $0.decode(Carrier.self, forKey: "self") }),
      ("decodeObject of a list", { _ = $0.decodeObject(of: [Child.self], forKey: "child") }),
      ("decodeArrayOfObjects", { _ = $0.decodeArrayOfObjects(ofClass: Pair.self, forKey: "pairs") }),
      (
        "decodeArrayOfObjects of a list",
        { _ = $0.decodeArrayOfObjects(ofClasses: [Pair.self, Child.self], forKey: "pairs") }
      ),
      (
        "decodeDictionary",
        { _ = $0.decodeDictionary(withKeyClass: String.self, objectClass: Pair.self, forKey: "table") }
      ),
      (
        "decodeDictionary of lists",
        { _ = $0.decodeDictionary(withKeysOfClasses: [String.self], objectsOfClasses: [Pair.self], forKey: "table") }
      ),
      (
        "decodeAny",
        {
          _ = try $0.decodeAny(forKey: "table")
          _ = try $0.decodeAny(of: KeyedUnarchiver.propertyListTypes + [Pair.self], forKey: "table")
        }
      ),
      ("array initializer", { _ = try [String](coder: $0) }),
      ("set initializer", { _ = try Set<Key>(coder: $0) }),
      ("dictionary initializer", { _ = try [String: Pair](coder: $0) }),
      ("untyped initializer", { _ = try ArchivedArray(coder: $0) }),
      ("Codable initializer", { _ = try Coded(coder: $0) }),
      ("UID of another archive", { _ = try Child.decode(ArchiveUID(rawValue: .max), in: $0) }),
      (
        "another decoder",
        { _ in _ = try KeyedUnarchiver.unarchivedObject(ofClass: Child.self, from: Self.data(top: 3)) }
      ),
      (
        "another archive",
        { _ in _ = try KeyedArchiver.archivedData(withRootObject: ["a"], requiringSecureCoding: true) }
      ),
      ("defer", { $0.decodeObject(of: Child.self, forKey: "child") { _ in } }),
      ("defer list", { $0.decodeObject(of: [Child.self], forKey: "child") { _ in } }),
      ("unkeyed", { _ = $0.decodeObject(of: Child.self) }),
      ("error", { _ = $0.error }),
      ("failWithError", { $0.failWithError(Failing.Reason()) }),
      ("setClass", { $0.setClass(Child.self, forClassName: "Child") }),
      ("setClass nil", { $0.setClass(nil, forClassName: "Child") }),
      ("class(forClassName:)", { _ = $0.class(forClassName: "Child") }),
      ("requiresSecureCoding", { $0.requiresSecureCoding = true }),
      ("primitiveValuePolicy", { $0.primitiveValuePolicy = .alwaysAllowed }),
      ("decodingFailurePolicy", { $0.decodingFailurePolicy = .raiseException }),
      ("delegate", { $0.delegate = Probe.current?.delegate }),
      ("delegate nil", { $0.delegate = nil }),
      ("userInfo", { if let key { $0.userInfo[key] = Farewell(.userInfoDeinitializer) } }),
      ("tracksKeys", { $0.tracksKeys.toggle() }),
      (
        "keyReport",
        {
          $0.tracksKeys = true
          _ = $0.keyReport
        }
      ),
      ("finishDecoding", { $0.finishDecoding() }),
    ]
  }

  private static let data = data(top: 1)

  /// Returns the archive with another root object.
  private static func data(top root: UInt64) -> Data {
    func object(_ record: UInt64, _ values: [(String, HandmadeList)] = []) -> HandmadeList {
      .dictionary(values + [("$class", .uid(record))])
    }
    let values: [(String, HandmadeList)] = [
      ("child", .uid(3)), ("pairs", .uid(5)), ("keys", .uid(9)), ("coded", .uid(13)), ("failing", .uid(15)),
      ("lost", .uid(17)), ("number", 5), ("text", .uid(19)), ("bytes", .data([1])), ("self", .uid(1)),
      ("table", .uid(20)),
    ]
    return HandmadeList.archive(
      [
        object(2, values), .classRecord("Carrier", "NSObject"),
        object(4, [("self", .uid(3))]), .classRecord("Child", "NSObject"),
        object(6, [("NS.objects", [.uid(7), .uid(7), .uid(7)])]), .classRecord("NSArray", "NSObject"),
        object(8), .classRecord("Pair", "NSObject"),
        object(10, [("NS.objects", [.uid(11), .uid(11)])]), .classRecord("NSSet", "NSObject"),
        object(12), .classRecord("Key", "NSObject"),
        object(14), .classRecord("Coded", "NSObject"),
        object(16, [("self", .uid(15)), ("owner", .uid(1)), ("child", .uid(3)), ("pairs", .uid(5))]),
        .classRecord("Failing", "NSObject"),
        object(18), .classRecord("Lost", "NSObject"), "text",
        object(21, [("NS.keys", [.uid(19)]), ("NS.objects", [.uid(7)])]), .classRecord("NSDictionary", "NSObject"),
      ], top: [("root", .uid(root))] + values)
  }

  /// Decodes in a way that reaches each callback, and changes rules so that what was decoded is released.
  private func run(_ coder: KeyedUnarchiver) {
    if let key = Self.key {
      coder.userInfo[key] = Farewell(.userInfoDeinitializer)
      coder.userInfo[key] = 0
    }
    for round in 0..<3 {
      _ = try? coder.decode(Carrier.self, forKey: "root")
      _ = try? coder.decodeTopLevelObject(of: [Carrier.self, ArchivedArray.self, Pair.self], forKey: "pairs")
      _ = try? coder.decode(Failing.self, forKey: "failing")
      coder.delegate = round == 0 ? Probe.current?.delegate : nil
      coder.setClass(nil, forClassName: "Unknown")
      _ = try? coder.decodeIfPresent([Pair].self, forKey: "pairs")
    }
    coder.delegate = Probe.current?.delegate
    coder.finishDecoding()
  }

  @Test("ends once, although its delegate ends it each time that it will end")
  func finishingTwice() throws {
    final class Insistent: KeyedUnarchiverDelegate {
      var messages: [String] = []
      func unarchiverWillFinish(_ unarchiver: KeyedUnarchiver) {
        messages.append("will")
        unarchiver.finishDecoding()
      }
      func unarchiverDidFinish(_ unarchiver: KeyedUnarchiver) {
        messages.append("did")
        unarchiver.finishDecoding()
      }
    }
    let (coder, delegate) = (try KeyedUnarchiver(forReadingFrom: Self.data), Insistent())
    coder.delegate = delegate
    coder.finishDecoding()
    #expect(delegate.messages == ["will", "did"])
    #expect(throws: KeyedArchiveError.self) { try coder.decode(Child.self, forKey: "child") }
  }

  @Test("works for each call from each callback", arguments: calls.indices)
  func eachCall(_ index: Int) throws {
    let coder = try KeyedUnarchiver(forReadingFrom: Self.data)
    coder.decodingFailurePolicy = .raiseException
    let probe = Probe(coder, Self.calls[index].1)
    Probe.$current.withValue(probe) { run(coder) }
    // After calls that end the decoding, keep an error outside of all initializers, or remove the delegate, not all run.
    let name = Self.calls[index].0
    guard !["finishDecoding", "failWithError", "unkeyed", "delegate nil"].contains(name) else { return }
    // No subclass is searched for a name that is mapped to another class.
    let unreached: Set<Callback> = name == "setClass" ? [.subclassByName] : []
    #expect(probe.reached == Set(Callback.allCases).subtracting(unreached), "\(name)")
    #expect(name != "containsValue" || probe.fired == Set(Callback.allCases))
  }
}
