// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) package import PropertyListFormat

// The allow-list check decides whether an object with a class record may be decoded as a requested type. The decision
// depends on these two and on the decoder's settings, never on earlier decoding, and is cached for each pair.
extension KeyedUnarchiver {
  func checkAllowed(_ classUID: UInt32, for type: any KeyedCoding.Type) throws {
    let key = AllowListCache.Key(classUID: classUID, request: ObjectIdentifier(type))
    if !rejections.isEmpty, keepsRejection(of: type), let known = rejections[key] {
      try storage.state.chargeRejection()
      throw located(known)
    }
    do {
      try decide(classUID, for: type)
    } catch let error as KeyedArchiveError where error.code == .classNotAllowed {
      if keepsRejection(of: type) { rejections[key] = error.withoutPlace }
      throw error
    }
  }

  /// A delegate is asked each time, and a request with its own wording has another error.
  private func keepsRejection(of type: any KeyedCoding.Type) -> Bool {
    delegate == nil && wording(of: [type]) == nil
  }

  /// Checks a pair that was not checked before, and notes that it is allowed.
  private func decide(_ classUID: UInt32, for type: any KeyedCoding.Type) throws {
    let chosen = try isRecord(classUID, of: type) ? type : resolveType(classRecord(classUID), for: type)
    let facts = TypeFacts.of(chosen)
    let replacement = facts.contains(.resolvesClass) ? try replacement(of: chosen, classRecord(classUID)) : nil
    if replacement == nil { try checkSecureCoding(of: chosen, classUID) }
    let isSame = ObjectIdentifier(chosen) == ObjectIdentifier(type)
    // Outside of the access to the state, because it can call the runtime.
    storage.state.tracker?.classify(type)
    // Only a subclass may substitute for the requested type, regardless of who chose it.
    if !isSame { try checkSubstitute(chosen, for: type, classUID) }
    if let replacement { try checkSubstitute(replacement, for: type, classUID) }
    let substitute: (any KeyedCoding.Type)? = try replacement.map { try allow($0, for: classUID) }
    storage.state.allowListCache.insert(
      AllowListCache.Key(classUID: classUID, request: ObjectIdentifier(type)),
      as: substitute ?? (isSame ? nil : chosen),
      hasHook: hasHook(facts))
  }

  /// Checks that a type adopts secure coding, if this unarchiver requires it.
  /// - Parameters:
  ///   - chosen: The type.
  ///   - classUID: The class record of the object; nil for a value without a class, as which another type can be archived.
  /// - Throws: ``KeyedArchiveError`` with code `classNotSecure` if it does not.
  func checkSecureCoding(of chosen: any KeyedCoding.Type, _ classUID: UInt32?) throws {
    guard requiresSecureCoding, !SecureCoding.isAdopted(by: chosen) else { return }
    let name = try classUID.map { try classRecord($0).name }
    throw KeyedArchiveError(
      .classNotSecure,
      "secure coding required: \(name.map { TypeName.shown($0) } ?? "a single value") would be decoded as "
        + "\(TypeName.unwrapped(chosen)), which does not adopt it",
      at: storage.state.place(), uid: classUID.map { ArchiveUID(rawValue: $0) }, className: name,
      remedy: SecureCoding.remedy(for: chosen) + ", or set requiresSecureCoding to false")
  }

  private func checkSubstitute(
    _ substitute: any KeyedCoding.Type, for type: any KeyedCoding.Type, _ classUID: UInt32
  ) throws {
    guard !admits(substitute, for: type) else { return }
    throw notAllowed(
      try classRecord(classUID), type,
      "\(TypeName.unwrapped(substitute)) is not a subclass of \(TypeName.unwrapped(type))")
  }

  /// Returns whether code outside of the library may replace objects of a type after decoding.
  func hasHook(_ facts: TypeFacts) -> Bool {
    storage.state.hasDelegate || storage.state.tracker != nil || facts.contains(.awakens)
  }

  /// Returns the type to decode for a class record: `type` itself, or one that `type` or the caller allows as
  /// substitute.
  private func resolveType(_ record: ClassRecord, for type: any KeyedCoding.Type) throws -> any KeyedCoding.Type {
    if let set = setClass(for: record) {
      if admits(set, for: type) { return set }
      throw notAllowed(
        record, type,
        "setClass maps it to \(TypeName.unwrapped(set)), which may not substitute for \(TypeName.unwrapped(type))",
        remedy: "Request \(TypeName.unwrapped(set)), or remove the mapping with setClass(nil, forClassName:)")
    }
    let accepted = acceptedTypes(of: record.name)
    if accepted.contains(where: { ObjectIdentifier($0) == ObjectIdentifier(type) }) { return type }
    if let found = AllowList.type(named: [record.name], substitutableFor: type) { return found }
    if let found = accepted.first(where: { admits($0, for: type) }) { return found }
    if let type = AllowList.classResolvingNames(type),
      let found = try subclassSearch.subclass(named: record.name, of: type)
    {
      return found
    }
    if let found = AllowList.type(named: record.hints, substitutableFor: type) { return found }
    if let pattern = type as? any ArchivedClassMatching.Type, pattern.matches(record.description) { return type }
    if let answer = delegateType(for: record) {
      if admits(answer, for: type) { return answer }
      throw notAllowed(
        record, type, "the delegate returned \(answer), which may not substitute for \(TypeName.unwrapped(type))",
        remedy: "Return \(TypeName.unwrapped(type)) or a subclass of it from the delegate")
    }
    throw notAllowed(record, type, nil)
  }

  /// Asks the delegate for the type of a class.
  func delegateType(for record: ClassRecord) -> (any KeyedCoding.Type)? {
    guard let delegate else { return nil }
    return withAllowList(nil) {
      delegate.unarchiver(self, cannotDecodeObjectOfClassName: record.name, originalClasses: record.chain)
    }
  }

  /// Returns whether a type that the caller chose may substitute for the requested one.
  func admits(_ candidate: any KeyedCoding.Type, for type: any KeyedCoding.Type) -> Bool {
    ObjectIdentifier(candidate) == ObjectIdentifier(type) || AllowList.isSubclass(candidate, of: type)
  }

  private func notAllowed(
    _ record: ClassRecord, _ type: any KeyedCoding.Type, _ reason: String?, remedy: String? = nil
  ) -> KeyedArchiveError {
    let names = (AllowList.names(of: type) + acceptedNames(of: type)).map { TypeName.shown($0) }.joined(separator: ", ")
    let why = reason.map { "; \($0)" } ?? ""
    return KeyedArchiveError(
      .classNotAllowed, "class \(TypeName.shown(record.name)) is not allowed here; allowed: \(names)\(why)",
      at: storage.state.place(), className: record.name,
      remedy: remedy ?? wording(of: [type])?.remedy(for: record.name) ?? self.remedy(record, type)
    ).requesting(type)
  }

  /// Returns the remedy for a class that is not allowed.
  func remedy(_ record: ClassRecord, _ type: any KeyedCoding.Type) -> String {
    let name = "'\(record.name)'"
    let shown = TypeName.unwrapped(type)
    if record.name.hasSameBytes(as: ArchiveNull.archiveClassName) {
      return "If the value may be nil, request an optional: \(shown)?, in a collection [\(shown)?]"
    }
    if let request = collectionRequest(record.name, type) {
      return "The archive contains a collection here: request its type, such as \(request)"
    }
    // The program's own types are in other modules.
    let modules = ["Swift", "Foundation", "FoundationEssentials", "FoundationInternationalization", "KeyedArchiving"]
    if let module = TypeName.module(of: shown), modules.contains(module) {
      return "Request the type for \(name), which the archive contains here"
    }
    // Longer than any real chain, because each request for the class repeats the search.
    let ancestors = record.chain.prefix(100).dropFirst()
    let isAncestor = { (name: String) in ancestors.contains { $0.hasSameBytes(as: name) } }
    let isSubclass = shown is AnyClass && AllowList.names(of: type).contains(where: isAncestor)
    if type is any DecodableWrapper.Type {
      if isSubclass {
        return
          "The archive says that \(name) is a subclass. If you trust it, conform \(shown) to KeyedCodable, and declare the "
          + "type in archiveSubclasses; under an accepted name the fields of the subclass would be lost"
      }
      return "If you trust it, request its type. If that is a former name of \(shown), call classNames.accept(\(name), "
        + "for: \(shown).self) of the decoder, or conform \(shown) to KeyedCodable with the name in archiveClassAliases"
        + (shown is AnyClass ? ". If it is a subclass, do so and declare it in archiveSubclasses" : "")
    }
    if isSubclass {
      return "The archive says that \(name) is a subclass. If you trust it, declare its type in "
        + "\(type).archiveSubclasses; under an alias the fields of the subclass would be lost"
    }
    return
      "If you trust it, request its type, or declare \(name) in \(type).archiveClassAliases if that is a former name"
      + (type is AnyClass ? ", or its type in \(type).archiveSubclasses if it is a subclass" : "")
      + Self.ruleOfAliases(type)
  }

  /// Returns the rule for aliases of a subclass, if the subclass may have broken it.
  ///
  /// Swift finds only a member that overrides one of the class with the conformance.
  private static func ruleOfAliases(_ type: any KeyedCoding.Type) -> String {
    guard let superclass = (type as? AnyClass).flatMap({ _getSuperclass($0) }).flatMap({ TypeFacts.archivable($0) }),
      type.archiveClassAliases.elementsEqual(superclass.archiveClassAliases, by: { $0.hasSameBytes(as: $1) })
    else { return "" }
    return ". In a subclass they must be an override: \(superclass) declares 'class var archiveClassAliases', and "
      + "\(type) overrides it"
  }

  private enum Collection: String, CaseIterable {
    case array = "Array"
    case set = "Set"
    case dictionary = "Dictionary"

    init?(className: String) {
      let found = Self.allCases.first {
        className.hasSameBytes(as: "NS" + $0.rawValue) || className.hasSameBytes(as: "NSMutable" + $0.rawValue)
      }
      guard let found else { return nil }
      self = found
    }

    func of(_ element: Any.Type) -> String {
      switch self {
      case .array: "[\(element)]"
      case .set: "Set<\(element)>"
      case .dictionary: "[String: \(element)]"
      }
    }
  }

  /// Returns a type that requests a collection, if a class name is that of one. Its elements are what was requested, or
  /// the elements of the array or set that was requested.
  private func collectionRequest(_ name: String, _ type: any KeyedCoding.Type) -> String? {
    guard let found = Collection(className: name) else { return nil }
    let shown = TypeName.unwrapped(type)
    switch Collection(className: type.archiveClassName) {
    case nil: return found.of(shown)
    case .array, .set:
      func element<S: Sequence>(of type: S.Type) -> Any.Type { S.Element.self }
      if let sequence = shown as? any Sequence.Type { return found.of(element(of: sequence)) }
    case .dictionary: break
    }
    return "Archived" + found.rawValue
  }

  @inline(never)
  package func unexpected(_ item: BinaryItem, _ uid: UInt32, _ type: any KeyedCoding.Type) -> KeyedArchiveError {
    let found = PrimitiveValueClass.name(of: item.kind)
    return KeyedArchiveError(
      .classNotAllowed,
      "a value of kind \(item.kind.name) is not allowed here; allowed: '\(type.archiveClassName)'",
      at: storage.state.place(), uid: ArchiveUID(rawValue: uid), className: found,
      byteOffset: storage.state.source.offset(of: item), remedy: "Request the type that the archive contains here"
    ).requesting(type)
  }

  @inline(never)
  func notListed(
    _ name: String, _ list: AllowList, _ uid: UInt32, _ reason: String? = nil
  ) -> KeyedArchiveError {
    let wording = wording(of: list.types)
    let allowed = wording?.allowed ?? list.allowedNames
    let why = reason.map { "; \($0)" } ?? ""
    return KeyedArchiveError(
      .classNotAllowed, "class \(TypeName.shown(name)) is not allowed here; allowed: \(allowed)\(why)",
      at: storage.state.place(), uid: ArchiveUID(rawValue: uid), className: name,
      remedy: wording?.remedy(for: name) ?? Self.remedyForList(name))
  }

  private static func remedyForList(_ name: String) -> String {
    name.hasSameBytes(as: ArchiveNull.archiveClassName)
      ? "If an element may be nil, add ArchiveNull to the list" : "If you trust it, add its type to the list"
  }
}

// Lists of types.
extension KeyedUnarchiver {
  /// Returns the list of some types, which is the same object each time, because its identity is a cache key.
  package func list(of types: [any KeyedCoding.Type]) -> AllowList {
    let key = types.map { ObjectIdentifier($0) }
    if let known = classLists[key] { return known }
    let list = AllowList(types)
    classLists[key] = list
    return list
  }

  /// Returns the list of some types that also allows primitives as other types. Objects with keys, such as mutable strings,
  /// are decoded as the types of the list only.
  package func list(of types: [any KeyedCoding.Type], primitives: [any PrimitiveValue.Type]) -> AllowList {
    // The identity of this class separates the types on the list from the others.
    let key =
      types.map { ObjectIdentifier($0) } + [ObjectIdentifier(AllowList.self)]
      + primitives.map { ObjectIdentifier($0) }
    if let known = classLists[key] { return known }
    let list = AllowList(types, primitives: primitives)
    classLists[key] = list
    return list
  }

  /// Runs a decoding step under an allow list.
  package func withAllowList<Value>(_ list: AllowList?, _ body: () throws -> Value) rethrows -> Value {
    let former = currentAllowList
    currentAllowList = list
    defer { currentAllowList = former }
    return try body()
  }
}

/// How the errors of a request speak of it, if the caller did not write the types that the request decodes.
package final class RequestWording {
  /// The types of the request.
  package let types: [any KeyedCoding.Type]
  /// The allowed classes, in the caller's terms.
  private let allowedNames: () -> String
  private let remedyForClass: (String) -> String?

  /// Creates the wording of a request.
  /// - Parameters:
  ///   - types: The types of the request.
  ///   - allowed: The allowed classes, in the caller's terms.
  ///   - remedy: The remedy for a class that is not allowed, by its archived name; nil for the usual one.
  package init(
    of types: [any KeyedCoding.Type], allowed: @escaping () -> String, remedy: @escaping (String) -> String?
  ) {
    self.types = types
    allowedNames = allowed
    remedyForClass = remedy
  }

  // The texts are kept, because a damaged archive can fail one request for each of its objects.
  private(set) lazy var allowed = allowedNames()
  private var lastRemedy: (className: String, remedy: String?)?

  func remedy(for className: String) -> String? {
    if let lastRemedy, lastRemedy.className.hasSameBytes(as: className) { return lastRemedy.remedy }
    let remedy = remedyForClass(className)
    lastRemedy = (className, remedy)
    return remedy
  }

  /// Returns the wording of a request for more types, which errors describe after the allowed classes.
  package func adding(_ types: [any KeyedCoding.Type], named name: String) -> RequestWording {
    RequestWording(of: types, allowed: { [allowedNames] in "\(allowedNames()) and \(name)" }, remedy: remedyForClass)
  }

  /// Returns whether a request decodes the same types. Objects inside the requested one make other requests.
  func isOf(_ types: [any KeyedCoding.Type]) -> Bool {
    self.types.elementsEqual(types) { ObjectIdentifier($0) == ObjectIdentifier($1) }
  }
}

extension KeyedUnarchiver {
  /// Runs a request whose errors have their own wording.
  package func withWording<Value>(_ wording: RequestWording, _ body: () throws -> Value) rethrows -> Value {
    let former = self.wording
    self.wording = wording
    defer { self.wording = former }
    return try body()
  }

  /// Returns the wording of a request for some types; nil if the caller wrote the types.
  package func wording(of types: [any KeyedCoding.Type]) -> RequestWording? {
    guard let wording, wording.isOf(types) else { return nil }
    return wording
  }
}
