// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

/// Goes through all data of a property list, each row once, with the way to it.
///
/// In an archive a way begins with an object's number.
struct DataWalk {
  private struct Frame {
    let path: KeyPathText
    /// The keys of a dictionary; none for an array.
    let keys: [ObjectRef]
    let values: [ObjectRef]
    var next = 0
    /// Whether the elements are an archive's objects.
    var areObjects = false
  }

  private let list: PropertyList
  private let isArchive: Bool
  private var frames: [Frame] = []
  private var isSeen: Set<ObjectRef> = []
  private var start: Data?

  init(_ list: PropertyList, isArchive: Bool) {
    self.list = list
    self.isArchive = isArchive
    isSeen.insert(list.top)
    switch try? list.object(list.top) {
    case .dictionary(let keys, let values)?: frames = [Frame(path: KeyPathText(), keys: keys, values: values)]
    case .array(let values)?: frames = [Frame(path: KeyPathText(), keys: [], values: values)]
    case .data(let bytes)?: start = bytes
    default: break
    }
  }

  /// The next data; nil if there is no more, or no room for it.
  mutating func next(room: inout ExpansionBudget) -> (path: String, bytes: Data)? {
    if let bytes = start {
      start = nil
      return ("", bytes)
    }
    while let last = frames.indices.last {
      let place = frames[last].next
      guard place < frames[last].values.count else {
        frames.removeLast()
        continue
      }
      frames[last].next += 1
      let row = frames[last].values[place]
      guard isSeen.insert(row).inserted, let object = try? list.object(row) else { continue }
      guard room.take(object.weight) else { return nil }
      switch object {
      case .data(let bytes):
        if let path = path(to: place, in: frames[last])?.text { return (path, bytes) }
      case .dictionary(let keys, let values):
        if let path = path(to: place, in: frames[last]) { frames.append(Frame(path: path, keys: keys, values: values)) }
      case .array(let values), .set(let values):
        guard let path = path(to: place, in: frames[last]) else { continue }
        frames.append(Frame(path: path, keys: [], values: values, areObjects: isArchive && path.text == "$objects"))
      default: break
      }
    }
    return nil
  }

  private func path(to place: Int, in frame: Frame) -> KeyPathText? {
    if frame.areObjects { return KeyPathText(ArchiveUID(rawValue: UInt32(place))) }
    var path = frame.path
    guard !frame.keys.isEmpty else {
      path.append(index: place)
      return path
    }
    guard case .string(let key)? = try? list.object(frame.keys[place]) else { return nil }
    path.append(key: key)
    return path
  }
}
