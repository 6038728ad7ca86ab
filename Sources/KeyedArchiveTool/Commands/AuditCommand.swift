// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import CommandLineTools
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// `audit`: lists the classes that decoding would instantiate.
struct AuditCommand: Command {
  static let help = CommandHelp(
    name: "audit", summary: "list the classes that decoding would instantiate, and the minimal allow list",
    operands: [.files],
    options: [
      Option("swift", short: "s", "print only the allow lists, as Swift source"),
      Option("nested", short: "n", "include archives stored as data in the archives"), .json, .color,
      .inside, .anyArchiver,
    ] + Option.ofRecords(),
    notes: [
      "The audit counts objects that references from '$top' reach. Boxed strings, numbers and data count as NSString, "
        + "NSNumber and NSData. Several files give one result; files that cannot be read are left out.",
      "Below each class are the places of its objects, then its keys with the kinds and numbers of their values. '?' marks "
        + "a key that some objects lack. Keys are in quotes as in 'tree'. Brackets enclose the elements of collections, "
        + "braces keys and values. '>' leads into an archive stored as data.",
      "Two lists follow. 'allow' has all classes, also those of unreachable objects. Pass it to 'validate --allow', which "
        + "compares all but the strings, numbers and data that have no class record. 'top' has the classes of the top-level "
        + "values, which suffice if objects request the types of their parts. --swift prints both, with this package's types "
        + "where it has one; declare types for the other classes. A top-level collection with members of one type has that type, "
        + "such as [Creature].self, if no other value needs another one.",
      "With --json, an object has the keys files, archives, nestedArchives, damagedNestedArchives, objects, allow, top, "
        + "nestedTop, topKeys and classes. A class has class, objects, classes (with its superclasses), hints, places, paths "
        + "(at most eight) and keys. A key has key, count and kinds, and if values are collections, also elements, pairKeys "
        + "and pairValues. A kind has kind and count.", CommandHelp.recordsNote,
    ],
    examples: [
      .init(arguments: "audit Fixtures/made/creatures.plist", meaning: "list the classes of an archive"),
      .init(
        arguments: "audit --swift Fixtures/made/creatures.plist Fixtures/apple/NSURL.plist",
        meaning: "print an allow list for several archives"),
      .init(arguments: "audit --json --nested Fixtures/apple/NSURL.plist", meaning: "print JSON for programs"),
    ],
    exitCodes: [.fine, .unreadable, .notAnArchive, .limitReached])

  private let arguments: Arguments
  private let input: Input

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    input = try Input(arguments)
    try RecordRun.check(arguments)
    if arguments.has("swift"), arguments.has(.records) {
      throw UsageError("'--swift' and '--records' exclude each other")
    }
    if arguments.has("swift"), arguments.has("json") { throw UsageError("'--swift' and '--json' exclude each other") }
  }

  func run(on console: Console) -> ExitCode {
    if arguments.has(.records) { return runOnRecords(on: console) }
    var audit = ArchiveAudit()
    var byteCount = 0
    let run = FileRun(console: console, json: arguments.has("json"))
    let code = run(arguments.operands) { (file) throws(Failure) in
      let archive = try input.archive(file, on: console)
      audit.merge(
        try Failure.convertingArchiveError(
          try ArchiveAudit(of: archive, followingNestedArchives: arguments.has("nested"))))
      byteCount += archive.propertyList.byteCount
      return .fine
    }
    guard audit.archiveCount > 0, console.output.isOpen else { return code }
    let limit = OutputLimit(archiveOf: byteCount)
    return max(
      code,
      run.finish { () throws(Failure) in
        try write(audit, within: limit, on: console)
        return .fine
      })
  }

  private func runOnRecords(on console: Console) -> ExitCode {
    let (input, followsNested) = (input, arguments.has("nested"))
    return RecordRun(arguments, input, on: console)() { (data, line) throws(Failure) in
      let archive = try input.archive(data)
      let audit = try Failure.convertingArchiveError(
        try ArchiveAudit(of: archive, followingNestedArchives: followsNested))
      var json = AuditJSON(line, within: OutputLimit(archive))
      try json.put(audit)
      line = json.json
    }
  }

  private func write(_ audit: ArchiveAudit, within limit: OutputLimit, on console: Console) throws(Failure) {
    if arguments.has("swift") {
      console.output.write(audit.swiftAllowList())
    } else if arguments.has("json") {
      var json = AuditJSON(within: limit)
      console.output.write(try json.write(audit, schema: console.tool.schema, inside: input.insideText))
    } else {
      let text = AuditText(style: Style(arguments.value("color"), on: console))
      try text.write(audit, to: console.output, within: limit)
    }
  }
}

/// Writes an audit as text: for each class a line, its places and its keys.
struct AuditText {
  let style: Style

  func write(_ audit: ArchiveAudit, to output: TextOutput, within limit: OutputLimit) throws(Failure) {
    var written = 0
    for use in audit.classes where output.isOpen {
      write(use) { line in
        guard written <= limit.byteCount else { return }
        output.write(line)
        written += line.utf8.count
      }
      if written > limit.byteCount {
        throw limit.failure("the list", remedy: "To show a part of the archive, use 'tree --path'")
      }
    }
    var counts = [CountText.text(audit.archiveCount, "archive")]
    if audit.nestedArchiveCount > 0 { counts.append("\(CountText.text(audit.nestedArchiveCount, "archive")) in data") }
    if audit.damagedNestedArchiveCount > 0 {
      counts.append("\(audit.damagedNestedArchiveCount) damaged in data")
    }
    counts.append(CountText.text(audit.objectCount, "object"))
    counts.append(audit.classNames.count == 1 ? "1 class" : "\(audit.classNames.count) classes")
    output.write("\(counts.joined(separator: ", "))\n")
    output.write("\(style(.heading, "allow:")) \(names(audit.checkedClassNames))\n")
    output.write("\(style(.heading, "top:")) \(names(audit.topClassNames))\n")
    let nested = audit.nestedTopClassNames
    if !nested.isEmpty { output.write("\(style(.heading, "top in data:")) \(names(nested))\n") }
  }

  private func names(_ names: [String]) -> String {
    names.map { $0.contains(" ") ? EscapedText.quoted($0, limit: ValueText.maximumLength) : ValueText.name($0) }
      .joined(separator: " ")
  }

  private func write(_ use: ArchiveAudit.ClassUse, _ write: (String) -> Void) {
    let text = ValueText(TextStyle(style))
    let description = use.descriptions.first ?? ClassDescription(name: use.name, chain: [])
    write("\(text.text(description)): \(CountText.text(use.count, "object"))\n")
    for other in use.descriptions.dropFirst() { write("  also \(text.text(other))\n") }
    let swiftName = RuntimeClassName(use.name).swiftName
    if swiftName != use.name { write("  in Swift \(style(.className, ValueText.name(swiftName)))\n") }
    let more = use.placeCount - use.paths.count
    for path in use.paths { write("  at \(style(.key, EscapedText.plain(path)))\n") }
    if more > 0 { write("  at \(CountText.text(more, "more place"))\n") }
    for (key, value) in use.keys {
      let mark = value.count < use.count ? "?" : ""
      write("  \(style(.key, ValueText.key(key)))\(mark): \(kinds(value))\n")
    }
  }

  /// Returns the kinds of values, and those of the elements of collections.
  private func kinds(_ use: ValueUse) -> String {
    let kinds = use.sortedKinds.map { item in
      let name = ValueText.name(item.kind.description)
      let shown: String = if case .object = item.kind { style(.className, name) } else { name }
      return item.count == 1 ? shown : shown + style(.dim, " ×\(item.count)")
    }
    var text = kinds.joined(separator: ", ")
    if let elements = use.elements { text += " [\(self.kinds(elements))]" }
    if use.pairKeys != nil || use.pairValues != nil {
      let (keys, values) = (use.pairKeys.map { self.kinds($0) } ?? "", use.pairValues.map { self.kinds($0) } ?? "")
      text += " {\(keys): \(values)}"
    }
    return text
  }
}

/// Writes an audit as JSON.
struct AuditJSON {
  private(set) var json: JSONWriter
  private let limit: OutputLimit
  private static let remedy = "To show a part of the archive, use 'get --json'"

  /// Continues a JSON object, or begins one.
  init(_ json: JSONWriter = JSONWriter(), within limit: OutputLimit) {
    self.json = json
    self.limit = limit
  }

  /// Returns the audit as an object in one line.
  mutating func write(_ audit: ArchiveAudit, schema: Int?, inside: String?) throws(Failure) -> [UInt8] {
    json.beginObject()
    if let schema { json.field("schema", schema) }
    if let inside { json.field("inside", inside) }
    try put(audit)
    json.endObject()
    json.newline()
    return json.bytes
  }

  mutating func put(_ audit: ArchiveAudit) throws(Failure) {
    json.field("files", audit.archiveCount)
    json.field("archives", audit.archiveCount + audit.nestedArchiveCount)
    json.field("nestedArchives", audit.nestedArchiveCount)
    json.field("damagedNestedArchives", audit.damagedNestedArchiveCount)
    json.field("objects", audit.objectCount)
    try names("allow", audit.checkedClassNames)
    try names("top", audit.topClassNames)
    try names("nestedTop", audit.nestedTopClassNames)
    try keys("topKeys", audit.topKeys)
    json.key("classes")
    json.beginArray()
    for use in audit.classes {
      json.beginObject()
      json.field("class", use.name)
      json.field("objects", use.count)
      try names("classes", use.descriptions.first?.chain ?? [])
      if let hints = use.descriptions.first?.hints, !hints.isEmpty { try names("hints", hints) }
      json.field("places", use.placeCount)
      try names("paths", use.paths)
      try keys("keys", use.keys)
      json.endObject()
    }
    json.endArray()
  }

  private mutating func names(_ key: String, _ names: [String]) throws(Failure) {
    try json.field(key, names, within: limit, remedy: Self.remedy)
  }

  private mutating func keys(_ name: String, _ keys: [(key: String, use: ValueUse)]) throws(Failure) {
    json.key(name)
    json.beginArray()
    for (key, use) in keys {
      json.beginObject()
      json.field("key", key)
      content(use)
      json.endObject()
      try limit.check(json, remedy: Self.remedy)
    }
    json.endArray()
  }

  /// Writes the use of a key, or of the elements of a collection.
  private mutating func content(_ use: ValueUse) {
    json.field("count", use.count)
    json.key("kinds")
    json.beginArray()
    for (kind, count) in use.sortedKinds {
      json.beginObject()
      json.field("kind", kind.description)
      json.field("count", count)
      json.endObject()
    }
    json.endArray()
    inner("elements", use.elements)
    inner("pairKeys", use.pairKeys)
    inner("pairValues", use.pairValues)
  }

  private mutating func inner(_ name: String, _ use: ValueUse?) {
    guard let use else { return }
    json.key(name)
    json.beginObject()
    content(use)
    json.endObject()
  }
}
