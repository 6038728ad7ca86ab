// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import Foundation
import TestSupport
import Testing
import ToolTestSupport

@testable import KeyedArchiveTool

@Suite("--records")
struct RecordTests {
  private let archive: Data

  init() throws { archive = try Creature.pair() }

  private func line(_ name: String, _ data: Data) -> String { "\(name)\t\(data.base64EncodedString())\n" }

  private static func hex(_ data: Data) -> String { data.map { String(format: "%02x", $0) }.joined() }

  // MARK: Commands

  @Test(
    "info, validate and audit print for each record what they print for a file",
    arguments: ["info", "validate", "audit"])
  func commands(command: String) throws {
    let input = Data((line("a", archive) + line("b\tc", archive)).utf8)
    let run = ToolRun([command, "--records"], input: input)
    var expected = try #require(ToolRun(command, "--json", "-", input: archive).json.first)
    expected["file"] = nil
    #expect(run.code == .fine && run.errors == "")
    #expect(try run.json.map { $0["record"] as? String } == ["a", "b\tc"])
    for var found in try run.json {
      found["record"] = nil
      #expect(found as NSDictionary == expected as NSDictionary)
    }
  }

  @Test("get prints the value of a key path, and an error for a record without it")
  func get() throws {
    let other = Handmade.archive([["Title": .uid(2), "$class": .uid(3)], "Yeti", Handmade.classRecord("A")])
    let input = Data((line("1", archive) + line("2", other)).utf8)
    let titles = ToolRun("get", "--records", "root.Title", input: input)
    #expect(
      titles.output == #"{"schema":1,"record":"1","value":"Ghost"}"# + "\n"
        + #"{"schema":1,"record":"2","value":"Yeti"}"# + "\n")
    let tags = try ToolRun("get", "--records", "root.Tags", input: input).json
    try #require(tags.count == 2)
    #expect(tags[0]["value"] as? [String] == ["white", "loud"] && tags[1]["value"] == nil)
    let error = try #require(tags[1]["error"] as? [String: Any])
    #expect(error["code"] as? String == "valueNotFound" && error["exit"] as? Int == 1)
    #expect(error["message"] as? String == "'root' has no 'Tags'. It has Title")
  }

  @Test("a record that is too large keeps the name before the last tab, as other records do")
  func tooLarge() throws {
    let line = Data("a\tb\tAAAA".utf8)
    let whole = Record([UInt8](line), form: .base64)
    let cut = Record([UInt8](line), isWhole: false, form: .base64)
    #expect(whole.name == "a\tb" && cut.name == whole.name)
    #expect(try whole.content.get() == Data(count: 3))
    let error = #expect(throws: Failure.self) { try cut.content.get() }
    #expect(error?.exit == .limitReached)
    let nameless = Record([UInt8](repeating: UInt8(ascii: "A"), count: 1000), isWhole: false, form: .base64)
    #expect(nameless.name.count < 1000)
  }

  @Test("scan prints a line for each archive in a record, none for other data, and one for a damaged archive")
  func scan() throws {
    let list = HandmadeList.dictionary([("x", .data([UInt8](archive)))]).binary
    let input = Data((line("list", list) + line("text", Data("text".utf8)) + line("cut", archive.dropLast(9))).utf8)
    let run = try ToolRun("scan", "--records", "--nested", input: input).json
    try #require(run.map { $0["record"] as? String } == ["list", "cut"])
    #expect(run[0]["inside"] as? String == "x" && run[0]["format"] as? String == "binary")
    #expect((run[1]["error"] as? [String: Any])?["exit"] as? Int == 4)
    let flat = ToolRun("scan", "--records", input: input)
    #expect(try flat.json.count == 1 && flat.code == .fine && flat.errors == "")
  }

  @Test("--inside opens the archive inside of each record")
  func inside() throws {
    let list = HandmadeList.dictionary([("x", .data([UInt8](archive)))]).binary
    let input = Data((line("1", list) + line("2", archive)).utf8)
    let run = try ToolRun("info", "--records", "--inside", "x", input: input).json
    try #require(run.count == 2)
    #expect(run[0]["inside"] as? String == "x" && run[0]["bytes"] as? Int == archive.count)
    #expect((run[1]["error"] as? [String: Any])?["code"] as? String == "valueNotFound")
    #expect(run[1]["inside"] as? String == "x")
  }

  // MARK: Lines

  @Test(
    "a record that cannot be read is a record with the error",
    arguments: [
      ("no tab", "no tab", "malformedRecord", "found no tab"), ("a\t!", "a", "malformedRecord", "expected Base64"),
      ("a\t", "a", "notAnArchive", "found empty data"), ("\tYQ==", "", "notAPropertyList", "no property list"),
      ("a\tYnBsaXN0MDA=", "a", "truncated", "file too short"),
      ("a\tiVBORw0KGgo=", "a", "notAnArchive", "found a PNG image"),
      ("a\tU1FMaXRlIGZvcm1hdCAzAA==", "a", "notAnArchive", "found a SQLite database"),
    ])
  func errors(text: String, name: String, code: String, message: String) throws {
    let run = ToolRun("info", "--records", input: Data((text + "\n" + line("good", archive)).utf8))
    #expect(run.code == .fine && run.errors == "")
    let lines = try run.json
    try #require(lines.count == 2)
    let error = try #require(lines[0]["error"] as? [String: Any])
    #expect(lines[0]["record"] as? String == name)
    #expect(error["code"] as? String == code, "\(error)")
    #expect((error["message"] as? String ?? "").contains(message), "\(error)")
    #expect(lines[1]["record"] as? String == "good" && lines[1]["error"] == nil)
  }

  @Test("hexadecimal digits, as sqlite3, PostgreSQL and xxd write them")
  func hexadecimal() throws {
    let hex = Self.hex(archive)
    for text in [hex, hex.uppercased(), "\\x\(hex)", "\\\\x\(hex)", "0x\(hex)", "\(hex)\r"] {
      let run = ToolRun("get", "--records", "--hex", "root.Title", input: Data("a\t\(text)\n".utf8))
      #expect(run.output == #"{"schema":1,"record":"a","value":"Ghost"}"# + "\n")
    }
    for text in ["0", "0g", "\\N", "\\\\"] {
      let run = try ToolRun("info", "--records", "--hex", input: Data("a\t\(text)\n".utf8)).json
      #expect((run.first?["error"] as? [String: Any])?["code"] as? String == "malformedRecord")
    }
  }

  @Test("empty lines, the end of the last line, CR LF, and names that are not text")
  func ends() throws {
    let text = "\n\r\n" + line("a", archive).replacing("\n", with: "\r\n") + "\n" + line("b", archive).dropLast()
    let run = ToolRun("get", "--records", "root.Legs", input: Data(text.utf8))
    #expect(
      run.output == #"{"schema":1,"record":"a","value":7}"# + "\n" + #"{"schema":1,"record":"b","value":7}"# + "\n")
    #expect(ToolRun("info", "--records").output == "" && ToolRun("info", "--records").code == .fine)
    let name = ToolRun("get", "--records", "root.Legs", input: Data([0xFF, 0x1B]) + Data(line("", archive).utf8))
    #expect(name.output == "{\"schema\":1,\"record\":\"\u{FFFD}\\u001b\",\"value\":7}\n")
  }

  @Test("a broken input ends the run with an error after the records before it")
  func broken() throws {
    var chunks = [[UInt8](line("a", archive).utf8)]
    var (out, err) = (Data(), Data())
    let input = StandardInput(
      isTerminal: false,
      chunk: { () throws(Failure) in
        guard let chunk = chunks.popLast() else { throw Failure(.unreadable, "fileAccess", "cannot be read: broken") }
        return chunk
      }
    ) { Data() }
    let console = Console(
      tool: .keyedarchive, input: input,
      output: TextOutput(isTerminal: false) {
        out += $0
        return .written
      },
      errors: TextOutput(isTerminal: false) {
        err += $0
        return .written
      })
    let code = Tool.run(["info", "--records"], on: console)
    #expect(code == .unreadable && String(decoding: err, as: UTF8.self).contains("cannot be read: broken"))
    #expect(String(decoding: out, as: UTF8.self).hasPrefix(#"{"schema":1,"record":"a","format":"binary""#))
  }

  @Test("threads give the same lines in the same order")
  func threads() throws {
    let lines = (0..<100).map { $0.isMultiple(of: 7) ? "\($0)\tbad\n" : line("\($0)", archive) }
    let input = Data(lines.joined().utf8)
    let expected = ToolRun("info", "--records", input: input)
    #expect(expected.lines.count == 100)
    for jobs in ["2", "7"] {
      #expect(ToolRun("info", "--records", "-j", jobs, input: input).data == expected.data, "\(jobs)")
    }
  }

  @Test(
    "usage errors",
    arguments: [
      (["info", "--records", "file"], "info: unexpected argument 'file'"),
      (["info", "--hex", "-"], "'--hex' requires '--records'"),
      (["info", "--jobs", "2", "-"], "'--jobs' requires '--records'"),
      (["info", "--records", "-j", "0"], "invalid value '0' for '--jobs': expected a whole number from 1 to 256"),
      (["get", "--records"], "get: KEYPATH is missing"),
      (["get", "--records", "--raw", "root"], "'--raw' excludes '--records'"),
      (["audit", "--records", "--swift"], "'--swift' and '--records' exclude each other"),
    ])
  func usage(arguments: [String], message: String) {
    let run = ToolRun(arguments)
    #expect(run.code == .usage && run.errors.contains(message), "\(run.errors)")
  }

  @Test("scan --errors-as-records prints errors as lines of the output")
  func errorsAsRecords() throws {
    let folder = try ScratchFolder()
    let good = try folder.file("good", archive)
    let cut = try folder.file("cut", archive.dropLast(9))
    let run = ToolRun("scan", "--errors-as-records", folder.url.path, "/no/such/file")
    #expect(run.code == .fine && run.errors == "")
    let lines = try run.json
    try #require(lines.map { $0["file"] as? String } == [cut, good, "/no/such/file"])
    #expect((lines[0]["error"] as? [String: Any])?["exit"] as? Int == 4 && lines[1]["error"] == nil)
    let error = lines[2]["error"] as? [String: Any]
    #expect(error?["code"] as? String == "fileAccess" && error?["message"] as? String == "no such file")
  }

  // MARK: Programs

  private static let program = Program.built("keyedarchive")
  private static let bash = Program.installed("bash")

  @Test(
    "answers each record before it waits for the next",
    .enabled(if: program != nil && bash != nil, "bash is not installed, or the program was not built"),
    arguments: ["1", "2"])
  func conversation(jobs: String) throws {
    let script = """
      coproc "$0" info --records -j "$2"
      for i in 1 2 3; do printf '%s\\n' "$1" >&${COPROC[1]}; read -r -t 20 line <&${COPROC[0]} || exit 9; echo "${#line}"; done
      """
    let text = String(line("a", archive).dropLast())
    let run = try #require(Self.bash).run(["-c", script, try #require(Self.program).url.path, text, jobs])
    #expect(run.code == 0 && run.output.split(separator: "\n").count == 3, "\(run.errors)")
  }

  @Test(
    "memory does not grow with the number of records", .notHanging,
    .enabled(
      if: program != nil && bash != nil && FileManager.default.fileExists(atPath: "/proc/self/status"),
      "needs the built program, bash and /proc"),
    arguments: ["1", "2"])
  func memory(jobs: String) throws {
    // 18 lines of 512 KiB. The memory of the first six is that of all.
    let folder = try ScratchFolder()
    let line = "a\t" + String(repeating: "A", count: 1 << 19) + "\n"
    let path = try folder.file("lines", Data(String(repeating: line, count: 6).utf8))
    let script = """
      coproc "$0" info --records -j "$2"
      for i in 1 2 3; do
        cat "$1" >&${COPROC[1]}
        for line in 1 2 3 4 5 6; do read -r -t 600 line <&${COPROC[0]} || exit 9; done
        awk '/^VmHWM:/ { print $2 }' /proc/$COPROC_PID/status
      done
      """
    let run = try #require(Self.bash).run(["-c", script, try #require(Self.program).url.path, path, jobs])
    let kilobytes = run.output.split(separator: "\n").compactMap { Int($0) }
    try #require(run.code == 0 && kilobytes.count == 3, "\(run.errors)")
    #expect(kilobytes[2] < 48_000 && kilobytes[2] - kilobytes[0] < 3000)
  }

  /// Makes a database like that of Core Data with transformable columns, and returns its path.
  private func database(_ folder: ScratchFolder) throws -> String {
    let path = folder.path("store.sqlite")
    let program = """
      import sqlite3, sys
      archive = sys.stdin.buffer.read()
      db = sqlite3.connect(sys.argv[1])
      db.execute('CREATE TABLE ZITEM (Z_PK INTEGER PRIMARY KEY, ZCOLOR BLOB)')
      db.executemany('INSERT INTO ZITEM (ZCOLOR) VALUES (?)', [(archive,), (b'not an archive',), (None,), (archive,)])
      db.commit()
      """
    _ = try Python.run(program, [path], input: archive)
    return path
  }

  /// The lines that the page's commands print for the database: NULL is left out.
  private func checkDatabaseLines(_ output: String) throws {
    let lines = try output.split(separator: "\n").map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    try #require(lines.map { $0["record"] as? String } == ["1", "2", "4"])
    #expect(lines.map { $0["error"] == nil } == [true, false, true])
    #expect((lines[0]["classes"] as? [String] ?? []).contains("Zoo.Creature"))
  }

  @Test(
    "reads the blobs of a SQLite database from sqlite3",
    .enabled(
      if: program != nil && bash != nil && Program.installed("sqlite3") != nil && Python.isPresent,
      "sqlite3, bash or python3 is not installed, or the program was not built"))
  func sqlite() throws {
    let folder = try ScratchFolder()
    let path = try database(folder)
    let script = """
      sqlite3 -separator $'\\t' "$1" 'SELECT Z_PK, hex(ZCOLOR) FROM ZITEM WHERE ZCOLOR IS NOT NULL' |
        "$0" info --records --hex
      """
    let run = try #require(Self.bash).run(["-c", script, try #require(Self.program).url.path, path])
    try checkDatabaseLines(run.output)
  }

  @Test(
    "reads the blobs of a SQLite database from Python",
    .enabled(if: program != nil && Python.isPresent, "python3 is not installed, or the program was not built"))
  func python() throws {
    let folder = try ScratchFolder()
    let path = try database(folder)
    let program = """
      import base64, sqlite3, subprocess, sys
      run = subprocess.Popen([sys.argv[1], 'info', '--records'], stdin=subprocess.PIPE)
      with run.stdin as out:
          for key, blob in sqlite3.connect(sys.argv[2]).execute('SELECT Z_PK, ZCOLOR FROM ZITEM WHERE ZCOLOR IS NOT NULL'):
              out.write(b'%d\\t%s\\n' % (key, base64.b64encode(blob)))
      sys.exit(run.wait())
      """
    let output = try Python.run(program, [try #require(Self.program).url.path, path])
    try checkDatabaseLines(String(decoding: output, as: UTF8.self))
  }
}
