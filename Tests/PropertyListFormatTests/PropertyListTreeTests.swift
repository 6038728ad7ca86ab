// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PropertyListFormat
import TestSupport
import Testing

@Suite("PropertyListTree")
struct PropertyListTreeTests {
  private static func ref(_ row: UInt32) -> ObjectRef { ObjectRef(rawValue: row) }

  @Test(
    "has the objects that PropertyList returns one by one",
    .enabled(if: Corpus.isPresent, Comment(rawValue: Locations.sharedIsAbsent)),
    arguments: BinaryRoundTripTests.files)
  func areTheSame(_ file: TestFile) throws {
    // A slice whose start index is not 0.
    let data = (Data([1, 2, 3]) + (try file.data())).dropFirst(3)
    let list = try PropertyList(data)
    let tree = try list.tree()
    #expect(tree.count == list.objectCount)
    #expect(tree.top == list.top)
    for row in tree.rows {
      let object = try list.object(row)
      #expect(tree[row] == object)
      #expect(tree[row].kindName == object.kindName)
      switch object {
      case .array(let elements), .set(let elements): #expect(Array(tree.elements(of: row)) == elements)
      case .dictionary(let keys, let values):
        #expect(Array(tree.keys(of: row)) == keys)
        #expect(Array(tree.values(of: row)) == values)
      case .string(let text): #expect(tree.string(of: row)?.utf8.elementsEqual(text.utf8) == true)
      default:
        #expect(tree.elements(of: row).isEmpty && tree.keys(of: row).isEmpty && tree.values(of: row).isEmpty)
        #expect(tree.string(of: row) == nil)
      }
    }
  }

  @Test("contains the edits of a list")
  func haveTheChange() throws {
    var list = try PropertyList(table: [.array([Self.ref(1), Self.ref(2)]), .integer(1), .null], top: Self.ref(0))
    list.replace(Self.ref(1), with: .string("two"))
    list.replace(Self.ref(2), with: .dictionary(keys: [Self.ref(1)], values: [Self.ref(0)]))
    let added = list.append(.set([Self.ref(2)]))
    let tree = try list.tree()
    #expect(
      tree.rows.map { tree[$0] } == [
        .array([Self.ref(1), Self.ref(2)]), .string("two"), .dictionary(keys: [Self.ref(1)], values: [Self.ref(0)]),
        .set([Self.ref(2)]),
      ])
    #expect(tree[Self.ref(1)].kindName == "string")
    #expect(tree.string(of: Self.ref(1)) == "two")
    #expect(Array(tree.elements(of: added)) == [Self.ref(2)])
  }

  @Test("rejects a damaged object with the error of PropertyList")
  func areRefused() throws {
    func error(_ read: () throws -> Void) -> PropertyListError? {
      do { try read() } catch { return error as? PropertyListError }
      return nil
    }
    let sound = HandmadeList.array(["text", "é😀", 5, .uid(7), .real(0.5), .raw([0x44, 1, 2, 3, 4]), [], [1, 2]]).binary
    var refused = 0
    for place in sound.indices {
      for bit in 0..<8 {
        var bytes = sound
        bytes[place] ^= 1 << bit
        guard let list = try? PropertyList(bytes) else { continue }
        let alone = error { for row in 0..<UInt32(list.objectCount) { _ = try list.object(Self.ref(row)) } }
        let together = error { _ = try list.tree() }
        #expect(together == alone, "byte \(place), bit \(bit)")
        if alone != nil { refused += 1 }
      }
    }
    #expect(refused > 50)
  }

  @Test("limits the expansion of overlapping objects")
  func overlapIsLimited() throws {
    // One array of 300 references, and 5,000 objects that overlap with it.
    var bytes = Array("bplist00".utf8) + [0xAF, 0x11, 0x01, 0x2C] + [UInt8](repeating: 0, count: 600)
    let table = bytes.count
    for _ in 0..<5000 { bytes += [0, 8] }
    bytes += [0, 0, 0, 0, 0, 0, 2, 2]
    for number in [5000, 0, table] { bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) } }
    let list = try PropertyList(Data(bytes))
    let error = try #require(throws: PropertyListError.self) { _ = try list.tree() }
    #expect(error.code == .limitReached)
  }
}
