// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Testing)
  import Testing
#endif

/// The test that calls a check.
struct CallSite {
  /// The `#fileID` of the call: the module and the file.
  var fileID: String
  /// The `#function` of the call.
  var function: String

  /// The command that runs the test again and records what is missing.
  var recordingCommand: String { "\(Recording.variable)=1 swift test --filter '\(filter)'" }

  /// A regular expression for the name of the test. With Swift Testing, it matches no other test. XCTest does not tell the
  /// class of the running test, so tests of the same name in other classes match, too.
  private var filter: String {
    #if canImport(Testing)
      if let test = Test.current { return Self.filter(testID: String(describing: test.id)) }
    #endif
    let module = String(decoding: fileID.utf8.prefix { $0 != UInt8(ascii: "/") }, as: UTF8.self)
    let name = String(decoding: function.utf8.prefix { $0 != UInt8(ascii: "(") }, as: UTF8.self)
    // A test of Swift Testing that calls a check in a detached task has its parameters in its name.
    return "^\(Self.literal(module))\\..*/\(Self.literal(name))(\\(.*\\))?(/|$)"
  }

  /// Returns a regular expression for one test, whose identifier is such as `Module.Suite/function()/File.swift:1:2`.
  static func filter(testID id: String) -> String {
    guard let end = id.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "^" + literal(id) }
    return "^" + literal(String(id[..<end])) + "(/|$)"
  }

  /// Returns a regular expression that matches a text, and that a shell reads in single quotes.
  private static func literal(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "'": result += "."
      case "a"..."z", "A"..."Z", "0"..."9", "_", "/", " ": result.unicodeScalars.append(scalar)
      case "\0"..."\u{7F}": result += "\\" + String(scalar)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

/// Files that the test library shows or stores with a failure.
enum Attachments {
  /// Attaches a file to the current test of Swift Testing. Other test libraries show only the failure.
  static func add(_ data: Data, named name: String) {
    #if canImport(Testing)
      guard Test.current != nil else { return }
      // A fixture's name can be a path.
      let name = name.utf8.map { $0 == UInt8(ascii: "/") ? UInt8(ascii: " ") : $0 }
      Attachment.record(Array(data), named: String(decoding: name, as: UTF8.self))
    #endif
  }
}
