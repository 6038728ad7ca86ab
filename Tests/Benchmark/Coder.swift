// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import PropertyListFormat

/// A way to turn values into bytes and back.
enum Coder: String, CaseIterable, Codable {
  /// This library, with `encode(with:)` and `init(coder:)` written by hand.
  case keyed
  /// This library, with the methods that the compiler generates for `Codable`.
  case keyedCodable
  /// Foundation's archiver, with secure coding.
  case foundation
  /// Foundation's coder for binary property lists.
  case propertyList
  /// Foundation's coder for JSON.
  case json
  /// This package's coder for binary property lists.
  case listValues
  /// Foundation's coder for XML property lists.
  case propertyListXML
  /// This package's coder for XML property lists.
  case listValuesXML

  /// What it is called in tables.
  var title: String {
    switch self {
    case .keyed: "KeyedArchiver"
    case .keyedCodable: "KeyedCodable"
    case .foundation: "Foundation's"
    case .propertyList: "property list"
    case .json: "JSON"
    case .listValues: "PropertyListFormat"
    case .propertyListXML: "property list XML"
    case .listValuesXML: "PropertyListFmt XML"
    }
  }

  /// Whether it has a workload: parents need a declaration in a `Codable` class, and strings and data have no methods.
  func has(_ workload: Workload) -> Bool {
    self != .keyedCodable || workload == .small || workload == .creatures || workload == .graph
  }
}

/// A workload in the hands of a coder, with the values made.
struct Job {
  /// Encodes the values.
  let encode: () throws -> Data
  /// Decodes, and returns what tells whether all is there.
  let decode: (Data) throws -> () -> Bool

  init(_ coder: Coder, _ workload: Workload, _ count: Int) throws {
    switch (coder, workload) {
    case (.keyed, .small):
      self = .keyed(BenchmarkCreature(0)) { $0.record }
    case (.keyed, .creatures):
      self = .keyed((0..<count).map(BenchmarkCreature.init)) { $0.map(\.record) }
    case (.keyed, .graph), (.keyed, .tree):
      self = .keyed(BenchmarkNode.all(workload, count)) { $0.map(\.record) }
    case (.keyed, .strings): self = .keyed((0..<count).map(Workload.text)) { $0 }
    case (.keyed, .blobs): self = .keyed((0..<count).map(Workload.blob)) { $0 }
    case (.keyedCodable, .small): self = .keyed(CodableCreature(0)) { $0.record }
    case (.keyedCodable, .creatures): self = .keyed((0..<count).map(CodableCreature.init)) { $0.map(\.record) }
    case (.keyedCodable, .graph): self = .keyed(CodableNode.all(workload, count)) { $0.map(\.record) }
    case (.foundation, .small):
      self = .foundation(BenchmarkCreature(0), [BenchmarkCreature.self]) { ($0 as? BenchmarkCreature)?.record }
    case (.foundation, .creatures):
      self = .foundation(NSArray(array: (0..<count).map(BenchmarkCreature.init)), [BenchmarkCreature.self]) {
        Self.list($0) { ($0 as? BenchmarkCreature)?.record }
      }
    case (.foundation, .graph), (.foundation, .tree):
      self = .foundation(NSArray(array: BenchmarkNode.all(workload, count)), [BenchmarkNode.self]) {
        Self.list($0) { ($0 as? BenchmarkNode)?.record }
      }
    case (.foundation, .strings):
      let list = NSArray(array: (0..<count).map { NSString(string: Workload.text($0)) })
      self = .foundation(list, [NSString.self]) { Self.list($0) { Self.string($0) } }
    case (.foundation, .blobs):
      let list = NSArray(array: (0..<count).map { NSData(data: Workload.blob($0)) })
      self = .foundation(list, [NSData.self]) { Self.list($0) { Self.data($0) } }
    case (_, .small): self = try .codable(coder, BenchmarkCreature(0).record)
    case (_, .creatures): self = try .codable(coder, (0..<count).map { BenchmarkCreature($0).record })
    case (_, .graph), (_, .tree): self = try .codable(coder, BenchmarkNode.all(workload, count).map(\.record))
    case (_, .strings): self = try .codable(coder, (0..<count).map(Workload.text))
    case (_, .blobs): self = try .codable(coder, (0..<count).map(Workload.blob))
    }
  }

  private init(encode: @escaping () throws -> Data, decode: @escaping (Data) throws -> () -> Bool) {
    self.encode = encode
    self.decode = decode
  }

  private static func keyed<Value: KeyedCoding, Record: Equatable>(
    _ value: Value, _ record: @escaping (Value) -> Record
  ) -> Job {
    let expected = record(value)
    return Job(
      encode: { try KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true) },
      decode: { data in
        let decoded = try KeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: data)
        return { decoded.map(record) == expected }
      })
  }

  private static func foundation<Record: Equatable>(
    _ value: NSObject, _ classes: [AnyClass], _ record: @escaping (Any?) -> Record?
  ) -> Job {
    let expected = record(value)
    return Job(
      encode: { try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true) },
      decode: { data in
        let decoded = try NSKeyedUnarchiver.unarchivedObject(ofClasses: classes + [NSArray.self], from: data)
        return { expected != nil && record(decoded) == expected }
      })
  }

  private static func codable<Record: Codable & Equatable>(_ coder: Coder, _ record: Record) throws -> Job {
    if coder == .json {
      return Job(
        encode: { try JSONEncoder().encode(record) },
        decode: { data in
          let decoded = try JSONDecoder().decode(Record.self, from: data)
          return { decoded == record }
        })
    }
    if coder == .listValues || coder == .listValuesXML {
      let format = coder == .listValues ? PropertyList.Format.binary : .xml
      return Job(
        encode: { try PropertyListValueEncoder(options: .foundation).encode(record, as: format) },
        decode: { data in
          let decoded = try PropertyListValueDecoder(options: .foundation).decode(Record.self, from: data)
          return { decoded == record }
        })
    }
    let encoder = PropertyListEncoder()
    encoder.outputFormat = coder == .propertyListXML ? .xml : .binary
    return Job(
      encode: { try encoder.encode(record) },
      decode: { data in
        let decoded = try PropertyListDecoder().decode(Record.self, from: data)
        return { decoded == record }
      })
  }

  /// The records of all elements; nil if one is not what it should be.
  private static func list<Record>(_ value: Any?, _ record: (Any) -> Record?) -> [Record]? {
    guard let list = value as? NSArray else { return nil }
    let records = list.compactMap(record)
    return records.count == list.count ? records : nil
  }

  private static func string(_ value: Any) -> String? {
    value as? String ?? (value as? NSString).map { String(describing: $0) }
  }

  private static func data(_ value: Any) -> Data? {
    value as? Data ?? (value as? NSData).map { Data(referencing: $0) }
  }
}
