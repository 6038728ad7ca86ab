// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving

/// The values of a Codable model, coded by its `encode(to:)` and `init(from:)` as keys of the model's own object.
struct CodableContent<Model: Codable>: KeyedCodable {
  let model: Model

  init(_ model: Model) { self.model = model }

  init(from decoder: any Decoder) throws { model = try Model(from: decoder) }

  func encode(to encoder: any Encoder) throws { try model.encode(to: encoder) }
}
