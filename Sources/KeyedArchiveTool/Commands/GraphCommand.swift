// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchivePages
import CommandLineTools
import KeyedArchiving
import PropertyListFormat

/// `graph`: a picture for people.
struct GraphCommand: Command {
  static let help = CommandHelp(
    name: "graph", summary: "draw the graph: a page to explore, a drawing, or input for Graphviz",
    operands: [.file],
    options: [
      Option("to", short: "t", choices: ["html", "svg", "dot"], "what to make; always needed"),
      Option(
        "output", short: "o", value: "OUT", kind: .file,
        "the file to write, '-' (if nothing is said) is standard output"),
      Option("path", short: "p", value: "KEYPATH", "begin at a value, such as 'root.items[3]' or '#12'"),
      Option("depth", short: "d", value: "N", "draw N levels of objects; html: unfold N levels at first"),
      Option("limit", short: "l", value: "N", "draw N objects at most (500); html: hold N rows at most (400000)"),
      .anyArchiver,
    ],
    notes: [
      "The page (html) is a single file that runs by itself in any browser and loads nothing from anywhere. Its outline "
        + "has the rows of 'tree' and can be searched, filtered by class and used with the keyboard alone ('?' tells "
        + "the keys). An object is shown where it is met first; elsewhere stands a link to it, ↑#12, or ↻#12 where it "
        + "leads back to something that it is inside of, a cycle. Pictures in data are shown, and archives and "
        + "property lists in data are unfolded like the rest.",
      "The drawing (svg) and the Graphviz graph (dot) have a box for each object with something inside and an arrow for "
        + "each reference: dashed where the object was met before, red where it leads back in a circle. The objects "
        + "nearest to the beginning are drawn, as many as --limit says, and a note tells how many there are. A class "
        + "has the same colour in all three.",
      "An archive with damaged parts is drawn with these marked, and the exit code is 4. A picture ends, with exit code "
        + "6, where it has 64 times the bytes of the archive, or 16 MiB if that is more.",
    ],
    examples: [
      .init(
        arguments: "graph Fixtures/apple/NSURL.plist --to dot", meaning: "for Graphviz: append '| dot -Tpdf > url.pdf'"),
      .init(
        arguments: "graph --to svg --path '#1' Fixtures/apple/NSURL.plist", meaning: "one object and what it holds"),
      .init(arguments: "graph --to html Fixtures/apple/NSURL.plist", meaning: "a page; name its file with -o"),
    ],
    exitCodes: [.fine, .negative, .unreadable, .notAnArchive, .limitReached, .notWritten])

  private enum Target: String {
    case html, svg, dot
  }

  private let arguments: Arguments
  private let target: Target
  private let path: GraphPath?
  private let depth: Int?
  private let limit: Int?

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    guard let target = arguments.value("to").flatMap(Target.init) else {
      throw UsageError("'--to' is missing", remedy: "Say --to html, --to svg or --to dot")
    }
    self.target = target
    path = if let text = arguments.value("path") { try GraphPath(text) } else { nil }
    depth = try arguments.count("depth")
    limit = try arguments.count("limit")
  }

  func run(on console: Console) -> ExitCode {
    FileRun(console: console, json: false)(arguments.operands) { (file) throws(Failure) in
      let data = try InputFile.read(file, on: console)
      let picture = try ArchivePicture(
        of: Input.archive(data, arguments), named: file, byteCount: data.count, path: path,
        mostRows: target == .html ? limit : nil)
      let bytes: Data
      switch target {
      case .html:
        bytes = OutlinePage(picture.outline, unfolding: depth).data
        if picture.isCut { say(file, "the page has the first \(picture.outline.rows.count) rows", on: console) }
      case .svg, .dot:
        let drawing = Drawing(picture.outline, limit: limit ?? Drawing.usualLimit, depth: depth ?? .max)
        let text = target == .svg ? SVGDrawing(drawing).text : GraphvizText(drawing).text
        let limit = OutputLimit(archiveOf: data.count)
        guard text.utf8.count <= limit.byteCount else {
          throw limit.failure("the drawing", remedy: "Draw less with --limit, --depth or --path")
        }
        bytes = Data(text.utf8)
        if drawing.drawnCount < drawing.objectCount || picture.isCut {
          let count = picture.isCut ? "more than \(drawing.objectCount)" : "\(drawing.objectCount)"
          say(file, "\(drawing.drawnCount) of \(count) objects are drawn; '--to html' shows all", on: console)
        }
      }
      try OutputFile.write(bytes, to: arguments.value("output") ?? "-", isBinary: false, force: false, on: console)
      if let failure = picture.failure { throw failure }
      return .fine
    }
  }

  /// Says what is left out.
  private func say(_ file: String, _ what: String, on console: Console) {
    console.say("\(file): note: \(what). Ask for more with --limit, or for a part with --path")
  }
}
