// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

@Suite("A subclass that inherits its superclass's name in archives")
struct InheritedNameTests {
  class Base: SecureKeyedCoding {
    class var archiveClassName: String { "Base" }
    init() {}
    required init?(coder: KeyedUnarchiver) throws {}
    func encode(with coder: KeyedArchiver) throws { coder.encode(1, forKey: "x") }
  }

  /// Has a value that no instance of the superclass can take.
  final class Inheriting: Base {
    override func encode(with coder: KeyedArchiver) throws {
      try super.encode(with: coder)
      coder.encode(2, forKey: "y")
    }
  }

  final class Named: Base {
    override class var archiveClassName: String { "Named" }
  }

  @Test("is refused, because a decoder would make an instance of the superclass and lose the rest")
  func refused() throws {
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedArchiver.archivedData(withRootObject: [Base(), Inheriting()], requiringSecureCoding: true)
    }
    #expect(error?.code == .notEncodable && error?.className == "Base")
    #expect(error?.remedy?.contains("override") == true)
  }

  @Test("is archived under a name of its own, declared or set")
  func named() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: [Base(), Named()], requiringSecureCoding: true)
    #expect(try KeyedArchive(data).classNames == ["Base", "NSArray", "Named"])
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.setClassName("Other", for: Inheriting.self)
    archiver.encode([Inheriting()], forKey: "root")
    #expect(try KeyedArchive(archiver.encodedData).classNames == ["NSArray", "Other"])
  }
}
