// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing
import ToolTestSupport

@testable import KeyedArchiveTool

@Suite("The page of JSON schemas")
struct OutputSchemaTests {
  private static let hasValidator = (try? Python.run("import jsonschema")) != nil

  /// Validates JSON by the schemas on the page. The arguments are the page; the input has for each schema its lines.
  private static let validator = """
    import json, re, sys
    from jsonschema import Draft202012Validator
    page = open(sys.argv[1], encoding='utf-8').read()
    schemas = dict(re.findall(r'^### ([^\\n]+)\\n.*?^```json\\n(.*?)^```', page, re.M | re.S))
    lines = json.load(sys.stdin)
    assert sorted(schemas) == sorted(lines), (sorted(schemas), sorted(lines))
    count = 0
    for name, texts in lines.items():
        schema = json.loads(schemas[name])
        Draft202012Validator.check_schema(schema)
        validator = Draft202012Validator(schema)
        assert not validator.is_valid({'schema': 1}), name
        assert texts, name
        for text in texts:
            extra = set(json.loads(text)) - set(schema.get('properties', json.loads(text)))
            assert not extra, (name, extra)
            for error in validator.iter_errors(json.loads(text)):
                sys.exit(f'{name}: {error.message} in {text[:300]}')
            count += 1
    print(count)
    """

  @Test(
    "each JSON output is valid by its schema",
    .enabled(if: hasValidator, "Python's jsonschema is not installed"))
  func outputs() throws {
    let folder = try ScratchFolder()
    let archive = try Creature.pair()
    let file = try folder.file("a.plist", archive)
    let box = Handmade.archive([["Title": .uid(3), "n": 1, "$class": .uid(2)], Handmade.classRecord("Box"), "Ghost"])
    let other = try folder.file("b.plist", box)
    let list = try folder.file("list.plist", HandmadeList.dictionary([("state", .data([UInt8](archive)))]).binary)
    let damaged = try folder.file(
      "damaged.plist", Handmade.archive([["a": .uid(9), "$class": .uid(2)], Handmade.classRecord("Box")]))
    let absent = folder.path("absent")
    let apple = TestFile.all(below: Locations.fixtures.appending(path: "apple")).map(\.url.path)
      .filter { $0.hasSuffix(".plist") }.enumerated().filter { $0.offset.isMultiple(of: 5) }.map(\.element)
    let holder = try Data(contentsOf: URL(filePath: list))
    let input = Data("a\t\(archive.base64EncodedString())\nbad\t!\nlist\t\(holder.base64EncodedString())\n".utf8)
    var lines: [String: [String]] = [:]
    func add(_ name: String, _ arguments: [String], input: Data = Data()) {
      let run = ToolRun(arguments, input: input)
      lines[name, default: []] += run.lines
      lines["Errors", default: []] += run.errors.split(separator: "\n").map(String.init)
    }
    let files = [file, other, damaged] + apple
    for path in files { add("tree", ["tree", "--json", path]) }
    add("tree", ["tree", "--json", "--width", "1", "--depth", "1", "--inside", "state", list])
    add("info", ["info", "--json", absent] + files)
    add("info", ["info", "--json", "--inside", "state", list])
    add("info", ["info", "--records"], input: input)
    add("validate", ["validate", "--json", list] + files)
    add("validate", ["validate", "--records"], input: input)
    add("roundtrip", ["roundtrip", "--json", absent] + files)
    add("audit", ["audit", "--json", absent] + files)
    add("audit", ["audit", "--records"], input: input)
    add("get --records", ["get", "--records", "root"], input: input)
    add("diff", ["diff", "--json", file, other])
    add("diff", ["diff", "--json", other, file])
    add("diff", ["diff", "--json", file, file])
    add("diff", ["diff", "--json", file, absent])
    for path in apple { add("diff", ["diff", "--json", file, path]) }
    add("migrate", ["migrate", "-n", "--json", "--rename-class", "Box=Crate", file, other, damaged, absent])
    let long = try folder.file("long.plist", HandWritten.archive(rootBytes: [0x12, 0, 0, 0, 5]))
    add("roundtrip", ["roundtrip", "--json", long])
    add("migrate", ["migrate", "-n", "--json", "--rename-class", "Box=Crate", "-o", folder.path("new"), other])
    add("migrate", ["migrate", "--json", "--rename-class", "Box=Crate", "-o", folder.path("new.json"), damaged])
    add("Errors", ["migrate", "--json", "--rename-class", "Box=Crate", "-o", "-", damaged])
    add("diff", ["diff", "--json", "--inside", "state", list, list])
    add("audit", ["audit", "--json", "--inside", "state", list])
    add("info", ["info", "--records", "--inside", "state"], input: input)
    #expect(ToolRun("migrate", "--derive", "--json", file, other).errors.contains("unexplained"))
    for out in ["-", folder.path("rules")] {
      let run = ToolRun("migrate", "--derive", "--json", file, other, "-o", out)
      lines["Errors", default: []] += run.errors.split(separator: "\n").map(String.init)
    }
    let run = ToolRun("migrate", "-n", "--json", "--rename-class", "Box=Crate", "-o", "-", other)
    lines["Errors", default: []] += run.errors.split(separator: "\n").map(String.init)
    add("scan", ["scan", "--nested", "--json", folder.url.path, absent])
    add("scan", ["scan", "--errors-as-records", folder.url.path, absent])
    add("scan", ["scan", "--records", "--nested"], input: input)
    let page = Locations.package.appending(path: "Sources/ArchiveTools/ArchiveTools.docc/OutputSchemas.md").path
    let output = try Python.run(Self.validator, [page], input: try JSONSerialization.data(withJSONObject: lines))
    #expect((Int(String(decoding: output, as: UTF8.self).dropLast()) ?? 0) > 100)
  }
}
