// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

/// Copies part of one archive's graph into another. Each object is copied once.
struct GraphCopy {
  let source: KeyedArchive
  /// The UIDs of the copies by those of the originals.
  private var numbers: [ArchiveUID: ArchiveUID]
  /// The copies that have no contents yet, with the contents of the originals.
  private var pending: [(copy: ArchiveUID, contents: KeyedArchive.Object)] = []
  /// The budget of all originals, because many can share their contents.
  private var budget: ExpansionBudget

  /// Creates a copy.
  /// - Parameters:
  ///   - source: The archive with the originals.
  ///   - numbers: The objects that the target has already, by the UIDs of their originals.
  init(from source: KeyedArchive, numbers: [ArchiveUID: ArchiveUID] = [:]) {
    self.source = source
    budget = source.budget
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

  /// Copies entries of an object.
  mutating func entries(
    _ entries: [KeyedArchive.Entry], to target: inout KeyedArchive
  ) throws -> [KeyedArchive.Entry] {
    try entries.map { KeyedArchive.Entry($0.key, try value($0.value, to: &target)) }
  }

  private mutating func copy(of uid: ArchiveUID, in target: inout KeyedArchive) throws -> ArchiveUID {
    if let number = numbers[uid] { return number }
    let contents = try source.object(uid, budget: &budget)
    let number: ArchiveUID
    if case .classRecord(let description) = contents {
      number = try target.addClass(description)
    } else {
      number = try target.addObject(.null)
      pending.append((number, contents))
    }
    numbers[uid] = number
    return number
  }

  /// Completes the copies, and copies the objects that they refer to.
  mutating func finish(_ target: inout KeyedArchive) throws {
    while let (number, contents) = pending.popLast() {
      switch contents {
      case .instance(let classUID, let entries):
        let record = try copy(of: classUID, in: &target)
        try target.setStoredObject(number, to: .instance(class: record, try self.entries(entries, to: &target)))
      case .primitive(let bare): try target.setObject(number, to: .primitive(try value(bare, to: &target)))
      case .null: break
      case .classRecord(let description): try target.setObject(number, to: .classRecord(description))
      }
    }
  }
}
