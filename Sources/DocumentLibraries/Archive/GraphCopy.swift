// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
import KeyedArchiving

/// Copies part of one archive's graph into another. Each object is copied once.
struct GraphCopy {
  let source: KeyedArchive
  /// The UIDs of the copies by those of the originals.
  private var numbers: [ArchiveUID: ArchiveUID]
  private var pending: [ArchiveUID] = []

  /// Creates a copy.
  /// - Parameters:
  ///   - source: The archive with the originals.
  ///   - numbers: The objects that the target has already, by the UIDs of their originals.
  init(from source: KeyedArchive, numbers: [ArchiveUID: ArchiveUID] = [:]) {
    self.source = source
    self.numbers = numbers
    self.numbers[ArchiveUID(rawValue: 0)] = ArchiveUID(rawValue: 0)
  }

  /// Copies a value. ``finish(_:)`` completes the objects that it refers to.
  mutating func value(_ value: KeyedArchive.StoredValue, to target: inout KeyedArchive) throws
    -> KeyedArchive.StoredValue
  {
    switch value {
    case .reference(let uid): .reference(try copy(of: uid, in: &target))
    case .array(let values): .array(try values.map { try self.value($0, to: &target) })
    case .dictionary(let entries):
      .dictionary(try entries.map { KeyedArchive.Entry($0.key, try self.value($0.value, to: &target)) })
    default: value
    }
  }

  private mutating func copy(of uid: ArchiveUID, in target: inout KeyedArchive) throws -> ArchiveUID {
    if let number = numbers[uid] { return number }
    let number: ArchiveUID
    if case .classRecord(let description) = try source.object(uid) {
      number = try target.addClass(description)
    } else {
      number = try target.addObject(.null)
      pending.append(uid)
    }
    numbers[uid] = number
    return number
  }

  /// Completes the copies, and copies the objects that they refer to.
  mutating func finish(_ target: inout KeyedArchive) throws {
    while let uid = pending.popLast() {
      guard let number = numbers[uid] else { continue }
      switch try source.object(uid) {
      case .instance(let classUID, let entries):
        let record = try copy(of: classUID, in: &target)
        var copied: [KeyedArchive.Entry] = []
        for entry in entries { copied.append(KeyedArchive.Entry(entry.key, try value(entry.value, to: &target))) }
        try target.setObject(number, to: .instance(class: record, copied))
      case .primitive(let bare): try target.setObject(number, to: .primitive(try value(bare, to: &target)))
      case .null: break
      case .classRecord(let description): try target.setObject(number, to: .classRecord(description))
      }
    }
  }
}
