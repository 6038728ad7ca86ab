// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import Testing

/// Makes one call of the archiver from one of the places where code outside of the library runs.
private final class Probe: @unchecked Sendable {  // Used by one task only.
  @TaskLocal static var current: Probe?

  weak var coder: KeyedArchiver?
  let place: Place
  let call: (KeyedArchiver) throws -> Void
  /// The error of the call, or nil if it returned; nil until it was made.
  private(set) var outcome: Outcome?

  init(_ coder: KeyedArchiver, at place: Place, _ call: @escaping (KeyedArchiver) throws -> Void) {
    (self.coder, self.place, self.call) = (coder, place, call)
  }

  /// Makes the call at the first time that the place is reached.
  static func fire(_ place: Place) {
    guard let probe = current, probe.place == place, probe.outcome == nil, let coder = probe.coder else { return }
    // What a call encodes reaches places too.
    probe.outcome = .returns
    do {
      try probe.call(coder)
    } catch {
      probe.outcome = .fails((error as? KeyedArchiveError)?.code)
    }
  }
}

/// How a call ends, and how the archive does.
private enum Outcome: Equatable, CustomStringConvertible {
  case returns
  case fails(KeyedArchiveError.Code?)

  static func of(_ body: () throws -> Void) -> Outcome {
    do {
      try body()
      return .returns
    } catch {
      return .fails((error as? KeyedArchiveError)?.code)
    }
  }

  var description: String {
    switch self {
    case .returns: "returns"
    case .fails(let code): "fails(\(code.map { "\($0)" } ?? "another error"))"
    }
  }
}

private enum Place: String, CaseIterable, CustomTestStringConvertible {
  case encodeClass, encodeStruct, encodeCodable, encodeElement
  case recordInArray, recordInTopLevelArray, recordInReferences, className, classChain, supportsSecureCoding,
    replacement
  case willEncode, willReplace, didEncode, willFinish, didFinish
  case objectDeinitializer, dataDeallocator, userInfoDeinitializer, errorDeinitializer

  var testDescription: String { rawValue }
}

/// Fires when the last reference to it is released.
private final class Farewell: Sendable {
  let place: Place
  init(_ place: Place) { self.place = place }
  deinit { Probe.fire(place) }
}

private final class Root: SecureKeyedCoding, ArchiveReplacing {
  class var archiveClassName: String {
    Probe.fire(.className)
    return "Root"
  }
  static var archiveClassChain: [String] {
    Probe.fire(.classChain)
    return ["Root", "NSObject"]
  }
  static var supportsSecureCoding: Bool {
    Probe.fire(.supportsSecureCoding)
    return true
  }
  private let farewell = Farewell(.objectDeinitializer)
  private var child: Leaf? = Leaf(1)

  func replacementObject(for coder: KeyedArchiver) -> (any KeyedCoding)? {
    Probe.fire(.replacement)
    return self
  }

  func encode(with coder: KeyedArchiver) {
    coder.encode("before", forKey: "first")
    Probe.fire(.encodeClass)
    coder.encode([Wrapped(text: "a"), Wrapped(text: "b")], forKey: "wrapped")
    let elements = ["e", "f"].map { ArchivedObject.Value.value(Wrapped(text: $0, at: .recordInReferences)) }
    coder.encode(ArchivedObject(classes: "List", entries: [.init("list", .references(elements))]), forKey: "read")
    coder.encode([Leaf(2), child, child].compactMap { $0 }, forKey: "leaves")
    coder.encode(Point(), forKey: "point")
    coder.encode(Coded(text: "coded"), forKey: "coded")
    coder.encodeConditionalObject(child, forKey: "child")
    coder.encode(Self.bytes, forKey: "bytes")
    coder.encode("after", forKey: "last")
  }

  init() {}
  init?(coder: KeyedUnarchiver) { nil }

  private static var bytes: Data {
    let farewell = Farewell(.dataDeallocator)
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
    unsafe bytes.initializeMemory(as: UInt8.self, repeating: 7)
    guard let address = bytes.baseAddress else { return Data() }
    return unsafe Data(
      bytesNoCopy: address, count: 100,
      deallocator: .custom { address, _ in
        unsafe address.deallocate()
        withExtendedLifetime(farewell) {}
      })
  }
}

private final class Leaf: SecureKeyedCoding {
  static var archiveClassName: String { "Leaf" }
  let number: Int
  init(_ number: Int) { self.number = number }
  func encode(with coder: KeyedArchiver) {
    coder.encode(number, forKey: "number")
    Probe.fire(.encodeElement)
  }
  init?(coder: KeyedUnarchiver) { nil }
}

private struct Point: SecureKeyedCoding {
  static var archiveClassName: String { "Point" }
  init() {}
  func encode(with coder: KeyedArchiver) {
    coder.encode(1.5, forKey: "x")
    Probe.fire(.encodeStruct)
  }
  init?(coder: KeyedUnarchiver) { nil }
}

private struct Coded: KeyedCodable {
  static var archiveClassName: String { "Coded" }
  let text: String
  init(text: String) { self.text = text }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(text, forKey: .text)
    Probe.fire(.encodeCodable)
  }
}

/// Is archived as its text.
private struct Wrapped: SecureKeyedCoding {
  let text: String
  let place: Place
  init(text: String, at place: Place = .recordInArray) { (self.text, self.place) = (text, place) }
  func record(in coder: KeyedArchiver) -> RecordedValue {
    Probe.fire(place)
    return text.record(in: coder)
  }
  static func decode(_ uid: ArchiveUID, in coder: KeyedUnarchiver) throws -> Wrapped? { nil }
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) { nil }
}

private final class Delegate: KeyedArchiverDelegate {
  func archiver(_ archiver: KeyedArchiver, willEncode object: any KeyedCoding) -> (any KeyedCoding)? {
    Probe.fire(.willEncode)
    return object
  }
  func archiver(_ archiver: KeyedArchiver, didEncode object: any KeyedCoding) { Probe.fire(.didEncode) }
  func archiver(_ archiver: KeyedArchiver, willReplace object: any KeyedCoding, with replacement: (any KeyedCoding)?) {
    Probe.fire(.willReplace)
  }
  func archiverWillFinish(_ archiver: KeyedArchiver) { Probe.fire(.willFinish) }
  func archiverDidFinish(_ archiver: KeyedArchiver) { Probe.fire(.didFinish) }
}

/// In the checked build (`CHECK_EXCLUSIVITY=1`) an overlapping access ends the process.
@Suite("An archiver that is used from its callbacks", .serialized)
struct ArchiverReentrancyTests {
  /// A call, and the outcomes that it has at each place: of the call itself, and of the archive.
  private struct Call: CustomTestStringConvertible {
    let name: String
    let run: (KeyedArchiver) throws -> Void
    let expected: (Place) -> (call: Outcome, archive: Outcome)
    var testDescription: String { name }

    init(
      _ name: String, _ expected: @escaping (Place) -> (Outcome, Outcome),
      _ run: @escaping (KeyedArchiver) throws -> Void
    ) {
      (self.name, self.run, self.expected) = (name, run, expected)
    }
  }

  private struct Reason: Error { let farewell = Farewell(.errorDeinitializer) }

  /// The call has no effect on the archive.
  private static func harmless(_ place: Place) -> (Outcome, Outcome) { (.returns, .returns) }

  /// A value belongs to the object that is being encoded, or to the top level if none is. The value comes too late after
  /// the archive was written, and belongs to nothing between two objects of the graph.
  private static func encoding(_ place: Place) -> (Outcome, Outcome) {
    switch place {
    case .encodeClass, .encodeStruct, .encodeCodable, .encodeElement: (.returns, .returns)
    // Another value would take the place of an element.
    case .recordInArray, .recordInTopLevelArray, .recordInReferences: (.returns, .fails(.notEncodable))
    // These are reached before or after the root object.
    case .className, .classChain, .supportsSecureCoding, .replacement, .willEncode, .willReplace, .willFinish,
      .userInfoDeinitializer, .errorDeinitializer:
      (.returns, .returns)
    case .didEncode: (.returns, .fails(.notEncodable))
    case .didFinish, .dataDeallocator, .objectDeinitializer: (.returns, .fails(.alreadyFinished))
    }
  }

  /// The archive can be taken when nothing is being encoded. Then nothing can be encoded later.
  private static func finishing(_ place: Place) -> (Outcome, Outcome) {
    switch place {
    case .userInfoDeinitializer, .errorDeinitializer: (.returns, .fails(.alreadyFinished))
    case .didFinish: (.returns, .returns)
    default: (.fails(.alreadyFinished), .returns)
    }
  }

  private static var calls: [Call] {
    [
      Call("encode a string", encoding) { $0.encode("new", forKey: "new") },
      Call("encode a number", encoding) { $0.encode(5, forKey: "new") },
      Call("encode an object", encoding) { $0.encode(Leaf(9), forKey: "new") },
      Call("encode an array", encoding) { $0.encode([Leaf(9)], forKey: "new") },
      Call("encode a set", encoding) { $0.encode(Set(["x", "y"]), forKey: "new") },
      Call("encode bytes", encoding) { $0.encodeBytes(Data([1]), forKey: "new") },
      Call("encode without a key", encoding) { $0.encode(Leaf(9)) },
      Call("encode a conditional object", encoding) { $0.encodeConditionalObject(Leaf(9), forKey: "new") },
      Call("encodedData", finishing) { _ = try $0.encodedData },
      Call("finishEncoding", finishing) { try $0.finishEncoding() },
      Call("setClassName", harmless) { $0.setClassName("Other", for: Leaf.self) },
      Call("className(for:)", harmless) { _ = $0.className(for: Leaf.self) },
      Call("error", harmless) { _ = $0.error },
      Call("failWithError", { place in (.returns, .fails(.reportedByClass)) }) { $0.failWithError(Reason()) },
      Call("outputFormat", harmless) { $0.outputFormat = .xml },
      Call("delegate", harmless) { $0.delegate = nil },
      Call("the delegate again", harmless) {
        let delegate = $0.delegate
        $0.delegate = nil
        $0.delegate = delegate
      },
      Call("userInfo", harmless) { if let key { $0.userInfo[key] = Farewell(.userInfoDeinitializer) } },
      Call("repeatedKeyPolicy", harmless) { $0.repeatedKeyPolicy = .keepLast },
      Call("repeatedKeys", harmless) { _ = $0.repeatedKeys },
      Call("maximumByteCount", harmless) { $0.maximumByteCount += 1 },
      Call("another archive", harmless) { _ in
        _ = try KeyedArchiver.archivedData(withRootObject: [Leaf(8)], requiringSecureCoding: true)
      },
      Call("a decoder", harmless) { _ in
        let data = try KeyedArchiver.archivedData(withRootObject: ["x": [1]], requiringSecureCoding: true)
        _ = try KeyedUnarchiver.unarchivedObject(ofClass: [String: [Int]].self, from: data)
      },
      Call("a decoder of a damaged file", { _ in (.fails(.damagedPropertyList), .returns) }) { _ in
        _ = try KeyedUnarchiver(forReadingFrom: Data([1, 2, 3]))
      },
    ]
  }

  private static let key = CodingUserInfoKey(rawValue: "key")

  /// Archives so that each place is reached. The errors of an archiver that failed are not the caller's.
  private static func archive(_ coder: KeyedArchiver, _ delegate: Delegate) throws -> Data {
    if let key {
      coder.userInfo[key] = Farewell(.userInfoDeinitializer)
      coder.userInfo[key] = 0
    }
    do { _ = Reason() }
    // A delegate would need the array itself, before its elements are recorded.
    coder.encode(["c", "d"].map { Wrapped(text: $0, at: .recordInTopLevelArray) }, forKey: "list")
    coder.delegate = delegate
    coder.encode(Root(), forKey: "root")
    coder.encode(1, forKey: "end")
    return try coder.encodedData
  }

  @Test("a delegate that asks for the archive each time that it will be written gets an error, and no further message")
  func finishingTwice() throws {
    final class Insistent: KeyedArchiverDelegate {
      var errors: [KeyedArchiveError.Code?] = []
      func archiverWillFinish(_ archiver: KeyedArchiver) {
        do { _ = try archiver.encodedData } catch { errors.append((error as? KeyedArchiveError)?.code) }
      }
    }
    let (coder, delegate) = (KeyedArchiver(requiringSecureCoding: true), Insistent())
    coder.delegate = delegate
    coder.encode("a", forKey: "root")
    #expect(try KeyedArchive(coder.encodedData).root.string == "a")
    #expect(delegate.errors == [.alreadyFinished])
  }

  @Test("ends in a result or in a typed error", arguments: Place.allCases)
  private func eachCall(_ place: Place) throws {
    for call in Self.calls {
      let coder = KeyedArchiver(requiringSecureCoding: true)
      let delegate = Delegate()
      let probe = Probe(coder, at: place, call.run)
      var data: Data?
      let outcome = Probe.$current.withValue(probe) {
        Outcome.of { data = try Self.archive(coder, delegate) }
      }
      let expected = call.expected(place)
      #expect(probe.outcome == expected.call, "\(call.name) at \(place.rawValue)")
      #expect(outcome == expected.archive, "\(call.name) at \(place.rawValue)")
      guard let data else { continue }
      // Whatever was added, what the objects encoded is in its place.
      let archive = try KeyedArchive(data)
      #expect(archive["list"].array?.map(\.string) == ["c", "d"], "\(call.name) at \(place.rawValue)")
      let root = archive.root
      #expect(root["first"].string == "before" && root["last"].string == "after", "\(call.name) at \(place.rawValue)")
      #expect(root["wrapped"].array?.map(\.string) == ["a", "b"], "\(call.name) at \(place.rawValue)")
      #expect(root["read"]["list"].array?.map(\.string) == ["e", "f"], "\(call.name) at \(place.rawValue)")
      let numbers = root["leaves"].array?.map { $0["number"].number }
      #expect(numbers == [.integer(2), .integer(1), .integer(1)], "\(call.name) at \(place.rawValue)")
      #expect(root["child"].uid == root["leaves"][1].uid, "\(call.name) at \(place.rawValue)")
      #expect(root["coded"]["text"].string == "coded" && root["point"]["x"].number == .double(1.5))
    }
  }
}
