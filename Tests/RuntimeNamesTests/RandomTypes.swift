// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import FoundationEssentials
import HarnessSupport

/// Random types, made by the runtime out of others.
struct RandomTypes {
  private var random: SeededRandom
  private var known: [Any.Type] = [
    Int.self, String.self, UInt8.self, Double.self, Bool.self, Character.self, Int?.self, Any.self, AnyObject.self,
    (any Error).self, (any Sendable & Hashable).self, Nested.self, Nested.Inner.self, Nested.Choice.self, Decimal.self,
    Data.self, URL.self, Never.self, Void.self, Range<Int>.self, Substring.self, ObjectIdentifier.self,
    (any Marked).self,
    (any Marked & AnyObject).self, (any Marked & Nested).self, ((inout Int, String) throws -> Bool).self,
    (@Sendable () async throws -> Void).self, (any Marked.Type).self, Task<Int, any Error>.self, MainActor.self,
    Mirror.AncestorRepresentation.self, Unicode.Scalar.self, AnyHashable.self,
  ]

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  /// Returns a class with arguments.
  mutating func next() -> AnyClass {
    for _ in 0..<Int.random(in: 0...3, using: &random) { known.append(composed()) }
    if known.count > 200 { known.removeSubrange(40...120) }
    let (a, b) = (pick(), pick())
    let made: Any.Type =
      switch Int.random(in: 0..<5, using: &random) {
      case 0: Make.one(a)
      case 1: Make.two(a, b)
      case 2: Make.inner(a, b)
      case 3: Make.plainInner(a)
      default: Make.deep(a, b)
      }
    return made as? AnyClass ?? Nested.self
  }

  private mutating func pick() -> Any.Type { known[Int.random(in: 0..<known.count, using: &random)] }

  private mutating func composed() -> Any.Type {
    let (a, b) = (pick(), pick())
    switch Int.random(in: 0..<12, using: &random) {
    case 0: return Make.array(a)
    case 1: return Make.optional(a)
    case 2: return Make.dictionary(a)
    case 3: return Make.metatype(a)
    case 4: return Make.tuple(a, b)
    case 5: return Make.labelled(a, b)
    case 6: return Make.function(a, b)
    case 7: return Make.throwing(a, b)
    case 8: return Make.borrowing(a, b)
    case 9: return Make.result(a)
    case 10: return Make.shelf(a)
    default: return Make.one(a)
    }
  }
}

protocol Marked {}

class Nested {
  class Inner {}
  enum Choice { case one }
}

class One<Content> {
  class Inner<Other> {
    class Deep {}
  }
  class Plain {}
}

class Two<First, Second> {}

struct Case<Content> {}

typealias ThrowingFunction<A, B> = (inout A, B...) throws -> (A, B)
typealias BorrowingFunction<A, B> = (borrowing A, consuming B) async -> Void

/// Functions from types to types.
private enum Make {
  static func one<A>(_: A.Type) -> Any.Type { One<A>.self }
  static func plainInner<A>(_: A.Type) -> Any.Type { One<A>.Plain.self }
  static func two<A, B>(_: A.Type, _: B.Type) -> Any.Type { Two<A, B>.self }
  static func inner<A, B>(_: A.Type, _: B.Type) -> Any.Type { One<A>.Inner<B>.self }
  static func deep<A, B>(_: A.Type, _: B.Type) -> Any.Type { One<A>.Inner<B>.Deep.self }

  static func array<A>(_: A.Type) -> Any.Type { [A].self }
  static func optional<A>(_: A.Type) -> Any.Type { A?.self }
  static func dictionary<A>(_: A.Type) -> Any.Type { [String: A].self }
  static func metatype<A>(_: A.Type) -> Any.Type { A.Type.self }
  static func shelf<A>(_: A.Type) -> Any.Type { Case<A>.self }
  static func result<A>(_: A.Type) -> Any.Type { Result<A, any Error>.self }
  static func tuple<A, B>(_: A.Type, _: B.Type) -> Any.Type { (A, B, A).self }
  static func labelled<A, B>(_: A.Type, _: B.Type) -> Any.Type { (first: A, B).self }
  static func function<A, B>(_: A.Type, _: B.Type) -> Any.Type { ((A) -> B).self }
  static func throwing<A, B>(_: A.Type, _: B.Type) -> Any.Type { ThrowingFunction<A, B>.self }
  static func borrowing<A, B>(_: A.Type, _: B.Type) -> Any.Type { BorrowingFunction<A, B>.self }
}
