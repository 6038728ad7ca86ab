// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import Foundation
import TestSupport
import ToolTestSupport

@testable import KeyedArchiveTool

extension ToolRun {
  /// Runs this tool.
  init(
    _ arguments: String..., input: Data = Data(), isTerminal: Bool = false, environment: [String: String] = [:]
  ) {
    self.init(arguments, input: input, isTerminal: isTerminal, environment: environment)
  }

  /// Runs this tool.
  init(
    _ arguments: [String], input: Data = Data(), isTerminal: Bool = false, environment: [String: String] = [:]
  ) {
    self.init(.keyedarchive, arguments, input: input, isTerminal: isTerminal, environment: environment)
  }
}

/// The archived URL that the project's owner printed: 263 bytes by iOS 14.1, four objects.
let nsurl = Locations.fixtures.appending(path: "apple/NSURL.plist").path
