// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

/// Why an archive that was written anew from its values is not the file that they were read from.
///
/// Each is something that the values do not tell.
public struct RebuildDifference: Hashable, Sendable, CustomStringConvertible {
  /// The stable name, as machine-readable output prints it.
  public let name: String
  /// What it means, for people.
  public let description: String

  /// The outermost keys have an order that no 64-bit system of Apple's writes: the file is by older systems, whose hash
  /// tables were others, or by other programs.
  public static let olderGeneration = Self(
    name: "olderGeneration", description: "written by systems before 64 bits or by another program, in another order")
  /// The file has objects that nothing refers to.
  public static let unreferencedObjects = Self(
    name: "unreferencedObjects", description: "the file has objects that nothing refers to")
  /// Equal objects inside values were one in the file and are several now, or the other way round.
  public static let sharedObjects = Self(
    name: "sharedObjects", description: "which equal objects were one is not part of the values")
  /// An object or a class record holds other keys or values than in the file.
  public static let storedValues = Self(
    name: "storedValues", description: "an object or a class record was stored in another form than ours")
  /// The same objects have other numbers: they were encoded in another order, or conditionally.
  public static let objectNumbers = Self(
    name: "objectNumbers", description: "the objects were encoded in another order, or some only conditionally")
  /// The keys of an object are in another order.
  public static let keyOrder = Self(
    name: "keyOrder", description: "keys are in an order that the hash tables of 64-bit systems do not have")
  /// The archives hold the same and differ in what the property list stores once: which equal numbers and strings were one
  /// object in the memory of the program that wrote the file.
  public static let sharedValues = Self(
    name: "sharedValues",
    description: "which equal numbers and strings inside objects were one is not part of the values")

  private init(name: String, description: String) {
    self.name = name
    self.description = description
  }

  /// Finds the first of the reasons that holds for two archives that differ.
  init(from old: KeyedArchive, to new: KeyedArchive) throws(KeyedArchiveError) {
    guard old.objectCount == new.objectCount else {
      self = try old.objectCount > old.reachableCount ? .unreferencedObjects : .sharedObjects
      return
    }
    var contents = RowContents(comparing: .exact)
    if try contents.numbers(of: old) == contents.numbers(of: new) {
      self = .sharedValues
      return
    }
    contents = RowContents(comparing: .anyKeyOrder)
    if try contents.numbers(of: old) == contents.numbers(of: new) {
      self = .keyOrder
      return
    }
    contents = RowContents(comparing: .anyKeyOrderAndReferences)
    let isReordered = try contents.numbers(of: old).objects.sorted() == contents.numbers(of: new).objects.sorted()
    self = isReordered ? .objectNumbers : .storedValues
  }
}

extension KeyedArchive {
  /// How many objects can be reached from the top level, with number 0 and the class records.
  fileprivate var reachableCount: Int {
    get throws(KeyedArchiveError) {
      var isReached = [Bool](repeating: false, count: objectCount)
      if objectCount > 0 { isReached[0] = true }
      var seen: Set<ObjectRef> = [topRow]
      var stack = [topRow]
      while let row = stack.popLast() {
        let next: [ObjectRef]
        switch try stored(row) {
        case .uid(let number):
          guard let index = Int(exactly: number), index < objectCount, !isReached[index] else { continue }
          isReached[index] = true
          next = [try self.row(of: ArchiveUID(rawValue: UInt32(index)))]
        case .array(let rows), .set(let rows): next = rows
        case .dictionary(_, let values): next = values
        default: continue
        }
        for row in next where seen.insert(row).inserted { stack.append(row) }
      }
      return isReached.count { $0 }
    }
  }
}
