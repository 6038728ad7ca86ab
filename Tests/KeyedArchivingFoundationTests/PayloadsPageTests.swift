// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import Foundation
import KeyedArchiving
import KeyedArchivingFoundation
import TestSupport
import Testing

// example: pictures
final class Photo: SecureKeyedCoding {
  static var archiveClassName: String { "Album.Photo" }

  var image: ArchivedUIImage

  init(jpeg: Data) throws { image = try ArchivedUIImage(picture: jpeg, scale: 2) }

  func encode(with coder: KeyedArchiver) { coder.encode(image, forKey: "image") }

  init?(coder: KeyedUnarchiver) throws {
    image = try coder.decode(ArchivedUIImage.self, forKey: "image")
  }

  /// The name of a file for the picture, such as `photo.jpg`.
  var fileName: String? {
    image.picture.flatMap { PictureFormat(of: $0) }.map { "photo.\($0.fileExtension)" }
  }
}
// end of example

// example: texts
func title(in archive: Data) throws -> NSAttributedString? {
  try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedAttributedString.self, from: archive)
    .map { try NSAttributedString($0) }
}

func archive(of title: NSAttributedString) throws -> Data {
  try KeyedArchiver.archivedData(withRootObject: ArchivedAttributedString(title), requiringSecureCoding: true)
}
// end of example

// example: geometry
final class Marker: SecureKeyedCoding {
  static var archiveClassName: String { "Album.Marker" }

  var frame: CGRect
  var corners: [CGPoint]

  init(frame: CGRect, corners: [CGPoint]) {
    self.frame = frame
    self.corners = corners
  }

  func encode(with coder: KeyedArchiver) {
    coder.encode(frame, forKey: "frame")
    coder.encode(corners, forKey: "corners")
  }

  init?(coder: KeyedUnarchiver) throws {
    frame = coder.decodeCGRect(forKey: "frame")
    corners = try coder.decode([CGPoint].self, forKey: "corners")
  }
}
// end of example

@Suite("The page about payloads")
struct PayloadsPageTests {
  private static let page = "Sources/KeyedArchivingFoundation/KeyedArchivingFoundation.docc/Payloads.md"

  @Test("has examples that are compiled", arguments: ["pictures", "texts", "any", "geometry"])
  func examples(_ name: String) throws { try ReadmeExample.check(name, in: #filePath, page: Self.page) }

  private func copy<Value: KeyedCoding>(of value: Value) throws -> Value {
    let data = try KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
    return try #require(try KeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: data))
  }

  @Test("has examples that do what it says")
  func run() throws {
    let photo = try copy(of: Photo(jpeg: Data([0xFF, 0xD8, 0xFF, 0xE0])))
    #expect(photo.fileName == "photo.jpg" && photo.image.scale == 2)
    let text = NSAttributedString(string: "Yeti", attributes: [.init("mood"): "calm"])
    #expect(try title(in: archive(of: text)) == text)
    let marker = try copy(
      of: Marker(frame: CGRect(x: 1, y: 2, width: 3, height: 4), corners: [CGPoint(x: 5, y: 6)]))
    #expect(marker.frame == CGRect(x: 1, y: 2, width: 3, height: 4) && marker.corners == [CGPoint(x: 5, y: 6)])
  }

  @Test("has the kinds of numbers in its example")
  func untyped() throws {
    // example: any
    let settings: [String: Any] = ["name": "Yeti", "isTall": true, "sightings": [1951, 1986.5]]
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    try archiver.encodeAny(settings, forKey: "settings")

    let unarchiver = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let decoded = try unarchiver.decodeAny(forKey: "settings") as? [String: Any]
    let isTall = decoded?["isTall"] as? Bool
    let sightings = decoded?["sightings"] as? [Any]
    // end of example
    #expect(isTall == true && sightings?.last as? Double == 1986.5)
    // A literal with a real in it has reals only.
    #expect(sightings?.first as? Double == 1951)
  }

  /// Counts objects of the corpus by class, and texts of structures, without anything of this package.
  private static let counting = #"""
    import collections, json, os, plistlib, re, sys
    UID = plistlib.UID
    def uids(value):
      if isinstance(value, dict):
        if set(value) == {'CF$UID'}: return UID(value['CF$UID'])
        return {key: uids(v) for key, v in value.items()}
      return [uids(v) for v in value] if isinstance(value, list) else value
    kinds = {1: 'point', 2: 'size', 3: 'rectangle', 4: 'range', 12: 'insets'}
    number = r'[-+.e0-9]+'
    pair = rf'\{{{number}, {number}\}}'
    shapes = [('two numbers', re.compile(pair + '$')), ('four numbers', re.compile(rf'\{{{pair}, {pair}\}}$'))]
    files, objects, keys = collections.Counter(), collections.Counter(), collections.defaultdict(set)
    for folder, _, names in os.walk(sys.argv[1]):
      for name in names:
        if folder.endswith('invalid') or not name.endswith(('.bplist', '.xml')): continue
        with open(os.path.join(folder, name), 'rb') as file: data = file.read()
        try: archive = plistlib.loads(data)
        except Exception: continue
        if data[:6] != b'bplist': archive = uids(archive)
        table, seen = archive['$objects'], set()
        for thing in table:
          if not isinstance(thing, dict) or not isinstance(thing.get('$class'), UID): continue
          kind = table[thing['$class'].data]['$classname']
          if kind == 'NSValue': kind += ' ' + kinds.get(thing.get('NS.special'), 'other')
          found = [kind]
          if not kind.startswith('NSValue'):
            for value in thing.values():
              text = table[value.data] if isinstance(value, UID) and value.data < len(table) else None
              found += ['string with ' + shape for shape, form in shapes if isinstance(text, str) and form.match(text)]
          for kind in found:
            objects[kind] += 1
            seen.add(kind)
          keys[found[0]] |= set(thing) - {'$class'}
        for kind in seen: files[kind] += 1
    print(json.dumps({kind: [str(files[kind]), str(objects[kind])] + sorted(keys[kind]) for kind in objects}))
    """#

  /// One run of four reads the whole corpus; with `WHOLE_TESTS`, each.
  @Test(
    "has the numbers that a program of its own counts in the corpus",
    .enabled(if: Corpus.isPresent && Python.isPresent, "\(Locations.sharedIsAbsent), or \(Python.isAbsent)"),
    .enabled(if: Sample.includes(1, each: 4), "not in this sample"))
  func numbers() throws {
    let corpus = try #require(Locations.shared).appending(path: "corpus").path
    let counts = try JSONDecoder().decode([String: [String]].self, from: Python.run(Self.counting, [corpus]))
    let text = try String(contentsOf: Locations.package.appending(path: Self.page), encoding: .utf8)
    let rows = MarkdownTable.all(in: text).filter { $0.columns == ["Class", "Files", "Objects", "Keys"] }.flatMap(
      \.rows)
    #expect(rows.count == 23)
    for row in rows {
      let name = try #require(MarkdownTable.code(in: row[0]).first)
      let counted = counts[name] ?? ["0", "0"]
      #expect([row[1], row[2]] == Array(counted.prefix(2)), "\(name)")
      if row[3] != "collection" { #expect(MarkdownTable.code(in: row[3]) == Array(counted.dropFirst(2)), "\(name)") }
    }
  }
}
