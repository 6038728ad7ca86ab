// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing

@testable import KeyedArchiveTool

/// The commands of the page "Archives in databases" for programs that few machines have. They skip where one is absent.
@Suite("Archives in databases", .notHanging)
struct DatabaseTests {
  private let folder: ScratchFolder
  private let archive: Data

  init() throws {
    folder = try ScratchFolder()
    archive = try Creature.pair()
  }

  private static let program = Program.built("keyedarchive")
  private static let bash = Program.installed("bash")
  private static let page = Locations.package.appending(
    path: "Sources/ArchiveTools/ArchiveTools.docc/ArchivesInDatabases.md")

  /// The page's first block of code with a text, without the name of its language.
  private func documented(_ text: String) throws -> String {
    let blocks = try String(contentsOf: Self.page, encoding: .utf8).components(separatedBy: "```")
    let block = try #require(blocks.enumerated().first { $0.offset % 2 == 1 && $0.element.contains(text) }?.element)
    let lines = block.split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
    return lines.joined(separator: "\n")
  }

  private func json(_ output: some StringProtocol) throws -> [[String: Any]] {
    try output.split(separator: "\n").filter { $0.hasPrefix("{") }.map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  // MARK: PostgreSQL

  /// The folder of the server's programs; nil if PostgreSQL is not installed, or cannot run here because root may not run
  /// it and the system has no user for it.
  private static let postgres: String? = {
    let script = """
      for name in "$(command -v initdb)" /usr/lib/postgresql/*/bin/initdb; do
        [ -x "$name" ] || continue
        [ "$(id -u)" != 0 ] || { id postgres && command -v runuser; } > /dev/null 2>&1 || continue
        dirname "$(readlink -f "$name")"; break
      done
      """
    let folder = (try? bash?.run(["-c", script]))?.output.split(separator: "\n").first.map(String.init)
    return folder.flatMap { Program.installed("psql") == nil ? nil : $0 }
  }()

  @Test(
    "the command for PostgreSQL prints the values of a bytea column",
    .enabled(if: program != nil && postgres != nil, "PostgreSQL is not installed, or the program was not built"))
  func postgreSQL() throws {
    let script = """
      set -e
      programs=$1; folder=$2; hex=$3; PATH=$4:$PATH
      as() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }
      # The names of sockets have at most about 100 bytes.
      place=$(mktemp -d /tmp/pg.XXXXXX)
      if [ "$(id -u)" = 0 ]; then chown postgres "$place"; fi
      trap 'as "$programs/pg_ctl" -D "$place/db" -m immediate stop > /dev/null 2>&1 || true; rm -rf "$place"' EXIT
      cd /
      as "$programs/initdb" -D "$place/db" -A trust -U tester --no-sync > /dev/null
      as "$programs/pg_ctl" -D "$place/db" -w -l "$place/log" -o "-c listen_addresses= -k $place" start > /dev/null
      export PGHOST=$place PGUSER=tester
      psql -q -d postgres -c 'CREATE DATABASE shop'
      psql -q -d shop -c "CREATE TABLE carts (id int, state bytea)" -c "INSERT INTO carts VALUES
        (1, '\\\\x$hex'), (2, NULL), (3, 'no archive'), (4, '\\\\x$hex')"
      \(try documented("psql -d shop").replacing("root.items", with: "root.Title"))
      """
    let bash = try #require(Self.bash)
    let program = try #require(Self.program).url.deletingLastPathComponent().path
    let hex = archive.map { String(format: "%02x", $0) }.joined()
    let run = try bash.run(["-c", script, "bash", try #require(Self.postgres), folder.url.path, hex, program])
    #expect(run.code == 0, "\(run.errors)")
    let lines = try json(run.output)
    try #require(lines.map { $0["record"] as? String } == ["1", "3", "4"], "\(run.errors)")
    #expect(lines.map { $0["value"] as? String } == ["Ghost", nil, "Ghost"])
    #expect((lines[1]["error"] as? [String: Any])?["exit"] as? Int == 4)
  }

  // MARK: Spark

  /// Whether Spark's library for Python and Java are installed.
  private static let hasSpark: Bool =
    Program.installed("java") != nil && (try? Python.run("import pyspark")) != nil

  /// Runs the page's code after some of our own, and returns what it prints.
  private func spark(_ setup: String, _ code: String, _ end: String) throws -> String {
    let program = try #require(Self.program).url.path
    let start = """
      import sys
      from pyspark.sql import SparkSession
      spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
      sc = spark.sparkContext
      """
    let text = [start, setup, code.replacing("\"keyedarchive ", with: "\"\(program) "), end].joined(separator: "\n")
    return String(decoding: try Python.run(text, [], input: archive, in: folder.url), as: UTF8.self)
  }

  @Test(
    "the code for Spark audits the archives of a table",
    .enabled(if: program != nil && hasSpark, "pyspark or Java is not installed, or the program was not built"))
  func sparkTable() throws {
    let output = try spark(
      """
      archive = sys.stdin.buffer.read()
      rows = [(number, bytearray(b"no archive" if number % 5 == 4 else archive)) for number in range(20)]
      spark.createDataFrame(rows, "id int, state binary").createOrReplaceTempView("carts")
      """, documented("spark.table"),
      """
      for row in result.orderBy(result.record.cast("int")).toJSON().collect(): print(row)
      """)
    let lines = try json(output)
    try #require(lines.map { $0["record"] as? String } == (0..<20).map { "\($0)" })
    #expect(lines.map { $0["error"] != nil } == (0..<20).map { $0 % 5 == 4 })
    #expect((lines[0]["allow"] as? [String])?.contains("Zoo.Creature") == true)
  }

  @Test(
    "the code for Spark scans files, and keeps the damaged ones in the result",
    .enabled(if: program != nil && hasSpark, "pyspark or Java is not installed, or the program was not built"))
  func sparkFiles() throws {
    let good = try folder.file("good", archive)
    let cut = try folder.file("cut", archive.dropLast(9))
    _ = try folder.file("paths.txt", Data("\(good)\n\(cut)\n".utf8))
    let output = try spark(
      "", "result = " + documented("sc.textFile"), "for line in result.collect(): print(line)")
    let lines = try json(output)
    #expect(Set(lines.compactMap { $0["file"] as? String }) == [good, cut])
    #expect(lines.first { $0["file"] as? String == cut }?["error"] != nil)
    #expect(lines.first { $0["file"] as? String == good }?["error"] == nil)
  }
}
