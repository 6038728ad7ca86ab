// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// The reason why an archive that was rebuilt from its values differs from the original file.
///
/// Each reason is a property of the file that the values do not determine.
public struct RebuildDifference: Hashable, Sendable, CustomStringConvertible {
  /// The stable, machine-readable name.
  public let name: String
  /// The explanation of the reason.
  public let description: String

  /// The keys of the envelope are in an order that Apple's 64-bit systems do not write. An older system with other hash
  /// tables, or another program, wrote the file.
  public static let olderGeneration = Self(
    name: "olderGeneration",
    description: "a system before 64 bits or another program wrote the file, with another order of keys")
  /// The file has unreferenced objects.
  public static let unreferencedObjects = Self(
    name: "unreferencedObjects", description: "the file has unreferenced objects")
  /// Equal objects inside of values are shared in only one of the archives.
  public static let sharedObjects = Self(
    name: "sharedObjects", description: "the values do not determine which equal objects are shared")
  /// An object or a class record has other keys or values than in the file.
  public static let storedValues = Self(
    name: "storedValues", description: "an object or a class record has other keys or values")
  /// Equal objects have other UIDs, because they were encoded in another order or conditionally.
  public static let objectNumbers = Self(
    name: "objectNumbers", description: "the objects were encoded in another order, or some of them conditionally")
  /// The keys of an object are in another order.
  public static let keyOrder = Self(
    name: "keyOrder", description: "the keys of objects are not in the order of 64-bit hash tables")
  /// The archives have equal objects, but share different inline values. A file shares the numbers and strings that
  /// were one object in the memory of the program that wrote it.
  public static let sharedValues = Self(
    name: "sharedValues",
    description: "the values do not determine which equal inline numbers and strings are shared")

  private init(name: String, description: String) {
    self.name = name
    self.description = description
  }

  /// Creates the first reason that applies to two archives that differ.
  init(from old: KeyedArchive, to new: KeyedArchive) throws(KeyedArchiveError) {
    guard old.objectCount == new.objectCount else {
      let reachableCount = try old.reachable(from: old.topReferences()).count { $0 }
      guard old.objectCount == reachableCount else {
        self = .unreferencedObjects
        return
      }
      // Lost values can also be the reason for another number of objects.
      self = try GraphComparison.haveEqualValues(old, new) ? .sharedObjects : .storedValues
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
