// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import DocumentLibraries
import Foundation
import ScaryCreatures
import TestSupport
import Testing
import ToolTestSupport

@testable import ScaryCreaturesTool

private let tool = Program.built("scarycreatures")

@Suite(
  "scarycreatures: interrupts",
  .enabled(if: tool != nil && Python.isPresent, "the program was not built, or python3 is not installed"))
struct InterruptTests {
  /// Starts the program, sends it a signal while it writes, and prints its status and the entries of the folder.
  private static let script = """
    import os, signal, subprocess, sys, time
    program, library, folder, number = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    def default():
        for each in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
            signal.signal(each, signal.SIG_DFL)
    process = subprocess.Popen(
        [program, 'export', '--all', '-o', folder + '/out.zip', '-l', library, '--force'], preexec_fn=default)
    while process.poll() is None and len(os.listdir(folder)) < 2:
        time.sleep(0.001)
    print(sorted(os.listdir(folder))[0])
    process.send_signal(number)
    print(process.wait(), os.listdir(folder))
    """

  @Test("leave the old output alone, and the program ends by the signal", .notHanging, arguments: [1, 2, 15, 9])
  func export(number: Int) throws {
    let scratch = try Scratch()
    try scratch.database().addCreature(title: "Ghost", rating: 3, fullImage: picture(30, 20))
    // A large file takes a while to be exported. It takes no space on most disks.
    let image = scratch.path("library/1.scarycreature/fullImage.png")
    let handle = try FileHandle(forWritingTo: URL(filePath: image))
    try handle.truncate(atOffset: 1 << 28)
    try handle.close()
    _ = try scratch.file("out/out.zip", Data("old".utf8))
    let program = try #require(tool).url.path
    let output = try Python.run(Self.script, [program, scratch.library, scratch.path("out"), "\(number)"])
    let temporary = ".out.zip.keyedarchiver-unfinished"
    let left = number == 9 ? ["\(temporary)", "out.zip"] : ["out.zip"]
    let lines = String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    try #require(lines.count == 2)
    #expect(lines[0] == temporary)
    #expect(lines[1].hasPrefix("-\(number) ["))
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("out")).sorted() == left)
    #expect(try Data(contentsOf: URL(filePath: scratch.path("out/out.zip"))) == Data("old".utf8))
    // The next write removes what is left.
    #expect(scratch.run("delete", "1", "--force").code == .fine)
    try scratch.database().addCreature(title: "Small", rating: 3)
    #expect(scratch.run("export", "--all", "-o", scratch.path("out/out.zip"), "--force").code == .fine)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("out")) == ["out.zip"])
  }
}
