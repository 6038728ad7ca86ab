// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import KeyedArchives
package import KeyedArchiving
@_spi(Archiving) package import PropertyListFormat

/// The texts of a property list that XML parsers other than Apple's reject or misread.
///
/// XML 1.0 has no form for control characters and two noncharacters, not even as character references. Apple's programs
/// write them as they are. A carriage return that is not written as `&#13;` is read as a line feed.
package struct XMLProblems: Sendable {
  /// A text, as a value or as a key.
  private struct Place: Sendable {
    let path: String
    let characters: [Unicode.Scalar]
  }

  /// The number of texts that a description names.
  private static let namedCount = 3
  /// The number of characters of a text that a description names.
  private static let namedCharacters = 8

  private var excluded: [Place] = []
  private var excludedCount = 0
  private var returns: [Place] = []
  private var returnsCount = 0

  /// Finds the problems of an XML file.
  /// - Parameters:
  ///   - xml: The bytes of the file.
  ///   - list: The property list that they are written from.
  ///   - isArchive: Whether the list is an archive, whose paths begin with a UID or a key of `$top`.
  /// - Throws: `KeyedArchiveError` with code `KeyedArchiveError.Code.limitReached` if not all texts can be checked.
  package init(of xml: Data, from list: PropertyList, isArchive: Bool = true) throws(KeyedArchiveError) {
    let mayHaveReturns = list.hasPlainReturns && xml.contains(UInt8(ascii: "\r"))
    guard mayHaveReturns || Self.hasExcluded(xml) else { return }
    var budget = ExpansionBudget(byteCount: Int64(list.byteCount), editedWeight: list.editedWeight, limits: list.limits)
    var walk = DataWalk(list, isArchive: isArchive)
    while let text = walk.nextText(budget: &budget) {
      if Self.hasExcluded(text) {
        excludedCount += 1
        if excluded.count < Self.namedCount, let path = walk.path(budget: &budget) {
          excluded.append(Place(path: path, characters: Self.excluded(in: text)))
        }
      }
      if mayHaveReturns, text.utf8.contains(UInt8(ascii: "\r")) {
        returnsCount += 1
        if returns.count < Self.namedCount, let path = walk.path(budget: &budget) {
          returns.append(Place(path: path, characters: []))
        }
      }
    }
    try walk.checkCompleteness(budget)
  }

  /// The problems as sentences for people, without the name of the file; none if every XML parser reads every text.
  package var descriptions: [String] {
    var texts: [String] = []
    if excludedCount > 0 {
      texts.append(
        "warning: XML excludes characters of the text, so most parsers other than Apple's reject the file: "
          + Self.list(excluded, of: excludedCount))
    }
    if returnsCount > 0 {
      texts.append(
        "warning: as in the original, carriage returns are not written as &#13;, so most parsers other than Apple's read "
          + "line feeds: " + Self.list(returns, of: returnsCount))
    }
    return texts
  }

  private static func list(_ places: [Place], of count: Int) -> String {
    var items = places.map { place in
      let codes = place.characters.prefix(namedCharacters).map { scalar in
        "U+\(HexText.digits(scalar.value, count: 4, uppercase: true))"
      }
      let more = place.characters.count > namedCharacters ? ", …" : ""
      let characters = codes.isEmpty ? "" : codes.joined(separator: ", ") + more + " "
      return characters + "at \(MessageText.shortened(place.path))"
    }
    if count > places.count {
      let rest = count - places.count
      items.append(rest == 1 ? "1 more text" : "\(rest) more texts")
    }
    return items.joined(separator: "; ")
  }

  // MARK: Characters

  /// Returns whether UTF-8 has a control character that XML 1.0 excludes, U+FFFE or U+FFFF.
  private static func hasExcluded(_ bytes: some Sequence<UInt8>) -> Bool {
    var (first, second): (UInt8, UInt8) = (0, 0)
    for byte in bytes {
      if byte < 0x20, byte != 0x09, byte != 0x0A, byte != 0x0D { return true }
      if byte == 0xBE || byte == 0xBF, first == 0xEF, second == 0xBF { return true }
      (first, second) = (second, byte)
    }
    return false
  }

  private static func hasExcluded(_ text: String) -> Bool { hasExcluded(text.utf8) }

  /// Returns the different characters of a text that XML 1.0 excludes, in the order of their first occurrences.
  private static func excluded(in text: String) -> [Unicode.Scalar] {
    var found: [Unicode.Scalar] = []
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x09, 0x0A, 0x0D: continue
      case ..<0x20, 0xFFFE, 0xFFFF: if !found.contains(scalar) { found.append(scalar) }
      default: continue
      }
    }
    return found
  }
}

extension PropertyList {
  /// A note for an archive in XML that is written again after changes: what the file that it was read from loses. Nil if that
  /// file has Apple's layout.
  package var noteOfLostLayout: String? {
    guard format == .xml, (try? rewritten() == data()) != true else { return nil }
    return
      "note: the XML is written in Apple's layout and UTF-8; comments and another layout of the old file are not kept"
  }
}
