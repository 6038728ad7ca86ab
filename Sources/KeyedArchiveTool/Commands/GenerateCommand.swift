// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import CommandLineTools
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// `generate`: source that decodes archives.
struct GenerateCommand: Command {
  static let help = CommandHelp(
    name: "generate", summary: "write Swift source that decodes archives: a type for each of their classes",
    operands: [.files],
    options: [
      Option("test", short: "t", "write a test of that source in place of it"),
      Option("namespace", short: "N", value: "NAME", "put the types in an enum of this name"),
      Option("module", short: "m", value: "NAME", "with --test: the module that the types are in"),
      .anyArchiver,
    ],
    notes: [
      "All files together make one source, without those that cannot be read: the more there are, the more of what may be "
        + "missing or differ is known. A property is optional if an object lacks it or has nil there; where several classes "
        + "stand, it has a list of what is allowed. References that may run in circles are decoded so that they can.",
      "ArchiveContents is the type for the top of an archive: ArchiveContents(unarchiving: data) decodes one, and its "
        + "archivedData() makes one that holds the same. Classes of Foundation and the kits are types of KeyedArchiving; "
        + "a class of which objects hold arrays that are no objects comes out as ArchivedObject.",
      "The test decodes each file, archives it again, and compares. It has the paths as they are given here.",
    ],
    examples: [
      .init(
        arguments: "generate Fixtures/made/creatures.plist", meaning: "a type for the creatures, and how to read them"),
      .init(
        arguments: "generate --test --module Creatures Fixtures/made/creatures.plist",
        meaning: "a test for it, where the source above is in the module Creatures"),
    ],
    exitCodes: [.fine, .unreadable, .notAnArchive, .limitReached])

  private let arguments: Arguments

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    for option in ["namespace", "module"] {
      guard let name = arguments.value(option), !SwiftName.isIdentifier(name) else { continue }
      throw UsageError("'--\(option)' must be a name, of letters, digits and underscores")
    }
    if arguments.value("module") != nil, !arguments.has("test") { throw UsageError("'--module' goes with '--test'") }
  }

  func run(on console: Console) -> ExitCode {
    var audit = ArchiveAudit()
    var files: [String] = []
    var byteCount = 0
    let run = FileRun(console: console, json: false)
    let code = run(arguments.operands) { (file) throws(Failure) in
      let archive = try Input.archive(file, arguments, on: console)
      do throws(KeyedArchiveError) {
        audit.merge(try ArchiveAudit(of: archive))
      } catch {
        throw Failure(error)
      }
      files.append(file)
      byteCount += archive.propertyList.bytes.count
      return .fine
    }
    guard !files.isEmpty, console.output.isOpen else { return code }
    let source = GeneratedSwift(audit, namespace: arguments.value("namespace"), origin: Self.origin(files))
    let text = arguments.has("test") ? source.test(of: files, module: arguments.value("module")) : source.types
    let limit = OutputLimit(archiveOf: byteCount)
    return max(
      code,
      run([files.count == 1 ? files[0] : "all of them"]) { (_) throws(Failure) in
        guard text.utf8.count <= limit.byteCount else {
          throw limit.failure("the source", remedy: "Look at what is in there with 'audit'")
        }
        console.output.write(text)
        return .fine
      })
  }

  private static func origin(_ files: [String]) -> String {
    let name = files[0].split(separator: "/").last.map(String.init) ?? files[0]
    return files.count == 1 ? name : "\(name) and \(CountText.text(files.count - 1, "more file"))"
  }
}
