// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An archive of a dictionary with arrays in each other, each of which is decoded inside of a few others only, because the
/// dictionary has them as keys first. What converts its pairs in order begins with the array that contains all others.
public enum DeepDictionary {
  /// Makes the archive.
  /// - Parameters:
  ///   - levels: The number of arrays in each other.
  ///   - isError: Whether the dictionary is the user info of an error.
  /// - Returns: The archive, with the dictionary or the error as `root`.
  public static func archive(levels: Int, isError: Bool = false) -> Data {
    var objects: [HandmadeList] = [
      .classRecord("NSArray", "NSObject"), .classRecord("NSDictionary", "NSObject"), .string("a"),
    ]
    var last: UInt64 = 3
    var keys: [HandmadeList] = [.uid(3)]
    for level in 1...levels {
      objects.append(["NS.objects": [.uid(last)], "$class": .uid(1)])
      last = UInt64(objects.count)
      if level.isMultiple(of: 8) || level == levels { keys.append(.uid(last)) }
    }
    let values = [HandmadeList.uid(last)] + keys.dropFirst().map { _ in .uid(3) }
    objects.append(["NS.keys": .array(keys), "NS.objects": .array(values), "$class": .uid(2)])
    if isError {
      let info = UInt64(objects.count)
      objects += [.classRecord("NSError", "NSObject"), .string("domain")]
      objects.append([
        "NSDomain": .uid(info + 2), "NSCode": 1, "NSUserInfo": .uid(info), "$class": .uid(info + 1),
      ])
    }
    return HandmadeList.archive(objects, top: [("root", .uid(UInt64(objects.count)))])
  }
}
