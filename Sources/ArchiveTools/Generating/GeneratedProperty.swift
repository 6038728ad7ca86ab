// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
import PropertyListFormat

/// A property of a type that is made for a class: a key, or a value without one.
struct GeneratedProperty {
  /// Where the value is in the archive.
  enum Key {
    case named(String)
    /// One of those that are told apart by their order.
    case next
  }

  var name: String
  var key: Key
  var type: InferredType
  /// Whether it is handed over when its object is complete, for the way there may run in a circle.
  var isDeferred: Bool
  /// What to say of it.
  var note: String

  /// The properties for keys, those without names last and in their order, and the keys that no call decodes.
  /// - Parameters:
  ///   - uses: what is under the keys.
  ///   - count: how many objects there are.
  ///   - types: the types of places.
  ///   - isCircle: whether the way to a value may run in a circle.
  /// - Returns: the properties, and the keys that are left.
  static func all(
    _ uses: [(key: String, use: ValueUse)], of count: Int, _ types: TypeInference, isCircle: (ValueUse) -> Bool
  ) -> (properties: [GeneratedProperty], left: [String]) {
    var properties: [GeneratedProperty] = []
    var left: [String] = []
    var unkeyed: [Int: GeneratedProperty] = [:]
    var names = PropertyNames()
    for (key, use) in uses {
      guard var type = types.type(for: use, of: count) else {
        left.append(key)
        continue
      }
      let note = use.count < count ? "\(use.count) of \(count) have it." : ""
      let written: Key
      if key.utf8.first != UInt8(ascii: "$") {
        written = .named(key)
      } else if key.hasPrefix("$$"), let name = key.rest(after: "$") {
        // The archiver puts a dollar sign in front of keys that begin with one.
        written = .named(String(name))
      } else {
        guard let number = key.rest(after: "$").flatMap({ Int($0) }), number >= 0, "$\(number)" == key else {
          left.append(key)
          continue
        }
        unkeyed[number] = GeneratedProperty(
          name: names.add("value\(number)"), key: .next, type: type, isDeferred: false, note: note)
        continue
      }
      let isDeferred = isCircle(use)
      if isDeferred, type.empty == nil { type.isOptional = true }
      properties.append(
        GeneratedProperty(name: names.add(key), key: written, type: type, isDeferred: isDeferred, note: note))
    }
    // One that cannot be decoded bars the way to those behind it.
    var next = 0
    while let property = unkeyed.removeValue(forKey: next) {
      properties.append(property)
      next += 1
    }
    left += unkeyed.keys.sorted().map { "$\($0)" }
    return (properties, left)
  }

  /// What an initializer takes for it.
  var parameter: String {
    let value = type.isOptional ? " = nil" : type.empty.map { " = \($0)" } ?? ""
    return "\(name): \(type.fullName)\(value)"
  }

  /// The property with what is to be known of it.
  var declaration: [String] {
    var words: [String] = []
    switch key {
    case .named(let key): words.append("\"\(SwiftName.comment(key))\" in archives.")
    case .next: words.append("Without a key in archives.")
    }
    if !note.isEmpty { words.append(note) }
    if isDeferred { words.append("There when its objects are complete.") }
    let value = isDeferred && !type.isOptional ? type.empty.map { " = \($0)" } ?? "" : ""
    return ["/// " + words.joined(separator: " "), "var \(name): \(type.fullName)\(value)"]
  }

  // MARK: Decoding

  /// Whether what decodes it can throw.
  var throwsErrors: Bool { type.way == .typed && !isDeferred && isNamed }

  private var isNamed: Bool { if case .named = key { true } else { false } }

  /// What makes the property's type of the objects that a list allows.
  private var cast: String { type.way == .typed || type.name == InferredType.anyObject ? "" : " as? \(type.name)" }

  /// What decodes it, in an initializer that may return nil.
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

  /// What a call returns, put in its place; where nothing may be missing, no object comes of one without it.
  private func unwrapping(_ call: String) -> [String] {
    guard type.isOptional else {
      return ["guard let \(name) = \(call) else { return nil }", "self.\(name) = \(name)"]
    }
    if case .next = key { return ["\(name) = coder.containsNextValue ? \(call) : nil"] }
    return ["\(name) = \(call)"]
  }

  /// The type that is asked for, or the list of types.
  private var types: String {
    guard case .listed(let names) = type.way else { return "\(type.name).self" }
    // Nobody reads so many, and a file may have them in a million places.
    guard names.count <= 100 else { return "\(GeneratedSwift.contentsName).allowedClasses" }
    return SourceText.wrapped("[", names.map { "\($0).self" }, "]", indent: 6, from: 60).joined(separator: "\n")
  }

  // MARK: Encoding

  /// What encodes it.
  var encoding: String {
    guard case .named(let key) = key else {
      return type.isOptional && !type.storesNil
        ? "if let \(name) { coder.encode(\(name)) }" : "coder.encode(\(name))"
    }
    let call = "(\(name), forKey: \(SwiftName.literal(key)))"
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
