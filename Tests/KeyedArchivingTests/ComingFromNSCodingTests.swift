// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveGenerators
import ArchivedClasses
import Foundation
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing

/// The names of Apple's interface.
private enum AppleNames {
  /// As the toolchain's Foundation declares them, by its symbol graph.
  static let openSource = """
    @NSCoding
    encode(with:) init(coder:)
    @NSSecureCoding
    supportsSecureCoding
    @NSCoder
    DecodingFailurePolicy.raiseException DecodingFailurePolicy.setErrorAndReturn encodeValue(ofObjCType:at:)
    encode(_:) decodeValue(ofObjCType:at:) decodeData() version(forClassName:) decodeObject(of:forKey:)
    encodeRootObject(_:) encodeBycopyObject(_:) encodeByrefObject(_:) encodeConditionalObject(_:)
    encodeArray(ofObjCType:count:at:) encodeBytes(_:length:) decodeObject() decodeArray(ofObjCType:count:at:)
    encodePropertyList(_:) decodePropertyList() systemVersion allowsKeyedCoding encode(_:forKey:)
    encodeConditionalObject(_:forKey:) encodeBytes(_:length:forKey:) containsValue(forKey:) decodeObject(forKey:)
    decodeBool(forKey:) decodeCInt(forKey:) decodeInt32(forKey:) decodeInt64(forKey:) decodeFloat(forKey:)
    decodeDouble(forKey:) withDecodedUnsafeBufferPointer(forKey:body:) withDecodedUnsafeBytes(forKey:body:)
    decodeInteger(forKey:) requiresSecureCoding decodePropertyList(forKey:) allowedClasses failWithError(_:)
    decodingFailurePolicy error decodePoint() decodeSize() decodeRect() decodePoint(forKey:) decodeSize(forKey:)
    decodeRect(forKey:)
    @NSKeyedArchiver
    delegate error outputFormat archivedData(withRootObject:requiringSecureCoding:) archivedData(withRootObject:)
    archiveRootObject(_:toFile:) init(requiringSecureCoding:) init() init(forWritingWith:) encodedData
    finishEncoding() setClassName(_:for:) systemVersion allowsKeyedCoding encode(_:) encodeConditionalObject(_:)
    encode(_:forKey:) encodeConditionalObject(_:forKey:) encodePropertyList(_:) encodePropertyList(_:forKey:)
    encodeValue(ofObjCType:at:) encodeBytes(_:length:forKey:) requiresSecureCoding classNameForClass(_:)
    @NSKeyedUnarchiver
    delegate error unarchivedObject(ofClass:from:) unarchivedObject(ofClasses:from:) unarchiveObject(with:)
    unarchiveObject(withFile:) init(forReadingFrom:) init(forReadingWith:) systemVersion allowsKeyedCoding
    decodingFailurePolicy finishDecoding() setClass(_:forClassName:) class(forClassName:) containsValue(forKey:)
    decodeObject(forKey:) decodeObject(of:forKey:) decodeObject() decodePropertyList() decodePropertyList(forKey:)
    decodeBool(forKey:) decodeInt32(forKey:) decodeInt64(forKey:) decodeFloat(forKey:) decodeDouble(forKey:)
    decodeInteger(forKey:) withDecodedUnsafeBufferPointer(forKey:body:) withDecodedUnsafeBytes(forKey:body:)
    decodeData() decodeValue(ofObjCType:at:) allowedClasses requiresSecureCoding unarchiveTopLevelObjectWithData(_:)
    @NSKeyedArchiverDelegate
    archiver(_:willEncode:) archiver(_:didEncode:) archiver(_:willReplace:withObject:) archiverWillFinish(_:)
    archiverDidFinish(_:)
    @NSKeyedUnarchiverDelegate
    unarchiver(_:cannotDecodeObjectOfClassName:originalClasses:) unarchiver(_:didDecode:)
    unarchiver(_:willReplace:with:) unarchiverWillFinish(_:) unarchiverDidFinish(_:)
    """

  /// What Apple's reference has besides.
  static let reference = """
    @NSCoder
    encodeCInt(_:forKey:) decodeObject(forKey:) decodeTopLevelObject() decodeTopLevelObject(forKey:)
    decodeTopLevelObject(of:forKey:) decodeArrayOfObjects(ofClass:forKey:) decodeArrayOfObjects(ofClasses:forKey:)
    decodeDictionary(withKeyClass:objectClass:forKey:) decodeDictionary(withKeysOfClasses:objectsOfClasses:forKey:)
    decodeBytes(forKey:returnedLength:) decodeBytes(withReturnedLength:) decodeBytes(forKey:minimumLength:)
    decodeBytes(withMinimumLength:) decodeValue(ofObjCType:at:size:) decodeCGPoint(forKey:) decodeCGSize(forKey:)
    decodeCGRect(forKey:) decodeCGVector(forKey:) decodeCGAffineTransform(forKey:) decodeUIEdgeInsets(forKey:)
    decodeUIOffset(forKey:) decodeDirectionalEdgeInsets(forKey:) decodeTime(forKey:) decodeTimeRange(forKey:)
    decodeTimeMapping(forKey:) cgPoint(for:)
    @NSKeyedArchiver
    className(for:) encodeEncodable(_:forKey:)
    @NSKeyedUnarchiver
    init() unarchivedArrayOfObjects(ofClass:from:) unarchivedArrayOfObjects(ofClasses:from:)
    unarchivedDictionary(ofKeyClass:objectClass:from:) unarchivedDictionary(ofKeyClasses:objectClasses:from:)
    decodeDecodable(_:forKey:) decodeTopLevelDecodable(_:forKey:)
    @NSKeyedArchiverDelegate
    archiver(_:willReplace:with:)
    @NSObject
    replacementObject(for:) awakeAfter(using:) classForKeyedArchiver classForCoder classForKeyedUnarchiver()
    classFallbacksForKeyedArchiver()
    """

  /// Pairs of a type and its member.
  static var all: [(type: String, member: String)] {
    var type = ""
    var all: [(String, String)] = []
    for word in (openSource + "\n" + reference).split(whereSeparator: \.isWhitespace) {
      if word.first == "@" { type = String(word.dropFirst()) } else { all.append((type, String(word))) }
    }
    return all
  }
}

/// A type for the uses below.
private final class Thing: SecureKeyedCoding, ArchiveReplacing, ArchiveAwakening {
  static var archiveClassName: String { "Thing" }
  init() {}
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) throws {}
  func replacementObject(for coder: KeyedArchiver) -> (any KeyedCoding)? { self }
  func awakeAfter(using coder: KeyedUnarchiver) throws -> Thing { self }
}

private final class Listener: KeyedArchiverDelegate, KeyedUnarchiverDelegate {}

@Suite("The page 'Coming from NSCoding'")
struct ComingFromNSCodingTests {
  private let page: String
  private let rows: [(apple: String, ours: String)]

  init() throws {
    let url = Locations.package.appending(
      path: "Sources/KeyedArchiving/KeyedArchiving.docc/ComingFromNSCoding.md")
    page = try String(contentsOf: url, encoding: .utf8)
    rows = page.split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "|", omittingEmptySubsequences: true).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      guard cells.count == 2, cells[0].hasPrefix("`") else { return nil }
      return (String(cells[0].dropFirst().prefix { $0 != "`" }), cells[1])
    }
  }

  @Test("has a row for every method and property, and none for what does not exist")
  func complete() {
    let listed = Set(rows.map(\.apple))
    let names = AppleNames.all
    #expect(names.count > 120)
    for (type, member) in names {
      // What a coder overrides stands with NSCoder.
      let isThere = listed.contains("\(type).\(member)") || listed.contains("NSCoder.\(member)")
      #expect(isThere, "\(type).\(member)")
    }
    let known = Set(names.map { "\($0.type).\($0.member)" })
    let others: Set = [
      "NSKeyedArchiveRootObjectKey", "NSCoderReadCorruptError", "NSCoderValueNotFoundError", "NSCoderInvalidValueError",
      "NSExceptionName.invalidArchiveOperationException", "NSExceptionName.invalidUnarchiveOperationException",
    ]
    #expect(listed.subtracting(known).subtracting(others) == [])
  }

  @Test("says in each row what to write, or why there is nothing")
  func answered() {
    for row in rows {
      #expect(
        row.ours.contains("``") || row.ours.contains("`Keyed") || row.ours.hasPrefix("none: ")
          || row.ours.hasPrefix("none, for the same reason")
          || row.ours.hasPrefix("none; ") || row.ours.hasPrefix("the same"), "\(row.apple): \(row.ours)")
    }
  }

  @Test("names only what exists: each is used here, with the label it has there")
  func counterparts() throws {
    var used: Set<String> = []
    func use(_ names: String..., by body: () throws -> Void) throws {
      used.formUnion(names)
      try body()
    }
    let listener = Listener()
    let thing = Thing()
    let scratch = try ScratchFolder()
    let file = URL(filePath: scratch.path("archive"))
    let archiver = KeyedArchiver(requiringSecureCoding: true)

    try use("KeyedArchiver/init(requiringSecureCoding:layout:)") { () throws in
      _ = KeyedArchiver(requiringSecureCoding: true, layout: .compact)
    }
    try use("KeyedArchiver/delegate") { archiver.delegate = listener }
    try use("KeyedArchiver/outputFormat") { archiver.outputFormat = .binary }
    try use("KeyedArchiver/requiresSecureCoding") { #expect(archiver.requiresSecureCoding) }
    try use("KeyedArchiver/setClassName(_:for:)", "KeyedArchiver/className(for:)") { () throws in
      archiver.setClassName("T", for: Thing.self)
      #expect(archiver.className(for: Thing.self) == "T")
      archiver.setClassName(nil, for: Thing.self)
    }
    try use("KeyedArchiver/encode(_:forKey:)") { () throws in
      archiver.encode(true, forKey: "Bool")
      archiver.encode(1, forKey: "Int")
      archiver.encode(Int32(2), forKey: "Int32")
      archiver.encode(Int64(3), forKey: "Int64")
      archiver.encode(Float(4), forKey: "Float")
      archiver.encode(5.0, forKey: "Double")
      archiver.encode("text", forKey: "String")
      archiver.encode(thing, forKey: "Thing")
      archiver.encode(nil, forKey: "nil")
      archiver.encode([thing], forKey: "array")
      archiver.encode(["k": thing], forKey: "dictionary")
    }
    try use("KeyedArchiver/encode(_:)") { () throws in
      archiver.encode(thing)
      archiver.encode("text")
    }
    try use("KeyedArchiver/encodeObject(_:forKey:)") { archiver.encodeObject(7, forKey: "number") }
    let (point, size) = (ArchivedPoint(x: 1, y: 2), ArchivedSize(width: 3, height: 4))
    let rect = ArchivedRect(x: 1, y: 2, width: 3, height: 4)
    used.formUnion(["ArchivedPoint", "ArchivedSize", "ArchivedRect"])
    try use("KeyedArchiver/encodePoint(_:forKey:)") { archiver.encodePoint(point, forKey: "point") }
    try use("KeyedArchiver/encodeSize(_:forKey:)") { archiver.encodeSize(size, forKey: "size") }
    try use("KeyedArchiver/encodeRect(_:forKey:)") { archiver.encodeRect(rect, forKey: "rect") }
    try use("KeyedArchiver/encodeBytes(_:forKey:)") { archiver.encodeBytes(Data([1, 2]), forKey: "bytes") }
    try use("KeyedArchiver/encodeConditionalObject(_:forKey:)") { archiver.encodeConditionalObject(thing, forKey: "c") }
    try use("KeyedArchiver/encodeConditionalObject(_:)") { archiver.encodeConditionalObject(thing) }
    try use("KeyedArchiver/encodeEncodable(_:forKey:)") { try archiver.encodeEncodable([1], forKey: "plist") }
    try use("KeyedArchiver/error") { #expect(archiver.error == nil) }
    try use("KeyedArchiver/finishEncoding()") { try archiver.finishEncoding() }
    var data = Data()
    try use("KeyedArchiver/encodedData") { data = try archiver.encodedData }
    try use("KeyedArchiver/failWithError(_:)") { () throws in
      let failing = KeyedArchiver(requiringSecureCoding: false)
      failing.failWithError(CocoaError(.fileNoSuchFile))
      #expect(failing.error?.code == .reportedByClass)
    }
    try use(
      "KeyedArchiver/archivedData(withRootObject:requiringSecureCoding:layout:)",
      "KeyedUnarchiver/unarchivedObject(ofClass:from:limits:)",
      "KeyedUnarchiver/unarchivedObject(ofClasses:from:limits:)",
      "KeyedUnarchiver/unarchivedArrayOfObjects(ofClass:from:limits:)",
      "KeyedUnarchiver/unarchivedArrayOfObjects(ofClasses:from:limits:)",
      "KeyedUnarchiver/unarchiveTopLevelObjectWithData(_:classes:limits:)"
    ) { () throws in
      let data = try KeyedArchiver.archivedData(withRootObject: ["a", "b"], requiringSecureCoding: true)
      #expect(try KeyedUnarchiver.unarchivedObject(ofClass: [String].self, from: data) == ["a", "b"])
      let list = try KeyedUnarchiver.unarchivedObject(ofClasses: [ArchivedArray.self, String.self], from: data)
      #expect((list as? ArchivedArray)?.elements.count == 2)
      #expect(try KeyedUnarchiver.unarchivedArrayOfObjects(ofClass: String.self, from: data) == ["a", "b"])
      let elements = try KeyedUnarchiver.unarchivedArrayOfObjects(ofClasses: [Date.self, String.self], from: data)
      #expect(elements as? [String] == ["a", "b"])
      let top = try KeyedUnarchiver.unarchiveTopLevelObjectWithData(
        data, classes: [ArchivedArray.self, String.self])
      #expect((top as? ArchivedArray)?.elements as? [String] == ["a", "b"])
    }
    try use(
      "KeyedUnarchiver/unarchivedDictionary(ofKeyClass:objectClass:from:limits:)",
      "KeyedUnarchiver/unarchivedDictionary(ofKeyClasses:objectClasses:from:limits:)"
    ) { () throws in
      let data = try KeyedArchiver.archivedData(withRootObject: ["a": 1], requiringSecureCoding: true)
      let typed = try KeyedUnarchiver.unarchivedDictionary(ofKeyClass: String.self, objectClass: Int.self, from: data)
      #expect(typed == ["a": 1])
      let listed = try KeyedUnarchiver.unarchivedDictionary(
        ofKeyClasses: [String.self], objectClasses: [Int.self, Date.self], from: data)
      #expect(listed?["a"] as? Int == 1)
    }
    try use("KeyedArchiver/archive(_:to:requiringSecureCoding:layout:)") { () throws in
      try KeyedArchiver.archive("text", to: file, requiringSecureCoding: true)
    }
    try use("KeyedUnarchiver/init(contentsOf:limits:archivers:)") { () throws in
      let unarchiver = try KeyedUnarchiver(contentsOf: file)
      #expect(try unarchiver.decode(String.self, forKey: KeyedArchiver.rootKey) == "text")
    }

    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    used.insert("KeyedUnarchiver/init(forReadingFrom:limits:archivers:)")
    try use("KeyedUnarchiver/delegate") { unarchiver.delegate = listener }
    try use("KeyedUnarchiver/requiresSecureCoding") { unarchiver.requiresSecureCoding = true }
    try use(
      "KeyedUnarchiver/decodingFailurePolicy-swift.property",
      "KeyedUnarchiver/DecodingFailurePolicy-swift.enum/raiseException",
      "KeyedUnarchiver/DecodingFailurePolicy-swift.enum/setErrorAndReturn"
    ) { () throws in
      unarchiver.decodingFailurePolicy = .raiseException
      unarchiver.decodingFailurePolicy = .setErrorAndReturn
    }
    try use("KeyedUnarchiver/setClass(_:forClassName:)", "KeyedUnarchiver/class(forClassName:)") { () throws in
      unarchiver.setClass(Thing.self, forClassName: "T")
      #expect(unarchiver.class(forClassName: "T") is Thing.Type)
    }
    try use("KeyedUnarchiver/containsValue(forKey:)") { #expect(unarchiver.containsValue(forKey: "nil")) }
    try use("KeyedUnarchiver/decodeBool(forKey:)") { #expect(unarchiver.decodeBool(forKey: "Bool")) }
    try use("KeyedUnarchiver/decodeInteger(forKey:)") { #expect(unarchiver.decodeInteger(forKey: "Int") == 1) }
    try use("KeyedUnarchiver/decodeInt32(forKey:)") { #expect(unarchiver.decodeInt32(forKey: "Int32") == 2) }
    try use("KeyedUnarchiver/decodeInt64(forKey:)") { #expect(unarchiver.decodeInt64(forKey: "Int64") == 3) }
    try use("KeyedUnarchiver/decodeFloat(forKey:)") { #expect(unarchiver.decodeFloat(forKey: "Float") == 4) }
    try use("KeyedUnarchiver/decodeDouble(forKey:)") { #expect(unarchiver.decodeDouble(forKey: "Double") == 5) }
    #expect(unarchiver.decodeString(forKey: "String") == "text")
    try use("KeyedUnarchiver/decodePoint(forKey:)") { #expect(unarchiver.decodePoint(forKey: "point") == point) }
    try use("KeyedUnarchiver/decodeTransform(forKey:)", "KeyedUnarchiver/decodeEdgeInsets(forKey:)") {
      #expect(unarchiver.decodeTransform(forKey: "none") == CoordinateTransform())
      #expect(unarchiver.decodeEdgeInsets(forKey: "none").top == 0)
    }
    try use("KeyedUnarchiver/decodeSize(forKey:)") { #expect(unarchiver.decodeSize(forKey: "size") == size) }
    try use("KeyedUnarchiver/decodeRect(forKey:)") { #expect(unarchiver.decodeRect(forKey: "rect") == rect) }
    try use("KeyedUnarchiver/decodeBytes(forKey:)") {
      #expect(unarchiver.decodeBytes(forKey: "bytes") == Data([1, 2]))
    }
    try use("KeyedUnarchiver/decodeBytes(forKey:minimumLength:)") { () throws in
      #expect(unarchiver.decodeBytes(forKey: "bytes", minimumLength: 2) == Data([1, 2]))
    }
    let found = unarchiver.decodeObject(of: Thing.self, forKey: "Thing")
    try use("KeyedUnarchiver/decodeObject(of:forKey:)") { () throws in
      #expect(found != nil)
      #expect(unarchiver.decodeObject(of: [String.self, Thing.self], forKey: "Thing") as? Thing === found)
    }
    try use("KeyedUnarchiver/decode(_:forKey:)") { () throws in
      #expect(try unarchiver.decode(Thing.self, forKey: "c") === found)
      #expect(try unarchiver.decode(Int.self, forKey: "number") == 7)
    }
    try use("KeyedUnarchiver/decodeTopLevelObject(of:forKey:)") { () throws in
      #expect(try unarchiver.decodeTopLevelObject(of: Thing.self, forKey: "Thing") === found)
      #expect(try unarchiver.decodeTopLevelObject(of: [Thing.self], forKey: "Thing") as? Thing === found)
    }
    try use("KeyedUnarchiver/decodeArrayOfObjects(ofClass:forKey:)") { () throws in
      #expect(unarchiver.decodeArrayOfObjects(ofClass: Thing.self, forKey: "array")?.first === found)
    }
    try use("KeyedUnarchiver/decodeArrayOfObjects(ofClasses:forKey:)") { () throws in
      #expect(unarchiver.decodeArrayOfObjects(ofClasses: [Thing.self], forKey: "array")?.first as? Thing === found)
    }
    try use("KeyedUnarchiver/decodeDictionary(withKeyClass:objectClass:forKey:)") { () throws in
      let dictionary = unarchiver.decodeDictionary(
        withKeyClass: String.self, objectClass: Thing.self, forKey: "dictionary")
      #expect(dictionary?["k"] === found)
    }
    try use("KeyedUnarchiver/decodeDictionary(withKeysOfClasses:objectsOfClasses:forKey:)") { () throws in
      let dictionary = unarchiver.decodeDictionary(
        withKeysOfClasses: [String.self], objectsOfClasses: [Thing.self], forKey: "dictionary")
      #expect(dictionary?["k"] as? Thing === found)
    }
    try use("KeyedUnarchiver/decodePropertyList(forKey:)") { () throws in
      #expect((unarchiver.decodePropertyList(forKey: "plist") as? ArchivedArray)?.elements.count == 1)
    }
    try use("KeyedUnarchiver/decodeDecodable(_:forKey:)") { () throws in
      #expect(unarchiver.decodeDecodable([Int].self, forKey: "plist") == [1])
    }
    try use("KeyedUnarchiver/decodeTopLevelDecodable(_:forKey:)") { () throws in
      #expect(try unarchiver.decodeTopLevelDecodable([Int].self, forKey: "plist") == [1])
    }
    try use("KeyedUnarchiver/decodeObject(of:)") { () throws in
      #expect(unarchiver.decodeObject(of: Thing.self) === found)
      #expect(unarchiver.decodeObject(of: [String.self, Thing.self]) as? String == "text")
      // What was encoded without a key on condition that something else encodes it.
      #expect(unarchiver.decodeObject(of: Thing.self) === found)
    }
    try use("KeyedUnarchiver/error") { #expect(unarchiver.error == nil) }
    try use("KeyedUnarchiver/finishDecoding()") { unarchiver.finishDecoding() }
    try use("KeyedUnarchiver/failWithError(_:)") { () throws in
      let failing = try KeyedUnarchiver(forReadingFrom: data)
      failing.failWithError(CocoaError(.fileNoSuchFile))
      #expect(failing.error?.code == .reportedByClass)
    }

    try use("KeyedCoding/encode(with:)", "KeyedCoding/init(coder:)") { () throws in
      thing.encode(with: KeyedArchiver(requiringSecureCoding: true))
      #expect(try Thing(coder: KeyedUnarchiver(forReadingFrom: data)) != nil)
    }
    try use("KeyedCoding/archiveClassName", "KeyedCoding/archiveClassAliases", "KeyedCoding/archiveClassChain") {
      () throws in
      #expect(Thing.archiveClassName == "Thing" && Thing.archiveClassAliases.isEmpty)
      #expect(Thing.archiveClassChain == ["Thing", "NSObject"])
    }
    try use("SecureKeyedCoding/supportsSecureCoding") { #expect(Thing.supportsSecureCoding) }
    try use("KeyedCodable") { () throws in
      struct One: KeyedCodable {}
      #expect(One.supportsSecureCoding)
    }
    try use("ArchiveReplacing/replacementObject(for:)", "ArchiveAwakening/awakeAfter(using:)") { () throws in
      #expect(thing.replacementObject(for: archiver) as? Thing === thing)
      #expect(try thing.awakeAfter(using: unarchiver) === thing)
    }
    try use(
      "KeyedArchiverDelegate/archiver(_:willEncode:)", "KeyedArchiverDelegate/archiver(_:didEncode:)",
      "KeyedArchiverDelegate/archiver(_:willReplace:with:)", "KeyedArchiverDelegate/archiverWillFinish(_:)",
      "KeyedArchiverDelegate/archiverDidFinish(_:)"
    ) { () throws in
      #expect(listener.archiver(archiver, willEncode: thing) as? Thing === thing)
      listener.archiver(archiver, didEncode: thing)
      listener.archiver(archiver, willReplace: thing, with: nil)
      listener.archiverWillFinish(archiver)
      listener.archiverDidFinish(archiver)
    }
    try use(
      "KeyedUnarchiverDelegate/unarchiver(_:cannotDecodeObjectOfClassName:originalClasses:)",
      "KeyedUnarchiverDelegate/unarchiver(_:didDecode:)", "KeyedUnarchiverDelegate/unarchiver(_:willReplace:with:)",
      "KeyedUnarchiverDelegate/unarchiverWillFinish(_:)", "KeyedUnarchiverDelegate/unarchiverDidFinish(_:)"
    ) { () throws in
      #expect(listener.unarchiver(unarchiver, cannotDecodeObjectOfClassName: "x", originalClasses: []) == nil)
      #expect(listener.unarchiver(unarchiver, didDecode: thing) as? Thing === thing)
      listener.unarchiver(unarchiver, willReplace: thing, with: nil)
      listener.unarchiverWillFinish(unarchiver)
      listener.unarchiverDidFinish(unarchiver)
    }
    try use("KeyedArchive", "KeyedArchiver/rootKey") { #expect(KeyedArchiver.rootKey == NSKeyedArchiveRootObjectKey) }
    try use(
      "KeyedArchiveError", "KeyedArchiveError/Code-swift.struct/damagedArchive",
      "KeyedArchiveError/Code-swift.struct/classNotAllowed", "KeyedArchiveError/Code-swift.struct/valueNotFound",
      "KeyedArchiveError/Code-swift.struct/notEncodable"
    ) { () throws in
      let codes: Set<KeyedArchiveError.Code> = [.damagedArchive, .classNotAllowed, .valueNotFound, .notEncodable]
      #expect(codes.count == 4)
    }

    var named: Set<String> = []
    for row in rows {
      for part in row.ours.components(separatedBy: "``").enumerated() where part.offset % 2 == 1 {
        // What tells overloads apart is checked when the documentation is built.
        named.insert(part.element.components(separatedBy: ")-")[0] + (part.element.contains(")-") ? ")" : ""))
      }
    }
    #expect(named.subtracting(used) == [])
    // A page links only what its own module declares: the names from other modules are not links.
    for name in used.subtracting(named) {
      let text = "`\(name.replacing("/", with: "."))`"
      if rows.contains(where: { $0.ours.contains(text) && !$0.ours.contains("`\(text)`") }) { named.insert(name) }
    }
    #expect(used.subtracting(named) == ["KeyedArchiver/encodeObject(_:forKey:)"])
  }
}

/// Stands for UIKit's class.
final class UIImage: NSObject, NSCoding {
  func encode(with coder: NSCoder) {}
  required init?(coder: NSCoder) {}
}

private enum Hooks {
  // example: hooks
  class Unit: SecureKeyedCoding, ArchiveReplacing, ArchiveAwakening, @unchecked Sendable {
    class var archiveClassName: String { "Kitchen.Unit" }

    static let standard = ["kg": Unit("kg"), "cup": Unit("cup")]

    let symbol: String

    init(_ symbol: String) { self.symbol = symbol }

    func encode(with coder: KeyedArchiver) { coder.encode(symbol, forKey: "symbol") }

    required init?(coder: KeyedUnarchiver) throws { symbol = try coder.decode(String.self, forKey: "symbol") }

    /// Archives nil in place of a unit without a symbol.
    func replacementObject(for coder: KeyedArchiver) -> (any KeyedCoding)? { symbol.isEmpty ? nil : self }

    /// Returns the standard unit in place of the decoded one.
    func awakeAfter(using coder: KeyedUnarchiver) throws -> Self { Unit.standard[symbol] as? Self ?? self }
  }
  // end of example

  final class Weight: Unit, @unchecked Sendable {
    override class var archiveClassName: String { "Kitchen.Weight" }
  }
}

/// The model of the page before it was ported. Foundation archives classes outside of other types only.
// swift-format-ignore: NeverForceUnwrap
// example: meal before
class Meal: NSObject, NSCoding {
  var name: String
  var photo: UIImage?
  var rating: Int

  init(name: String, photo: UIImage?, rating: Int) {
    self.name = name
    self.photo = photo
    self.rating = rating
  }

  func encode(with coder: NSCoder) {
    coder.encode(name, forKey: "name")
    coder.encode(photo, forKey: "photo")
    coder.encode(rating, forKey: "rating")
  }

  required init?(coder: NSCoder) {
    name = coder.decodeObject(forKey: "name") as! String
    photo = coder.decodeObject(forKey: "photo") as? UIImage
    rating = coder.decodeInteger(forKey: "rating")
  }
}
// end of example

/// The same model after it was ported.
private enum After {
  // example: meal after
  final class Meal: SecureKeyedCoding {
    static var archiveClassName: String { "FoodTracker.Meal" }

    var name: String
    /// The photo as PNG or JPEG.
    var photo: Data?
    var rating: Int

    init(name: String, photo: Data?, rating: Int) {
      self.name = name
      self.photo = photo
      self.rating = rating
    }

    func encode(with coder: KeyedArchiver) {
      coder.encode(name, forKey: "name")
      coder.encode(photo, forKey: "photo")
      coder.encode(rating, forKey: "rating")
    }

    init?(coder: KeyedUnarchiver) throws {
      name = try coder.decode(String.self, forKey: "name")
      photo = try coder.decodeIfPresent(Data.self, forKey: "photo")
      rating = coder.decodeInteger(forKey: "rating")
    }
  }
  // end of example
}

@Suite("The model that the page ports")
struct PortedModelTests {
  private typealias Meal = After.Meal

  private static let page = "Sources/KeyedArchiving/KeyedArchiving.docc/ComingFromNSCoding.md"

  @Test(
    "the examples of the page are compiled and run", arguments: ["meal before", "meal after", "meal calls", "hooks"])
  func examples(_ name: String) throws { try ReadmeExample.check(name, in: #filePath, page: Self.page) }

  @Test("the calls of the page write and read meals")
  func calls() throws {
    let folder = try ScratchFolder()
    let url = URL(filePath: folder.path("meals"))
    // example: meal calls
    let meals = [Meal(name: "Soup", photo: nil, rating: 4)]
    try KeyedArchiver.archive(meals, to: url, requiringSecureCoding: true)

    let unarchiver = try KeyedUnarchiver(contentsOf: url)
    let loaded = try unarchiver.decode([Meal].self, forKey: KeyedArchiver.rootKey)
    // end of example
    #expect(loaded.map(\.name) == ["Soup"] && loaded[0].photo == nil && loaded[0].rating == 4)
  }

  @Test("the hooks of the page replace an object when it is archived and when it is decoded")
  func hooks() throws {
    func again<Unit: Hooks.Unit>(_ unit: Unit) throws -> Unit? {
      let data = try KeyedArchiver.archivedData(withRootObject: unit, requiringSecureCoding: true)
      return try KeyedUnarchiver.unarchivedObject(ofClass: Unit.self, from: data)
    }
    #expect(try again(Hooks.Unit("")) == nil)
    #expect(try again(Hooks.Unit("kg")) === Hooks.Unit.standard["kg"])
    #expect(try again(Hooks.Unit("oz"))?.symbol == "oz")
    // The standard unit is not a weight.
    #expect(try again(Hooks.Weight("kg"))?.symbol == "kg")
  }

  @Test("Foundation's archive of the original class decodes as the ported one")
  func foundation() throws {
    let original = KeyedArchivingTests.Meal(name: "Soup", photo: nil, rating: 4)
    let data = try NSKeyedArchiver.archivedData(withRootObject: original, requiringSecureCoding: false)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.setClass(Meal.self, forClassName: "KeyedArchivingTests.Meal")
    let meal = try unarchiver.decodeTopLevelObject(of: Meal.self, forKey: KeyedArchiver.rootKey)
    #expect(meal?.name == "Soup" && meal?.photo == nil && meal?.rating == 4)
  }
}

@Suite(
  "Each member of NSCoder and its subclasses is declared, or the compiler says what to write",
  .enabled(if: SwiftCompiler.isPresent, "\(SwiftCompiler.isAbsent)"))
struct MemberTests {
  /// The members with Apple's names. All others are unavailable, with a message.
  private static let declared = """
    @KeyedArchiver
    archivedData(withRootObject:requiringSecureCoding:) className(for:) delegate encode(_:) encode(_:forKey:)
    encodeConditionalObject(_:) encodeConditionalObject(_:forKey:) encodeEncodable(_:forKey:) encodedData error
    finishEncoding() init(requiringSecureCoding:) outputFormat requiresSecureCoding setClassName(_:for:)
    @KeyedUnarchiver
    class(forClassName:) containsValue(forKey:) decodeArrayOfObjects(ofClass:forKey:)
    decodeArrayOfObjects(ofClasses:forKey:) decodeBool(forKey:) decodeBytes(forKey:minimumLength:)
    decodeDecodable(_:forKey:) decodeDictionary(withKeyClass:objectClass:forKey:)
    decodeDictionary(withKeysOfClasses:objectsOfClasses:forKey:) decodeDouble(forKey:) decodeFloat(forKey:)
    decodeInt32(forKey:) decodeInt64(forKey:) decodeInteger(forKey:) decodeObject(of:forKey:) decodePoint(forKey:)
    decodePropertyList(forKey:) decodeRect(forKey:) decodeSize(forKey:) decodeTopLevelDecodable(_:forKey:)
    decodeTopLevelObject(of:forKey:) decodingFailurePolicy delegate error failWithError(_:) finishDecoding()
    init(forReadingFrom:) requiresSecureCoding setClass(_:forClassName:) unarchivedArrayOfObjects(ofClass:from:)
    unarchivedArrayOfObjects(ofClasses:from:) unarchivedDictionary(ofKeyClass:objectClass:from:)
    unarchivedDictionary(ofKeyClasses:objectClasses:from:) unarchivedObject(ofClass:from:) unarchivedObject(ofClasses:from:)
    """

  /// A member of a class, by its name without the type.
  private struct Member: Hashable {
    var type: String
    var name: String
  }

  /// Returns the public members of types in a module's symbol graphs.
  private func members(_ module: String, of types: [String]) throws -> Set<Member>? {
    guard let graphs = try SwiftCompiler.symbolGraphs(of: module) else { return nil }
    var members: Set<Member> = []
    for graph in graphs {
      let symbols = try #require(try JSONSerialization.jsonObject(with: graph) as? [String: Any])["symbols"]
      for symbol in try #require(symbols as? [[String: Any]]) {
        guard let path = symbol["pathComponents"] as? [String], path.count == 2, types.contains(path[0]) else {
          continue
        }
        members.insert(Member(type: path[0], name: path[1]))
      }
    }
    return members
  }

  @Test("the list of Apple's names has all that the toolchain's Foundation declares")
  func names() throws {
    let types = ["NSCoder", "NSKeyedArchiver", "NSKeyedUnarchiver"]
    guard let found = try members("Foundation", of: types) else { return }
    #expect(found.count > 90)
    let known = Set(AppleNames.all.map { Member(type: $0.type, name: $0.member) })
    // Types, and what every class has.
    let others: Set = ["DecodingFailurePolicy", "==(_:_:)", "!=(_:_:)", "hash(into:)", "init()", "debugDescription"]
    for member in found.subtracting(known) where !others.contains(member.name) {
      // What a subclass overrides stands with NSCoder.
      #expect(known.contains(Member(type: "NSCoder", name: member.name)), "\(member)")
    }
  }

  @Test("and each of them is declared here, or unavailable with a message")
  func counterparts() throws {
    var declared: Set<Member> = []
    for module in ["KeyedArchiving", "ArchivedClasses"] {
      guard let found = try members(module, of: ["KeyedArchiver", "KeyedUnarchiver"]) else { return }
      // Additional parameters have defaults.
      for member in found {
        let name = member.name.replacing("limits:", with: "").replacing("layout:", with: "").replacing(
          "archivers:", with: "")
        declared.insert(Member(type: member.type, name: name))
      }
    }
    var unavailable: Set<Member> = []
    for type in ["KeyedArchiver", "KeyedUnarchiver"] {
      let url = Locations.package.appending(path: "Sources/KeyedArchiving/Unavailable/\(type)+Unavailable.swift")
      let text = try String(contentsOf: url, encoding: .utf8)
      for match in text.matches(
        of: /public (?:convenience |static )*(?:func |var )?([`A-Za-z]+)(?:<\w+>)?(\(([^{]*)\)|:)/)
      {
        var name = String(match.1).replacing("`", with: "")
        if let parameters = match.3 {
          let labels = parameters.split(separator: ",").map { $0.split(whereSeparator: { " :\n".contains($0) })[0] }
          name += "(\(labels.map { "\($0):" }.joined()))"
        }
        unavailable.insert(Member(type: type, name: name))
      }
    }
    #expect(unavailable.count > 60)
    var withSameName: Set<Member> = []
    for (type, name) in AppleNames.all where ["NSCoder", "NSKeyedArchiver", "NSKeyedUnarchiver"].contains(type) {
      // UIKit's conversions between geometry and text stay UIKit's.
      guard name != "cgPoint(for:)", !name.hasPrefix("DecodingFailurePolicy") else { continue }
      let ours =
        type == "NSCoder"
        ? (name.hasPrefix("encode") ? ["KeyedArchiver"] : ["KeyedUnarchiver"]) : [String(type.dropFirst(2))]
      for type in ours {
        let member = Member(type: type, name: name)
        #expect(declared.contains(member) || unavailable.contains(member), "\(type).\(name)")
        if declared.contains(member) { withSameName.insert(member) }
      }
    }
    var listed: Set<Member> = []
    var type = ""
    for word in Self.declared.split(whereSeparator: \.isWhitespace) {
      if word.first == "@" {
        type = String(word.dropFirst())
      } else {
        listed.insert(Member(type: type, name: String(word)))
      }
    }
    #expect(withSameName.subtracting(listed) == [])
    #expect(listed.subtracting(withSameName) == [])
  }
}

@Suite("Dictionaries under two lists, and arrays under one")
struct PairListTests {
  @Test("keys and values each come out of their own list, and nothing is kept from one for the other")
  func pairs() throws {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    let date = Date(timeIntervalSinceReferenceDate: 1)
    archiver.encode(ArchivedDictionary([("a", date), ("b", 2)]), forKey: "root")
    let data = try archiver.encodedData
    let made = try KeyedUnarchiver.unarchivedDictionary(
      ofKeyClasses: [String.self], objectClasses: [Int.self, Date.self], from: data)
    #expect(made?["a"] as? Date == date)
    #expect(made?["b"] as? Int == 2)
    for (keys, values) in [
      ([Date.self, Int.self], [String.self]), ([String.self], [Date.self]), ([String.self], []),
      ([Date.self], [Int.self, Date.self, String.self]),
    ] as [([any KeyedCoding.Type], [any KeyedCoding.Type])] {
      // The same coder, which has decoded the dictionary under other lists, twice.
      let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
      unarchiver.decodingFailurePolicy = .raiseException
      for _ in 0..<3 {
        #expect(
          unarchiver.decodeDictionary(
            withKeysOfClasses: [String.self], objectsOfClasses: [Int.self, Date.self], forKey: "root") != nil)
      }
      #expect(unarchiver.decodeDictionary(withKeysOfClasses: keys, objectsOfClasses: values, forKey: "root") == nil)
      #expect(unarchiver.error?.code == .classNotAllowed)
    }
    #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedArrayOfObjects(ofClasses: [String.self], from: data)
    }
  }

  @Test("too few bytes are an error")
  func bytes() throws {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.encodeBytes(Data([1, 2]), forKey: "bytes")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    #expect(unarchiver.decodeBytes(forKey: "absent", minimumLength: 3) == nil)
    #expect(unarchiver.error == nil)
    #expect(unarchiver.decodeBytes(forKey: "bytes", minimumLength: 3) == nil)
    #expect(unarchiver.error?.code == .malformedValue)
  }
}
