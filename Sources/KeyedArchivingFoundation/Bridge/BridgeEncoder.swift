// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if !canImport(Darwin)
  import ArchivedClasses
  import Foundation
  public import KeyedArchiving
  import PropertyListFormat

  /// The `NSCoder` that `encode(with:)` of a class of Foundation's gets. It forwards to an archiver.
  final class BridgeEncoder: BridgeCoder {
    let archiver: KeyedArchiver

    init(_ archiver: KeyedArchiver, for type: any KeyedCoding.Type) {
      self.archiver = archiver
      super.init(className: type.archiveClassName)
    }

    override func report(_ error: KeyedArchiveError) { archiver.failWithError(error) }

    override var requiresSecureCoding: Bool { archiver.requiresSecureCoding }
    override var decodingFailurePolicy: NSCoder.DecodingFailurePolicy { .setErrorAndReturn }
    override var error: (any Error)? { archiver.error }
    override func failWithError(_ error: any Error) { archiver.failWithError(error) }

    // MARK: Values with keys

    override func encode(_ boolv: Bool, forKey key: String) {
      if isUsable("encode(_:forKey:)") { archiver.encode(boolv, forKey: key) }
    }
    override func encode(_ intv: Int, forKey key: String) {
      if isUsable("encode(_:forKey:)") { archiver.encode(intv, forKey: key) }
    }
    override func encode(_ intv: Int32, forKey key: String) {
      if isUsable("encode(_:forKey:)") { archiver.encode(intv, forKey: key) }
    }
    override func encode(_ intv: Int64, forKey key: String) {
      if isUsable("encode(_:forKey:)") { archiver.encode(intv, forKey: key) }
    }
    override func encode(_ realv: Float, forKey key: String) {
      if isUsable("encode(_:forKey:)") { archiver.encode(realv, forKey: key) }
    }
    override func encode(_ realv: Double, forKey key: String) {
      if isUsable("encode(_:forKey:)") { archiver.encode(realv, forKey: key) }
    }
    override func encode(bytes: Data, forKey key: String) {
      if isUsable("encodeBytes(_:length:forKey:)") { archiver.encodeBytes(bytes, forKey: key) }
    }

    override func encode(_ objv: Any?, forKey key: String) {
      guard isUsable("encode(_:forKey:)") else { return }
      recordingErrors(key) {
        func encode(_ value: some KeyedCoding) { archiver.encodeObject(value, forKey: key) }
        guard let value = try archivable(objv) else { return archiver.encodeObject(String?.none, forKey: key) }
        encode(value)
      }
    }

    override func encodeConditionalObject(_ objv: Any?, forKey key: String) {
      guard isUsable("encodeConditionalObject(_:forKey:)") else { return }
      recordingErrors(key) {
        func encode(_ value: some KeyedCoding & AnyObject) { archiver.encodeConditionalObject(value, forKey: key) }
        let value = try archivable(objv)
        // A value without identity cannot be referenced by another object.
        guard let object = value as? any KeyedCoding & AnyObject else { return archiver.encode(value, forKey: key) }
        encode(object)
      }
    }

    // MARK: Values without keys

    override func encode(_ object: Any?) {
      guard isUsable("encode(_:)") else { return }
      recordingErrors(nil) { archiver.encode(try archivable(object)) }
    }

    override func encodeConditionalObject(_ object: Any?) {
      guard isUsable("encodeConditionalObject(_:)") else { return }
      recordingErrors(nil) {
        func encode(_ value: some KeyedCoding & AnyObject) { archiver.encodeConditionalObject(value) }
        let value = try archivable(object)
        guard let object = value as? any KeyedCoding & AnyObject else { return archiver.encode(value) }
        encode(object)
      }
    }

    override func encode(_ data: Data) { encode(data as Any?) }

    // MARK: Objects

    private func archivable(_ object: Any?) throws -> (any KeyedCoding)? {
      guard let object else { return nil }
      return try FoundationObjects.of(archiver).archivable(orNil: object)
    }

    private func recordingErrors(_ key: String?, _ body: () throws -> Void) {
      do {
        try body()
      } catch {
        var failure = KeyedArchiveError(wrapping: error)
        // The path inside of a collection, which has no beginning yet.
        if let key, let rest = failure.keyPath { failure.keyPath = archiver.keyPath(to: key) + rest }
        if failure.className == nil { failure.className = className }
        if let key { failure.detail += " (key '\(key)' of '\(className)')" }
        archiver.failWithError(failure)
      }
    }
  }

  extension KeyedArchiver {
    /// Encodes an object of Foundation, such as an `NSArray` or a `[String: Any]`, with the bytes of Apple's archiver.
    ///
    /// The object and its contents may be values of Foundation and of Swift, and objects of types that conform to
    /// `KeyedCoding` or ``FoundationCoding``.
    /// - Parameters:
    ///   - object: The object, or nil.
    ///   - key: The key, which the object uses once.
    public func encodeFoundationObject(_ object: Any?, forKey key: String) {
      do {
        let value = try object.flatMap { try FoundationObjects.of(self).archivable(orNil: $0) }
        func encode(_ value: some KeyedCoding) { encodeObject(value, forKey: key) }
        guard let value else { return encodeObject(String?.none, forKey: key) }
        encode(value)
      } catch {
        var failure = KeyedArchiveError(wrapping: error)
        failure.keyPath = keyPath(to: key) + (failure.keyPath ?? "")
        failWithError(failure)
      }
    }
  }
#endif
