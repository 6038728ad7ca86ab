// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

/// Encodes and decodes whatever a test wants.
private final class Scripted: SecureKeyedCoding {
  @TaskLocal static var decoding: @Sendable (KeyedUnarchiver) throws -> Void = { _ in }
  let encoding: (KeyedArchiver) throws -> Void
  static var archiveClassName: String { "Scripted" }
  init(_ encoding: @escaping (KeyedArchiver) throws -> Void) { self.encoding = encoding }
  func encode(with coder: KeyedArchiver) throws { try encoding(coder) }
  init?(coder: KeyedUnarchiver) throws {
    encoding = { _ in }
    try Scripted.decoding(coder)
  }
}

@Suite("The coders' calls", .serialized)
struct CoderTests {
  /// Encodes in the first closure what the second decodes.
  private func roundTrip(
    _ encode: @escaping (KeyedArchiver) throws -> Void,
    _ decode: @escaping @Sendable (KeyedUnarchiver) throws -> Void
  ) throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Scripted(encode), requiringSecureCoding: true)
    _ = try Scripted.$decoding.withValue(decode) {
      try KeyedUnarchiver.unarchivedObject(ofClass: Scripted.self, from: data)
    }
  }

  @Test("scalars are stored inline and keep their width")
  func scalars() throws {
    try roundTrip {
      $0.encode(true, forKey: "bool")
      $0.encode(Int.min, forKey: "int")
      $0.encode(Int32.max, forKey: "int32")
      $0.encode(Int64(-1), forKey: "int64")
      $0.encode(Float.pi, forKey: "float")
      $0.encode(-0.0, forKey: "double")
      $0.encodeBytes(Data([1, 2, 3]), forKey: "bytes")
    } _: {
      #expect($0.decodeBool(forKey: "bool"))
      #expect($0.decodeInteger(forKey: "int") == Int.min)
      #expect($0.decodeInt32(forKey: "int32") == Int32.max)
      #expect($0.decodeInt64(forKey: "int64") == -1)
      #expect($0.decodeFloat(forKey: "float") == Float.pi)
      #expect($0.decodeDouble(forKey: "double").bitPattern == (-0.0).bitPattern)
      #expect($0.decodeBytes(forKey: "bytes") == Data([1, 2, 3]))
    }
  }

  @Test("a number stored inline reads as an object and the other way round")
  func numbersBothWays() throws {
    try roundTrip {
      $0.encodeObject(Float(2.5), forKey: "boxed float")
      $0.encodeObject(7, forKey: "boxed int")
      $0.encodeObject(true, forKey: "boxed bool")
    } _: {
      #expect($0.decodeFloat(forKey: "boxed float") == 2.5)
      #expect($0.decodeDouble(forKey: "boxed float") == 2.5)
      #expect($0.decodeInteger(forKey: "boxed int") == 7)
      #expect($0.decodeBool(forKey: "boxed bool"))
      #expect($0.decodeObject(of: Int8.self, forKey: "boxed int") == 7)
    }
    try roundTrip {
      $0.encode(Float(2.5), forKey: "inline float")
      $0.encode(7, forKey: "inline int")
    } _: {
      #expect($0.decodeObject(of: Float.self, forKey: "inline float") == 2.5)
      #expect($0.decodeObject(of: Int.self, forKey: "inline int") == 7)
      #expect((try? $0.decode(Int32.self, forKey: "inline int")) == 7)
    }
  }

  @Test("what is absent or nil reads as nil or zero without an error")
  func absent() throws {
    try roundTrip {
      $0.encode(nil as String?, forKey: "nil")
    } _: {
      #expect($0.containsValue(forKey: "nil"))
      #expect(!$0.containsValue(forKey: "absent"))
      #expect($0.decodeObject(of: String.self, forKey: "nil") == nil)
      for key in ["nil", "absent"] {
        #expect(!$0.decodeBool(forKey: key))
        #expect($0.decodeInteger(forKey: key) == 0)
        #expect($0.decodeDouble(forKey: key) == 0)
        #expect($0.decodeBytes(forKey: key) == nil)
        #expect($0.decodeObject(of: String.self, forKey: key) == nil)
        #expect((try? $0.decodeIfPresent(String.self, forKey: key)) == .some(nil))
      }
      #expect($0.error == nil)
    }
  }

  /// What is stored, what is asked for, and why that cannot be.
  private typealias Misfit = (
    stored: HandmadeList, ask: @Sendable (KeyedUnarchiver) -> Any, code: KeyedArchiveError.Code
  )

  private static let misfits: [Misfit] = [
    (3.99, { $0.decodeInteger(forKey: "v") }, .typeMismatch),
    (1, { $0.decodeDouble(forKey: "v") }, .typeMismatch),
    (1, { $0.decodeBool(forKey: "v") }, .typeMismatch),
    (true, { $0.decodeInteger(forKey: "v") }, .typeMismatch),
    (.integer(1 << 40), { $0.decodeInt32(forKey: "v") }, .outOfRange),
    (1e300, { $0.decodeFloat(forKey: "v") }, .outOfRange),
    (1e-300, { $0.decodeFloat(forKey: "v") }, .outOfRange),
    (-1e-300, { $0.decodeObject(of: Float.self, forKey: "v") as Any }, .outOfRange),
    ("text", { $0.decodeInteger(forKey: "v") }, .typeMismatch),
    (.data([1]), { $0.decodeDouble(forKey: "v") }, .typeMismatch),
    (.uid(3), { $0.decodeInteger(forKey: "v") }, .typeMismatch),
    (.uid(99), { $0.decodeInteger(forKey: "v") }, .damagedArchive),
    (
      .raw([0x14] + [UInt8](repeating: 0xFF, count: 16)), { $0.decodeObject(of: UInt64.self, forKey: "v") as Any },
      .outOfRange
    ),
  ]

  @Test("a value that does not fit is an error, never a zero", arguments: 0..<13)
  func misfits(_ row: Int) throws {
    let (stored, ask, code) = Self.misfits[row]
    let data = HandmadeList.archive([
      ["v": stored, "$class": .uid(2)], .classRecord("Scripted", "NSObject"), "text",
    ])
    let error = #expect(throws: KeyedArchiveError.self) {
      try Scripted.$decoding.withValue({ _ = ask($0) }) {
        try KeyedUnarchiver.unarchivedObject(ofClass: Scripted.self, from: data)
      }
    }
    #expect(error?.code == code, "\(String(describing: error))")
    #expect(error?.keyPath == "root.v")
  }

  @Test("the first error stays where it is kept, and decoding may go on where it is thrown")
  func policies() throws {
    let data = HandmadeList.archive(
      [["$class": .uid(2)], .classRecord("Other", "NSObject"), "text"], top: [("bad", .uid(1)), ("good", .uid(3))])
    let keeping = try KeyedUnarchiver(forReadingFrom: data)
    #expect(keeping.decodingFailurePolicy == .setErrorAndReturn)
    #expect(keeping.decodeObject(of: Scripted.self, forKey: "bad") == nil)
    #expect(keeping.error?.code == .classNotAllowed)
    #expect(keeping.decodeString(forKey: "good") == nil)
    #expect(throws: KeyedArchiveError.self) { try keeping.decode(String.self, forKey: "good") }

    let throwing = try KeyedUnarchiver(forReadingFrom: data)
    throwing.decodingFailurePolicy = .raiseException
    #expect(throws: KeyedArchiveError.self) { try throwing.decode(Scripted.self, forKey: "bad") }
    #expect(throwing.error == nil)
    #expect(try throwing.decode(String.self, forKey: "good") == "text")
  }

  @Test("keys that begin with a dollar sign are escaped and cannot be taken for the archiver's own")
  func escaping() throws {
    let keys = ["$class", "$0", "$", "$$", "$objects", "plain", "dots.and @", "été", "e\u{301}te\u{301}"]
    try roundTrip { coder in
      for (place, key) in keys.enumerated() { coder.encode(place, forKey: key) }
    } _: { coder in
      for (place, key) in keys.enumerated() { #expect(coder.decodeInteger(forKey: key) == place, "\(key)") }
    }
    let data = try KeyedArchiver.archivedData(
      withRootObject: Scripted { $0.encode(1, forKey: "$class") }, requiringSecureCoding: true)
    #expect(try KeyedArchive(data).root.keys == ["$$class"])
  }

  @Test("values without keys come out in their order")
  func unkeyed() throws {
    try roundTrip {
      $0.encode("first")
      $0.encode(nil)
      $0.encode([1, 2])
    } _: {
      #expect($0.containsNextValue)
      #expect($0.decodeObject(of: String.self) == "first")
      #expect($0.containsNextValue)
      #expect($0.decodeObject(of: String.self) == nil)
      #expect($0.decodeObject(of: [Int].self) == [1, 2])
      #expect(!$0.containsNextValue)
      #expect($0.error == nil)
    }
    #expect(throws: KeyedArchiveError.self) {
      try roundTrip({ $0.encode("only") }) { coder in for _ in 0..<2 { _ = coder.decodeObject(of: String.self) } }
    }
  }
}
