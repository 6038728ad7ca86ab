// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import Synchronization
import TestSupport
import Testing

/// A way to request two fields that refer to the same object, the second one also if the first one failed.
private enum Request: CaseIterable {
  case recording, list, array, arrayOfList, deferred, catching, value, codable

  /// The request of the initializer that runs, and the number of initializers so far.
  @TaskLocal static var current = (Request.recording, Counter())

  final class Counter: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
  }

  static func run(_ coder: KeyedUnarchiver) throws {
    let (request, counter) = current
    counter.add()
    var isComplete = true
    for key in ["a", "b"] {
      switch request {
      case .recording: _ = coder.decodeObject(of: Twin.self, forKey: key)
      case .list: _ = coder.decodeObject(of: [Twin.self], forKey: key)
      case .array: _ = coder.decodeArrayOfObjects(ofClass: Twin.self, forKey: "array " + key)
      case .arrayOfList: _ = coder.decodeArrayOfObjects(ofClasses: [Twin.self], forKey: "array " + key)
      case .deferred: coder.decodeObject(of: Twin.self, forKey: key) { _ in }
      case .catching: if (try? coder.decodeIfPresent(Twin.self, forKey: key)) == nil { isComplete = false }
      case .value: if (try? coder.decodeIfPresent(TwinValue.self, forKey: key)) == nil { isComplete = false }
      case .codable: break
      }
    }
    if !isComplete { throw CancellationError() }
  }
}

private final class Twin: SecureKeyedCoding {
  static var archiveClassName: String { "Twin" }
  init(coder: KeyedUnarchiver) throws { try Request.run(coder) }
  func encode(with coder: KeyedArchiver) {}
}

private struct TwinValue: SecureKeyedCoding {
  static var archiveClassName: String { "Twin" }
  init(coder: KeyedUnarchiver) throws { try Request.run(coder) }
  func encode(with coder: KeyedArchiver) {}
}

final class CodableTwin: Decodable {
  private enum CodingKeys: String, CodingKey { case a, b }

  init(from decoder: any Decoder) throws {
    Request.current.1.add()
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let first = try? container.decode(CodableTwin.self, forKey: .a)
    let second = try? container.decode(CodableTwin.self, forKey: .b)
    if first == nil || second == nil { throw CancellationError() }
  }
}

@Suite("Objects that are requested again after an error")
struct RepeatedErrorTests {
  /// Objects that each refer to the next one twice, also in arrays. The last one refers to a string.
  private static func chain(_ count: Int, className: String) -> Data {
    let objects = (0..<count).flatMap { number -> [HandmadeList] in
      let object = UInt64(4 + 2 * number)
      let next: HandmadeList = .uid(number + 1 < count ? object + 2 : 3)
      let array: HandmadeList = .uid(object + 1)
      return [
        ["a": next, "b": next, "array a": array, "array b": array, "$class": .uid(1)],
        ["NS.objects": [next], "$class": .uid(2)],
      ]
    }
    return HandmadeList.archive(
      [.classRecord(className, "NSObject"), .classRecord("NSArray", "NSObject"), "text"] + objects,
      top: [("root", .uid(4))])
  }

  private static func decode(_ request: Request, _ data: Data) throws {
    switch request {
    case .codable: _ = try KeyedArchiveDecoder().decode(CodableTwin.self, from: data)
    case .value: _ = try KeyedUnarchiver.unarchivedObject(ofClass: TwinValue.self, from: data)
    default: _ = try KeyedUnarchiver.unarchivedObject(ofClass: Twin.self, from: data)
    }
  }

  // The number of initializers was once 2 to the power of the number of objects.
  @Test("cost bounded work, whatever the initializers do", .notHanging, arguments: Request.allCases)
  fileprivate func chains(_ request: Request) throws {
    let data = Self.chain(
      18, className: request == .codable ? "KeyedArchivingTests.CodableTwin" : "Twin")
    let counter = Request.Counter()
    #expect(throws: (any Error).self) {
      try Request.$current.withValue((request, counter)) { try Self.decode(request, data) }
    }
    #expect((1..<20_000).contains(counter.value), "\(counter.value) initializers")
  }
}

private final class Item: SecureKeyedCoding {
  static var archiveClassName: String { "Item" }
  init?(coder: KeyedUnarchiver) { guard coder.decodeInteger(forKey: "n") > 0 else { return nil } }
  init() {}
  func encode(with coder: KeyedArchiver) { coder.encode(1, forKey: "n") }
}

/// One of several forms of an object. Each reads all items before it finds out whether the object has its form.
private struct Form {
  let items: [Item]
  init?(_ number: Int, _ coder: KeyedUnarchiver) throws {
    items = try coder.decode([Item].self, forKey: "items")
    _ = try coder.decode(Int.self, forKey: "form \(number)")
  }
}

private struct AnyForm: SecureKeyedCoding {
  static var archiveClassName: String { "Forms" }
  let form: Form?

  init?(coder: KeyedUnarchiver) throws {
    form = (0..<8).lazy.compactMap { try? Form($0, coder) }.first
  }

  init() { form = nil }

  func encode(with coder: KeyedArchiver) {
    coder.encodeObject((0..<2000).map { _ in Item() }, forKey: "items")
    coder.encode(1, forKey: "form 7")
  }
}

extension RepeatedErrorTests {
  @Test("can be decoded as the last of several forms")
  func forms() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: AnyForm(), requiringSecureCoding: true)
    let found = try KeyedUnarchiver.unarchivedObject(ofClass: AnyForm.self, from: data)
    #expect(found?.form?.items.count == 2000)
  }
}
