// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
public import KeyedArchiving

/// An `NSNotification`.
public struct ArchivedNotification: SecureKeyedCoding {
  /// The name.
  public var name: String
  /// The object it is about. One of a class that was not asked for is an `ArchivedObject`.
  public var object: (any KeyedCoding)?
  /// What else is said.
  public var userInfo: ArchivedDictionary?

  /// Makes a notification.
  public init(name: String, object: (any KeyedCoding)? = nil, userInfo: ArchivedDictionary? = nil) {
    self.name = name
    self.object = object
    self.userInfo = userInfo
  }

  /// `NSNotification`.
  public static var archiveClassName: String { "NSNotification" }

  /// `NSConcreteNotification`, the class that Foundation makes.
  public static var archiveClassAliases: [String] { ["NSConcreteNotification"] }

  /// Stores name, object and user info.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(name, forKey: "NS.name")
    coder.encode(object, forKey: "NS.object")
    coder.encode(userInfo, forKey: "NS.userinfo")
  }

  /// Reads name, object and user info.
  public init?(coder: KeyedUnarchiver) throws {
    name = try coder.decode(String.self, forKey: "NS.name")
    object = try coder.content(forKey: "NS.object")
    userInfo = try coder.content(ArchivedDictionary.self, forKey: "NS.userinfo")
  }
}
