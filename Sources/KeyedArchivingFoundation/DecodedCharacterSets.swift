// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import Foundation
import KeyedArchiving

/// The character sets that an unarchiver has made, except those of texts and bitmaps. Foundation takes milliseconds for
/// some that have a few numbers in the file.
final class DecodedCharacterSets {
  private var sets: [ArchivedCharacterSet: CharacterSet] = [:]
  private var planesOfBuiltins: [Int: CharacterPlanes] = [:]

  static func of(_ coder: KeyedUnarchiver) -> DecodedCharacterSets { coder.companions.object(DecodedCharacterSets()) }

  /// Returns the set of Foundation for an archived one.
  func set(_ archived: ArchivedCharacterSet, _ coder: KeyedUnarchiver) throws -> CharacterSet {
    // Many objects can share a text or a bitmap.
    switch archived.content {
    case .characters(let text):
      try coder.storage.state.charge(work: 64 * Int64(text.utf8.count))
      return try made(archived, coder)
    case .bitmap(let bytes):
      try coder.storage.state.charge(work: 4 * Int64(bytes.count))
      return try made(archived, coder)
    case .builtin, .range:
      var key = archived
      key.isMutable = false
      if let known = sets[key] { return known }
      let set = try made(archived, coder)
      sets[key] = set
      return set
    }
  }

  private func made(_ archived: ArchivedCharacterSet, _ coder: KeyedUnarchiver) throws -> CharacterSet {
    if let second = archived.second {
      try coder.storage.state.charge(work: Self.costOfPlanes)
      var planes = try planes(archived.content)
      if archived.isInverted { planes = planes.inverted }
      let others = try self.planes(.builtin(second.number))
      planes.formUnion(second.isInverted ? others.inverted : others)
      return planes.characterSet
    }
    var set: CharacterSet
    switch archived.content {
    case .builtin(let number): set = try CharacterSet.builtin(number)
    case .characters(let text): set = CharacterSet(charactersIn: text)
    case .bitmap: set = try planes(archived.content).characterSet
    case .range:
      try coder.storage.state.charge(work: Self.costOfPlanes)
      set = try planes(archived.content).characterSet
    }
    if archived.isInverted { set.invert() }
    return set
  }

  /// The cost of a set made of its bits, whose planes take 139 kB.
  private static let costOfPlanes: Int64 = 1 << 15

  private func planes(_ content: ArchivedCharacterSet.Content) throws -> CharacterPlanes {
    switch content {
    case .range(let range): return CharacterPlanes(range.location..<range.location + range.length)
    case .characters(let text): return CharacterPlanes(text)
    case .bitmap(let bytes): return CharacterPlanes(bitmap: bytes)
    case .builtin(let number):
      if let known = planesOfBuiltins[number] { return known }
      let planes = CharacterPlanes(bitmap: try CharacterSet.builtin(number).bitmapRepresentation)
      planesOfBuiltins[number] = planes
      return planes
    }
  }
}
