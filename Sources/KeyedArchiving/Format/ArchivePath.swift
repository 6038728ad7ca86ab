// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// A coding key that is one step of a path in an archive.
struct ArchivePathStep: CodingKey {
  enum Form {
    /// A top-level key, or the UID with which a path begins.
    case start
    case key, index
    /// A key of a dictionary object.
    case entry
  }

  var form: Form
  var stringValue: String
  var intValue: Int?

  init(_ form: Form, _ text: String) {
    self.form = form
    stringValue = text
  }

  init(index: Int) {
    form = .index
    stringValue = "\(index)"
    intValue = index
  }

  init?(stringValue: String) { self.init(.key, stringValue) }

  init?(intValue: Int) { self.init(index: intValue) }

  /// Returns the text of a step in messages, in which a key has at most 1024 scalars.
  static func text(_ step: any CodingKey) -> String {
    // The dictionaries around a value can share one long key.
    let text = MessageText.shortened(step.stringValue, to: 1024)
    return switch (step as? ArchivePathStep)?.form {
    case .start: text
    case .entry: "[\(text.debugDescription)]"
    case .index: "[\(text)]"
    case .key: "." + text
    case nil: step.intValue.map { "[\($0)]" } ?? "." + text
    }
  }

  /// Returns the text of a path, such as `root.creatures[3].Title`, or nil if the path does not begin in an archive.
  static func text(_ path: [any CodingKey]) -> String? {
    guard (path.first as? ArchivePathStep)?.form == .start else { return nil }
    return path.map { text($0) }.joined()
  }
}

extension KeyedArchiveError {
  /// Converts an error of a Codable type. An underlying `KeyedArchiveError` is used unchanged, because it is more
  /// specific.
  init(_ error: DecodingError) {
    let (code, context): (Code, DecodingError.Context) =
      switch error {
      case .typeMismatch(_, let context): (.typeMismatch, context)
      case .valueNotFound(_, let context), .keyNotFound(_, let context): (.valueNotFound, context)
      case .dataCorrupted(let context): (.malformedValue, context)
      @unknown default: (.reportedByClass, DecodingError.Context(codingPath: [], debugDescription: "\(error)"))
      }
    if var cause = context.underlyingError as? KeyedArchiveError {
      if cause.underlying == nil { cause.underlying = error }
      self = cause
    } else {
      let cause = context.underlyingError.map { ": \($0)" } ?? ""
      self.init(
        code, context.debugDescription + cause, keyPath: ArchivePathStep.text(context.codingPath), underlying: error)
    }
  }

  /// Converts an error of a Codable type.
  init(_ error: EncodingError) {
    switch error {
    case .invalidValue(_, let context):
      let cause = context.underlyingError.map { ": \($0)" } ?? ""
      self.init(
        .notEncodable, context.debugDescription + cause, keyPath: ArchivePathStep.text(context.codingPath),
        underlying: error)
    @unknown default: self.init(.reportedByClass, "\(error)", underlying: error)
    }
  }
}
