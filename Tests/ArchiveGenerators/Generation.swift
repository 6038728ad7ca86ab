// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

package import Foundation
import KeyedArchives
package import KeyedArchiving
package import PropertyListFormat

/// Which of Apple's archivers wrote a file, as the order of the outermost keys tells.
package enum Generation: String, CaseIterable, Sendable {
  case current = "$version,$archiver,$top,$objects"
  case legacy = "$version,$objects,$archiver,$top"
  case older

  package init(_ list: PropertyList) throws {
    guard case .dictionary(let keys, _) = try list.object(list.top) else { throw CocoaError(.propertyListReadCorrupt) }
    let names = try keys.map { key in
      if case .string(let name) = try list.object(key) { name } else { "" }
    }
    self = Generation(rawValue: names.joined(separator: ",")) ?? .older
  }

  package var layout: ArchiveLayout { self == .current ? .apple : .appleLegacy }
}

/// An archive written anew from what it decodes to where every object is decoded as data.
package func rebuilt(_ data: Data, layout: ArchiveLayout) throws -> Data {
  let archiver = KeyedArchiver(requiringSecureCoding: true, layout: layout)
  archiver.archiverName = try KeyedArchive(data).archiverName
  try archiver.encodeTopLevel(KeyedUnarchiver(forReadingFrom: data).decodeTopLevel())
  return try archiver.encodedData
}
