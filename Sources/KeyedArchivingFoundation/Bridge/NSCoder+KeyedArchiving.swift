// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import Foundation
public import KeyedArchiving

extension NSCoder {
  /// The archiver behind the coder that `encode(with:)` of a ``FoundationCoding`` class gets; nil for any other coder.
  ///
  /// It encodes values that an `NSCoder` does not, such as Swift structs.
  public var keyedArchiver: KeyedArchiver? {
    #if canImport(Darwin)
      nil
    #else
      (self as? BridgeEncoder)?.archiver
    #endif
  }

  /// The unarchiver behind the coder that `init(coder:)` of a ``FoundationCoding`` class gets; nil for any other coder.
  public var keyedUnarchiver: KeyedUnarchiver? {
    #if canImport(Darwin)
      nil
    #else
      (self as? BridgeDecoder)?.unarchiver
    #endif
  }

  /// Decodes the object for a key and passes it to a closure after the object is complete.
  ///
  /// Use it for references that can close a cycle, such as one to a parent. Swift on Linux cannot return an object whose
  /// initializer is running. With any other coder, the closure runs immediately.
  ///
  /// ```swift
  /// required init?(coder: NSCoder) {
  ///   super.init()
  ///   coder.decodeObject(of: Folder.self, forKey: "parent") { self.parent = $0 }
  /// }
  /// ```
  /// - Parameters:
  ///   - type: The class; also the allow list.
  ///   - key: The key of the object.
  ///   - deliver: A closure that receives the object. It does not run if the key is absent or stores nil, or after an
  ///     error.
  public func decodeObject<Object: NSObject & NSCoding>(
    of type: Object.Type, forKey key: String, then deliver: @escaping (Object) -> Void
  ) {
    #if !canImport(Darwin)
      if let bridge = self as? BridgeDecoder, let coding = type as? any (KeyedCoding & AnyObject).Type {
        guard bridge.isUsable("decodeObject(of:forKey:then:)") else { return }
        func decode<Value: KeyedCoding & AnyObject>(_ type: Value.Type) {
          bridge.unarchiver.decodeObject(of: type, forKey: key) { value in
            if let object = value as? Object { deliver(object) }
          }
        }
        return decode(coding)
      }
    #endif
    if let object = decodeObject(of: type, forKey: key) { deliver(object) }
  }
}
