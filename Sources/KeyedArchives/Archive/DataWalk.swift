// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
package import KeyedArchiving
@_spi(Archiving) package import PropertyListFormat

/// Visits all data, all texts, or other objects of a property list, each object once.
package struct DataWalk {
  private struct Frame {
    let keys: [ObjectRef]
    let values: [ObjectRef]
    /// The index of the next value.
    var next = 0
    /// Whether the key of the next value was visited.
    var isAtValue = false
  }

  private let list: PropertyList
  private let isArchive: Bool
  private var frames: [Frame] = []
  private var isSeen: Set<ObjectRef> = []
  private var isAtTop = false
  /// Whether containers were skipped because they nest too deep.
  package private(set) var isTooDeep = false

  package init(_ list: PropertyList, isArchive: Bool) {
    self.list = list
    self.isArchive = isArchive
  }

  /// Returns the next data, or nil at the end or if the budget is exhausted.
  package mutating func next(budget: inout ExpansionBudget) -> Data? {
    if isSeen.insert(list.top).inserted, let data = visit(list.top, &budget) {
      isAtTop = true
      return data
    }
    isAtTop = false
    while let row = step(budget) {
      if isSeen.insert(row).inserted, let data = visit(row, &budget) { return data }
    }
    return nil
  }

  /// Returns the next text, which can be a key of a dictionary, or nil at the end or if the budget is exhausted.
  package mutating func nextText(budget: inout ExpansionBudget) -> String? {
    if isSeen.insert(list.top).inserted, case .string(let text)? = visitObject(list.top, &budget) {
      isAtTop = true
      return text
    }
    isAtTop = false
    while let row = step(budget, visitsKeys: true) {
      if isSeen.insert(row).inserted, case .string(let text)? = visitObject(row, &budget) { return text }
    }
    return nil
  }

  /// Returns the next object that is wanted, or nil at the end or if the budget is exhausted. The contents of a wanted
  /// container are not visited.
  package mutating func next(
    where isWanted: (PropertyListObject) -> Bool, budget: inout ExpansionBudget
  ) -> PropertyListObject? {
    if isSeen.insert(list.top).inserted, let object = visitObject(list.top, &budget, isWanted), isWanted(object) {
      isAtTop = true
      return object
    }
    isAtTop = false
    while let row = step(budget) {
      if isSeen.insert(row).inserted, let object = visitObject(row, &budget, isWanted), isWanted(object) {
        return object
      }
    }
    return nil
  }

  /// Returns the next value of the containers that were begun, and before it its key if keys are visited.
  private mutating func step(_ budget: ExpansionBudget, visitsKeys: Bool = false) -> ObjectRef? {
    while let last = frames.indices.last, !budget.isExhausted {
      let place = frames[last].next
      if visitsKeys, frames[last].isAtValue {
        frames[last].isAtValue = false
        return frames[last].values[place - 1]
      }
      guard place < frames[last].values.count else {
        frames.removeLast()
        continue
      }
      frames[last].next += 1
      guard visitsKeys, !frames[last].keys.isEmpty else { return frames[last].values[place] }
      frames[last].isAtValue = true
      return frames[last].keys[place]
    }
    return nil
  }

  /// Throws an error if the walk ended before it visited all objects.
  /// - Parameter budget: The budget of the walk.
  /// - Throws: `KeyedArchiveError` with code `KeyedArchiveError.Code.limitReached`.
  package func checkCompleteness(_ budget: ExpansionBudget) throws(KeyedArchiveError) {
    if isTooDeep { throw KeyedArchiveError(PropertyListError.tooDeep(list.limits.maximumDepth)) }
    guard !budget.isExhausted else {
      throw .expansionLimit(
        "expansion limit reached: the objects share too many bytes for a check of all of them")
    }
  }

  /// Returns an object if it is data, and begins with its values if it is a container.
  private mutating func visit(_ row: ObjectRef, _ budget: inout ExpansionBudget) -> Data? {
    if case .data(let bytes)? = visitObject(row, &budget) { bytes } else { nil }
  }

  /// Returns an object that is not a container, or that is wanted, and begins with the values of another container.
  private mutating func visitObject(
    _ row: ObjectRef, _ budget: inout ExpansionBudget, _ isWanted: (PropertyListObject) -> Bool = { _ in false }
  ) -> PropertyListObject? {
    guard let object = try? list.object(row), budget.take(object.weight) else { return nil }
    if isWanted(object) { return object }
    let frame: Frame
    switch object {
    case .dictionary(let keys, let values): frame = Frame(keys: keys, values: values)
    case .array(let values), .set(let values): frame = Frame(keys: [], values: values)
    default: return object
    }
    if frames.count < list.limits.maximumDepth { frames.append(frame) } else { isTooDeep = true }
    return nil
  }

  /// Returns the path to the last data or text, which `GraphPath.nested(_:)` parses, or nil if a key is not a string.
  /// That of a key is the path to its value.
  ///
  /// In an archive, it begins with a UID or with a key of `$top`.
  package func path(budget: inout ExpansionBudget) -> String? {
    guard !isAtTop else { return "." }
    var path = KeyPathText(isExact: true)
    for (depth, frame) in frames.enumerated() {
      let place = frame.next - 1
      guard !frame.keys.isEmpty else {
        let isObject = isArchive && depth == 1 && path.text == "$objects"
        if isObject { path = KeyPathText(ArchiveUID(rawValue: UInt32(clamping: place)), isExact: true) }
        if !isObject { path.append(index: place) }
        continue
      }
      guard case .string(let key)? = try? list.object(frame.keys[place]), budget.take(Int64(key.utf8.count)) else {
        return nil
      }
      // The keys of '$top' are where paths in an archive begin.
      if isArchive, depth == 1, path.text == "$top" { path = KeyPathText(isExact: true) }
      path.append(key: key)
    }
    return path.text
  }
}
