// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

// The only file of this module that contains `unsafe`.

public import Foundation
import KeyedArchiving

#if !canImport(Darwin)
  /// A coder whose methods with pointers are calls with values.
  ///
  /// Foundation's own implementation of each method ends the process. This class overrides all of them: a call that a
  /// coder does not support is reported as an error.
  class PointerFreeCoder: NSCoder {
    /// Records that a method cannot be used.
    func refuse(_ method: String, remedy: String) {}

    func encode(bytes: Data, forKey key: String) {}

    func decodedBytes(forKey key: String) -> Data? { nil }

    /// Returns bytes with an address that stays valid; nil if the key is absent or the call fails.
    func lentBytes(forKey key: String, minimumLength: Int?) -> LentBytes? {
      refuse("decodeBytes(forKey:returnedLength:)", remedy: "Call it in init(coder:); an archiver only encodes")
      return nil
    }

    private func refuseUnkeyed(_ method: String) {
      refuse(
        method, remedy: "Encode and decode each value with a key, as in encode(_:forKey:) and decodeInteger(forKey:)")
    }

    override func encodeValue(ofObjCType type: UnsafePointer<Int8>, at addr: UnsafeRawPointer) {
      refuseUnkeyed("encodeValue(ofObjCType:at:)")
    }

    override func decodeValue(ofObjCType type: UnsafePointer<Int8>, at data: UnsafeMutableRawPointer) {
      refuseUnkeyed("decodeValue(ofObjCType:at:)")
    }

    override func encodeArray(ofObjCType type: UnsafePointer<Int8>, count: Int, at array: UnsafeRawPointer) {
      refuseUnkeyed("encodeArray(ofObjCType:count:at:)")
    }

    override func decodeArray(ofObjCType itemType: UnsafePointer<Int8>, count: Int, at array: UnsafeMutableRawPointer) {
      refuseUnkeyed("decodeArray(ofObjCType:count:at:)")
    }

    override func encodeBytes(_ byteaddr: UnsafeRawPointer?, length: Int) { refuseUnkeyed("encodeBytes(_:length:)") }

    override func encodeBytes(_ bytesp: UnsafePointer<UInt8>?, length lenv: Int, forKey key: String) {
      let hasAddress = unsafe bytesp != nil
      guard lenv >= 0, hasAddress || lenv == 0 else {
        return refuse(
          "encodeBytes(_:length:forKey:) with \(lenv) bytes at \(hasAddress ? "an address" : "no address")",
          remedy: "Pass the number of bytes at the pointer")
      }
      // The caller states that `lenv` bytes are at the pointer. They are copied before the call returns.
      let bytes = unsafe UnsafeBufferPointer(start: bytesp, count: lenv)
      encode(bytes: unsafe Data(bytes), forKey: key)
    }

    override func withDecodedUnsafeBytes<ResultType>(
      forKey key: String, body: (UnsafeRawBufferPointer?) throws -> ResultType
    ) rethrows -> ResultType {
      guard let bytes = decodedBytes(forKey: key) else { return try body(nil) }
      // The pointer is valid while `body` runs, as Foundation promises.
      return try unsafe bytes.withUnsafeBytes { try unsafe body($0) }
    }

    override func withDecodedUnsafeBufferPointer<ResultType>(
      forKey key: String, body: (UnsafeBufferPointer<UInt8>?) throws -> ResultType
    ) rethrows -> ResultType {
      guard let bytes = decodedBytes(forKey: key) else { return try body(nil) }
      return try unsafe bytes.withUnsafeBytes { try unsafe body($0.bindMemory(to: UInt8.self)) }
    }
  }

  /// A copy of decoded bytes at an address that is valid as long as this object exists.
  @safe final class LentBytes {
    private let buffer: UnsafeMutableBufferPointer<UInt8>
    let count: Int

    init(_ bytes: Data) {
      count = bytes.count
      // At least one byte, because an empty value has an address too.
      unsafe buffer = .allocate(capacity: max(bytes.count, 1))
      unsafe buffer.initialize(repeating: 0)
      _ = unsafe bytes.copyBytes(to: buffer)
    }

    deinit { unsafe buffer.deallocate() }

    var address: UnsafePointer<UInt8>? { unsafe UnsafePointer(buffer.baseAddress) }
  }

  extension NSCoder {
    /// Decodes the bytes for a key that `encodeBytes(_:length:forKey:)` stored.
    ///
    /// The address is valid as long as the unarchiver exists. Copy the bytes, or use
    /// `withDecodedUnsafeBytes(forKey:body:)`, which also works with Foundation's coders on Linux.
    /// - Parameters:
    ///   - key: The key of the bytes.
    ///   - lengthp: The address of the number of bytes, which is set to 0 if the key has no bytes; or nil.
    /// - Returns: The address of the bytes, or nil if the key is absent or the call fails.
    public func decodeBytes(
      forKey key: String, returnedLength lengthp: UnsafeMutablePointer<Int>?
    ) -> UnsafePointer<UInt8>? {
      let bytes = lentBytes(key, nil)
      unsafe lengthp?.pointee = bytes?.count ?? 0
      return unsafe bytes?.address
    }

    /// Decodes at least some number of bytes for a key that `encodeBytes(_:length:forKey:)` stored.
    ///
    /// The address is valid as long as the unarchiver exists.
    /// - Parameters:
    ///   - key: The key of the bytes.
    ///   - minimumLength: The number of bytes that the caller reads. Fewer are an error.
    /// - Returns: The address of the bytes, or nil if the key is absent or the call fails.
    public func decodeBytes(forKey key: String, minimumLength: Int) -> UnsafePointer<UInt8>? {
      unsafe lentBytes(key, minimumLength)?.address
    }

    private func lentBytes(_ key: String, _ minimumLength: Int?) -> LentBytes? {
      if let bridge = self as? PointerFreeCoder {
        return bridge.lentBytes(forKey: key, minimumLength: minimumLength)
      }
      failWithError(
        KeyedArchiveError(
          .reportedByClass, "\(type(of: self)) cannot lend the bytes for the key '\(key)'",
          remedy: "Use withDecodedUnsafeBytes(forKey:body:)"))
      return nil
    }
  }

  extension NSAttributedString {
    /// The attributes of each run, with its number of UTF-16 code units.
    var attributeRuns: [(attributes: [NSAttributedString.Key: Any], length: Int)] {
      var runs: [(attributes: [NSAttributedString.Key: Any], length: Int)] = []
      unsafe enumerateAttributes(in: NSRange(location: 0, length: length)) { attributes, range, _ in
        // Foundation converts objects to Swift's values here, which loses their class and what they share. It has boxes
        // for other values.
        var objects = attributes
        for name in attributes.keys {
          let object = unsafe attribute(name, at: range.location, effectiveRange: nil)
          if object is any NSCoding { objects[name] = object }
        }
        runs.append((objects, range.length))
      }
      return runs
    }
  }
#endif

extension NSValue {
  /// The type of the value in the notation of Objective-C, such as `d` or `{CGPoint=dd}`.
  var typeText: String { unsafe String(cString: objCType) }
}
