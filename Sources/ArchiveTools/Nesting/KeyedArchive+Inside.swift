// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import KeyedArchives
public import KeyedArchiving
public import PropertyListFormat

extension KeyedArchive {
  /// Returns data inside of a property list or of an archive, such as an archive in a preference file.
  ///
  /// <doc:ArchivesInsideFiles> describes paths. Those of data in data are joined by a space, `>` and a space.
  ///
  /// ```swift
  /// let data = try KeyedArchive.data(inside: "RecentDevices", of: Data(contentsOf: preferences))
  /// ```
  /// - Parameters:
  ///   - path: The path to the data, as `keyedarchive scan --nested` prints it.
  ///   - file: The bytes of the property list.
  ///   - limits: The limits on each property list.
  /// - Returns: The data.
  /// - Throws: `KeyedArchiveError`, with code `KeyedArchiveError.Code.valueNotFound` or
  ///   `KeyedArchiveError.Code.typeMismatch` if the path is invalid or does not lead to data.
  public static func data(
    inside path: String, of file: Data, limits: ReadLimits = .default
  ) throws(KeyedArchiveError) -> Data {
    let paths: [GraphPath]
    do {
      paths = try GraphPath.nested(path)
    } catch {
      throw KeyedArchiveError(.valueNotFound, error.detail, remedy: error.remedy)
    }
    return try NestedData(at: paths, in: file, limits: limits).data
  }
}
