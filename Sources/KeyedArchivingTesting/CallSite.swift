// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat
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
    let module = String(fileID.prefix { $0 != "/" })
    let function = String((currentTest ?? function).prefix { $0 != "(" })
    return "\(Recording.variable)=1 swift test --filter '\(module)\\..*\(function)'"
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
  /// Attaches a file to the current test of Swift Testing. Elsewhere the file is only mentioned by the failure.
  static func add(_ bytes: [UInt8], named name: String) {
    #if canImport(Testing)
      if Test.current != nil { Attachment.record(bytes, named: name) }
    #endif
  }
}
