// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing

@Suite("Errors of archives")
struct KeyedArchiveErrorTests {
  @Test("say what, where and what to do, and are equal when code, places and class are")
  func texts() {
    let error = KeyedArchiveError(
      .outOfRange, "300 does not fit Int8", keyPath: "root.age", uid: ArchiveUID(rawValue: 7), className: "Ghost",
      byteOffset: 40, remedy: "Decode an Int")
    #expect("\(error)" == "300 does not fit Int8 (at root.age, #7, byte 40). Decode an Int")
    #expect(error.localizedDescription == "\(error)" && error.recoverySuggestion == "Decode an Int")
    #expect("\(error.code)" == "outOfRange")
    var other = error
    other.detail = "something else"
    other.remedy = nil
    other.underlying = CocoaError(.coderReadCorrupt)
    #expect(other == error && other.underlying is CocoaError && error.underlying == nil)
    #expect("\(other)" == "something else (at root.age, #7, byte 40). Request a type that can hold the value")
    for change in [
      { $0.code = .typeMismatch }, { $0.keyPath = "root" }, { $0.uid = nil }, { $0.className = "Yeti" },
      { $0.byteOffset = 41 },
    ] as [(inout KeyedArchiveError) -> Void] {
      var changed = error
      change(&changed)
      #expect(changed != error)
    }
  }

  @Test("a type whose initialiser returns nil is told by its name, with the object and what may be the cause")
  func initialiserReturnedNil() throws {
    final class Fussy: SecureKeyedCoding {
      init() {}
      func encode(with coder: KeyedArchiver) {}
      init?(coder: KeyedUnarchiver) { return nil }
      static var archiveClassName: String { "Fussy" }
    }
    struct FussyStruct: SecureKeyedCoding {
      init() {}
      func encode(with coder: KeyedArchiver) {}
      init?(coder: KeyedUnarchiver) { return nil }
      static var archiveClassName: String { "FussyStruct" }
    }
    func check<Value: SecureKeyedCoding>(_ value: Value) throws {
      let data = try KeyedArchiver.archivedData(withRootObject: [value], requiringSecureCoding: true)
      let error = #expect(throws: KeyedArchiveError.self) {
        try KeyedUnarchiver.unarchivedObject(ofClass: [Value].self, from: data)
      }
      #expect(error?.code == .valueNotFound && error?.className == Value.archiveClassName)
      #expect(error?.detail == "init(coder:) of '\(Value.self)' returned nil; the object has no keys")
      #expect(error?.remedy != nil)
      #expect(error?.keyPath == "root[0]" && error?.uid == ArchiveUID(rawValue: 2))
    }
    try check(Fussy())
    try check(FussyStruct())
  }

  @Test("a type whose initialiser returns nil after a call that failed is told by that failure")
  func initialiserGaveUp() throws {
    struct Named: SecureKeyedCoding {
      init() {}
      func encode(with coder: KeyedArchiver) { coder.encode(1, forKey: "name") }
      init?(coder: KeyedUnarchiver) {
        guard coder.decodeString(forKey: "name") != nil else { return nil }
      }
    }
    let data = try KeyedArchiver.archivedData(withRootObject: Named(), requiringSecureCoding: true)
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: Named.self, from: data)
    }
    #expect(error?.code == .classNotAllowed || error?.code == .typeMismatch)
    #expect(error?.keyPath == "root.name")
  }

  @Test("an error of the layer below keeps its place, and is there to be looked at")
  func wrapped() {
    let error = #expect(throws: KeyedArchiveError.self) { try KeyedArchive(Data("bplist00".utf8)) }
    #expect(error?.code == .damagedPropertyList && error?.byteOffset == 8)
    #expect((error?.underlying as? PropertyListError)?.code == .truncated)
    let folder = URL(filePath: "/nonexistent/\(UUID()).plist")
    let missing = #expect(throws: KeyedArchiveError.self) { try KeyedArchive(contentsOf: folder) }
    #expect(missing?.code == .fileAccess && missing?.detail.contains(folder.path) == true)
    let unread = #expect(throws: KeyedArchiveError.self) { try KeyedUnarchiver(contentsOf: folder) }
    #expect(unread?.code == .fileAccess && unread?.detail.contains(folder.path) == true)
  }

  @Test("an archive is written to a file whole, and to a place that is none not at all")
  func writing() throws {
    let data = HandmadeList.archive(["text"])
    let archive = try KeyedArchive(data)
    let scratch = try ScratchFolder()
    let url = scratch.url.appending(path: "a.plist")
    try archive.write(to: url)
    #expect(try Data(contentsOf: url) == data)
    try archive.write(to: url, format: .xml)
    #expect(try KeyedArchive(contentsOf: url).root.string == "text")
    #expect(try Data(contentsOf: url).starts(with: Data("<?xml".utf8)))
    let error = #expect(throws: KeyedArchiveError.self) {
      try archive.write(to: scratch.url.appending(path: "no/a.plist"))
    }
    #expect(error?.code == .fileAccess)
  }

  @Test("an error names the byte at which the value begins, whatever its length", arguments: [1, 14, 15, 20, 300])
  func byteOffsets(count: Int) throws {
    let text = String(repeating: "~", count: count)
    let data = HandmadeList.archive([["inline": .string(text), "$class": .uid(2)], .classRecord("A", "NSObject")])
    let content = try #require(data.firstRange(of: Data(text.utf8))).lowerBound
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: NumberReader.self, from: data)
    }
    // A length of 15 and more follows the marker in five bytes.
    #expect(error?.byteOffset == content - (count < 15 ? 1 : 6))
    #expect(data[try #require(error?.byteOffset)] == 0x50 | UInt8(min(count, 15)))
  }

  private struct NumberReader: SecureKeyedCoding {
    static var archiveClassName: String { "A" }
    func encode(with coder: KeyedArchiver) {}
    init?(coder: KeyedUnarchiver) throws { _ = try coder.decode(Int.self, forKey: "inline") }
  }
}
