// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import PropertyListFormat

/// Images in terminals that support them. The environment identifies such terminals.
struct TerminalPictures {
  static let option = Option("thumbs", "show thumbnails (kitty, Ghostty, WezTerm, iTerm)")

  private enum Dialect {
    case kitty
    case iTerm
  }

  private let format: Dialect?

  /// Whether images are requested, and the terminal displays them.
  var areShown: Bool { format != nil }

  init(_ arguments: Arguments, on console: Console) {
    let environment = console.environment
    let program = environment["TERM_PROGRAM"] ?? ""
    if !arguments.has("thumbs") || !console.output.isTerminal {
      format = nil
    } else if environment["TERM"] == "xterm-kitty" || program == "ghostty" {
      format = .kitty
    } else if program == "iTerm.app" || program == "WezTerm" {
      format = .iTerm
    } else {
      format = nil
    }
  }

  /// Returns the output for an image, four lines high. The result is nil if no images are requested, or the terminal cannot
  /// display it. Only a requested image is read.
  func text<Failure>(for image: () throws(Failure) -> Data?) throws(Failure) -> String? {
    // Kitty accepts PNG files only, and a thumbnail can have another format.
    guard let format, let png = try image(), format == .iTerm || png.starts(with: [0x89, 0x50, 0x4E, 0x47]) else {
      return nil
    }
    let encoded = Array(png.base64EncodedString().utf8)
    switch format {
    case .iTerm:
      return
        "\u{1B}]1337;File=inline=1;height=4;preserveAspectRatio=1:\(String(decoding: encoded, as: UTF8.self))\u{7}\n"
    case .kitty:
      // Pieces of at most 4096 bytes; m is 1 if another follows.
      var text = ""
      for start in stride(from: 0, to: encoded.count, by: 4096) {
        let end = min(start + 4096, encoded.count)
        let control = start == 0 ? "a=T,f=100,r=4," : ""
        let piece = String(decoding: encoded[start..<end], as: UTF8.self)
        text += "\u{1B}_G\(control)m=\(end < encoded.count ? 1 : 0);\(piece)\u{1B}\\"
      }
      return text + "\n"
    }
  }
}
