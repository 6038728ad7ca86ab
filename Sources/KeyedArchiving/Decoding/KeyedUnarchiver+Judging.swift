// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

// Whether an object with a certain class record may stand where a certain type is asked for. The answer depends on these
// two, on the names set on the decoder and on nothing that was decoded before; it is found out once for each pair.
extension KeyedUnarchiver {
  func judge(_ classUID: UInt32, for type: any KeyedCoding.Type) throws {
    let chosen = try isRecord(classUID, of: type) ? type : choose(classRecord(classUID), for: type)
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
    storage.state.verdicts.settle(
      Verdicts.Question(classUID: classUID, request: ObjectIdentifier(type)), as: isSame ? nil : chosen,
      isWatched: storage.state.hasDelegate || chosen is any ArchiveAwakening.Type)
  }

  /// The type to make for a class record: `type` itself, or one that it or the caller admits in its place.
  private func choose(_ record: ClassRecord, for type: any KeyedCoding.Type) throws -> any KeyedCoding.Type {
    if let set = setClass(for: record) {
      if admits(set, for: type) { return set }
      throw refused(record, type, "the name is set to mean \(set), which is none of the types asked for")
    }
    if let found = ClassList.type(named: record.name, amongThoseThatMayStandFor: type) { return found }
    for hint in record.hints {
      if let found = ClassList.type(named: hint, amongThoseThatMayStandFor: type) { return found }
    }
    if let open = type as? any ClassAnswering.Type, open.answers(to: record.description) { return type }
    if let delegate {
      let answer = delegate.unarchiver(
        self, cannotDecodeObjectOfClassName: record.name, originalClasses: record.chain)
      if let answer {
        if admits(answer, for: type) { return answer }
        throw refused(record, type, "the delegate offered \(answer), which is none of the types asked for")
      }
    }
    throw refused(record, type, nil)
  }

  /// Whether a type that the caller named for a class may stand for another.
  func admits(_ candidate: any KeyedCoding.Type, for type: any KeyedCoding.Type) -> Bool {
    if ObjectIdentifier(candidate) == ObjectIdentifier(type) { return true }
    if ClassList.family(of: type).contains(where: { ObjectIdentifier($0) == ObjectIdentifier(candidate) }) {
      return true
    }
    var current: AnyClass? = candidate as? AnyClass
    while let superclass = current {
      if ObjectIdentifier(superclass) == ObjectIdentifier(type) { return true }
      current = _getSuperclass(superclass)
    }
    return false
  }

  private func refused(
    _ record: ClassRecord, _ type: any KeyedCoding.Type, _ reason: String?
  ) -> KeyedArchiveError {
    let names = ([type.archiveClassName] + type.archiveClassAliases).map { "'\($0)'" }.joined(separator: ", ")
    let why = reason.map { "; \($0)" } ?? ""
    return KeyedArchiveError(
      .classNotAllowed, "the archive has an object of class '\(record.name)' where \(names) is allowed\(why)",
      keyPath: storage.state.keyPath(), className: record.name,
      remedy: "If '\(record.name)' may come out here, ask for its type, add '\(record.name)' to archiveClassAliases of "
        + "\(type), or its type to archiveSubclasses")
  }

  @inline(never)
  func unexpected(_ item: BinaryItem, _ uid: UInt32, _ type: any KeyedCoding.Type) -> KeyedArchiveError {
    let found = BareValueClass.name(of: item.kind)
    return KeyedArchiveError(
      .classNotAllowed,
      "the archive has a value of kind \(item.kind.name) where '\(type.archiveClassName)' is allowed",
      keyPath: storage.state.keyPath(), uid: ArchiveUID(rawValue: uid), className: found,
      byteOffset: item.content - 1, remedy: "Ask for the type that the archive holds here")
  }
}
