// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct XMLReader {
  init(_ data: Data, limits: ReadLimits) throws(PropertyListError) {
    throw PropertyListError(.notAPropertyList, "stub")
  }
  mutating func read() throws(PropertyListError) -> Data { Data() }
}
struct XMLDocumentType { static let apple = XMLDocumentType(of: Data().span); init(of: Span<UInt8>) {} }
enum XMLWriter {
  static func write(_ list: PropertyList, documentType: XMLDocumentType) throws(PropertyListError) -> Data { Data() }
}
