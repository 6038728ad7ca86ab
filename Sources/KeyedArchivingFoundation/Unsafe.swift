// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

// The only file of this module that contains `unsafe`.

#if !canImport(Darwin)
  import Foundation
  import KeyedArchiving

  /// A coder whose methods with pointers are calls with values.
  ///
  /// Foundation's own implementation of each method ends the process. This class overrides all of them: a call that a
  /// coder does not support is reported as an error.
  class PointerFreeCoder: NSCoder {
    /// Records that a method cannot be used.
    func refuse(_ method: String, remedy: String) {}

    func encode(bytes: Data, forKey key: String) {}

    func decodedBytes(forKey key: String) -> Data? { nil }

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

  extension NSAttributedString {
    /// The attributes of each run, with its number of UTF-16 code units.
    var attributeRuns: [(attributes: [NSAttributedString.Key: Any], length: Int)] {
      var runs: [(attributes: [NSAttributedString.Key: Any], length: Int)] = []
      unsafe enumerateAttributes(in: NSRange(location: 0, length: length)) { attributes, range, _ in
        runs.append((attributes, range.length))
      }
      return runs
    }
  }

  extension NSValue {
    /// The type of the value in the notation of Objective-C, such as `d` or `{CGPoint=dd}`.
    var typeText: String { unsafe String(cString: objCType) }
  }
#endif
