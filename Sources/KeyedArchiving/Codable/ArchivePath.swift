// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// One step on the way to a value in an archive, as a coding key.
struct ArchivePathStep: CodingKey {
  enum Form {
    /// A top-level key, or what stands for one.
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

  /// A step as people read it.
  static func text(_ step: any CodingKey) -> String {
    switch (step as? ArchivePathStep)?.form {
    case .start: step.stringValue
    case .entry: "[\(step.stringValue.debugDescription)]"
    case .index: "[\(step.stringValue)]"
    case .key: "." + step.stringValue
    case nil: step.intValue.map { "[\($0)]" } ?? "." + step.stringValue
    }
  }

  /// A way as people read it, `root.creatures[3].Title`; nil for one that does not begin in an archive.
  static func text(_ path: [any CodingKey]) -> String? {
    guard (path.first as? ArchivePathStep)?.form == .start else { return nil }
    return path.map { text($0) }.joined()
  }
}

extension KeyedArchiveError {
  /// What an initialiser of a Codable type threw. An error of this module in it, which knows more, is had back.
  init(_ error: DecodingError) {
    let (code, context): (Code, DecodingError.Context) =
      switch error {
      case .typeMismatch(_, let context): (.typeMismatch, context)
      case .valueNotFound(_, let context), .keyNotFound(_, let context): (.valueNotFound, context)
      case .dataCorrupted(let context): (.malformedValue, context)
      @unknown default: (.reportedByClass, DecodingError.Context(codingPath: [], debugDescription: "\(error)"))
      }
    if let cause = context.underlyingError as? KeyedArchiveError {
      self = cause
    } else {
      let cause = context.underlyingError.map { ": \($0)" } ?? ""
      self.init(
        code, context.debugDescription + cause, keyPath: ArchivePathStep.text(context.codingPath), underlying: error)
    }
  }

  /// What `encode(to:)` of a Codable type threw.
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
