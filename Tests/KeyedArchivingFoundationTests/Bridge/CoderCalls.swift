// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import KeyedArchivingFoundation
import Testing

/// A call of a method of `NSCoder`, for an object of the class ``Crate``.
struct CoderCall: Sendable {
  let name: String
  /// The text of the call's result for the object with a number; nil for a call that returns nothing of the object.
  let expected: (@Sendable (Int) -> String)?
  /// The text of the result of a call that is refused.
  let refused: String
  let run: @Sendable (NSCoder) throws -> String

  private init(
    _ name: String, _ refused: String, _ expected: (@Sendable (Int) -> String)?,
    _ run: @escaping @Sendable (NSCoder) throws -> String
  ) {
    (self.name, self.refused, self.expected, self.run) = (name, refused, expected, run)
  }

  /// A call that decodes a value of the object.
  private static func value(
    _ name: String, _ refused: String, _ expected: @escaping @Sendable (Int) -> String,
    _ run: @escaping @Sendable (NSCoder) throws -> Any?
  ) -> CoderCall {
    CoderCall(name, refused, expected) { coder in try run(coder).map { "\($0)" } ?? "nil" }
  }

  /// A call without a result.
  private static func action(_ name: String, _ run: @escaping @Sendable (NSCoder) -> Void) -> CoderCall {
    CoderCall(name, "", nil) { coder in
      run(coder)
      return ""
    }
  }

  static let decoding: [CoderCall] =
    [
      value("containsValue(forKey:)", "false", { _ in "true" }) { $0.containsValue(forKey: "text") },
      value("decodeBool(forKey:)", "false", { _ in "true" }) { $0.decodeBool(forKey: "flag") },
      value("decodeInteger(forKey:)", "0", { "\($0)" }) { $0.decodeInteger(forKey: "number") },
      value("decodeInt32(forKey:)", "0", { "\($0)" }) { $0.decodeInt32(forKey: "number") },
      value("decodeInt64(forKey:)", "0", { "\($0)" }) { $0.decodeInt64(forKey: "number") },
      value("decodeCInt(forKey:)", "0", { "\($0)" }) { $0.decodeCInt(forKey: "number") },
      value("decodeFloat(forKey:)", "0.0", { "\($0).5" }) { $0.decodeFloat(forKey: "real") },
      value("decodeDouble(forKey:)", "0.0", { "\($0).5" }) { $0.decodeDouble(forKey: "real") },
      value("decodeObject(forKey:)", "nil", { "text \($0)" }) { $0.decodeObject(forKey: "text") },
      value("decodeObject(of:forKey:)", "nil", { "text \($0)" }) { $0.decodeObject(of: NSString.self, forKey: "text") },
      value("decodeObject(of: [], forKey:)", "nil", { "text \($0)" }) {
        $0.decodeObject(of: [NSNumber.self, NSString.self], forKey: "text")
      },
      value("decodeObject(of: nil, forKey:)", "nil", { "text \($0)" }) { $0.decodeObject(of: nil, forKey: "text") },
      value("decodeObject(of:forKey:) of a bridged class", "nil", { "\($0 + 1000)" }) {
        $0.decodeObject(of: Tag.self, forKey: "tag")?.number
      },
      value("decodePropertyList(forKey:)", "nil", { "list \($0)" }) {
        ($0.decodePropertyList(forKey: "list") as? [String])?.first
      },
      value("decodeObject()", "nil", { "\([UInt8($0)])" }) { ($0.decodeObject() as? Data).map { [UInt8]($0) } },
      value("decodePropertyList()", "nil", { "\([UInt8($0)])" }) {
        ($0.decodePropertyList() as? Data).map { [UInt8]($0) }
      },
      value("decodeData()", "nil", { "\([UInt8($0)])" }) { $0.decodeData().map { [UInt8]($0) } },
    ] + moreDecoding

  private static let moreDecoding: [CoderCall] = [
    value("decodeArrayOfObjects(ofClass:forKey:)", "nil", { "list \($0)" }) {
      $0.decodeArrayOfObjects(ofClass: NSString.self, forKey: "list")?.first
    },
    value("decodeArrayOfObjects(ofClasses:forKey:)", "nil", { "list \($0)" }) {
      $0.decodeArrayOfObjects(ofClasses: [NSString.self], forKey: "list")?.first
    },
    value("decodeDictionary(withKeyClass:objectClass:forKey:)", "nil", { "key \($0)" }) {
      $0.decodeDictionary(withKeyClass: NSString.self, objectClass: NSNumber.self, forKey: "table")?.keys.first
    },
    value("decodeDictionary(withKeysOfClasses:objectsOfClasses:forKey:)", "nil", { "key \($0)" }) {
      $0.decodeDictionary(withKeysOfClasses: [NSString.self], objectsOfClasses: [NSNumber.self], forKey: "table")?
        .keys.first
    },
    value("decodePoint(forKey:)", "0.0", { "\($0).0" }) { Double($0.decodePoint(forKey: "point").x) },
    value("decodeSize(forKey:)", "0.0", { "\($0).0" }) { Double($0.decodeSize(forKey: "size").width) },
    value("decodeRect(forKey:)", "0.0", { "\($0).0" }) { Double($0.decodeRect(forKey: "rect").origin.x) },
    value("decodeCGPoint(forKey:)", "0.0", { "\($0).0" }) { Double($0.decodeCGPoint(forKey: "point").x) },
    value("decodeCGSize(forKey:)", "0.0", { "\($0).0" }) { Double($0.decodeCGSize(forKey: "size").width) },
    value("decodeCGRect(forKey:)", "0.0", { "\($0).0" }) { Double($0.decodeCGRect(forKey: "rect").origin.x) },
    value("withDecodedUnsafeBytes(forKey:)", "nil", { "\([UInt8($0)])" }) { coder in
      unsafe coder.withDecodedUnsafeBytes(forKey: "bytes") { bytes in
        unsafe bytes.map { bytes in unsafe [UInt8](bytes) }
      }
    },
    value("withDecodedUnsafeBufferPointer(forKey:)", "nil", { "\([UInt8($0)])" }) { coder in
      unsafe coder.withDecodedUnsafeBufferPointer(forKey: "bytes") { bytes in
        unsafe bytes.map { bytes in unsafe [UInt8](bytes) }
      }
    },
    value("decodeBytes(forKey:returnedLength:)", "nil", { "\($0)" }) { coder in
      var length = 0
      return unsafe coder.decodeBytes(forKey: "bytes", returnedLength: &length).map { unsafe $0.pointee }
    },
    value("decodeBytes(forKey:minimumLength:)", "nil", { "\($0)" }) { coder in
      unsafe coder.decodeBytes(forKey: "bytes", minimumLength: 1).map { unsafe $0.pointee }
    },
    value("decodeTopLevelObject()", "nil", { "\([UInt8($0)])" }) {
      (try $0.decodeTopLevelObject() as? Data).map { [UInt8]($0) }
    },
    value("decodeTopLevelObject(forKey:)", "nil", { "text \($0)" }) { try $0.decodeTopLevelObject(forKey: "text") },
    value("decodeTopLevelObject(of:forKey:)", "nil", { "text \($0)" }) {
      try $0.decodeTopLevelObject(of: NSString.self, forKey: "text")
    },
    value("decodeTopLevelObject(of: [], forKey:)", "nil", { "text \($0)" }) {
      try $0.decodeTopLevelObject(of: [NSString.self, NSNumber.self], forKey: "text")
    },
    value("decodeObject(of:forKey:then:) of a finished object", "nil", { "\($0 + 1000)" }) { coder in
      _ = coder.decodeObject(of: Tag.self, forKey: "tag")
      var number: Int?
      coder.decodeObject(of: Tag.self, forKey: "tag") { number = $0.number }
      return number
    },
    action("decodeObject(of:forKey:then:)") { $0.decodeObject(of: Crate.self, forKey: "owner") { _ in } },
  ]

  /// The calls that encode a value for the key `new`, or without a key.
  static let encoding: [CoderCall] = [
    action("encode(_: Bool, forKey:)") { $0.encode(true, forKey: "new") },
    action("encode(_: Int, forKey:)") { $0.encode(7, forKey: "new") },
    action("encode(_: Int32, forKey:)") { $0.encode(Int32(7), forKey: "new") },
    action("encode(_: Int64, forKey:)") { $0.encode(Int64(7), forKey: "new") },
    action("encode(_: Float, forKey:)") { $0.encode(Float(7), forKey: "new") },
    action("encode(_: Double, forKey:)") { $0.encode(7.5, forKey: "new") },
    action("encodeCInt(_:forKey:)") { $0.encodeCInt(7, forKey: "new") },
    action("encode(_:forKey:)") { $0.encode("new", forKey: "new") },
    action("encode(nil, forKey:)") { $0.encode(nil, forKey: "new") },
    action("encode(_:forKey:) of a bridged class") { $0.encode(Tag(7), forKey: "new") },
    action("encodeConditionalObject(_:forKey:)") { $0.encodeConditionalObject(Tag(7), forKey: "new") },
    action("encode(_: CGPoint, forKey:)") { $0.encode(CGPoint(x: 1, y: 2), forKey: "new") },
    action("encode(_: CGSize, forKey:)") { $0.encode(CGSize(width: 1, height: 2), forKey: "new") },
    action("encode(_: CGRect, forKey:)") { $0.encode(CGRect(x: 1, y: 2, width: 3, height: 4), forKey: "new") },
    action("encodeBytes(_:length:forKey:)") { unsafe $0.encodeBytes([7], length: 1, forKey: "new") },
    action("encode(_:)") { $0.encode("new" as Any?) },
    action("encode(_: Data)") { $0.encode(Data([7])) },
    action("encodeRootObject(_:)") { $0.encodeRootObject("new") },
    action("encodeBycopyObject(_:)") { $0.encodeBycopyObject("new") },
    action("encodeByrefObject(_:)") { $0.encodeByrefObject("new") },
    action("encodePropertyList(_:)") { $0.encodePropertyList(["new"]) },
    action("encodeConditionalObject(_:)") { $0.encodeConditionalObject(Tag(7)) },
  ]

  /// The calls that no coder supports.
  static let unsupported: [CoderCall] = [
    action("encodeBytes(_:length:)") { unsafe $0.encodeBytes(nil, length: 0) },
    action("encodeValue(ofObjCType:at:)") { coder in
      var number = 7
      unsafe withUnsafePointer(to: &number) { unsafe coder.encodeValue(ofObjCType: "q", at: $0) }
    },
    action("encodeArray(ofObjCType:count:at:)") { coder in
      var number = 7
      unsafe withUnsafePointer(to: &number) { unsafe coder.encodeArray(ofObjCType: "q", count: 1, at: $0) }
    },
    action("decodeValue(ofObjCType:at:)") { coder in
      var number = 7
      unsafe withUnsafeMutablePointer(to: &number) { unsafe coder.decodeValue(ofObjCType: "q", at: $0) }
      #expect(number == 7)
    },
    action("decodeArray(ofObjCType:count:at:)") { coder in
      var number = 7
      unsafe withUnsafeMutablePointer(to: &number) { unsafe coder.decodeArray(ofObjCType: "q", count: 1, at: $0) }
      #expect(number == 7)
    },
    action("failWithError(_:)") { $0.failWithError(CocoaError(.coderInvalidValue)) },
  ]

  /// The calls that ask the coder about itself, and have no effect.
  static let asking: [CoderCall] = [
    action("allowsKeyedCoding") { #expect($0.allowsKeyedCoding) },
    action("systemVersion") { #expect($0.systemVersion == 2000) },
    action("version(forClassName:)") { #expect($0.version(forClassName: "Crate") == 0) },
    action("requiresSecureCoding") { #expect($0.requiresSecureCoding) },
    action("decodingFailurePolicy") { _ = $0.decodingFailurePolicy },
    action("error") { _ = $0.error },
    action("allowedClasses") { _ = $0.allowedClasses },
    action("keyedArchiver") { _ = $0.keyedArchiver?.error },
    action("keyedUnarchiver") { _ = $0.keyedUnarchiver?.error },
  ]
}
