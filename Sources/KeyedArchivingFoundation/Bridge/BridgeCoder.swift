// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if !canImport(Darwin)
  import Foundation
  import KeyedArchiving

  /// The superclass of the coders of both directions. Calls of the other direction are errors, and never end the process.
  class BridgeCoder: PointerFreeCoder {
    /// The name of the class whose method gets this coder.
    let className: String
    /// Whether the method that got this coder is running. A class may keep the coder, but not use it later.
    private(set) var isActive = true

    init(className: String) { self.className = className }

    /// Ends the coder, because the method that got it has returned.
    func finish() { isActive = false }

    /// Records an error of the current object.
    func report(_ error: KeyedArchiveError) {}

    /// Whether the object of the coder is the one that is being coded. Others can be decoded while its method runs.
    var isCurrent: Bool { true }

    /// Whether the coder may be used.
    final var isInUse: Bool { isActive && isCurrent }

    /// Returns whether the coder may be used, and records an error if not.
    final func isUsable(_ method: String) -> Bool {
      if isInUse { return true }
      let when =
        isActive ? "while another object is being decoded" : "after its encode(with:) or init(coder:) had returned"
      report(
        KeyedArchiveError(
          .reportedByClass, "'\(className)' called \(method) \(when)", className: className,
          remedy: "Use the coder only inside the method that gets it"
            + (isActive ? ", and while no other object is being decoded" : "")))
      return false
    }

    override final func refuse(_ method: String, remedy: String) {
      report(
        KeyedArchiveError(
          .reportedByClass, "'\(className)' called \(method), which keyed coding does not support here",
          className: className, remedy: remedy))
    }

    private func refuseToDecode(_ method: String) {
      refuse(method, remedy: "Call it in init(coder:); an archiver only encodes")
    }

    private func refuseToEncode(_ method: String) {
      refuse(method, remedy: "Call it in encode(with:); an unarchiver only decodes")
    }

    // MARK: Properties

    override final var allowsKeyedCoding: Bool { true }
    // The version of the coders of Foundation on Linux.
    override final var systemVersion: UInt32 { 2000 }
    override var allowedClasses: [AnyClass]? { nil }
    override func failWithError(_ error: any Error) {}

    /// Returns 0, because keyed archives have no versions of classes.
    override final func version(forClassName className: String) -> Int { 0 }

    // MARK: Encoding

    override func encode(_ data: Data) { refuseToEncode("encode(_: Data)") }
    override func encode(_ object: Any?) { refuseToEncode("encode(_:)") }
    override func encodeConditionalObject(_ object: Any?) { refuseToEncode("encodeConditionalObject(_:)") }
    override func encode(_ objv: Any?, forKey key: String) { refuseToEncode("encode(_:forKey:)") }
    override func encodeConditionalObject(_ objv: Any?, forKey key: String) {
      refuseToEncode("encodeConditionalObject(_:forKey:)")
    }
    override func encode(_ boolv: Bool, forKey key: String) { refuseToEncode("encode(_: Bool, forKey:)") }
    override func encode(_ intv: Int, forKey key: String) { refuseToEncode("encode(_: Int, forKey:)") }
    override func encode(_ intv: Int32, forKey key: String) { refuseToEncode("encode(_: Int32, forKey:)") }
    override func encode(_ intv: Int64, forKey key: String) { refuseToEncode("encode(_: Int64, forKey:)") }
    override func encode(_ realv: Float, forKey key: String) { refuseToEncode("encode(_: Float, forKey:)") }
    override func encode(_ realv: Double, forKey key: String) { refuseToEncode("encode(_: Double, forKey:)") }
    override func encode(bytes: Data, forKey key: String) { refuseToEncode("encodeBytes(_:length:forKey:)") }

    // These are other names of the calls above, as in Foundation's keyed archiver.
    override final func encodeRootObject(_ rootObject: Any) { encode(rootObject as Any?) }
    override final func encodeBycopyObject(_ anObject: Any?) { encode(anObject) }
    override final func encodeByrefObject(_ anObject: Any?) { encode(anObject) }
    override final func encodePropertyList(_ aPropertyList: Any) { encode(aPropertyList as Any?) }

    // MARK: Decoding

    override func containsValue(forKey key: String) -> Bool {
      refuseToDecode("containsValue(forKey:)")
      return false
    }
    override func decodeData() -> Data? {
      refuseToDecode("decodeData()")
      return nil
    }
    override func decodeObject() -> Any? {
      refuseToDecode("decodeObject()")
      return nil
    }
    override func decodeObject(forKey key: String) -> Any? {
      refuseToDecode("decodeObject(forKey:)")
      return nil
    }
    override final func decodeObject<DecodedObjectType: NSCoding>(
      of cls: DecodedObjectType.Type, forKey key: String
    ) -> DecodedObjectType? where DecodedObjectType: NSObject {
      decodeObject(of: [cls], forKey: key) as? DecodedObjectType
    }
    override func decodeObject(of classes: [AnyClass]?, forKey key: String) -> Any? {
      refuseToDecode("decodeObject(of:forKey:)")
      return nil
    }
    override func decodePropertyList() -> Any? {
      refuseToDecode("decodePropertyList()")
      return nil
    }
    override func decodePropertyList(forKey key: String) -> Any? {
      refuseToDecode("decodePropertyList(forKey:)")
      return nil
    }
    override func decodeBool(forKey key: String) -> Bool {
      refuseToDecode("decodeBool(forKey:)")
      return false
    }
    override final func decodeCInt(forKey key: String) -> Int32 { decodeInt32(forKey: key) }
    override func decodeInt32(forKey key: String) -> Int32 {
      refuseToDecode("decodeInt32(forKey:)")
      return 0
    }
    override func decodeInt64(forKey key: String) -> Int64 {
      refuseToDecode("decodeInt64(forKey:)")
      return 0
    }
    override func decodeInteger(forKey key: String) -> Int {
      refuseToDecode("decodeInteger(forKey:)")
      return 0
    }
    override func decodeFloat(forKey key: String) -> Float {
      refuseToDecode("decodeFloat(forKey:)")
      return 0
    }
    override func decodeDouble(forKey key: String) -> Double {
      refuseToDecode("decodeDouble(forKey:)")
      return 0
    }
    override func decodedBytes(forKey key: String) -> Data? {
      refuseToDecode("withDecodedUnsafeBytes(forKey:body:)")
      return nil
    }
  }
#endif
