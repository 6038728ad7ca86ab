// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Strings as they stand in a binary property list, for those that every archive has.
@_spi(Archiving) public struct EncodedObjects: Sendable {
  let bytes: [UInt8]
  /// Where each begins.
  let starts: [Int32]

  /// Encodes strings, in this order.
  public init(_ texts: [String]) {
    var writer = BinaryWriter(objectCount: texts.count, byteCount: 0)
    var starts: [Int32] = []
    for text in texts {
      starts.append(Int32(writer.sink.count - BinaryLayout.headerLength))
      writer.put(text)
    }
    self.starts = starts
    bytes = Array(writer.sink.finish().dropFirst(BinaryLayout.headerLength))
  }
}
