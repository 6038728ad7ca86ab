// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
public import KeyedArchiving

/// An `NSError`.
public struct ArchivedError: SecureKeyedCoding {
  /// The domain.
  public var domain: String
  /// The code.
  public var code: Int
  /// What else is said of the error. Values of classes that were not asked for are `ArchivedObject`s.
  public var userInfo: ArchivedDictionary?

  /// Makes an error.
  public init(domain: String, code: Int, userInfo: ArchivedDictionary? = nil) {
    self.domain = domain
    self.code = code
    self.userInfo = userInfo
  }

  /// `NSError`.
  public static var archiveClassName: String { "NSError" }

  /// Stores domain, code and user info.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(domain, forKey: "NSDomain")
    coder.encode(code, forKey: "NSCode")
    coder.encode(userInfo, forKey: "NSUserInfo")
  }

  /// Reads domain, code and user info.
  public init?(coder: KeyedUnarchiver) throws {
    domain = try coder.decode(String.self, forKey: "NSDomain")
    code = try coder.needed(Int.self, "NSCode")
    userInfo = try coder.content(ArchivedDictionary.self, forKey: "NSUserInfo")
  }
}
