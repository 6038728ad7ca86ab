// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
public import KeyedArchiving

/// An `NSError`.
///
/// Copies are archived as one object until one of them changes.
public struct ArchivedError: IdentifiedValue {
  /// The domain.
  public var domain: String {
    get { storage.content.domain }
    _modify { yield &content.domain }
  }

  /// The code.
  public var code: Int {
    get { storage.content.code }
    _modify { yield &content.code }
  }

  /// The user info. Values of classes that were not requested are `ArchivedObject`s.
  public var userInfo: ArchivedDictionary? {
    get { storage.content.userInfo }
    _modify { yield &content.userInfo }
  }

  /// The values for keys that this type does not know.
  public var otherValues: OtherValues {
    get { storage.content.otherValues }
    _modify { yield &content.otherValues }
  }

  package struct Content {
    var domain: String
    var code: Int
    var userInfo: ArchivedDictionary?
    var otherValues = OtherValues()
  }

  package var storage: IdentifiedStorage<Self>

  package init(storage: IdentifiedStorage<Self>) { self.storage = storage }

  /// Creates an error.
  /// - Parameters:
  ///   - domain: The domain.
  ///   - code: The code.
  ///   - userInfo: The user info.
  public init(domain: String, code: Int, userInfo: ArchivedDictionary? = nil) {
    storage = IdentifiedStorage(Content(domain: domain, code: code, userInfo: userInfo))
  }

  /// The archived class name, `NSError`.
  public static var archiveClassName: String { "NSError" }

  /// Encodes the domain, code and user info.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(domain, forKey: "NSDomain")
    coder.encode(code, forKey: "NSCode")
    coder.encode(userInfo, forKey: "NSUserInfo")
    otherValues.encode(with: coder)
  }

  /// Decodes the domain, code and user info.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    coder.cacheImmediately()
    self.init(
      domain: try coder.decode(String.self, forKey: "NSDomain"), code: try coder.needed(Int.self, "NSCode"),
      userInfo: try coder.content(ArchivedDictionary.self, forKey: "NSUserInfo"))
    otherValues = try coder.otherValues(except: ["NSDomain", "NSCode", "NSUserInfo"])
  }
}

/// An `NSException`. No known file confirms its keys.
public struct ArchivedException: SecureKeyedCoding {
  /// The name, such as `NSRangeException`.
  public var name: String
  /// The human-readable reason.
  public var reason: String?
  /// The user info. Values of classes that were not requested are `ArchivedObject`s.
  public var userInfo: ArchivedDictionary?
  /// The values for keys that this type does not know.
  public var otherValues = OtherValues()

  /// Creates an exception.
  /// - Parameters:
  ///   - name: The name, such as `NSRangeException`.
  ///   - reason: The human-readable reason.
  ///   - userInfo: The user info.
  public init(name: String, reason: String?, userInfo: ArchivedDictionary? = nil) {
    self.name = name
    self.reason = reason
    self.userInfo = userInfo
  }

  /// The archived class name, `NSException`.
  public static var archiveClassName: String { "NSException" }

  /// Encodes the name, reason and user info.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(name, forKey: "NS.name")
    coder.encode(reason, forKey: "NS.reason")
    coder.encode(userInfo, forKey: "NS.userinfo")
    otherValues.encode(with: coder)
  }

  /// Decodes the name, reason and user info.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    name = try coder.decode(String.self, forKey: "NS.name")
    reason = try coder.decodeIfPresent(String.self, forKey: "NS.reason")
    userInfo = try coder.content(ArchivedDictionary.self, forKey: "NS.userinfo")
    otherValues = try coder.otherValues(except: ["NS.name", "NS.reason", "NS.userinfo"])
  }
}

/// An `NSNotification`.
public struct ArchivedNotification: SecureKeyedCoding {
  /// The name.
  public var name: String
  /// The object of the notification; an `ArchivedObject` if its class was not requested.
  public var object: (any KeyedCoding)?
  /// The user info.
  public var userInfo: ArchivedDictionary?
  /// The values for keys that this type does not know.
  public var otherValues = OtherValues()

  /// Creates a notification.
  /// - Parameters:
  ///   - name: The name, such as `NSBundleDidLoadNotification`.
  ///   - object: The object of the notification; an `ArchivedObject` if its class was not requested.
  ///   - userInfo: The user info.
  public init(name: String, object: (any KeyedCoding)? = nil, userInfo: ArchivedDictionary? = nil) {
    self.name = name
    self.object = object
    self.userInfo = userInfo
  }

  /// The archived class name, `NSNotification`.
  public static var archiveClassName: String { "NSNotification" }

  /// Other matching class names: `NSConcreteNotification`, the class that Foundation uses.
  public static var archiveClassAliases: [String] { ["NSConcreteNotification"] }

  /// Encodes the name, object and user info.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(name, forKey: "NS.name")
    coder.encode(object, forKey: "NS.object")
    coder.encode(userInfo, forKey: "NS.userinfo")
    otherValues.encode(with: coder)
  }

  /// Decodes the name, object and user info.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    name = try coder.decode(String.self, forKey: "NS.name")
    object = try coder.content(forKey: "NS.object")
    userInfo = try coder.content(ArchivedDictionary.self, forKey: "NS.userinfo")
    otherValues = try coder.otherValues(except: ["NS.name", "NS.object", "NS.userinfo"])
  }
}
