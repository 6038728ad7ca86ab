// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
public import KeyedArchiving

/// An `NSException`. Its keys are not proved by a file.
public struct ArchivedException: SecureKeyedCoding {
  /// The name, such as `NSRangeException`.
  public var name: String
  /// What a person is told.
  public var reason: String?
  /// What else is said. Values of classes that were not asked for are `ArchivedObject`s.
  public var userInfo: ArchivedDictionary?

  /// Makes an exception.
  public init(name: String, reason: String?, userInfo: ArchivedDictionary? = nil) {
    self.name = name
    self.reason = reason
    self.userInfo = userInfo
  }

  /// `NSException`.
  public static var archiveClassName: String { "NSException" }

  /// Stores name, reason and user info.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(name, forKey: "NS.name")
    coder.encode(reason, forKey: "NS.reason")
    coder.encode(userInfo, forKey: "NS.userinfo")
  }

  /// Reads name, reason and user info.
  public init?(coder: KeyedUnarchiver) throws {
    name = try coder.decode(String.self, forKey: "NS.name")
    reason = try coder.decodeIfPresent(String.self, forKey: "NS.reason")
    userInfo = try coder.content(ArchivedDictionary.self, forKey: "NS.userinfo")
  }
}
