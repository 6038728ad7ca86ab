// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

/// How an archiver arranges the binary file. All three are deterministic and every decoder reads all three.
public enum ArchiveLayout: String, Sendable, Hashable, CaseIterable {
  /// What Apple's archiver writes since iOS 13 and macOS 10.15, byte for byte for the same object graph.
  case apple
  /// What Apple's archiver wrote from macOS 10.6 to 10.14.
  case appleLegacy
  /// The smallest file: every value once, no unreferenced objects.
  case compact

  /// The order of the four keys of the outermost dictionary. For Apple's layouts it is the order of a hash table of 13
  /// and of 7 buckets.
  package var envelopeOrder: [EnvelopeKey] { self == .appleLegacy ? Self.legacyOrder : Self.recentOrder }

  /// The keys in that order, as they are written.
  var envelopeKeys: EncodedObjects { self == .appleLegacy ? Self.legacyKeys : Self.recentKeys }

  private static let recentOrder: [EnvelopeKey] = [.version, .archiver, .top, .objects]
  private static let legacyOrder: [EnvelopeKey] = [.version, .objects, .archiver, .top]
  private static let recentKeys = EncodedObjects(recentOrder.map(\.rawValue))
  private static let legacyKeys = EncodedObjects(legacyOrder.map(\.rawValue))
}

/// The keys of an archive's outermost dictionary.
package enum EnvelopeKey: String, CaseIterable {
  case version = "$version"
  case archiver = "$archiver"
  case top = "$top"
  case objects = "$objects"
}
