// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import CommandLineTools
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// `tree`: prints the graph.
struct TreeCommand: Command {
  static let help = CommandHelp(
    name: "tree", summary: "print the graph: keys, classes, values and UIDs",
    operands: [.file],
    options: [
      Option("depth", short: "d", value: "N", "print N levels below each first line; '…' marks omitted content"),
      Option("width", short: "w", value: "N", "print N elements of each array, set or dictionary"),
      Option("path", short: "p", value: "KEYPATH", "start at a value, such as 'root.items[3]' or '#12'"),
      Option("class", short: "c", value: "NAME", "start at each object of a class"),
      Option("json", "print one JSON object for each line; errors on stderr are JSON too"), .color, .inside,
      .anyArchiver,
    ],
    notes: [
      "Each line is 'key: class value #UID'. A key is in quotes, as in a key path, if it has spaces, dots (other than that "
        + "of a key such as NS.time), brackets, quotation marks, backslashes or control characters. '↑#12' refers "
        + "to an object printed above. Strings are in quotes with control characters escaped, dates in ISO 8601 and UTC, data "
        + "as its size, its likely format, the pixels of a picture, and its first bytes. An inline number has no UID, and a 4-byte real is marked '(float)'. Below level 32, lines are "
        + "numbered, not indented.",
      "An object of a known class has its value after the class: '#rrggbb' or '#rrggbbaa' for a color, the family and size "
        + "of a font, the text of an attributed string, the ranges of an index set, and so on. Another object has the short "
        + "string or number of its key name, title, label, identifier, id, uuid or key, in this order.",
      "A string, key or class name is cut after 1000 characters; 'get' prints strings whole. The output is limited to 64 "
        + "times the size of the archive, at least 16 MiB; beyond it, the exit code is 6.",
      "With --json, a line is an object with the keys schema, file, inside (with that option), level (0 for a first line), "
        + "label (its key or [index]), object (its UID), type (null, boolean, integer, integer16, float, double, date, string, "
        + "data, url, uuid, object, array, dictionary, class or damaged), class, count (of elements or pairs), meaning (the "
        + "value or name of an object) and value. "
        + "Dates are in seconds since 2001, data in Base64. 'seen' marks an object whose content was printed before, 'cut' one "
        + "below --depth, and a line with omitted has the number of elements beyond --width.",
      "A class name that Swift mangled is shown as in Swift; '--class' accepts both names.",
    ],
    examples: [
      .init(arguments: "tree Fixtures/apple/NSURL.plist", meaning: "print an archived URL"),
      .init(
        arguments: "tree --path '#1' --depth 1 Fixtures/apple/NSURL.plist", meaning: "print one object and one level"),
    ],
    exitCodes: [.fine, .negative, .unreadable, .notAnArchive, .limitReached])

  private let arguments: Arguments
  private let depth: Int
  private let width: Int
  private let path: GraphPath?
  private let className: String?
  private let input: Input

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    input = try Input(arguments)
    depth = try arguments.count("depth") ?? .max
    width = try arguments.count("width") ?? .max
    try arguments.exclude("class", with: ["path"])
    path = if let text = arguments.value("path") { try GraphPath(argument: text) } else { nil }
    className = arguments.value("class")
  }

  func run(on console: Console) -> ExitCode {
    FileRun(console: console, json: arguments.has("json"))(arguments.operands) { (file) throws(Failure) in
      try show(try input.archive(file, on: console), of: file, on: console)
    }
  }

  private func show(_ archive: KeyedArchive, of file: String, on console: Console) throws(Failure) -> ExitCode {
    var reader = GraphReader(archive)
    var starts = [(path: String?, key: String?, value: KeyedArchive.StoredValue)]()
    if let path {
      starts.append((path.description, nil, try path.resolve(in: &reader)))
    } else if className == nil {
      starts += try Failure.convertingArchiveError(try archive.top).map { (nil, $0.key, $0.value) }
    }
    if let className {
      var classes = GraphReader(archive)
      for index in 0..<UInt32(archive.objectCount) {
        let uid = ArchiveUID(rawValue: index)
        let name: GraphReader.ClassName?
        do {
          name = try classes.className(of: uid)
        } catch {
          throw Failure(reading: error)
        }
        if name?.stored == className || name?.shown == className { starts.append((nil, nil, .reference(uid))) }
      }
      guard !starts.isEmpty else {
        if let noun = Self.nouns[BytewiseString(className)], Self.hasPrimitive(of: className, in: &classes) {
          throw Failure(
            .negative, "valueNotFound",
            "no object has a record of the class '\(className)': the \(noun) of the archive are "
              + "stored without a class", remedy: "To list them, use 'tree' without --class")
        }
        let near = Suggestion.nearest(to: className, among: archive.classNames)
        throw Failure(
          .negative, "valueNotFound", "the archive has no object of class '\(className)'",
          remedy: near.map { "Did you mean '\($0)'?" } ?? "'info --json' lists its classes")
      }
    }
    if arguments.has("json") {
      var rows = TreeRows(reader, of: file, input, on: console)
      rows.depth = depth
      rows.width = width
      for start in starts { try rows.write(start.path ?? start.key, start.value) }
      try rows.checkDamage()
      return .fine
    }
    var tree = ArchiveTree(reader, style: TextStyle(Style(arguments.value("color"), on: console)), on: console)
    tree.depth = depth
    tree.width = width
    for start in starts {
      if let key = start.key { tree.write(key: key, start.value) } else { tree.write(path: start.path, start.value) }
    }
    try tree.checkDamage(in: archive)
    return .fine
  }
}

extension TreeCommand {
  /// The nouns for primitives, by the class that `audit` counts them under.
  private static let nouns: [BytewiseString: String] = ["NSString": "strings", "NSNumber": "numbers", "NSData": "data"]

  /// Returns whether an object is a primitive, which `audit` counts as one of this class.
  private static func hasPrimitive(of className: String, in reader: inout GraphReader) -> Bool {
    (0..<UInt32(reader.archive.objectCount)).contains { index in
      let object = try? reader.archive.object(ArchiveUID(rawValue: index), budget: &reader.budget)
      guard case .primitive(let value)? = object, let name = value.primitiveKind?.className else { return false }
      return name.hasSameBytes(as: className)
    }
  }
}

extension ArchiveTree {
  /// Creates a tree on standard output.
  init(_ reader: GraphReader, style: TextStyle, on console: Console) {
    let output = console.output
    self.init(reader, style: style) { line in
      output.write(line)
      return output.isOpen
    }
    maximumByteCount = OutputLimit(reader.archive).byteCount
  }

  /// Throws a failure if a value is damaged, or if the tree is too long.
  func checkDamage(in archive: KeyedArchive) throws(Failure) {
    if isTooLong {
      throw OutputLimit(archive).failure("the tree", remedy: "To show less, use --depth, --width or --path")
    }
    guard let damage else { return }
    var failure = Failure(reading: damage.first)
    if damage.count > 1 { failure.detail += " [the first of \(damage.count) damaged values]" }
    throw failure
  }
}
