// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat
import SystemFiles

/// The default store of a program, which property wrappers and other types use if no store is given.
///
/// On Apple's systems it is `UserDefaults.standard`, which other libraries and the system use, too. On other systems it is
/// ``file``. A program can choose another store once, at its start:
///
/// ```swift
/// try StandardDefaults.use(UserDefaultsStore.standard)  // of the module TypedDefaultsFoundation
/// try StandardDefaults.use(StandardDefaults.file)       // the same file on all systems
/// ```
public enum StandardDefaults {
  /// A store that replaces the default one in the current task and its child tasks. Use it in tests and previews.
  ///
  /// ```swift
  /// StandardDefaults.$substitute.withValue(MemoryStore()) { … }
  /// ```
  @TaskLocal public static var substitute: (any DefaultsStore)?

  /// The current store: ``substitute`` if it is set, otherwise the chosen store, otherwise the one of the system.
  public static var store: any DefaultsStore { substitute ?? choice.withLock { $0 } ?? choose(ofSystem) }

  /// The store that is used if the program chooses none.
  private static var ofSystem: any DefaultsStore {
    #if canImport(Darwin)
      UserDefaultsStore.ofProgram
    #else
      file
    #endif
  }

  /// Makes a store the default one for the rest of the process.
  ///
  /// Choose it before the first use of ``store``. Values would otherwise be in two stores.
  /// - Parameter store: The store. Choosing the same one again has no effect.
  /// - Throws: ``DefaultsError`` with code ``DefaultsError/Code/alreadyChosen`` if another store was chosen or used.
  ///   The default store is then unchanged.
  public static func use(_ store: any DefaultsStore) throws {
    guard choose(store) === store else {
      throw DefaultsError(
        .alreadyChosen, "another default store is in use: a process has one",
        remedy: "Call StandardDefaults.use once, before the first use of a default value")
    }
  }

  /// The store that this process uses, once it has used one.
  private static let choice = ContendedLocked<(any DefaultsStore)?>(nil)

  /// Chooses a store, unless one is chosen. Returns the chosen one.
  private static func choose(_ store: any DefaultsStore) -> any DefaultsStore {
    choice.withLock { chosen in
      let result = chosen ?? store
      chosen = result
      return result
    }
  }

  /// The store in the file `defaults.plist` in a folder with the program's name, inside of the folder for settings.
  ///
  /// That folder is `$XDG_CONFIG_HOME` or `~/.config`, and `Application Support` on Apple's systems. The first use opens
  /// the file. If the file cannot be read, the store reports this and each change.
  public static let file: FileStore = {
    let store = FileStore(unopened: url(in: ProcessInfo.processInfo.environment), options: FileStore.Options())
    store.reporting { try store.refresh() }
    return store
  }()

  /// The file for the given environment variables.
  static func url(in environment: [String: String]) -> URL {
    let name = ProcessInfo.processInfo.processName
    let folder: URL
    #if os(Linux) || os(FreeBSD) || os(OpenBSD)
      func absolute(_ variable: String) -> URL? {
        // The specification of `XDG_CONFIG_HOME` requires ignoring a relative path.
        environment[variable].flatMap { $0.utf8.first == 0x2F ? URL(filePath: $0) : nil }
      }
      let home = absolute("HOME") ?? FileManager.default.homeDirectoryForCurrentUser
      folder = absolute("XDG_CONFIG_HOME") ?? home.appending(path: ".config")
    #else
      folder =
        FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
        ?? FileManager.default.temporaryDirectory
    #endif
    return folder.appending(path: name.isEmpty ? "program" : name).appending(path: "defaults.plist")
  }
}
