// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing
import ToolTestSupport

@Suite(
  "The keyedarchive process", .enabled(if: program != nil, "the program was not built"))
struct ProcessTests {
  @Test(
    "exit codes",
    arguments: [
      (["info", nsurl], 0), (["get", nsurl, "root.x"], 1), (["--nonsense"], 2), (["info", "/no/such/file"], 3),
      (["info", #filePath], 4), (["validate", "--allow", "X", nsurl], 5),
      (["convert", nsurl, "--to", "binary", "-o", "/no/such/folder/x"], 7),
    ] as [([String], Int32)])
  func exitCodes(arguments: [String], code: Int32) throws {
    #expect(try #require(program).run(arguments).code == code)
  }

  @Test("writes data to standard output, and messages to standard error")
  func streams() throws {
    let run = try #require(program).run(["info", nsurl, "/no/such/file"])
    #expect(run.output.hasPrefix("\(nsurl): binary") && !run.output.contains("no such"))
    #expect(run.errors.hasPrefix("keyedarchive: /no/such/file: no such file\n"))
  }

  @Test(
    "reads /dev/stdin, and the output of commands of the shell",
    .enabled(
      if: FileManager.default.fileExists(atPath: "/dev/fd") && Program.installed("bash") != nil,
      "bash is not installed, or there is no /dev/fd"),
    arguments: [
      #"cat "$1" | "$0" tree /dev/stdin"#, #""$0" tree /dev/stdin < "$1""#, #""$0" tree <(cat "$1")"#,
      #""$0" diff <(cat "$1") <(sleep 0.1; cat "$1") && "$0" tree /dev/fd/3 3< <(cat "$1")"#,
    ])
  func pipes(command: String) throws {
    let bash = try #require(Program.installed("bash"))
    let run = try bash.run(["-c", command, try #require(program).url.path, nsurl])
    #expect(run.code == 0 && run.errors == "" && run.output == ToolRun("tree", nsurl).output, "\(run.errors)")
  }

  @Test(
    "a path of an argument names the same file as for other programs",
    .enabled(if: Program.installed("bash") != nil, "bash is not installed"))
  func paths() throws {
    let bash = try #require(Program.installed("bash"))
    let folder = try ScratchFolder()
    let first = Handmade.archive([["n": 1, "$class": .uid(2)], Handmade.classRecord("A")])
    let second = Handmade.archive([["n": 2, "$class": .uid(2)], Handmade.classRecord("A")])
    _ = try folder.file("first", first)
    _ = try folder.file("second", second)
    // `cat`, and the shell that opens files to read and write, decide which file a path names.
    let script = #"""
      program=$0; top=$1; cd "$top"
      tree() {
        rm -rf "$1"; mkdir -p "$1/real/deep" "$1/~"; cd "$1"
        ln -s real/deep link; ln -s ../new real/deep/dangling; ln -s link/../in.plist chain
        cp "$top/first" in.plist; cp "$top/second" real/in.plist; cp "$top/second" '~/in.plist'
      }
      paths=(in.plist ./in.plist link/../in.plist link/../../in.plist ./link/./../in.plist '~/in.plist' './~/in.plist'
        chain real/deep/../../chain link/dangling real/deep/dangling link/../none '~/none' none/../in.plist in.plist/
        new/ "$top/tree/link/../in.plist")
      [[ ${#paths[@]} == $2 ]] || echo "${#paths[@]} paths"
      shift 2
      for number; do
        path=${paths[number]}
        tree "$top/tree"
        cmp -s <("$program" convert --to binary "$path" 2> /dev/null) <(cat "$path" 2> /dev/null) || echo "read $path"
        "$program" convert --to binary "$top/second" -o "$path" 2> /dev/null; mv "$top/tree" "$top/mine"
        tree "$top/tree"; { cat "$top/second" > "$path"; } 2> /dev/null; cd "$top"
        diff -r --no-dereference mine tree || echo "write $path"; rm -rf mine
        tree "$top/tree"; [[ -f $path ]] || continue
        "$program" migrate --force --rename-class A=B "$path" > /dev/null || echo "migrate $path"
        grep -q B "$path" || echo "migrate another file than $path"
        [[ $(grep -rl B . | wc -l) == 1 ]] || echo "migrate more files than $path"
      done
      tree "$top/tree"; "$program" migrate --force --rename-class A=B --backup '~/old' '~' > /dev/null 2>&1
      "$program" scan '~' | grep -o '"file":"[^"]*"' | sort
      tree "$top/tree"; "$program" migrate --force --rename-class A=B --backup link/../old in.plist > /dev/null
      ls real/old; "$program" migrate --force --undo link/../old in.plist; cmp in.plist "$top/first"
      """#
    // Every third path; with `WHOLE_TESTS`, all.
    let count = 17
    let numbers = Sample.cases(0..<count, each: 3).map(String.init)
    let run = try bash.run(
      ["-c", script, try #require(program).url.path, folder.url.path, "\(count)"] + numbers)
    #expect(run.errors == "")
    #expect(
      run.output.split(separator: "\n") == [
        #""file":"~/in.plist""#, #""file":"~/old/~/in.plist""#, "in.plist", "in.plist\trestored",
      ])
  }

  @Test(
    "writes to an open stream after what is in its file",
    .enabled(
      if: FileManager.default.fileExists(atPath: "/dev/fd") && Program.installed("bash") != nil,
      "bash is not installed, or there is no /dev/fd"), arguments: ["/dev/stdout", "/dev/fd/1", "/dev/fd/3", "-"])
  func streams(path: String) throws {
    let bash = try #require(Program.installed("bash"))
    let folder = try ScratchFolder()
    let script = """
      convert() { "$0" convert "$1" --to binary -o "$2"; }
      { echo before; convert "$@"; echo after; } > "$3" 3>&1; convert "$@" >> "$3" 3>&1
      """
    let out = folder.path("out")
    let run = try bash.run(["-c", script, try #require(program).url.path, nsurl, path, out])
    #expect(run.code == 0 && run.errors == "", "\(run.errors)")
    let archive = try Data(contentsOf: URL(filePath: nsurl))
    #expect(
      try Data(contentsOf: URL(filePath: out)) == Data("before\n".utf8) + archive + Data("after\n".utf8) + archive)
  }

  @Test("reads standard input for '-'")
  func standardInput() throws {
    let run = try #require(program).run(["tree", "-"], input: Data(contentsOf: URL(filePath: nsurl)))
    #expect(run.output == "root: NSURL \"https://nuomi1.github.io/\" #1\n" && run.code == 0)
  }

  @Test(
    "ends quietly if a pipe closes early",
    .enabled(if: Program.installed("bash") != nil, "bash is not installed"),
    arguments: [
      ["tree", "FILE"], ["get", "FILE", "root"], ["get", "--json", "FILE", "root"],
      ["convert", "FILE", "--to", "json"],
      ["convert", "FILE", "--to", "json", "--plain"], ["convert", "FILE", "--to", "xml"],
      ["validate", "FILE"],
      ["validate", "--json", "FILE"], ["info"] + [String](repeating: "FILE", count: 500),
      ["roundtrip"] + [String](repeating: "FILE", count: 100), ["scan"] + [String](repeating: "FILE", count: 500),
      ["manual"], ["completions", "zsh"],
    ])
  func closedPipe(_ arguments: [String]) throws {
    let bash = try #require(Program.installed("bash"))
    let folder = try ScratchFolder()
    // More output than a pipe holds; for commands with one line per file or finding, many of these.
    let isLines = ["info", "roundtrip", "scan"].contains(arguments[0])
    let file =
      if arguments[0] == "validate" {
        Handmade.archive([Handmade.classRecord("A")] + [HandmadeList](repeating: "nobody refers to it", count: 2000))
      } else {
        try Link.chain(isLines ? 2 : 4000)
      }
    let path = try folder.file("file.plist", file)
    let words = arguments.map { $0 == "FILE" ? path : $0 }
    let program = try #require(program).url.path
    let script = "\"$0\" \"$@\" | head -c 10 | wc -c; echo ${PIPESTATUS[0]}"
    let run = try bash.run(["-c", script, program] + words)
    #expect(run.output.split(whereSeparator: \.isWhitespace) == ["10", "0"], "\(run.output)")
    #expect(run.errors == "")
  }

  @Test(
    "says that binary output is incomplete if a pipe closes early",
    .enabled(if: Program.installed("bash") != nil, "bash is not installed"))
  func closedBinaryPipe() throws {
    let bash = try #require(Program.installed("bash"))
    let folder = try ScratchFolder()
    let path = try folder.file("file.plist", Link.chain(20_000))
    let script = "\"$0\" convert \"$1\" --to binary | head -c 10 | wc -c; echo ${PIPESTATUS[0]}"
    let run = try bash.run(["-c", script, try #require(program).url.path, path])
    #expect(run.output.split(whereSeparator: \.isWhitespace) == ["10", "7"], "\(run.output)")
    #expect(run.errors.contains("cannot write '-': the reader closed the pipe"), "\(run.errors)")
  }

  @Test(
    "refuses an argument that is not valid UTF-8, and changes no file", .enabled(if: Program.installed("bash") != nil))
  func invalidArgument() throws {
    let bash = try #require(Program.installed("bash"))
    let folder = try ScratchFolder()
    // The name that a lossy conversion of the argument would give.
    let path = try folder.file("a\u{FFFD}.plist", Handmade.archive([Handmade.classRecord("A")]))
    let before = try Data(contentsOf: URL(filePath: path))
    let script = "cd \"$1\" && \"$0\" migrate --force --rename-class A=B $'a\\377.plist'"
    let run = try bash.run(["-c", script, try #require(program).url.path, folder.url.path])
    #expect(run.code == 2 && run.output == "")
    #expect(
      run.errors.hasPrefix("keyedarchive: argument 5, ") && run.errors.contains(" is not valid UTF-8. Rename the file"))
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
  }

  @Test(
    "an argument that is not valid UTF-8 is an error in JSON with --json",
    .enabled(if: Program.installed("bash") != nil))
  func invalidArgumentJSON() throws {
    let bash = try #require(Program.installed("bash"))
    func errors(_ arguments: String) throws -> String {
      let run = try bash.run(["-c", "\"$0\" info \(arguments)", try #require(program).url.path])
      #expect(run.code == 2 && run.output == "")
      return run.errors
    }
    let line =
      try JSONSerialization.jsonObject(with: Data(try errors(#"--json $'a\377.plist'"#).utf8)) as? [String: Any]
    let error = try #require(line?["error"] as? [String: Any])
    #expect(error["code"] as? String == "usage" && error["exit"] as? Int == 2)
    #expect((error["message"] as? String)?.hasPrefix("argument 3, ") == true)
    #expect(try errors(#"-- $'a\377.plist' --json"#).hasPrefix("keyedarchive: argument 3, "))
  }

  @Test(
    "an interrupted migration reports each file that it replaced",
    .enabled(if: Program.installed("bash") != nil, "bash is not installed"), .notHanging, arguments: ["INT", "TERM"])
  func interrupt(signal: String) throws {
    let bash = try #require(Program.installed("bash"))
    let folder = try ScratchFolder()
    let tree = folder.url.appending(path: "tree")
    try FileManager.default.createDirectory(at: tree, withIntermediateDirectories: true)
    let old = Handmade.archive([["$class": .uid(2)], Handmade.classRecord("A")])
    for number in 0..<200 { try old.write(to: tree.appending(path: "\(number).plist")) }
    // The signal comes when the first file has a backup. On a busy machine, the run may end before it.
    let script = """
      set -m; "$0" migrate -j 1 --rename-class A=B --backup "$1/old" "$1/tree" > "$1/out" 2> "$1/err" & id=$!
      until [[ -e "$1/old/tree" ]]; do :; done; kill -\(signal) $id; wait $id; echo $?
      """
    let run = try bash.run(["-c", script, try #require(program).url.path, folder.url.path])
    let isInterrupted = run.output == (signal == "INT" ? "130\n" : "143\n")
    #expect(isInterrupted || run.output == "0\n", "\(run.output)\(run.errors)")
    let replaced = try (0..<200).count { try Data(contentsOf: tree.appending(path: "\($0).plist")) != old }
    let lines = try String(contentsOfFile: folder.path("out"), encoding: .utf8).split(separator: "\n")
    #expect(lines.count == replaced && (replaced < 200) == isInterrupted)
    let errors = try String(contentsOfFile: folder.path("err"), encoding: .utf8)
    #expect(errors.contains("\(replaced) migrated, "))
    #expect(errors.contains("interrupted; to continue, run the command again") == isInterrupted)
  }

  @Test(
    "an interrupted undo reports each file that it restored",
    .enabled(if: Program.installed("bash") != nil, "bash is not installed"), .notHanging)
  func interruptUndo() throws {
    let bash = try #require(Program.installed("bash"))
    let folder = try ScratchFolder()
    let tree = folder.url.appending(path: "tree")
    try FileManager.default.createDirectory(at: tree, withIntermediateDirectories: true)
    let old = Handmade.archive([["$class": .uid(2)], Handmade.classRecord("A")])
    _ = try folder.file("a", old)
    for number in 0..<200 { try old.write(to: tree.appending(path: "\(number).plist")) }
    // The signal comes when the first file is restored. On a busy machine, the run may end before it.
    let script = """
      set -m; "$0" migrate -q --rename-class A=B --backup "$1/old" "$1/tree" > /dev/null
      "$0" migrate --force --undo "$1/old" "$1/tree" > "$1/out" 2> "$1/err" & id=$!
      until cmp -s "$1/a" "$1/tree/0.plist"; do :; done; kill -TERM $id; wait $id; echo $?
      """
    let run = try bash.run(["-c", script, try #require(program).url.path, folder.url.path])
    let isInterrupted = run.output == "143\n"
    #expect(isInterrupted || run.output == "0\n", "\(run.output)\(run.errors)")
    let restored = try (0..<200).count { try Data(contentsOf: tree.appending(path: "\($0).plist")) == old }
    let lines = try String(contentsOfFile: folder.path("out"), encoding: .utf8).split(separator: "\n")
    #expect(lines.count == restored && (restored < 200) == isInterrupted)
    let errors = try String(contentsOfFile: folder.path("err"), encoding: .utf8)
    #expect(errors.contains("\(restored) restored, "))
    #expect(errors.contains("interrupted; to continue, run the command again") == isInterrupted)
  }

  @Test(
    "in a folder that was removed, or whose path is not UTF-8, a relative path of an output writes nothing",
    .enabled(if: Program.installed("bash") != nil, "bash is not installed"))
  func unnamedFolder() throws {
    let bash = try #require(Program.installed("bash"))
    let folder = try ScratchFolder()
    let name = "keyedarchive-\(UUID())"
    // The disk of a Mac refuses the name, and the run then ends early.
    let script = #"""
      cp "$2" "$1/a.plist"; migrate=(migrate --rename-class NSURL=X)
      run() { "$0" "$@" 2>&1; echo "$?"; }
      try() {
        run convert "$1/a.plist" --to xml -o "$2"; run "${migrate[@]}" --backup "$2" "$1/a.plist"
        run "${migrate[@]}" -n -o "$2" "$1/a.plist"; run "${migrate[@]}" -o "$1/absolute" "$1/a.plist"
      }
      mkdir "$1/gone"; cd "$1/gone"; rmdir "$1/gone"; try "$1" "$3"; ls -d "/$3" 2> /dev/null
      mkdir "$1/"$'bad\377' 2> /dev/null && cd "$1/"$'bad\377' && try "$1" "$3" && run info ../a.plist
      cmp "$1/a.plist" "$2"; cd "$1"; find . | wc -l
      """#
    let run = try bash.run(["-c", script, try #require(program).url.path, folder.url.path, nsurl, name])
    let lines = run.output.split(separator: "\n").map(String.init)
    let gone = lines.filter { $0.contains("cannot find the current folder: ") }
    #expect(gone.count == 3 && lines.contains("7") && lines.contains("2"), "\(run.output)")
    #expect(!lines.contains("/\(name)"))
    let hasBad = lines.contains { $0.contains("the path of the current folder is not valid UTF-8") }
    // The folder, the archive, the output of an absolute path, and the folder whose name is not UTF-8.
    #expect(lines.last.map { $0.filter(\.isNumber) } == (hasBad ? "4" : "3"), "\(run.output)")
    if hasBad { #expect(lines.filter { $0.contains("is not valid UTF-8") }.count == 3) }
  }

  @Test(
    "a pipe is read once: it can be migrated to another file, with a note about a rule without effect",
    .enabled(
      if: FileManager.default.fileExists(atPath: "/dev/fd") && Program.installed("bash") != nil,
      "bash is not installed, or there is no /dev/fd"), .notHanging,
    arguments: [
      #"mkfifo "$1/pipe"; cat "$2" > "$1/pipe" & "$0" migrate --top-key nope=a -o "$1/out" "$1/pipe""#,
      #""$0" migrate --top-key nope=a -o "$1/out" <(cat "$2")"#, #""$0" migrate --top-key nope=a -o "$1/out" - < "$2""#,
    ])
  func migratedPipe(command: String) throws {
    let bash = try #require(Program.installed("bash"))
    let folder = try ScratchFolder()
    let run = try bash.run(["-c", command, try #require(program).url.path, folder.url.path, nsurl])
    #expect(run.code == 0 && run.errors.contains("'--top-key nope=a' matches nothing: "), "\(run.errors)")
    #expect(try Data(contentsOf: folder.url.appending(path: "out")) == Data(contentsOf: URL(filePath: nsurl)))
  }

  @Test(
    "ends with exit code 7 on a full disk",
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "no /dev/full here"),
    arguments: ["info", "textconv"])
  func fullDisk(command: String) throws {
    let program = try #require(program).url.path
    let script = "\"$0\" \(command) \"$1\" > /dev/full"
    let run = try #require(Program.installed("sh")).run(["-c", script, program, nsurl])
    #expect(run.code == 7 && run.errors.hasPrefix("keyedarchive: standard output: cannot be written: "))
  }
}

/// The program built beside the tests.
private let program = Program.built("keyedarchive")
