// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The archived form of a value, which is not part of the value. A decoded value is stored in its form again.
struct StoredForm<Form: Sendable>: Hashable, Sendable {
  var form: Form

  init(_ form: Form) { self.form = form }

  static func == (a: Self, b: Self) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}
