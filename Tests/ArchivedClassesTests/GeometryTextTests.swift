// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import Foundation
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

/// A class that encodes each structure for a key of its own.
private final class Shape: SecureKeyedCoding {
  var (point, size) = (ArchivedPoint(x: 1, y: 2.5), ArchivedSize(width: 3, height: 4))
  var rect = ArchivedRect(x: 0, y: -1, width: 0.1, height: 1e100)
  var insets = ArchivedEdgeInsets(top: 1, left: -2, bottom: 0.5, right: 4)
  var transform = CoordinateTransform(a: 0, b: 1, c: -1, d: 0, tx: 2.5, ty: 3)

  static var archiveClassName: String { "Shape" }

  init() {}

  func encode(with coder: KeyedArchiver) {
    coder.encodePoint(point, forKey: "point")
    coder.encodeSize(size, forKey: "size")
    coder.encodeRect(rect, forKey: "rect")
    coder.encodeEdgeInsets(insets, forKey: "insets")
    coder.encodeTransform(transform, forKey: "transform")
  }

  init?(coder: KeyedUnarchiver) {
    point = coder.decodePoint(forKey: "point")
    size = coder.decodeSize(forKey: "size")
    rect = coder.decodeRect(forKey: "rect")
    insets = coder.decodeEdgeInsets(forKey: "insets")
    transform = coder.decodeTransform(forKey: "transform")
  }
}

@Suite("Structures that a coder was handed")
struct GeometryTextTests {
  private func archive(_ shape: Shape) throws -> Data {
    try KeyedArchiver.archivedData(withRootObject: shape, requiringSecureCoding: true)
  }

  private func decode(_ values: [(String, HandmadeList)], _ texts: HandmadeList...) throws -> Shape {
    let data = HandmadeList.archive(
      [.dictionary(values + [("$class", .uid(2))]), .classRecord("Shape", "NSObject")] + texts)
    return try #require(try KeyedUnarchiver.unarchivedObject(ofClass: Shape.self, from: data))
  }

  @Test("are strings with numbers in braces, and whole numbers have no fraction")
  func strings() throws {
    let root = try KeyedArchive(archive(Shape())).root
    #expect(root["point"].string == "{1, 2.5}" && root["size"].string == "{3, 4}")
    #expect(root["rect"].string == "{{0, -1}, {0.10000000000000001, 1e+100}}")
    #expect(root["insets"].string == "{1, -2, 0.5, 4}")
    #expect(root["transform"].string == "{0, 1, -1, 0, 2.5, 3}")
    let made = try KeyedUnarchiver.unarchivedObject(ofClass: Shape.self, from: archive(Shape()))
    let shape = Shape()
    #expect(made?.point == shape.point && made?.size == shape.size && made?.rect == shape.rect)
    #expect(made?.insets == shape.insets && made?.transform == shape.transform)
  }

  @Test("have usual values where a key is absent")
  func absent() throws {
    let shape = try decode([])
    #expect(shape.point == ArchivedPoint(x: 0, y: 0) && shape.size == ArchivedSize(width: 0, height: 0))
    #expect(shape.rect == ArchivedRect(x: 0, y: 0, width: 0, height: 0))
    #expect(shape.insets == ArchivedEdgeInsets(top: 0, left: 0, bottom: 0, right: 0))
    #expect(shape.transform == CoordinateTransform(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0))
  }

  @Test("are read in other notations: with fractions, without or with more spaces, and a transform in brackets")
  func notations() throws {
    let shape = try decode(
      [("point", .uid(3)), ("rect", .uid(4)), ("transform", .uid(5))], "{1.0,-2e0}", " { {1, 2},{3 ,4} } ",
      "[1, 0, 0, 1, 2.5, 3]")
    #expect(shape.point == ArchivedPoint(x: 1, y: -2) && shape.rect == ArchivedRect(x: 1, y: 2, width: 3, height: 4))
    #expect(shape.transform == CoordinateTransform(tx: 2.5, ty: 3))
  }

  private static let malformedTexts: [(String, String)] = [
    ("point", ""), ("point", "{1, 2"), ("point", "{1}"), ("point", "{1, 2, 3}"), ("point", "{1, 2}}"),
    ("point", "1, 2"),
    ("point", "{nan, 2}"), ("point", "{1, infinity}"), ("point", "{1, +inf}"), ("point", "{1, --inf}"),
    ("point", "{INF, 2}"), ("point", "{1e999, 2}"), ("point", "{1, two}"), ("point", "{1, }"),
    ("point", "[1, 2]"), ("point", "{{1, 2}}"), ("size", "{-nan(0x1), 2}"), ("rect", "{1, 2, 3, 4}"),
    ("rect", "{{1, 2}, {3}}"), ("rect", "{{1, 2}, {3, 4}"), ("rect", "{{1, 2} {3, 4}}"),
    ("insets", "{1, 2}"), ("insets", "{{1, 2}, {3, 4}}"), ("transform", "{1, 0, 0, 1}"),
    ("transform", "[1, 0, 0, 1, 0, 0}"), ("transform", "{1, 0, 0, 1, 0, 0]"),
    ("point", "{" + String(repeating: "1", count: 1 << 20) + ", 1}"),
    ("point", "{" + String(repeating: " ", count: 1 << 20) + "1, 1}"), ("point", "{\u{661}, 1}"),
  ]

  @Test("that are malformed are an error with the key", arguments: malformedTexts.indices)
  func malformed(_ index: Int) throws {
    let (key, text) = Self.malformedTexts[index]
    let error = try #require(
      #expect(throws: KeyedArchiveError.self) { try decode([(key, .uid(3))], .string(text)) })
    #expect(error.code == .malformedValue && error.keyPath == "root.\(key)", "\(error)")
    #expect(error.description.contains(key) && error.description.utf8.count < 600)
  }

  @Test("of another kind are an error", arguments: [.integer(1), .data([1]), .boolean(true), ["x"]] as [HandmadeList])
  func otherKinds(_ value: HandmadeList) throws {
    for key in ["point", "rect", "insets", "transform"] {
      #expect(throws: KeyedArchiveError.self) { try decode([(key, .uid(3))], value) }
      #expect(throws: KeyedArchiveError.self) { try decode([(key, value)]) }
    }
  }

  @Test("can have infinite numbers")
  func infinite() throws {
    // The text of `CGRect.null` by `NSStringFromCGRect`.
    let null = "{{inf, inf}, {0, 0}}"
    let shape = try decode(
      [("rect", .uid(3)), ("point", .uid(4)), ("size", .uid(5)), ("insets", .uid(6))], .string(null), "{-inf, 2}",
      "{inf,-inf}", "{ inf , 0, -inf, 1}")
    #expect(shape.rect == ArchivedRect(x: .infinity, y: .infinity, width: 0, height: 0))
    #expect(shape.point == ArchivedPoint(x: -.infinity, y: 2))
    #expect(shape.size == ArchivedSize(width: .infinity, height: -.infinity))
    #expect(shape.insets == ArchivedEdgeInsets(top: .infinity, left: 0, bottom: -.infinity, right: 1))
    let root = try KeyedArchive(archive(shape)).root
    #expect(root["rect"].string == null && root["point"].string == "{-inf, 2}")
    #expect(root["size"].string == "{inf, -inf}" && root["insets"].string == "{inf, 0, -inf, 1}")
    // The rectangle as an object.
    let data = try KeyedArchiver.archivedData(withRootObject: shape.rect, requiringSecureCoding: true)
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedRect.self, from: data) == shape.rect)
  }

  @Test("with NaN are not archived, because no decoder would read them")
  func notANumber() throws {
    func error(_ change: (inout Shape) -> Void) throws -> KeyedArchiveError {
      var shape = Shape()
      change(&shape)
      return try #require(#expect(throws: KeyedArchiveError.self) { try archive(shape) })
    }
    let errors = [
      ("point", try error { $0.point.x = .nan }), ("size", try error { $0.size.height = .nan }),
      ("rect", try error { $0.rect.origin.y = .nan }), ("rect", try error { $0.rect.size.width = .nan }),
      ("insets", try error { $0.insets.right = .nan }), ("transform", try error { $0.transform.ty = .nan }),
    ]
    for (key, error) in errors {
      #expect(error.code == .notEncodable && error.keyPath == "root.\(key)" && error.remedy != nil, "\(error)")
    }
    // The same numbers as objects.
    #expect(throws: KeyedArchiveError.self) {
      try KeyedArchiver.archivedData(withRootObject: ArchivedPoint(x: .nan, y: 0), requiringSecureCoding: true)
    }
    #expect(throws: KeyedArchiveError.self) {
      try KeyedArchiver.archivedData(
        withRootObject: ArchivedEdgeInsets(top: .nan, left: 0, bottom: 0, right: 0), requiringSecureCoding: true)
    }
  }

  @Test(
    "in a nib of UIKit are read, and Apple's text is the one that is written",
    .enabled(if: Corpus.isPresent, "\(Locations.sharedIsAbsent)"))
  func corpus() throws {
    let file = try #require(Corpus.valid.first { $0.name.contains("EditBugViewController.nib") })
    var archive = try KeyedArchive(file.data())
    var count = 0
    for index in 1..<UInt32(archive.objectCount) {
      let uid = ArchiveUID(rawValue: index)
      guard let bounds = archive[uid]["UIBounds"].string, let center = archive[uid]["UICenter"].string else { continue }
      // A decoder reads the texts at the top level like those of an object.
      try archive.setTopValue(.reference(try #require(archive[uid]["UIBounds"].uid)), forKey: "bounds")
      try archive.setTopValue(.reference(try #require(archive[uid]["UICenter"].uid)), forKey: "center")
      let unarchiver = try KeyedUnarchiver(forReadingFrom: archive.data())
      let archiver = KeyedArchiver(requiringSecureCoding: true)
      archiver.encodeRect(unarchiver.decodeRect(forKey: "bounds"), forKey: "bounds")
      archiver.encodePoint(unarchiver.decodePoint(forKey: "center"), forKey: "center")
      #expect(unarchiver.error == nil)
      let anew = try KeyedArchive(archiver.encodedData)
      #expect(anew["bounds"].string == bounds && anew["center"].string == center)
      count += 1
    }
    #expect(count == 5)
  }
}
