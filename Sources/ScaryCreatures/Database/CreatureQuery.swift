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
  /// The number of matching creatures to skip. Without a filter, unreadable creatures in the order by number count, too.
  public var offset: Int
  /// The maximum number of creatures; nil for all. Unreadable creatures count as for ``offset``.
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

  /// Whether the query selects all creatures without reading their values.
  private var selectsAll: Bool { minimumRating == nil && titleContains == nil }

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

  fileprivate func page<Element>(_ elements: [Element]) -> [Element] {
    let rest = elements.dropFirst(max(0, offset))
    return Array(limit.map { rest.prefix(max(0, $0)) } ?? rest)
  }

  /// Reads the creatures that match, in order.
  fileprivate func run(
    _ docs: [ScaryCreatureDoc], in database: ScaryCreatureDatabase,
    _ visit: (ScaryCreatureDoc, DocumentSummary<ScaryCreatureData>) throws -> Void,
    unreadable: (UnreadableCreature) throws -> Void
  ) throws {
    func read(_ docs: [ScaryCreatureDoc], _ found: (CreatureRow) throws -> Void) throws {
      try database.readCreatureSummaries(of: docs) { doc, summary in
        switch summary {
        case .success(let summary): try found((doc, summary))
        case .failure(let error):
          if let number = doc.number { try unreadable(UnreadableCreature(number: number, error: error)) }
        }
      }
    }
    guard order != .number || !selectsAll else { return try read(page(descending ? docs.reversed() : docs), visit) }
    var rows: [CreatureRow] = []
    try read(docs) { row in
      if accepts(row.summary.stored.model) { rows.append(row) }
    }
    for (doc, summary) in page(sorted(rows)) { try visit(doc, summary) }
  }

  /// Selects creatures without reading their values; nil if the query needs these.
  fileprivate func select(
    _ docs: [ScaryCreatureDoc]
  ) -> (found: [ScaryCreatureDoc], unreadable: [UnreadableCreature])? {
    guard selectsAll, order == .number || order == .date else { return nil }
    guard order == .date else { return (page(descending ? docs.reversed() : docs), []) }
    var unreadable: [UnreadableCreature] = []
    var dated: [(doc: ScaryCreatureDoc, modified: StorageDate)] = []
    for doc in docs {
      do {
        guard let modified = try doc.modified else {
          throw LibraryError(missingDataFile: doc.docPath?.path ?? "")
        }
        dated.append((doc, modified))
      } catch {
        if let number = doc.number { unreadable.append(UnreadableCreature(number: number, error: error)) }
      }
    }
    return (page(sorted(dated) { $0.modified < $1.modified }.map(\.doc)), unreadable)
  }

  private func sorted(_ rows: [CreatureRow]) -> [CreatureRow] {
    switch order {
    case .number: descending ? rows.reversed() : rows
    case .title:
      sorted(rows.map { ($0, TitleText.folded($0.summary.stored.model.title)) }) { $0.1 < $1.1 }.map(\.0)
    case .rating:
      // A rating that is not a number precedes all others.
      sorted(rows) { a, b in
        let (a, b) = (a.summary.stored.model.rating, b.summary.stored.model.rating)
        return a.isNaN ? !b.isNaN : a < b
      }
    case .date: sorted(rows) { $0.summary.modified < $1.summary.modified }
    }
  }
}

private typealias CreatureRow = (doc: ScaryCreatureDoc, summary: DocumentSummary<ScaryCreatureData>)

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
    let docs = try documents()
    if let selected = query.select(docs) { return selected }
    var unreadable: [UnreadableCreature] = []
    var found: [ScaryCreatureDoc] = []
    try query.run(docs, in: self, { doc, _ in found.append(doc) }, unreadable: { unreadable.append($0) })
    return (found, unreadable)
  }

  /// Reads the creatures that match a query, in its order, each once. An unreadable creature does not affect the others.
  ///
  /// The documents cache nothing.
  /// - Parameters:
  ///   - query: The query.
  ///   - contents: The creatures to select from; nil for all.
  ///   - visit: Receives each matching creature with its saved values and the names of its images.
  ///   - unreadable: Receives each creature that cannot be read.
  /// - Throws: `LibraryError` if the folder cannot be read, or an error of the closures.
  public func readCreatures(
    _ query: CreatureQuery, of contents: LibraryContents? = nil,
    _ visit: (ScaryCreatureDoc, DocumentSummary<ScaryCreatureData>) throws -> Void,
    unreadable: (UnreadableCreature) throws -> Void
  ) throws {
    try query.run(documents(of: contents ?? self.contents()), in: self, visit, unreadable: unreadable)
  }

  /// Reads the values of creatures and the names of their images.
  package func readCreatureSummaries(
    of docs: [ScaryCreatureDoc],
    _ visit: (ScaryCreatureDoc, Result<DocumentSummary<ScaryCreatureData>, any Error>) throws -> Void
  ) rethrows {
    // Most images are PNG files.
    try readSummaries(
      of: docs, lookingUp: CreatureImage.allCases.map(\.rawValue), orElse: ScaryCreatureData.attachmentNames, visit)
  }
}

extension DocumentSummary where Model == ScaryCreatureData {
  /// Returns whether the creature has an image.
  /// - Parameter image: The image.
  /// - Returns: `true` if the creature has the image, in any format.
  public func hasImage(_ image: CreatureImage) -> Bool {
    attachmentNames.contains(image.rawValue) || image.fileNames.contains { attachmentNames.contains($0) }
  }
}
