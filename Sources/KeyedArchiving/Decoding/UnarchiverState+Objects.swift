// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

// Begins and ends the decoding of an object. The page Architecture has a drawing of its states.
extension UnarchiverState {
  /// Resolves a reference on the fast path. The reference names nil, a finished instance, or an object to begin whose
  /// class is checked and needs neither substitute nor hook.
  ///
  /// Returns `.unchecked` if the class is unchecked, and otherwise `.slowPath` without beginning an object;
  /// ``open(_:for:)`` then takes the slow path.
  @inline(__always)
  mutating func openFast(_ uid: UInt32, for request: ObjectIdentifier) throws(KeyedArchiveError) -> FastOpenResult {
    guard uid != 0 else { return .null }
    guard uid < UInt32(truncatingIfNeeded: objects.count) else { throw source.outOfRange(uid) }
    var item: BinaryItem?
    var layout = -1
    if objects[uid].classUID == 0 {
      let entry = try source.entry(uid)
      guard entry.kind == .dictionary else { return source.isNull(entry) ? .null : .slowPath }
      layout = try readClass(of: uid, entry)
      item = entry
    }
    let state = objects[uid]
    guard let decision = allowListCache.decision(for: .init(classUID: state.classUID, request: request)) else {
      return .unchecked(classUID: state.classUID)
    }
    guard decision.substitute < 0 else { return .slowPath }
    if state.flags.contains(.finished), !isHashing {
      let known = objects.latestInstance(state)
      if known.type == request {
        hashCost.addInstance(known.cost)
        return .finished(known.object)
      }
    }
    guard state.flags.isDisjoint(with: [.inProgress, .cached, .finished]), !decision.hasHook,
      depth < levelLimit,
      depth < Self.shallow || stack.isClearlySufficient
    else { return .slowPath }
    try beginDecoding(uid, item, layout)
    return .opened
  }

  /// Resolves a reference in the general case. Only a cached decision lets an object begin.
  @inline(never)
  mutating func open(_ uid: UInt32, for request: ObjectIdentifier) throws(KeyedArchiveError) -> OpenResult {
    switch try openFast(uid, for: request) {
    case .null: return .null
    case .finished(let object): return .finished(object)
    case .opened: return .opened(hasHook: false)
    case .unchecked(let classUID): return .unchecked(classUID: classUID)
    case .slowPath: break
    }
    let state = objects[uid]
    guard state.classUID != 0 else { return .primitive(try source.entry(uid)) }
    guard let decision = allowListCache.decision(for: .init(classUID: state.classUID, request: request)) else {
      return .unchecked(classUID: state.classUID)
    }
    if let substitute = allowListCache.substitute(decision) { return .substitute(substitute) }
    if let known = objects.instance(uid, as: request) {
      try count(repeating: HashCost(repetitions: known.cost), of: uid)
      if isHashing {
        // The strings of an instance were checked only if it was decoded for the same purpose.
        try checkTexts()
        if uid != deliveredUID { try charge(textsOf: uid) }
      }
      return .finished(known.object)
    }
    if state.flags.contains(.inProgress) { throw cycle(uid) }
    try checkDepth(depth, of: uid)
    try beginDecoding(uid, nil, -1)
    tracker?.begin(uid, as: request)
    objects.beginRedecoding(uid)
    return .opened(hasHook: decision.hasHook)
  }

  /// The number of levels that fit any stack.
  private static let shallow = 8

  private mutating func hasStackSpace() -> Bool { stack.hasSpace(within: ThreadMemory.current.state.stackBounds) }

  /// Checks that the limits and the stack allow another level.
  mutating func checkDepth(_ depth: Int, of uid: UInt32) throws(KeyedArchiveError) {
    guard depth < source.maximumDepth else { throw tooDeep(uid) }
    guard depth < Self.shallow || hasStackSpace() else { throw outOfStack(uid, depth) }
  }

  /// Counts the levels of a value that was decoded before. Many such values inside of each other would otherwise become a
  /// value with any number of levels, whose release would exceed the stack.
  mutating func count(levels height: Int, of uid: UInt32) throws(KeyedArchiveError) {
    let deepest = level &+ 1 &+ height
    guard deepest <= source.maximumDepth else { throw tooDeep(uid) }
    guard height < Self.shallow || stack.hasSpace(toRelease: deepest, within: ThreadMemory.current.state.stackBounds)
    else { throw outOfStack(uid, deepest &- 1) }
    reach = max(reach, deepest)
  }

  /// Counts a nested container.
  mutating func countContainer() { reach = max(reach, level &+ 1) }

  /// The level of the current object.
  @inline(__always)
  private var level: Int { depth &+ containerLevels }

  /// Begins the scope of an object.
  @inline(__always)
  private mutating func beginDecoding(_ uid: UInt32, _ known: BinaryItem?, _ knownLayout: Int) throws(KeyedArchiveError)
  {
    let entry: BinaryItem
    var layout = knownLayout
    if let known {
      entry = known
    } else {
      entry = try source.entry(uid)
      layout = try keyLayouts.layout(of: entry, in: source)
    }
    // Overlapping objects can share their many keys.
    if entry.count > 16 { try charge(entry.weight) }
    if !objects[uid].flags.isDisjoint(with: [.discarded, .cached]) { try charge(repeating: entry) }
    depth &+= 1
    scopes.append(
      Scope(
        kind: .object, uid: uid, layout: layout, item: entry,
        firstInstance: UInt32(truncatingIfNeeded: objects.instanceCount), firstDeferred: deferredCount,
        hashCost: hashCost, reach: reach))
    reach = level
    objects[uid].flags.insert(.inProgress)
  }

  /// Returns the progress of the object of a deferred reference on the fast path.
  mutating func progress(
    of uid: UInt32, for request: ObjectIdentifier
  ) throws(KeyedArchiveError) -> DeferredLookupResult {
    guard let classUID = try classUID(of: uid) else { return .slowPath }
    guard let decision = allowListCache.decision(for: .init(classUID: classUID, request: request)),
      decision.substitute < 0
    else { return .slowPath }
    let state = objects[uid]
    if let known = objects.instance(uid, as: request) { return isHashing ? .slowPath : .finished(known.object) }
    return .later(uid, isInProgress: state.flags.contains(.inProgress))
  }

  /// Returns the UID of an object's class record, or nil for nil and for primitives.
  package mutating func classUID(of uid: UInt32) throws(KeyedArchiveError) -> UInt32? {
    guard uid < UInt32(truncatingIfNeeded: objects.count) else { throw source.outOfRange(uid) }
    if objects[uid].classUID == 0 {
      let entry = try source.entry(uid)
      guard entry.kind == .dictionary else { return nil }
      _ = try readClass(of: uid, entry)
    }
    return objects[uid].classUID
  }

  /// Stores the UID of an object's class record and returns the object's key layout.
  @inline(__always)
  private mutating func readClass(of uid: UInt32, _ entry: BinaryItem) throws(KeyedArchiveError) -> Int {
    let layout = try keyLayouts.layout(of: entry, in: source)
    let position = keyLayouts.layouts[layout].classPosition
    guard position >= 0 else { throw withoutClass(uid, entry) }
    let classUID = try source.uid(at: entry.count &+ position, of: entry)
    guard classUID != 0 else { throw withoutClass(uid, entry) }
    objects[uid].classUID = classUID
    return layout
  }

  /// Discards all allow-list decisions, because the rules have changed.
  ///
  /// The next outermost call also discards all decoded objects. They were allowed under the former rules, and may
  /// contain objects that the current rules forbid.
  mutating func discardDecisions() {
    if !allowListCache.isEmpty { isStale = true }
    allowListCache = AllowListCache()
  }

  @inline(__always)
  private mutating func popScope() {
    scopes.removeLast()
    depth &-= 1
  }

  /// Ends an object that became an instance of a class. Returns the references that wait for it, if any.
  @inline(__always)
  mutating func endDecoding(_ uid: UInt32, _ object: AnyObject, as type: ObjectIdentifier) -> WaitingReferences? {
    let state = objects[uid]
    let waiting = state.flags.contains(.hasWaiters) ? waitingReferences(state.link) : nil
    let cost = hashCost.endInstance(since: scopes[innermost].hashCost)
    reach = scopes[innermost].reach
    popScope()
    objects.finish(uid, object, as: type, cost: cost)
    return waiting
  }

  private func waitingReferences(_ last: UInt32) -> WaitingReferences {
    WaitingReferences(
      last: last, firstInstance: scopes[innermost].firstInstance, firstDeferred: scopes[innermost].firstDeferred)
  }

  mutating func countDeferred() {
    deferredCount &+= 1
    hasDeferred = true
  }

  /// Ends an object that became a value. Returns whether to cache the value, and the references that wait for it.
  @inline(__always)
  mutating func endDecoding(value uid: UInt32) -> (isCached: Bool, waiting: WaitingReferences?) {
    let state = objects[uid]
    let waiting = state.flags.contains(.hasWaiters) ? waitingReferences(state.link) : nil
    let keep = scopes[innermost].isLarge || state.flags.contains(.decodedOnce)
    hashCost.addValue()
    if keep {
      costOfLastValue = hashCost.value(since: scopes[innermost].hashCost)
      heightOfLastValue = reach &- level
    }
    reach = max(reach, scopes[innermost].reach)
    popScope()
    objects.end(uid, state.flags.intersection(.discarded).union(keep ? [.decodedOnce, .cached] : .decodedOnce))
    return (keep, waiting)
  }

  /// The results of a failed object that must be discarded.
  struct Discarded {
    /// The instances that were finished inside the object. Deferred references to them may be lost, so another request
    /// decodes them again. Release them while no access to the state is open.
    var instances: [DecodedObjects.Instance]
    /// The number of instances that were finished before.
    var firstInstance: Int
    /// The serial number of the first reference that was deferred inside the object; nil if none was.
    var firstDeferred: UInt32?
  }

  /// Ends a failed object and discards the objects that were decoded inside it.
  mutating func abandon(_ uid: UInt32) -> Discarded {
    // The error may have skipped the ends of collection scopes.
    while let last = scopes.last, last.kind != .object, scopes.count > 1 { scopes.removeLast() }
    let scope = scopes[innermost]
    hashCost = scope.hashCost
    reach = scope.reach
    popScope()
    let state = objects[uid]
    objects.end(uid, state.flags.intersection([.decodedOnce, .cached]).union(.discarded))
    // If the budget is too small, it is exhausted from here on.
    _ = budget.touch(Self.costOfFailure)
    return discard(since: scope.firstInstance, scope.firstDeferred)
  }

  /// Discards the objects that were decoded in a failed outermost call.
  mutating func abandonCall() -> Discarded { discard(since: scopes[0].firstInstance, scopes[0].firstDeferred) }

  /// Discards a finished object, and the objects in it, because a reference that waited for it failed.
  mutating func abandon(_ waiting: WaitingReferences) -> Discarded {
    discard(since: waiting.firstInstance, waiting.firstDeferred)
  }

  private mutating func discard(since firstInstance: UInt32, _ firstDeferred: UInt32) -> Discarded {
    let taken = objects.takeInstances(from: Int(firstInstance))
    for instance in taken { objects[instance.uid].flags.insert(.discarded) }
    return Discarded(
      instances: taken, firstInstance: Int(firstInstance),
      firstDeferred: firstDeferred == deferredCount ? nil : firstDeferred)
  }

  // Errors are created out of line, to keep the paths above short. The methods are mutating, because the compiler would
  // copy the state to the stack for nonmutating ones.

  @inline(never)
  private mutating func cycle(_ uid: UInt32) -> KeyedArchiveError {
    KeyedArchiveError(
      .cycle, "reference cycle: object #\(uid) is requested while it is being decoded", at: place(),
      uid: ArchiveUID(rawValue: uid),
      remedy: "Decode it with a closure: decodeObject(of: T.self, forKey: key) { self.property = $0 }. "
        + "In a Codable type, declare a property of one object with @ArchiveReference; for a collection, conform the "
        + "class to SecureKeyedCoding and use the closure")
  }

  @inline(never)
  private mutating func tooDeep(_ uid: UInt32) -> KeyedArchiveError {
    KeyedArchiveError(
      .limitReached, "objects nest deeper than \(source.maximumDepth) levels", at: place(),
      uid: ArchiveUID(rawValue: uid)
    ).advising(
      .raiseLimit,
      "Decode long chains with ArchiveReference or the closure form of decodeObject, or raise ReadLimits.maximumDepth")
  }

  @inline(never)
  private mutating func outOfStack(_ uid: UInt32, _ depth: Int) -> KeyedArchiveError {
    KeyedArchiveError(
      .limitReached, "objects nest deeper than the \(depth) levels that fit the stack of this thread",
      at: place(), uid: ArchiveUID(rawValue: uid),
      remedy: "Decode on a thread with a larger stack, or decode long chains with ArchiveReference or the closure form "
        + "of decodeObject")
  }

  @inline(never)
  private mutating func withoutClass(_ uid: UInt32, _ entry: BinaryItem) -> KeyedArchiveError {
    KeyedArchiveError(
      .damagedArchive, "missing class: object #\(uid) is a dictionary without '$class'", at: place(),
      uid: ArchiveUID(rawValue: uid), byteOffset: source.offset(of: entry))
  }
}
