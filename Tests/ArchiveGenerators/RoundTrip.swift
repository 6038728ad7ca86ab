// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

package import KeyedArchives
package import KeyedArchiving

/// Archives a value and decodes the archive.
package func again<Value: KeyedCoding>(_ value: Value, _ layout: ArchiveLayout = .apple) throws -> Value? {
  let data = try KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true, layout: layout)
  return try KeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: data)
}

/// The archive of a value, as a graph.
package func archive(_ value: some KeyedCoding) throws -> KeyedArchive {
  try KeyedArchive(KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true))
}
