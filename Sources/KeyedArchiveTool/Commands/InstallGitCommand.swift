// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchiveTools
import CommandLineTools
import PropertyListFormat

/// `install-git`: sets up a git repository.
struct InstallGitCommand: Command {
  /// The usual names of archives and property lists.
  static let patterns = ["*.plist", "*.keyedarchive", "*.archive", "*.nib", "*.xcuserstate"]

  static let help = CommandHelp(
    name: "install-git", summary: "set up a git repository to show archives and property lists as text",
    operands: [
      .init(
        name: "FOLDER", meaning: "a folder of the repository (default: the current one)", isOptional: true,
        kind: .folder)
    ],
    options: [
      Option(
        "pattern", short: "p", value: "PATTERN",
        "show files of this pattern, as in .gitignore; repeatable (default: \(patterns.joined(separator: ", ")))"),
      Option("command", "also let 'git diff' list differences, as 'diff' does; other commands of git show text"),
      Option("remove", "undo the set-up"), .dryRun,
    ],
    notes: [
      "Adds lines such as '*.plist \(GitAttributes.attribute)' to .gitattributes at the top of the working tree, and sets "
        + "diff.\(GitSettings.driver).textconv in the repository's settings. Then 'git diff', 'git log -p' and 'git show' show "
        + "what 'textconv' prints. Each change is printed; a second run changes nothing.",
      "Commit .gitattributes for all clones. The settings are those of one clone, so each clone needs a run; without it, git "
        + "shows files as before.",
      "With --remove, the lines of the patterns are removed if they have no other attribute. A note names the lines that "
        + "remain for other patterns.",
    ],
    exitCodes: [.fine, .unreadable])

  private let folder: String
  private let patterns: [String]
  private let setsCommand: Bool
  private let isRemoval: Bool
  private let isDryRun: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    folder = arguments.operands.first ?? "."
    patterns = arguments.has("pattern") ? arguments.values("pattern") : Self.patterns
    setsCommand = arguments.has("command")
    isRemoval = arguments.has("remove")
    isDryRun = arguments.has(.dryRun)
    try arguments.exclude("remove", with: ["command"])
    for pattern in patterns {
      let isOther = ["#", "!", "\"", "["].contains { pattern.hasPrefix($0) }
      guard !pattern.isEmpty, !pattern.utf8.contains(where: { $0 < 0x20 }), !isOther else {
        throw UsageError(
          "invalid value \(EscapedText.quoted(pattern)) for '--pattern': expected a pattern such as '*.plist'")
      }
    }
  }

  func run(on console: Console) -> ExitCode {
    FileRun(console: console, json: false, noun: "folder")([folder]) { (folder) throws(Failure) in
      let repository = try GitRepository(of: folder)
      func line(_ file: String, _ done: String, _ expected: String, _ what: String) -> String {
        EscapedText.plain("\(file): \(isDryRun ? expected : done) \(what)") + "\n"
      }
      var newAttributes: [String] = []
      var newSettings: [String] = []
      let old = try GitRepository.lines(of: repository.attributes)
      var attributes = GitAttributes(old)
      for pattern in patterns {
        if isRemoval {
          if let what = attributes.remove(pattern) {
            newAttributes.append(line(".gitattributes", "removed", "would remove", what))
          }
        } else if let what = attributes.add(pattern) {
          newAttributes.append(line(".gitattributes", "added", "would add", what))
        }
      }
      var settings = GitSettings(try GitRepository.lines(of: repository.config))
      for (key, value) in [("textconv", "textconv"), ("command", "diff --git")] {
        let name = "diff.\(GitSettings.driver).\(key)"
        let found = settings[key]
        if isRemoval {
          guard found != nil else { continue }
          settings.remove(key)
          newSettings.append(line(".git/config", "removed", "would remove", name))
        } else if key == "textconv" || setsCommand {
          let value = "\(try Self.program(console.environment)) \(value)"
          guard found != value else { continue }
          settings.set(key, to: value)
          let before = found.map { ", which was '\($0)'" } ?? ""
          newSettings.append(line(".git/config", "set", "would set", "\(name) to '\(value)'\(before)"))
        } else if let found {
          console.say("note: git diff runs '\(found)' (diff.\(GitSettings.driver).command), not textconv")
        }
      }
      if newAttributes.isEmpty, newSettings.isEmpty { console.output.write("nothing to change\n") }
      // Each line is printed after its change is made. A file without changes, which may be missing, is not written.
      if !newSettings.isEmpty {
        if !isDryRun { try GitRepository.write(settings.lines, to: repository.config) }
        for line in newSettings { console.output.write(line) }
      }
      if !newAttributes.isEmpty {
        if !isDryRun { try GitRepository.write(attributes.lines, to: repository.attributes) }
        for line in newAttributes { console.output.write(line) }
      }
      if isRemoval { note(attributes, on: console) }
      return .fine
    }
  }

  /// Prints the lines of attributes that a removal keeps.
  private func note(_ attributes: GitAttributes, on console: Console) {
    let numbers = attributes.assigningLines
    guard !numbers.isEmpty else { return }
    for number in numbers {
      console.say(
        "note: .gitattributes: line \(number) \(isDryRun ? "would remain" : "remains"): '\(attributes.lines[number - 1])'"
      )
    }
    console.say(
      "note: to remove such a line, add --pattern with its pattern; edit a line that also has other attributes")
  }

  /// Returns how git's shell finds this program: its name if PATH has it, otherwise its path.
  private static func program(_ environment: [String: String]) throws(Failure) -> String {
    let name = "keyedarchive"
    for folder in (environment["PATH"] ?? "").split(separator: ":") {
      let path = "\(folder)/\(name)"
      // A folder can be executable, too.
      if FileKind(path) == .file, FileManager.default.isExecutableFile(atPath: path) { return name }
    }
    guard let path = CommandLine.arguments.first, path.contains("/") else { return name }
    return ShellQuote.posix(try URL(argument: path).standardizedFileURL.path)
  }
}
