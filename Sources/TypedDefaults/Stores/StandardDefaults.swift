// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat

/// The store of programs that do not say which one they mean.
///
/// It is a file of the program's own: `defaults.plist` in a folder with the program's name, within the folder for
/// settings: `$XDG_CONFIG_HOME` or `~/.config`, on Apple's systems `Application Support`. It is opened when it is needed
/// first. A file that cannot be read is reported, and so is each change until it can be.
public enum StandardDefaults {
  /// The store that stands in for the file, in a task and those it starts: for tests and previews.
  ///
  /// ```swift
  /// StandardDefaults.$substitute.withValue(MemoryStore()) { … }
  /// ```
  @TaskLocal public static var substitute: (any DefaultsStore)?

  /// The store.
  public static var store: any DefaultsStore { substitute ?? file }

  private static let file: FileStore = {
    let store = FileStore(unopened: place, options: FileStore.Options())
    do {
      try store.refresh()
    } catch let error as DefaultsError {
      store.report(error)
    } catch {}
    return store
  }()

  private static var place: URL {
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
