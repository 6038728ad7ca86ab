// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat

/// The default store of a program.
///
/// It is the file `defaults.plist` in a folder with the program's name, inside of the folder for settings. That folder
/// is `$XDG_CONFIG_HOME` or `~/.config`, and `Application Support` on Apple's systems. The first use opens the file. If
/// the file cannot be read, the store reports this and each change.
public enum StandardDefaults {
  /// A store that replaces the file in the current task and its child tasks. Use it in tests and previews.
  ///
  /// ```swift
  /// StandardDefaults.$substitute.withValue(MemoryStore()) { … }
  /// ```
  @TaskLocal public static var substitute: (any DefaultsStore)?

  /// The current store: ``substitute`` if it is set, otherwise the file.
  public static var store: any DefaultsStore { substitute ?? file }

  private static let file: FileStore = {
    let store = FileStore(unopened: url, options: FileStore.Options())
    store.reporting { try store.refresh() }
    return store
  }()

  private static var url: URL {
    let name = ProcessInfo.processInfo.processName
    let folder: URL
    #if os(Linux) || os(FreeBSD) || os(OpenBSD)
      if let path = ProcessInfo.processInfo.environment["XDG_CONFIG_HOME"], path.hasPrefix("/") {
        folder = URL(filePath: path)
      } else {
        folder = FileManager.default.homeDirectoryForCurrentUser.appending(path: ".config")
      }
    #else
      folder =
        FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
        ?? FileManager.default.temporaryDirectory
    #endif
    return folder.appending(path: name.isEmpty ? "program" : name).appending(path: "defaults.plist")
  }
}
