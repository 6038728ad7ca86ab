// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) package import PropertyListFormat

// Whether an object with a certain class record may stand where a certain type is asked for. The answer depends on these
// two, on the names set on the decoder and on nothing that was decoded before; it is found out once for each pair.
extension KeyedUnarchiver {
  func checkAllowed(_ classUID: UInt32, for type: any KeyedCoding.Type) throws {
    let chosen = try isRecord(classUID, of: type) ? type : resolveType(classRecord(classUID), for: type)
    if requiresSecureCoding {
      guard SecureCoding.isAdopted(by: chosen) else {
        let record = try classRecord(classUID)
        throw KeyedArchiveError(
          .classNotSecure, "'\(record.name)' would be decoded as \(chosen), which does not adopt secure coding",
          keyPath: storage.state.keyPath(), uid: ArchiveUID(rawValue: classUID), className: record.name,
          remedy: "Conform \(chosen) to SecureKeyedCoding, or set requiresSecureCoding to false")
      }
    }
    let isSame = ObjectIdentifier(chosen) == ObjectIdentifier(type)
    // Whoever chose it: only a subclass may be made in place of the type that was asked for.
    guard isSame || AllowList.isSubclass(chosen, of: type) else {
      throw refused(try classRecord(classUID), type, "\(chosen) is no subclass of \(type)")
    }
    storage.state.allowListCache.insert(
      AllowListCache.Key(classUID: classUID, request: ObjectIdentifier(type)), as: isSame ? nil : chosen,
      isWatched: storage.state.hasDelegate || chosen is any ArchiveAwakening.Type)
  }

  /// The type to make for a class record: `type` itself, or one that it or the caller admits in its place.
  private func resolveType(_ record: ClassRecord, for type: any KeyedCoding.Type) throws -> any KeyedCoding.Type {
    if let set = setClass(for: record) {
      if admits(set, for: type) { return set }
      throw refused(record, type, "the name is set to mean \(set), which is none of the types asked for")
    }
    if let found = AllowList.type(named: record.name, amongThoseThatMayStandFor: type) { return found }
    for hint in record.hints {
      if let found = AllowList.type(named: hint, amongThoseThatMayStandFor: type) { return found }
    }
    if let open = type as? any ArchivedClassMatching.Type, open.matches(record.description) { return type }
    if let answer = delegateType(for: record) {
      if admits(answer, for: type) { return answer }
      throw refused(record, type, "the delegate offered \(answer), which is none of the types asked for")
    }
    throw refused(record, type, nil)
  }

  /// The type that the delegate knows for a class.
  func delegateType(for record: ClassRecord) -> (any KeyedCoding.Type)? {
    guard let delegate else { return nil }
    return withAllowList(nil) {
      delegate.unarchiver(self, cannotDecodeObjectOfClassName: record.name, originalClasses: record.chain)
    }
  }

  /// Whether a type that the caller named for a class may stand for another: that one itself, or a subclass of it.
  func admits(_ candidate: any KeyedCoding.Type, for type: any KeyedCoding.Type) -> Bool {
    ObjectIdentifier(candidate) == ObjectIdentifier(type) || AllowList.isSubclass(candidate, of: type)
  }

  private func refused(
    _ record: ClassRecord, _ type: any KeyedCoding.Type, _ reason: String?
  ) -> KeyedArchiveError {
    let names = AllowList.names(of: type).map { "'\($0)'" }.joined(separator: ", ")
    let why = reason.map { "; \($0)" } ?? ""
    return KeyedArchiveError(
      .classNotAllowed, "class '\(record.name)' is not allowed here; allowed: \(names)\(why)",
      keyPath: storage.state.keyPath(), className: record.name, remedy: remedy(record, type))
  }

  /// What to do about a class that is not allowed where a type was requested.
  private func remedy(_ record: ClassRecord, _ type: any KeyedCoding.Type) -> String {
    let name = "'\(record.name)'"
    if record.name.hasSameBytes(as: ArchiveNull.archiveClassName) {
      return "If the value may be nil, request an optional: \(type)?, in a collection [\(type)?]"
    }
    // A type that the program declares is not in these modules.
    let module = String(reflecting: type).prefix { $0 != "." }
    if ["Swift", "Foundation", "FoundationEssentials", "KeyedArchiving"].contains(module) {
      return "Request the type that the archive holds here: the one for \(name)"
    }
    let isAncestor = { (name: String) in record.chain.dropFirst().contains { $0.hasSameBytes(as: name) } }
    if type is AnyClass, AllowList.names(of: type).contains(where: isAncestor) {
      return "The archive says that \(name) is a subclass. If you trust it, declare its type in "
        + "\(type).archiveSubclasses; under an alias the fields of the subclass would be lost"
    }
    return
      "If you trust it, request its type, or declare \(name) in \(type).archiveClassAliases if that is a former name"
      + (type is AnyClass ? ", or its type in \(type).archiveSubclasses if it is a subclass" : "")
  }

  @inline(never)
  package func unexpected(_ item: BinaryItem, _ uid: UInt32, _ type: any KeyedCoding.Type) -> KeyedArchiveError {
    let found = PrimitiveValueClass.name(of: item.kind)
    return KeyedArchiveError(
      .classNotAllowed,
      "the archive has a value of kind \(item.kind.name) where '\(type.archiveClassName)' is allowed",
      keyPath: storage.state.keyPath(), uid: ArchiveUID(rawValue: uid), className: found,
      byteOffset: item.content - 1, remedy: "Ask for the type that the archive holds here")
  }
}
