// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import TestSupport

/// The command line tools that every system has for ZIP files.
enum Tools {
  static let unzip = Program.installed("unzip")
  static let zip = Program.installed("zip")

  /// Universal time and UTF-8, so that dates and names come out the same everywhere.
  static let environment = ["TZ": "UTC", "LC_ALL": "C.UTF-8"]
}
