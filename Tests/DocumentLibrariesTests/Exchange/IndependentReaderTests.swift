// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import TestSupport
import Testing

@Suite("Containers and other tools")
struct IndependentReaderTests {
  /// A library with compressible and incompressible files.
  private func filled() throws -> Room {
    let room = try Place.disk.room()
    try room.plant("1.recipe", String(repeating: "Soup ", count: 200), photo: "photo")
    try room.plant("12.recipe", "Kürbis 👻")
    try room.storage.plant("12.recipe" / "Notizen ä.txt", Data((0..<2000).map { UInt8($0 * 11 & 0xFF) }))
    for (name, seconds) in [("photo.jpg", 1_262_304_001), ("Data.plist", 1_700_000_000)] as [(StorageName, Int64)] {
      try room.storage.setModified("1.recipe" / name, to: StorageDate(seconds: seconds))
    }
    return room
  }

  private static let unzip = Program.installed("unzip")

  @Test("Python reads an export", .enabled(if: Python.isPresent, "\(Python.isAbsent)"))
  func pythonReads() throws {
    let room = try filled()
    let program = """
      import base64, io, json, sys, zipfile
      z = zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))
      assert z.testzip() is None
      print(json.dumps({i.filename: base64.b64encode(z.read(i)).decode() for i in z.infolist()}))
      """
    let output = try Python.run(program, input: try room.library().exported())
    let seen = try JSONDecoder().decode([String: Data].self, from: output)
    let documents = try room.storage.documents()
    #expect(seen.count == 4)
    for (folder, files) in documents {
      for (name, bytes) in files { #expect(seen["\(folder)/\(name)"] == bytes, "\(folder)/\(name)") }
    }
  }

  @Test("unzip unpacks an export to an equal library", .enabled(if: unzip != nil, "unzip is not installed"))
  func unzipReads() throws {
    let room = try filled()
    let folder = try ScratchFolder()
    let file = try folder.file("backup.zip", try room.library().exported())
    let test = try #require(Self.unzip).run(["-t", file])
    #expect(test.code == 0 && test.output.contains("No errors detected"), "\(test.output)\(test.errors)")
    let target = folder.url.appending(path: "library")
    // Names with non-ASCII characters need a locale that not every system has.
    let unpacked = try #require(Self.unzip).run(["-q", file, "1.recipe/*", "12.recipe/Data.plist", "-d", target.path])
    #expect(unpacked.code == 0, "\(unpacked.errors)")
    var expected = try room.storage.documents()
    expected["12.recipe"]?["Notizen ä.txt"] = nil
    let storage = DiskStorage(target)
    #expect(try storage.documents() == expected)
    // The dates are equal, and the result is a library.
    #expect(try storage.status(of: "1.recipe" / "photo.jpg").modified == StorageDate(seconds: 1_262_304_001))
    #expect(try storage.status(of: "1.recipe" / "Data.plist").modified == StorageDate(seconds: 1_700_000_000))
    #expect(try DocumentLibrary<Recipe>(at: target).document(12).data == Recipe("Kürbis 👻"))
  }

  /// Python's modes of writing a container.
  private static let writers = [
    "stored": "z = zipfile.ZipFile(out, 'w')",
    "deflated": "z = zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED)",
    "with a comment": "z = zipfile.ZipFile(out, 'w'); z.comment = 'Grüße'.encode()",
    "with comments on the entries": "z = zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED); remark = b'mine'",
    "with folder entries": "z = zipfile.ZipFile(out, 'w'); z.writestr('3.recipe/', b'')",
    "streamed, with data descriptors": "z = zipfile.ZipFile(Pipe(), 'w', zipfile.ZIP_DEFLATED)",
    "streamed and stored": "z = zipfile.ZipFile(Pipe(), 'w')",
    "with Zip64 sizes": "z = zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED); force = True",
    "streamed with Zip64 sizes": "z = zipfile.ZipFile(Pipe(), 'w'); force = True",
    "behind a program": "out.write(b'#!/bin/sh\\n'); z = zipfile.ZipFile(out, 'a')",
    "in capital letters": "z = zipfile.ZipFile(out, 'w'); folder = '3.RECIPE'",
    "with what the Finder adds":
      "z = zipfile.ZipFile(out, 'w'); z.writestr('__MACOSX/3.recipe/._Data.plist', b'x'); z.writestr('.DS_Store', b'x')",
  ]

  private static let photo = Data((0..<500).map { UInt8($0 & 0xFF) })
  private static let data = Result { try Recipe.file(String(repeating: "Soup ", count: 100)) }

  /// The file of each mode, by one run of Python.
  private static let written = Result {
    let program = """
      import base64, io, json, sys, zipfile
      photo, data, writers = json.load(sys.stdin)
      photo, data = base64.b64decode(photo), base64.b64decode(data)
      files = {}
      for way, writer in writers.items():
          out, force, remark, folder = io.BytesIO(), False, b"", "3.recipe"
          class Pipe:
              def write(self, data): return out.write(data)
              def flush(self): pass
          exec(writer)
          for name, content in (("photo.jpg", photo), ("Data.plist", data), ("ä.txt", b"")):
              info = zipfile.ZipInfo(folder + "/" + name, (2010, 12, 31, 23, 59, 58))
              info.external_attr = 0o100600 << 16
              info.compress_type = z.compression
              info.comment = remark
              with z.open(info, "w", force_zip64=force) as f: f.write(content)
          z.close()
          files[way] = base64.b64encode(out.getvalue()).decode()
      print(json.dumps(files))
      """
    let parts = [photo.base64EncodedString(), try data.get().base64EncodedString(), writers] as [Any]
    let output = try Python.run(program, input: JSONSerialization.data(withJSONObject: parts))
    return try JSONDecoder().decode([String: Data].self, from: output)
  }

  @Test(
    "import files of Python in all its modes", .enabled(if: Python.isPresent, "\(Python.isAbsent)"),
    arguments: writers.keys.sorted())
  func pythonWrites(_ way: String) throws {
    let (photo, data) = (Self.photo, try Self.data.get())
    let file = try #require(try Self.written.get()[way])
    let room = try Place.disk.room()
    let report = try room.library().importBackup(BackupSource(file), keepingNumbers: true)
    #expect(report.refused.isEmpty, "\(report.refused)")
    #expect(
      try room.storage.documents() == ["3.recipe": ["photo.jpg": photo, "Data.plist": data, "ä.txt": Data()]])
    // The format has no time zone, so its time is treated as universal time.
    #expect(try room.storage.status(of: "3.recipe" / "photo.jpg").modified == StorageDate(seconds: 1_293_839_998))
    #expect(try DocumentLibrary<Recipe>.checkBackup(BackupSource(file)).isSound)
  }
}
