// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

/// Goes through two archives side by side from their tops.
///
/// Objects are compared in pairs. An object and the one it was compared with first are counterparts; a reference that leads to
/// an object and to one that is not its partner is a change of sharing, and these two are compared as well if that is not
/// a comparison of two that have counterparts of their own. No two are compared twice. Nor are more than a few times as many
/// pairs as there are objects: beyond that, two that are equal if all others compared so far are have been compared enough
/// (as Hopcroft and Karp decide whether two automata are one). Nothing here recurses but for containers inside of one
/// object, of which there are at most 32 levels.
struct GraphComparison {
  typealias Place = PathTree.Place
  typealias Step = PathTree.Step

  /// What is known of two objects that are compared.
  enum Mode {
    /// They stand at the same place.
    case counterparts
    /// Below an object that is shared in the old archive and has copies in the new one: that copies are is no news.
    case copies
    /// Below an object that several others became.
    case merged
  }

  /// Two objects that are to be compared.
  private struct Task {
    let old: ArchiveUID
    let new: ArchiveUID
    let place: Place
    let mode: Mode
  }

  /// What is known of two classes.
  struct ClassPair {
    let areSame: Bool
    let haveSameName: Bool
    /// The difference that counts the objects.
    var found: Int?
  }

  /// A difference that was found.
  private struct Found {
    var difference: ArchiveDifference
    let place: Place
    let step: Step?
    let serial: Int
    /// Where else the objects of a change of sharing stand.
    var oldHome: Place?
    var newHome: Place?
  }

  var old: GraphIndex
  var new: GraphIndex
  var room: ExpansionBudget
  var ways = PathTree()
  let ignored: Set<ArchiveDifference.Kind>
  private var found: [Found] = []
  /// Pairs of bare objects that are the same, for many may refer to them.
  var samePlain: Set<UInt64> = []
  /// Classes of objects that were compared, by the numbers of their records.
  private var classPairs: [UInt64: ClassPair] = [:]
  private var oldPartners: [UInt32]
  private var newPartners: [UInt32]
  private var oldHomes: [Place]
  private var newHomes: [Place]
  /// Objects of which one was copied or merged, and told to be so.
  private var related: Set<UInt64> = []
  private var compared: Set<UInt64> = []
  private var alike: DisjointSets
  private var tasks: [Task] = []
  private var nextTask = 0
  /// References that lead to objects which have other counterparts, or may.
  private var mismatchedPairs: [Task] = []
  private var nextDoubtful = 0

  private static var none: UInt32 { .max }

  init(_ old: KeyedArchive, _ new: KeyedArchive, ignoring ignored: Set<ArchiveDifference.Kind>)
    throws(KeyedArchiveError)
  {
    room = old.roomToCompare(with: new)
    self.ignored = ignored
    self.old = try GraphIndex(old, room: &room)
    self.new = try GraphIndex(new, room: &room)
    oldPartners = [UInt32](repeating: Self.none, count: old.objectCount)
    newPartners = [UInt32](repeating: Self.none, count: new.objectCount)
    oldHomes = [Place](repeating: -1, count: old.objectCount)
    newHomes = [Place](repeating: -1, count: new.objectCount)
    alike = DisjointSets(count: old.objectCount + new.objectCount)
    if !ignored.contains(.sharing) { findPartners() }
  }

  /// All differences, in the order of a tree.
  mutating func run() throws(KeyedArchiveError) -> [ArchiveDifference] {
    if old.archive.archiverName != new.archive.archiverName {
      try add(.archiver, -1, .key("$archiver"), .name(old.archive.archiverName), .name(new.archive.archiverName))
    }
    try compare(old.archive.top, new.archive.top, at: -1, .counterparts)
    while true {
      if nextTask < tasks.count {
        let task = tasks[nextTask]
        nextTask += 1
        try compareObjects(task.old, task.new, at: task.place, task.mode)
      } else if nextDoubtful < mismatchedPairs.count {
        let task = mismatchedPairs[nextDoubtful]
        nextDoubtful += 1
        try decide(task)
      } else {
        break
      }
    }
    return try differences()
  }

  // MARK: Pairs of objects

  /// Makes counterparts of objects to which several references lead and which are there once in each archive, so that one
  /// of these references may lead to another object and is not taken for a change of what is in both.
  private mutating func findPartners() {
    var places: [UInt64: (old: UInt32, new: UInt32, isUnique: Bool)] = [:]
    for number in 0..<UInt32(old.archive.objectCount) where old.kind(of: ArchiveUID(rawValue: number)) == .instance {
      let hash = old.hash(of: number)
      places[hash] = (number, Self.none, places[hash] == nil)
    }
    for number in 0..<UInt32(new.archive.objectCount) where new.kind(of: ArchiveUID(rawValue: number)) == .instance {
      let hash = new.hash(of: number)
      guard let known = places[hash] else { continue }
      places[hash] = (known.old, number, known.isUnique && known.new == Self.none)
    }
    for pair in places.values where pair.isUnique && pair.new != Self.none {
      guard old.isShared[Int(pair.old)] || new.isShared[Int(pair.new)] else { continue }
      oldPartners[Int(pair.old)] = pair.new
      newPartners[Int(pair.new)] = pair.old
    }
  }

  /// A reference leads to one object in the old archive and to one in the new.
  mutating func meet(_ a: ArchiveUID, _ b: ArchiveUID, _ step: Step, at place: Place, _ mode: Mode) {
    if ignored.contains(.sharing) {
      guard shouldCompare(a, b) else { return }
      return tasks.append(Task(old: a, new: b, place: ways.add(step, at: place, old: a, new: b), mode: mode))
    }
    let (partnerOfA, partnerOfB) = (oldPartners[a.index], newPartners[b.index])
    let arePartners = partnerOfA == b.rawValue && partnerOfB == a.rawValue
    if arePartners || (partnerOfA == Self.none && partnerOfB == Self.none) {
      // Those that stand somewhere were compared there.
      guard oldHomes[a.index] < 0 else { return }
      oldPartners[a.index] = b.rawValue
      newPartners[b.index] = a.rawValue
      let here = ways.add(step, at: place, old: a, new: b)
      (oldHomes[a.index], newHomes[b.index]) = (here, here)
      if shouldCompare(a, b) { tasks.append(Task(old: a, new: b, place: here, mode: mode)) }
    } else {
      mismatchedPairs.append(Task(old: a, new: b, place: ways.add(step, at: place, old: a, new: b), mode: mode))
    }
  }

  /// Whether two objects were not compared yet, nor so many others that nothing is learnt from them.
  private mutating func shouldCompare(_ a: ArchiveUID, _ b: ArchiveUID) -> Bool {
    let isFull = compared.count > 4 * (old.archive.objectCount + new.archive.objectCount)
    guard !compared.contains(Self.pair(a, b)) else { return false }
    let areApart = alike.join(a.index, old.archive.objectCount + b.index)
    guard areApart || !isFull else { return false }
    compared.insert(Self.pair(a, b))
    return true
  }

  static func pair(_ a: ArchiveUID, _ b: ArchiveUID) -> UInt64 { UInt64(a.rawValue) << 32 | UInt64(b.rawValue) }

  /// All others were compared; now a reference that leads to objects which are not each other's counterparts.
  private mutating func decide(_ task: Task) throws(KeyedArchiveError) {
    guard !related.contains(Self.pair(task.old, task.new)) else { return }
    let (oldHome, newHome) = (oldHomes[task.old.index], newHomes[task.new.index])
    let haveOthers = oldHome >= 0 && newHome >= 0
    let haveNone = oldHome < 0 && newHome < 0
    if !haveNone, task.mode == .counterparts || (task.mode == .copies && haveOthers) {
      try addSharing(task, oldHome >= 0 ? oldHome : nil, newHome >= 0 ? newHome : nil)
    }
    // What is in both is compared where they stand with their counterparts.
    guard !haveOthers else { return }
    // One of them has no partner and will have no other than this one.
    related.insert(Self.pair(task.old, task.new))
    if oldHome < 0 {
      oldHomes[task.old.index] = task.place
      oldPartners[task.old.index] = task.new.rawValue
    }
    if newHome < 0 {
      newHomes[task.new.index] = task.place
      newPartners[task.new.index] = task.old.rawValue
    }
    guard shouldCompare(task.old, task.new) else { return }
    let mode: Mode = haveNone ? task.mode : newHome < 0 ? .copies : .merged
    tasks.append(Task(old: task.old, new: task.new, place: task.place, mode: mode))
  }

  // MARK: Differences

  /// Notes a difference.
  mutating func add(
    _ kind: ArchiveDifference.Kind, _ place: Place, _ step: Step?, _ old: ArchiveDifference.Value?,
    _ new: ArchiveDifference.Value?
  ) throws(KeyedArchiveError) {
    guard !ignored.contains(kind) else { return }
    try spend(4 * ExpansionBudget.element)
    found.append(
      Found(
        difference: ArchiveDifference(kind: kind, path: "", old: old, new: new), place: place, step: step,
        serial: ways.nextSerial()))
  }

  private mutating func addSharing(_ task: Task, _ oldHome: Place?, _ newHome: Place?) throws(KeyedArchiveError) {
    try add(.sharing, task.place, nil, .unshared(task.old), .unshared(task.new))
    guard let last = found.indices.last else { return }
    found[last].oldHome = oldHome
    found[last].newHome = newHome
  }

  /// What two classes have in common.
  mutating func classPair(
    _ a: ArchiveUID, _ b: ArchiveUID, _ before: ClassDescription, _ after: ClassDescription
  ) -> ClassPair {
    let pair = Self.pair(a, b)
    if let known = classPairs[pair] { return known }
    let new = ClassPair(areSame: before == after, haveSameName: before.name.hasSameBytes(as: after.name))
    classPairs[pair] = new
    return new
  }

  /// Notes that an object of one class stands where one of another did; where that is known, one more of them.
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

  /// Takes from the room, where what is taken is not an object.
  mutating func spend(_ weight: Int) throws(KeyedArchiveError) {
    guard room.take(weight) else { throw Self.tooMuch }
  }

  private static let tooMuch = KeyedArchiveError(
    .limitReached, "the archives hold so much that is shared, or differ in so much, that they are not compared further",
    remedy: "Raise ReadLimits.maximumExpansion if the archives are to be trusted")

  /// The differences with their ways in words.
  private mutating func differences() throws(KeyedArchiveError) -> [ArchiveDifference] {
    var all: [ArchiveDifference] = []
    all.reserveCapacity(found.count)
    for index in ways.ordered(found.map { ($0.place, $0.serial) }) {
      let item = found[index]
      var difference = item.difference
      let oldPath = difference.old == nil ? nil : ways.text(item.place, item.step, .old)
      difference.path = difference.new == nil ? oldPath ?? "" : ways.text(item.place, item.step, .new)
      difference.oldPath = oldPath == difference.path ? nil : oldPath
      if let home = item.oldHome, case .unshared(let uid)? = difference.old {
        difference.old = .shared(uid, path: ways.text(home, nil, .old))
      }
      if let home = item.newHome, case .unshared(let uid)? = difference.new {
        difference.new = .shared(uid, path: ways.text(home, nil, .new))
      }
      try spend(2 * (difference.path.utf8.count + (difference.oldPath?.utf8.count ?? 0)))
      all.append(difference)
    }
    return all
  }
}

extension KeyedArchive {
  /// What two archives may be made to hold while they are compared: each object is looked at four times, and once more
  /// with each that it is compared with, and there may be a difference for each value.
  func roomToCompare(with other: KeyedArchive) -> ExpansionBudget {
    var limits = list.limits
    limits.maximumExpansion = max(list.limits.maximumExpansion, other.list.limits.maximumExpansion)
    return ExpansionBudget(
      byteCount: 8 * (list.bytes.count + other.list.bytes.count),
      editedWeight: 8 * (list.editedWeight + other.list.editedWeight), limits: limits)
  }
}
