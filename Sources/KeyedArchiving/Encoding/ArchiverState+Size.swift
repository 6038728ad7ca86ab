// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
@_spi(Archiving) import PropertyListFormat

/// What can be said of the file before it is written.
extension ArchiverState {
  /// At least as many objects as the file will have: each object of the archive has its `$class` besides its slots.
  var boundOfObjectCount: Int {
    var bound = 16 + 2 * entries.count + slots.count + arrayElements.count + tree.texts.count
    for place in types.indices { bound += types[place].chain.count + types[place].hints.count + 3 }
    return bound
  }

  /// About how many bytes the objects take, rather too many than too few: growing a large buffer copies it.
  func byteCount(referenceWidth: Int) -> Int {
    let uidSize = 1 + BinaryLayout.width(of: UInt64(entries.count))
    var size = 256 + entries.count * (3 + 3 * referenceWidth + uidSize)
    size += arrayElements.count * (uidSize + referenceWidth) + slots.count * 2 * referenceWidth
    for slot in 0..<slotKinds.count {
      switch slotKinds[slot] {
      case .uid, .conditionalUID: size += uidSize
      case .boolean: size += 1
      case .float: size += 5
      default: size += 9
      }
    }
    for place in 0..<entries.count where entries[place].kind != .object { size += 9 }
    for text in strings { size += text.utf8.count + 3 }
    for data in data { size += data.count }
    for text in tree.texts { size += text.utf8.count + 3 }
    for place in types.indices {
      size += 2 * types[place].name.utf8.count + 16
      for name in types[place].chain { size += name.utf8.count + 3 + referenceWidth }
      for name in types[place].hints { size += name.utf8.count + 3 + referenceWidth }
    }
    return size
  }
}
