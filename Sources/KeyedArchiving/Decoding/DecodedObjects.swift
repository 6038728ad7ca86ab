// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

/// The decoding states of the objects of an archive, and the finished instances of classes.
///
/// It decides nothing and runs no code of types; see the methods of ``UnarchiverState`` that begin and end objects.
struct DecodedObjects: ~Copyable {
  /// The decoding state of one element of `$objects`. The table has one entry per object, so an entry is trivially
  /// copyable and holds no reference-counted fields.
  struct State {
    /// The UID of the class record; 0 until it is read.
    var classUID: UInt32 = 0
    /// The index of the latest finished instance. With ``Flags/hasWaiters``, the number of the last waiter in
    /// ``DeferredReferences``.
    var link: UInt32 = 0
    var flags: Flags = []
  }

  struct Flags: OptionSet {
    let rawValue: UInt8
    /// The object's initializer is running.
    static let inProgress = Flags(rawValue: 1)
    /// A value has been decoded from this object. The second decode caches its value, so an object is decoded at most
    /// twice per type and allow list, however many objects refer to it.
    static let decodedOnce = Flags(rawValue: 2)
    static let cached = Flags(rawValue: 4)
    /// A deferred reference waits for this object.
    static let hasWaiters = Flags(rawValue: 8)
    /// An instance of a class has been decoded from this object. Never set while the object's initializer is running.
    static let finished = Flags(rawValue: 16)
    /// The object's initializer is running, and an instance of another class was decoded before.
    static let redecoding = Flags(rawValue: 32)
    /// The decoding of the object failed, or its result was discarded because an object that contains it failed.
    static let discarded = Flags(rawValue: 64)
  }

  /// A finished instance of a class.
  struct Instance {
    let object: AnyObject
    /// The type that was decoded. A hook can replace the instance by one of a subclass.
    let type: ObjectIdentifier
    let uid: UInt32
    /// One more than the index of an earlier instance of the same object with another type; 0 if none exists.
    let former: UInt32
    /// The cost of hashing what the instance refers to repeatedly, at each reference to it.
    let cost: Int64
  }

  private var states: TrivialArray<State>
  /// The finished instances of classes.
  private var instances: [Instance] = []
  /// One more than the index of the latest finished instance of each object with ``Flags/redecoding``.
  private var earlierInstances: [UInt32: UInt32] = [:]

  init(count: Int, from block: inout SmallArena) {
    states = TrivialArray(repeating: State(), count: count, from: &block)
  }

  /// The number of elements of `$objects`.
  @inline(__always)
  var count: Int { states.count }

  /// The number of finished instances.
  @inline(__always)
  var instanceCount: Int { instances.count }

  @inline(__always)
  subscript(uid: UInt32) -> State {
    _read { yield states[Int(uid)] }
    _modify { yield &states[Int(uid)] }
  }

  /// Returns the latest instance of an object that has ``Flags/finished``.
  @inline(__always)
  func latestInstance(_ state: State) -> Instance { instances[Int(state.link)] }

  /// Returns the finished instance of an object that was decoded as a type.
  func instance(_ uid: UInt32, as type: ObjectIdentifier) -> Instance? {
    let state = self[uid]
    var next = 0
    if state.flags.contains(.finished) {
      next = Int(state.link) + 1
    } else if state.flags.contains(.redecoding) {
      next = Int(earlierInstances[uid] ?? 0)
    }
    while next > 0 {
      let instance = instances[next - 1]
      if instance.type == type { return instance }
      next = Int(instance.former)
    }
    return nil
  }

  /// Puts a finished instance aside while its object is decoded as another type.
  mutating func beginRedecoding(_ uid: UInt32) {
    guard self[uid].flags.contains(.finished) else { return }
    earlierInstances[uid] = self[uid].link + 1
    self[uid].flags.remove(.finished)
    self[uid].flags.insert(.redecoding)
  }

  /// Adds the instance that an object in progress became.
  @inline(__always)
  mutating func finish(_ uid: UInt32, _ object: AnyObject, as type: ObjectIdentifier, cost: Int64) {
    let state = self[uid]
    var former: UInt32 = 0
    if state.flags.contains(.redecoding) { former = earlierInstances.removeValue(forKey: uid) ?? 0 }
    self[uid] = State(
      classUID: state.classUID, link: UInt32(truncatingIfNeeded: instances.count),
      flags: state.flags.intersection([.decodedOnce, .cached, .discarded]).union(.finished))
    instances.append(Instance(object: object, type: type, uid: uid, former: former, cost: cost))
  }

  /// Replaces the flags of an object in progress, which became a value or failed.
  @inline(__always)
  mutating func end(_ uid: UInt32, _ flags: Flags) {
    let isRedecoding = self[uid].flags.contains(.redecoding)
    self[uid].flags = flags
    if isRedecoding { restoreEarlierInstance(uid) }
  }

  /// Restores the instance that an object had before it was decoded as another type.
  private mutating func restoreEarlierInstance(_ uid: UInt32) {
    guard let former = earlierInstances.removeValue(forKey: uid), former > 0 else { return }
    self[uid].link = former - 1
    self[uid].flags.insert(.finished)
  }

  /// Makes `link` the head of the waiter list of an object in progress. Returns the previous head, or nil.
  mutating func addWaiter(_ uid: UInt32, by link: UInt32) -> UInt32? {
    let state = self[uid]
    self[uid].link = link
    self[uid].flags.insert(.hasWaiters)
    return state.flags.contains(.hasWaiters) ? state.link : nil
  }

  /// Removes the finished instances from an index on. The caller releases them, because that can run a `deinit`.
  mutating func takeInstances(from first: Int) -> [Instance] {
    guard first < instances.count else { return [] }
    let taken = Array(instances[first...])
    // In reverse order, so that the earliest instance of each object restores the one before it.
    for index in (first..<instances.count).reversed() {
      let (uid, former) = (instances[index].uid, instances[index].former)
      guard self[uid].flags.contains(.finished), Int(self[uid].link) == index else { continue }
      if former > 0 { self[uid].link = former - 1 } else { self[uid].flags.remove(.finished) }
    }
    instances.removeSubrange(first...)
    return taken
  }

  // MARK: Reuse

  /// Whether nothing remains that small archives seldom need.
  var isReusable: Bool { earlierInstances.isEmpty }

  /// Removes and returns all finished instances, without changes of the objects. The caller releases them.
  mutating func takeInstances() -> [Instance] {
    let taken = instances
    instances = []
    return taken
  }

  /// Removes all objects. `instances` is an empty array with capacity.
  mutating func prepareForReuse(_ instances: [Instance]) {
    self.instances = instances
    states.empty()
  }

  /// Begins another archive, in an empty table.
  mutating func begin(count: Int) { states.refill(State(), count: count) }
}
