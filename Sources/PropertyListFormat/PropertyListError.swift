// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Why bytes could not be read as a property list, or a property list could not be written.
///
/// Two errors are equal when their codes and places are; ``detail`` is for people and is not compared.
public struct PropertyListError: Error, Sendable {
  /// What went wrong. New codes may be added, so a `switch` over codes needs a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The stable name of the code, as machine-readable output prints it.
    public let name: String

    init(_ name: String) { self.name = name }

    /// The stable name of the code.
    public var description: String { name }

    /// The bytes start like no property list that is known.
    public static let notAPropertyList = Code("notAPropertyList")
    /// The bytes end before what they announce.
    public static let truncated = Code("truncated")
    /// The trailer of a binary property list contradicts itself or the file's length.
    public static let badTrailer = Code("badTrailer")
    /// An object's offset lies outside the object area.
    public static let badOffset = Code("badOffset")
    /// A reference names no row of the object table.
    public static let badReference = Code("badReference")
    /// A marker byte that means nothing in a `bplist00` file.
    public static let unknownMarker = Code("unknownMarker")
    /// The count of a string, data, array or dictionary is malformed or larger than the bytes there are.
    public static let badCount = Code("badCount")
    /// Text that is not valid in its encoding: a byte above 0x7F in ASCII, a lone surrogate in UTF-16, bad UTF-8.
    public static let invalidText = Code("invalidText")
    /// A dictionary key is not a string.
    public static let keyIsNotAString = Code("keyIsNotAString")
    /// A container contains itself.
    public static let cycle = Code("cycle")
    /// A limit of ``ReadLimits`` was reached.
    public static let limitReached = Code("limitReached")
    /// Markup that is not a well-formed XML property list.
    public static let malformedXML = Code("malformedXML")
    /// An element's text is not a number, date or Base64 as its tag demands.
    public static let malformedValue = Code("malformedValue")
    /// A value that the asked-for format cannot hold.
    public static let notRepresentable = Code("notRepresentable")
    /// A file that could not be read or written.
    public static let fileAccess = Code("fileAccess")
  }

  private struct Facts: Sendable {
    var code: Code
    var byteOffset: Int?
    var line: Int?
    var detail: String
  }

  @Boxed private var facts: Facts

  /// What went wrong.
  public var code: Code {
    get { facts.code }
    set { facts.code = newValue }
  }
  /// Where in the bytes, counted from 0, when known.
  public var byteOffset: Int? {
    get { facts.byteOffset }
    set { facts.byteOffset = newValue }
  }
  /// The line in an XML property list, counted from 1, when known.
  public var line: Int? {
    get { facts.line }
    set { facts.line = newValue }
  }
  /// What was expected and what was found, for people.
  public var detail: String {
    get { facts.detail }
    set { facts.detail = newValue }
  }

  /// Makes an error.
  public init(_ code: Code, at byteOffset: Int? = nil, line: Int? = nil, _ detail: String) {
    facts = Facts(code: code, byteOffset: byteOffset, line: line, detail: detail)
  }
}

extension PropertyListError: Equatable {
  /// Equal when code and place are; the detail is not compared.
  public static func == (a: Self, b: Self) -> Bool {
    a.code == b.code && a.byteOffset == b.byteOffset && a.line == b.line
  }
}

extension PropertyListError: CustomStringConvertible, LocalizedError {
  /// The detail, with the place.
  public var description: String {
    var place: [String] = []
    if let line { place.append("line \(line)") }
    if let byteOffset { place.append("byte \(byteOffset)") }
    let text = MessageText.shortened(detail)
    return place.isEmpty ? text : "\(text) (\(place.joined(separator: ", ")))"
  }

  /// The same text as ``description``.
  public var errorDescription: String? { description }
}
