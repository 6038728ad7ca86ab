// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

/// A search for the key paths of objects, breadth first from the top level. Only messages and key reports need it.
struct ReferenceSearch {
  /// The place of the first reference to an object.
  private struct Origin {
    /// The containing object; 0 for the top level.
    var parent: UInt32
    /// The index in ``containers`` of the container with the reference; -1 if that is the object itself.
    var container: Int
    /// The position of the reference in that container.
    var position: Int32
  }

  /// A container inside of an object. The references in it share its place.
  struct Container {
    /// The index of the container around it; -1 if that is the object itself.
    var outer: Int
    /// The position in the container around it.
    var position: Int32
  }

  /// A container whose values are being searched.
  private struct OpenContainer {
    let item: BinaryItem
    /// The position of the current value.
    var position = -1
    /// Its index in ``containers``; -1 for the object itself, and while no reference in it was the first to an object.
    var index = -1

    init(_ item: BinaryItem) { self.item = item }
  }

  private let tracker: KeyTracker?
  private(set) var budget: ExpansionBudget
  private var origins: [UInt32: Origin] = [:]
  private(set) var containers: [Container] = []

  /// Creates a search. With a tracker, it follows only the references that the tracked decode can have followed.
  init(budget: ExpansionBudget, tracker: KeyTracker? = nil) {
    self.budget = budget
    self.tracker = tracker
  }

  /// Searches until an object is found, all references are followed, or the budget is exhausted.
  mutating func run(in source: borrowing ArchiveSource, until target: UInt32? = nil) {
    var queue: [UInt32] = [0]
    var head = 0
    while head < queue.count {
      let parent = queue[head]
      head += 1
      guard let item = Self.item(parent, in: source) else { continue }
      var open = [OpenContainer(item)]
      while let last = open.indices.last {
        open[last].position += 1
        let (container, position) = (open[last].item, open[last].position)
        guard container.kind == .dictionary || container.kind == .array, position < container.count else {
          open.removeLast()
          continue
        }
        guard budget.take(ExpansionBudget.element) else { return }
        if last == 0, let tracker, tracker.isTracked(Int(parent)), !tracker.isRequested(position, of: Int(parent)) {
          continue
        }
        guard let value = try? source.value(position, of: container) else { continue }
        if value.kind == .array || value.kind == .dictionary {
          if open.count < source.maximumDepth { open.append(OpenContainer(value)) }
          continue
        }
        guard value.kind == .uid, let child = try? source.uid(value), child != 0, origins[child] == nil,
          tracker?.isDecoded(child) ?? true
        else { continue }
        add(&open)
        origins[child] = Origin(
          parent: parent, container: open[last].index, position: Int32(truncatingIfNeeded: position))
        if child == target { return }
        queue.append(child)
      }
    }
  }

  /// Adds the open containers inside of an object to ``containers``, except those that were added before.
  private mutating func add(_ open: inout [OpenContainer]) {
    var first = open.count
    while first > 1, open[first - 1].index < 0 { first -= 1 }
    // The first is the object itself.
    for index in first..<open.count {
      let outer = open[index - 1]
      open[index].index = containers.count
      containers.append(Container(outer: outer.index, position: Int32(truncatingIfNeeded: outer.position)))
    }
  }

  /// Returns the positions that lead from an object to a reference in it.
  private func place(of origin: Origin) -> [Int] {
    var place = [Int(origin.position)]
    var index = origin.container
    while index >= 0 {
      place.append(Int(containers[index].position))
      index = containers[index].outer
    }
    return place.reversed()
  }

  /// Returns the first of the shortest paths to an object, or nil if none was found or the budget is exhausted.
  mutating func path(to uid: UInt32, in state: inout UnarchiverState) -> [ArchivePathStep]? {
    var path: [[ArchivePathStep]] = []
    var current = uid
    while current != 0 {
      guard let origin = origins[current], let steps = steps(of: origin, in: &state) else { return nil }
      path.append(steps)
      current = origin.parent
    }
    return path.reversed().flatMap(\.self)
  }

  /// Returns the keys and indexes that lead from an object, or from the top level, to a reference in it.
  private mutating func steps(of origin: Origin, in state: inout UnarchiverState) -> [ArchivePathStep]? {
    guard var container = Self.item(origin.parent, in: state.source) else { return nil }
    let place = place(of: origin)
    if place.count > 1, !budget.take(ExpansionBudget.element &+ Int64(container.count)) { return nil }
    var steps: [ArchivePathStep] = []
    for (depth, position) in place.enumerated() {
      if container.kind == .array {
        steps.append(ArchivePathStep(index: position))
      } else {
        guard let layout = try? state.layout(of: container) else { return nil }
        // As types request it, without the escape of a leading `$`.
        let name = state.keyLayouts.names[state.keyLayouts.layouts[layout].firstName + position].text
        // `items[3]` reads better than `items.NS.objects[3]`, and a dictionary's value has a key.
        if depth == 0, name == "NS.objects", place.count == 2 {
          let scope = UnarchiverState.Scope(kind: .object, uid: origin.parent, layout: layout, item: container)
          if let key = state.key(place[1], of: scope) {
            steps = [ArchivePathStep(.entry, key)]
            break
          }
        } else {
          steps.append(ArchivePathStep(depth == 0 && origin.parent == 0 ? .start : .key, name))
        }
      }
      guard let value = try? state.source.value(position, of: container) else { return nil }
      container = value
    }
    let weight = steps.reduce(ExpansionBudget.element) { $0 &+ 2 &* Int64($1.stringValue.utf8.count) }
    return budget.take(weight) ? steps : nil
  }

  private static func item(_ uid: UInt32, in source: borrowing ArchiveSource) -> BinaryItem? {
    uid == 0 ? source.envelope.top : try? source.entry(uid)
  }
}

extension ArchiveSource {
  /// Returns a value of a dictionary or array. In a dictionary, the value references follow the key references.
  fileprivate func value(_ position: Int, of item: BinaryItem) throws(KeyedArchiveError) -> BinaryItem {
    try element(item.kind == .dictionary ? item.count &+ position : position, of: item)
  }
}
