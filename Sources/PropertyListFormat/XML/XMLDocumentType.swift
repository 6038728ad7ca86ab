// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The document type of an XML property list.
package enum XMLDocumentType: String, CaseIterable, Sendable {
  /// The document type since about 2006.
  case apple = "-//Apple//DTD PLIST 1.0//EN"
  /// The earlier document type.
  case appleComputer = "-//Apple Computer//DTD PLIST 1.0//EN"

  /// Creates the document type of a file, so that the file is written with the same one.
  init(of file: Span<UInt8>) {
    let head = String(decoding: file.array(in: 0..<min(file.count, 512)), as: UTF8.self)
    self = head.contains(XMLDocumentType.appleComputer.rawValue) ? .appleComputer : .apple
  }
}
