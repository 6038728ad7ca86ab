// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
public import KeyedArchiving
import PropertyListFormat

/// An `NSAttributedString` with all its attributes, whatever their classes.
///
/// `AttributedString` is archived as one of these too. This type keeps more: which runs share one set of attributes, and
/// their order.
public struct ArchivedAttributedString: SecureKeyedCoding, MutableClassPair {
  /// Some characters in a row that have the same attributes.
  public struct Run: Hashable, Sendable {
    /// How many UTF-16 units it has.
    public var length: Int
    /// The place of its attributes in ``ArchivedAttributedString/attributeSets``.
    public var attributes: Int

    /// Makes a run.
    public init(length: Int, attributes: Int) {
      self.length = length
      self.attributes = attributes
    }
  }

  /// The text.
  public var text: String
  /// The sets of attributes. Values of classes that were not asked for are `ArchivedObject`s.
  public var attributeSets: [ArchivedDictionary]
  /// The runs, which have as many units as the text; none for a text without attributes.
  public var runs: [Run]
  /// Whether it is archived as an `NSMutableAttributedString`.
  public var isMutable: Bool

  /// Makes an attributed string.
  public init(_ text: String, attributeSets: [ArchivedDictionary] = [], runs: [Run] = [], isMutable: Bool = false) {
    self.text = text
    self.attributeSets = attributeSets
    self.runs = runs
    self.isMutable = isMutable
  }

  /// Makes a string that has the same attributes all over.
  public init(_ text: String, attributes: ArchivedDictionary, isMutable: Bool = false) {
    self.init(
      text, attributeSets: [attributes], runs: [Run(length: text.utf16.count, attributes: 0)], isMutable: isMutable)
  }

  /// `NSAttributedString`.
  public static var archiveClassName: String { "NSAttributedString" }
  /// True.
  public static var _hasDynamicClass: Bool { true }

  /// `NSMutableAttributedString`.
  public static var archiveClassAliases: [String] { ["NSMutableAttributedString"] }

  package static var mutableName: String { "NSMutableAttributedString" }

  /// Stores the text; then one set of attributes for all of it, or several with the lengths of the runs.
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
      coder.encode(ArchivedArray(attributeSets, isMutable: true), forKey: "NSAttributes")
      var bytes: [UInt8] = []
      for run in runs {
        Varint.append(UInt64(run.length), to: &bytes)
        Varint.append(UInt64(run.attributes), to: &bytes)
      }
      coder.encode(ArchivedMutableData(bytes), forKey: "NSAttributeInfo")
    }
  }

  /// Reads text, attributes and runs; the runs must cover the text.
  public init?(coder: KeyedUnarchiver) throws {
    isMutable = try coder.classNameOfObject == Self.mutableName
    text = try coder.decode(String.self, forKey: "NSString")
    attributeSets = []
    runs = []
    if coder.containsValue(forKey: "NSAttributeInfo") {
      guard let sets = try coder.content([ArchivedDictionary].self, forKey: "NSAttributes") else {
        throw coder.malformed("an attributed string has 'NSAttributeInfo' and no 'NSAttributes'")
      }
      attributeSets = sets
      let numbers = try coder.varints("NSAttributeInfo")
      guard numbers.count.isMultiple(of: 2) else {
        throw coder.malformed(
          "'NSAttributeInfo' of an attributed string holds \(numbers.count) numbers, which are no pairs")
      }
      for place in stride(from: 0, to: numbers.count, by: 2) {
        guard let length = Int(exactly: numbers[place]), let set = Int(exactly: numbers[place + 1]) else {
          throw coder.malformed("a run of an attributed string has \(numbers[place]) units")
        }
        runs.append(Run(length: length, attributes: set))
      }
    } else if let attributes = try coder.content(ArchivedDictionary.self, forKey: "NSAttributes") {
      attributeSets = [attributes]
      if !text.isEmpty { runs = [Run(length: text.utf16.count, attributes: 0)] }
    }
    if let fault = fault { throw coder.malformed(fault) }
  }

  /// What is wrong with the runs.
  private var fault: String? {
    if attributeSets.isEmpty { return runs.isEmpty ? nil : "the runs of an attributed string have no attributes" }
    var rest = text.utf16.count
    if runs.isEmpty, rest == 0 { return nil }
    for run in runs {
      guard attributeSets.indices.contains(run.attributes) else {
        return "a run of an attributed string has set of attributes \(run.attributes) of \(attributeSets.count)"
      }
      guard run.length > 0 || text.isEmpty, run.length <= rest else {
        return "a run of an attributed string has \(run.length) units where \(rest) are left"
      }
      rest -= run.length
    }
    return rest == 0 ? nil : "the runs of an attributed string leave \(rest) units of the text without"
  }
}
