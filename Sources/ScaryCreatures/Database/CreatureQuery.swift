// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
public import DocumentLibraries

/// A selection of creatures, with an order.
///
/// ```swift
/// let scariest = try database.creatures(CreatureQuery(minimumRating: 4, order: .rating, descending: true, limit: 10))
/// ```
public struct CreatureQuery: Hashable, Sendable {
  /// The sort orders. Creatures that compare equal are ordered by number, also if the order is descending.
  public enum Order: String, CaseIterable, Sendable {
    /// By number.
    case number
    /// By title, without regard to case, by code points.
    case title
    /// By rating.
    case rating
    /// By the modification date of the data.
    case date
  }

  /// The minimum rating; nil for any rating.
  public var minimumRating: Float?
  /// The text that the title contains, without regard to case; nil for any title.
  public var titleContains: String?
  /// The sort order.
  public var order: Order
  /// A Boolean value that indicates whether the order is descending.
  public var descending: Bool
  /// The number of matching creatures to skip.
  public var offset: Int
  /// The maximum number of creatures; nil for all.
  public var limit: Int?

  /// Creates a query.
  /// - Parameters:
  ///   - minimumRating: The minimum rating; nil for any rating.
  ///   - titleContains: The text that the title contains; nil for any title.
  ///   - order: The sort order.
  ///   - descending: Whether the order is descending.
  ///   - offset: The number of matching creatures to skip.
  ///   - limit: The maximum number of creatures; nil for all.
  public init(
    minimumRating: Float? = nil, titleContains: String? = nil, order: Order = .number, descending: Bool = false,
    offset: Int = 0, limit: Int? = nil
  ) {
    self.minimumRating = minimumRating
    self.titleContains = titleContains
    self.order = order
    self.descending = descending
    self.offset = offset
    self.limit = limit
  }

  /// Whether the query needs no data file.
  private var needsNoData: Bool {
    minimumRating == nil && titleContains == nil && (order == .number || order == .date)
  }

  fileprivate func accepts(_ creature: ScaryCreatureData) -> Bool {
    if let minimumRating, !(creature.rating >= minimumRating) { return false }
    guard let titleContains, !titleContains.isEmpty else { return true }
    return TitleText.folded(creature.title).contains(TitleText.folded(titleContains))
  }

  /// Sorts elements that are ordered by number.
  private func sorted<Element>(_ elements: [Element], _ isBefore: (Element, Element) -> Bool) -> [Element] {
    // The sort is stable, so equal elements stay ordered by number.
    descending ? elements.sorted { isBefore($1, $0) } : elements.sorted(by: isBefore)
  }

  private func page<Element>(_ elements: [Element]) -> [Element] {
    let rest = elements.dropFirst(max(0, offset))
    return Array(limit.map { rest.prefix(max(0, $0)) } ?? rest)
  }

  fileprivate func run(_ docs: [ScaryCreatureDoc]) throws -> (
    found: [ScaryCreatureDoc], unreadable: [UnreadableCreature]
  ) {
    var unreadable: [UnreadableCreature] = []
    /// Returns nil for a creature that cannot be read, and records the error.
    func reading<Value>(_ doc: ScaryCreatureDoc, _ body: () throws -> Value?) -> Value? {
      do {
        return try body()
      } catch {
        if let number = doc.number { unreadable.append(UnreadableCreature(number: number, error: error)) }
        return nil
      }
    }
    /// The modification date of the data file, which may be missing.
    func modified(_ doc: ScaryCreatureDoc) throws -> StorageDate {
      if let modified = try doc.modified { return modified }
      throw LibraryError(
        .missingDataFile, doc.docPath?.path ?? "", "the document has no data file",
        remedy: "Restore the file from a backup, or save new values")
    }
    guard order != .number || !needsNoData else { return (page(descending ? docs.reversed() : docs), []) }
    if needsNoData {
      let dated = docs.compactMap { doc in reading(doc) { (doc, try modified(doc)) } }
      return (page(sorted(dated) { $0.1 < $1.1 }.map(\.0)), unreadable)
    }
    var rows: [(doc: ScaryCreatureDoc, creature: ScaryCreatureData)] = []
    for doc in docs {
      if let creature = reading(doc, { try doc.data }), accepts(creature) { rows.append((doc, creature)) }
    }
    switch order {
    case .number:
      if descending { rows.reverse() }
    case .title:
      rows = sorted(rows.map { ($0, TitleText.folded($0.creature.title)) }) { $0.1 < $1.1 }.map(\.0)
    case .rating:
      // A rating that is not a number precedes all others.
      rows = sorted(rows) { a, b in
        a.creature.rating.isNaN ? !b.creature.rating.isNaN : a.creature.rating < b.creature.rating
      }
    case .date:
      let dated = rows.compactMap { row in reading(row.doc) { (row, try modified(row.doc)) } }
      rows = sorted(dated) { $0.1 < $1.1 }.map(\.0)
    }
    return (page(rows.map(\.doc)), unreadable)
  }
}

/// A creature that a query could not read.
public struct UnreadableCreature: Sendable {
  /// The creature's number.
  public let number: DocumentNumber
  /// The error.
  public let error: any Error
}

extension DocumentLibrary where Model == ScaryCreatureData {
  /// Returns the creatures that match a query. An unreadable creature does not affect the others.
  /// - Parameter query: The query.
  /// - Returns: The matching creatures, and the unreadable ones.
  /// - Throws: `LibraryError` if the folder cannot be read.
  public func creatures(
    _ query: CreatureQuery
  ) throws -> (found: [ScaryCreatureDoc], unreadable: [UnreadableCreature]) {
    try query.run(documents())
  }
}
