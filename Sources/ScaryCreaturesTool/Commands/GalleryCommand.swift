// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import DocumentLibraries
import PropertyListFormat
import ScaryCreatures

struct GalleryCommand: LibraryCommand {
  static let help = CommandHelp(
    name: "gallery", summary: "write a web page of all creatures",
    options: [
      Option(
        "output", short: "o", value: "DIR", kind: .folder,
        "the folder for index.html and images (required)"),
      Option("title", value: "TEXT", "the heading (default: 'Scary Creatures')"), Library.option, .dryRun,
      .force,
      .noInput, .quiet, .json,
    ],
    notes: [
      "The page needs no network and no scripts. Open DIR/index.html. Files of an earlier gallery are replaced, and "
        + "its images of deleted creatures are removed, also after an interruption; DIR/\(GalleryFolder.listName) lists its "
        + "images. The command asks before it replaces index.html or another program's image. Other files in DIR are not "
        + "changed, and nothing is written through a symbolic link in it. DIR must be outside of the library."
    ],
    examples: [.init(arguments: "gallery -o gallery --library ./creatures", meaning: "write gallery/index.html")],
    exitCodes: [.fine, .negative, .unreadable, .notAnArchive, .classNotAllowed, .limitReached])

  let arguments: Arguments
  private let folder: URL

  init(_ arguments: Arguments) throws(UsageError) {
    self.arguments = arguments
    guard let output = arguments.value("output"), output != "-", let folder = try arguments.folder("output") else {
      throw UsageError("'--output' is missing", remedy: "Pass -o DIR")
    }
    self.folder = folder
  }

  func perform(json: Bool, on console: Console) throws(Failure) -> ExitCode {
    let database = try Library(arguments, on: console).open()
    // The library can be one of the folders of images.
    for name in [""] + GalleryFolder.imageFolders {
      try OutputPlace(folder.appending(path: name).path).check(outside: database, isFolder: true)
    }
    var worst = ExitCode.fine
    func report(_ error: any Error, _ number: String) {
      let failure = Failure(any: error)
      console.report(failure, file: number, noun: "creature", json: json)
      worst = max(worst, failure.exit)
    }
    var items: [GalleryItem] = []
    for doc in try failing({ try database.loadScaryCreatureDocs() }) {
      do {
        guard let creature = try doc.data, let number = doc.number else { continue }
        items.append(
          GalleryItem(
            number: number.rawValue, title: creature.title, rating: creature.rating, modified: try doc.modified?.date,
            thumbnail: try Self.picture(doc, .thumb), fullImage: try Self.picture(doc, .full)))
      } catch {
        report(error, doc.number.map { "\($0)" } ?? "")
      }
    }
    if arguments.has(.dryRun) {
      let text = "write \(CountText.text(items.count, "creature")) to \(folder.path)"
      Reply.plan(Self.help, text, json: json, on: console) { line in
        line.field("page", folder.appending(path: "index.html").path)
        line.field("creatures", items.count)
      }
      return worst
    }
    let page = folder.appending(path: "index.html")
    let gallery = Gallery(title: arguments.value("title") ?? "Scary Creatures")
    var files = GalleryFolder(folder)
    let foreign = try failing {
      try files.foreignFiles {
        var paths: [String] = []
        try gallery.write(items) { path, _ in paths.append(path) }
        return paths
      }
    }
    if let first = foreign.first {
      let others = foreign.count == 1 ? "" : " and \(CountText.text(foreign.count - 1, "other file"))"
      let question = "Replace \(folder.appending(path: first).path)\(others)?"
      guard try Confirmation(arguments, on: console)(question) else { return .negative }
    }
    let progress = ProgressLine(of: "file", isQuiet: arguments.has(.quiet), on: console)
    let problems = try failing {
      let problems = try gallery.write(items) { path, bytes in
        try files.write(bytes, to: path)
        progress.advance()
      }
      try files.finish()
      return problems
    }
    progress.finish()
    for problem in problems { report(problem.underlyingError, "\(problem.number)") }
    if json {
      console.writeJSON { line in
        line.field("page", page.path)
        line.field("creatures", items.count)
      }
    } else {
      console.output.write(EscapedText.plain(page.path) + "\n")
    }
    return worst
  }

  /// Reads an image without keeping it in memory.
  private static func picture(_ doc: ScaryCreatureDoc, _ image: CreatureImage) throws -> Data? {
    defer { doc.discardCache() }
    return try doc.image(image)
  }
}
