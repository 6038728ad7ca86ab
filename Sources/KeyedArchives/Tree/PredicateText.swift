// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeyedArchiving
import PropertyListFormat

/// Writes an archived predicate in the format that `NSPredicate(format:)` reads.
struct PredicateText {
  /// The maximum number of nested objects, and of their levels.
  private static let maximumCount = 64, maximumDepth = 8
  private var count = 0
  private var depth = 0

  /// Returns the text of a predicate or an expression, or nil if a part of it is unknown.
  static func meaning(_ name: String, _ entries: [KeyedArchive.Entry], _ reader: inout GraphReader) -> Meaning? {
    var writer = PredicateText()
    return writer.text(name, entries, &reader).map { Meaning(.value, $0) }
  }

  private mutating func text(_ stored: KeyedArchive.StoredValue?, _ reader: inout GraphReader) -> String? {
    guard count < Self.maximumCount, depth < Self.maximumDepth, let object = reader.object(stored) else { return nil }
    count += 1
    depth += 1
    defer { depth -= 1 }
    return text(object.name, object.entries, &reader)
  }

  private mutating func text(
    _ name: String, _ entries: [KeyedArchive.Entry], _ reader: inout GraphReader
  ) -> String? {
    switch name {
    case "NSTruePredicate": return "TRUEPREDICATE"
    case "NSFalsePredicate": return "FALSEPREDICATE"
    case "NSComparisonPredicate": return comparison(entries, &reader)
    case "NSCompoundPredicate": return compound(entries, &reader)
    // A constant that is a class has no text in the predicate language.
    case "NSConstantValueExpression" where entries["NSConstantValueClassName"] != nil: return nil
    case "NSConstantValueExpression": return constant(entries["NSConstantValue"], &reader)
    case "NSSelfExpression": return "SELF"
    case "NSVariableExpression": return reader.text(entries["NSVariable"]).map { "$\($0)" }
    case "NSKeyPathSpecifierExpression": return reader.text(entries["NSKeyPath"])
    case "NSKeyPathExpression": return keyPath(entries, &reader)
    default: return nil
    }
  }

  private mutating func comparison(_ entries: [KeyedArchive.Entry], _ reader: inout GraphReader) -> String? {
    guard let rule = reader.object(entries["NSPredicateOperator"]),
      let type = reader.integer(rule.entries["NSOperatorType"]), let sign = Self.operators[type],
      let left = text(entries["NSLeftExpression"], &reader), let right = text(entries["NSRightExpression"], &reader)
    else {
      return nil
    }
    let modifiers = [0: "", 1: "ALL ", 2: "ANY "]
    guard let modifier = modifiers[reader.integer(rule.entries["NSModifier"]) ?? 0] else { return nil }
    // Other keys, such as options for strings, change the meaning of an operator.
    let known = ["NSOperatorType", "NSModifier", "NSNegate"]
    guard rule.entries.allSatisfy({ known.contains($0.key) }) else { return nil }
    if case .boolean(true)? = rule.entries["NSNegate"], type != 5 { return nil }
    return "\(modifier)\(left) \(sign) \(right)"
  }

  /// The operators by the raw values of `NSComparisonPredicate.Operator`.
  private static let operators = [
    0: "<", 1: "<=", 2: ">", 3: ">=", 4: "==", 5: "!=", 6: "MATCHES", 7: "LIKE", 8: "BEGINSWITH", 9: "ENDSWITH",
    10: "IN", 99: "CONTAINS", 100: "BETWEEN",
  ]

  private mutating func compound(_ entries: [KeyedArchive.Entry], _ reader: inout GraphReader) -> String? {
    guard let type = reader.integer(entries["NSCompoundPredicateType"]), 0...2 ~= type,
      let parts = list(entries["NSSubpredicates"], &reader)
    else {
      return nil
    }
    var texts: [String] = []
    for part in parts {
      guard let inner = reader.object(part), let text = text(part, &reader) else { return nil }
      texts.append(inner.name == "NSCompoundPredicate" ? "(\(text))" : text)
    }
    switch (type, texts.count) {
    case (0, 1): return "NOT (\(texts[0]))"
    case (1, 1...): return texts.joined(separator: " AND ")
    case (2, 1...): return texts.joined(separator: " OR ")
    default: return nil
    }
  }

  /// Returns the path of a call such as `valueForKeyPath:` on the evaluated object or another expression.
  private mutating func keyPath(_ entries: [KeyedArchive.Entry], _ reader: inout GraphReader) -> String? {
    guard let arguments = list(entries["NSArguments"], &reader), arguments.count == 1,
      let argument = reader.object(arguments[0])
    else {
      return nil
    }
    let path: String?
    switch argument.name {
    case "NSKeyPathSpecifierExpression": path = reader.text(argument.entries["NSKeyPath"])
    case "NSConstantValueExpression": path = reader.text(argument.entries["NSConstantValue"])
    default: path = nil
    }
    guard let path, let start = text(entries["NSOperand"], &reader) else { return nil }
    return start == "SELF" ? path : "\(start).\(path)"
  }

  private mutating func constant(_ stored: KeyedArchive.StoredValue?, _ reader: inout GraphReader) -> String? {
    switch stored {
    case nil, .reference(.null)?: return "nil"
    default: break
    }
    if let text = reader.text(stored) { return EscapedText.quoted(text, limit: GraphReader.shortText) }
    switch reader.small(stored) {
    case .primitive(.boolean(let value))?: return value ? "YES" : "NO"
    case .primitive(.integer(let value))?: return "\(value)"
    case .primitive(.float(let value))?: return Meaning.text(Double(value))
    case .primitive(.double(let value))?: return Meaning.text(value)
    default: break
    }
    guard let values = list(stored, &reader) else { return nil }
    var texts: [String] = []
    for value in values {
      guard count < Self.maximumCount, depth < Self.maximumDepth else { return nil }
      count += 1
      depth += 1
      defer { depth -= 1 }
      // An aggregate has constants, or expressions of constants.
      guard let text = constant(value, &reader) ?? text(value, &reader) else { return nil }
      texts.append(text)
    }
    return "{\(texts.joined(separator: ", "))}"
  }

  private func list(
    _ stored: KeyedArchive.StoredValue?, _ reader: inout GraphReader
  ) -> [KeyedArchive.StoredValue]? {
    guard let object = reader.object(stored), case .array(let values)? = object.entries["NS.objects"],
      values.count <= Self.maximumCount
    else {
      return nil
    }
    return values
  }
}
