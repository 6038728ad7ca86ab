// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import CommandLineTools
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat

extension RulesFile {
  /// Returns the contents of a rules file: JSON, or a property list in binary or XML format.
  static func contents(_ data: Data) throws(Failure) -> JSONValue {
    guard ArchiveBytes.mayBePropertyList(data) else { return try JSONReader.read(data) }
    let list = try Failure.convertingListError(try PropertyListValue(propertyList: data))
    return try json(list, at: "the file", depth: 0)
  }

  /// The maximum nesting depth, which is that of JSON files.
  private static let maximumDepth = 64

  /// Converts a property list to the value that a JSON file would have. Data becomes Base64.
  private static func json(_ value: PropertyListValue, at place: String, depth: Int) throws(Failure) -> JSONValue {
    guard depth < maximumDepth else {
      throw Failure(
        .limitReached, "limitReached", "property list nested deeper than \(maximumDepth) levels", place: ["at \(place)"]
      )
    }
    switch value {
    case .boolean(let flag): return JSONValue(kind: .boolean(flag))
    case .integer(let number): return JSONValue(kind: .number("\(number)"))
    case .wideInteger(let high, let low): return JSONValue(kind: .number("\(WideInteger(high: high, low: low))"))
    case .float(let number):
      return JSONValue(
        kind: number.isFinite ? .number("\(number)") : .string("bits:" + String(number.bitPattern, radix: 16)))
    case .double(let number):
      return JSONValue(
        kind: number.isFinite ? .number("\(number)") : .string("bits:" + String(number.bitPattern, radix: 16)))
    case .data(let data): return JSONValue(kind: .string(data.base64EncodedString()))
    case .string(let text): return JSONValue(kind: .string(text))
    case .array(let elements):
      var values: [JSONValue] = []
      for (index, element) in elements.enumerated() {
        values.append(try json(element, at: "\(place)[\(index)]", depth: depth + 1))
      }
      return JSONValue(kind: .array(values))
    case .dictionary(let entries):
      var members: [(key: String, value: JSONValue)] = []
      for entry in entries {
        let path = depth == 0 ? entry.key : "\(place).\(entry.key)"
        members.append((entry.key, try json(entry.value, at: path, depth: depth + 1)))
      }
      return JSONValue(kind: .object(members))
    case .date, .uid:
      throw Failure(
        .usage, "invalidRules", "unsupported value: found a value of kind \(value.kindName)", place: ["at \(place)"],
        remedy: "The page \"Migrating archives\" lists the values of each rule")
    }
  }
}
