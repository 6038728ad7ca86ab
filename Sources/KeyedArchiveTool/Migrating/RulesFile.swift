// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// Reads a file of migration rules: JSON, whose schema the library's page "Migrating archives" has. Nothing in it that is
/// not known is passed over.
struct RulesFile {
  private(set) var rules: [MigrationRule] = []
  private(set) var format: PropertyList.Format?
  /// The class names that may be in migrated archives; nil if the file does not say.
  private(set) var allowed: Set<String>?

  /// The number of the schema.
  static let version = 1

  /// Reads a file.
  init(_ path: String, on console: Console) throws(Failure) {
    try self.init(InputFile.read(path, on: console))
  }

  /// Reads the text of a file.
  init(_ data: Data) throws(Failure) {
    do throws(Failure) {
      let file = try RulesObject(try JSONReader.read(data), "the file")
      let version = try file.value("version")
      guard try version.integer() == Self.version else {
        throw version.failure("expected \(Self.version), the only version there is")
      }
      if let allowed = file.optional("allow") {
        let names = try allowed.strings()
        guard names.allSatisfy({ MarkRun.isBounded($0) }) else {
          throw allowed.failure("a name has more than \(MarkRun.longest) combining marks in a row")
        }
        self.allowed = Set(names)
      }
      format = try file.optional("format")?.choice(PropertyList.Format.self)
      for (place, item) in try file.value("rules").elements("rules").enumerated() {
        rules.append(try Self.rule(item, "rules[\(place)]"))
      }
      try file.finish()
      do throws(KeyedArchiveError) {
        try MigrationRules(rules).validate()
      } catch {
        var failure = Failure(error)
        failure.code = "invalidRules"
        throw failure
      }
    } catch {
      // A wrong rules file is a wrong command line.
      var failure = error
      failure.exit = .usage
      if failure.code == "malformedJSON" {
        failure.remedy = "The file must be JSON; see the page \"Migrating archives\""
      }
      throw failure
    }
  }

  private enum Name: String, CaseIterable {
    case topKey, `class`, key, numbers, kind, `default`, drop
  }

  private static func rule(_ item: RulesValue, _ place: String) throws(Failure) -> MigrationRule {
    let object = try RulesObject(item.json, place)
    let rule: MigrationRule
    func selector() throws(Failure) -> ClassSelector {
      let names = try object.value("class").strings()
      let subclasses = try object.optional("subclasses")?.boolean() ?? false
      return names == ["$top"] && !subclasses ? .top : ClassSelector(names, includingSubclasses: subclasses)
    }
    func conflict() throws(Failure) -> MigrationRule.KeyConflict {
      try object.optional("ifPresent")?.choice(MigrationRule.KeyConflict.self) ?? .refuse
    }
    func string(_ key: String) throws(Failure) -> String { try object.value(key).string() }
    switch try object.value("rule").choice(Name.self) {
    case .topKey: rule = .topKey(try string("from"), to: try string("to"), ifPresent: try conflict())
    case .class:
      rule = .className(
        ClassSelector(try object.value("from").strings()), to: try string("to"),
        superclasses: try object.optional("superclasses")?.list())
    case .key:
      rule = .key(try string("from"), to: try string("to"), of: try selector(), ifPresent: try conflict())
    case .numbers:
      rule = .numbers(
        try object.optional("keys")?.list(), as: try object.value("as").choice(MigrationRule.NumberForm.self),
        of: try selector())
    case .kind:
      rule = .kind(
        try string("key"), to: try object.value("to").choice(MigrationRule.NumberKind.self), of: try selector())
    case .default:
      rule = .standard(
        try object.value("value").plain(), forKey: try string("key"), of: try selector(),
        as: try object.optional("as")?.choice(MigrationRule.NumberForm.self) ?? .objects)
    case .drop: rule = .drop(try string("key"), of: try selector())
    }
    try object.finish()
    return rule
  }
}

/// An object of a rules file, all of whose keys must be asked for.
private final class RulesObject {
  private let members: [(key: String, value: JSONValue)]
  private let place: String
  private let offset: Int
  private var asked: [String] = []

  init(_ json: JSONValue, _ place: String) throws(Failure) {
    guard case .object(let members) = json.kind else {
      throw RulesValue(json: json, place: place).failure("expected an object in braces")
    }
    self.members = members
    self.place = place
    offset = json.offset
    var seen: Set<BytewiseString> = []
    for member in members where !seen.insert(member.key) {
      throw path(member.key, member.value).failure("the key is there twice")
    }
  }

  private func path(_ key: String, _ value: JSONValue) -> RulesValue {
    RulesValue(json: value, place: place == "the file" ? key : "\(place).\(key)")
  }

  func optional(_ key: String) -> RulesValue? {
    asked.append(key)
    return members.first { $0.key == key }.map { path(key, $0.value) }
  }

  func value(_ key: String) throws(Failure) -> RulesValue {
    if let value = optional(key) { return value }
    // Perhaps it is there and misspelled.
    for member in members where !asked.contains(member.key) && Suggestion.nearest(to: member.key, among: [key]) != nil {
      throw path(member.key, member.value).failure("there is no such key here", remedy: "Did you mean '\(key)'?")
    }
    throw Failure(
      .usage, "invalidRules", "'\(key)' is missing in \(place)", place: ["byte \(offset)"],
      remedy: "See the page \"Migrating archives\" for what a rule needs")
  }

  /// Refuses what was not asked for.
  func finish() throws(Failure) {
    for member in members where !asked.contains(member.key) {
      let near = Suggestion.nearest(to: member.key, among: asked)
      throw path(member.key, member.value).failure(
        "there is no such key here",
        remedy: near.map { "Did you mean '\($0)'?" } ?? "There are \(asked.joined(separator: ", "))")
    }
  }
}

/// A value of a rules file with its place.
private struct RulesValue {
  let json: JSONValue
  let place: String

  func failure(_ detail: String, remedy: String? = nil) -> Failure {
    Failure(.usage, "invalidRules", detail, place: ["at \(place)", "byte \(json.offset)"], remedy: remedy)
  }

  func string() throws(Failure) -> String {
    guard let text = json.string else { throw failure("expected a string") }
    return text
  }

  func integer() throws(Failure) -> Int {
    guard case .number(let digits) = json.kind, let value = Int(digits) else {
      throw failure("expected a whole number")
    }
    return value
  }

  func boolean() throws(Failure) -> Bool {
    guard case .boolean(let value) = json.kind else { throw failure("expected true or false") }
    return value
  }

  func elements(_ name: String) throws(Failure) -> [RulesValue] {
    guard let array = json.array else { throw failure("expected an array in brackets") }
    return array.enumerated().map { RulesValue(json: $0.element, place: "\(place)[\($0.offset)]") }
  }

  func list() throws(Failure) -> [String] {
    var texts: [String] = []
    for element in try elements(place) { texts.append(try element.string()) }
    return texts
  }

  /// One string, or several.
  func strings() throws(Failure) -> [String] {
    if let text = json.string { return [text] }
    return try list()
  }

  func choice<Choice: RawRepresentable & CaseIterable>(_ type: Choice.Type) throws(Failure) -> Choice
  where Choice.RawValue == String {
    let names = Choice.allCases.map(\.rawValue)
    let text = try string()
    if let choice = Choice(exactly: text) { return choice }
    let near = Suggestion.nearest(to: text, among: names)
    throw failure(
      "expected one of \(names.joined(separator: ", ")), found '\(text)'",
      remedy: near.map { "Did you mean '\($0)'?" } ?? nil)
  }

  /// A value for archives: true, false, null, a string or a whole number; or an object with one key, its kind.
  func plain() throws(Failure) -> KeyedArchive.StoredValue {
    switch json.kind {
    case .null: return .reference(.null)
    case .boolean(let value): return .boolean(value)
    case .string(let text): return .string(text)
    case .number(let digits):
      guard let value = Int64(digits) else {
        throw failure(
          "a number that is not whole needs its kind", remedy: "Say {\"float\": \(digits)} or {\"double\": \(digits)}")
      }
      return .integer(value)
    case .array: throw failure("expected a plain value, found an array")
    case .object(let members):
      guard members.count == 1, let member = members.first else { throw failure("expected an object with one key") }
      return try RulesValue(json: member.value, place: "\(place).\(member.key)").value(ofKind: member.key)
    }
  }

  private func value(ofKind kind: String) throws(Failure) -> KeyedArchive.StoredValue {
    switch kind {
    case "float":
      return .float(
        try real(Float.self) {
          Float($0)
        } bits: {
          UInt32($0, radix: 16).map { Float(bitPattern: $0) }
        })
    case "double":
      return .double(
        try real(Double.self) {
          Double($0)
        } bits: {
          UInt64($0, radix: 16).map { Double(bitPattern: $0) }
        })
    case "integer":
      guard let value = json.integer(as: Int64.self) else { throw failure("expected a whole number of 64 bits") }
      return .integer(value)
    case "data":
      guard let data = Data(base64Encoded: try string()) else { throw failure("expected Base64") }
      return .data(data)
    default:
      throw failure("there is no kind '\(kind)'", remedy: "There are float, double, integer and data")
    }
  }

  /// A number, or `bits:` and hexadecimal digits, as `convert` writes what JSON has no number for.
  private func real<Real: BinaryFloatingPoint>(
    _ type: Real.Type, _ parse: (String) -> Real?, bits: (Substring) -> Real?
  ) throws(Failure) -> Real {
    switch json.kind {
    case .number(let digits): if let value = parse(digits), value.isFinite { return value }
    case .string(let text): if let digits = text.rest(after: "bits:"), let value = bits(digits) { return value }
    default: break
    }
    throw failure("expected a number that fits, or 'bits:' and hexadecimal digits")
  }
}
