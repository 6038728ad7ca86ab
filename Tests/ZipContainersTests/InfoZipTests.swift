// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing
import ZipContainers

@Suite("Info-ZIP")
struct InfoZipTests {
  @Test(
    "unzip unpacks names, content and dates",
    .enabled(if: Tools.unzip != nil, "unzip is not installed"))
  func unzip() throws {
    let scratch = try ScratchFolder()
    let folder = scratch.url
    let items = Item.document + [Item(name: "z/big", content: Data(count: 300_000))]
    try Item.zip(items).write(to: folder.appending(path: "document.zip"))
    let test = try #require(Tools.unzip).run(["-t", "document.zip"], in: folder, environment: Tools.environment)
    #expect(test.code == 0)
    #expect(test.output.contains("No errors detected"), "\(test.output)")
    let unpack = try #require(Tools.unzip).run(["-q", "document.zip"], in: folder, environment: Tools.environment)
    #expect(unpack.code == 0, "\(unpack.output)")
    for item in items where !item.isFolder {
      let url = folder.appending(path: item.name)
      #expect(try Data(contentsOf: url) == item.content)
      let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
      // To the second, which only the extended timestamp provides.
      #expect((attributes[.modificationDate] as? Date) == item.date ?? Date(timeIntervalSince1970: 315_532_800))
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o644)
    }
    let folderMode = try FileManager.default.attributesOfItem(atPath: folder.appending(path: "Ghost").path)
    #expect((folderMode[.posixPermissions] as? NSNumber)?.intValue == 0o755)
  }

  @Test("unzip reads Zip64 records", .enabled(if: Tools.unzip != nil, "unzip is not installed"))
  func unzipZip64() throws {
    let scratch = try ScratchFolder()
    let folder = scratch.url
    let items = (0..<65_600).map { Item(name: "\($0)", compression: .stored) }
    try Item.zip(items).write(to: folder.appending(path: "many.zip"))
    let test = try #require(Tools.unzip).run(["-tqq", "many.zip"], in: folder, environment: Tools.environment)
    #expect(test.code == 0, "\(test.output)")
  }

  @Test(
    "zip's files with links and folders are readable",
    .enabled(if: Tools.zip != nil, "zip is not installed"),
    arguments: [
      ["-q", "-r", "-y", "out.zip", "d"], ["-q", "-r", "-y", "-0", "out.zip", "d"],
      ["-q", "-r", "-y", "-fz", "out.zip", "d"],
      ["-q", "-r", "-y", "-UN=e", "out.zip", "d"],
    ])
  func zip(_ arguments: [String]) throws {
    let scratch = try ScratchFolder()
    let folder = scratch.url
    let d = folder.appending(path: "d")
    try FileManager.default.createDirectory(at: d.appending(path: "sub"), withIntermediateDirectories: true)
    let text = Data(String(repeating: "ghost ", count: 500).utf8)
    try text.write(to: d.appending(path: "sub/ä👻.txt"))
    try Data([1, 2, 3]).write(to: d.appending(path: "bytes"))
    try FileManager.default.createSymbolicLink(
      atPath: d.appending(path: "link").path, withDestinationPath: "../outside")
    let run = try #require(Tools.zip).run(arguments, in: folder, environment: Tools.environment)
    #expect(run.code == 0, "\(run.output)")
    let reader = try ZipReader(try Data(contentsOf: folder.appending(path: "out.zip")))
    #expect(reader.entries.map(\.name).sorted() == ["d/", "d/bytes", "d/link", "d/sub/", "d/sub/ä👻.txt"])
    let document = try #require(reader.entry(named: "d/sub/ä👻.txt"))
    #expect(document.kind == .file)
    #expect(try reader.read(document) == text)
    let written = try FileManager.default.attributesOfItem(atPath: d.appending(path: "bytes").path)
    let seconds = try #require(written[.modificationDate] as? Date).timeIntervalSince1970.rounded(.down)
    #expect(reader.entry(named: "d/bytes")?.modified == Date(timeIntervalSince1970: seconds))
    #expect(reader.entry(named: "d")?.kind == .folder)
    let link = try #require(reader.entry(named: "d/link"))
    #expect(link.kind == .symbolicLink)
    #expect(try reader.read(link) == Data("../outside".utf8))
  }

  @Test(
    "zip's data descriptors are readable", .enabled(if: Tools.zip != nil, "zip is not installed"))
  func descriptors() throws {
    let scratch = try ScratchFolder()
    let folder = scratch.url
    try Data([1, 2, 3]).write(to: folder.appending(path: "bytes"))
    try Data(count: 9999).write(to: folder.appending(path: "zeros"))
    let run = try #require(Tools.zip).run(
      ["-q", "-fd", "out.zip", "bytes", "zeros"], in: folder, environment: Tools.environment)
    #expect(run.code == 0, "\(run.output)")
    let reader = try ZipReader(try Data(contentsOf: folder.appending(path: "out.zip")))
    #expect(
      try reader.items() == [
        Item(name: "bytes", content: Data([1, 2, 3])), Item(name: "zeros", content: Data(count: 9999)),
      ])
  }

  @Test(
    "zip's streamed files are readable",
    .enabled(if: Tools.zip != nil, "zip is not installed"))
  func streamed() throws {
    let scratch = try ScratchFolder()
    let folder = scratch.url
    let run = try #require(Program.installed("sh")).run(
      ["-c", "printf 'ghost ghost ghost' | zip -q - - | cat > out.zip"], in: folder, environment: Tools.environment)
    #expect(run.code == 0, "\(run.output)")
    let reader = try ZipReader(try Data(contentsOf: folder.appending(path: "out.zip")))
    #expect(try reader.items() == [Item(name: "-", content: Data("ghost ghost ghost".utf8))])
  }

  @Test(
    "an encrypted entry is listed, and rejected with its own code",
    .enabled(if: Tools.zip != nil, "zip is not installed"))
  func encrypted() throws {
    let scratch = try ScratchFolder()
    let folder = scratch.url
    try Data("secret".utf8).write(to: folder.appending(path: "a"))
    let run = try #require(Tools.zip).run(
      ["-q", "-P", "password", "out.zip", "a"], in: folder, environment: Tools.environment)
    #expect(run.code == 0, "\(run.output)")
    let reader = try ZipReader(try Data(contentsOf: folder.appending(path: "out.zip")))
    let entry = try #require(reader.entry(named: "a"))
    #expect(entry.isEncrypted)
    let error = #expect(throws: ZipError.self) { try reader.read(entry) }
    #expect(error?.code == .encrypted)
  }
}
