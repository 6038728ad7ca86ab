// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import KeyedArchiving
import PropertyListFormat

extension AttributedString: SecureKeyedCoding {
  /// The archived class name, `NSAttributedString`.
  public static var archiveClassName: String { "NSAttributedString" }

  /// Other matching class names: `NSMutableAttributedString`.
  public static var archiveClassAliases: [String] { ["NSMutableAttributedString"] }

  /// Encodes the text with links and ``ArchivedAttributes``. Other attributes have no archived form and result in an
  /// error.
  /// - Parameter coder: The archiver.
  /// - Throws: `KeyedArchiveError` if a value cannot be encoded.
  public func encode(with coder: KeyedArchiver) throws {
    try ArchivedAttributedString(self, ConvertedAttributes.of(coder)).encode(with: coder)
  }

  /// Decodes the text and attributes. Attributes other than links become ``ArchivedAttributes``.
  ///
  /// A file of more than 8 KiB with fewer than 6 bytes for each run exceeds the default `maximumExpansion`. Decode such a
  /// text as an ``ArchivedAttributedString``, and convert it with `AttributedString.init(_:)`.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    guard let archived = try ArchivedAttributedString(coder: coder) else { return nil }
    do {
      try self.init(archived, coder.attributes(of: archived))
    } catch {
      var error = KeyedArchiveError(wrapping: error)
      if !error.hasPlace { error.place = coder.place() }
      throw error
    }
  }

  /// Converts an archived attributed string.
  /// - Parameter archived: The archived string.
  /// - Throws: `KeyedArchiveError` if a run begins or ends inside of a Unicode scalar, or the runs do not cover the text.
  public init(_ archived: ArchivedAttributedString) throws {
    let attributes = ConvertedAttributes()
    try self.init(archived, archived.attributeSets.map { try attributes.decoded($0) })
  }

  private init(_ archived: ArchivedAttributedString, _ sets: [ConvertedAttributes.Decoded]) throws {
    self.init(archived.text)
    guard !archived.runs.isEmpty else { return }
    let (units, scalars) = (archived.text.utf16, archived.text.unicodeScalars)
    var start = units.startIndex
    // The attributes of the whole text are set run by run. To append the runs would join each to the character before it.
    var count = 0
    for run in archived.runs {
      guard sets.indices.contains(run.attributes), run.length >= 0,
        let end = units.index(start, offsetBy: run.length, limitedBy: units.endIndex),
        end.samePosition(in: scalars) != nil
      else {
        throw KeyedArchiveError(.malformedValue, "invalid run of an attributed string: it does not fit the text")
      }
      // An empty text has no run, not even an empty one.
      guard end > start else { continue }
      let length = scalars.distance(from: start, to: end)
      // A mutation invalidates indices.
      let from = unicodeScalars.index(unicodeScalars.startIndex, offsetBy: count)
      let to = unicodeScalars.index(from, offsetBy: length)
      self[from..<to].setAttributes(sets[run.attributes].container)
      count += length
      start = end
    }
    guard start == units.endIndex else {
      let rest = units.distance(from: start, to: units.endIndex)
      throw KeyedArchiveError(
        .malformedValue, "invalid attributed string: the runs do not cover the last \(rest) code units",
        remedy: "Set 'runs' after a change of 'text'")
    }
  }
}

extension ArchivedAttributedString {
  /// Converts an attributed string.
  /// - Parameter string: The attributed string.
  /// - Throws: `KeyedArchiveError` if an attribute has no archived form.
  public init(_ string: AttributedString) throws { try self.init(string, ConvertedAttributes()) }

  fileprivate init(_ string: AttributedString, _ attributes: ConvertedAttributes) throws {
    self.init("")
    var placeOfSet: [AttributeContainer: Int] = [:]
    for run in string.runs {
      var part = ""
      part.unicodeScalars.append(contentsOf: string.unicodeScalars[run.range])
      text += part
      let place: Int
      if let known = placeOfSet[run.attributes] {
        place = known
      } else {
        place = attributeSets.count
        placeOfSet[run.attributes] = place
        attributeSets.append(try attributes.archived(run.attributes))
      }
      runs.append(Run(length: part.utf16.count, attributes: place))
    }
    // A text without attributes has no attribute set.
    if attributeSets.count == 1, attributeSets[0].keys.isEmpty {
      attributeSets = []
      runs = []
    }
  }
}

extension KeyedUnarchiver {
  /// Returns the attribute sets of a text, and charges its conversion. Many texts can share one string, one list of
  /// attributes and one list of runs.
  fileprivate func attributes(of archived: ArchivedAttributedString) throws -> [ConvertedAttributes.Decoded] {
    try storage.state.charge(converting: 16 * Int64(archived.text.utf8.count))
    try storage.state.charge(work: 64 * Int64(archived.attributeSets.count))
    let attributes = ConvertedAttributes.of(self)
    let sets = try archived.attributeSets.map { try attributes.decoded($0) }
    // Foundation looks for the start of the character of each run, which takes longer the more scalars it has.
    let runCost: Int64 = archived.text.contains { $0.unicodeScalars.count > 32 } ? 1536 : 700
    var former: Int?
    for run in archived.runs where sets.indices.contains(run.attributes) {
      // A run takes some microseconds, in which 16 times as many bytes can be compared as the unit of this cost allows.
      let compared = former.map { min(sets[$0].byteCount, sets[run.attributes].byteCount) } ?? 0
      try storage.state.charge(work: runCost + Int64(compared) / 16)
      former = run.attributes
    }
    return sets
  }
}
