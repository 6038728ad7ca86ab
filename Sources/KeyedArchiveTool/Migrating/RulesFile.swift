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

/// A file of migration rules, in JSON or as a property list. The library's page "Migrating archives" describes its
/// schema; unknown keys are errors.
struct RulesFile {
  private(set) var rules: [MigrationRule] = []
  private(set) var format: PropertyList.Format?
  /// The allowed class names in migrated archives; nil if the file has no list.
  private(set) var allowed: Set<String>?

  /// The version of the schema.
  static let version = 1

  init(_ path: String, on console: Console) throws(Failure) {
    try self.init(InputFile.read(path, on: console))
  }

  init(_ data: Data) throws(Failure) {
    do throws(Failure) {
      let file = try RulesObject(try Self.contents(data), "the file")
      let version = try file.value("version")
      guard try version.integer() == Self.version else {
        throw version.failure("unknown version: expected \(Self.version)")
      }
      if let allowed = file.optional("allow") {
        let names = try allowed.strings()
        guard names.allSatisfy({ MarkRun.isBounded($0) }) else {
          throw allowed.failure("a name has more than \(MarkRun.longest) consecutive combining marks")
        }
        self.allowed = Set(names)
      }
      format = try file.optional("format")?.choice(PropertyList.Format.self)
      for (place, item) in try file.value("rules").elements().enumerated() {
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
      // An invalid rules file is a usage error.
      var failure = error
      failure.exit = .usage
      if failure.code == "malformedJSON" {
        failure.remedy = "Rules files are JSON or property lists; see the page \"Migrating archives\""
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
    case .topKey: rule = .renameTopLevelKey(try string("from"), to: try string("to"), ifPresent: try conflict())
    case .class:
      rule = .renameClass(
        ClassSelector(try object.value("from").strings()), to: try string("to"),
        superclasses: try object.optional("superclasses")?.list(), ifPresent: try conflict())
    case .key:
      rule = .renameKey(try string("from"), to: try string("to"), of: try selector(), ifPresent: try conflict())
    case .numbers:
      rule = .storeNumbers(
        try object.optional("keys")?.list(), as: try object.value("as").choice(MigrationRule.NumberForm.self),
        of: try selector())
    case .kind:
      rule = .convertNumber(
        try string("key"), to: try object.value("to").choice(MigrationRule.NumberKind.self), of: try selector())
    case .default:
      rule = .defaultValue(
        try object.value("value").plain(), forKey: try string("key"), of: try selector(),
        as: try object.optional("as")?.choice(MigrationRule.NumberForm.self) ?? .objects)
    case .drop: rule = .removeKey(try string("key"), of: try selector())
    }
    try object.finish()
    return rule
  }
}

/// An object of a rules file. Each of its keys must be requested.
private final class RulesObject {
  private let members: [(key: String, value: JSONValue)]
  private let place: String
  private let location: [String]
  private var asked: [String] = []

  init(_ json: JSONValue, _ place: String) throws(Failure) {
    guard case .object(let members) = json.kind else {
      throw RulesValue(json: json, place: place).failure("expected an object")
    }
    self.members = members
    self.place = place
    location = json.place
    var seen: Set<BytewiseString> = []
    for member in members where !seen.insert(member.key) {
      throw path(member.key, member.value).failure("duplicate key")
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
    // Suggest the key for a similar unknown one.
    for member in members where !asked.contains(member.key) && Suggestion.nearest(to: member.key, among: [key]) != nil {
      throw path(member.key, member.value).failure("unknown key", remedy: "Did you mean '\(key)'?")
    }
    throw Failure(
      .usage, "invalidRules", "missing key '\(key)' in \(place)", place: location,
      remedy: "The page \"Migrating archives\" lists the keys of each rule")
  }

  /// Throws if a key was not requested.
  func finish() throws(Failure) {
    for member in members where !asked.contains(member.key) {
      let near = Suggestion.nearest(to: member.key, among: asked)
      throw path(member.key, member.value).failure(
        "unknown key",
        remedy: near.map { "Did you mean '\($0)'?" } ?? "The known keys are \(asked.joined(separator: ", "))")
    }
  }
}

/// A value of a rules file with its location.
private struct RulesValue {
  let json: JSONValue
  let place: String

  func failure(_ detail: String, remedy: String? = nil) -> Failure {
    Failure(.usage, "invalidRules", detail, place: ["at \(place)"] + json.place, remedy: remedy)
  }

  func string() throws(Failure) -> String {
    guard let text = json.string else { throw failure("expected a string") }
    return text
  }

  func integer() throws(Failure) -> Int {
    guard case .number(let digits) = json.kind, let value = Int(digits) else {
      throw failure("expected an integer")
    }
    return value
  }

  func boolean() throws(Failure) -> Bool {
    guard case .boolean(let value) = json.kind else { throw failure("expected true or false") }
    return value
  }

  func elements() throws(Failure) -> [RulesValue] {
    guard let array = json.array else { throw failure("expected an array") }
    return array.enumerated().map { RulesValue(json: $0.element, place: "\(place)[\($0.offset)]") }
  }

  func list() throws(Failure) -> [String] {
    var texts: [String] = []
    for element in try elements() { texts.append(try element.string()) }
    return texts
  }

  /// Returns one string, or an array of strings.
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
      "unknown value '\(text)': expected one of \(names.joined(separator: ", "))",
      remedy: near.map { "Did you mean '\($0)'?" } ?? nil)
  }

  /// Returns a value for archives: true, false, null, a string or an integer, or an object with one key, its kind.
  func plain() throws(Failure) -> KeyedArchive.StoredValue {
    switch json.kind {
    case .null: return .reference(.null)
    case .boolean(let value): return .boolean(value)
    case .string(let text): return .string(text)
    case .number(let digits):
      guard let value = Int64(digits) else {
        throw failure("ambiguous number kind", remedy: "Write {\"float\": \(digits)} or {\"double\": \(digits)}")
      }
      return .integer(value)
    case .array: throw failure("found an array; expected a primitive value")
    case .object(let members):
      guard members.count == 1, let member = members.first else { throw failure("expected an object with one key") }
      return try RulesValue(json: member.value, place: "\(place).\(member.key)").value(ofKind: member.key)
    }
  }

  private func value(ofKind kind: String) throws(Failure) -> KeyedArchive.StoredValue {
    switch kind {
    case "float":
      guard let value = json.float else { throw badReal }
      return .float(value)
    case "double":
      guard let value = json.double else { throw badReal }
      return .double(value)
    case "integer":
      guard let value = json.integer(as: Int64.self) else { throw failure("expected a 64-bit integer") }
      return .integer(value)
    case "data":
      guard let data = Data(base64Encoded: try string()) else { throw failure("expected Base64") }
      return .data(data)
    default:
      throw failure("unknown kind '\(kind)'", remedy: "The kinds are float, double, integer and data")
    }
  }

  private var badReal: Failure { failure("expected a number in range, or 'bits:' and hexadecimal digits") }
}
