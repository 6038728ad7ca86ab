// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

extension Dictionary: KeyedCoding, SecureKeyedCoding where Key: KeyedCoding, Value: KeyedCoding {
  /// `NSDictionary`.
  public static var archiveClassName: String { "NSDictionary" }

  /// `NSMutableDictionary`.
  public static var archiveClassAliases: [String] { ["NSMutableDictionary"] }

  /// Stores references to keys and values under `NS.keys` and `NS.objects`, in an order that does not differ from run to
  /// run.
  public func encode(with coder: KeyedArchiver) throws {
    let (keys, values) = (Array(keys), Array(values))
    if let places = PlainValueOrder.places(keys) {
      coder.encodeReferences(to: places.lazy.map { keys[$0] }, forKey: "NS.keys")
      coder.encodeReferences(to: places.lazy.map { values[$0] }, forKey: "NS.objects")
    } else {
      coder.encodeReferences(to: keys, forKey: "NS.keys", order: .anyWithNext)
      coder.encodeReferences(to: values, forKey: "NS.objects")
    }
  }

  /// Reads keys and values. Two keys that are equal in Swift are an error, for one of them would be lost.
  public init?(coder: KeyedUnarchiver) throws {
    let (keys, values) = try coder.hashedPairs(
      { try Key._decode(from: ArchiveUID(rawValue: $0), coder) },
      { try Value._decode(from: ArchiveUID(rawValue: $0), coder) })
    self.init(minimumCapacity: keys.count)
    for (key, value) in zip(keys, values) {
      guard updateValue(value, forKey: key) == nil else {
        throw coder.malformed("a dictionary has the key '\(key)' twice")
      }
    }
  }
}
