// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing

private struct Full: Codable {
  var a = 1
  var b: String? = "b"
  var inner = [Inner(x: 1, y: 2)]
  struct Inner: Codable {
    var x: Int
    var y: Int
  }
}

private struct Less: Codable {
  var a: Int
  var inner: [Inner]
  struct Inner: Codable { var x: Int }
}

private enum Choice: Codable, Equatable {
  case one(first: Int, second: Int)
  case two
}

private enum LessChoice: Codable {
  case one(first: Int)
  case two
}

private class Base: Codable {
  var base = 1
  var other = 2
  init() {}
}

private final class Derived: Base {
  var own = 3
  private enum CodingKeys: String, CodingKey { case own }
  override init() { super.init() }
  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(own, forKey: .own)
    try super.encode(to: container.superEncoder())
  }
  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    own = try container.decode(Int.self, forKey: .own)
    try super.init(from: container.superDecoder())
  }
}

private class LessBase: Codable { var base = 1 }

private final class LessDerived: LessBase {
  private enum CodingKeys: String, CodingKey { case own }
  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    _ = try container.decode(Int.self, forKey: .own)
    try super.init(from: container.superDecoder())
  }
}

/// Uses the container in the way that a test says.
private struct Custom: Decodable {
  struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(_ text: String) { stringValue = text }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }
  @TaskLocal static var body: @Sendable (any Decoder) throws -> Void = { _ in }
  init(from decoder: any Decoder) throws { try Self.body(decoder) }
}

/// What ``Custom`` decodes: an object with keys, a nested dictionary and a nested array of dictionaries.
private struct Written: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Custom.Key.self)
    try container.encode(1, forKey: Custom.Key("a"))
    try container.encodeNil(forKey: Custom.Key("nil"))
    var nested = container.nestedContainer(keyedBy: Custom.Key.self, forKey: Custom.Key("nested"))
    try nested.encode(1, forKey: Custom.Key("x"))
    try nested.encode(2, forKey: Custom.Key("y"))
    var list = container.nestedUnkeyedContainer(forKey: Custom.Key("list"))
    var element = list.nestedContainer(keyedBy: Custom.Key.self)
    try element.encode(1, forKey: Custom.Key("z"))
  }
}

@Suite("The report of the keys of Codable types")
struct CodableKeyReportTests {
  /// Decodes a value as another type, by the names of the written types.
  private func report<Value: Encodable, Read: Decodable>(_ value: Value, as type: Read.Type) throws -> KeyReport {
    var encoder = KeyedArchiveEncoder()
    encoder.classNames[Value.self] = "Written"
    encoder.classNames[Full.Inner.self] = "Inner"
    var decoder = KeyedArchiveDecoder()
    decoder.classNames[Read.self] = "Written"
    if type == Less.self {
      decoder.classNames[Less.Inner.self] = "Inner"
    } else {
      decoder.classNames[Full.Inner.self] = "Inner"
    }
    return try decoder.decodeReportingKeys(type, from: encoder.encode(value)).report
  }

  private func custom(_ body: @escaping @Sendable (any Decoder) throws -> Void) throws -> KeyReport {
    try Custom.$body.withValue(body) { try report(Written(), as: Custom.self) }
  }

  @Test("is empty for the type that was written")
  func same() throws {
    #expect(try report(Full(), as: Full.self).isEmpty)
    #expect(try report([Choice.one(first: 1, second: 2), .two], as: [Choice].self).isEmpty)
    #expect(try report(Derived(), as: Derived.self).isEmpty)
  }

  @Test("has the keys of properties that a type lacks")
  func properties() throws {
    let report = try report(Full(), as: Less.self)
    #expect(report.unreadKeys.map(\.keyPath) == ["root.b", "root.inner[0].y"])
    #expect(report.unreadKeys.map(\.className) == ["Written", "Inner"])
  }

  @Test("has optional properties without a value only as absent optional keys")
  func optional() throws {
    let report = try report(Full(b: nil), as: Full.self)
    #expect(report.isEmpty && report.absentOptionalKeys.map(\.keyPath) == ["root.b"])
  }

  @Test("has the labels of a case's values")
  func cases() throws {
    let report = try report(Choice.one(first: 1, second: 2), as: LessChoice.self)
    #expect(report.unreadKeys.map(\.keyPath) == ["root.one[\"second\"]"])
  }

  @Test("has the properties of a superclass")
  func superclass() throws {
    let report = try report(Derived(), as: LessDerived.self)
    #expect(report.unreadKeys.map(\.keyPath) == ["root.super[\"other\"]"])
    #expect(report.unreadKeys.map(\.className) == ["NSDictionary"])
  }

  @Test("has the keys of nested containers, of which those in arrays have an index")
  func nested() throws {
    let report = try custom { decoder in
      let container = try decoder.container(keyedBy: Custom.Key.self)
      #expect(try container.decodeNil(forKey: Custom.Key("nil")))
      let nested = try container.nestedContainer(keyedBy: Custom.Key.self, forKey: Custom.Key("nested"))
      #expect(try nested.decode(Int.self, forKey: Custom.Key("y")) == 2 && !nested.contains(Custom.Key("w")))
      var list = try container.nestedUnkeyedContainer(forKey: Custom.Key("list"))
      _ = try list.nestedContainer(keyedBy: Custom.Key.self)
    }
    #expect(report.unreadKeys.map(\.keyPath) == ["root.a", "root.nested[\"x\"]", "root.list[0][\"z\"]"])
    #expect(report.absentOptionalKeys.map(\.keyPath) == ["root.nested[\"w\"]"])
    #expect(report.description.contains("root.nested, 'NSDictionary': not requested: 'x'; requested, but not"))
  }

  @Test("counts the requests of all containers of one dictionary")
  func severalContainers() throws {
    let report = try custom { decoder in
      let container = try decoder.container(keyedBy: Custom.Key.self)
      for key in ["x", "y"] {
        let nested = try container.nestedContainer(keyedBy: Custom.Key.self, forKey: Custom.Key("nested"))
        _ = try nested.decode(Int.self, forKey: Custom.Key(key))
      }
    }
    #expect(report.unreadKeys.map(\.keyPath) == ["root.a", "root.list", "root.nil"])
  }

  @Test("does not count the list of all keys as a request, but a question for one")
  func listing() throws {
    let report = try custom { decoder in
      let container = try decoder.container(keyedBy: Custom.Key.self)
      #expect(container.allKeys.count == 4 && container.contains(Custom.Key("a")))
      let nested = try container.nestedContainer(keyedBy: Custom.Key.self, forKey: Custom.Key("nested"))
      #expect(nested.allKeys.count == 2 && nested.contains(Custom.Key("x")))
    }
    #expect(report.unreadKeys.map(\.keyPath) == ["root.list", "root.nil", "root.nested[\"y\"]"])
  }

  @Test("has the keys that a caught attempt requested only as absent optional keys")
  func attempts() throws {
    let report = try custom { decoder in
      let container = try decoder.container(keyedBy: Custom.Key.self)
      #expect(throws: DecodingError.self) { try container.decode(Int.self, forKey: Custom.Key("missing")) }
      #expect(try container.decodeIfPresent(Int.self, forKey: Custom.Key("b")) == nil)
      #expect(throws: DecodingError.self) { try container.superDecoder().singleValueContainer().decode(Int.self) }
    }
    #expect(report.absentOptionalKeys.map(\.key) == ["b", "missing", "super"] && report.absentKeys == [])
  }

  @Test("has no keys of Foundation's Codable types")
  func foundation() throws {
    struct Holder: Codable {
      var parts = DateComponents(year: 2026)
      // Foundation declares it in an extension.
      var style = Date.FormatStyle(
        date: .long, locale: Locale(identifier: "de_DE"), calendar: Calendar(identifier: .gregorian), timeZone: .gmt)
    }
    let report = try report(Holder(), as: Holder.self)
    #expect(report == KeyReport())
  }
}
