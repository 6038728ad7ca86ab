// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

// Objects whose class selects another class to decode. The class in the archive must be allowed first, and then the
// selected one.
extension KeyedUnarchiver {
  /// Returns the class that an allowed type selects to be decoded instead, or nil if it selects itself.
  /// - Throws: ``KeyedArchiveError`` if the selected class has no keyed coding.
  func replacement(of type: any KeyedCoding.Type, _ record: ClassRecord) throws -> (any (KeyedCoding & AnyObject).Type)?
  {
    guard TypeFacts.of(type).contains(.resolvesClass), let resolving = type as? any ArchiveClassResolving.Type else {
      return nil
    }
    let selected: AnyClass = resolving.classForUnarchiver()
    if ObjectIdentifier(selected) == ObjectIdentifier(type) { return nil }
    if let replacement = selected as? any (KeyedCoding & AnyObject).Type { return replacement }
    throw KeyedArchiveError(
      .classNotAllowed,
      "class \(TypeName.shown(record.name)) selects the class \(TypeName.unwrapped(selected)) to be decoded, which has no "
        + "keyed coding", at: storage.state.place(), className: record.name,
      remedy: "Return a class that conforms to KeyedCoding, or to FoundationCoding, from the method that selects it")
  }

  /// Caches that objects of a class record are decoded as a selected class, and returns the type for such requests.
  ///
  /// The decision is that of a request for the returned type alone, because a request for the class itself does not allow
  /// the class record.
  func allow(
    _ replacement: any (KeyedCoding & AnyObject).Type, for classUID: UInt32
  ) throws -> any ReplacedClass.Type {
    try checkSecureCoding(of: replacement, classUID)
    let type = Self.replacedObject(replacement)
    let key = AllowListCache.Key(classUID: classUID, request: ObjectIdentifier(type))
    if !storage.state.allowListCache.contains(key) {
      storage.state.tracker?.classify(type)
      storage.state.allowListCache.insert(key, as: nil, hasHook: hasHook(TypeFacts.of(replacement)))
    }
    return type
  }

  /// Decodes an object under an allow list, whose class in the archive the list allows.
  func decodeListed(
    _ type: any KeyedCoding.Type, _ record: ClassRecord, _ list: AllowList, _ uid: UInt32
  ) throws -> (any KeyedCoding)? {
    guard let replacement = try replacement(of: type, record) else {
      return try type.decode(ArchiveUID(rawValue: uid), in: self)
    }
    guard list.admits(replacement) else {
      throw notListed(record.name, list, uid, "it selects the class \(replacement), which is not on the list")
    }
    return try allow(replacement, for: record.uid).object(uid, in: self)
  }

  /// Decodes the type that substitutes for a requested one.
  func decode(substitute: any KeyedCoding.Type, _ uid: UInt32) throws -> (any KeyedCoding)? {
    if let replaced = substitute as? any ReplacedClass.Type { return try replaced.object(uid, in: self) }
    return try substitute.decode(ArchiveUID(rawValue: uid), in: self)
  }

  private static func replacedObject<Object: KeyedCoding & AnyObject>(
    _ type: Object.Type
  ) -> any ReplacedClass.Type { ReplacedObject<Object>.self }

  /// Decodes an object as a selected class.
  fileprivate func make(
    _ type: any (KeyedCoding & AnyObject).Type, for request: ObjectIdentifier, from uid: UInt32
  ) throws -> (any KeyedCoding)? {
    switch try storage.state.open(uid, for: request) {
    case .null: return nil
    case .finished(let object): return try cast(object, to: type, uid)
    case .opened(let hasHook): return try initialize(type, uid, hasHook, as: request)
    case .unchecked, .substitute, .primitive:
      throw KeyedArchiveError(
        .classNotAllowed, "the class to decode was not checked", at: storage.state.place(),
        uid: ArchiveUID(rawValue: uid), className: type.archiveClassName,
        remedy: "Do not change the rules of the unarchiver while it selects a class")
    }
  }
}

/// The request for an object as the class that its own class selects.
///
/// No value has this type. It tells this request from one for the class itself in caches.
protocol ReplacedClass: KeyedCoding {
  static func object(_ uid: UInt32, in coder: KeyedUnarchiver) throws -> (any KeyedCoding)?
}

private final class ReplacedObject<Object: KeyedCoding & AnyObject>: ReplacedClass, SecureKeyedCoding, DecodableWrapper
{
  static var wrappedType: Any.Type { Object.self }
  static var archiveClassName: String { Object.archiveClassName }

  static func object(_ uid: UInt32, in coder: KeyedUnarchiver) throws -> (any KeyedCoding)? {
    try coder.make(Object.self, for: ObjectIdentifier(Self.self), from: uid)
  }

  func encode(with coder: KeyedArchiver) {}

  init?(coder: KeyedUnarchiver) { nil }
}
