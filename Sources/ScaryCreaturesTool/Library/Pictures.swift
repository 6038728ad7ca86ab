// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools

/// Pictures that are given on the command line.
struct Pictures {
  static let image = Option("image", short: "i", value: "FILE", kind: .file, "the large picture, a PNG file")
  static let thumb = Option(
    "thumb", short: "t", value: "FILE", kind: .file,
    "the small picture; if not given, it is made from the large one")

  let full: Data?
  let thumb: Data?

  init(_ arguments: Arguments, on console: Console) throws(Failure) {
    full = try Self.read(arguments.value("image"), on: console)
    thumb = try Self.read(arguments.value("thumb"), on: console)
  }

  private static func read(_ file: String?, on console: Console) throws(Failure) -> Data? {
    guard let file else { return nil }
    do {
      return try InputFile.read(file, on: console)
    } catch {
      var failure = error
      failure.place.insert(file, at: 0)
      throw failure
    }
  }
}
