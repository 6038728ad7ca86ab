// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import KeyedArchivingFoundation
import Testing

/// The places where coders run code of a program, for ``Crate`` and its delegates.
enum Callback: String, CaseIterable {
  case initializer, initializerEnd, nestedInitializer, elementInitializer, awakening, delivery, lateDelivery
  case className, aliases, subclasses, subclassByName, classForKeyedUnarchiver, supportsSecureCoding, hash, equality
  case cannotDecode, didDecode, willReplaceDecoded, willFinishDecoding, didFinishDecoding, deinitializer
  case encoding, nestedEncoding, elementEncoding, replacement, classForCoder, classForKeyedArchiver, classFallbacks
  case classChain, willEncode, didEncode, willReplace, willFinish, didFinish, encodedDeinitializer

  /// Those of an unarchiver.
  static let ofDecoding: [Callback] = [
    .initializer, .initializerEnd, .nestedInitializer, .elementInitializer, .awakening, .delivery, .lateDelivery,
    .className, .aliases, .subclasses, .subclassByName, .classForKeyedUnarchiver, .supportsSecureCoding, .hash,
    .equality, .cannotDecode, .didDecode, .willReplaceDecoded, .willFinishDecoding, .didFinishDecoding, .deinitializer,
  ]

  /// Those of an archiver.
  static let ofEncoding: [Callback] = [
    .encoding, .nestedEncoding, .elementEncoding, .replacement, .classForCoder, .classForKeyedArchiver, .classFallbacks,
    .supportsSecureCoding, .className, .classChain, .willEncode, .didEncode, .willReplace, .willFinish, .didFinish,
    .encodedDeinitializer,
  ]
}

/// The coders of one archiving or decoding, and what a test does at one callback.
final class CrateRun: @unchecked Sendable {  // Used by one thread only.
  @TaskLocal static var current: CrateRun?

  /// The coders whose methods run, the outermost first, with the number of each object; and those whose methods returned.
  private(set) var running: [(coder: NSCoder, number: Int)] = []
  private(set) var kept: [NSCoder] = []
  private let callback: Callback
  private let step: (CrateRun) -> Void
  private(set) var hasFired = false
  /// The error of a misused coder that belongs to an object whose failure is caught.
  private(set) var caught: KeyedArchiveError?

  init(at callback: Callback, _ step: @escaping (CrateRun) -> Void) { (self.callback, self.step) = (callback, step) }

  static func begin(_ coder: NSCoder, _ number: Int) { current?.running.append((coder, number)) }

  static func end() { if let last = current?.running.popLast() { current?.kept.append(last.coder) } }

  static func note(_ error: any Error) {
    if let error = error as? KeyedArchiveError, error.code == .reportedByClass { current?.caught = error }
  }

  /// Runs the step if this is the first time that its callback is reached.
  static func fire(_ callback: Callback) {
    guard let run = current, run.callback == callback, !run.hasFired else { return }
    run.hasFired = true
    run.step(run)
  }
}

extension CrateRun {
  private final class Handover<Result>: @unchecked Sendable {  // Each thread waits for the other.
    var coder: NSCoder?
    var result: Swift.Result<Result, any Error>?
  }

  /// Runs a step with the coder of a callback in another thread, which waits. Returns the result of the work there.
  static func withForeignCoder<Result>(
    at callback: Callback, _ work: @escaping @Sendable (CrateRun) throws -> Result, _ step: (NSCoder) -> Void
  ) throws -> Result {
    let (handover, ready, done, ended) = (
      Handover<Result>(), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    Thread.detachNewThread {
      let run = CrateRun(at: callback) { run in
        handover.coder = run.running.last?.coder
        ready.signal()
        done.wait()
      }
      handover.result = Swift.Result { try work(run) }
      ended.signal()
    }
    ready.wait()
    if let coder = handover.coder { step(coder) }
    handover.coder = nil
    done.signal()
    ended.wait()
    return try #require(handover.result).get()
  }
}

/// A bridged class with a value of each kind, all of which follow from its number.
final class Crate: NSObject, NSSecureCoding, FoundationCoding, ArchiveAwakening {
  let number: Int
  var tag: Tag?
  var child: Crate?
  var items: [Crate] = []
  var group: Set<Crate> = []
  weak var owner: Crate?

  init(_ number: Int) {
    self.number = number
    tag = Tag(number + 1000)
  }

  /// A graph of six objects, the first of which has a number.
  static func graph(_ first: Int) -> Crate {
    let root = Crate(first)
    root.child = Crate(first + 1)
    root.child?.owner = root
    root.items = [Crate(first + 2), Crate(first + 3)]
    root.group = [Crate(first + 4), Crate(first + 5)]
    return root
  }

  /// The contents of the object and of those below it.
  var summary: String {
    var parts = ["\(number)", "tag \(tag?.number ?? 0)", child?.summary ?? "-"]
    parts += items.map(\.summary) + ["|"] + group.map(\.summary).sorted() + [owner.map { "of \($0.number)" } ?? "-"]
    return "(" + parts.joined(separator: " ") + ")"
  }

  static var supportsSecureCoding: Bool {
    CrateRun.fire(.supportsSecureCoding)
    return true
  }
  static var archiveClassName: String {
    CrateRun.fire(.className)
    return "Crate"
  }
  static var archiveClassAliases: [String] {
    CrateRun.fire(.aliases)
    return []
  }
  static var archiveClassChain: [String] {
    CrateRun.fire(.classChain)
    return ["Crate", "NSObject"]
  }
  static var archiveSubclasses: [any KeyedCoding.Type] {
    CrateRun.fire(.subclasses)
    return []
  }
  static func archiveSubclass(named name: String) -> (any KeyedCoding.Type)? {
    CrateRun.fire(.subclassByName)
    return nil
  }
  override class func classForKeyedUnarchiver() -> AnyClass {
    CrateRun.fire(.classForKeyedUnarchiver)
    return Crate.self
  }
  override class func classFallbacksForKeyedArchiver() -> [String] {
    CrateRun.fire(.classFallbacks)
    return []
  }
  override var classForCoder: AnyClass {
    CrateRun.fire(.classForCoder)
    return Crate.self
  }
  override var classForKeyedArchiver: AnyClass? {
    CrateRun.fire(.classForKeyedArchiver)
    return nil
  }
  override func replacementObject(for coder: NSCoder) -> Any? {
    CrateRun.begin(coder, number)
    defer { CrateRun.end() }
    CrateRun.fire(.replacement)
    return self
  }
  override var hash: Int {
    CrateRun.fire(.hash)
    return 1
  }
  override func isEqual(_ other: Any?) -> Bool {
    CrateRun.fire(.equality)
    return (other as? Crate)?.number == number
  }

  func encode(with coder: NSCoder) {
    CrateRun.begin(coder, number)
    defer { CrateRun.end() }
    coder.encode(number, forKey: "number")
    CrateRun.fire(number % 100 == 1 ? .encoding : number % 100 == 2 ? .nestedEncoding : .elementEncoding)
    coder.encode(true, forKey: "flag")
    coder.encode(Double(number) + 0.5, forKey: "real")
    coder.encode("text \(number)", forKey: "text")
    coder.encode(["list \(number)"], forKey: "list")
    coder.encode(["key \(number)": number], forKey: "table")
    coder.encode(CGPoint(x: number, y: 0), forKey: "point")
    coder.encode(CGSize(width: number, height: 0), forKey: "size")
    coder.encode(CGRect(x: number, y: 0, width: 0, height: 0), forKey: "rect")
    unsafe coder.encodeBytes([UInt8(number)], length: 1, forKey: "bytes")
    coder.encode(Data([UInt8(number)]))
    coder.encode(tag, forKey: "tag")
    coder.encode(child, forKey: "child")
    coder.encode(items, forKey: "items")
    coder.encode(group as NSSet, forKey: "group")
    coder.encode(owner, forKey: "owner")
    coder.encode(Broken(), forKey: "broken")
    coder.encode(Stray(), forKey: "stray")
  }

  init?(coder: NSCoder) {
    number = coder.decodeInteger(forKey: "number")
    super.init()
    CrateRun.begin(coder, number)
    defer { CrateRun.end() }
    CrateRun.fire(number % 100 == 1 ? .initializer : number % 100 == 2 ? .nestedInitializer : .elementInitializer)
    tag = coder.decodeObject(of: Tag.self, forKey: "tag")
    // The owner is in progress, so this waits; the second one is at hand.
    coder.decodeObject(of: Crate.self, forKey: "owner") {
      self.owner = $0
      CrateRun.fire(.lateDelivery)
    }
    coder.decodeObject(of: Tag.self, forKey: "tag") { _ in CrateRun.fire(.delivery) }
    child = coder.decodeObject(of: Crate.self, forKey: "child")
    items = coder.decodeArrayOfObjects(ofClass: Crate.self, forKey: "items") ?? []
    group = coder.decodeObject(of: [NSSet.self, Crate.self], forKey: "group") as? Set<Crate> ?? []
    // An object fails, and is released with what was decoded in it.
    do { _ = try coder.decodeTopLevelObject(of: Broken.self, forKey: "broken") } catch { CrateRun.note(error) }
    // A class of another name is searched, and the delegate asked.
    _ = try? coder.decodeTopLevelObject(of: Crate.self, forKey: "stray")
    CrateRun.fire(.initializerEnd)
  }

  func awakeAfter(using coder: KeyedUnarchiver) throws -> Crate {
    CrateRun.fire(.awakening)
    return self
  }

  deinit { CrateRun.fire(.encodedDeinitializer) }
}

/// A bridged class that is in every ``Crate``.
final class Tag: NSObject, NSSecureCoding, FoundationCoding {
  static var supportsSecureCoding: Bool { true }
  let number: Int
  init(_ number: Int) { self.number = number }
  func encode(with coder: NSCoder) { coder.encode(number, forKey: "number") }
  init?(coder: NSCoder) {
    number = coder.decodeInteger(forKey: "number")
    super.init()
    CrateRun.begin(coder, number)
    CrateRun.end()
  }
}

/// A class whose objects fail when they are decoded.
final class Broken: NSObject, NSSecureCoding, FoundationCoding {
  static var supportsSecureCoding: Bool { true }
  override init() {}
  func encode(with coder: NSCoder) {}
  init?(coder: NSCoder) {
    super.init()
    return nil
  }
  deinit { CrateRun.fire(.deinitializer) }
}

/// A class that no request names.
final class Stray: NSObject, NSSecureCoding, FoundationCoding {
  static var supportsSecureCoding: Bool { true }
  override init() {}
  func encode(with coder: NSCoder) {}
  init?(coder: NSCoder) { super.init() }
}

/// The callbacks of delegates.
final class CrateDelegate: KeyedArchiverDelegate, KeyedUnarchiverDelegate {
  func archiver(_ archiver: KeyedArchiver, willEncode object: any KeyedCoding) -> (any KeyedCoding)? {
    CrateRun.fire(.willEncode)
    return object
  }
  func archiver(_ archiver: KeyedArchiver, didEncode object: any KeyedCoding) { CrateRun.fire(.didEncode) }
  func archiver(_ archiver: KeyedArchiver, willReplace object: any KeyedCoding, with replacement: (any KeyedCoding)?) {
    CrateRun.fire(.willReplace)
  }
  func archiverWillFinish(_ archiver: KeyedArchiver) { CrateRun.fire(.willFinish) }
  func archiverDidFinish(_ archiver: KeyedArchiver) { CrateRun.fire(.didFinish) }
  func unarchiver(
    _ unarchiver: KeyedUnarchiver, cannotDecodeObjectOfClassName name: String, originalClasses: [String]
  ) -> (any KeyedCoding.Type)? {
    CrateRun.fire(.cannotDecode)
    return nil
  }
  func unarchiver(_ unarchiver: KeyedUnarchiver, didDecode object: any KeyedCoding) -> (any KeyedCoding)? {
    CrateRun.fire(.didDecode)
    return object
  }
  func unarchiver(
    _ unarchiver: KeyedUnarchiver, willReplace object: any KeyedCoding, with newObject: (any KeyedCoding)?
  ) { CrateRun.fire(.willReplaceDecoded) }
  func unarchiverWillFinish(_ unarchiver: KeyedUnarchiver) { CrateRun.fire(.willFinishDecoding) }
  func unarchiverDidFinish(_ unarchiver: KeyedUnarchiver) { CrateRun.fire(.didFinishDecoding) }
}
