// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport

/// Archives of objects, each of which holds the next one.
enum NestedArchives {
  static func arrays(_ levels: Int) -> Data {
    objects(levels, Hostile.array) { ("NS.objects", [.uid($0)]) }
  }

  /// The last one holds a text where a ``Parent`` should be.
  static func parents(_ levels: Int) -> Data { objects(levels, Hostile.parent) { ("child", .uid($0)) } }

  /// A chain of an unknown class, for what reads it as data.
  static func chain(_ levels: Int) -> Data {
    objects(levels, .classRecord("Unknown", "NSObject")) { ("next", .uid($0)) }
  }

  static func objects(
    _ levels: Int, _ record: HandmadeList, _ field: (UInt64) -> (String, HandmadeList)
  ) -> Data {
    var objects: [HandmadeList] = [record]
    for level in 0..<levels { objects.append(Hostile.object(1, [field(UInt64(level + 3))])) }
    return HandmadeList.archive(objects + ["the end"], top: [("root", .uid(2))])
  }
}
