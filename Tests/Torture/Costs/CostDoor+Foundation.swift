// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import KeyedArchivingFoundation

extension CostDoor {
  #if canImport(Darwin)
    static let foundation: [CostDoor] = []
  #else
    /// The entry points that decode classes of Foundation and of its `NSSecureCoding`.
    static let foundation: [CostDoor] = [
      CostDoor("decode-foundation") { data in
        _ = try KeyedUnarchiver.unarchivedFoundationObject(
          ofClasses: [
            NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSData.self, NSDate.self,
            NSURL.self, NSUUID.self, NSNull.self, NSAttributedString.self, NSError.self, NSOrderedSet.self,
            NSIndexSet.self, NSIndexPath.self, NSCharacterSet.self, Unit.self, NSRegularExpression.self,
          ], from: data)
      },
      bridged,
    ]

    private static let bridged = CostDoor("decode-bridged", plain: CostPatterns.plainNodes) { data in
      each([
        { _ = try KeyedUnarchiver.unarchivedObject(ofClass: Shelf.self, from: data) },
        { _ = try KeyedUnarchiver.unarchivedObject(ofClass: [Shelf].self, from: data) },
      ])
    }

    /// A class as programs with `NSSecureCoding` have it. It is archived under a name that the search knows.
    private final class Shelf: NSObject, NSSecureCoding, FoundationCoding {
      static var supportsSecureCoding: Bool { true }
      static var archiveClassName: String { "HNode" }
      let name: NSString?
      let children: [Shelf]
      let others: [Any]
      let info: NSDictionary?
      private(set) var table: [AnyHashable: Any] = [:]
      private(set) var titles: [NSString: NSString] = [:]
      private(set) var next: Shelf?

      func encode(with coder: NSCoder) {}

      init?(coder: NSCoder) {
        name = coder.decodeObject(of: NSString.self, forKey: "name")
        children = coder.decodeArrayOfObjects(ofClass: Shelf.self, forKey: "children") ?? []
        others = coder.decodeArrayOfObjects(ofClasses: [Shelf.self, NSString.self], forKey: "children") ?? []
        info =
          coder.decodeObject(of: [NSDictionary.self, NSArray.self, NSString.self], forKey: "info") as? NSDictionary
        super.init()
        let classes: [AnyClass] = [NSArray.self, NSDictionary.self, NSString.self]
        table =
          coder.decodeDictionary(withKeysOfClasses: [NSString.self], objectsOfClasses: classes, forKey: "info") ?? [:]
        titles = coder.decodeDictionary(withKeyClass: NSString.self, objectClass: NSString.self, forKey: "title") ?? [:]
        coder.decodeObject(of: Shelf.self, forKey: "next") { self.next = $0 }
      }

      /// A long chain is released node by node, not recursively.
      deinit {
        var rest = next
        next = nil
        while isKnownUniquelyReferenced(&rest) {
          let following = rest?.next
          rest?.next = nil
          rest = following
        }
      }
    }
  #endif
}
