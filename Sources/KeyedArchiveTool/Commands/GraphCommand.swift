// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchivePages
import ArchiveTools
import CommandLineTools
import KeyedArchiving
import PropertyListFormat

/// `graph`: draws an archive.
struct GraphCommand: Command {
  static let help = CommandHelp(
    name: "graph", summary: "draw the graph: a page to explore, a drawing, or input for Graphviz",
    operands: [.file],
    options: [
      Option("to", short: "t", choices: ["html", "svg", "dot"], "the output format (required)"),
      Option("output", short: "o", value: "OUT", kind: .output, "the output file (default: '-', standard output)"),
      Option("path", short: "p", value: "KEYPATH", "start at a value, such as 'root.items[3]' or '#12'"),
      Option("depth", short: "d", value: "N", "draw N levels of objects; html: initially expand N levels"),
      Option("limit", short: "l", value: "N", "draw at most N objects (default: 500); html: N rows (default: 400000)"),
      .inside, .anyArchiver,
    ],
    notes: [
      "The page (html) is one file that works in any browser and loads nothing. Its outline has the rows of 'tree', with "
        + "search, a filter by class and keyboard control ('?' lists the keys). An object is shown at its first "
        + "occurrence; other occurrences are links, ↑#12, or ↻#12 for a reference to an enclosing object, a cycle. Images "
        + "in data are shown; archives and property lists in data expand like the rest.",
      "The drawing (svg) and the Graphviz graph (dot) have a box for each object with content and an arrow for each "
        + "reference: dashed to an object drawn before, red in a cycle. They show the objects nearest to the start, up to "
        + "--limit, and a note gives their total. A class has the same color in all three.",
      "Damaged parts of an archive are marked, and the exit code is 4. The output is limited to 64 times the size of the "
        + "archive, at least 16 MiB; beyond it, the exit code is 6.",
    ],
    examples: [
      .init(
        arguments: "graph Fixtures/apple/NSURL.plist --to dot",
        meaning: "print Graphviz input; append '| dot -Tpdf > url.pdf'"
      ),
      .init(arguments: "graph --to svg --path '#1' Fixtures/apple/NSURL.plist", meaning: "draw one object"),
      .init(arguments: "graph --to html Fixtures/apple/NSURL.plist", meaning: "print a page; add -o to name its file"),
    ],
    exitCodes: [.fine, .negative, .unreadable, .notAnArchive, .limitReached])

  private enum Target: String {
    case html, svg, dot
  }

  private let arguments: Arguments
  private let target: Target
  private let path: GraphPath?
  private let depth: Int?
  private let limit: Int?
  private let input: Input

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    input = try Input(arguments)
    guard let target = arguments.value("to").flatMap(Target.init) else {
      throw UsageError("missing option '--to'", remedy: "Add --to html, --to svg or --to dot")
    }
    self.target = target
    path = if let text = arguments.value("path") { try GraphPath(argument: text) } else { nil }
    depth = try arguments.count("depth")
    limit = try arguments.count("limit")
  }

  func run(on console: Console) -> ExitCode {
    FileRun(console: console, json: false)(arguments.operands) { (file) throws(Failure) in
      let (picture, byteCount) = try picture(of: file, on: console)
      let bytes: Data
      switch target {
      case .html:
        bytes = OutlinePage(picture.outline, unfolding: depth).data
        if picture.isCut { say(file, "the page has the first \(picture.outline.rows.count) rows", on: console) }
      case .svg, .dot:
        let drawing = Drawing(picture.outline, limit: limit ?? Drawing.defaultLimit, depth: depth ?? .max)
        let text = target == .svg ? SVGDrawing(drawing).text : GraphvizText(drawing).text
        let limit = OutputLimit(archiveOf: byteCount)
        guard text.utf8.count <= limit.byteCount else {
          throw limit.failure("the drawing", remedy: "To draw less, use --limit, --depth or --path")
        }
        bytes = Data(text.utf8)
        if let omission = Self.omission(of: drawing, picture) { say(file, omission, on: console) }
      }
      try OutputFile.write(bytes, to: arguments.value("output") ?? "-", isBinary: false, force: nil, on: console)
      if let failure = picture.failure { throw failure }
      return .fine
    }
  }

  /// Returns the picture of a file and the size of the file, whose bytes are not kept while the picture is written.
  private func picture(
    of file: String, on console: Console
  ) throws(Failure) -> (picture: ArchivePicture, byteCount: Int) {
    let data = try input.data(file, on: console)
    let picture = try ArchivePicture(
      of: input.archive(data), named: file, inside: input.insideText, byteCount: data.count, path: path,
      maximumRows: target == .html ? limit : nil)
    return (picture, data.count)
  }

  /// Returns what a drawing omits, and what a page shows of it; nil if the drawing has all objects.
  static func omission(of drawing: Drawing, _ picture: ArchivePicture) -> String? {
    guard drawing.drawnCount < drawing.objectCount || picture.isCut else { return nil }
    let count = picture.isCut ? "more than \(drawing.objectCount)" : "\(drawing.objectCount)"
    let page = picture.isCut ? "the first \(picture.outline.rows.count) rows" : "all"
    return "\(drawing.drawnCount) of \(count) objects are drawn; '--to html' shows \(page)"
  }

  /// Prints a note about what the output omits.
  private func say(_ file: String, _ what: String, on console: Console) {
    console.say("\(file): note: \(what). To show more, use --limit; to show a part, use --path")
  }
}
