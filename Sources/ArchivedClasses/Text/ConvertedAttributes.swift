// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeyedArchiving
import PropertyListFormat

/// The attribute sets of one archive that were converted. Many texts can refer to one set.
final class ConvertedAttributes {
  /// The attributes of a Swift text.
  struct Decoded {
    let container: AttributeContainer
    /// The bytes that a comparison with other attributes reads.
    let byteCount: Int
  }

  /// The results by the storage of the set. The set is kept, so that no other gets this address.
  private var decoded: [ObjectIdentifier: (set: ArchivedDictionary, result: Result<Decoded, any Error>)] = [:]
  private var archived: [AttributeContainer: ArchivedDictionary] = [:]

  static func of(_ coder: KeyedUnarchiver) -> ConvertedAttributes { coder.companions.object(ConvertedAttributes()) }

  static func of(_ coder: KeyedArchiver) -> ConvertedAttributes { coder.companions.object(ConvertedAttributes()) }

  /// Returns the attributes of a Swift text for an archived set.
  func decoded(_ set: ArchivedDictionary) throws -> Decoded {
    let storage = ObjectIdentifier(set.storage)
    if let known = decoded[storage] { return try known.result.get() }
    let result = Result { try Decoded(set) }
    decoded[storage] = (set, result)
    return try result.get()
  }

  /// Returns the archived set for the attributes of a Swift text. Equal attributes become one set.
  func archived(_ container: AttributeContainer) throws -> ArchivedDictionary {
    if let known = archived[container] { return known }
    let set = try container.archived
    archived[container] = set
    return set
  }
}

private let linkName = "NSLink"

extension ConvertedAttributes.Decoded {
  fileprivate init(_ set: ArchivedDictionary) throws {
    var container = AttributeContainer()
    var byteCount = 0
    var rest: [(any KeyedCoding, any KeyedCoding)] = []
    for (key, value) in zip(set.keys, set.values) {
      if key as? String == linkName, let url = value as? URL {
        container.link = url
        byteCount += url.relativeString.utf8.count
      } else {
        rest.append((key, value))
      }
    }
    if !rest.isEmpty {
      let attributes = try ArchivedAttributeSet(ArchivedDictionary(rest))
      container[ArchivedAttributes.self] = attributes
      byteCount += attributes.archive.count
    }
    self.init(container: container, byteCount: byteCount)
  }
}

extension AttributeContainer {
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
        // A link that was decoded as a string is among the other attributes.
        pairs.removeAll { ($0.0 as? String)?.hasSameBytes(as: linkName) == true }
        pairs.append((linkName, url))
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
