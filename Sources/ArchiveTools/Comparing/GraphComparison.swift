// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CanonicalGraphs
import KeyedArchives
import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

/// Compares two archives from their top-level values.
///
/// Objects first compared with each other become counterparts. A reference to an object and one that is not its
/// counterpart is a sharing difference; the two are compared too, unless both have counterparts. No pair is compared
/// twice. Beyond four times as many pairs as objects in both archives, the comparison skips pairs that earlier pairs
/// already imply to be equal. That is the union-find algorithm by Hopcroft and Karp. Only containers within one object
/// recurse, at most 32 levels.
struct GraphComparison {
  typealias Place = PathTree.Place
  typealias Step = PathTree.Step

  /// How two compared objects were reached, which decides whether a sharing difference below them is reported.
  enum Mode {
    /// At equal paths.
    case counterparts
    /// Below an object of the old archive that was copied. The copy was reported.
    case copies
    /// Below an object of the new archive that several objects were merged into.
    case merged
  }

  /// A pair of objects to compare.
  private struct Task {
    let old: ArchiveUID
    let new: ArchiveUID
    let place: Place
    let mode: Mode
  }

  /// The members of two collections to compare.
  struct Members {
    let old: ObjectContents
    let new: ObjectContents
    let place: Place
    let mode: Mode
  }

  /// The result of comparing two classes.
  struct ClassPair {
    let areSame: Bool
    let haveSameName: Bool
    /// The index of the difference that counts the objects.
    var found: Int?
  }

  /// A difference with its position.
  private struct Found {
    var difference: ArchiveDifference
    let place: Place
    let step: Step?
    let serial: Int
    /// The first occurrences of the objects of a sharing difference.
    var oldFirst: Place?
    var newFirst: Place?
  }

  let old: GraphIndex
  let new: GraphIndex
  var budget: ExpansionBudget
  var pathTree = PathTree()
  let ignored: Set<ArchiveDifference.Kind>
  private var found: [Found] = []
  /// Pairs of equal primitives, because many objects may refer to them.
  var equalPrimitives: Set<UInt64> = []
  /// The results of comparing classes, by the UIDs of their records.
  private var classPairs: [UInt64: ClassPair] = [:]
  // By the places of objects in the indexes.
  private var oldCounterparts: [UInt32]
  private var newCounterparts: [UInt32]
  private var oldFirstOccurrences: [Place]
  private var newFirstOccurrences: [Place]
  /// Pairs that became counterparts after one of the objects was copied or merged, which was reported.
  private var related: Set<UInt64> = []
  private var compared: Set<UInt64> = []
  private var equalClasses: DisjointSets
  private var tasks: [Task] = []
  private var nextTask = 0
  /// Pairs of referenced objects that have, or may have, other counterparts.
  private var mismatchedPairs: [Task] = []
  private var nextMismatch = 0
  /// Collections whose members are matched by content, compared after all other objects. References to counterparts then
  /// tell members with equal contents apart.
  private var unorderedMembers: [Members] = []
  private var nextUnordered = 0

  let primitives: PrimitiveComparison
  /// Whether the comparison only finds out if a difference exists. It does not look for objects that are similar.
  let endsAtFirst: Bool

  private static var none: UInt32 { .max }

  init(
    _ old: KeyedArchive, _ new: KeyedArchive, ignoring ignored: Set<ArchiveDifference.Kind>, endsAtFirst: Bool = false
  ) throws(KeyedArchiveError) {
    budget = old.comparisonBudget(with: new)
    self.ignored = ignored
    self.endsAtFirst = endsAtFirst
    primitives = PrimitiveComparison(old, new)
    self.old = try GraphIndex(old, budget: &budget, hasSimilarity: !endsAtFirst)
    self.new = try GraphIndex(new, budget: &budget, hasSimilarity: !endsAtFirst)
    oldCounterparts = [UInt32](repeating: Self.none, count: self.old.placeCount)
    newCounterparts = [UInt32](repeating: Self.none, count: self.new.placeCount)
    oldFirstOccurrences = [Place](repeating: -1, count: self.old.placeCount)
    newFirstOccurrences = [Place](repeating: -1, count: self.new.placeCount)
    equalClasses = DisjointSets(count: self.old.placeCount + self.new.placeCount)
    if !ignored.contains(.sharing) { findCounterparts() }
  }

  /// Returns all differences, in the order of a depth-first traversal.
  mutating func run() throws(KeyedArchiveError) -> [ArchiveDifference] {
    try compareAll()
    return try differences()
  }

  /// Returns whether two archives have equal values, in whichever form and however shared. Takes less time than to find all
  /// differences.
  static func haveEqualValues(_ old: KeyedArchive, _ new: KeyedArchive) throws(KeyedArchiveError) -> Bool {
    var comparison = try GraphComparison(old, new, ignoring: [.form, .sharing], endsAtFirst: true)
    try comparison.compareAll()
    return comparison.found.isEmpty
  }

  /// Whether nothing more needs to be compared.
  var isDecided: Bool { endsAtFirst && !found.isEmpty }

  private mutating func compareAll() throws(KeyedArchiveError) {
    if old.archive.archiverName != new.archive.archiverName {
      try add(.archiver, -1, .key("$archiver"), .name(old.archive.archiverName), .name(new.archive.archiverName))
    }
    try compare(old.archive.top, new.archive.top, at: -1, .counterparts)
    while !isDecided {
      if nextTask < tasks.count {
        let task = tasks[nextTask]
        nextTask += 1
        try compareObjects(task.old, task.new, at: task.place, task.mode)
      } else if nextUnordered < unorderedMembers.count {
        let members = unorderedMembers[nextUnordered]
        nextUnordered += 1
        try compareMembers(members)
      } else if nextMismatch < mismatchedPairs.count {
        let task = mismatchedPairs[nextMismatch]
        nextMismatch += 1
        try decide(task)
      } else {
        break
      }
    }
  }

  // MARK: Pairs of objects

  /// Makes counterparts of shared objects whose hash is unique in both archives.
  ///
  /// If one of their references then leads to another object, that is a sharing difference and not a change of the
  /// shared object.
  private mutating func findCounterparts() {
    var places: [UInt64: (old: UInt32, new: UInt32, isUnique: Bool)] = [:]
    for number in old.order where old.isObject(ArchiveUID(rawValue: number)) {
      let hash = old.hash(of: number)
      places[hash] = (number, Self.none, places[hash] == nil)
    }
    for number in new.order where new.isObject(ArchiveUID(rawValue: number)) {
      let hash = new.hash(of: number)
      guard let known = places[hash] else { continue }
      places[hash] = (known.old, number, known.isUnique && known.new == Self.none)
    }
    for pair in places.values where pair.isUnique && pair.new != Self.none {
      let (a, b) = (ArchiveUID(rawValue: pair.old), ArchiveUID(rawValue: pair.new))
      guard old.isShared(a) || new.isShared(b) else { continue }
      oldCounterparts[old.place(of: a)] = pair.new
      newCounterparts[new.place(of: b)] = pair.old
    }
  }

  /// Compares members after all other objects.
  mutating func postpone(_ members: Members) { unorderedMembers.append(members) }

  /// Returns the object of the new archive that is, or is the counterpart of, an object with a counterpart.
  func newCounterpart(of uid: ArchiveUID, _ side: PathTree.Side) -> UInt32? {
    let counterpart = side == .old ? oldCounterparts[old.place(of: uid)] : newCounterparts[new.place(of: uid)]
    guard counterpart != Self.none else { return nil }
    return side == .old ? counterpart : uid.rawValue
  }

  /// Visits a reference that leads to an object in each archive.
  mutating func visit(_ a: ArchiveUID, _ b: ArchiveUID, _ step: Step, at place: Place, _ mode: Mode) {
    if ignored.contains(.sharing) {
      guard shouldCompare(a, b) else { return }
      return tasks.append(Task(old: a, new: b, place: pathTree.add(step, at: place, old: a, new: b), mode: mode))
    }
    let (placeOfA, placeOfB) = (old.place(of: a), new.place(of: b))
    let (counterpartOfA, counterpartOfB) = (oldCounterparts[placeOfA], newCounterparts[placeOfB])
    let areCounterparts = counterpartOfA == b.rawValue && counterpartOfB == a.rawValue
    if areCounterparts || (counterpartOfA == Self.none && counterpartOfB == Self.none) {
      // Counterparts with a first occurrence were compared there.
      guard oldFirstOccurrences[placeOfA] < 0 else { return }
      oldCounterparts[placeOfA] = b.rawValue
      newCounterparts[placeOfB] = a.rawValue
      let here = pathTree.add(step, at: place, old: a, new: b)
      (oldFirstOccurrences[placeOfA], newFirstOccurrences[placeOfB]) = (here, here)
      if shouldCompare(a, b) { tasks.append(Task(old: a, new: b, place: here, mode: mode)) }
    } else {
      mismatchedPairs.append(Task(old: a, new: b, place: pathTree.add(step, at: place, old: a, new: b), mode: mode))
    }
  }

  /// Returns whether two objects must be compared: they were not compared before, and earlier pairs do not imply that
  /// they are equal.
  private mutating func shouldCompare(_ a: ArchiveUID, _ b: ArchiveUID) -> Bool {
    let isFull = Int64(compared.count) > 4 * (Int64(old.archive.objectCount) + Int64(new.archive.objectCount))
    guard !compared.contains(Self.pair(a, b)) else { return false }
    let areApart = equalClasses.join(old.place(of: a), old.placeCount + new.place(of: b))
    guard areApart || !isFull else { return false }
    compared.insert(Self.pair(a, b))
    return true
  }

  static func pair(_ a: ArchiveUID, _ b: ArchiveUID) -> UInt64 { UInt64(a.rawValue) << 32 | UInt64(b.rawValue) }

  /// Reports a reference to objects that are not counterparts, after all other pairs were compared.
  private mutating func decide(_ task: Task) throws(KeyedArchiveError) {
    guard !related.contains(Self.pair(task.old, task.new)) else { return }
    let (oldPlace, newPlace) = (old.place(of: task.old), new.place(of: task.new))
    let (oldFirst, newFirst) = (oldFirstOccurrences[oldPlace], newFirstOccurrences[newPlace])
    let haveOthers = oldFirst >= 0 && newFirst >= 0
    let haveNone = oldFirst < 0 && newFirst < 0
    if !haveNone, task.mode == .counterparts || (task.mode == .copies && haveOthers) {
      try addSharing(task, oldFirst >= 0 ? oldFirst : nil, newFirst >= 0 ? newFirst : nil)
    }
    // Both objects are compared with their counterparts.
    guard !haveOthers else { return }
    // One of the objects has no counterpart and can get no other one.
    related.insert(Self.pair(task.old, task.new))
    if oldFirst < 0 {
      oldFirstOccurrences[oldPlace] = task.place
      oldCounterparts[oldPlace] = task.new.rawValue
    }
    if newFirst < 0 {
      newFirstOccurrences[newPlace] = task.place
      newCounterparts[newPlace] = task.old.rawValue
    }
    guard shouldCompare(task.old, task.new) else { return }
    let mode: Mode = haveNone ? task.mode : newFirst < 0 ? .copies : .merged
    tasks.append(Task(old: task.old, new: task.new, place: task.place, mode: mode))
  }

  // MARK: Differences

  /// Records a difference.
  mutating func add(
    _ kind: ArchiveDifference.Kind, _ place: Place, _ step: Step?, _ old: ArchiveDifference.Value?,
    _ new: ArchiveDifference.Value?
  ) throws(KeyedArchiveError) {
    guard !ignored.contains(kind) else { return }
    try spend(4 * ExpansionBudget.element)
    found.append(
      Found(
        difference: ArchiveDifference(kind: kind, path: "", old: old, new: new), place: place, step: step,
        serial: pathTree.nextSerial()))
  }

  private mutating func addSharing(_ task: Task, _ oldFirst: Place?, _ newFirst: Place?) throws(KeyedArchiveError) {
    try add(.sharing, task.place, nil, .unshared(task.old), .unshared(task.new))
    guard let last = found.indices.last else { return }
    found[last].oldFirst = oldFirst
    found[last].newFirst = newFirst
  }

  /// Compares two classes; returns the cached result if they were compared before.
  mutating func classPair(
    _ a: ArchiveUID, _ b: ArchiveUID, _ before: ClassDescription, _ after: ClassDescription
  ) -> ClassPair {
    let pair = Self.pair(a, b)
    if let known = classPairs[pair] { return known }
    let new = ClassPair(areSame: before == after, haveSameName: before.name.hasSameBytes(as: after.name))
    classPairs[pair] = new
    return new
  }

  /// Records a difference between the classes of two objects, or counts one more object with that difference.
  mutating func addClass(
    _ a: ArchiveUID, _ b: ArchiveUID, _ before: ClassDescription, _ after: ClassDescription, _ place: Place
  ) throws(KeyedArchiveError) {
    guard !ignored.contains(.className) else { return }
    let pair = Self.pair(a, b)
    if let known = classPairs[pair]?.found {
      found[known].difference.count += 1
    } else {
      classPairs[pair]?.found = found.count
      try add(.className, place, nil, .classRecord(before), .classRecord(after))
    }
  }

  /// Charges the budget for work other than reading an object.
  mutating func spend(_ weight: Int64) throws(KeyedArchiveError) {
    guard budget.take(weight) else { throw Self.tooMuch }
  }

  static let tooMuch = KeyedArchiveError.expansionLimit(
    "expansion limit reached: the archives share too many values, or have too many differences, to be compared")

  /// Returns the differences with the texts of their paths.
  private mutating func differences() throws(KeyedArchiveError) -> [ArchiveDifference] {
    var all: [ArchiveDifference] = []
    all.reserveCapacity(found.count)
    for index in pathTree.ordered(found.map { ($0.place, $0.serial) }) {
      let item = found[index]
      var difference = item.difference
      let oldPath = difference.old == nil ? nil : pathTree.text(item.place, item.step, .old)
      difference.path = difference.new == nil ? oldPath ?? "" : pathTree.text(item.place, item.step, .new)
      difference.oldPath = oldPath == difference.path ? nil : oldPath
      if let home = item.oldFirst, case .unshared(let uid)? = difference.old {
        difference.old = .shared(uid, path: pathTree.text(home, nil, .old))
      }
      if let home = item.newFirst, case .unshared(let uid)? = difference.new {
        difference.new = .shared(uid, path: pathTree.text(home, nil, .new))
      }
      try spend(2 * (Int64(difference.path.utf8.count) + Int64(difference.oldPath?.utf8.count ?? 0)))
      all.append(difference)
    }
    return all
  }
}

extension KeyedArchive {
  /// Returns the budget for comparing two archives. Each object is visited up to eight times and once per comparison, and
  /// each value may be a difference.
  func comparisonBudget(with other: KeyedArchive) -> ExpansionBudget {
    var limits = list.limits
    limits.maximumExpansion = max(list.limits.maximumExpansion, other.list.limits.maximumExpansion)
    return ExpansionBudget(
      byteCount: 10 * (Int64(list.byteCount) + Int64(other.list.byteCount)),
      editedWeight: 10 * (list.editedWeight + other.list.editedWeight), limits: limits)
  }
}
