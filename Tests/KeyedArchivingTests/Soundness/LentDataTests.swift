// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import KeyedArchiving
import TestSupport
import Testing

/// Large data shares the decoder's copy of the file, and must never show it.
@Suite("Decoded data belongs to its owner alone")
struct LentDataTests {
  /// An archive of several values with the keys `0`, `1`, …, and what is expected of each of them.
  private struct Sample {
    var file: Data
    var expected: [Data]
  }

  /// Makes an archive in which some values are damaged to overlap with others.
  ///
  /// Each value contains the beginnings of other data objects. The file's offset table then refers to some of these in place
  /// of the values.
  private static func sample(count: Int, overlaps: Int, using random: inout SeededRandom) throws -> Sample {
    let marker: [UInt8] = [0x4F, 0x11]
    var places: [(value: Int, offset: Int, count: Int)] = []
    let values = (0..<count).map { value in
      let byteCount = Int.random(in: 3000...9000, using: &random)
      var bytes = (0..<byteCount).map { _ in UInt8.random(in: 0...255, using: &random) }
      let offset = Int.random(in: 0...100, using: &random)
      let inner = Int.random(in: 2000...byteCount + 3000, using: &random)
      bytes.replaceSubrange(offset..<offset + 4, with: marker + [UInt8(inner >> 8), UInt8(inner & 0xFF)])
      places.append((value, offset, inner))
      return Data(bytes)
    }
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    for (number, value) in values.enumerated() { archiver.encode(value, forKey: "\(number)") }
    var file = try archiver.encodedData
    var expected = values
    // The trailer: the widths of offsets and references, the counts and the offset of the table, at the end.
    let width = Int(file[file.count - 26])
    let table = file[(file.count - 8)...].reduce(0) { $0 << 8 | Int($1) }
    for _ in 0..<overlaps {
      guard let place = places.randomElement(using: &random),
        let start = file.range(of: values[place.value])?.lowerBound,
        let victim = values.indices.randomElement(using: &random),
        let old = file.range(of: values[victim])?.lowerBound, start + place.offset + 4 + place.count < table
      else { continue }
      let row = (0..<(file.count - 32 - table) / width).first { row in
        let entry = table + row * width
        return file[entry..<entry + width].reduce(0) { $0 << 8 | Int($1) } == old - 4
      }
      guard let row else { continue }
      let offset = start + place.offset
      for byte in 0..<width { file[table + row * width + byte] = UInt8(offset >> (8 * (width - 1 - byte)) & 0xFF) }
      expected[victim] = file[offset + 4..<offset + 4 + place.count]
    }
    return Sample(file: file, expected: expected.map { Data($0) })
  }

  @Test(
    "whoever changes it, while the decoder exists and afterwards",
    arguments: TestSupport.Sample.cases(1...60 as ClosedRange<UInt64>, each: 4))
  func changes(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let overlaps = seed.isMultiple(of: 3) ? 0 : Int.random(in: 1...6, using: &random)
    let sample = try Self.sample(count: Int.random(in: 1...12, using: &random), overlaps: overlaps, using: &random)
    let original = Data(Array(sample.file))
    var decoded: [(data: Data, expected: Data)] = []
    var unarchiver: KeyedUnarchiver? = try KeyedUnarchiver(forReadingFrom: sample.file)
    for step in 0..<120 {
      if step == 90 { unarchiver = nil }
      let number = Int.random(in: sample.expected.indices, using: &random)
      if let unarchiver, Bool.random(using: &random) {
        let data = try #require(try unarchiver.decodeTopLevelObject(of: Data.self, forKey: "\(number)"))
        #expect(data.startIndex == 0 && data.count == sample.expected[number].count)
        decoded.append((data, sample.expected[number]))
      } else if let index = decoded.indices.randomElement(using: &random) {
        // In place, if it is possible: the array is the only owner of its elements.
        let offset = Int.random(in: 0..<decoded[index].data.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
          decoded[index].data[offset] ^= 0x55
          decoded[index].expected[offset] ^= 0x55
        case 1:
          decoded[index].data.append(contentsOf: [1, 2, 3])
          decoded[index].expected.append(contentsOf: [1, 2, 3])
        default:
          decoded[index].data.resetBytes(in: offset..<decoded[index].data.count)
          decoded[index].expected.resetBytes(in: offset..<decoded[index].expected.count)
        }
      }
      for (number, value) in decoded.enumerated() where value.data != value.expected {
        Issue.record("value \(number) is another one after step \(step)")
        return
      }
    }
    #expect(sample.file == original)
  }

  /// In place means that the memory of the data is part of the file's.
  @Test("it shares memory only in a file that contains mostly large data")
  func sharing() throws {
    func addressesOfTwoRequests(blob: Int, text: Int) throws -> Bool {
      let archiver = KeyedArchiver(requiringSecureCoding: true)
      archiver.encode(Data(repeating: 1, count: blob), forKey: "data")
      archiver.encode(String(repeating: "a", count: text), forKey: "text")
      let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
      let values = [
        unarchiver.decodeObject(of: Data.self, forKey: "data"), unarchiver.decodeObject(of: Data.self, forKey: "data"),
      ]
      let addresses = values.map { value in
        unsafe value?.withUnsafeBytes { buffer in UInt(bitPattern: buffer.baseAddress) }
      }
      return addresses[0] == addresses[1]
    }
    #expect(try addressesOfTwoRequests(blob: 10_000, text: 10))
    #expect(try !addressesOfTwoRequests(blob: 10_000, text: 20_000))
    #expect(try !addressesOfTwoRequests(blob: 4_095, text: 10))
  }
}
