// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveGenerators
import ArchivedClasses
import CorpusChecks
import Foundation
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

@Suite("Keys that a type does not know")
struct UnknownKeyTests {
  private static let keepers = DescribedObject.all.filter { !AppleClass.valuesOnly.contains($0.type) }

  private func archived(_ value: any KeyedCoding) throws -> KeyedArchive {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.encode(value, forKey: "root")
    return try KeyedArchive(archiver.encodedData)
  }

  @Test("are archived again with their values", arguments: keepers)
  func kept(_ row: DescribedObject) throws {
    var edited = try KeyedArchive(row.data)
    try edited.addUnknownKeys(to: #require(edited.root.uid))
    let anew = try archived(row.make(edited.data()))
    var comparison = NodeComparison(ordered: false)
    #expect(comparison.difference(edited.root, anew.root) == nil)
  }

  @Test("distinguish values, and equal ones make equal values", arguments: keepers)
  func compared(_ row: DescribedObject) throws {
    func hashable(_ data: Data) throws -> AnyHashable? {
      (try row.make(data) as? any Hashable).map { AnyHashable($0) }
    }
    var edited = try KeyedArchive(row.data)
    try edited.addUnknownKeys(to: #require(edited.root.uid))
    guard let value = try hashable(edited.data()) else { return }
    let again = try hashable(edited.data())
    #expect(value == again && value.hashValue == again?.hashValue)
    #expect(try value != hashable(row.data))
  }

  @Test("are kept by each type of the list for unknown contents, but for those that have values only")
  func covered() {
    let tested = Set(Self.keepers.map(\.type) + AppleClass.all.filter(\.keepsUnknownKeys).map(\.type))
    let others: Set<String> = ["ArchivedObject"]
    for type in KeyedUnarchiver.valueTypes where !AppleClass.valuesOnly.contains("\(type)") {
      #expect(tested.contains("\(type)") || others.contains("\(type)"), "\(type)")
    }
  }

  @Test(
    "and all values of a converter of another class are archived again",
    arguments: [
      ["App.PaceConverter", "NSUnitConverterLinear", "NSUnitConverter", "NSObject"],
      ["App.PaceConverter", "NSUnitConverter", "NSObject"], ["NSUnitConverterLinear", "NSUnitConverter", "NSObject"],
    ])
  func otherConverter(_ chain: [String]) throws {
    let list = HandmadeList.archive([
      ["NS.symbol": .uid(3), "NS.converter": .uid(4), "$class": .uid(2)],
      .classRecord("App.UnitPace", "NSDimension", "NSUnit", "NSObject"), "min/km",
      ["NS.coefficient": 2.0, "NS.constant": 0.0, "App.factor": 16.7, "App.table": .uid(6), "$class": .uid(5)],
      ["$classname": .string(chain[0]), "$classes": .array(chain.map { .string($0) })],
      ["App.rows": 3, "$class": .uid(7)], .classRecord("App.Table", "NSObject"),
    ])
    let unit = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedUnit.self, from: list))
    guard case .other(chain, let values)? = unit.converter else {
      Issue.record("\(String(describing: unit.converter))")
      return
    }
    #expect(values["App.factor"] == .number(.double(16.7)) && values.keys.contains("App.table"))
    var comparison = NodeComparison(ordered: false)
    let (old, new) = (try KeyedArchive(list), try archived(unit))
    #expect(comparison.difference(old.root, new.root) == nil)
    let again = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedUnit.self, from: list))
    #expect(again == unit && again.hashValue == unit.hashValue)
  }

  @Test("and the image of a pattern color are archived again")
  func pattern() throws {
    let list = HandmadeList.archive([
      ["NSColorSpace": 10, "NSImage": .uid(3), "$class": .uid(2)], .classRecord("NSColor", "NSObject"),
      ["NSImageFlags": 7, "$class": .uid(4)], .classRecord("NSImage", "NSObject"),
    ])
    let color = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedColor.self, from: list))
    #expect(color.space == .pattern && color.alpha == 1 && color.otherValues.keys == ["NSImage"])
    var comparison = NodeComparison(ordered: false)
    let (old, new) = (try KeyedArchive(list), try archived(color))
    #expect(comparison.difference(old.root, new.root) == nil)
  }

  /// A font as newer systems of iOS archive it.
  private static let font = HandmadeList.archive([
    [
      "UIFontName": .uid(3), "UIFontDescriptor": .uid(4), "UIFontPointSize": 17.0, "UIFontTextStyleForScaling": .uid(0),
      "UIFontPointSizeForScaling": 0.0, "UIFontMaximumPointSizeAfterScaling": 0.0, "UIFontTraits": 0,
      "UISystemFont": true, "NSName": .uid(3), "NSSize": 17.0, "$class": .uid(2),
    ], .classRecord("UIFont", "NSObject"), ".SFUIText",
    ["UIFontDescriptorAttributes": .uid(6), "$class": .uid(5)],
    .classRecord("UIFontDescriptor", "NSFontDescriptor", "NSObject"),
    ["NS.keys": [.uid(8)], "NS.objects": [.uid(9)], "$class": .uid(7)],
    .classRecord("NSDictionary", "NSObject"), "NSFontSizeAttribute", 17.0,
  ])

  @Test("of a font of iOS keep the objects that they refer to")
  func fonts() throws {
    let font = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedUIFont.self, from: Self.font))
    #expect(font.otherValues["NSName"] == .string(".SFUIText") && font.otherValues["NSSize"] == .number(.double(17)))
    #expect(font.otherValues["UIFontDescriptor"] == nil && font.otherValues["X"] == nil)
    var comparison = NodeComparison(ordered: false)
    #expect(comparison.difference(try KeyedArchive(Self.font).root, try archived(font).root) == nil)
    // Two fonts that share a descriptor share it in the new archive too.
    let both = try archived(ArchivedArray([font, font])).root
    #expect(both[0]["UIFontDescriptor"].uid == both[1]["UIFontDescriptor"].uid)
    var other = font
    other.otherValues = OtherValues()
    #expect(
      try archived(other).root.keys.sorted() == ["UIFontName", "UIFontPointSize", "UIFontTraits", "UISystemFont"])
    #expect(other != font && other.otherValues.keys.isEmpty)
  }

  @Test("of a copy can be used by another thread")
  func threads() async throws {
    let font = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedUIFont.self, from: Self.font))
    let sizes = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          try KeyedArchiver.archivedData(withRootObject: font, requiringSecureCoding: true).count
        }
      }
      return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
    }
    #expect(sizes.count == 1)
  }

  @Test("of many objects that refer to one object take memory and time for it once")
  func shared() throws {
    // 2,000 descriptors of sorting, each of which refers to the first of 2,000 objects, which refer to each other.
    let count: UInt64 = 2000
    var objects: [HandmadeList] = [
      ["NS.objects": .array((0..<count).map { .uid(5 + $0) }), "$class": .uid(2)], .classRecord("NSArray", "NSObject"),
      .classRecord("NSSortDescriptor", "NSObject"), .classRecord("Gadget", "NSObject"),
    ]
    for _ in 0..<count { objects.append(["NSAscending": true, "X": .uid(5 + count), "$class": .uid(3)]) }
    for place in 0..<count {
      objects.append(["next": .uid(5 + count + (place + 1) % count), "$class": .uid(4)])
    }
    let data = HandmadeList.archive(objects)
    let list = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: [ArchivedSortDescriptor].self, from: data))
    let anew = try archived(list)
    #expect(list.count == Int(count) && anew.objectCount == 1 + objects.count)
  }

  @Test("whose values are damaged are refused with their place")
  func damaged() throws {
    let data = HandmadeList.archive([
      ["NSAscending": true, "X": .uid(9), "$class": .uid(2)], .classRecord("NSSortDescriptor", "NSObject"),
    ])
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedSortDescriptor.self, from: data)
    }
    #expect(error?.code == .damagedArchive)
  }

  @Test("make a predicate or an expression one whose meaning is not known")
  func predicates() throws {
    let data = HandmadeList.archive([
      ["NSExpressionType": 1, "X": 2, "$class": .uid(2)], .classRecord("NSSelfExpression", "NSExpression", "NSObject"),
    ])
    let made = try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedExpression.self, from: data)
    guard case .other(let object)? = made else {
      Issue.record("\(String(describing: made))")
      return
    }
    #expect(object["X"]?.number == .integer(2))
  }

  /// The archives among the project's own files.
  private static let fixtures: [URL] = {
    let folder = Locations.package.appending(path: "Fixtures")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL }
    return (files ?? []).filter { ["plist", "archive", "bin", "data"].contains($0.pathExtension) }.sorted {
      $0.path < $1.path
    }
  }()

  @Test("survive in the project's archives, whose objects are decoded to values and archived again")
  func ownArchives() throws {
    var count = 0
    for file in Self.fixtures {
      // Some files are invalid by intent, or no archives.
      guard let archive = try? KeyedArchive(Data(contentsOf: file)),
        let top = try? KeyedUnarchiver(forReadingFrom: Data(contentsOf: file)).decodeTopLevel(
          makingValues: KeyedUnarchiver.valueTypes)
      else { continue }
      let archiver = KeyedArchiver(requiringSecureCoding: true)
      try archiver.encodeTopLevel(top)
      let anew = try KeyedArchive(archiver.encodedData)
      for key in archive.topKeys {
        var comparison = NodeComparison(ordered: false, ignoresForms: true)
        #expect(comparison.difference(archive[key], anew[key]) == nil, "\(file.lastPathComponent) \(key)")
      }
      count += 1
    }
    #expect(count > 10)
  }
}
