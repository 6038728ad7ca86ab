// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
package import KeyedArchiving

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A value that was read from an archive, as an element of a set.
///
/// Such values know where they came from: of several equal ones, each is archived as an object of its own.
package struct MeshRead: SecureKeyedCoding, Hashable {
  let value: any KeyedCoding
  let number: Int
  let salt: Int

  package static var archiveClassName: String { "MeshRead" }

  package static func == (a: MeshRead, b: MeshRead) -> Bool { a.number == b.number }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(salt)
    hasher.combine(number)
  }

  package func encode(with coder: KeyedArchiver) { coder.encode(value, forKey: "value") }

  /// The archives that hold these are compared, not decoded.
  package init(coder: KeyedUnarchiver) throws {
    throw KeyedArchiveError(.typeMismatch, "a MeshRead can only be archived")
  }

  private init(_ value: any KeyedCoding, _ number: Int, salt: Int) {
    (self.value, self.number, self.salt) = (value, number, salt)
  }

  /// The values of ``text``, read anew.
  static func all(salt: Int) -> [MeshRead] {
    do {
      let list = try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedObject.self, from: Data(text.utf8))
      let values = list?["NS.objects"]?.references ?? []
      precondition(values.count == 18)
      return values.enumerated().map { number, value in
        switch value {
        case .boxed(let scalar): MeshRead(scalar, number, salt: salt)
        case .object(let object): MeshRead(object, number, salt: salt)
        default: fatalError("value \(number) is neither a bare value nor an object")
        }
      }
    } catch {
      fatalError("the archive of values to read is damaged: \(error)")
    }
  }

  /// An archive in which each value and each key is a string of its own, as in any XML property list.
  private static let text = """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict>
    <key>$archiver</key><string>NSKeyedArchiver</string>
    <key>$version</key><integer>100000</integer>
    <key>$top</key><dict><key>root</key>\(uid(1))</dict>
    <key>$objects</key><array>
      <string>$null</string>
      <dict><key>$class</key>\(uid(2))<key>NS.objects</key><array>
        \((3...18).map(uid).joined()) \(uid(8)) \(uid(13)) <!-- two of them twice -->
      </array></dict>
      \(classRecord("NSArray"))
      <string>mesh 0</string><string>mesh 0</string><string>mesh 0</string> <!-- 3 -->
      <string>mesh 1</string><string>mesh 1</string> <!-- 6 -->
      <string>a text that no pointer holds</string><string>a text that no pointer holds</string> <!-- 8 -->
      <integer>1</integer><integer>1</integer> <!-- 10 -->
      <data>AAEC</data> <!-- 12 -->
      <dict><key>$class</key>\(uid(19))<key>name</key>\(uid(3))<key>link</key>\(uid(14))</dict> <!-- 13 -->
      <dict><key>$class</key>\(uid(20))<key>name</key>\(uid(4))<key>link</key>\(uid(13))</dict>
      <dict><key>$class</key>\(uid(20))<key>name</key>\(uid(7))<key>link</key>\(uid(10))</dict>
      <dict><key>$class</key>\(uid(21))<key>NS.objects</key><array>\(uid(13))\(uid(14))\(uid(17))</array></dict> <!-- 16 -->
      <dict><key>$class</key>\(uid(20))<key>name</key>\(uid(5))<key>link</key>\(uid(16))</dict>
      <dict><key>$class</key>\(uid(22))<key>name</key>\(uid(6))<key>value</key>\(uid(11))</dict> <!-- 18 -->
      \(classRecord("Leaf"))\(classRecord("Twig"))\(classRecord("NSSet"))\(classRecord("name")) <!-- 19 -->
    </array></dict></plist>
    """

  private static func uid(_ number: Int) -> String { "<dict><key>CF$UID</key><integer>\(number)</integer></dict>" }

  private static func classRecord(_ name: String) -> String {
    """
    <dict><key>$classname</key><string>\(name)</string>
    <key>$classes</key><array><string>\(name)</string><string>NSObject</string></array></dict>
    """
  }
}
