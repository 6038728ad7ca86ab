// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import DocumentLibraries
import PropertyListFormat
import ScaryCreatures

enum Numbers {
  static let operands = CommandHelp.Operand(name: "N", meaning: "numbers of creatures", repeats: true)
  static let optional = CommandHelp.Operand(
    name: "N", meaning: "numbers of creatures", repeats: true, isOptional: true)
  static let operand = CommandHelp.Operand(name: "N", meaning: "the number of a creature")

  static func parse(_ text: String) throws(UsageError) -> DocumentNumber {
    guard let number = DocumentNumber(text) else {
      throw UsageError("invalid number '\(text)'", remedy: "Run 'scarycreatures list' to see the numbers")
    }
    return number
  }

  /// Parses numbers, without duplicates, in the order given.
  static func parse(_ texts: [String]) throws(UsageError) -> [DocumentNumber] {
    var numbers: [DocumentNumber] = []
    var known: Set<DocumentNumber> = []
    for text in texts {
      let number = try parse(text)
      if known.insert(number).inserted { numbers.append(number) }
    }
    return numbers
  }
}

enum Ratings {
  static let option = Option("rating", short: "r", value: "0-5", "the rating; 0 means not rated")

  static func parse(_ text: String) throws(UsageError) -> Float {
    // `Float` also accepts hexadecimal digits, exponents and words.
    let isDecimal = text.utf8.allSatisfy { $0 == 0x2E || 0x30...0x39 ~= $0 }
    guard isDecimal, let rating = Float(text), ScaryCreatureData.ratings.contains(rating) else {
      throw UsageError("invalid rating '\(text)'", remedy: "Use a number from 0 to 5")
    }
    return rating
  }
}

struct Pictures {
  static let image = Option(
    "image", short: "i", value: "FILE", kind: .file, "the full image: PNG, or JPEG, HEIC, WebP and others")
  static let thumb = Option(
    "thumb", short: "t", value: "FILE", kind: .file,
    "the thumbnail (default: made from the full image)")

  let full: Data?
  let thumb: Data?
  private let fullFile: String?
  private let thumbFile: String?

  init(_ arguments: Arguments, on console: Console) throws(Failure) {
    (fullFile, thumbFile) = (arguments.value("image"), arguments.value("thumb"))
    full = try Self.read(fullFile, on: console)
    thumb = try Self.read(thumbFile, on: console)
  }

  /// Performs a change with the images. If one of them is not valid, the error names its file, and not that of the library.
  func failing<Result>(_ body: () throws -> Result) throws(Failure) -> Result {
    do {
      return try body()
    } catch let error as LibraryError where error.code == .notAnImage || error.code == .limitReached {
      var failure = Failure(error)
      let files = [CreatureImage.full: fullFile, .thumb: thumbFile]
      let image = CreatureImage.allCases.first { error.path.hasSuffix($0.rawValue) }
      if let file = image.flatMap({ files[$0] ?? nil }) { failure.place = [file] }
      throw failure
    } catch {
      throw Failure(any: error)
    }
  }

  /// Checks the images as a change does.
  func check() throws(Failure) {
    try failing {
      if let full {
        // A change makes the thumbnail that is not given, which finds damage in the compressed pixels.
        if thumb == nil { _ = try CreatureImage.thumbnail(for: full) } else { try CreatureImage.check(full, .full, "") }
      }
      if let thumb { try CreatureImage.check(thumb, .thumb, "") }
    }
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
