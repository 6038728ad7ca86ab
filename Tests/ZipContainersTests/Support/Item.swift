// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import HarnessSupport
import Foundation
import TestSupport
import ZipContainers

/// An entry to write to a ZIP file and to read back.
struct Item: Equatable, Sendable {
  var name: String
  var content = Data()
  var compression = ZipWriter.Compression.automatic
  /// Seconds since 1970.
  var modified: Int?

  var isFolder: Bool { name.hasSuffix("/") }
  var date: Date? { modified.map { Date(timeIntervalSince1970: Double($0)) } }

  /// A small document as a library writes it.
  static let document = [
    Item(name: "Ghost/", modified: 1_262_304_001),
    Item(name: "Ghost/data.plist", content: Data(String(repeating: "bplist00 ghost ", count: 40).utf8)),
    Item(
      name: "Ghost/image.png", content: Data((0..<200).map { UInt8($0 * 73 & 0xFF) }), compression: .stored,
      modified: 1_700_000_001),
    Item(name: "Ghost/empty", compression: .deflated),
    Item(name: "Ghost/Gespenst-ä-👻.txt", content: Data("Buh".utf8), modified: 86_400 * 365),
  ]

  /// Items of random sizes, kinds and names.
  static func random(seed: UInt64) -> [Item] {
    var random = SeededRandom(seed: seed)
    let letters = Array("abcXYZ019 .-_äöüé漢字👻ß")
    return (0..<Int.random(in: 0...30, using: &random)).map { number in
      let parts = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        let count = Int.random(in: 1...12, using: &random)
        // A letter at the end, so that no component is "." or "..".
        return String((0..<count).map { _ in letters.randomElement(using: &random) ?? "a" }) + "d"
      }
      let name = (parts + ["\(number)"]).joined(separator: "/")
      if Int.random(in: 0..<6, using: &random) == 0 { return Item(name: name + "/") }
      let size = [0, 1, 50, 3000, 70_000][Int.random(in: 0..<5, using: &random)]
      let spread = UInt8([0, 3, 255][Int.random(in: 0..<3, using: &random)])
      return Item(
        name: name, content: Data((0..<size).map { _ in UInt8.random(in: 0...spread, using: &random) }),
        compression: [.automatic, .stored, .deflated][Int.random(in: 0..<3, using: &random)],
        modified: Bool.random(using: &random) ? Int.random(in: 315_532_800...2_147_483_647, using: &random) : nil)
    }
  }

  /// The items as a file.
  static func zip(_ items: [Item]) throws -> Data {
    var file = Data()
    try write(items) { file += $0 }
    return file
  }

  /// Writes the items.
  static func write(
    _ items: [Item], startingAt offset: UInt64 = 0, sink: @escaping (Data) throws -> Void
  ) throws {
    var writer = ZipWriter(startingAt: offset, sink: sink)
    for item in items {
      if item.isFolder {
        try writer.addFolder(item.name, modified: item.date)
      } else {
        try writer.addFile(item.name, item.content, compression: item.compression, modified: item.date)
      }
    }
    try writer.finish()
  }
}

extension ZipReader {
  /// All entries with their content.
  func items() throws(ZipError) -> [Item] {
    var items: [Item] = []
    for entry in entries { items.append(Item(name: entry.name, content: try read(entry))) }
    return items
  }
}
