// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// What stands among the archiver's values for one that does not archive itself. Nobody outside gets to see it, delegates
/// neither, and nothing is ever decoded as one.
protocol EncodableBox: SecureKeyedCoding {}

extension EncodableBox {
  init?(coder: KeyedUnarchiver) throws { nil }
}

/// A struct or enum that is Codable only.
struct EncodableValue<Value: Encodable>: EncodableBox {
  private let value: Value

  init(_ value: Value) { self.value = value }

  static var archiveClassName: String { TypeName.archived(Value.self) }

  func encode(with coder: KeyedArchiver) throws { try value.encode(to: ArchiveEncoder(coder: coder, node: nil)) }
}

/// An instance of a class that is Codable only. The type parameter is its own class, which may be a subclass of the one
/// that a property was declared with.
final class EncodableObject<Object: Encodable>: EncodableBox {
  private let object: any Encodable

  init(_ object: any Encodable) { self.object = object }

  static var archiveClassName: String { TypeName.archived(Object.self) }

  static var archiveClassChain: [String] {
    var names: [String] = []
    var current: AnyClass? = Object.self as? AnyClass
    while let type = current {
      if type is any Encodable.Type { names.append(TypeName.archived(type)) }
      current = _getSuperclass(type)
    }
    return names + ["NSObject"]
  }

  func encode(with coder: KeyedArchiver) throws { try object.encode(to: ArchiveEncoder(coder: coder, node: nil)) }
}
