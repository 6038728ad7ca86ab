// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing
import ToolTestSupport

@testable import KeyedArchiveTool

@Suite(
  "Meanings, against Python", .enabled(if: Python.isPresent, "\(Python.isAbsent)"),
  .enabled(if: Corpus.isPresent, "\(Locations.sharedIsAbsent)"))
struct MeaningOracleTests {
  /// Prints a line for each file: the meanings of its colors, fonts, values, index paths, decimals and texts by UID.
  private static let decoder = """
    import decimal, json, plistlib, sys
    def channel(x): return int(min(max(x, 0), 1) * 255 + 0.5)
    for path in sys.stdin.read().split("\\n"):
        with open(path, "rb") as file: objects = plistlib.load(file)["$objects"]
        def get(v): return objects[v.data] if isinstance(v, plistlib.UID) else v
        def text(v):
            v = get(v)
            return v["NS.string"] if isinstance(v, dict) else v
        def data(v):
            v = get(v)
            return v["NS.data"] if isinstance(v, dict) else v
        def varints(data):
            numbers, number, shift = [], 0, 0
            for byte in data:
                number |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    numbers.append(number)
                    number, shift = 0, 0
            return numbers
        def color(v, inner=False):
            if "NSCatalogName" in v:
                name = text(v["NSCatalogName"]) + " " + text(v["NSColorName"])
                if inner: return name
                known = color(get(v["NSColor"]), True)
                return known + ", " + name if known else name
            key = "NSRGB" if "NSRGB" in v else "NSWhite" if "NSWhite" in v else None
            if key:
                n = [float(x) for x in data(v[key]).split(b"\\0")[0].split()]
                rgb, alpha = (n[:3], n[3:]) if key == "NSRGB" else (n[:1] * 3, n[1:])
            elif "UIRed" in v: rgb, alpha = [v["UIRed"], v["UIGreen"], v["UIBlue"]], [v["UIAlpha"]]
            else: return None
            channels = [channel(x) for x in rgb] + [channel(x) for x in alpha if channel(x) < 255]
            clamped = any(x < 0 or x > 1 for x in rgb + alpha)
            return "#" + "".join("%02x" % x for x in channels) + (" (clamped)" if clamped else "")
        def number(x): return str(int(x)) if x == int(x) else None
        def meaning(name, v):
            if name in ("NSColor", "UIColor"): return color(v)
            if name == "NSFont" and number(v["NSSize"]): return text(v["NSName"]) + " " + number(v["NSSize"]) + " pt"
            if name == "NSValue":
                for key in ("NS.pointval", "NS.sizeval", "NS.rectval"):
                    if key in v: return text(v[key])
                return "{%d, %d}" % (get(v["NS.rangeval.location"]), get(v["NS.rangeval.length"]))
            if name == "NSIndexPath":
                count = v["NSIndexPathLength"]
                if count == 0: return "[]"
                numbers = [v["NSIndexPathValue"]] if count == 1 else varints(data(v["NSIndexPathData"]))
                return str(numbers)
            if name == "NSDecimalNumberPlaceholder" and v["NS.length"] > 0:
                digits = v["NS.mantissa"][:2 * v["NS.length"]]
                m = int.from_bytes(digits, "little" if v["NS.mantissa.bo"] == 1 else "big")
                if v["NS.mantissa.bo"] == 1:
                    sign = 1 if v["NS.negative"] else 0
                    return format(decimal.Decimal((sign, [int(c) for c in str(m)], v["NS.exponent"])), "f")
            if name in ("NSAttributedString", "NSMutableAttributedString"):
                found = text(v["NSString"])
                if len(found) < 1000: return found
        found = {}
        for uid, v in enumerate(objects):
            if not isinstance(v, dict) or "$class" not in v: continue
            said = meaning(get(v["$class"])["$classname"], v)
            if said is not None: found[uid] = said
        print(json.dumps(found))
    """

  /// Every 16th archive of at most 32 KiB; with `WHOLE_TESTS`, all.
  @Test("have the text that Python computes, in binary archives of the corpus", .notHanging)
  func meanings() throws {
    let files = Sample.cases(Corpus.valid, each: 16).filter { file in
      let size = try? file.url.resourceValues(forKeys: [.fileSizeKey]).fileSize
      return file.name.hasSuffix(".bplist") && (Sample.isWhole || size ?? 0 <= 32_768)
    }.map(\.url.path)
    let answers = try Python.run(Self.decoder, input: Data(files.joined(separator: "\n").utf8)).split(
      separator: UInt8(ascii: "\n"))
    try #require(answers.count == files.count)
    var compared = 0
    for (file, answer) in zip(files, answers) {
      let expected = try #require(try JSONSerialization.jsonObject(with: answer) as? [String: String])
      guard !expected.isEmpty else { continue }
      for row in try ToolRun("tree", "--json", file).json where row["seen"] == nil {
        guard let uid = row["object"] as? Int, let wanted = expected["\(uid)"] else { continue }
        #expect(row["meaning"] as? String == wanted, "\(file) #\(uid)")
        compared += 1
      }
    }
    // The corpus has more than 7000 such objects; most can be reached. The poorest sample has 96.
    #expect(compared > Sample.count(50, of: 5000))
  }
}
