// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

extension KeyedArchive: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The first lines of the archive's graph, as `keyedarchive tree` prints them.
  ///
  /// The text has at most 40 lines, 8 elements of each collection, and 4 levels. An ellipsis marks what is omitted.
  public var description: String {
    guard !isValue(in: topRow, heavierThan: DescribedTree.maximumWeight), let entries = try? top else {
      return debugDescription
    }
    var tree = DescribedTree(self)
    for entry in entries.prefix(DescribedTree.maximumLineCount + 1) { tree.add(key: entry.key, entry.value) }
    return entries.isEmpty ? debugDescription : tree.text
  }

  /// The archiver and the number of objects.
  public var debugDescription: String {
    let name = MessageText.plain(MessageText.shortened(archiverName, to: 60))
    return "KeyedArchive by '\(name)', \(CountText.text(objectCount, "object"))"
  }

  /// The first 8 top-level values.
  public var customMirror: Mirror {
    Mirror(self, children: topKeys.prefix(8).map { (label: $0, value: self[$0]) }, displayStyle: .struct)
  }

  /// Returns whether an object has inline contents that take more than an estimated memory to read.
  func isObject(_ uid: ArchiveUID, heavierThan limit: Int64) -> Bool {
    guard limit < .max, let row = try? row(of: uid) else { return false }
    return isValue(in: row, heavierThan: limit)
  }

  /// Returns whether an object has heavy inline contents, and charges a traversal's budget for the inspected values. Beyond
  /// the budget, every object counts as heavy.
  func isObject(_ uid: ArchiveUID, heavierThan limit: Int64, budget: inout ExpansionBudget) -> Bool {
    guard let row = try? row(of: uid) else { return false }
    return isValue(in: row, heavierThan: limit, budget: &budget)
  }

  /// Returns whether a value and its inline contents take more than an estimated memory to read.
  ///
  /// Reads no more than the limit. Values that an edit added are in memory already.
  func isValue(in row: ObjectRef, heavierThan limit: Int64) -> Bool {
    var budget = budget
    return isValue(in: row, heavierThan: limit, budget: &budget)
  }

  private func isValue(in row: ObjectRef, heavierThan limit: Int64, budget: inout ExpansionBudget) -> Bool {
    var rows = [row]
    var weight: Int64 = 0
    while let row = rows.popLast() {
      guard budget.touch(ExpansionBudget.element) else { return true }
      guard let item = try? storedItem(row) else { continue }
      weight += item.weight
      if weight > limit { return true }
      guard item.kind == .array || item.kind == .dictionary else { continue }
      for place in 0..<(item.kind == .array ? item.count : 2 * item.count) {
        if let element = try? list.element(place, of: item) { rows.append(element) }
      }
    }
    return false
  }
}

extension KeyedArchive.Node: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The first lines of the graph from this value on, as `keyedarchive tree` prints them.
  ///
  /// The text has at most 40 lines, 8 elements of each collection, and 4 levels. An ellipsis marks what is omitted.
  public var description: String {
    guard kind != .missing else { return "missing" }
    var tree = DescribedTree(archive)
    if let uid {
      tree.add(.reference(uid))
    } else if let row, !archive.isValue(in: row, heavierThan: DescribedTree.maximumWeight),
      let value = try? archive.value(in: row)
    {
      tree.add(value)
    } else {
      return "…"
    }
    return tree.text
  }

  /// The value in one line: the first line of the ``description``.
  public var debugDescription: String {
    guard kind != .missing else { return "missing" }
    let text = description
    return text.utf8.firstIndex(of: UInt8(ascii: "\n")).map { String(text[..<$0]) } ?? text
  }

  /// At most 8 elements or values of the node, the latter labeled with their keys.
  public var customMirror: Mirror {
    if kind == .array || kind == .object, let elements = array, dictionary == nil {
      return Mirror(self, unlabeledChildren: Array(elements.prefix(8)), displayStyle: .collection)
    }
    guard kind == .object || kind == .dictionary || kind == .classRecord else { return Mirror(self, children: []) }
    return Mirror(self, children: keys.prefix(8).map { (label: $0, value: self[$0]) }, displayStyle: .struct)
  }
}

/// The first lines of a tree, bounded in text and time whatever the archive contains.
private struct DescribedTree {
  static let maximumLineCount = 40
  /// The estimated memory of an object that is read, and of all objects together.
  static let maximumWeight: Int64 = 8 << 20, maximumTotalWeight: Int64 = 16 << 20
  private static let maximumByteCount = 8000

  private final class Lines {
    var text: [String] = []
    var byteCount = 0
  }

  private let lines = Lines()
  private var tree: ArchiveTree

  init(_ archive: KeyedArchive) {
    var limits = ReadLimits.default
    limits.maximumExpansion = 1
    let reader = GraphReader(archive, budget: ExpansionBudget(byteCount: Self.maximumTotalWeight, limits: limits))
    tree = ArchiveTree(reader, style: .plain) { [lines] line in
      lines.text.append(line)
      lines.byteCount += line.utf8.count
      // One line more than is shown tells that lines are omitted.
      return lines.text.count <= Self.maximumLineCount && lines.byteCount <= Self.maximumByteCount
    }
    tree.depth = 4
    tree.width = 8
    tree.maximumTextLength = 200
    tree.maximumWeight = Self.maximumWeight
  }

  mutating func add(key: String, _ value: KeyedArchive.StoredValue) { tree.write(key: key, value) }

  mutating func add(_ value: KeyedArchive.StoredValue) { tree.write(value) }

  /// The lines, without a line end.
  var text: String {
    let shown = lines.text.prefix(Self.maximumLineCount).map { String($0.dropLast()) }
    let isCut = lines.text.count > Self.maximumLineCount || lines.byteCount > Self.maximumByteCount || tree.isExhausted
    return (isCut ? shown + ["…"] : shown).joined(separator: "\n")
  }
}
