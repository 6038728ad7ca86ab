// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation

/// A temporary suite of `UserDefaults`. Releasing it removes the suite.
final class ScratchSuite {
  let name = "typed-defaults-test-\(UUID().uuidString)"

  var defaults: UserDefaults { UserDefaults(suiteName: name) ?? .standard }

  deinit {
    defaults.removePersistentDomain(forName: name)
    #if os(Linux)
      let folder = FileManager.default.homeDirectoryForCurrentUser.appending(path: ".config")
      try? FileManager.default.removeItem(at: folder.appending(path: "\(name).plist"))
    #endif
  }
}
