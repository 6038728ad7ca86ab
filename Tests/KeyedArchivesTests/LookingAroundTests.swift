// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveGenerators
import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing

@Suite("Looking around in an archive costs what it weighs, whatever is said of it")
struct LookingAroundTests {
  private let key = String(repeating: "long", count: 10_000)

  /// An object with `count` references to `target` under a key of 40,000 characters.
  private func archive(_ count: Int, to target: Int) throws -> KeyedArchive {
    var file = ArchiveFile()
    let box = file.classUID("Box", "NSObject")
    let text = file.object(row: file.text("text"))
    let elements = file.row(.array([Int](repeating: file.reference(target), count: count - 1) + [file.reference(text)]))
    return try KeyedArchive(file.data(root: file.object(row: file.fields(box, [(key, elements)]))))
  }

  @Test("each reference to nothing is a finding of a few words, and there is an end to them")
  func dangling() throws {
    let archive = try archive(50_000, to: 99)
    let findings = archive.check()
    #expect(findings.first?.code == "danglingReference")
    #expect(
      findings.first?.detail.contains(": dangling reference to object #99; '$objects' has only objects #0 to #3")
        == true)
    #expect(findings.last?.code == "limitReached")
    #expect(findings.allSatisfy { $0.detail.utf8.count < 600 })
    // Each weighs 224 bytes and what it says, and the file has some 150 kB.
    #expect(findings.count < 50_000)
    let error = #expect(throws: KeyedArchiveError.self) { try archive.validate() }
    #expect(error?.code == .damagedArchive)
    #expect((error?.description.utf8.count ?? 0) < 1000)
  }

  @Test("a few of them are all told of")
  func fewDangling() throws {
    #expect(try archive(100, to: 99).check().map(\.code) == [String](repeating: "danglingReference", count: 99))
  }

  @Test("objects that nothing refers to, as many as there are numbers")
  func unreferenced() throws {
    var file = ArchiveFile()
    let text = file.text("text")
    let root = file.object(row: text)
    for _ in 0..<100_000 { _ = file.object(row: text) }
    let findings = try KeyedArchive(file.data(root: root)).check()
    #expect(findings.first?.code == "unreferencedObject")
    #expect(findings.last?.code == "limitReached")
    #expect(findings.count < 100_000)
  }

  @Test("a way is put into words once it is found, and only then")
  func ways() throws {
    let archive = try archive(50_000, to: 0)
    #expect(archive.check().isEmpty)
    #expect(!archive.isCyclic)
    #expect(archive.keyPath(to: ArchiveUID(rawValue: 2)) == "root.\(key)[49999]")
    #expect(archive.keyPath(to: ArchiveUID(rawValue: 3)) == "root")
    #expect(archive.keyPath(to: ArchiveUID(rawValue: 1)) == nil)
  }

  @Test("a reader of the graph has the limits of its archive")
  func readerLimits() throws {
    var file = ArchiveFile()
    let box = file.classUID("Box", "NSObject")
    let inner = file.row(.array([Int](repeating: file.text("text"), count: 200)))
    let outer = file.row(.array([Int](repeating: inner, count: 100)))
    let root = file.object(row: file.fields(box, [("items", outer)]))
    let data = file.data(root: root)
    for (limits, isRead) in [(ReadLimits.default, false), (ReadLimits(maximumExpansion: 10_000), true)] {
      var reader = GraphReader(try KeyedArchive(data, limits: limits))
      let shape = reader.shape(of: .reference(ArchiveUID(rawValue: UInt32(root))))
      if case .object = shape { #expect(isRead) } else { #expect(!isRead) }
    }
  }

  @Test("characters are blank by their properties")
  func blanks() {
    let invisible: Set<Unicode.GeneralCategory> = [.control, .lineSeparator, .paragraphSeparator, .format]
    // The planes that have characters, and the tags.
    for value in Array(0..<0x3_2400) + Array(0xE_0000..<0xE_0200) as [UInt32] {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let expected = scalar.properties.isWhitespace || invisible.contains(scalar.properties.generalCategory)
      if KeyPathText.isBlank(scalar) != expected { Issue.record("U+\(String(value, radix: 16))") }
    }
  }

  @Test("the way through a chain with one long key for all is too long to tell", arguments: [true, false])
  func longKeys(_ isASCII: Bool) throws {
    var file = ArchiveFile()
    let link = file.classUID("Link", "NSObject")
    let key = String(repeating: isASCII ? "k" : "日", count: 5000)
    var uid = 0
    var uids: [Int] = []
    for _ in 0..<500 {
      uid = file.object(row: file.fields(link, [(key, file.reference(uid))]))
      uids.append(uid)
    }
    let archive = try KeyedArchive(file.data(root: uid))
    #expect(archive.keyPath(to: ArchiveUID(rawValue: UInt32(uids[497]))) == "root.\(key).\(key)")
    #expect(archive.keyPath(to: ArchiveUID(rawValue: UInt32(uids[0]))) == nil)
  }

  /// A chain of 20,000; with `WHOLE_TESTS`, of 100,000.
  @Test("the way through a long chain, and through containers that are no objects")
  func longWays() throws {
    var file = ArchiveFile()
    let link = file.classUID("Link", "NSObject")
    var uid = 0
    let count = Sample.count(20_000, of: 100_000)
    for _ in 0..<count { uid = file.object(row: file.fields(link, [("next", file.reference(uid))])) }
    let archive = try KeyedArchive(file.data(root: uid))
    #expect(archive.keyPath(to: ArchiveUID(rawValue: 2)) == "root" + String(repeating: ".next", count: count - 1))

    let inside = try KeyedArchive(
      HandmadeList.archive([
        ["a": [["b": [.uid(0), .uid(3)]]], "$class": .uid(2)], .classRecord("Box", "NSObject"),
        ["NS.objects": [.uid(0), .uid(5)], "$class": .uid(4)], .classRecord("NSArray", "NSObject"), "text",
      ]))
    #expect(inside.keyPath(to: ArchiveUID(rawValue: 3)) == "root.a[0].b[1]")
    #expect(inside.keyPath(to: ArchiveUID(rawValue: 5)) == "root.a[0].b[1][1]")
  }

  @Test("a description is short, and reads no more than a part, whatever the archive holds")
  func descriptions() throws {
    // Long keys, and an object too large to print.
    #expect("\(try archive(50_000, to: 0))".utf8.count < 3000)
    let large = try archive(600_000, to: 0)
    #expect("\(large)" == "root: … #3")
    #expect("\(large.root)" == "… #3")
    // Each of 30 arrays holds the next one a hundred times, inline.
    var file = ArchiveFile()
    let box = file.classUID("Box", "NSObject")
    var row = file.text("text")
    for _ in 0..<30 { row = file.row(.array([Int](repeating: row, count: 100))) }
    let bomb = try KeyedArchive(file.data(root: file.object(row: file.fields(box, [("items", row)]))))
    #expect("\(bomb)".hasPrefix("root: "))
    #expect("\(bomb)".utf8.count < 300)
    #expect("\(bomb.root["items"])" == "…")
  }
}
