// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
public import DocumentLibraries

/// Which creatures are wanted, in which order.
///
/// ```swift
/// let scariest = try database.creatures(CreatureQuery(minimumRating: 4, order: .rating, descending: true, limit: 10))
/// ```
public struct CreatureQuery: Hashable, Sendable {
  /// Orders of creatures. Those that are equal follow each other by their numbers, also where the order is turned round.
  public enum Order: String, CaseIterable, Sendable {
    /// By number.
    case number
    /// By name, small and capital letters alike, by their code points.
    case title
    /// By rating.
    case rating
    /// By when the data was changed last.
    case date
  }

  /// The smallest rating; nil for any.
  public var minimumRating: Float?
  /// What the name contains, small and capital letters alike; nil for anything.
  public var titleContains: String?
  /// The order.
  public var order: Order
  /// Whether the order is turned round.
  public var descending: Bool
  /// How many of those that fit are left out at the beginning.
  public var offset: Int
  /// How many are wanted at most; nil for all.
  public var limit: Int?

  /// Makes a query; what is not given does not restrict it.
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

  /// Whether names alone answer it.
  private var needsNoData: Bool {
    minimumRating == nil && titleContains == nil && (order == .number || order == .date)
  }

  fileprivate func accepts(_ creature: ScaryCreatureData) -> Bool {
    if let minimumRating, !(creature.rating >= minimumRating) { return false }
    guard let titleContains, !titleContains.isEmpty else { return true }
    return TitleText.folded(creature.title).contains(TitleText.folded(titleContains))
  }

  /// Elements that come in the order of their numbers in the wanted order.
  private func sorted<Element>(_ elements: [Element], _ isBefore: (Element, Element) -> Bool) -> [Element] {
    // Keeps the order of equals, which is that of the numbers.
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
    /// Leaves out what cannot be read, and remembers why.
    func reading<Value>(_ doc: ScaryCreatureDoc, _ body: () throws -> Value?) -> Value? {
      do {
        return try body()
      } catch {
        if let number = doc.number { unreadable.append(UnreadableCreature(number: number, error: error)) }
        return nil
      }
    }
    /// A creature's folder may lack the data file.
    func modified(_ doc: ScaryCreatureDoc) throws -> StorageDate {
      if let modified = try doc.modified { return modified }
      throw LibraryError(
        .missingDataFile, doc.docPath?.path ?? "", "the document has no data file",
        remedy: "Put one back from a backup, or save new values")
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
      // A rating that is no number comes before all.
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

/// A creature that could not be judged.
public struct UnreadableCreature: Sendable {
  /// Its number.
  public let number: DocumentNumber
  /// Why.
  public let error: any Error
}

extension DocumentLibrary where Model == ScaryCreatureData {
  /// The creatures that a query wants. One that cannot be read hides no other; `unreadable` has those.
  /// - Throws: `LibraryError` if the folder cannot be read.
  public func creatures(
    _ query: CreatureQuery
  ) throws -> (found: [ScaryCreatureDoc], unreadable: [UnreadableCreature]) {
    try query.run(documents())
  }
}
