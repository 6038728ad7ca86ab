// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing
import ToolTestSupport

@testable import KeyedArchiveTool

@Suite(
  "audit and diff, against Python", .enabled(if: Python.isPresent, "\(Python.isAbsent)"),
  .enabled(if: Corpus.isPresent, "\(Locations.sharedIsAbsent)"))
struct AuditOracleTests {
  /// Counts the reachable objects by class, and the keys of each class.
  private static let counter = """
    import json, plistlib, sys
    for path in sys.stdin.read().split("\\n"):
        with open(path, "rb") as file: archive = plistlib.load(file)
        objects, seen, counts, keys = archive["$objects"], set(), {}, {}
        def refs(value):
            if isinstance(value, plistlib.UID): yield value.data
            elif isinstance(value, list):
                for item in value: yield from refs(item)
            elif isinstance(value, dict):
                for item in value.values(): yield from refs(item)
        stack = list(refs(archive["$top"]))
        while stack:
            uid = stack.pop()
            if uid in seen or objects[uid] == "$null": continue
            seen.add(uid)
            value = objects[uid]
            if isinstance(value, dict):
                if "$classname" in value: continue
                name = objects[value["$class"].data]["$classname"]
                content = {key: item for key, item in value.items() if key != "$class"}
                for key in content: keys[name + "." + key] = keys.get(name + "." + key, 0) + 1
                stack.extend(refs(content))
            else:
                name = "NSString" if isinstance(value, str) else "NSData" if isinstance(value, bytes) else "NSNumber"
            counts[name] = counts.get(name, 0) + 1
        print(json.dumps([counts, keys]))
    """

  /// A sample; with `WHOLE_TESTS`, all archives.
  @Test("counts the same objects by class and the same keys in binary archives of the corpus", .notHanging)
  func counts() throws {
    let files = Corpus.sample(every: 6).filter { $0.name.hasSuffix(".bplist") }.map(\.url.path)
    let answers = try Python.run(Self.counter, input: Data(files.joined(separator: "\n").utf8)).split(
      separator: UInt8(ascii: "\n"))
    #expect(answers.count == files.count && files.count > Sample.count(30, of: 400))
    for (file, answer) in zip(files, answers) {
      let expected = try #require(try JSONSerialization.jsonObject(with: answer) as? [[String: Int]])
      let audit = try #require(try ToolRun("audit", "--json", file).json.first?["classes"] as? [[String: Any]])
      var counts: [String: Int] = [:]
      var keys: [String: Int] = [:]
      for use in audit {
        let name = try #require(use["class"] as? String)
        counts[name] = use["objects"] as? Int
        for key in use["keys"] as? [[String: Any]] ?? [] {
          keys["\(name).\(key["key"] as? String ?? "")"] = key["count"] as? Int
        }
      }
      #expect(counts == expected[0], "\(file)")
      #expect(keys == expected[1], "\(file)")
    }
  }

  /// Rewrites an archive after one edit, with its UIDs in reverse order.
  private static let editor = """
    import plistlib, sys
    data = sys.stdin.buffer.read()
    archive = plistlib.loads(data)
    objects = archive["$objects"]
    count = len(objects)
    place = lambda number: number if number == 0 else count - number
    def move(value):
        if isinstance(value, plistlib.UID): return plistlib.UID(place(value.data))
        if isinstance(value, list): return [move(item) for item in value]
        if isinstance(value, dict): return {key: move(item) for key, item in reversed(list(value.items()))}
        return value
    moved = [None] * count
    for number, value in enumerate(objects): moved[place(number)] = move(value)
    for number, value in enumerate(moved):
        if value == sys.argv[1]: moved[number] = sys.argv[2]
    archive["$objects"], archive["$top"] = moved, move(archive["$top"])
    sys.stdout.buffer.write(plistlib.dumps(archive, fmt=plistlib.FMT_BINARY, sort_keys=False))
    """

  @Test("finds one changed title and wider reals in an archive that Python rewrote")
  func edited() throws {
    let folder = try ScratchFolder()
    let old = Locations.fixtures.appending(path: "made/creatures.plist")
    let title = ToolRun("get", old.path, "root[1].Title").output.split(separator: "\n").first.map(String.init) ?? ""
    let new = try folder.file("new", Python.run(Self.editor, [title, "A new one"], input: Data(contentsOf: old)))
    #expect(
      ToolRun("diff", "--ignore", "form", old.path, new).lines == [#"~ root[1].Title: "\#(title)" → "A new one""#])
    #expect(
      ToolRun("diff", old.path, new).lines.filter { $0.hasPrefix("= ") }.allSatisfy { $0.contains("(float) inline") })
  }
}
