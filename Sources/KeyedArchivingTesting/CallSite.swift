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
  var recordingCommand: String {
    let module = Self.part(of: fileID, before: UInt8(ascii: "/"))
    let function = Self.part(of: currentTest ?? function, before: UInt8(ascii: "("))
    return "\(Recording.variable)=1 swift test --filter '\(module)\\..*\(function)'"
  }

  private static func part(of text: String, before end: UInt8) -> String {
    String(decoding: text.utf8.prefix { $0 != end }, as: UTF8.self)
  }

  /// The name of the function that Swift Testing runs. It differs from ``function`` if the call is in a helper.
  private var currentTest: String? {
    #if canImport(Testing)
      return Test.current?.name
    #else
      return nil
    #endif
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
