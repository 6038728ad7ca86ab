// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
public import KeyedArchiving
import PropertyListFormat

/// An `NSAttributedString` with all its attributes, whatever their classes.
///
/// `AttributedString` has the same archived form. This type preserves more: the order of the attribute sets, and which
/// runs share a set. Copies are archived as one object until one of them changes.
public struct ArchivedAttributedString: IdentifiedValue, MutableClassPair {
  /// A range of text with the same attributes.
  public struct Run: Hashable, Sendable {
    /// The number of UTF-16 code units.
    public var length: Int
    /// The index of the attributes in ``ArchivedAttributedString/attributeSets``.
    public var attributes: Int

    /// Creates a run.
    /// - Parameters:
    ///   - length: The number of UTF-16 code units.
    ///   - attributes: The index of the attributes in ``ArchivedAttributedString/attributeSets``.
    public init(length: Int, attributes: Int) {
      self.length = length
      self.attributes = attributes
    }
  }

  /// The text.
  public var text: String {
    get { storage.content.text }
    _modify { yield &content.text }
  }

  /// The attribute sets. Values of classes that were not requested are `ArchivedObject`s.
  public var attributeSets: [ArchivedDictionary] {
    get { storage.content.attributeSets }
    _modify { yield &content.attributeSets }
  }

  /// The runs, which cover the text; empty for a text without attributes.
  public var runs: [Run] {
    get { storage.content.runs }
    _modify { yield &content.runs }
  }

  /// A Boolean value that indicates whether the class is `NSMutableAttributedString`.
  public var isMutable: Bool {
    get { storage.content.isMutable }
    _modify { yield &content.isMutable }
  }

  /// The values for keys that this type does not know.
  public var otherValues: OtherValues {
    get { storage.content.otherValues }
    _modify { yield &content.otherValues }
  }

  package struct Content {
    var text: String
    var attributeSets: [ArchivedDictionary] = []
    var runs: [Run] = []
    var isMutable = false
    /// Whether the attribute sets are stored as a mutable array.
    var isArrayMutable = true
    var otherValues = OtherValues()
  }

  package var storage: IdentifiedStorage<Self>

  package init(storage: IdentifiedStorage<Self>) { self.storage = storage }

  /// Creates an attributed string.
  /// - Parameters:
  ///   - text: The text.
  ///   - attributeSets: The attribute sets.
  ///   - runs: The runs, which cover the text; empty for a text without attributes.
  ///   - isMutable: Whether the class is `NSMutableAttributedString`.
  public init(_ text: String, attributeSets: [ArchivedDictionary] = [], runs: [Run] = [], isMutable: Bool = false) {
    storage = IdentifiedStorage(
      Content(text: text, attributeSets: attributeSets, runs: runs, isMutable: isMutable))
  }

  /// Creates an attributed string with one set of attributes.
  /// - Parameters:
  ///   - text: The text.
  ///   - attributes: The index of the attributes in ``ArchivedAttributedString/attributeSets``.
  ///   - isMutable: Whether the class is `NSMutableAttributedString`.
  public init(_ text: String, attributes: ArchivedDictionary, isMutable: Bool = false) {
    self.init(
      text, attributeSets: [attributes], runs: [Run(length: text.utf16.count, attributes: 0)], isMutable: isMutable)
  }

  /// The archived class name, `NSAttributedString`.
  public static var archiveClassName: String { "NSAttributedString" }
  /// Other matching class names: `NSMutableAttributedString`.
  public static var archiveClassAliases: [String] { ["NSMutableAttributedString"] }

  package static var mutableName: String { "NSMutableAttributedString" }

  /// Encodes the text; and one set of attributes, or several with the lengths of the runs.
  /// - Parameter coder: The archiver.
  /// - Throws: `KeyedArchiveError` if a value cannot be encoded.
  public func encode(with coder: KeyedArchiver) throws {
    if let fault = fault { throw KeyedArchiveError(.notEncodable, fault) }
    if isMutable {
      coder.encode(ArchivedMutableString(text), forKey: "NSString")
    } else {
      coder.encode(text, forKey: "NSString")
    }
    if attributeSets.count == 1, runs.count <= 1 {
      coder.encode(attributeSets[0], forKey: "NSAttributes")
    } else if !attributeSets.isEmpty {
      coder.encode(ArchivedArray(attributeSets, isMutable: storage.content.isArrayMutable), forKey: "NSAttributes")
      var bytes: [UInt8] = []
      for run in runs {
        Varint.append(UInt64(run.length), to: &bytes)
        Varint.append(UInt64(run.attributes), to: &bytes)
      }
      coder.encode(ArchivedMutableData(bytes), forKey: "NSAttributeInfo")
    }
    otherValues.encode(with: coder)
  }

  /// Decodes the text, attributes and runs. The runs must cover the text.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    coder.cacheImmediately()
    let isMutable = try coder.classNameOfObject == Self.mutableName
    self.init(try coder.decode(String.self, forKey: "NSString"), isMutable: isMutable)
    if coder.containsValue(forKey: "NSAttributeInfo") {
      guard let sets = try coder.content([ArchivedDictionary].self, forKey: "NSAttributes") else {
        throw coder.malformed("invalid attributed string: 'NSAttributeInfo' without 'NSAttributes'")
      }
      attributeSets = sets
      content.isArrayMutable = try coder.isArrayMutable(forKey: "NSAttributes") ?? true
      let numbers = try coder.varints("NSAttributeInfo")
      guard numbers.count.isMultiple(of: 2) else {
        throw coder.malformed(
          "invalid attributed string: 'NSAttributeInfo' has \(numbers.count) numbers; expected pairs")
      }
      for place in stride(from: 0, to: numbers.count, by: 2) {
        guard let length = Int(exactly: numbers[place]), let set = Int(exactly: numbers[place + 1]) else {
          throw coder.malformed("invalid run of an attributed string: \(numbers[place]) code units")
        }
        runs.append(Run(length: length, attributes: set))
      }
    } else if let attributes = try coder.content(ArchivedDictionary.self, forKey: "NSAttributes") {
      attributeSets = [attributes]
      if !text.isEmpty { runs = [Run(length: text.utf16.count, attributes: 0)] }
    }
    if let fault = fault { throw coder.malformed(fault) }
    otherValues = try coder.otherValues(except: ["NSString", "NSAttributes", "NSAttributeInfo"])
  }

  /// The reason why the runs are invalid.
  private var fault: String? {
    if attributeSets.isEmpty { return runs.isEmpty ? nil : "invalid attributed string: runs without attributes" }
    var rest = text.utf16.count
    if runs.isEmpty, rest == 0 { return nil }
    for run in runs {
      guard attributeSets.indices.contains(run.attributes) else {
        return "invalid run of an attributed string: attribute set \(run.attributes) of \(attributeSets.count)"
      }
      guard run.length > 0 || run.length == 0 && text.isEmpty, run.length <= rest else {
        return "invalid run of an attributed string: \(run.length) code units where \(rest) remain"
      }
      rest -= run.length
    }
    return rest == 0 ? nil : "invalid attributed string: the runs do not cover the last \(rest) code units"
  }
}
