// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import Foundation
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing
import ToolTestSupport

@testable import KeyedArchiveTool

@Suite("migrate --inside", .enabled(if: Python.isPresent, "\(Python.isAbsent)"))
struct MigrateInsideTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// An archive with an inline number, which secure coding does not have.
  private static let old = Handmade.archive([
    ["Title": .uid(2), "Rating": 4.5, "$class": .uid(3)], "Ghost", Handmade.classRecord("Creature"),
  ])

  private static let rule = ["--objects", "Creature:Rating"]

  /// Writes preferences with Python: values of all kinds, and the old archive three times.
  private func preferences(_ format: String) throws -> String {
    let path = folder.path("prefs.\(format).plist")
    let program = """
      import datetime, plistlib, sys
      old = sys.stdin.buffer.read()
      values = {'zebra': 1, 'State': old, 'Same': old, 'a.b': {'deep': [0.1, -0.0, 1e300, {'blob': old}]},
                'Date': datetime.datetime(2021, 3, 4, 5, 6, 7), 'Big': 2**64 - 1, 'Text': 'é & <ü>', 'Flag': True,
                'Data': bytes(range(256)), 'Empty': b'', 'None': [], 'Neg': -5}
      if sys.argv[2] == 'FMT_XML': del values['zebra']
      plistlib.dump(values, open(sys.argv[1], 'wb'), fmt=getattr(plistlib, sys.argv[2]), sort_keys=False)
      """
    _ = try Python.run(program, [path, "FMT_\(format)"], input: Self.old)
    return path
  }

  /// Compares two property lists with Python, except for the value of a Python expression, and checks that value.
  private func checkOnlyChange(_ old: String, _ new: String, _ place: String) throws {
    let program = """
      import plistlib, struct, sys
      old, new = (plistlib.load(open(name, 'rb')) for name in sys.argv[1:])
      def at(list, data=None):
          keys = \(place)
          for key in keys[:-1]: list = list[key]
          if data is None: return list[keys[-1]]
          list[keys[-1]] = data
      archive = plistlib.loads(at(new))
      creature = archive['$objects'][archive['$top']['root'].data]
      assert archive['$objects'][creature['Rating'].data] == 4.5
      at(new, at(old))
      assert repr(old) == repr(new)
      """
    _ = try Python.run(program, [old, new])
  }

  @Test(
    "changes the archive at the place, and nothing else, as Python reads it",
    arguments: ["BINARY", "XML"],
    [("State", "['State']"), ("Same", "['Same']"), (#"["a.b"].deep[3].blob"#, "['a.b', 'deep', 3, 'blob']")])
  func values(format: String, place: (path: String, keys: String)) throws {
    let path = try preferences(format)
    let before = try Data(contentsOf: URL(filePath: path))
    let arguments = ["migrate", "--inside", place.path, "--backup-suffix", ".old"] + Self.rule + [path]
    let run = ToolRun(arguments)
    #expect(run.output == "\(path)\tmigrated\tnumbers 1\n" && run.errors == "", "\(run.errors)")
    #expect(try Data(contentsOf: URL(filePath: path + ".old")) == before)
    try checkOnlyChange(path + ".old", path, place.keys)
    #expect(ToolRun(arguments).output == "\(path)\tnothing to change\n")
    let info = ToolRun("validate", "--inside", place.path, path)
    #expect(info.code == .fine)
  }

  @Test("an XML file keeps its comments, its order and its spaces")
  func text() throws {
    let base64 = Self.old.base64EncodedString()
    let before = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!-- <data>no data</data> -->
      <plist version="1.0"><dict>
        <key>b</key><data/> <key>text</key><string><![CDATA[<data>]]></string><!-- c -->
          <key>State</key> <data
          >
      """
    let after = "</data ><key>a</key><real>+1.50</real>\n</dict></plist>\n<!-- end -->\n"
    let path = try folder.file("prefs.plist", Data((before + base64 + after).utf8))
    let run = ToolRun(["migrate", "--force", "--inside", "State"] + Self.rule + [path])
    #expect(run.output == "\(path)\tmigrated\tnumbers 1\n", "\(run.errors)")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.hasPrefix(before) && text.hasSuffix(after))
    #expect(ToolRun("get", "--inside", "State", path, "root.Rating").output == "4.5\n")
  }

  @Test("a file of Apple's layout differs only in the data")
  func bytes() throws {
    let list = try PropertyListSerialization.data(
      fromPropertyList: ["A": 1, "State": Self.old, "Z": "text"], format: .xml, options: 0)
    let path = try folder.file("prefs.plist", list)
    #expect(ToolRun(["migrate", "--force", "--inside", "State"] + Self.rule + [path]).code == .fine)
    let new = try Data(contentsOf: URL(filePath: path))
    let read = try unsafe PropertyListSerialization.propertyList(from: new, format: nil)
    var values = try #require(read as? [String: Any])
    #expect(try PropertyListSerialization.data(fromPropertyList: values, format: .xml, options: 0) == new)
    values["State"] = Self.old
    #expect(try PropertyListSerialization.data(fromPropertyList: values, format: .xml, options: 0) == list)
  }

  @Test("an archive in an archive in a list")
  func nested() throws {
    let state = Handmade.archive([
      ["blob": .uid(3), "other": .uid(4), "$class": .uid(2)], Handmade.classRecord("State"), .data([UInt8](Self.old)),
      .data([UInt8](Self.old)),
    ])
    let path = try folder.file("list", HandmadeList.dictionary([("x", .data([UInt8](state)))]).binary)
    let run = ToolRun(["migrate", "--force", "--inside", "x", "--inside", "root.blob"] + Self.rule + [path])
    #expect(run.code == .fine, "\(run.errors)")
    #expect(ToolRun("get", "--inside", "x > #3", path, "root.Rating").output == "4.5\n")
    #expect(ToolRun("audit", "--inside", "x > #3", path).output.contains("Rating: "))
    // The number is an object of its own now, and in the other archive still inline.
    #expect(ToolRun("get", "--inside", "x > root.blob", path, "#4").output == "4.5\n")
    #expect(ToolRun("get", "--inside", "x > root.other", path, "#4").code == .negative)
    let outer = ToolRun("validate", "--inside", "x", path)
    #expect(outer.code == .fine)
  }

  @Test("in folders, files without an archive at the place are counted; a named one is an error")
  func folders() throws {
    let library = folder.url.appending(path: "Library")
    try FileManager.default.createDirectory(at: library, withIntermediateDirectories: true)
    for (name, data) in [
      ("a.plist", HandmadeList.dictionary([("State", .data([UInt8](Self.old)))]).binary),
      ("b.plist", HandmadeList.dictionary([("Other", .data([UInt8](Self.old)))]).binary),
      ("c.plist", HandmadeList.dictionary([("State", "text")]).binary), ("d.txt", Data("text".utf8)),
      ("e.plist", Self.old),
      ("f.plist", HandmadeList.dictionary([("State", .data([UInt8](repeating: 65, count: 100)))]).binary),
    ] { try data.write(to: library.appending(path: name)) }
    let run = ToolRun(["migrate", "--force", "--inside", "State"] + Self.rule + [library.path])
    #expect(run.code == .fine && run.output == "\(library.path)/a.plist\tmigrated\tnumbers 1\n")
    #expect(run.errors == "keyedarchive: 1 migrated, 0 unchanged, 0 refused, 5 other files\n")
    let named = ToolRun(["migrate", "--force", "--inside", "State"] + Self.rule + [library.path + "/b.plist"])
    #expect(named.code == .notAnArchive && named.errors.contains("the property list has no 'State'. It has Other"))
    let json = ToolRun(["migrate", "-n", "--json", "--inside", "State"] + Self.rule + [library.path + "/a.plist"])
    #expect(
      json.output
        == #"{"schema":1,"file":"\#(library.path)/a.plist","inside":"State","outcome":"current","changes":{}}"# + "\n")
  }

  @Test("-o writes the whole file, and an error names the place")
  func output() throws {
    let path = try preferences("BINARY")
    let out = folder.path("new.plist")
    #expect(ToolRun(["migrate", "--inside", "State", "-o", out] + Self.rule + [path]).code == .fine)
    try checkOnlyChange(path, out, "['State']")
    let refused = ToolRun(["migrate", "--force", "--inside", "State", "--allow", "Other"] + Self.rule + [path])
    #expect(refused.code == .classNotAllowed && refused.errors.contains("in the data at State: "), "\(refused.errors)")
  }
}
