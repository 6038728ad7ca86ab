// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import CommandLineTools
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// `audit`: what decoding would bring to life.
struct AuditCommand: Command {
  static let help = CommandHelp(
    name: "audit", summary: "list every class that decoding would make objects of, and the least list that allows them",
    operands: [.files],
    options: [
      Option("swift", short: "s", "print the lists of allowed classes as Swift source, and nothing else"),
      Option("nested", short: "n", "look into archives that are data of others, too"), .json, .color, .anyArchiver,
    ],
    notes: [
      "Counted are objects that references from the top lead to. Strings, numbers and data that are objects are of the "
        + "classes NSString, NSNumber and NSData. Several files are one answer, without those that cannot be read.",
      "Under a class stand places where there are objects of it, then its keys, each with the kinds of its values and their "
        + "numbers; '?' marks a key that some of the objects do not have. In brackets stand the elements of collections, in "
        + "braces keys and values. A place behind '>' is in an archive that is data.",
      "At the end stand two lists: 'allow', all classes, which 'validate --allow' takes; and 'top', those that a program "
        + "must allow that decodes what is on top, which are fewer if objects ask for their parts themselves. --swift has both, "
        + "with this package's types where there are any; other classes are taken for types of yours.",
      "With --json one object has the keys files, archives, nestedArchives, damagedNestedArchives, objects, allow, top, "
        + "nestedTop, topKeys and classes. A class has class, objects, classes (with its superclasses), hints, places, paths "
        + "(eight at the most) and keys; a key has key, count, kinds and, where there are collections, elements, pairKeys and "
        + "pairValues; a kind has kind and count.",
    ],
    examples: [
      .init(arguments: "audit Fixtures/made/creatures.plist", meaning: "what is in there?"),
      .init(
        arguments: "audit --swift Fixtures/made/creatures.plist Fixtures/apple/NSURL.plist",
        meaning: "a list for all of these"),
      .init(arguments: "audit --json --nested Fixtures/apple/NSURL.plist", meaning: "for programs"),
    ],
    exitCodes: [.fine, .unreadable, .notAnArchive, .limitReached])

  private let arguments: Arguments

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    if arguments.has("swift"), arguments.has("json") { throw UsageError("'--swift' and '--json' exclude each other") }
  }

  func run(on console: Console) -> ExitCode {
    var audit = ArchiveAudit()
    var byteCount = 0
    let run = FileRun(console: console, json: arguments.has("json"))
    let code = run(arguments.operands) { (file) throws(Failure) in
      let archive = try Input.archive(file, arguments, on: console)
      do throws(KeyedArchiveError) {
        audit.merge(try ArchiveAudit(of: archive, followingNestedArchives: arguments.has("nested")))
      } catch {
        throw Failure(error)
      }
      byteCount += archive.propertyList.bytes.count
      return .fine
    }
    guard audit.archiveCount > 0, console.output.isOpen else { return code }
    let limit = OutputLimit(archiveOf: byteCount)
    return max(
      code,
      run([arguments.operands.count == 1 ? arguments.operands[0] : "all of them"]) { (_) throws(Failure) in
        try write(audit, within: limit, on: console)
        return .fine
      })
  }

  private func write(_ audit: ArchiveAudit, within limit: OutputLimit, on console: Console) throws(Failure) {
    if arguments.has("swift") {
      console.output.write(audit.swiftAllowList())
    } else if arguments.has("json") {
      var json = AuditJSON(within: limit)
      console.output.write(try json.write(audit, schema: console.tool.schema))
    } else {
      let text = AuditText(style: Style(arguments.value("color"), on: console))
      try text.write(audit, to: console.output, within: limit)
    }
  }
}
