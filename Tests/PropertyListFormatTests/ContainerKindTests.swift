// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat
import Testing

@Suite("The kinds of containers of one encoder")
struct ContainerKindTests {
  private enum Kind: CaseIterable { case keyed, unkeyed, single, requestedKeyed, requestedUnkeyed }

  private enum Name: String, CodingKey { case first, second }

  /// Encodes itself in two kinds of containers.
  private struct TwoKinds: Encodable {
    var first: Kind
    var second: Kind

    func encode(to encoder: any Encoder) throws {
      try encode(first, .first, to: encoder)
      try encode(second, .second, to: encoder)
    }

    private func encode(_ kind: Kind, _ name: Name, to encoder: any Encoder) throws {
      switch kind {
      case .keyed:
        var container = encoder.container(keyedBy: Name.self)
        try container.encode(1, forKey: name)
        var nested = container.nestedUnkeyedContainer(forKey: name)
        try nested.encode(1)
      case .unkeyed:
        var container = encoder.unkeyedContainer()
        try container.encode(1)
        var nested = container.nestedContainer(keyedBy: Name.self)
        try nested.encode(1, forKey: name)
      case .single:
        var container = encoder.singleValueContainer()
        try container.encode(1)
      case .requestedKeyed: _ = encoder.container(keyedBy: Name.self)
      case .requestedUnkeyed: _ = encoder.unkeyedContainer()
      }
    }
  }

  /// Encodes a value in the encoder of a superclass.
  private struct Inherited: Encodable {
    var value: TwoKinds
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Name.self)
      try value.encode(to: container.superEncoder())
    }
  }

  @Test("an encoder gives one kind of container and one single value; another is an error, where JSONEncoder traps")
  func oneKind() throws {
    func isKeyed(_ kind: Kind) -> Bool { kind == .keyed || kind == .requestedKeyed }
    for first in Kind.allCases {
      for second in Kind.allCases {
        let value = TwoKinds(first: first, second: second)
        let isAllowed = first != .single && second != .single && isKeyed(first) == isKeyed(second)
        func encode(_ value: some Encodable) {
          if isAllowed {
            #expect(throws: Never.self) { try PropertyListValueEncoder().encode(value) }
          } else {
            #expect(throws: EncodingError.self, "\(first), \(second)") {
              try PropertyListValueEncoder().encode(value)
            }
          }
        }
        encode(value)
        encode([value])
        encode(["a": value])
        encode(Inherited(value: value))
      }
    }
  }
}
