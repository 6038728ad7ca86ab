// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

package import PropertyListFormat

/// An error in reading an archive or in archiving an object graph.
///
/// Match on ``code``. The other properties describe the location and the remedy, as far as they are known. Two errors
/// are equal if their codes, locations and classes are; ``detail`` and ``remedy`` are for people and are not compared.
public struct KeyedArchiveError: Error, Sendable {
  /// The kind of an error. New codes may be added, so a `switch` over codes needs a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The stable name of the code, which machine-readable output prints.
    public let name: String

    package init(_ name: String) { self.name = name }

    /// The stable name of the code.
    public var description: String { name }

    /// The bytes are not a property list, or the property list is damaged.
    public static let damagedPropertyList = Code("damagedPropertyList")
    /// The property list is not a keyed archive.
    public static let notAnArchive = Code("notAnArchive")
    /// The archive's `$archiver` is not an accepted name.
    public static let unknownArchiver = Code("unknownArchiver")
    /// The archive's `$version` is not 100000.
    public static let unsupportedVersion = Code("unsupportedVersion")
    /// The archive is inconsistent, for example because of a dangling reference or an invalid class record.
    public static let damagedArchive = Code("damagedArchive")
    /// An object's class is not one of the requested types.
    public static let classNotAllowed = Code("classNotAllowed")
    /// A class does not adopt secure coding, which is required.
    public static let classNotSecure = Code("classNotSecure")
    /// A value has a different kind than the requested one.
    public static let typeMismatch = Code("typeMismatch")
    /// A number does not fit the requested type.
    public static let outOfRange = Code("outOfRange")
    /// A required value is missing.
    public static let valueNotFound = Code("valueNotFound")
    /// The stored values of an object are invalid.
    public static let malformedValue = Code("malformedValue")
    /// An object refers to itself, directly or through others, in a cycle that only deferred decoding can resolve.
    public static let cycle = Code("cycle")
    /// A limit of `ReadLimits` was reached.
    public static let limitReached = Code("limitReached")
    /// A value cannot be archived.
    public static let notEncodable = Code("notEncodable")
    /// The coder was used after it finished.
    public static let alreadyFinished = Code("alreadyFinished")
    /// A file cannot be read or written.
    public static let fileAccess = Code("fileAccess")
    /// A type's own `init(coder:)` or `encode(with:)` threw or reported an error.
    public static let reportedByClass = Code("reportedByClass")

    /// The remedy for errors with this code that are created without one.
    var remedy: String? {
      switch self {
      case .notAnArchive: "Check that the right file was opened"
      case .damagedPropertyList, .damagedArchive, .malformedValue: PropertyListError.useAnotherCopy
      case .typeMismatch: "Request the type that the archive has"
      case .outOfRange: "Request a type that can hold the value"
      case .valueNotFound: "Check the key in the archive, or request an optional value"
      case .notEncodable: "Correct or replace the value before it is archived"
      case .fileAccess: "Check the path, and that the program may access it"
      default: nil
      }
    }
  }

  private struct Facts: Sendable {
    var code: Code
    var keyPath: String?
    var uid: ArchiveUID?
    var className: String?
    var byteOffset: Int?
    var line: Int?
    var detail: String
    var remedy: String?
    var limitRemedy: LimitRemedy?
    var underlying: (any Error)?
    var lacksClass = false
    /// The place of the value, if ``keyPath`` is nil.
    var place: ArchivePlace?
    var objectPlace: ArchivePlace?
    var requestedType: Any.Type?
  }

  @Boxed private var facts: Facts

  /// The kind of the error.
  public var code: Code {
    get { facts.code }
    set { facts.code = newValue }
  }
  /// The key path from a top-level key to the value, such as `root.creatures[3].Title`.
  ///
  /// The path to an object of a deferred reference is a shortest one, because the decoder no longer knows the way it took.
  /// If the archive is too large for a search, the path begins with the object's UID, such as `#12.Title`.
  public var keyPath: String? {
    get { facts.keyPath ?? facts.place?.text }
    set {
      facts.keyPath = newValue
      facts.place = nil
    }
  }
  /// The UID of the object that the error is about.
  public var uid: ArchiveUID? {
    get { facts.uid }
    set { facts.uid = newValue }
  }
  /// The name of the class that the error is about, from the archive or the type.
  public var className: String? {
    get { facts.className }
    set { facts.className = newValue }
  }
  /// The offset in the file, counted from 0.
  public var byteOffset: Int? {
    get { facts.byteOffset }
    set { facts.byteOffset = newValue }
  }
  /// The line in an XML file, counted from 1, if it is known. An error about a value in an XML archive has no offset.
  public var line: Int? {
    get { facts.line ?? (facts.underlying as? PropertyListError)?.line }
    set { facts.line = newValue }
  }
  /// A description of what was found and what was expected. It is for people.
  public var detail: String {
    get { facts.detail }
    set { facts.detail = newValue }
  }
  /// A suggestion how to solve the problem. It is for people. An error that was created without one has the suggestion
  /// for its code.
  public var remedy: String? {
    get { facts.remedy ?? facts.code.remedy }
    set {
      facts.remedy = newValue
      facts.limitRemedy = nil
    }
  }
  /// The kind of ``remedy``, if the error is about a limit.
  package var limitRemedy: LimitRemedy? { facts.limitRemedy }
  /// The error that caused this one, if any.
  public var underlying: (any Error)? {
    get { facts.underlying }
    set { facts.underlying = newValue }
  }

  /// A Boolean value that indicates whether the cause is an object without a valid class reference.
  package var lacksClass: Bool {
    get { facts.lacksClass }
    set { facts.lacksClass = newValue }
  }

  /// The place of the value. ``keyPath`` is its text, which is made each time it is read.
  package var place: ArchivePlace? {
    get { facts.place }
    set {
      facts.keyPath = nil
      facts.place = newValue
    }
  }

  /// Whether ``keyPath`` is known.
  package var hasPlace: Bool { facts.keyPath != nil || facts.place != nil }

  /// The place that was requested last when the innermost object failed.
  var objectPlace: ArchivePlace? {
    get { facts.objectPlace }
    set { facts.objectPlace = newValue }
  }

  /// The error without the place of one value.
  var withoutPlace: Self {
    var error = self
    error.place = nil
    error.objectPlace = nil
    return error
  }

  /// The type that was requested where the place is. A `DecodingError` has it; without it, a `DecodingError` about an
  /// element would have the type of a collection around it.
  var requestedType: Any.Type? { facts.requestedType }

  /// Returns the error with the type that was requested.
  func requesting(_ type: Any.Type) -> Self {
    var error = self
    error.facts.requestedType = TypeName.unwrapped(type)
    return error
  }

  /// Returns the error with a remedy of a kind.
  package func advising(_ kind: LimitRemedy, _ remedy: String) -> Self {
    var error = self
    error.remedy = remedy
    error.facts.limitRemedy = kind
    return error
  }

  /// Creates an error.
  /// - Parameters:
  ///   - code: The kind of the error.
  ///   - detail: What was found and what was expected.
  ///   - keyPath: The key path of the value.
  ///   - uid: The UID of the object.
  ///   - className: The archived name of the class.
  ///   - byteOffset: The offset in the file.
  ///   - remedy: How to solve the problem.
  ///   - underlying: The error that caused this one.
  public init(
    _ code: Code, _ detail: String, keyPath: String? = nil, uid: ArchiveUID? = nil, className: String? = nil,
    byteOffset: Int? = nil, remedy: String? = nil, underlying: (any Error)? = nil
  ) {
    self.init(
      code, detail, at: nil, uid: uid, className: className, byteOffset: byteOffset, remedy: remedy,
      underlying: underlying, keyPath: keyPath)
  }

  /// Creates an error whose key path is the text of a place. It is not inlined, because a hundred places call it.
  @inline(never)
  package init(
    _ code: Code, _ detail: String, at place: ArchivePlace?, uid: ArchiveUID? = nil, className: String? = nil,
    byteOffset: Int? = nil, remedy: String? = nil, underlying: (any Error)? = nil, keyPath: String? = nil
  ) {
    facts = Facts(
      code: code, keyPath: keyPath, uid: uid, className: className, byteOffset: byteOffset, detail: detail,
      remedy: remedy, underlying: underlying, place: place)
  }

  /// Converts an error of the property-list layer.
  @inline(never)
  package init(_ error: PropertyListError) {
    let code: Code =
      switch error.code {
      case .limitReached: .limitReached
      case .fileAccess: .fileAccess
      default: .damagedPropertyList
      }
    self.init(code, error.detail, byteOffset: error.byteOffset, remedy: error.remedy, underlying: error)
    if let kind = error.limitRemedy { facts.limitRemedy = kind }
  }

  /// Converts any error.
  @inline(never)
  package init(wrapping error: any Error) {
    switch error {
    case let error as KeyedArchiveError: self = error
    case let error as PropertyListError: self.init(error)
    case let error as DecodingError: self.init(error)
    case let error as EncodingError: self.init(error)
    default: self.init(.reportedByClass, "\(error)", underlying: error)
    }
  }
}

extension KeyedArchiveError: Equatable {
  /// Returns whether two errors have equal codes, locations and classes.
  /// - Parameters:
  ///   - a: An error.
  ///   - b: Another error.
  /// - Returns: Whether the codes, key paths, UIDs, class names and offsets are equal.
  public static func == (a: Self, b: Self) -> Bool {
    a.code == b.code && a.keyPath == b.keyPath && a.uid == b.uid && a.className == b.className
      && a.byteOffset == b.byteOffset
  }
}

extension KeyedArchiveError: CustomStringConvertible, LocalizedError {
  /// The detail, the location and the remedy.
  public var description: String { located + (remedy.map { ". \(readable($0))" } ?? "") }

  /// The detail and the location, without the remedy.
  package var located: String {
    var location: [String] = []
    if let keyPath { location.append("at \(MessageText.shortened(keyPath))") }
    if let uid { location.append("\(uid)") }
    if let line { location.append("line \(line)") }
    if let byteOffset { location.append("byte \(byteOffset)") }
    let text = readable(detail)
    return location.isEmpty ? text : "\(text) (\(location.joined(separator: ", ")))"
  }

  /// Escapes and shortens a class name from the file, so that it cannot resemble another one or fill a page.
  private func readable(_ text: String) -> String {
    guard let className else { return MessageText.shortened(text) }
    let name = MessageText.shortened(MessageText.plain(className), to: 80)
    let named = name == className ? text : text.replacing("'\(className)'", with: "'\(name)'")
    return MessageText.shortened(named, to: 480)
  }

  /// The text of ``description``.
  public var errorDescription: String? { description }

  /// The text of ``remedy``.
  public var recoverySuggestion: String? { remedy }
}
