// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The place of an error in an archive: some steps, and the place where they begin.
///
/// The errors of objects that contain each other share the places of these objects. Creating the place of an error takes
/// time for the steps in its object only. The path from the top becomes a text when it is read.
package final class ArchivePlace: Sendable {
  let parent: ArchivePlace?
  let steps: [ArchivePathStep]
  /// The steps from a top-level key that replace ``steps`` in a text; nil for the same.
  private let found: [ArchivePathStep]?
  /// The number of places between this one and the first.
  private let depth: Int

  /// The depth from which on the place of a container has no parent. Places are released recursively.
  private static let maximumDepth = 128

  /// Creates a place.
  /// - Parameters:
  ///   - steps: The steps.
  ///   - parent: The place where the steps begin; nil for the top of the archive.
  init(_ steps: [ArchivePathStep], in parent: ArchivePlace? = nil) {
    self.parent = parent
    self.steps = steps
    found = nil
    depth = parent.map { $0.depth + 1 } ?? 0
  }

  /// Creates the place of an object or collection that may contain any number of others.
  /// - Parameters:
  ///   - steps: The steps.
  ///   - parent: The place where the steps begin; nil for the top of the archive.
  init(container steps: [ArchivePathStep], in parent: ArchivePlace?) {
    let isDeep = parent.map { $0.depth >= Self.maximumDepth } ?? false
    let chain = isDeep ? parent?.chain ?? [] : []
    self.parent = isDeep ? nil : parent
    self.steps = chain.flatMap(\.steps) + steps
    found = chain.contains { $0.found != nil } ? chain.flatMap { $0.found ?? $0.steps } + steps : nil
    depth = isDeep ? 0 : parent.map { $0.depth + 1 } ?? 0
  }

  /// Creates the place of an object to which no open scope leads.
  /// - Parameters:
  ///   - uid: The UID of the object.
  ///   - found: The path to the object; nil if it is not known.
  init(_ uid: UInt32, found: [ArchivePathStep]?) {
    parent = nil
    steps = [ArchivePathStep(.start, "\(ArchiveUID(rawValue: uid))")]
    self.found = found
    depth = 0
  }

  /// The places from the first to this one.
  private var chain: [ArchivePlace] {
    var chain = [self]
    while let parent = chain.last?.parent { chain.append(parent) }
    return chain.reversed()
  }

  /// The key path, such as `root.creatures[3].Title`.
  package var text: String { ArchivePathStep.text(chain.flatMap { $0.found ?? $0.steps }) ?? "$top" }

  /// The path from the innermost object whose path is known without a search.
  var codingPath: [any CodingKey] { chain.flatMap { $0.steps as [any CodingKey] } }
}
