// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

extension PropertyList {
  /// The position of a value in a container.
  package struct Position: Hashable, Sendable {
    /// An array, a set or a dictionary.
    package let container: ObjectRef
    /// The index of the value in the container, or among the values of the dictionary.
    package let index: Int

    package init(_ container: ObjectRef, _ index: Int) {
      self.container = container
      self.index = index
    }
  }

  /// Returns the bytes of the list with other bytes in place of one data, and everything else as it is.
  ///
  /// In an XML file in UTF-8, only the text of the data changes. Other files are written again.
  /// Other positions that share the object with the data keep it. The result is read back and compared with the list.
  /// - Parameters:
  ///   - positions: The positions from the top object to the data, from the outside in; none if the data is the top
  ///     object.
  ///   - data: The new bytes.
  /// - Returns: The bytes of the file.
  /// - Throws: ``PropertyListError`` if an object is damaged, or the result cannot be written.
  package func replacingData(at positions: [Position], with data: Data) throws(PropertyListError) -> Data {
    let result: Data
    if let spliced = try splicingData(at: positions, with: data) {
      result = spliced
    } else {
      var list = self
      var value = list.append(.data(data))
      // Copies of the containers, because others may share them.
      for position in positions.reversed() {
        value = list.append(try list.object(position.container).replacing(value, at: position))
      }
      list.setTop(value)
      result = try list.data()
    }
    guard try isEqual(to: PropertyList(result, limits: .none), except: positions, data) else {
      throw PropertyListError(
        .notRepresentable, "the file cannot be written with other data and without other changes",
        remedy: "Replace the data with a program that reads the file")
    }
    return result
  }

  /// Returns the XML file with another text of the data; nil for other files.
  private func splicingData(at positions: [Position], with data: Data) throws(PropertyListError) -> Data? {
    guard format == .xml, !isEdited else { return nil }
    var row = top
    for position in positions { row = try object(position.container).value(at: position) }
    // The data are in the order of the file.
    var number = 0
    for before in 0..<row.rawValue
    where try storedItem(ObjectRef(rawValue: before))?.kind == .data { number += 1 }
    return try XMLDataElement(number: number, in: self.data())?.replaced(by: data)
  }

  /// Returns whether another list has the same values, except for one data.
  private func isEqual(
    to other: PropertyList, except positions: [Position], _ data: Data
  ) throws(PropertyListError) -> Bool {
    struct Pair: Hashable {
      let old: ObjectRef
      let new: ObjectRef
      /// The number of positions that lead here; nil beside their path.
      var depth: Int?
    }
    var seen: Set<Pair> = []
    var stack = [Pair(old: top, new: other.top, depth: 0)]
    while let pair = stack.popLast() {
      guard seen.insert(pair).inserted else { continue }
      let (old, new) = (try object(pair.old), try other.object(pair.new))
      if pair.depth == positions.count {
        guard new == .data(data) else { return false }
        continue
      }
      let changed = pair.depth.map { positions[$0].index }
      func push(_ olds: [ObjectRef], _ news: [ObjectRef]) -> Bool {
        guard olds.count == news.count else { return false }
        for (index, (old, new)) in zip(olds, news).enumerated() {
          stack.append(Pair(old: old, new: new, depth: index == changed ? pair.depth.map { $0 + 1 } : nil))
        }
        return true
      }
      switch (old, new) {
      case (.array(let a), .array(let b)), (.set(let a), .set(let b)): guard push(a, b) else { return false }
      case (.dictionary(let keys, let a), .dictionary(let otherKeys, let b)):
        guard keys.count == otherKeys.count, push(a, b) else { return false }
        for (key, other) in zip(keys, otherKeys) { stack.append(Pair(old: key, new: other)) }
      default: guard old == new else { return false }
      }
    }
    return true
  }
}

extension PropertyListObject {
  /// Returns the value at a position in this container.
  fileprivate func value(at position: PropertyList.Position) throws(PropertyListError) -> ObjectRef {
    switch self {
    case .array(let values), .set(let values), .dictionary(_, let values):
      if values.indices.contains(position.index) { return values[position.index] }
    default: break
    }
    throw .noValue(at: position)
  }

  /// Returns the container with another value at a position.
  fileprivate func replacing(
    _ value: ObjectRef, at position: PropertyList.Position
  ) throws(PropertyListError) -> PropertyListObject {
    _ = try self.value(at: position)
    switch self {
    case .array(var values):
      values[position.index] = value
      return .array(values)
    case .set(var values):
      values[position.index] = value
      return .set(values)
    case .dictionary(let keys, var values):
      values[position.index] = value
      return .dictionary(keys: keys, values: values)
    default: throw .noValue(at: position)
    }
  }
}

extension PropertyListError {
  fileprivate static func noValue(at position: PropertyList.Position) -> PropertyListError {
    PropertyListError(.badReference, "\(position.container) has no value at index \(position.index)")
  }
}
