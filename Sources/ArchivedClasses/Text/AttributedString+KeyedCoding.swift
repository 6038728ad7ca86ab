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
  /// `NSAttributedString`.
  public static var archiveClassName: String { "NSAttributedString" }

  /// `NSMutableAttributedString`.
  public static var archiveClassAliases: [String] { ["NSMutableAttributedString"] }

  /// Stores text and attributes: links, and those under ``ArchivedAttributes``. Other attributes have no form in an
  /// archive and make the archiving fail.
  public func encode(with coder: KeyedArchiver) throws { try ArchivedAttributedString(self).encode(with: coder) }

  /// Reads text and attributes. Links become links, everything else is kept under ``ArchivedAttributes``.
  public init?(coder: KeyedUnarchiver) throws {
    guard let archived = try ArchivedAttributedString(coder: coder) else { return nil }
    do {
      try self.init(archived)
    } catch {
      var error = KeyedArchiveError(wrapping: error)
      error.keyPath = error.keyPath ?? coder.keyPath()
      throw error
    }
  }

  /// The same text with the same attributes.
  /// - Throws: `KeyedArchiveError` when a run begins or ends in the middle of a character.
  public init(_ archived: ArchivedAttributedString) throws {
    var containers: [AttributeContainer] = []
    for set in archived.attributeSets { containers.append(try AttributeContainer(archived: set)) }
    guard !archived.runs.isEmpty else {
      self.init(archived.text)
      return
    }
    self.init()
    let units = archived.text.utf16
    var start = units.startIndex
    for run in archived.runs {
      guard containers.indices.contains(run.attributes), run.length >= 0,
        let end = units.index(start, offsetBy: run.length, limitedBy: units.endIndex),
        let from = start.samePosition(in: archived.text.unicodeScalars),
        let to = end.samePosition(in: archived.text.unicodeScalars)
      else {
        throw KeyedArchiveError(.malformedValue, "a run of an attributed string does not fit its text")
      }
      let part = String(archived.text.unicodeScalars[from..<to])
      append(AttributedString(part, attributes: containers[run.attributes]))
      start = end
    }
  }
}

extension ArchivedAttributedString {
  /// The same text with the same attributes.
  /// - Throws: `KeyedArchiveError` for attributes that have no form in an archive.
  public init(_ string: AttributedString) throws {
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
        attributeSets.append(try run.attributes.archived)
      }
      runs.append(Run(length: part.utf16.count, attributes: place))
    }
    // Text without any attributes is archived without a set of them.
    if attributeSets.count == 1, attributeSets[0].keys.isEmpty {
      attributeSets = []
      runs = []
    }
  }
}

extension AttributeContainer {
  fileprivate static let linkName = "NSLink"

  /// The attributes that an archive holds.
  fileprivate init(archived set: ArchivedDictionary) throws {
    self.init()
    var rest: [(any KeyedCoding, any KeyedCoding)] = []
    for (key, value) in zip(set.keys, set.values) {
      if key as? String == Self.linkName, let url = value as? URL { self.link = url } else { rest.append((key, value)) }
    }
    if !rest.isEmpty { self[ArchivedAttributes.self] = try ArchivedAttributeSet(ArchivedDictionary(rest)) }
  }

  /// The attributes as an archive holds them.
  fileprivate var archived: ArchivedDictionary {
    get throws {
      var known = AttributeContainer()
      var pairs: [(any KeyedCoding, any KeyedCoding)] = []
      if let set = self[ArchivedAttributes.self] {
        known[ArchivedAttributes.self] = set
        let attributes = try set.attributes
        pairs = Array(zip(attributes.keys, attributes.values))
      }
      if let url = self.link {
        known.link = url
        pairs.append((Self.linkName, url))
      }
      guard known == self else {
        throw KeyedArchiveError(
          .notEncodable, "an attributed string has attributes that have no form in an archive: \(self)",
          remedy: "Put them under ArchivedAttributes, or leave them out")
      }
      return ArchivedDictionary(pairs)
    }
  }
}
