// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

// The report of the keys of a whole decode.
extension UnarchiverState {
  /// Begins or ends tracking. Objects decoded before are unknown to the tracker.
  mutating func track(_ isTracking: Bool) {
    tracker = isTracking ? KeyTracker(objectCount: source.objectCount) : nil
    keyLayouts.isTracking = isTracking
  }

  /// Notes a request for a key that is absent, or whose request is tracked. Returns the position of the key, or -1.
  @inline(never)
  mutating func request(_ key: String, _ position: KeyLayoutCache.UnpredictedPosition) -> Int {
    let scope = innermost
    guard let position = position.tracked else {
      scopes[scope].absentMarks |= keyLayouts.markAbsent(in: scope)
      tracker?.request(absent: key, of: scopes[scope].uid)
      return -1
    }
    tracker?.request(position, of: scopes[scope].uid)
    return position
  }

  /// Notes that a call returned nil or zero for a key of the current object.
  mutating func noteFallback(forKey key: String) { tracker?.noteFallback(for: key, of: scopes[innermost].uid) }

  /// Returns the report of everything that was decoded since tracking began.
  mutating func keyReport() -> KeyReport {
    guard let tracker else { return KeyReport() }
    var search = ReferenceSearch(tracker, budget: source.budget)
    var report = KeyReport()
    var absent: [UInt32: (required: [String], optional: [String])] = [:]
    for (key, hasFallback) in tracker.absentKeys {
      let text = tracker.keys[key.key]
      if hasFallback {
        absent[key.uid, default: ([], [])].required.append(text)
      } else {
        absent[key.uid, default: ([], [])].optional.append(text)
      }
    }
    for uid in 0..<tracker.count {
      let id = UInt32(truncatingIfNeeded: uid)
      let isNested = tracker.isNestedDictionary(id)
      let unread = isNested ? tracker.unreadEntries(of: id) : unreadKeys(of: uid, tracker)
      let missing = isNested || tracker.isTracked(uid) ? absent[id] : nil
      guard !unread.isEmpty || missing != nil else { continue }
      search.begin(in: self)
      let path = path(to: id, &search)
      let name = className(of: id, &search)
      func entries(_ keys: [String]) -> [KeyReport.Entry] {
        keys.sorted()
          .map { KeyReport.Entry(path: path, className: name, key: $0, isDictionaryKey: isNested) }
      }
      report.unreadKeys += entries(unread)
      report.absentKeys += entries(missing?.required ?? [])
      report.absentOptionalKeys += entries(missing?.optional ?? [])
    }
    return report
  }

  /// Returns the keys of an object that no call requested.
  private mutating func unreadKeys(of uid: Int, _ tracker: KeyTracker) -> [String] {
    let id = UInt32(truncatingIfNeeded: uid)
    guard tracker.isTracked(uid), let item = uid == 0 ? source.envelope.top : try? source.entry(id),
      item.kind == .dictionary, let layout = try? keyLayouts.layout(of: item, in: source)
    else { return [] }
    let facts = keyLayouts.layouts[layout]
    return (0..<facts.count).compactMap { position in
      position == facts.classPosition && uid != 0 || tracker.isRequested(position, of: uid)
        ? nil : keyLayouts.names[facts.firstName + position].text
    }
  }

  /// Returns the class name of an object, or nil for the top level.
  private func className(of uid: UInt32, _ search: inout ReferenceSearch) -> String? {
    guard uid != 0 else { return nil }
    let classUID = objectStates[Int(uid)].classUID
    if let known = search.classNames[classUID] { return known }
    let name = className(ofRecord: classUID, &search)
    search.classNames[classUID] = .some(name)
    return name
  }

  private func className(ofRecord uid: UInt32, _ search: inout ReferenceSearch) -> String? {
    guard uid != 0, let record = try? source.entry(uid), record.kind == .dictionary,
      search.budget.take(record.weight)
    else { return nil }
    for position in 0..<record.count {
      guard let key = try? source.element(position, of: record), key.kind == .ascii,
        source.isText(key, ClassRecordKey.name.rawValue),
        let name = try? source.element(record.count + position, of: record), search.budget.take(name.weight)
      else { continue }
      return try? source.string(name)
    }
    return nil
  }

  /// Returns the text of the first of the shortest paths to an object, or its UID if the budget for paths is exhausted.
  private mutating func path(to uid: UInt32, _ search: inout ReferenceSearch) -> String {
    guard uid != 0 else { return "$top" }
    var steps: [[ArchivePathStep]] = []
    var current = uid
    while current != 0 {
      guard let origin = search.origin(of: current), let names = names(of: origin, &search) else {
        return "\(ArchiveUID(rawValue: uid))"
      }
      steps.append(names)
      current = origin.parent
    }
    return steps.reversed().joined().map { ArchivePathStep.text($0) }.joined()
  }

  /// Returns the key, and the index or the dictionary's key, of a reference.
  private mutating func names(
    of origin: ReferenceSearch.Origin, _ search: inout ReferenceSearch
  ) -> [ArchivePathStep]? {
    guard let item = origin.parent == 0 ? source.envelope.top : try? source.entry(origin.parent) else { return nil }
    var place: Place = [(item, Int(origin.position))]
    if origin.element >= 0 {
      guard search.budget.take(ExpansionBudget.element &+ Int64(item.count)),
        let array = try? source.element(item.count + Int(origin.position), of: item)
      else { return nil }
      place.append((array, Int(origin.element)))
    }
    guard let names = names(of: place, in: origin.parent),
      search.budget.take(names.reduce(ExpansionBudget.element) { $0 &+ 2 &* Int64($1.stringValue.utf8.count) })
    else { return nil }
    return names
  }
}

/// The search for the references through which the objects of a decode were reached, breadth first.
private struct ReferenceSearch {
  /// The place of the first reference to an object.
  struct Origin {
    /// The containing object; 0 for the top level.
    var parent: UInt32
    /// The position of the key in the containing object.
    var position: Int32
    /// The index in the array for that key; -1 if the value is the reference.
    var element: Int32
  }

  private let tracker: KeyTracker
  var budget: ExpansionBudget
  var classNames: [UInt32: String?] = [:]
  private var origins: [Origin?] = []

  init(_ tracker: KeyTracker, budget: ExpansionBudget) {
    self.tracker = tracker
    self.budget = budget
  }

  func origin(of uid: UInt32) -> Origin? { origins[Int(uid)] }

  /// Searches the archive from the top level on, once. It follows the references that the decode can have followed.
  mutating func begin(in state: borrowing UnarchiverState) {
    guard origins.isEmpty else { return }
    origins = Array(repeating: nil, count: tracker.count)
    var queue: [UInt32] = [0]
    var head = 0
    while head < queue.count {
      let parent = queue[head]
      head += 1
      guard let item = parent == 0 ? state.source.envelope.top : try? state.source.entry(parent),
        item.kind == .dictionary
      else { continue }
      for position in 0..<item.count {
        guard budget.take(ExpansionBudget.element) else { return }
        if tracker.isTracked(Int(parent)), !tracker.isRequested(position, of: Int(parent)) { continue }
        guard let value = try? state.source.element(item.count + position, of: item) else { continue }
        let origin = Origin(parent: parent, position: Int32(truncatingIfNeeded: position), element: -1)
        guard value.kind == .array else {
          visit(value, origin, state, &queue)
          continue
        }
        for index in 0..<value.count {
          guard budget.take(ExpansionBudget.element) else { return }
          guard let element = try? state.source.element(index, of: value) else { continue }
          var origin = origin
          origin.element = Int32(truncatingIfNeeded: index)
          visit(element, origin, state, &queue)
        }
      }
    }
  }

  private mutating func visit(
    _ item: BinaryItem, _ origin: Origin, _ state: borrowing UnarchiverState, _ queue: inout [UInt32]
  ) {
    guard item.kind == .uid, let uid = try? state.source.uid(item), uid != 0, tracker.isDecoded(uid),
      origins[Int(uid)] == nil
    else { return }
    origins[Int(uid)] = origin
    queue.append(uid)
  }
}
