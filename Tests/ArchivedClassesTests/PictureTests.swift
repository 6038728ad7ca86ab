// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveGenerators
import ArchivedClasses
import Foundation
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

/// The first chunk of a PNG with this size (ISO/IEC 15948), or more of a file that no decoder reads.
private func png(_ width: UInt32, _ height: UInt32) -> Data {
  var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]
  for number in [width, height] { bytes += (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
  return Data(bytes + [8, 6, 0, 0, 0, 1, 2, 3, 4])
}

/// A JPEG of 16 by 9 pixels up to its scan (ITU-T T.81): SOI, APP0, a fill byte, a table, the frame header, SOS.
private let jpeg = Data(
  [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0x4A, 0x46, 0xFF, 0xFF, 0xC4, 0, 3, 1]
    + [0xFF, 0xC0, 0, 17, 8, 0, 9, 0, 16, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1, 0xFF, 0xDA, 0, 2, 7])

@Suite("Pictures in archives")
struct PictureTests {
  private static let starts: [([UInt8], PictureFormat, String)] = [
    ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], .png, "png"), ([0xFF, 0xD8, 0xFF, 0xE1], .jpeg, "jpg"),
    ([0x4D, 0x4D, 0x00, 0x2A], .tiff, "tiff"), ([0x49, 0x49, 0x2A, 0x00], .tiff, "tiff"),
    (Array("GIF89a".utf8), .gif, "gif"), (Array("GIF87a".utf8), .gif, "gif"),
    ([0, 0, 0, 24] + Array("ftypheic".utf8), .heic, "heic"), ([0, 0, 0, 24] + Array("ftypmif1".utf8), .heic, "heic"),
  ]

  @Test("are recognized by their first bytes, all of which must be there")
  func formats() {
    for (start, format, fileExtension) in Self.starts {
      #expect(PictureFormat(of: Data(start + [1, 2, 3])) == format)
      #expect(format.fileExtension == fileExtension)
      // A part of a larger buffer has other indices.
      #expect(PictureFormat(of: (Data([0, 0, 0]) + Data(start)).dropFirst(3)) == format)
      for count in 0..<start.count where format != .jpeg || count < 3 {
        #expect(PictureFormat(of: Data(start.prefix(count))) == nil, "\(count) bytes of \(format)")
      }
    }
    for text in ["", "BM", "%PDF-1.4", "bplist00", "<svg/>", "    ftypavif", "    ftypmp42"] {
      #expect(PictureFormat(of: Data(text.utf8)) == nil)
    }
    #expect(Set(Self.starts.map(\.1)).count == 5 && "\(PictureFormat.heic)" == "HEIC")
  }

  /// The keys and kinds that descriptions of files of iOS list, and one of the further objects that they mention.
  private static let describedKeys: [(String, HandmadeList)] = [
    ("UIImageData", .uid(3)), ("UIImageSizeInPixels", .uid(4)), ("UIScale", .raw([0x22, 0x40, 0, 0, 0])),
    ("UIImageOrientation", 3), ("UIRenderingMode", 1), ("UIImageTraitCollection", .uid(5)),
    ("UIImageVariableValue", .real(.infinity)), ("$class", .uid(2)),
  ]

  private static func described(_ picture: Data) -> Data {
    HandmadeList.archive([
      .dictionary(describedKeys), .classRecord("UIImage", "NSObject"), .data(Array(picture)), "{120, 80}",
      ["UITraitCollectionBuiltinTrait-_UITraitNameDisplayScale": 2.0, "$class": .uid(6)],
      .classRecord("UITraitCollection", "NSObject"),
    ])
  }

  @Test("of UIKit come out with their scale, size and orientation, and the rest of the image is preserved")
  func uiImage() throws {
    let data = Self.described(png(120, 80))
    let image = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedUIImage.self, from: data))
    #expect(image.picture == png(120, 80))
    #expect(image.scale == 2 && image.orientation == 3 && image.renderingMode == 1)
    #expect(image.sizeInPixels == ArchivedSize(width: 120, height: 80))
    #expect(image.otherValues.keys.sorted() == ["UIImageTraitCollection", "UIImageVariableValue"])
    let anew = try KeyedArchiver.archivedData(withRootObject: image, requiringSecureCoding: true)
    var comparison = NodeComparison(ordered: false)
    #expect(comparison.difference(try KeyedArchive(data).root, try KeyedArchive(anew).root) == nil)
  }

  @Test("of UIKit can be replaced, in an image with other values too")
  func replacing() throws {
    let stored = try KeyedUnarchiver.unarchivedObject(
      ofClass: ArchivedUIImage.self, from: Self.described(png(120, 80)))
    let original = try #require(stored)
    var image = original
    image.picture = jpeg
    (image.scale, image.orientation, image.renderingMode) = (3, nil, 2)
    image.sizeInPixels = ArchivedSize(width: 16, height: 9)
    let root = try KeyedArchive(
      KeyedArchiver.archivedData(withRootObject: image, requiringSecureCoding: true)
    ).root
    #expect(root["UIImageData"].data == jpeg && root["UIImageSizeInPixels"].string == "{16, 9}")
    #expect(root["UIScale"].number == .float(3) && root["UIRenderingMode"].number == .integer(2))
    #expect(!root.keys.contains("UIImageOrientation") && root["UIImageVariableValue"].number == .double(.infinity))
    // The value that it was copied from stays what it is.
    let unchanged = try KeyedArchive(
      KeyedArchiver.archivedData(withRootObject: original, requiringSecureCoding: true)
    ).root
    #expect(unchanged["UIImageData"].data == png(120, 80) && unchanged["UIImageOrientation"].number == .integer(3))
  }

  @Test("may be absent from an image of UIKit, which was loaded by a name")
  func named() throws {
    let data = HandmadeList.archive([["$class": .uid(2)], .classRecord("UIImage", "NSObject")])
    let image = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedUIImage.self, from: data))
    #expect(image.picture == nil && image.scale == nil && image.sizeInPixels == nil)
    #expect(image.otherValues == OtherValues())
  }

  /// What Python's plistlib reads of an archived image, as JSON.
  private func asPythonReads(_ data: Data) throws -> [String: String] {
    let program = """
      import json, plistlib, sys
      archive = plistlib.loads(sys.stdin.buffer.read())
      objects = archive['$objects']
      root = objects[archive['$top']['root'].data]
      def text(value):
        if isinstance(value, plistlib.UID): value = objects[value.data]
        if isinstance(value, dict) and '$classname' in value: return '<'.join(value['$classes'])
        return value.hex() if isinstance(value, bytes) else type(value).__name__ + ' ' + str(value)
      print(json.dumps({key: text(value) for key, value in root.items()}))
      """
    return try JSONDecoder().decode([String: String].self, from: Python.run(program, input: data))
  }

  @Test(
    "go into a new image of UIKit unchanged, with the size that their header states",
    .enabled(if: Python.isPresent, "\(Python.isAbsent)"), arguments: [(png(3, 2), "{3, 2}"), (jpeg, "{16, 9}")])
  func newUIImage(_ picture: Data, _ size: String) throws {
    let image = try ArchivedUIImage(picture: picture, scale: 2, orientation: 6)
    let data = try KeyedArchiver.archivedData(withRootObject: image, requiringSecureCoding: true)
    #expect(
      try asPythonReads(data) == [
        "UIImageData": picture.map { String(format: "%02x", $0) }.joined(), "UIImageSizeInPixels": "str \(size)",
        "UIScale": "float 2.0", "UIImageOrientation": "int 6", "UIRenderingMode": "int 0",
        "$class": "UIImage<NSObject",
      ])
    let made = try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedUIImage.self, from: data)
    #expect(made?.picture == picture && made?.scale == 2 && made?.orientation == 6)
  }

  @Test("may be cut off or damaged at any byte: no size is stated then, or one that the header has")
  func damaged() throws {
    for whole in [png(0x7FFF_FFFF, 1), jpeg] {
      let size = try #require(try ArchivedUIImage(picture: whole).sizeInPixels)
      for count in 8..<whole.count {
        let made = try ArchivedUIImage(picture: whole.prefix(count)).sizeInPixels
        #expect(made == nil || made == size)
      }
      for place in 8..<whole.count {
        for value in [0, 1, 0x7F, 0x80, 0xFE, 0xFF] as [UInt8] {
          var damaged = whole
          damaged[place] = value
          let made = try ArchivedUIImage(picture: damaged).sizeInPixels
          #expect(made.map { $0.width > 0 && $0.height > 0 && $0.width < 0x8000_0000 } ?? true)
        }
      }
    }
    #expect(try ArchivedUIImage(picture: png(0x8000_0000, 1)).sizeInPixels == nil)
    #expect(try ArchivedUIImage(picture: png(0, 1)).sizeInPixels == nil)
    // Segments without end.
    let endless = Data([0xFF, 0xD8, 0xFF] + [UInt8](repeating: 0xFF, count: 1 << 16))
    #expect(try ArchivedUIImage(picture: endless).sizeInPixels == nil)
  }

  @Test("are expected where one is needed: other data is an error")
  func noPicture() throws {
    for data in [Data(), Data("photo".utf8), Data([0x89, 0x50])] {
      for body in [
        { _ = try ArchivedUIImage(picture: data) }, { _ = try ArchivedImage(picture: data) },
      ] as [() throws -> Void] {
        let error = try #require(#expect(throws: KeyedArchiveError.self) { try body() })
        #expect(error.code == .notEncodable && error.remedy != nil && error.description.contains("PNG"))
      }
    }
    var image = try ArchivedUIImage(picture: jpeg)
    image.scale = .nan
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedArchiver.archivedData(withRootObject: image, requiringSecureCoding: true)
    }
    #expect(error?.code == .notEncodable)
  }

  @Test(
    "go into a new image of AppKit with the keys of Apple's", .enabled(if: Python.isPresent, "\(Python.isAbsent)"))
  func newNSImage() throws {
    let image = try ArchivedImage(picture: jpeg, size: ArchivedSize(width: 8, height: 4.5))
    let data = try KeyedArchiver.archivedData(withRootObject: image, requiringSecureCoding: true)
    let read = try asPythonReads(data)
    #expect(read["NSImageFlags"] == "int \(0x20C0_0000)" && read["NSSize"] == "str {8, 4.5}")
    #expect(Set(read.keys) == ["NSImageFlags", "NSSize", "NSReps", "NSColor", "$class"])
    let made = try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedImage.self, from: data)
    #expect(made?.pictures == [jpeg])
    let sizeless = try KeyedArchive(
      KeyedArchiver.archivedData(withRootObject: ArchivedImage(picture: jpeg), requiringSecureCoding: true))
    #expect(sizeless.root["NSImageFlags"].number == .integer(0x00C0_0000))
    #expect(!sizeless.root.keys.contains("NSSize") && sizeless.root["NSReps"].className == "NSMutableArray")
    #expect(sizeless.root["NSReps"][0].className == "NSArray" && sizeless.root["NSReps"][0][0].number == .integer(0))
  }

  @Test(
    "of AppKit in the corpus are those that Python finds there",
    .enabled(if: Corpus.isPresent && Python.isPresent, "\(Locations.sharedIsAbsent), or \(Python.isAbsent)"))
  func corpus() throws {
    let program = """
      import base64, json, plistlib, sys
      answers = []
      for path in sys.argv[1:]:
        with open(path, 'rb') as file: objects = plistlib.load(file)['$objects']
        found = []
        for thing in objects:
          if not isinstance(thing, dict) or 'NSTIFFRepresentation' not in thing: continue
          if objects[thing['$class'].data]['$classname'] == 'NSBitmapImageRep':
            bytes = objects[thing['NSTIFFRepresentation'].data]
            found.append(base64.b64encode(bytes).decode())
        answers.append(found)
      print(json.dumps(answers))
      """
    var count = 0
    var images: [ArchivedImage] = []
    let files = try Corpus.valid.filter { file in
      try file.name.hasSuffix(".bplist") && file.data().range(of: Data("NSImageFlags".utf8)) != nil
    }
    let answers = try JSONDecoder().decode([[String]].self, from: Python.run(program, files.map(\.url.path)))
    try #require(answers.count == files.count)
    for (file, expected) in zip(files, answers) {
      let data = try file.data()
      var archive = try KeyedArchive(data)
      var keys: [String] = []
      for index in 1..<UInt32(archive.objectCount) {
        let uid = ArchiveUID(rawValue: index)
        guard case .instance = try? archive.object(uid), archive[uid].className == "NSImage" else { continue }
        keys.append("probe \(index)")
        try archive.setTopValue(.reference(uid), forKey: "probe \(index)")
      }
      let unarchiver = try KeyedUnarchiver(forReadingFrom: archive.data())
      let decoded = try keys.map { try unarchiver.decode(ArchivedImage.self, forKey: $0) }
      images += decoded
      let pictures = decoded.flatMap(\.pictures)
      #expect(pictures.allSatisfy { PictureFormat(of: $0) == .tiff })
      let found = pictures.map { $0.base64EncodedString() }
      #expect(Set(found) == Set(expected), "\(file.name)")
      count += found.count
    }
    #expect(count == 54)
    // The flags of new images.
    let (sized, sizeless) = (images.filter { $0.size != nil }, images.filter { $0.size == nil })
    #expect(sized.count == 38 && sized.count { $0.flags == 0x20C0_0000 } == 37)
    #expect(sizeless.count == 20 && sizeless.count { $0.flags == 0x00C0_0000 } == 19)
  }
}
