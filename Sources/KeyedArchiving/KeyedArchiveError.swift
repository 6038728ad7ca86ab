// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

package import PropertyListFormat

/// Why an archive could not be read, or a graph not be archived.
///
/// Match on ``code``; the other properties say where it happened and what to do, as far as is known. Two errors are equal
/// when their codes, places and classes are; ``detail`` and ``remedy`` are for people and are not compared.
public struct KeyedArchiveError: Error, Sendable {
  /// What went wrong. New codes may be added, so a `switch` over codes needs a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The stable name of the code, as machine-readable output prints it.
    public let name: String

    package init(_ name: String) { self.name = name }

    /// The stable name of the code.
    public var description: String { name }

    /// The bytes are no property list, or one that is damaged.
    public static let damagedPropertyList = Code("damagedPropertyList")
    /// The property list is not a keyed archive.
    public static let notAnArchive = Code("notAnArchive")
    /// The archive's `$archiver` is not an accepted name.
    public static let unknownArchiver = Code("unknownArchiver")
    /// The archive's `$version` is not 100000.
    public static let unsupportedVersion = Code("unsupportedVersion")
    /// The archive contradicts itself: a reference to nothing, a class record that is none.
    public static let damagedArchive = Code("damagedArchive")
    /// An object's class is not among those that were asked for.
    public static let classNotAllowed = Code("classNotAllowed")
    /// A class does not adopt secure coding where that is required.
    public static let classNotSecure = Code("classNotSecure")
    /// A value is there but of another kind than was asked for.
    public static let typeMismatch = Code("typeMismatch")
    /// A number is there but does not fit the type that was asked for.
    public static let outOfRange = Code("outOfRange")
    /// A value that must be there is not.
    public static let valueNotFound = Code("valueNotFound")
    /// An object's stored values do not make a valid object.
    public static let malformedValue = Code("malformedValue")
    /// An object refers to itself, directly or through others, in a way that only the deferred form can decode.
    public static let cycle = Code("cycle")
    /// A limit of `ReadLimits` was reached.
    public static let limitReached = Code("limitReached")
    /// A value cannot be archived.
    public static let notEncodable = Code("notEncodable")
    /// The coder was used after it had finished.
    public static let alreadyFinished = Code("alreadyFinished")
    /// A file that could not be read or written.
    public static let fileAccess = Code("fileAccess")
    /// An error that a type's own `init(coder:)` or `encode(with:)` threw or reported.
    public static let reportedByClass = Code("reportedByClass")
  }

  private struct Facts: Sendable {
    var code: Code
    var keyPath: String?
    var uid: ArchiveUID?
    var className: String?
    var byteOffset: Int?
    var detail: String
    var remedy: String?
    var underlying: (any Error)?
    var lacksClass = false
  }

  @Boxed private var facts: Facts

  /// What went wrong.
  public var code: Code {
    get { facts.code }
    set { facts.code = newValue }
  }
  /// The way from a top-level key to the value, such as `root.creatures[3].Title`. An object that was decoded for the
  /// deferred form of `decodeObject` was reached from no key; the way to a value in it begins with its number, such as
  /// `#12.Title`. `KeyedArchive.keyPath(to:)` finds a way from the top to an object.
  public var keyPath: String? {
    get { facts.keyPath }
    set { facts.keyPath = newValue }
  }
  /// The object concerned.
  public var uid: ArchiveUID? {
    get { facts.uid }
    set { facts.uid = newValue }
  }
  /// The class concerned, as the archive or the type names it.
  public var className: String? {
    get { facts.className }
    set { facts.className = newValue }
  }
  /// Where in the file, counted from 0.
  public var byteOffset: Int? {
    get { facts.byteOffset }
    set { facts.byteOffset = newValue }
  }
  /// What was expected and what was found, for people.
  public var detail: String {
    get { facts.detail }
    set { facts.detail = newValue }
  }
  /// What to do about it, for people.
  public var remedy: String? {
    get { facts.remedy }
    set { facts.remedy = newValue }
  }
  /// The error below this one, if there is one.
  public var underlying: (any Error)? {
    get { facts.underlying }
    set { facts.underlying = newValue }
  }

  /// Whether the error is that an object has no class, or something else in its place.
  package var lacksClass: Bool {
    get { facts.lacksClass }
    set { facts.lacksClass = newValue }
  }

  /// Makes an error.
  public init(
    _ code: Code, _ detail: String, keyPath: String? = nil, uid: ArchiveUID? = nil, className: String? = nil,
    byteOffset: Int? = nil, remedy: String? = nil, underlying: (any Error)? = nil
  ) {
    facts = Facts(
      code: code, keyPath: keyPath, uid: uid, className: className, byteOffset: byteOffset, detail: detail,
      remedy: remedy, underlying: underlying)
  }

  /// The archive's view of an error of the layer below.
  package init(_ error: PropertyListError) {
    let code: Code =
      switch error.code {
      case .limitReached: .limitReached
      case .fileAccess: .fileAccess
      default: .damagedPropertyList
      }
    self.init(code, error.detail, byteOffset: error.byteOffset, underlying: error)
  }

  /// Any error as one of these.
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
  /// Equal when code, places and class are.
  public static func == (a: Self, b: Self) -> Bool {
    a.code == b.code && a.keyPath == b.keyPath && a.uid == b.uid && a.className == b.className
      && a.byteOffset == b.byteOffset
  }
}

extension KeyedArchiveError: CustomStringConvertible, LocalizedError {
  /// The detail, where it happened, and the remedy.
  public var description: String {
    var place: [String] = []
    if let keyPath { place.append("at \(MessageText.shortened(keyPath))") }
    if let uid { place.append("\(uid)") }
    if let byteOffset { place.append("byte \(byteOffset)") }
    var text = readable(detail)
    if !place.isEmpty { text += " (\(place.joined(separator: ", ")))" }
    if let remedy { text += ". \(readable(remedy))" }
    return text
  }

  /// Text in which a class name from the file cannot pass for another one, or take a page.
  private func readable(_ text: String) -> String {
    guard let className else { return MessageText.shortened(text) }
    let name = MessageText.shortened(MessageText.plain(className), to: 80)
    let named = name == className ? text : text.replacing("'\(className)'", with: "'\(name)'")
    return MessageText.shortened(named, to: 480)
  }

  /// The same text as ``description``.
  public var errorDescription: String? { description }

  /// What to do about it.
  public var recoverySuggestion: String? { remedy }
}
