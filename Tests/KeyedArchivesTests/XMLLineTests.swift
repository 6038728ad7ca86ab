// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import Testing

@Suite("Lines of XML archives")
struct XMLLineTests {
  /// An archive with a dangling reference in object #1, an invalid class record #2, and a top-level number.
  private static let archive = Data(
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0">
    <dict>
      <key>$archiver</key><string>NSKeyedArchiver</string>
      <key>$version</key><integer>100000</integer>
      <key>$top</key><dict>
        <key>root</key><dict><key>CF$UID</key><integer>1</integer></dict>
        <key>number</key>
        <integer>5</integer>
      </dict>
      <key>$objects</key><array>
        <string>$null</string>
        <dict>
          <key>text</key><string>two
    lines</string>
          <key>other</key><dict><key>CF$UID</key><integer>9</integer></dict>
          <key>$class</key><dict><key>CF$UID</key><integer>3</integer></dict>
        </dict>
        <dict><key>$classname</key><integer>5</integer></dict>
        <dict><key>$classname</key><string>Box</string><key>$classes</key><array><string>Box</string></array></dict>
        <date>2001-01-01T00:00:00Z</date>
      </array>
    </dict>
    </plist>
    """.utf8)

  @Test("the issues and errors of an archive have lines, and no offsets in the converted form")
  func archive() throws {
    let archive = try KeyedArchive(Self.archive)
    let issues = archive.check().filter { $0.code != "unreferencedObject" }
    #expect(issues.map(\.code) == ["danglingReference", "badObject", "badObject"])
    #expect(issues.map(\.line) == [13, 19, 21] && issues.allSatisfy { $0.byteOffset == nil })
    #expect(issues[0].description.hasSuffix("(object #1, line 13)"), "\(issues[0])")
    let error = #expect(throws: KeyedArchiveError.self) { try archive.object(ArchiveUID(rawValue: 2)) }
    #expect(error?.line == 19 && error?.byteOffset == nil)
    #expect(error?.description.contains("line 19") == true)
  }

  @Test("binary archives have offsets, and edited objects have neither")
  func otherPlaces() throws {
    let binary = try PropertyList(Self.archive).data(format: .binary)
    let issues = try KeyedArchive(binary).check().filter { $0.severity == .error }
    #expect(issues.count == 3 && issues.allSatisfy { $0.line == nil && $0.byteOffset != nil })
    var list = try PropertyList(Self.archive)
    #expect(list.line(of: list.top) == 3)
    list.replace(list.top, with: .boolean(true))
    #expect(list.line(of: list.top) == nil)
  }

  @Test("the errors of a decoder have lines")
  func decoder() throws {
    let coder = try KeyedUnarchiver(forReadingFrom: Self.archive)
    let error = #expect(throws: KeyedArchiveError.self) { try coder.decode(Date.self, forKey: "number") }
    #expect(error?.line == 9 && error?.byteOffset == nil, "\(String(describing: error))")
  }

  @Test("the error of a malformed file has the line of its reader")
  func malformed() throws {
    let archive = String(decoding: Self.archive, as: UTF8.self)
    let text = archive.replacing("<integer>5</integer>\n", with: "<integer>x</integer>\n")
    let error = #expect(throws: KeyedArchiveError.self) { try KeyedArchive(Data(text.utf8)) }
    #expect(error?.line == 9 && error?.description.contains("line 9") == true, "\(String(describing: error))")
  }
}
