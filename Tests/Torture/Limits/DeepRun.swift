// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchiveTools
import ArchivedClasses
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// Deep things are read, gone along and let go on a thread with little stack, as those are that tasks run on.
enum DeepRun {
  /// What threads other than the first get on Apple's systems, and what the first one has.
  private static let stacks = [512 << 10, 8 << 20]
  private static let million = 1_000_000

  /// Each makes something that is let go afterwards, and says no more of it than whether it is as deep as it should be.
  static let subjects: [(name: String, make: @Sendable () throws -> Any?)] = [
    ("a million objects as data, made here, each held by a key", { made { .object($0) } }),
    ("a million objects as data, made here, each held by a list", { made { .references([.null, .object($0)]) } }),
    ("a million objects as data, made here, each held conditionally", { made { .conditionalObject($0) } }),
    (
      "a million objects as data, in a ring that is dismantled",
      {
        let last = ArchivedObject(classes: "Link")
        let first = made(from: last) { .object($0) }
        last["next"] = .object(first)
        first.dismantle()
        return first
      }
    ),
    (
      "a million objects of a file, as data",
      {
        let object = try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedObject.self, from: chain(million, "Link"))
        return try measured(object) { $0["next"]?.object }
      }
    ),
    (
      "a million objects of a file, as a top level with values",
      {
        let data = chain(million, "Link")
        let top = try KeyedUnarchiver(forReadingFrom: data).decodeTopLevel(makingValues: KeyedUnarchiver.valueTypes)
        return try measured(top["root"]?.object) { $0["next"]?.object }
      }
    ),
    (
      "a million objects of a file, archived anew",
      {
        let data = chain(million, "Link")
        let rebuilt = try RebuiltArchive(of: data)
        guard rebuilt.data.count > million else { throw Breach("there are objects missing") }
        return rebuilt
      }
    ),
    (
      "a million objects of a file, looked at",
      {
        let archive = try KeyedArchive(chain(million, "Link"))
        guard archive.check().isEmpty, !archive.isCyclic, let path = archive.keyPath(to: ArchiveUID(rawValue: 2)),
          path.utf8.count == 4 + 5 * (million - 1)
        else { throw Breach("it is looked at wrongly") }
        return archive
      }
    ),
    ("500 arrays in each other", { try decoded(ArchivedArray.self, chain(500, "NSArray")) }),
    ("500 dictionaries in each other", { try decoded(ArchivedDictionary.self, chain(500, "NSDictionary")) }),
    ("500 sets in each other", { try decoded(ArchivedSet.self, chain(500, "NSSet")) }),
    (
      "500 objects in each other",
      { try KeyedUnarchiver.unarchivedObject(ofClass: Link.self, from: chain(500, "Link")) }
    ),
    (
      "500 Codable values in each other",
      {
        try KeyedUnarchiver.unarchivedObject(ofClass: Letter.self, from: chain(500, "Letter"))
      }
    ),
    (
      "500 lists in each other, in XML",
      {
        let (open, close) = (String(repeating: "<array>", count: 500), String(repeating: "</array>", count: 500))
        let list = try PropertyList(Data("<plist version=\"1.0\">\(open)\(close)</plist>".utf8))
        try list.validate()
        return try (list.data(format: .binary), list.data(format: .xml))
      }
    ),
    ("100,000 objects and errors that hold each other by turns", { try errors(100_000) }),
  ]

  private static func made(
    from last: ArchivedObject = ArchivedObject(classes: "Link"), _ hold: (ArchivedObject) -> ArchivedObject.Value
  ) -> ArchivedObject {
    var first = last
    for _ in 1..<million { first = ArchivedObject(classes: "Link", entries: [.init("next", hold(first))]) }
    return first
  }

  /// Objects of a class, the first of which is the outermost; number 1 is their class, and 2 the innermost.
  private static func chain(_ levels: Int, _ className: String) -> Data {
    var file = ArchiveFile()
    let classUID = file.classUID(className, "NSObject")
    var uid = 0
    for level in 0..<levels {
      let next = file.reference(uid)
      let list = className.hasPrefix("NS") ? file.row(.array(level == 0 ? [] : [next])) : next
      let key = className.hasPrefix("NS") ? "NS.objects" : "next"
      var fields = [(key, list)]
      if className == "NSDictionary" {
        fields.append(("NS.keys", file.row(.array(level == 0 ? [] : [file.reference(levels + 2)]))))
      }
      uid = file.object(row: file.fields(classUID, fields))
    }
    if className == "NSDictionary" { _ = file.object(row: file.text("key")) }
    return file.data(root: uid)
  }

  /// Objects of no known class and errors, each in the user info of which is the next object.
  private static func errors(_ levels: Int) throws -> Any {
    var file = ArchiveFile()
    let (box, error) = (file.classUID("Box", "NSObject"), file.classUID("NSError", "NSObject"))
    let dictionary = file.classUID("NSDictionary", "NSObject")
    let key = file.reference(file.object(row: file.text("key")))
    let keys = file.row(.array([key]))
    let code = file.row(.integer(1))
    var uid = 0
    for _ in 0..<levels {
      let held = file.object(row: file.fields(box, [("next", file.reference(uid))]))
      let values = file.row(.array([file.reference(held)]))
      let info = file.object(row: file.fields(dictionary, [("NS.keys", keys), ("NS.objects", values)]))
      uid = file.object(
        row: file.fields(error, [("NSDomain", key), ("NSCode", code), ("NSUserInfo", file.reference(info))]))
    }
    let data = file.data(root: uid)
    do {
      return try KeyedUnarchiver(forReadingFrom: data).decodeTopLevel(makingValues: KeyedUnarchiver.valueTypes)
    } catch let error as KeyedArchiveError where error.code == .limitReached {
      return error
    }
  }

  private static func decoded(_ type: any KeyedCoding.Type, _ data: Data) throws -> Any? {
    try KeyedUnarchiver.unarchivedObject(ofClasses: [type, String.self], from: data)
  }

  /// The object, once it was found to be a million levels deep.
  private static func measured(
    _ object: ArchivedObject?, _ next: (ArchivedObject) -> ArchivedObject?
  ) throws -> ArchivedObject? {
    var count = 0
    var current = object
    while let object = current {
      count += 1
      current = next(object)
    }
    guard count == million else { throw Breach("there are \(count) objects") }
    return object
  }

  private final class Link: SecureKeyedCoding {
    static var archiveClassName: String { "Link" }
    let next: Link?
    func encode(with coder: KeyedArchiver) {}
    init?(coder: KeyedUnarchiver) { next = coder.decodeObject(of: Link.self, forKey: "next") }
  }

  private final class Letter: KeyedCodable {
    static var archiveClassName: String { "Letter" }
    var next: Letter?
  }

  /// How many there are with each stack.
  static var count: Int { subjects.count * stacks.count }

  /// Each in a process of its own; returns how many of them did not go well.
  static func run() throws -> Int {
    var failures = 0
    for (place, subject) in subjects.enumerated() {
      for stack in stacks {
        let child = try Child(["deep-worker", "--subject", "\(place)", "--stack", "\(stack)"])
        defer { _ = child.end() }
        var end: String?
        do { try child.lines(timeout: 120) { end = $0 } } catch { end = "\(error)" }
        // What takes stack by levels may end in an error where there is little of it.
        let isFine = end == "fine" || stack == stacks[0] && end?.hasPrefix("limitReached: ") ?? false
        if !isFine { failures += 1 }
        let columns =
          (isFine ? [] : ["FAILED"]) + ["\(stack >> 10) kB of stack", subject.name, end ?? "the process died"]
        System.say(columns.joined(separator: "\t"))
      }
    }
    return failures
  }

  /// One of them.
  static func work(_ arguments: inout Arguments) throws {
    let subject = subjects[try arguments.number("subject", 0)]
    let stackBytes = try arguments.number("stack", stacks[0])
    try arguments.finish()
    try System.onThread(stackBytes: stackBytes) {
      do {
        var subject = try subject.make()
        guard subject != nil else { return System.say("there is nothing to let go") }
        subject = nil
        System.say("fine")
      } catch let error as KeyedArchiveError {
        System.say("\(error.code): \(error)")
      } catch {
        System.say("\(error)")
      }
    }
  }
}
