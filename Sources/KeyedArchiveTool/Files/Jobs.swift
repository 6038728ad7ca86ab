// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools

extension Option {
  /// The number of threads; see ``Arguments/jobs()``.
  static func jobs(_ meaning: String) -> Option { Option("jobs", short: "j", value: "N", meaning) }
}

extension Arguments {
  /// The maximum number of threads.
  private static let maximumJobs = 256

  /// Returns the number of threads that the command line names; nil if it names none.
  /// - Throws: ``UsageError`` if it is 0, too large or not a number.
  func jobs() throws(UsageError) -> Int? {
    try count("jobs", in: 1...Self.maximumJobs)
  }
}
