// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PropertyListFormat
import TestSupport
import Testing
import TypedDefaults

@Suite("The 31 listed encodings")
struct ListedEncodingTests {
  private struct Wrapper<Value: Codable & Equatable>: Codable, Equatable { var wrapped: Value }

  /// A value of the list with its type erased.
  fileprivate struct Listed<Value: Codable & Equatable & Sendable>: Sendable {
    let value: Value

    func encode(_ method: ListedEncoding.Method) throws -> Data {
      let encoder = PropertyListValueEncoder(options: .foundation)
      switch method {
      case .archivedURL:
        var options = PropertyListCodingOptions()
        options.urls = .archive
        guard case .data(let data) = try PropertyListValueEncoder(options: options).encode(value) else { return Data() }
        return data
      case .json: return try bytes(DefaultsConversion.json().serialize(value))
      case .wrappedJSON: return try bytes(DefaultsConversion.json().serialize(Wrapper(wrapped: value)))
      case .propertyList: return try encoder.encode(value, as: .binary)
      case .wrappedPropertyList: return try encoder.encode(Wrapper(wrapped: value), as: .binary)
      }
    }

    func isDecoded(_ data: Data, _ method: ListedEncoding.Method) throws -> Bool {
      var options = PropertyListCodingOptions.foundation
      options.urlFromData = PropertyListCodingOptions.defaults.urlFromData
      let decoder = PropertyListValueDecoder(options: options)
      switch method {
      case .archivedURL: return try decoder.decode(Value.self, from: .data(data)) == value
      case .json: return try DefaultsConversion<Value>.json().deserialize(.data(data)) == value
      case .wrappedJSON:
        return try DefaultsConversion<Wrapper<Value>>.json().deserialize(.data(data)) == Wrapper(wrapped: value)
      case .propertyList: return try decoder.decode(Value.self, from: data) == value
      case .wrappedPropertyList: return try decoder.decode(Wrapper<Value>.self, from: data) == Wrapper(wrapped: value)
      }
    }

    private func bytes(_ value: PropertyListValue?) -> Data {
      guard case .data(let data)? = value else { return Data() }
      return data
    }
  }

  private static func listed<Result>(
    _ name: String, _ body: (any ListedValue) throws -> Result
  ) throws -> Result {
    let url = try #require(URL(string: "https://nuomi1.github.io/"))
    let values: [String: any ListedValue] = [
      "bool": Listed(value: true), "date": Listed(value: Date(timeIntervalSince1970: 0)),
      "double": Listed(value: 1000.0), "float": Listed(value: Float(100)), "int": Listed(value: 10),
      "string": Listed(value: "@Nuomi1"), "url": Listed(value: url), "array": Listed(value: [10]),
      "dictionary": Listed(value: ["int": 10]),
    ]
    return try body(#require(values[name]))
  }

  @Test("the list is complete") func count() { #expect(ListedEncoding.all.count == 31) }

  @Test("the list equals the article", .enabled(if: Locations.shared != nil, "\(Locations.sharedIsAbsent)"))
  func article() throws {
    struct Facts: Decodable {
      struct Fact: Decodable { var method, key: String, hex: String? }
      var facts: [Fact]
    }
    let url = try #require(Locations.shared).appending(path: "seed-facts/defaults-encodings.json")
    let facts = try JSONDecoder().decode(Facts.self, from: Data(contentsOf: url)).facts.filter { $0.hex != nil }
    let listed = ListedEncoding.all.map { encoding in
      "\(encoding.method.rawValue) u_\(encoding.name) "
        + encoding.data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
    #expect(facts.map { "\($0.method) \($0.key) \($0.hex ?? "")" } == listed)
  }

  @Test("encoding gives the listed bytes", arguments: ListedEncoding.all)
  func encode(_ encoding: ListedEncoding) throws {
    let data = try Self.listed(encoding.name) { try $0.encode(encoding.method) }
    #expect(data == encoding.data)
  }

  @Test("the listed bytes are decoded", arguments: ListedEncoding.all)
  func decode(_ encoding: ListedEncoding) throws {
    #expect(try Self.listed(encoding.name) { try $0.isDecoded(encoding.data, encoding.method) })
  }

  @Test(
    "a file of a single value is rejected, as by Foundation",
    arguments: [
      "bool", "date", "double", "float", "int", "string",
    ])
  func fragments(_ name: String) throws {
    #expect(throws: EncodingError.self) { try Self.listed(name) { _ = try $0.encode(.propertyList) } }
  }

  @Test("each value is encoded natively as a property-list value")
  func natively() throws {
    let encoder = PropertyListValueEncoder()
    #expect(try encoder.encode(true) == true)
    #expect(try encoder.encode(Date(timeIntervalSince1970: 0)) == .date(Date(timeIntervalSince1970: 0)))
    #expect(try encoder.encode(1000.0) == 1000.0)
    #expect(try encoder.encode(Float(100)) == .float(100))
    #expect(try encoder.encode(10) == 10)
    #expect(try encoder.encode("@Nuomi1") == "@Nuomi1")
    #expect(try encoder.encode(URL(string: "https://nuomi1.github.io/")) == "https://nuomi1.github.io/")
    #expect(try encoder.encode([10]) == [10])
    #expect(try encoder.encode(["int": 10]) == ["int": 10])
  }
}

private protocol ListedValue {
  func encode(_ method: ListedEncoding.Method) throws -> Data
  func isDecoded(_ data: Data, _ method: ListedEncoding.Method) throws -> Bool
}

extension ListedEncodingTests.Listed: ListedValue {}
