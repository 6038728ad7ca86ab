// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import SystemFiles

/// The remedy for a reached limit, as far as a command words it in its own terms.
package enum LimitRemedy: Sendable {
  /// To raise a limit of ``ReadLimits``. The user of a command cannot.
  case raiseLimit
  /// To read a part of the file.
  case readPart
}

/// An error that describes why bytes are not a valid property list, or why a property list cannot be written.
///
/// Two errors are equal if their codes and positions are equal. The texts are for people and not compared.
public struct PropertyListError: Error, Sendable {
  /// The kind of an error. Later versions can add codes, so a `switch` over codes needs a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The stable name of the code, as machine-readable output prints it.
    public let name: String

    init(_ name: String) { self.name = name }

    /// The stable name of the code.
    public var description: String { name }

    /// The input begins like no property list.
    public static let notAPropertyList = Code("notAPropertyList")
    /// The input ends early.
    public static let truncated = Code("truncated")
    /// The trailer of a binary property list is inconsistent, or does not match the length of the file.
    public static let badTrailer = Code("badTrailer")
    /// The offset of an object is outside of the object area.
    public static let badOffset = Code("badOffset")
    /// A reference names no object of the object table.
    public static let badReference = Code("badReference")
    /// A marker byte has no meaning in a `bplist00` file.
    public static let unknownMarker = Code("unknownMarker")
    /// The length of a string, data, array or dictionary is malformed or too large for the file.
    public static let badCount = Code("badCount")
    /// Text is not valid in its encoding: a byte above 0x7F in ASCII, a lone surrogate in UTF-16, or malformed UTF-8.
    public static let invalidText = Code("invalidText")
    /// A dictionary key is not a string.
    public static let keyIsNotAString = Code("keyIsNotAString")
    /// A container contains itself.
    public static let cycle = Code("cycle")
    /// The input exceeds a limit of ``ReadLimits``.
    public static let limitReached = Code("limitReached")
    /// The markup is not a well-formed XML property list.
    public static let malformedXML = Code("malformedXML")
    /// The text of an element is not the number, date or Base64 data that its tag requires.
    public static let malformedValue = Code("malformedValue")
    /// The requested format cannot hold a value.
    public static let notRepresentable = Code("notRepresentable")
    /// A file cannot be read or written.
    public static let fileAccess = Code("fileAccess")

    /// The remedy for errors with this code that are created without one.
    var remedy: String? {
      switch self {
      case .notAPropertyList: "Check that the right file was opened"
      case .truncated, .badTrailer: PropertyListError.compareSize
      case .badOffset, .badReference, .unknownMarker, .badCount, .invalidText, .keyIsNotAString, .cycle, .malformedXML,
        .malformedValue:
        PropertyListError.useAnotherCopy
      case .limitReached: "If you trust the file, raise ReadLimits"
      case .notRepresentable: "Write the binary format"
      case .fileAccess: "Check the path, and that the program may access it"
      default: nil
      }
    }
  }

  private struct Facts: Sendable {
    var code: Code
    var byteOffset: Int?
    var line: Int?
    var detail: String
    var remedy: String?
    var limitRemedy: LimitRemedy?
  }

  @Boxed private var facts: Facts

  /// The kind of the error.
  public var code: Code {
    get { facts.code }
    set { facts.code = newValue }
  }
  /// The byte offset in the input, if it is known.
  public var byteOffset: Int? {
    get { facts.byteOffset }
    set { facts.byteOffset = newValue }
  }
  /// The line in an XML property list, counted from 1, if it is known.
  public var line: Int? {
    get { facts.line }
    set { facts.line = newValue }
  }
  /// A description of what was found and what was expected.
  public var detail: String {
    get { facts.detail }
    set { facts.detail = newValue }
  }
  /// The action that solves the problem, if an action is known. An error that was created without one has the remedy
  /// for its code.
  public var remedy: String? {
    get { facts.remedy ?? facts.code.remedy }
    set {
      facts.remedy = newValue
      facts.limitRemedy = nil
    }
  }

  /// The kind of ``remedy``, if the error is about a limit.
  package var limitRemedy: LimitRemedy? {
    facts.limitRemedy ?? (code == .limitReached && facts.remedy == nil ? .raiseLimit : nil)
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
  ///   - byteOffset: The byte offset in the input, if it is known.
  ///   - line: The line in an XML property list, if it is known.
  ///   - detail: A description of what was found and what was expected.
  ///   - remedy: The action that solves the problem, if an action is known.
  @inline(never)
  public init(
    _ code: Code, at byteOffset: Int? = nil, line: Int? = nil, _ detail: String, remedy: String? = nil
  ) {
    facts = Facts(code: code, byteOffset: byteOffset, line: line, detail: detail, remedy: remedy)
  }
}

extension PropertyListError: Equatable {
  /// Returns whether two errors have the same code and position.
  /// - Parameters:
  ///   - a: An error.
  ///   - b: Another error.
  /// - Returns: Whether the codes, byte offsets and lines are equal.
  public static func == (a: Self, b: Self) -> Bool {
    a.code == b.code && a.byteOffset == b.byteOffset && a.line == b.line
  }
}

extension PropertyListError: CustomStringConvertible, LocalizedError {
  /// The detail, the position, and the remedy.
  public var description: String {
    let position = [line.map { "line \($0)" }, byteOffset.map { "byte \($0)" }].compactMap(\.self)
    let text = MessageText.shortened(detail)
    return (position.isEmpty ? text : "\(text) (\(position.joined(separator: ", ")))")
      + (remedy.map { ". \($0)" } ?? "")
  }

  /// The text of ``description``.
  public var errorDescription: String? { description }
}

// The errors that several readers and writers report.
extension PropertyListError {
  /// The remedy for input that ends early.
  static let compareSize = "The file may be truncated; compare its size with the original"

  /// The remedy for content that no correct program writes.
  package static let useAnotherCopy = "Use another copy of the file, or correct the program that wrote it"

  static func exceeds(
    _ what: String, _ found: Int, _ limit: Int, _ name: String, at offset: Int? = nil, line: Int? = nil
  ) -> Self {
    Self(
      .limitReached, at: offset, line: line, "\(what) limit reached: found \(found); expected at most \(limit)"
    ).raising(name)
  }

  /// Creates the error for a file that is not read because of its size.
  package static func tooManyBytes(_ limits: ReadLimits) -> Self {
    Self(.limitReached, "byte limit reached: the file has more than \(limits.maximumByteCount) bytes")
      .raising("maximumByteCount")
  }

  package static func tooDeep(_ limit: Int, at offset: Int? = nil, line: Int? = nil) -> Self {
    Self(
      .limitReached, at: offset, line: line, "nesting limit reached: containers nest more than \(limit) levels deep"
    ).raising("maximumDepth")
  }

  /// Returns the error for bytes after the end of a binary property list.
  static func unexpectedBytes(_ count: Int, after end: Int) -> Self {
    Self(
      .badTrailer, at: end,
      "unexpected bytes after the end: the property list ends at byte \(end), and "
        + (count == 1 ? "1 byte follows" : "\(count) bytes follow"),
      remedy: "Remove them, for example with 'head -c \(end)'")
  }

  static func tooLarge(_ what: String, _ limits: ReadLimits, _ byteCount: Int) -> Self {
    Self(
      .limitReached,
      "expansion limit reached: \(what) more than \(limits.maximumExpansion) times the file's \(byteCount) bytes"
    ).raising("maximumExpansion")
  }

  static var tooManyObjects: Self {
    Self(
      .limitReached, "object limit reached: the property list would have more than \(Int32.max) objects",
      remedy: "Write several files")
  }

  static func unsupportedByXML(_ what: String) -> Self {
    Self(
      .notRepresentable, "unsupported value: XML property lists cannot hold \(what)", remedy: "Write the binary format")
  }

  /// Checks that a file can hold a UID: Apple's readers and this one reject UIDs of more than 32 bits.
  static func check(uid: UInt64) throws(PropertyListError) {
    guard uid > UInt32.max else { return }
    throw Self(
      .notRepresentable, "unsupported value: property lists cannot hold the UID \(uid), which needs more than 32 bits",
      remedy: "Write an integer")
  }

  /// Returns the error with the remedy to raise a limit of ``ReadLimits``.
  func raising(_ limit: String) -> Self { advising(.raiseLimit, "If you trust the file, raise ReadLimits.\(limit)") }

  static func dangling(_ ref: ObjectRef, _ count: Int) -> Self {
    Self(.badReference, "dangling reference to \(ref): the property list has only objects 0 to \(count - 1)")
  }

  static func cycle(_ ref: ObjectRef) -> Self {
    Self(.cycle, "reference cycle: \(ref) contains itself; property lists cannot contain cycles")
  }

  static func invalidKey(_ key: PropertyListObject, in dictionary: ObjectRef) -> Self {
    Self(.keyIsNotAString, "invalid key in \(dictionary): found a value of kind \(key.kindName); expected a string")
  }

  static func unequalCounts(_ keys: Int, _ values: Int) -> Self {
    Self(.badCount, "invalid dictionary: found \(keys) keys and \(values) values; expected a value for each key")
  }

  private static func isFolder(_ url: URL) -> Bool {
    let type = try? FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)[.type]
    return type as? FileAttributeType == .typeDirectory
  }

  /// Creates the error for a file that cannot be read, with a short text for common causes.
  package static func unreadable(_ url: URL, _ error: any Error) -> Self {
    let reason =
      switch ((error as? SystemError)?.reason, (error as? CocoaError)?.code) {
      case (.notFound?, _), (_, .fileNoSuchFile?), (_, .fileReadNoSuchFile?): "no such file"
      case (.noPermission?, _), (_, .fileReadNoPermission?): "permission denied"
      case (.badName?, _), (_, .fileReadInvalidFileName?): "invalid file name"
      default: isFolder(url) ? "it is a folder, not a file" : (error as? SystemError)?.message ?? "\(error)"
      }
    return Self(
      .fileAccess, "could not read '\(url.path)': \(reason)", remedy: "Check the path, and that the program may read it"
    )
  }
}

/// A value in a heap block, so that it takes one word wherever it is passed.
///
/// Errors use it: a throwing function reserves stack space for the error of each call. With errors of 200 bytes that
/// was 7 KiB for each level of a nested archive.
@propertyWrapper
package struct Boxed<Value: Sendable>: Sendable {
  private final class Block: Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }

  private var block: Block

  package init(wrappedValue: Value) { block = Block(wrappedValue) }

  package var wrappedValue: Value {
    get { block.value }
    set { block = Block(newValue) }
  }
}

/// Functions that prepare text from a file for error messages.
package enum MessageText {
  /// Returns names from a file in quotes, at most eight of them, each shortened and escaped.
  package static func list(_ names: some Collection<String>) -> String {
    let quoted = names.prefix(8).map { "'\(plain(shortened($0, to: 40)))'" }.joined(separator: ", ")
    return names.count > 8 ? "\(quoted) and \(names.count - 8) more" : quoted
  }

  /// Returns a text of any length with its middle removed, because its beginning and end identify it best.
  package static func shortened(_ text: String, to count: Int = 240) -> String {
    // By scalars, because a character can consist of a million combining marks.
    let scalars = text.unicodeScalars
    guard text.utf8.count > count, scalars.dropFirst(count).first != nil else { return text }
    return "\(Substring(scalars.prefix(count * 2 / 3))) […] \(Substring(scalars.suffix(count / 3)))"
  }

  /// Returns a name with all characters outside of printable ASCII escaped, because some look alike or are invisible.
  package static func plain(_ name: String) -> String {
    name.unicodeScalars.reduce(into: "") { text, scalar in
      if (0x20..<0x7F).contains(scalar.value) {
        text.unicodeScalars.append(scalar)
      } else {
        text += "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
  }
}
