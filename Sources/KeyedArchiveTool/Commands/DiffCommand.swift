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

/// `diff`: what is different in two archives.
struct DiffCommand: Command {
  static let help = CommandHelp(
    name: "diff", summary: "say what is different in two archives, by what they hold",
    operands: [
      .init(name: "A", meaning: "the older archive, binary or XML; '-' is standard input", kind: .file),
      .init(name: "B", meaning: "the newer one", isOptional: true, kind: .file),
      .init(name: "GIT", meaning: "with --git: what else git hands over", repeats: true, isOptional: true),
    ],
    options: [
      Option(
        "ignore", short: "i", value: "KIND", choices: ArchiveDifference.Kind.allCases.map(\.rawValue),
        "what is no difference; may be said several times"),
      .json, Option("git", "be git's external differ: take its arguments, and end with exit code 0"), .color,
      .anyArchiver,
    ],
    notes: [
      "Archives are compared as graphs from their tops: not by the numbers of objects, the order of keys or the format. "
        + "Each line begins with its kind: '+' added, '-' removed, '~' changed (with --json also archiver, its name), '=' "
        + "form, the same value stored in another form, such as a number that has become an object of its own, 'c' class, "
        + "another class or other superclasses, told once for all objects of it, 's' sharing, a reference to another object "
        + "than before, though others refer to it. The path is one that 'get' takes, in the newer archive.",
      "Elements of an array are the same wherever they stand among others; pairs of a dictionary are told by their keys, "
        + "elements of a set by what they hold. Of what was added or removed only the uppermost value is shown.",
      "The exit code is 0 if nothing is different and 1 if something is. With --json one object has the keys old and new "
        + "(the files), same, and differences; each of these has kind, path, oldPath if that is another one, old and new "
        + "where there is such a value, and objects, if it concerns more than one. A value has type and, by type, value, "
        + "object (the number in '$objects'), class, count, name and classes, or path.",
      "git shows archives so after these two lines: echo '*.plist diff=keyedarchive' >> .gitattributes and git config "
        + "diff.keyedarchive.command 'keyedarchive diff --git'. What is no archive is said to be none.",
    ],
    examples: [
      .init(
        arguments: "diff --json --ignore form Fixtures/made/creatures.plist Fixtures/made/creatures.xml",
        meaning: "the same archive in both formats; XML has no 4-byte reals"),
      .init(
        arguments: "diff --git creatures Fixtures/made/creatures.plist 1 2 Fixtures/apple/NSURL.plist 3 4",
        meaning: "what git would have it show"),
    ],
    exitCodes: [.fine, .negative, .unreadable, .notAnArchive, .limitReached])

  private let arguments: Arguments
  private let ignored: Set<ArchiveDifference.Kind>

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    ignored = Set(arguments.values("ignore").compactMap { ArchiveDifference.Kind(exactly: $0) })
    if arguments.has("git") {
      if arguments.has("json") { throw UsageError("'--git' and '--json' exclude each other") }
      return
    }
    guard arguments.operands.count > 1 else { throw UsageError("B is missing") }
    if arguments.operands.count > 2 { throw UsageError("'\(arguments.operands[2])' is one argument too many") }
    if arguments.operands == ["-", "-"] { throw UsageError("only one of two archives can be standard input") }
  }

  func run(on console: Console) -> ExitCode {
    if arguments.has("git") { return runForGit(on: console) }
    let json = arguments.has("json")
    let run = FileRun(console: console, json: json)
    var archives: [KeyedArchive] = []
    let code = run(arguments.operands) { (file) throws(Failure) in
      archives.append(try sound(file, on: console))
      return .fine
    }
    guard archives.count == 2, code == .fine else { return code }
    let (a, b) = (arguments.operands[0], arguments.operands[1])
    return run(["\(a), \(b)"]) { (_) throws(Failure) in
      let differences = try self.differences(archives[0], archives[1])
      if json {
        console.output.write(try write(differences, archives, schema: console.tool.schema))
      } else {
        try show(differences, archives, on: console)
      }
      return differences.isEmpty ? .fine : .negative
    }
  }

  /// An archive that `validate` finds no error in.
  private func sound(_ file: String, on console: Console) throws(Failure) -> KeyedArchive {
    let archive = try Input.archive(file, arguments, on: console)
    do {
      try archive.validate()
    } catch {
      throw Failure(error)
    }
    return archive
  }

  private func differences(_ old: KeyedArchive, _ new: KeyedArchive) throws(Failure) -> [ArchiveDifference] {
    do {
      return try new.differences(from: old, ignoring: ignored)
    } catch {
      throw Failure(error)
    }
  }

  private func limit(_ archives: [KeyedArchive]) -> OutputLimit {
    OutputLimit(archiveOf: archives.reduce(0) { $0 + $1.propertyList.bytes.count })
  }

  private func show(
    _ differences: [ArchiveDifference], _ archives: [KeyedArchive], on console: Console
  ) throws(Failure) {
    var text = DifferenceText(
      from: archives[0], to: archives[1], style: Style(arguments.value("color"), on: console))
    let limit = limit(archives)
    var written = 0
    for difference in differences where console.output.isOpen {
      let line = text.line(difference)
      console.output.write(line)
      written += line.utf8.count
      if written > limit.byteCount { throw limit.failure("the list", remedy: "Leave out kinds with --ignore") }
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
    json.field("same", differences.isEmpty)
    json.key("differences")
    json.beginArray()
    for difference in differences {
      json.difference(difference)
      if json.bytes.count > limit.byteCount { throw limit.failure("JSON", remedy: "Leave out kinds with --ignore") }
    }
    json.endArray()
    json.endObject()
    json.newline()
    return json.bytes
  }

  // MARK: For git

  /// Git hands over the path, then file, hash and mode of the old side and of the new one; after a renaming the new path
  /// and a text; where a merge is not resolved the path alone. It takes any exit code but 0 for an accident.
  private func runForGit(on console: Console) -> ExitCode {
    let operands = arguments.operands
    let style = Style(arguments.value("color"), on: console)
    let path = operands.count > 7 ? operands[7] : operands[0]
    console.output.write(
      style(.heading, EscapedText.plain("keyedarchive diff \(operands[0])\(path == operands[0] ? "" : " \(path)")"))
        + "\n")
    guard operands.count >= 7 else {
      console.output.write(EscapedText.plain("\(path): not merged yet") + "\n")
      return .fine
    }
    do throws(Failure) {
      let (old, new) = (try side(operands[1], on: console), try side(operands[4], on: console))
      switch (old, new) {
      case (let old?, let new?):
        let differences = try differences(old, new)
        if differences.isEmpty { console.output.write("nothing is different in what they hold\n") }
        try show(differences, [old, new], on: console)
      case (nil, let new?): console.output.write(style(.string, "+") + " \(Self.summary(new))\n")
      case (let old?, nil): console.output.write(style(.wrong, "-") + " \(Self.summary(old))\n")
      case (nil, nil): break
      }
    } catch {
      console.output.write(EscapedText.plain("\(path): not compared: \(error.line)") + "\n")
    }
    return .fine
  }

  /// One side of a change; nil if the file is not there on it.
  private func side(_ file: String, on console: Console) throws(Failure) -> KeyedArchive? {
    file == "/dev/null" ? nil : try sound(file, on: console)
  }

  private static func summary(_ archive: KeyedArchive) -> String {
    let classes = archive.classNames
    let names = classes.prefix(8).map { ValueText.name($0) }.joined(separator: ", ") + (classes.count > 8 ? ", …" : "")
    return "an archive of \(CountText.text(archive.objectCount, "object"))" + (names.isEmpty ? "" : ": \(names)")
  }
}
