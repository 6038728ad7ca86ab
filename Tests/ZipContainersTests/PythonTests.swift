// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing
import ZipContainers

@Suite("Python's zipfile", .enabled(if: Python.isPresent, "\(Python.isAbsent)"))
struct PythonTests {
  /// Python's description of each entry, one JSON object per line.
  private struct Seen: Decodable, Equatable {
    var name: String
    var content: Data
    var mode: Int
    var date: [Int]
    var isFolder: Bool
  }

  private static let reader = """
    import base64, io, json, sys, zipfile
    with zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read())) as z:
        assert z.testzip() is None
        for i in z.infolist():
            print(json.dumps({"name": i.filename, "content": base64.b64encode(z.read(i)).decode(),
                "mode": i.external_attr >> 16, "date": list(i.date_time), "isFolder": i.is_dir()}))
    """

  private func seen(_ items: [Item]) throws -> [Seen] {
    let output = try Python.run(Self.reader, input: try Item.zip(items))
    return try output.split(separator: UInt8(ascii: "\n")).map { try JSONDecoder().decode(Seen.self, from: Data($0)) }
  }

  @Test("reads names, content, modes and dates")
  func document() throws {
    let seen = try seen(Item.document)
    #expect(seen.map(\.name) == Item.document.map(\.name))
    #expect(seen.map(\.content) == Item.document.map(\.content))
    #expect(seen.map(\.mode) == [0o040755, 0o100644, 0o100644, 0o100644, 0o100644])
    #expect(seen.map(\.isFolder) == [true, false, false, false, false])
    // The format has a precision of two seconds and begins in 1980.
    #expect(
      seen.map(\.date) == [
        [2010, 1, 1, 0, 0, 0], [1980, 1, 1, 0, 0, 0], [2023, 11, 14, 22, 13, 20], [1980, 1, 1, 0, 0, 0],
        [1980, 1, 1, 0, 0, 0],
      ])
  }

  @Test("reads random files", arguments: Sample.cases(0..<12 as Range<UInt64>, each: 4))
  func random(_ seed: UInt64) throws {
    let items = Item.random(seed: seed)
    let seen = try seen(items)
    #expect(seen.map(\.name) == items.map(\.name))
    #expect(seen.map(\.content) == items.map(\.content))
  }

  @Test("reads 65,536 entries, which need Zip64, as the reader does")
  func manyEntries() throws {
    let items = (0..<65_536).map { Item(name: "f/\($0)", content: Data("\($0)".utf8), compression: .stored) }
    let file = try Item.zip(items)
    #expect(file.contains(Self.zip64))
    let program = """
      import io, sys, zipfile
      with zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read())) as z:
          assert len(z.infolist()) == 65536
          for n, i in enumerate(z.infolist()):
              assert i.filename == "f/%d" % n and (n % 7 or z.read(i) == b"%d" % n)
      print("same")
      """
    #expect(try Python.run(program, input: file) == Data("same\n".utf8))
    let reader = try ZipReader(file)
    #expect(reader.entries.map(\.name) == items.map(\.name))
    for number in Sample.cases(items.indices, each: 50) {
      #expect(try reader.read(reader.entries[number]) == items[number].content)
    }
    // The same file, written by Python.
    let twin = try Python.run(
      """
      import io, sys, zipfile
      out = io.BytesIO()
      with zipfile.ZipFile(out, "w") as z:
          for n in range(65536): z.writestr("f/%d" % n, b"%d" % n)
      sys.stdout.buffer.write(out.getvalue())
      """)
    let other = try ZipReader(twin)
    #expect(other.entries.map(\.name) == reader.entries.map(\.name))
    #expect(other.entries.map(\.crc32) == reader.entries.map(\.crc32))
    for number in Sample.cases(items.indices, each: 50) {
      #expect(try other.read(other.entries[number]) == items[number].content)
    }
  }

  /// The beginning of the end record of Zip64.
  private static let zip64 = Data("PK\u{6}\u{6}".utf8)

  @Test("reads 65,535 entries, which do not need Zip64")
  func exactlyWhenNeeded() throws {
    let count = 65_535
    let file = try Item.zip((0..<count).map { Item(name: "\($0)", compression: .stored) })
    #expect(!file.contains(Self.zip64))
    let program = "import io, sys, zipfile; print(len(zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read())).namelist()))"
    #expect(try Python.run(program, input: file) == Data("\(count)\n".utf8))
    #expect(try ZipReader(file).entries.count == count)
  }

  /// Python's modes of writing, each as a file of the same five entries.
  private static let writers = [
    "stored": "z = zipfile.ZipFile(out, 'w')",
    "deflated": "z = zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED)",
    "streamed": "z = zipfile.ZipFile(Pipe(), 'w', zipfile.ZIP_DEFLATED)",
    "streamed and stored": "z = zipfile.ZipFile(Pipe(), 'w')",
    "with Zip64 sizes": "z = zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED); force = True",
    "streamed with Zip64 sizes": "z = zipfile.ZipFile(Pipe(), 'w', zipfile.ZIP_DEFLATED); force = True",
    "with a comment": "z = zipfile.ZipFile(out, 'w'); z.comment = 'Grüße'.encode()",
  ]

  @Test("writes readable files in all its modes", arguments: writers.keys.sorted())
  func written(_ way: String) throws {
    let program = """
      import io, sys, zipfile
      out, force = io.BytesIO(), False
      class Pipe:
          def write(self, data): return out.write(data)
          def flush(self): pass
      \(try #require(Self.writers[way]))
      for name, content in (("a.txt", b"aaaa" * 99), ("d/", b""), ("d/ä.txt", bytes(range(256))), ("empty", b""), ("👻", b"x")):
          info = zipfile.ZipInfo(name, (2010, 12, 31, 23, 59, 58))
          info.external_attr = 0o100600 << 16
          info.compress_type = z.compression
          with z.open(info, "w", force_zip64=force) as f: f.write(content)
      z.close()
      sys.stdout.buffer.write(out.getvalue())
      """
    let reader = try ZipReader(try Python.run(program))
    #expect(
      try reader.items() == [
        Item(name: "a.txt", content: Data(String(repeating: "aaaa", count: 99).utf8)), Item(name: "d/"),
        Item(name: "d/ä.txt", content: Data((0...255).map { UInt8($0) })), Item(name: "empty"),
        Item(name: "👻", content: Data("x".utf8)),
      ])
    #expect(reader.entries.map(\.kind) == [.file, .folder, .file, .file, .file])
    #expect(reader.entries[0].unixMode == 0o100600)
    // 2010-12-31 23:59:58 in universal time.
    #expect(reader.entries[0].modified == Date(timeIntervalSince1970: 1_293_839_998))
    #expect(reader.comment == (way == "with a comment" ? "Grüße" : ""))
  }

  @Test("agrees on offsets beyond 4 GiB")
  func farOffsets() throws {
    let scratch = try ScratchFolder()
    let url = scratch.url.appending(path: "far.zip")
    try Data().write(to: url)
    let file = try FileHandle(forUpdating: url)
    defer { try? file.close() }
    let start: UInt64 = 5 << 30
    try file.seek(toOffset: start)
    try Item.write(Item.document, startingAt: start) { try file.write(contentsOf: $0) }
    let byteCount = Int(try file.seekToEnd())
    let program = """
      import sys, zipfile
      with zipfile.ZipFile(sys.argv[1]) as z:
          assert z.testzip() is None
          assert z.infolist()[0].header_offset == 5 << 30, z.infolist()[0].header_offset
          for i in z.infolist(): sys.stdout.buffer.write(z.read(i))
      """
    let content = Item.document.reduce(Data()) { $0 + $1.content }
    #expect(try Python.run(program, [url.path]) == content)
    let path = url.path
    let reader = try ZipReader(byteCount: byteCount) { offset, count in
      let file = try FileHandle(forReadingFrom: URL(filePath: path))
      defer { try? file.close() }
      try file.seek(toOffset: UInt64(offset))
      return try file.read(upToCount: count) ?? Data()
    }
    #expect(try reader.items().map(\.content) == Item.document.map(\.content))
  }

  @Test("agrees on code page 437")
  func codePage() throws {
    let text = String(
      decoding: try Python.run(
        "import sys; sys.stdout.buffer.write(bytes(b for b in range(1, 256) if b != 47).decode('cp437').encode())"),
      as: UTF8.self)
    var entry = HandmadeZip.Entry("", [1])
    entry.name = (1...255).filter { $0 != 47 }.map { UInt8($0) }
    entry.madeBy = 20
    let reader = try ZipReader(HandmadeZip(entry).data)
    #expect(Array(reader.entries[0].name.unicodeScalars) == Array(text.unicodeScalars))
  }
}
