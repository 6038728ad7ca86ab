// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
package import KeyedArchiving
package import PropertyListFormat

/// Data at a place of a property list or an archive, which may itself be data of another one.
package struct NestedData: Sendable {
  /// A property list and the positions that lead to the data in it.
  private struct Layer: Sendable {
    let list: PropertyList
    let positions: [PropertyList.Position]
  }

  /// The property lists around the data, from the outside in.
  private var layers: [Layer] = []
  /// The data.
  package private(set) var data: Data

  /// The maximum number of property lists around the data.
  package static let maximumDepth = 64

  /// Finds data.
  /// - Parameters:
  ///   - paths: The path in the file, then that in the data found, and so on; none for the file itself.
  ///   - file: The bytes of a property list.
  ///   - limits: The limits on each property list.
  /// - Throws: `KeyedArchiveError`, with code `KeyedArchiveError.Code.valueNotFound` or
  ///   `KeyedArchiveError.Code.typeMismatch` if a path does not lead to data.
  package init(
    at paths: [GraphPath], in file: Data, limits: ReadLimits = .default
  ) throws(KeyedArchiveError) {
    data = file
    guard paths.count <= Self.maximumDepth else {
      throw KeyedArchiveError(
        .limitReached,
        "data nests too deep: found \(paths.count) paths; the limit is \(Self.maximumDepth)",
        remedy: "Write the archive at the first paths to a file, and continue there")
    }
    for (depth, path) in paths.enumerated() {
      do throws(KeyedArchiveError) {
        let list = try Self.list(data, limits)
        let found = try DataSearch.find(path, in: list)
        layers.append(Layer(list: list, positions: found.positions))
        data = found.data
      } catch {
        throw error.inData(at: paths[..<depth])
      }
    }
  }

  private static func list(_ data: Data, _ limits: ReadLimits) throws(KeyedArchiveError) -> PropertyList {
    do {
      return try PropertyList(data, limits: limits)
    } catch {
      throw KeyedArchiveError(error, reading: data)
    }
  }

  /// Returns the bytes of the file with other data at the place, and everything else as it is.
  /// - Parameter data: The new data.
  /// - Returns: The bytes of the file.
  /// - Throws: `KeyedArchiveError` if the file cannot be written without another change.
  package func file(replacing data: Data) throws(KeyedArchiveError) -> Data {
    var data = data
    for layer in layers.reversed() {
      do {
        data = try layer.list.replacingData(at: layer.positions, with: data)
      } catch {
        throw KeyedArchiveError(error)
      }
    }
    return data
  }

  /// Returns paths as the text that ``GraphPath/nested(_:)`` parses.
  package static func text(_ paths: some Sequence<GraphPath>) -> String {
    paths.map(\.description).joined(separator: " > ")
  }
}

extension KeyedArchiveError {
  /// Returns the error of data at a place of a file.
  package func inData(at paths: some Collection<GraphPath>) -> KeyedArchiveError {
    guard !paths.isEmpty else { return self }
    var error = self
    let place = MessageText.shortened(NestedData.text(paths))
    error.detail = "in the data at \(EscapedText.plain(place)): \(error.detail)"
    return error
  }
}
