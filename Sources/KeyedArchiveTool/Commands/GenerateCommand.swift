// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import CommandLineTools
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// `generate`: writes source that decodes archives.
struct GenerateCommand: Command {
  static let help = CommandHelp(
    name: "generate", summary: "write Swift types that decode archives",
    operands: [.files],
    options: [
      Option("test", short: "t", "write a test for the source instead"),
      Option("namespace", short: "N", value: "NAME", "put the types in an enum of this name"),
      Option("module", short: "m", value: "NAME", "with --test: the module of the types"),
      .inside, .anyArchiver,
    ],
    notes: [
      "The files give one source; more files show better which keys are optional and how values vary. Files that cannot be "
        + "read are left out. A property is optional if an object lacks its key or stores nil. A property with several "
        + "classes has an allow list. References that may form cycles are decoded as deferred references.",
      "ArchiveContents holds the top-level values: ArchiveContents(unarchiving: data) decodes an archive, and its "
        + "archivedData() encodes one, with the name of the archiver. Classes of Foundation and the kits become types of this "
        + "package. Lines have at most 120 columns.",
      "A class whose objects have inline arrays, dictionaries or dates, or values without keys that may refer back to their "
        + "object, becomes ArchivedObject, which keeps all values. A comment beginning with 'Omitted' marks what a type loses: "
        + "16-byte integers beyond 64 bits, and top-level values that are inline arrays, dictionaries or dates, or whose "
        + "keys are very long.",
      "The source has no limit of size except the output limit, 64 times the size of the archives (at least 16 MiB). A class with "
        + "names that would exceed the archives' size many times becomes ArchivedObject.",
      "The test decodes each file, archives it again, and compares the two. It contains the paths as given here, also those "
        + "of --inside. With --namespace, the name of its suite begins with that name.",
    ],
    examples: [
      .init(arguments: "generate Fixtures/made/creatures.plist", meaning: "write types for the creatures"),
      .init(
        arguments: "generate --test --module Creatures Fixtures/made/creatures.plist",
        meaning: "write a test for them, in the module Creatures"),
    ],
    exitCodes: [.fine, .unreadable, .notAnArchive, .limitReached])

  private let arguments: Arguments
  private let input: Input

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    input = try Input(arguments)
    for option in ["namespace", "module"] {
      guard let name = arguments.value(option), !SwiftName.isIdentifier(name) else { continue }
      throw UsageError(
        "invalid name '\(name)' for '--\(option)': expected at most 200 ASCII letters, digits and underscores, not beginning "
          + "with a digit, and not '_' alone")
    }
    if let name = arguments.value("namespace"), !GeneratedSwift.isNamespace(name) {
      throw UsageError("invalid name '\(name)' for '--namespace': the source uses it", remedy: "Choose another name")
    }
    if arguments.has("test"),
      let pipe = arguments.operands.first(where: { InputFile.isStandardInput($0) || FileKind($0) == .pipe })
    {
      throw UsageError(
        "'--test' needs files, because the test reads them: found '\(pipe)'", remedy: "Write the input to a file")
    }
    if arguments.value("module") != nil, !arguments.has("test") { throw UsageError("'--module' requires '--test'") }
  }

  func run(on console: Console) -> ExitCode {
    var audit = ArchiveAudit()
    var files: [String] = []
    var byteCount = 0
    let run = FileRun(console: console, json: false)
    let code = run(arguments.operands) { (file) throws(Failure) in
      let archive = try input.archive(file, on: console)
      audit.merge(try Failure.convertingArchiveError(try ArchiveAudit(of: archive)))
      files.append(file)
      byteCount += archive.propertyList.byteCount
      return .fine
    }
    guard !files.isEmpty, console.output.isOpen else { return code }
    let source = GeneratedSwift(audit, namespace: arguments.value("namespace"), origin: Self.origin(files))
    let text =
      arguments.has("test")
      ? source.test(of: files, module: arguments.value("module"), inside: input.insideText) : source.types
    let limit = OutputLimit(archiveOf: byteCount)
    return max(
      code,
      run.finish { () throws(Failure) in
        guard text.utf8.count <= limit.byteCount else {
          throw limit.failure("the source", remedy: "To list the classes, use 'audit'")
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
