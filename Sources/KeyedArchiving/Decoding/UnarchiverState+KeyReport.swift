// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension KeyedUnarchiver {
  /// Returns the paths to objects of an archive, as a key report has them, by the objects' UIDs.
  static func paths(to uids: [UInt32], in archive: Data) throws -> [UInt32: String] {
    let unarchiver = try KeyedUnarchiver(forReadingFrom: archive, limits: .none, archivers: .any)
    return unarchiver.storage.state.paths(to: uids)
  }
}

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

  /// Returns the paths to objects. Objects that no reference leads to have none.
  mutating func paths(to uids: [UInt32]) -> [UInt32: String] {
    var search = ReferenceSearch(budget: source.budget)
    search.run(in: source)
    var paths: [UInt32: String] = [:]
    for uid in uids where uid != 0 {
      paths[uid] = search.path(to: uid, in: &self)?.map { ArchivePathStep.text($0) }.joined()
    }
    return paths
  }

  /// Returns the report of everything that was decoded since tracking began.
  mutating func keyReport() -> KeyReport {
    guard let tracker else { return KeyReport() }
    var search = ReferenceSearch(budget: source.budget, tracker: tracker)
    var isSearched = false
    var classNames: [UInt32: String] = [:]
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
      if !isSearched { search.run(in: source) }
      isSearched = true
      let steps = uid == 0 ? nil : search.path(to: id, in: &self)
      let path =
        steps.map { $0.map { ArchivePathStep.text($0) }.joined() }
        ?? (uid == 0 ? "$top" : "\(ArchiveUID(rawValue: id))")
      let classUID = uid == 0 ? 0 : objects[id].classUID
      let name = classUID == 0 ? nil : classNames[classUID] ?? className(ofRecord: classUID)
      classNames[classUID] = name
      func entries(_ keys: [String]) -> [KeyReport.Entry] {
        keys.sorted().map { KeyReport.Entry(path, name, $0, isNested, of: id) }
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

  /// Returns the class name in a record. The decode was charged for reading it, and may have exhausted its budget.
  private mutating func className(ofRecord uid: UInt32) -> String? {
    let budgetOfDecode = budget
    budget = source.budget
    defer { budget = budgetOfDecode }
    return try? source.string(ClassRecord.Parts(uid, in: &self).name)
  }
}
