// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A Codable value that decodes all values of any property list.
struct CostList: Decodable {
  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    if let values = try? decoder.container(keyedBy: Key.self) {
      for key in values.allKeys { _ = try values.decode(CostList.self, forKey: key) }
    } else if var elements = try? decoder.unkeyedContainer() {
      while !elements.isAtEnd { _ = try elements.decode(CostList.self) }
    } else {
      let value = try decoder.singleValueContainer()
      if (try? value.decode(String.self)) == nil { _ = try? value.decode(Int.self) }
    }
  }
}
