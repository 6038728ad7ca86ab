// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import TestSupport

/// Command-line tools for ZIP files.
enum Tools {
  static let unzip = Program.installed("unzip")
  static let zip = Program.installed("zip")

  /// Universal time and UTF-8, so that dates and names do not depend on the system.
  static let environment = ["TZ": "UTC", "LC_ALL": "C.UTF-8"]
}
