// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if !canImport(Darwin)
  public import Foundation
  public import KeyedArchiving
  public import PropertyListFormat

  /// The `NSCoder` that `init(coder:)` of a class of Foundation's gets. It forwards to an unarchiver.
  final class BridgeDecoder: BridgeCoder {
    let unarchiver: KeyedUnarchiver
    private let type: any KeyedCoding.Type
    private let scope: ScopeID
    private var objects: DecodedFoundationObjects { DecodedFoundationObjects.of(unarchiver) }

    init(_ unarchiver: KeyedUnarchiver, for type: any KeyedCoding.Type) {
      self.unarchiver = unarchiver
      self.type = type
      scope = unarchiver.currentScope
      super.init(className: type.archiveClassName)
    }

    override var isCurrent: Bool { unarchiver.isCurrent(scope) }

    override func report(_ error: KeyedArchiveError) { unarchiver.failWithError(error) }

    override var requiresSecureCoding: Bool { unarchiver.requiresSecureCoding }
    override var error: (any Error)? { unarchiver.error }
    override func failWithError(_ error: any Error) { unarchiver.failWithError(error) }

    override var decodingFailurePolicy: NSCoder.DecodingFailurePolicy {
      switch unarchiver.decodingFailurePolicy {
      case .raiseException: .raiseException
      case .setErrorAndReturn: .setErrorAndReturn
      }
    }

    /// The classes among the types that an untyped request allows.
    override var allowedClasses: [AnyClass]? { programTypes.compactMap { $0 as? AnyClass } }

    override func containsValue(forKey key: String) -> Bool {
      isUsable("containsValue(forKey:)") && unarchiver.containsValue(forKey: key)
    }

    // MARK: Primitives

    override func decodeBool(forKey key: String) -> Bool {
      isUsable("decodeBool(forKey:)") && unarchiver.decodeBool(forKey: key)
    }
    override func decodeInt32(forKey key: String) -> Int32 {
      isUsable("decodeInt32(forKey:)") ? unarchiver.decodeInt32(forKey: key) : 0
    }
    override func decodeInt64(forKey key: String) -> Int64 {
      isUsable("decodeInt64(forKey:)") ? unarchiver.decodeInt64(forKey: key) : 0
    }
    override func decodeInteger(forKey key: String) -> Int {
      isUsable("decodeInteger(forKey:)") ? unarchiver.decodeInteger(forKey: key) : 0
    }
    override func decodeFloat(forKey key: String) -> Float {
      isUsable("decodeFloat(forKey:)") ? unarchiver.decodeFloat(forKey: key) : 0
    }
    override func decodeDouble(forKey key: String) -> Double {
      isUsable("decodeDouble(forKey:)") ? unarchiver.decodeDouble(forKey: key) : 0
    }
    override func decodedBytes(forKey key: String) -> Data? {
      isUsable("withDecodedUnsafeBytes(forKey:body:)") ? unarchiver.decodeBytes(forKey: key) : nil
    }

    // MARK: Objects

    override func decodeObject(of classes: [AnyClass]?, forKey key: String) -> Any? {
      guard let classes else { return decodeObject(forKey: key) }
      guard isUsable("decodeObject(of:forKey:)") else { return nil }
      return unarchiver.recordingErrors(nil) { try decode(objects.request(classes), key) }
        ?? unarchiver.fallback(nil, for: key)
    }

    override func decodeObject(forKey key: String) -> Any? {
      decode(untyped("decodeObject(forKey:)"), key, "decodeObject(forKey:)")
    }

    override func decodePropertyList(forKey key: String) -> Any? {
      decode(propertyList("decodePropertyList(forKey:)"), key, "decodePropertyList(forKey:)")
    }

    /// Returns a decoded array as one of Swift; nil if `convert` records an error and returns nil.
    func conversion<Result>(of array: NSArray, _ classes: [AnyClass], _ convert: ([Any]) -> Result?) -> Result? {
      unarchiver.recordingErrors(nil) { try objects.conversion(of: array, classes, convert) }
    }

    /// Returns a decoded dictionary as one of Swift; nil if `convert` records an error and returns nil.
    func conversion<Result>(
      of dictionary: NSDictionary, _ classes: [[AnyClass]], _ convert: ([(Any, Any)]) -> Result?
    ) -> Result? {
      unarchiver.recordingErrors(nil) { try objects.conversion(of: dictionary, classes, convert) }
    }

    // MARK: Objects without keys

    override func decodeObject() -> Any? { decodeNext(untyped("decodeObject()"), "decodeObject()") }
    override func decodePropertyList() -> Any? {
      decodeNext(propertyList("decodePropertyList()"), "decodePropertyList()")
    }
    override func decodeData() -> Data? {
      (decodeNext(objects.request([NSData.self]).wording, "decodeData()") as? NSData).map { Data($0) }
    }

    // MARK: Requests

    /// The types of the program that an untyped request allows: the class that makes the request, the registered types, and
    /// those of the outermost request.
    private var programTypes: [any KeyedCoding.Type] {
      [type] + objects.untypedTypes + unarchiver.outermostTypes
    }

    /// The request of a call without a list of classes.
    private func untyped(_ method: String) -> RequestWording {
      let programTypes = programTypes
      return RequestWording(
        of: objects.classes.plainTypes + programTypes,
        allowed: { "plain values of Foundation and \(Self.names(of: programTypes))" },
        remedy: { Self.remedy(for: $0, method) })
    }

    private func propertyList(_ method: String) -> RequestWording {
      RequestWording(
        of: objects.classes.propertyListTypes, allowed: { "the classes of property lists" },
        remedy: { _ in "\(method) decodes only property lists; request the object with decodeObject(of:forKey:)" })
    }

    private static func names(of types: [any KeyedCoding.Type]) -> String {
      var names: [String] = []
      for name in types.map({ String(describing: $0) }) where !names.contains(where: { $0.hasSameBytes(as: name) }) {
        names.append(name)
      }
      return names.joined(separator: ", ")
    }

    /// Returns the remedy for a class that a call without a list of classes does not allow.
    private static func remedy(for found: String, _ method: String) -> String {
      if found.hasSameBytes(as: "NSObject") { return FoundationClassName.remedyForRootClass }
      let name = FoundationClassName.inSwift(found)
      let type = name.map { "\($0).self" } ?? "its class"
      let request = "request it with decodeObject(of: \(type), forKey:)"
      if FoundationClassName.isOfFoundation(found) { return "\(method) has no list of classes: \(request)" }
      return "\(method) has no list of classes. If you trust it, \(request), or add \(type) to the unarchiver's "
        + "classesForUntypedRequests or to the list of unarchivedObject(ofClasses:from:)"
    }

    private func decode(_ request: RequestWording, _ key: String, _ method: String) -> Any? {
      guard isUsable(method) else { return nil }
      return unarchiver.recordingErrors(nil) { try decode(request, key) } ?? unarchiver.fallback(nil, for: key)
    }

    private func decode(_ request: RequestWording, _ key: String) throws -> Any? {
      try decode(request, key) { try unarchiver.object(request.types, key) }
    }

    private func decode(
      _ request: RequestWording, _ key: String?, _ fetch: () throws -> (any KeyedCoding)?
    ) throws -> Any? {
      try mendingErrors(key) {
        try unarchiver.withWording(request) { try fetch().map { try objects.object($0) } }
      }
    }

    private func decodeNext(_ request: RequestWording, _ method: String) -> Any? {
      guard isUsable(method) else { return nil }
      return unarchiver.recordingErrors(nil) { try decodeNext(request) }
    }

    private func decodeNext(_ request: RequestWording) throws -> Any? {
      try decode(request, nil) { try unarchiver.nextObject(request.types) }
    }

    // MARK: Calls that throw

    /// Decodes the object for a key, and throws an error instead of recording it.
    func topLevelObject(of classes: [AnyClass]?, forKey key: String) throws -> Any? {
      try unarchiver.throwing {
        guard let classes else { return try decode(untyped("decodeTopLevelObject(forKey:)"), key) }
        return try decode(objects.request(classes), key)
      }
    }

    /// Decodes the next unkeyed object, and throws an error instead of recording it.
    func topLevelObject() throws -> Any? {
      try unarchiver.throwing { try decodeNext(untyped("decodeTopLevelObject()")) }
    }

    // MARK: Bytes

    override func lentBytes(forKey key: String, minimumLength: Int?) -> LentBytes? {
      guard isUsable("decodeBytes(forKey:returnedLength:)") else { return nil }
      let bytes =
        minimumLength.map { unarchiver.decodeBytes(forKey: key, minimumLength: $0) }
        ?? unarchiver.decodeBytes(forKey: key)
      guard let bytes else { return nil }
      return unarchiver.recordingErrors(nil) { try objects.lend(bytes) }
    }

    private func decode(_ request: ClassRequest, _ key: String) throws -> Any? {
      try mendingErrors(key) {
        try unarchiver.withWording(request.wording) {
          func one<Value: KeyedCoding>(_ type: Value.Type) throws -> (any KeyedCoding)? {
            try unarchiver.object(type, key)
          }
          if let single = request.single { return try one(single) }
          return try objects.object(of: request, key, in: unarchiver)
        }
      }
    }

    /// Runs a request, and explains what Foundation's classes cannot decode.
    private func mendingErrors<Value>(_ key: String?, _ body: () throws -> Value) throws -> Value {
      do {
        return try body()
      } catch var error as KeyedArchiveError where error.code == .cycle && error.className == nil {
        error.className = className
        let place = key.map { "for the key '\($0)'" } ?? "without a key"
        error.detail =
          "reference cycle: '\(className)' requests \(place) an object that is still being initialized, which only "
          + "Objective-C allocates before its initializer"
        error.remedy =
          "Use decodeObject(of:forKey:then:), which delivers the object when it is complete, or let the owner set the "
          + "property after decoding"
        throw error
      }
    }
  }

  extension DecodedFoundationObjects {
    /// Decodes the object of a request.
    fileprivate func object(of request: ClassRequest, _ key: String, in unarchiver: KeyedUnarchiver) throws -> Any? {
      guard let value = try unarchiver.object(request.types, key) else { return nil }
      let object = try object(value)
      try request.check(object, value)
      return object
    }
  }

  extension KeyedUnarchiver {
    /// The types that an untyped request of a ``FoundationCoding`` class, `decodeObject(forKey:)`, may decode.
    ///
    /// Without them, it decodes Foundation's plain values and collections, and objects of the class that makes the
    /// request. It also decodes the types with which a call requests the root object. Set them before you decode anything.
    public var classesForUntypedRequests: [any KeyedCoding.Type] {
      get { DecodedFoundationObjects.of(self).untypedTypes }
      set { DecodedFoundationObjects.of(self).untypedTypes = newValue }
    }

    /// Decodes an object of Foundation, such as an `NSArray`, or of a ``FoundationCoding`` class.
    /// - Parameters:
    ///   - classes: The allow list, which must also have the classes of elements.
    ///   - key: The key of the object.
    /// - Returns: The object, or nil if the key is absent or stores nil.
    /// - Throws: `KeyedArchiveError` if the object is damaged or its class is not allowed.
    public func decodeFoundationObject(ofClasses classes: [AnyClass], forKey key: String) throws -> Any? {
      try throwing {
        let objects = DecodedFoundationObjects.of(self)
        let request = objects.request(classes)
        return try withWording(request.wording) { try objects.object(of: request, key, in: self) }
      }
    }

    /// Decodes the object that an archive has for the key `root`: one of Foundation's or of a ``FoundationCoding`` class.
    /// - Parameters:
    ///   - classes: The allow list, which must also have the classes of elements.
    ///   - data: The archive.
    ///   - limits: The limits of the decode.
    /// - Returns: The object, or nil if the archive stores nil.
    /// - Throws: `KeyedArchiveError` if the data is not a keyed archive, the object is damaged, or a class is not allowed.
    public static func unarchivedFoundationObject(
      ofClasses classes: [AnyClass], from data: Data, limits: ReadLimits = .default
    ) throws -> Any? {
      let unarchiver = try KeyedUnarchiver(forReadingFrom: data, limits: limits)
      let object = try unarchiver.decodeFoundationObject(ofClasses: classes, forKey: unarchiver.existingRootKey())
      unarchiver.finishDecoding()
      return object
    }
  }
#endif
