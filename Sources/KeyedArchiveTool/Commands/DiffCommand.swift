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

/// `diff`: compares two archives.
struct DiffCommand: Command {
  static let help = CommandHelp(
    name: "diff", summary: "compare the contents of two archives, or of two other property lists",
    operands: [
      .init(name: "A", meaning: "the older archive, binary or XML; '-' is standard input", kind: .file),
      .init(name: "B", meaning: "the newer archive", isOptional: true, kind: .file),
      .init(name: "GIT", meaning: "with --git: further arguments from git", repeats: true, isOptional: true),
    ],
    options: [
      Option(
        "ignore", short: "i", value: "KIND", choices: ArchiveDifference.Kind.allCases.map(\.rawValue),
        "ignore differences of this kind; repeatable"),
      .json, Option("quiet", short: "q", "print no differences; the exit code is 1 if the contents differ"),
      Option("git", "take the arguments of git's external diff, and end with exit code 0"), .color,
      .inside, .anyArchiver,
    ],
    notes: [
      "Archives are compared as graphs from '$top': UIDs, the order of keys and the format do not matter. Each line begins "
        + "with its kind: '+' added, '-' removed, '~' changed (with --json also archiver, its name), '=' form, an equal "
        + "value in another form, such as a number that is now boxed, 'c' class, another class or other superclasses, "
        + "shown once per class, 's' sharing, a reference to another object than before. The path is one for 'get', in "
        + "the newer archive, unless a key of it is so long that it is shortened.",
      "Equal elements of arrays match at any position; pairs of dictionaries match by key, elements of sets by content. Of "
        + "added or removed values, only the topmost is shown.",
      "The exit code is 0 without differences, 1 with differences. With --json, an object has the keys old and new "
        + "(the files), same, and differences. A difference has kind, path, oldPath if it is another one, old and new "
        + "if such a value exists, and objects if it concerns several. A value has type and, by type, value, object (the "
        + "UID), class, count, name and classes, or path.",
      "Two property lists that are not archives are compared in the same way. A path begins with a key of the dictionary, or "
        + "with '\(KeyedArchive.listKey)' if the property list is not a dictionary. The path '.' is that of the top-level value. "
        + "A UID is shown as a dictionary with the key 'CF$UID', a set with 'CF$set'; a dictionary that has such a key itself is "
        + "shown with one more '$' before it.",
      "To show archives in git, run 'install-git'.",
    ],
    examples: [
      .init(
        arguments: "diff --json --ignore form Fixtures/made/creatures.plist Fixtures/made/creatures.xml",
        meaning: "compare both formats of an archive; XML has no 4-byte reals"),
      .init(
        arguments: "diff --git creatures Fixtures/made/creatures.plist 1 2 Fixtures/apple/NSURL.plist 3 4",
        meaning: "print what git shows"),
    ],
    exitCodes: [.fine, .negative, .unreadable, .notAnArchive, .limitReached])

  private let arguments: Arguments
  private let ignored: Set<ArchiveDifference.Kind>
  private let input: Input

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    input = try Input(arguments)
    ignored = Set(arguments.values("ignore").compactMap { ArchiveDifference.Kind(exactly: $0) })
    try arguments.exclude("quiet", with: ["json", "git"])
    try arguments.exclude("git", with: ["json"])
    if arguments.has("git") { return }
    guard arguments.operands.count > 1 else { throw UsageError("B is missing") }
    if arguments.operands.count > 2 { throw UsageError("unexpected argument '\(arguments.operands[2])'") }
    try arguments.checkStandardInput()
  }

  func run(on console: Console) -> ExitCode {
    if arguments.has("git") { return runForGit(on: console) }
    let json = arguments.has("json")
    let run = FileRun(console: console, json: json, hasSummary: false)
    var files: [ComparedFile] = []
    let code = run(arguments.operands) { (file) throws(Failure) in
      files.append(try ComparedFile(file, input, on: console))
      return .fine
    }
    guard files.count == 2, code == .fine else { return code }
    // An archive and another list have nothing in common.
    if (files[0].otherList == nil) != (files[1].otherList == nil) {
      let place = files[0].otherList == nil ? 1 : 0
      return run([arguments.operands[place]]) { (_) throws(Failure) in
        if let failure = files[place].otherList { throw failure }
        return .fine
      }
    }
    let archives = files.map(\.archive)
    let (old, new) = (files[0], files[1])
    return run.finish { () throws(Failure) in
      let differences = try new.differences(from: old, ignoring: ignored)
      if json {
        console.output.write(try write(differences, archives, schema: console.tool.schema))
      } else if !arguments.has("quiet") {
        try show(differences, archives, on: console)
      }
      return differences.isEmpty ? .fine : .negative
    }
  }

  private static let lessOutput = "To omit kinds, use --ignore"

  private func limit(_ archives: [KeyedArchive]) -> OutputLimit {
    OutputLimit(archiveOf: archives.reduce(0) { $0 + $1.propertyList.byteCount })
  }

  private func show(
    _ differences: [ArchiveDifference], _ archives: [KeyedArchive], on console: Console
  ) throws(Failure) {
    var text = DifferenceText(
      from: archives[0], to: archives[1], style: TextStyle(Style(arguments.value("color"), on: console)))
    let limit = limit(archives)
    var written = 0
    for difference in differences where console.output.isOpen {
      let line = text.line(difference)
      console.output.write(line)
      written += line.utf8.count
      if written > limit.byteCount { throw limit.failure("the list", remedy: Self.lessOutput) }
    }
  }

  private func write(
    _ differences: [ArchiveDifference], _ archives: [KeyedArchive], schema: Int?
  ) throws(Failure) -> [UInt8] {
    let limit = limit(archives)
    var json = JSONWriter()
    json.beginObject()
    if let schema { json.field("schema", schema) }
    json.field("old", arguments.operands[0])
    json.field("new", arguments.operands[1])
    if let inside = input.insideText { json.field("inside", inside) }
    json.field("same", differences.isEmpty)
    json.key("differences")
    json.beginArray()
    for difference in differences {
      try json.difference(difference, within: limit, remedy: Self.lessOutput)
      try limit.check(json, remedy: Self.lessOutput)
    }
    json.endArray()
    json.endObject()
    json.newline()
    return json.bytes
  }

  // MARK: For git

  /// Runs as git's external diff.
  ///
  /// Git passes the path, then file, hash and mode of both sides. After a rename, it also passes the new path and a
  /// text. For an unmerged file, it passes only the path. Git treats any exit code but 0 as a failure of the program.
  private func runForGit(on console: Console) -> ExitCode {
    let operands = arguments.operands
    let style = Style(arguments.value("color"), on: console)
    let path = operands.count > 7 ? operands[7] : operands[0]
    console.output.write(
      style(.heading, EscapedText.plain("keyedarchive diff \(operands[0])\(path == operands[0] ? "" : " \(path)")"))
        + "\n")
    guard operands.count >= 7 else {
      console.output.write(EscapedText.plain("\(path): unmerged") + "\n")
      return .fine
    }
    do throws(Failure) {
      let (old, new) = (try side(operands[1], on: console), try side(operands[4], on: console))
      switch (old, new) {
      case (let old?, let new?):
        guard (old.otherList == nil) == (new.otherList == nil) else {
          console.output.write(style(.number, "~") + " \(old.summary) → \(new.summary)\n")
          return .fine
        }
        let differences = try new.differences(from: old, ignoring: ignored)
        if differences.isEmpty { console.output.write("no differences in content\n") }
        try show(differences, [old.archive, new.archive], on: console)
      case (nil, let new?): console.output.write(style(.string, "+") + " \(new.summary)\n")
      case (let old?, nil): console.output.write(style(.wrong, "-") + " \(old.summary)\n")
      case (nil, nil): break
      }
    } catch {
      console.output.write(EscapedText.plain("\(path): not compared: \(error.line)") + "\n")
    }
    return .fine
  }

  /// Returns one side of a change, or nil if the file does not exist on this side.
  private func side(_ file: String, on console: Console) throws(Failure) -> ComparedFile? {
    file == "/dev/null" ? nil : try ComparedFile(file, input, on: console)
  }
}
