// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import SystemFiles
import TestSupport
import Testing

/// Objects whose initializers do what a test tells them by the object's class name: `A`, `B` and `C`.
private class Scripted: SecureKeyedCoding {
  typealias Script = @Sendable (KeyedUnarchiver, Scripted) throws -> Void
  @TaskLocal static var scripts: [String: Script] = [:]

  class var archiveClassName: String { "" }
  var child: Scripted?
  var notes: [String] = []
  func encode(with coder: KeyedArchiver) {}
  required init?(coder: KeyedUnarchiver) throws { try Scripted.scripts[Self.archiveClassName]?(coder, self) }
}
private final class A: Scripted { override class var archiveClassName: String { "A" } }
private final class B: Scripted { override class var archiveClassName: String { "B" } }
private final class C: Scripted { override class var archiveClassName: String { "C" } }

private final class Counter: Sendable {
  private let counted = Locked(0)
  var count: Int { counted.withLock { $0 } }
  func add() { counted.withLock { $0 += 1 } }
}

@Suite("Errors inside initializers")
struct FailureTests {
  /// `root` is an `A` with a text, a number, a `B` that has a `C`, and the `C`; both refer back.
  private let data = HandmadeList.archive([
    ["text": .uid(7), "number": 5, "b": .uid(3), "c": .uid(5), "$class": .uid(2)], .classRecord("A", "NSObject"),
    ["c": .uid(5), "a": .uid(1), "text": .uid(7), "$class": .uid(4)], .classRecord("B", "NSObject"),
    ["b": .uid(3), "a": .uid(1), "$class": .uid(6)], .classRecord("C", "NSObject"), "text",
  ])

  private func decode(_ scripts: [String: Scripted.Script]) throws -> Scripted? {
    try Scripted.$scripts.withValue(scripts) {
      try KeyedUnarchiver.unarchivedObject(ofClass: A.self, from: data)
    }
  }

  @Test("are over when they were thrown and caught, also in the static calls")
  func caught() throws {
    let made = try decode([
      "A": { coder, a in
        do {
          a.notes = ["\(try coder.decode(Date.self, forKey: "text"))"]
        } catch {
          a.notes = [try coder.decode(String.self, forKey: "text")]
        }
        #expect(coder.error == nil)
      }
    ])
    #expect(made?.notes == ["text"])
  }

  @Test("are over when a nonthrowing call of a nested object met them and the caller of that object caught them")
  func caughtFromNested() throws {
    let made = try decode([
      "A": { coder, a in
        a.notes.append((try? coder.decode(B.self, forKey: "b")) == nil ? "failed" : "made")
        #expect(coder.error == nil)
        a.child = try coder.decode(C.self, forKey: "c")
      },
      "B": { coder, _ in #expect(coder.decodeObject(of: Date.self, forKey: "text") == nil) },
    ])
    #expect(made?.notes == ["failed"])
    #expect(made?.child is C)
  }

  @Test("of nonthrowing calls let later calls return what they find, and the object fails with the first")
  func keptThenForced() throws {
    let reached = Counter()
    let scripts: [String: Scripted.Script] = [
      "A": { coder, a in
        #expect(coder.decodeObject(of: Date.self, forKey: "text") == nil)
        // As code that was ported from `as!` has it: none of these traps.
        a.notes = [coder.decodeObject(of: String.self, forKey: "text")!, coder.decodeString(forKey: "text")!]
        a.child = coder.decodeObject(of: B.self, forKey: "b")!
        a.child = coder.decodeObject(of: [C.self], forKey: "c") as? C
        #expect(a.child is C)
        #expect(coder.decodeInteger(forKey: "number") == 5)
        #expect(coder.decodeObject(of: Date.self, forKey: "c") == nil)
        reached.add()
      }
    ]
    let error = #expect(throws: KeyedArchiveError.self) { try decode(scripts) }
    #expect(reached.count == 1)
    #expect(error?.code == .classNotAllowed)
    #expect(error?.keyPath == "root.text")
  }

  @Test("of nonthrowing calls are the reason that is reported when the initializer throws or returns nil later")
  func firstError() throws {
    struct Own: Error {}
    let error = #expect(throws: KeyedArchiveError.self) {
      try decode([
        "A": { coder, _ in
          _ = coder.decodeObject(of: Date.self, forKey: "text")
          throw Own()
        }
      ])
    }
    #expect(error?.keyPath == "root.text")
    #expect(error?.code == .classNotAllowed)
  }

  @Test("of nonthrowing calls are thrown by the next throwing call of the same initializer")
  func keptThenThrowing() throws {
    let scripts: [String: Scripted.Script] = [
      "A": { coder, _ in
        _ = coder.decodeObject(of: Date.self, forKey: "text")
        let thrown = #expect(throws: KeyedArchiveError.self) { try coder.decode(String.self, forKey: "text") }
        #expect(thrown?.keyPath == "root.text")
      }
    ]
    let error = #expect(throws: KeyedArchiveError.self) { try decode(scripts) }
    #expect(error?.keyPath == "root.text")
  }

  @Test("let no value out to the caller", arguments: [false, true])
  func nothingComesOut(isThrown: Bool) throws {
    try Scripted.$scripts.withValue(["A": { coder, _ in _ = coder.decodeObject(of: Date.self, forKey: "text") }]) {
      let coder = try KeyedUnarchiver(forReadingFrom: data)
      if isThrown {
        #expect(throws: KeyedArchiveError.self) { try coder.decode(A.self, forKey: "root") }
      } else {
        #expect(coder.decodeObject(of: A.self, forKey: "root") == nil)
      }
      #expect(coder.error?.keyPath == "root.text")
      // Neither does anything else.
      #expect(coder.decodeObject(of: A.self, forKey: "root") == nil)
      #expect(!coder.containsValue(forKey: "root"))
      #expect(throws: KeyedArchiveError.self) { try coder.decode(A.self, forKey: "root") }
    }
  }

  @Test("leave nothing behind of what was decoded inside the object that failed")
  func rolledBack() throws {
    struct Own: Error {}
    let attempts = Counter()
    // `C` is complete when `B` fails, but for the reference to `B` that was to be delivered.
    let scripts: [String: Scripted.Script] = [
      "A": { coder, a in
        _ = try? coder.decode(B.self, forKey: "b")
        a.child = try coder.decode(C.self, forKey: "c")
      },
      "B": { coder, b in
        b.child = try coder.decode(C.self, forKey: "c")
        attempts.add()
        if attempts.count == 1 { throw Own() }
      },
      "C": { coder, c in coder.decodeObject(of: B.self, forKey: "b") { c.child = $0 } },
    ]
    let made = try #require(try decode(scripts))
    // The reference was promised, so `B` is decoded once more for it.
    #expect(attempts.count == 2)
    #expect(made.child?.child is B)
    #expect(made.child?.child?.child === made.child)

    let error = #expect(throws: KeyedArchiveError.self) {
      try decode(
        scripts.merging([
          "B": { coder, b in
            b.child = try coder.decode(C.self, forKey: "c")
            throw Own()
          }
        ]) { $1 })
    }
    #expect(error?.underlying is Own)
  }

  @Test("end what was deferred inside the object that failed")
  func deferredIsForgotten() throws {
    struct Own: Error {}
    let delivered = Counter()
    let made = try decode([
      "A": { coder, _ in _ = try? coder.decode(B.self, forKey: "b") },
      "B": { coder, _ in
        coder.decodeObject(of: C.self, forKey: "c") { _ in delivered.add() }
        coder.decodeObject(of: A.self, forKey: "a") { _ in delivered.add() }
        throw Own()
      },
    ])
    #expect(made != nil)
    #expect(delivered.count == 0)
  }

  @Test("of a delivery are its own, and fail the decode with their reason")
  func deliveries() throws {
    let error = #expect(throws: KeyedArchiveError.self) {
      try decode([
        "A": { coder, a in a.child = coder.decodeObject(of: B.self, forKey: "b") },
        "B": { coder, b in
          coder.decodeObject(of: A.self, forKey: "a") { _ in coder.failWithError(CocoaError(.coderInvalidValue)) }
        },
      ])
    }
    #expect(error?.underlying is CocoaError)
  }

  @Test("of the deferred form name the key, where a text stands in the place of an object")
  func deferredText() throws {
    let error = #expect(throws: KeyedArchiveError.self) {
      try decode(["A": { coder, a in coder.decodeObject(of: B.self, forKey: "text") { a.child = $0 } }])
    }
    #expect(error?.keyPath == "root.text")
    let listed = #expect(throws: KeyedArchiveError.self) {
      try decode(["A": { coder, _ in coder.decodeObject(of: [B.self, C.self], forKey: "text") { _ in } }])
    }
    #expect(listed?.keyPath == "root.text")
  }

  @Test("of an archive in which nothing was encoded say so")
  func emptyArchive() throws {
    let data = try KeyedArchiver(requiringSecureCoding: true).encodedData
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: [String].self, from: data)
    }
    #expect(error?.code == .valueNotFound && error?.remedy?.hasPrefix("The archive has no keys") == true)
  }
}
