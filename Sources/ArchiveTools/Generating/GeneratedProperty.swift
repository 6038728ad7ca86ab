// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
import PropertyListFormat

/// A property of a generated type: a value with or without a key.
struct GeneratedProperty {
  /// The position of the value in the object.
  enum Key {
    case named(String)
    /// The next value without a key.
    case next
  }

  var name: String
  var key: Key
  var type: InferredType
  /// Whether the value is decoded as a deferred reference, because it may refer back to the object.
  var isDeferred: Bool
  /// A remark for the documentation comment.
  var note: String

  /// Returns the properties for the keys of a class, values without keys last.
  /// - Parameters:
  ///   - uses: The keys with their values.
  ///   - count: The number of objects.
  ///   - types: The type inference.
  ///   - mayCycle: Returns whether a value may refer back to its object.
  /// - Returns: The properties, and the keys that no method of the decoder decodes.
  static func all(
    _ uses: [(key: String, use: ValueUse)], of count: Int, _ types: TypeInference, mayCycle: (ValueUse) -> Bool
  ) -> (properties: [GeneratedProperty], omitted: [String]) {
    var properties: [GeneratedProperty] = []
    var omitted: [String] = []
    var unkeyed: [Int: GeneratedProperty] = [:]
    var names = PropertyNames()
    for (key, use) in uses {
      guard var type = types.type(for: use, of: count) else {
        omitted.append(key)
        continue
      }
      let note = use.count < count ? "Present in \(use.count) of \(count)." : ""
      let written: Key
      if key.utf8.first != UInt8(ascii: "$") {
        written = .named(key)
      } else if key.hasPrefix("$$"), let name = key.rest(after: "$") {
        // The archiver escapes keys that begin with a dollar sign by another one.
        written = .named(String(name))
      } else {
        guard let number = key.rest(after: "$").flatMap({ Int($0) }), number >= 0, "$\(number)" == key else {
          omitted.append(key)
          continue
        }
        // The decoder decodes only objects without keys, and none of them as a deferred reference.
        guard !mayCycle(use), use.kinds.keys.allSatisfy({ !$0.isInline }) else {
          omitted.append(key)
          continue
        }
        unkeyed[number] = GeneratedProperty(
          name: names.add("value\(number)"), key: .next, type: type, isDeferred: false, note: note)
        continue
      }
      let isDeferred = mayCycle(use)
      if isDeferred, type.empty == nil { type.isOptional = true }
      properties.append(
        GeneratedProperty(name: names.add(key), key: written, type: type, isDeferred: isDeferred, note: note))
    }
    // Values without keys can be decoded only in sequence, up to the first that cannot be decoded.
    var next = 0
    while let property = unkeyed.removeValue(forKey: next) {
      properties.append(property)
      next += 1
    }
    omitted += unkeyed.keys.sorted().map { "$\($0)" }
    return (properties, omitted)
  }

  /// Returns the comment for a key that no method of the decoder decodes.
  static func omission(_ key: String) -> String {
    "// Omitted: \"\(SwiftName.comment(key))\", an inline array, dictionary or date, or a 16-byte integer, which has no "
      + "decoder."
  }

  /// The parameter of the initializer.
  var parameter: String {
    let value = type.isOptional ? " = nil" : type.empty.map { " = \($0)" } ?? ""
    return "\(name): \(type.fullName)\(value)"
  }

  /// The declaration with its documentation comment.
  var declaration: [String] {
    var words: [String] = []
    switch key {
    case .named(let key): words.append("\"\(SwiftName.comment(key))\" in archives.")
    case .next: words.append("A value without a key in archives.")
    }
    if !note.isEmpty { words.append(note) }
    if isDeferred { words.append("Set when the referenced objects are complete.") }
    let value = isDeferred && !type.isOptional ? type.empty.map { " = \($0)" } ?? "" : ""
    return ["/// " + words.joined(separator: " "), "var \(name): \(type.fullName)\(value)"]
  }

  // MARK: Decoding

  /// Whether the decoding expression throws.
  var throwsErrors: Bool { type.access == .typed && !isDeferred && isNamed }

  private var isNamed: Bool { if case .named = key { true } else { false } }

  /// The cast from the allow list's types to the property's type.
  private var cast: String { type.access == .typed || type.name == InferredType.anyObject ? "" : " as? \(type.name)" }

  /// The statements that decode the property in a failable initializer.
  var decoding: [String] {
    guard case .named(let key) = key else { return unwrapping("coder.decodeObject(of: \(types))\(cast)") }
    let literal = SwiftName.literal(key)
    if throwsErrors {
      let call = type.isOptional ? "decodeIfPresent" : "decode"
      return ["\(name) = try coder.\(call)(\(types), forKey: \(literal))"]
    }
    let call = "coder.decodeObject(of: \(types), forKey: \(literal))"
    guard isDeferred else { return unwrapping(call + cast) }
    let assignment =
      type.isOptional || cast.isEmpty
      ? "self.\(name) = $0\(cast)" : "if let value = $0\(cast) { self.\(name) = value }"
    return ["\(call) { \(assignment) }"]
  }

  /// Returns the statements that assign the result of a call. If the property is not optional, nil fails the
  /// initializer.
  private func unwrapping(_ call: String) -> [String] {
    guard type.isOptional else {
      return ["guard let \(name) = \(call) else { return nil }", "self.\(name) = \(name)"]
    }
    if case .next = key { return ["\(name) = coder.containsNextValue ? \(call) : nil"] }
    return ["\(name) = \(call)"]
  }

  /// The requested type or list of types.
  private var types: String {
    switch type.access {
    case .typed: "\(type.name).self"
    case .listed(let names):
      SourceText.wrapped("[", names.map { "\($0).self" }, "]", indent: 6, from: 60).joined(separator: "\n")
    case .all: "\(GeneratedSwift.contentsName).allowedClasses"
    }
  }

  // MARK: Encoding

  /// The statement that encodes the property.
  var encoding: String {
    let isUnwrapped = type.isOptional && !type.storesNil
    var value = name
    if let stored = type.stored {
      value = (type.isOptional && !isUnwrapped ? SourceType.optional(stored) : stored).archived(name)
    }
    guard case .named(let key) = key else {
      return isUnwrapped ? "if let \(name) { coder.encode(\(value)) }" : "coder.encode(\(value))"
    }
    let call = "(\(value), forKey: \(SwiftName.literal(key)))"
    if !type.isOptional || type.storesNil {
      return type.isOptional && type.isNumber ? "coder.encodeObject\(call)" : "coder.\(encodingCall)\(call)"
    }
    return "if let \(name) { coder.\(encodingCall)\(call) }"
  }

  private var encodingCall: String {
    switch type.form {
    case .inlineNumber: "encode"
    case .inlineData: type.isOptional && type.storesNil ? "encode" : "encodeBytes"
    case .object: type.isNumber ? "encodeObject" : "encode"
    }
  }
}
