// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchives
import KeyedArchiving
import KeyedArchivingFoundation
import Testing

@Suite("Classes that objects are archived as, with classForCoder")
struct ClassForCoderTests {
  @Test("have the superclasses that Foundation archives", arguments: 0..<8)
  func superclasses(_ index: Int) throws {
    let classes: [AnyClass] = [
      NSObject.self, NSMutableArray.self, NSMutableDictionary.self, NSCountedSet.self, NSDecimalNumber.self,
      Unknown.self,
      Artifact2.self, Costume.self,
    ]
    try Costume.$chosen.withValue(classes[index]) {
      let ours = try KeyedArchive(Way.ours(Costume())).root.classDescription
      let theirs = try KeyedArchive(Way.theirs(Costume())).root.classDescription
      #expect(ours?.name == theirs?.name)
      #expect(ours?.chain == theirs?.chain)
    }
  }
}

/// A class whose objects are archived as another one.
final class Costume: NSObject, NSSecureCoding, FoundationCoding {
  @TaskLocal static var chosen: AnyClass = Costume.self
  static var supportsSecureCoding: Bool { true }
  override init() {}
  override var classForCoder: AnyClass { Self.chosen }
  func encode(with coder: NSCoder) {}
  init?(coder: NSCoder) {}
}
