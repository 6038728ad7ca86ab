// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

/// The first objects of nearly every archive: the envelope's dictionary, its keys, the version and the archiver's name.
///
/// In the layout ``ArchiveLayout/apple``, they differ only in the reference to `$objects`. An archiver copies them, and a
/// decoder compares them, instead of going through each object. All other envelopes are written and read by parts.
///
/// The type is noncopyable, because copies would change reference counts that all threads share.
struct PreparedEnvelope: ~Copyable, Sendable {
  /// The object indexes of the version and of `$top`.
  static let (versionIndex, topIndex): (UInt32, UInt32) = (5, 7)

  let objects: EncodedObjects
  /// The bytes of the reference to `$objects`, counted from the first object.
  let reference: Range<Int>

  /// The envelope with references of one byte. Only large archives have references of more than two.
  static let narrow = PreparedEnvelope(referenceWidth: 1)
  /// The envelope with references of two bytes.
  static let wide = PreparedEnvelope(referenceWidth: 2)

  private init(referenceWidth: Int) {
    let order = ArchiveLayout.apple.envelopeOrder
    // The references follow the marker.
    let last = 1 + (2 * order.count - 1) * referenceWidth
    reference = last..<last + referenceWidth
    objects = EncodedObjects(referenceWidth: referenceWidth) { writer in
      writer.beginContainer(BinaryLayout.dictionary, count: order.count)
      for index in 1...Self.topIndex { writer.put(reference: index) }
      writer.put(reference: 0)
      for key in order { writer.put(key.rawValue) }
      writer.put(ArchiveEnvelope.version)
      writer.put(ArchiveEnvelope.defaultArchiverName)
    }
  }
}
