// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

extension Set: KeyedCoding, SecureKeyedCoding where Element: KeyedCoding {
  /// `NSSet`.
  public static var archiveClassName: String { "NSSet" }

  /// `NSMutableSet`.
  public static var archiveClassAliases: [String] { ["NSMutableSet"] }

  /// Stores references to the elements under `NS.objects`, in an order that does not differ from run to run.
  public func encode(with coder: KeyedArchiver) throws {
    let elements = Array(self)
    if let places = PlainValueOrder.places(elements) {
      coder.encodeReferences(to: places.lazy.map { elements[$0] }, forKey: "NS.objects")
    } else {
      coder.encodeReferences(to: elements, forKey: "NS.objects", order: .any)
    }
  }

  /// Reads the elements. Two that are equal in Swift are an error, for one of them would be lost.
  public init?(coder: KeyedUnarchiver) throws {
    let elements: [Element] = try coder.hashing {
      try coder.elements(.objects, path: .elements) { try Element._decode(from: ArchiveUID(rawValue: $0), coder) }
    }
    self = Set(elements)
    guard count == elements.count else {
      throw coder.malformed("a set has \(elements.count) elements, of which only \(count) differ")
    }
  }
}
