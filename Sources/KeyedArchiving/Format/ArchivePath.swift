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

/// The place of an error in an archive: some steps, and the place where they begin.
///
/// The errors of objects that contain each other share the places of these objects. Creating the place of an error takes
/// time for the steps in its object only. The path from the top becomes a text when it is read.
package final class ArchivePlace: Sendable {
  let parent: ArchivePlace?
  let steps: [ArchivePathStep]
  /// The steps from a top-level key that replace ``steps`` in a text; nil for the same.
  private let found: [ArchivePathStep]?
  /// The number of places between this one and the first.
  private let depth: Int

  /// The depth from which on the place of a container has no parent. Places are released recursively.
  private static let maximumDepth = 128

  /// Creates a place.
  /// - Parameters:
  ///   - steps: The steps.
  ///   - parent: The place where the steps begin; nil for the top of the archive.
  init(_ steps: [ArchivePathStep], in parent: ArchivePlace? = nil) {
    self.parent = parent
    self.steps = steps
    found = nil
    depth = parent.map { $0.depth + 1 } ?? 0
  }

  /// Creates the place of an object or collection that may contain any number of others.
  /// - Parameters:
  ///   - steps: The steps.
  ///   - parent: The place where the steps begin; nil for the top of the archive.
  init(container steps: [ArchivePathStep], in parent: ArchivePlace?) {
    let isDeep = parent.map { $0.depth >= Self.maximumDepth } ?? false
    let chain = isDeep ? parent?.chain ?? [] : []
    self.parent = isDeep ? nil : parent
    self.steps = chain.flatMap(\.steps) + steps
    found = chain.contains { $0.found != nil } ? chain.flatMap { $0.found ?? $0.steps } + steps : nil
    depth = isDeep ? 0 : parent.map { $0.depth + 1 } ?? 0
  }

  /// Creates the place of an object to which no open scope leads.
  /// - Parameters:
  ///   - uid: The UID of the object.
  ///   - found: The path to the object; nil if it is not known.
  init(_ uid: UInt32, found: [ArchivePathStep]?) {
    parent = nil
    steps = [ArchivePathStep(.start, "\(ArchiveUID(rawValue: uid))")]
    self.found = found
    depth = 0
  }

  /// The places from the first to this one.
  private var chain: [ArchivePlace] {
    var chain = [self]
    while let parent = chain.last?.parent { chain.append(parent) }
    return chain.reversed()
  }

  /// The key path, such as `root.creatures[3].Title`.
  package var text: String { ArchivePathStep.text(chain.flatMap { $0.found ?? $0.steps }) ?? "$top" }

  /// The path from the innermost object whose path is known without a search.
  var codingPath: [any CodingKey] { chain.flatMap { $0.steps as [any CodingKey] } }
}
