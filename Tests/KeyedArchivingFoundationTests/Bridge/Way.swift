// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import Foundation
import KeyedArchives
import KeyedArchiving
import KeyedArchivingFoundation
import Testing

/// The coders that an object goes through: this package's, or Foundation's as the reader or the writer.
enum Way: String, CaseIterable {
  case ours, toFoundation, fromFoundation

  static func ours(_ object: some FoundationCoding) throws -> Data {
    try KeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
  }

  static func theirs(_ object: some FoundationCoding) throws -> Data {
    try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
  }

  /// Archives and decodes an object.
  /// - Parameters:
  ///   - object: The object.
  ///   - classes: The classes of its untyped requests. Foundation's unarchiver needs them in the outermost list.
  /// - Returns: The decoded object.
  /// - Throws: The error of a coder.
  func send<Object: FoundationCoding>(_ object: Object, untyped classes: [AnyClass] = []) throws -> Object {
    switch self {
    case .ours: try #require(try KeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: Way.ours(object)))
    case .fromFoundation:
      try #require(try KeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: Way.theirs(object)))
    case .toFoundation:
      try #require(
        try NSKeyedUnarchiver.unarchivedObject(ofClasses: [Object.self] + classes, from: Way.ours(object)) as? Object)
    }
  }

  /// Returns the differences between this package's archive of an object and Foundation's.
  static func differences(_ object: some FoundationCoding) throws -> [ArchiveDifference] {
    try KeyedArchive(ours(object)).differences(from: KeyedArchive(theirs(object)))
  }
}
