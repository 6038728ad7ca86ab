// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import SystemFiles
import TestSupport
import Testing

// What the tests of this folder have in common. Each tries to get a class to life that nobody asked for.

/// A class that must never come to life. Each test brings its own type, so that tests may run at the same time.
class CagedCanary<Cage>: SecureKeyedCoding {
  class var archiveClassName: String { "Canary" }
  func encode(with coder: KeyedArchiver) {}
  required init?(coder: KeyedUnarchiver) { CagedCanary.birth(ObjectIdentifier(Self.self)) }

  private static func birth(_ name: ObjectIdentifier) { Births.count.withLock { $0[name, default: 0] += 1 } }

  /// How many there were.
  static var births: Int { Births.count.withLock { $0[ObjectIdentifier(Self.self), default: 0] } }
}

/// The same for values, which are made and kept in another way than objects.
struct CagedEgg<Cage>: SecureKeyedCoding {
  static var archiveClassName: String { "Canary" }
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) { Births.count.withLock { $0[ObjectIdentifier(Self.self), default: 0] += 1 } }

  /// How many there were.
  static var births: Int { Births.count.withLock { $0[ObjectIdentifier(Self.self), default: 0] } }
}

private enum Births {
  static let count = Locked<[ObjectIdentifier: Int]>([:])
}

/// A class that may come out, with a child that it asks for itself.
final class Parent: SecureKeyedCoding {
  static var archiveClassName: String { "Parent" }
  var child: Parent?
  init() {}
  func encode(with coder: KeyedArchiver) { coder.encode(child, forKey: "child") }
  init?(coder: KeyedUnarchiver) { child = coder.decodeObject(of: Parent.self, forKey: "child") }
}

/// Class records and objects, as the tests write them down.
enum Hostile {
  static let parent: HandmadeList = .classRecord("Parent", "NSObject")
  static let canary: HandmadeList = .classRecord("Canary", "NSObject")
  static let array: HandmadeList = .classRecord("NSArray", "NSObject")
  static let set: HandmadeList = .classRecord("NSSet", "NSObject")
  static let dictionary: HandmadeList = .classRecord("NSDictionary", "NSObject")

  /// An object of a class with the values of its keys.
  static func object(_ classUID: UInt64, _ values: [(String, HandmadeList)] = []) -> HandmadeList {
    .dictionary(values + [("$class", .uid(classUID))])
  }

  /// A decoder that goes on after an error. It may know a type for the name `Canary`: one that it does not know could not
  /// come to life, whatever else was wrong.
  static func decoder(_ data: Data, knowing canary: (any KeyedCoding.Type)? = nil) throws -> KeyedUnarchiver {
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.decodingFailurePolicy = .raiseException
    if let canary { unarchiver.setClass(canary, forClassName: "Canary") }
    return unarchiver
  }

  /// What came of a decode: nothing if it was well, else the code of the error.
  static func verdict(_ decode: () throws -> Any?) -> String {
    do {
      return try decode() == nil ? "nil" : "made"
    } catch let error as KeyedArchiveError {
      return error.code.name
    } catch {
      return "\(error)"
    }
  }
}

/// Runs a decode that must be refused for a class, and proves that no canary of this cage was born.
func expectRefused<Cage>(
  _ cage: Cage.Type, _ className: String, at path: String? = nil,
  code: KeyedArchiveError.Code = .classNotAllowed, sourceLocation: SourceLocation = #_sourceLocation,
  _ decode: () throws -> Any?
) {
  let error = #expect(throws: KeyedArchiveError.self, sourceLocation: sourceLocation) { _ = try decode() }
  #expect(error?.code == code, "\(String(describing: error))", sourceLocation: sourceLocation)
  #expect(error?.className == className, "\(String(describing: error))", sourceLocation: sourceLocation)
  if let path { #expect(error?.keyPath == path, sourceLocation: sourceLocation) }
  #expect(CagedCanary<Cage>.births == 0, "an initialiser ran", sourceLocation: sourceLocation)
}
