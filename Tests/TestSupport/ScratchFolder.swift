// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import Foundation

/// A folder that is gone when the test is over.
public final class ScratchFolder: Sendable {
  /// Where it is.
  public let url = FileManager.default.temporaryDirectory.appending(path: "keyedarchive-\(UUID())")

  /// Makes the folder.
  public init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The path of a file in it.
  public func path(_ name: String) -> String { url.appending(path: name).path }

  /// Puts a file in it and returns its path.
  public func file(_ name: String, _ data: Data) throws -> String {
    try data.write(to: url.appending(path: name))
    return path(name)
  }
}
