// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// What a decoded value must be, as far as it is said.
indirect enum Summary: Decodable {
  case string(String)
  case stringLength(utf16: Int)
  case integer(String)
  case real(String)
  case boolean(Bool)
  case date(String)
  case bytes(hex: String)
  case byteCount(Int)
  case uid(String)
  case array([Summary])
  case arrayCount(Int, depth: Int?)
  case dictionary([String: Summary])
  case dictionaryCount(Int, depth: Int?)
  case object(className: String, fields: [String: Summary])
  case chain(className: String, Int)
  case ring(className: String, Int)
  case sameAsRoot
  case uuid(String)
  case url(String)
  case absoluteURL(String)
  case indexes([[Int]])
  case decimal(String)
  case nothing
  /// A kind that is not known here, by its name.
  case unknown(String)

  /// The first kind in it that is not known here.
  var unknownKind: String? {
    switch self {
    case .unknown(let kind): kind
    case .array(let items): items.lazy.compactMap(\.unknownKind).first
    case .dictionary(let items), .object(_, let items): items.values.lazy.compactMap(\.unknownKind).first
    default: nil
    }
  }

  private enum Keys: String, CodingKey {
    case t, v, utf16, hex, len, items, count, depth, `class`, fields, chain, ring, absolute, ranges
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Keys.self)
    func text() throws -> String { try container.decode(String.self, forKey: .v) }
    let kind = try container.decode(String.self, forKey: .t)
    let count = try container.decodeIfPresent(Int.self, forKey: .count)
    let depth = try container.decodeIfPresent(Int.self, forKey: .depth)
    switch kind {
    case "str":
      if let count = try container.decodeIfPresent(Int.self, forKey: .utf16) {
        self = .stringLength(utf16: count)
      } else {
        self = .string(try text())
      }
    case "int": self = .integer(try text())
    case "real": self = .real(try text())
    case "bool": self = .boolean(try container.decode(Bool.self, forKey: .v))
    case "date": self = .date(try text())
    case "data":
      if let hex = try container.decodeIfPresent(String.self, forKey: .hex) {
        self = .bytes(hex: hex)
      } else {
        self = .byteCount(try container.decode(Int.self, forKey: .len))
      }
    case "uid": self = .uid(try text())
    case "array":
      if let count {
        self = .arrayCount(count, depth: depth)
      } else {
        self = .array(try container.decode([Summary].self, forKey: .items))
      }
    case "dict":
      if let count {
        self = .dictionaryCount(count, depth: depth)
      } else {
        self = .dictionary(try container.decode([String: Summary].self, forKey: .items))
      }
    case "obj":
      let name = try container.decode(String.self, forKey: .class)
      if let length = try container.decodeIfPresent(Int.self, forKey: .chain) {
        self = .chain(className: name, length)
      } else if let length = try container.decodeIfPresent(Int.self, forKey: .ring) {
        self = .ring(className: name, length)
      } else {
        self = .object(className: name, fields: try container.decode([String: Summary].self, forKey: .fields))
      }
    case "same-as-root": self = .sameAsRoot
    case "uuid": self = .uuid(try text())
    case "url":
      if let absolute = try container.decodeIfPresent(String.self, forKey: .absolute) {
        self = .absoluteURL(absolute)
      } else {
        self = .url(try text())
      }
    case "indexset": self = .indexes(try container.decode([[Int]].self, forKey: .ranges))
    case "decimal": self = .decimal(try text())
    case "null-object": self = .nothing
    default: self = .unknown(kind)
    }
  }
}
