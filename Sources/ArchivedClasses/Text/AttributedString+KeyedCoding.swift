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
  public func encode(with coder: KeyedArchiver) throws { try ArchivedAttributedString(self).encode(with: coder) }

  /// Decodes the text and attributes. Attributes other than links become ``ArchivedAttributes``.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    guard let archived = try ArchivedAttributedString(coder: coder) else { return nil }
    do {
      try self.init(archived)
    } catch {
      var error = KeyedArchiveError(wrapping: error)
      if !error.hasPlace { error.place = coder.place() }
      throw error
    }
  }

  /// Converts an archived attributed string.
  /// - Parameter archived: The archived string.
  /// - Throws: `KeyedArchiveError` if a run begins or ends inside of a Unicode scalar.
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
        throw KeyedArchiveError(.malformedValue, "invalid run of an attributed string: it does not fit the text")
      }
      let part = String(archived.text.unicodeScalars[from..<to])
      append(AttributedString(part, attributes: containers[run.attributes]))
      start = end
    }
  }
}

extension ArchivedAttributedString {
  /// Converts an attributed string.
  /// - Parameter string: The attributed string.
  /// - Throws: `KeyedArchiveError` if an attribute has no archived form.
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
    // A text without attributes has no attribute set.
    if attributeSets.count == 1, attributeSets[0].keys.isEmpty {
      attributeSets = []
      runs = []
    }
  }
}

extension AttributeContainer {
  fileprivate static let linkName = "NSLink"

  /// Converts archived attributes.
  fileprivate init(archived set: ArchivedDictionary) throws {
    self.init()
    var rest: [(any KeyedCoding, any KeyedCoding)] = []
    for (key, value) in zip(set.keys, set.values) {
      if key as? String == Self.linkName, let url = value as? URL { self.link = url } else { rest.append((key, value)) }
    }
    if !rest.isEmpty { self[ArchivedAttributes.self] = try ArchivedAttributeSet(ArchivedDictionary(rest)) }
  }

  /// The attributes in their archived form.
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
          .notEncodable, "attributes without an archived form: \(self)",
          remedy: "Use the key ArchivedAttributes, or remove the attributes")
      }
      return ArchivedDictionary(pairs)
    }
  }
}
