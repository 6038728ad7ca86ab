// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PropertyListFormat
import TestSupport
import Testing

@testable import KeyedArchiving

/// An object that decodes the next one whatever errors its other values have.
private final class Box: SecureKeyedCoding {
  static var archiveClassName: String { "Box" }
  /// The errors of the values, the outermost object first.
  @TaskLocal static var errors = Errors()

  final class Errors: @unchecked Sendable {  // Used by one task only.
    var all: [KeyedArchiveError] = []
    func add(_ error: any Error) { if let error = error as? KeyedArchiveError { all.append(error) } }
  }

  init?(coder: KeyedUnarchiver) {
    do { _ = try coder.decode(Date.self, forKey: "date") } catch { Self.errors.add(error) }
    do { _ = try coder.decode(Date.self, forKey: "absent") } catch { Self.errors.add(error) }
    do { _ = try coder.decodeIfPresent(Box.self, forKey: "box") } catch { Self.errors.add(error) }
    do { _ = try coder.decodeIfPresent([String: Box].self, forKey: "boxes") } catch { Self.errors.add(error) }
  }

  func encode(with coder: KeyedArchiver) {}
}

@Suite("Errors in nested objects")
struct NestedErrorTests {
  /// An archive of objects in each other, each with a string where a date is expected.
  private static func nested(_ depth: Int) -> Data {
    let boxes = (0..<depth).map { number -> HandmadeList in
      let next: [(String, HandmadeList)] = number + 1 < depth ? [("box", .uid(UInt64(number + 4)))] : []
      return .dictionary([("date", .uid(2)), ("$class", .uid(1))] + next)
    }
    return HandmadeList.archive([.classRecord("Box", "NSObject"), "text"] + boxes, top: [("root", .uid(3))])
  }

  /// The errors of decoding the objects.
  private static func errors(_ data: Data) throws -> [KeyedArchiveError] {
    let errors = Box.Errors()
    try Box.$errors.withValue(errors) {
      _ = try KeyedUnarchiver.unarchivedObject(
        ofClass: Box.self, from: data, limits: ReadLimits(maximumDepth: 2048))
    }
    return errors.all
  }

  @Test("have the key path of their own value", arguments: [1, 2, 130, 400])
  func paths(_ depth: Int) throws {
    let expected = (0..<depth).flatMap { number in
      let path = "root" + String(repeating: ".box", count: number)
      return [path + ".date", path + ".absent"]
    }
    #expect(try Self.errors(Self.nested(depth)).map(\.keyPath) == expected)
  }

  // Each error once had a path of its own, so 8 times as many objects took 64 times as long.
  @Test("share the places of the objects around them, so their size grows as the number of objects does")
  func sharedPlaces() throws {
    func size(_ depth: Int) throws -> Int {
      let errors = try Self.errors(Self.nested(depth))
      #expect(errors.count == 2 * depth)
      var places: [ObjectIdentifier: ArchivePlace] = [:]
      for error in errors {
        var next = error.place
        #expect(next != nil)
        while let place = next, places[ObjectIdentifier(place)] == nil {
          places[ObjectIdentifier(place)] = place
          next = place.parent
        }
      }
      return places.values.reduce(0) { $0 + 1 + $1.steps.count }
    }
    let (small, large) = (try size(50), try size(400))
    #expect(small > 50 && large < 12 * small, "\(small) and \(large)")
  }

  @Test("after an object that failed have the path of the object that is being decoded")
  func siblings() throws {
    func box(_ values: (String, HandmadeList)...) -> HandmadeList { .dictionary(values + [("$class", .uid(1))]) }
    let data = HandmadeList.archive(
      [
        .classRecord("Box", "NSObject"), "text", box(("date", .uid(2)), ("box", .uid(4)), ("boxes", .uid(5))),
        box(("date", .uid(2)), ("boxes", .uid(2))),
        .dictionary([
          ("NS.keys", [.uid(7), .uid(8)]), ("NS.objects", [.uid(9), .uid(10)]), ("$class", .uid(6)),
        ]),
        .classRecord("NSDictionary", "NSObject"), "first", "second", box(("date", .uid(2))),
        box(("box", .uid(9)), ("date", .uid(2))),
      ], top: [("root", .uid(3))])
    let expected = [
      "root.date", "root.absent", "root.box.date", "root.box.absent", "root.box.boxes",
      #"root.boxes["first"].date"#, #"root.boxes["first"].absent"#, #"root.boxes["second"].date"#,
      #"root.boxes["second"].absent"#,
    ]
    #expect(try Self.errors(data).map(\.keyPath) == expected)
  }

  @Test("with one long key for the dictionaries around them have short texts")
  func longKey() throws {
    let key = String(repeating: "k", count: 100_000)
    let boxes = (0..<100).flatMap { number -> [HandmadeList] in
      let first = UInt64(5 + 2 * number)
      return [
        .dictionary([("date", .uid(2)), ("boxes", .uid(first + 1)), ("$class", .uid(1))]),
        .dictionary([
          ("NS.keys", number < 99 ? [.uid(4)] : []), ("NS.objects", number < 99 ? [.uid(first + 2)] : []),
          ("$class", .uid(3)),
        ]),
      ]
    }
    let data = HandmadeList.archive(
      [.classRecord("Box", "NSObject"), "text", .classRecord("NSDictionary", "NSObject"), .string(key)] + boxes,
      top: [("root", .uid(5))])
    let errors = try Self.errors(data)
    #expect(errors.count == 200)
    let path = try #require(errors.last?.keyPath)
    #expect(path.hasPrefix(#"root.boxes["kkk"#) && path.hasSuffix(#"kkk"].absent"#) && path.utf8.count < 120_000)
  }
}
