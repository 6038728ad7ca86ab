// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import DocumentLibraries
import Foundation
import PNGImages
import ScaryCreatures
import ToolTestSupport

@testable import ScaryCreaturesTool

/// A folder with a library and other files, which is removed at the end.
final class Scratch {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "scarycreatures-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appending(path: name).path }

  /// Writes a file and returns its path.
  func file(_ name: String, _ bytes: Data) throws -> String {
    let file = url.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try bytes.write(to: file)
    return file.path
  }

  /// The library's folder.
  var library: String { path("library") }

  /// Runs the tool on the library, which the environment names.
  func run(_ arguments: String..., answers: [String]? = nil) -> ToolRun {
    ToolRun(.scaryCreatures, arguments, answers: answers, environment: [Library.variable: library])
  }

  /// The library itself.
  func database() throws -> ScaryCreatureDatabase { try ScaryCreatureDatabase(at: URL(filePath: library)) }
}

/// An image of one color.
func picture(_ width: Int, _ height: Int) throws -> Data {
  let pixel: [UInt8] = [200, 40, 60, 255]
  return try PNGImage(width: width, height: height, pixels: Array(repeatElement(pixel, count: width * height).joined()))
    .pngData()
}
