// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) package import PropertyListFormat

/// The complete state of a decoder between calls.
///
/// Decoding is lazy: a reference is resolved and validated when it is requested. To decode an object, the state begins
/// a scope, the initializer runs, and the state ends the scope. No access to the state is open while the initializer
/// runs.
package struct UnarchiverState: ~Copyable {
  /// The decoding state of one element of `$objects`. The table has one entry per object, so an entry is trivially
  /// copyable and holds no reference-counted fields.
  struct ObjectState {
    /// The UID of the class record; 0 until it is read.
    var classUID: UInt32 = 0
    /// The index in ``UnarchiverState/objects`` of the latest finished instance. With ``Flags/hasWaiters``, the number
    /// of the last waiter in ``DeferredReferences``.
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
  struct Finished {
    let object: AnyObject
    /// The type that was decoded. A hook can replace the instance by one of a subclass.
    let type: ObjectIdentifier
    let uid: UInt32
    /// One more than the index of an earlier instance of the same object with another type; 0 if none exists.
    let former: UInt32
    /// The cost of hashing what the instance refers to repeatedly, at each reference to it.
    let cost: Int64
  }

  /// A dictionary or array whose values are being decoded.
  struct Scope {
    enum Kind {
      case top, object, elements, keys, values
    }
    var kind: Kind
    var uid: UInt32
    var layout: Int
    /// The dictionary or array. In a dictionary, the value references follow the key references.
    var item: BinaryItem
    /// The position of the last requested key or element.
    var current = -1
    var unkeyedCount: UInt32 = 0
    /// Whether the scope is a collection so large that the first decode already caches its value.
    var isLarge = false
    /// Whether ``UnarchiverState/places`` has the place of the scope.
    var hasPlace = false
    /// A bit for each absent key that was requested; see ``KeyLayoutCache/markAbsent(in:)``.
    var absentMarks: UInt16 = 0
    /// The numbers of finished instances and of deferred references at the beginning. If the object fails, later ones
    /// are discarded.
    var firstObject: UInt32 = 0
    var firstDeferred: UInt32 = 0
    /// ``UnarchiverState/hashCost`` at the beginning.
    var hashCost = HashCost()
  }

  /// The result of resolving a reference.
  enum OpenResult {
    case null
    case primitive(BinaryItem)
    /// The class record must first be checked by ``KeyedUnarchiver/checkAllowed(_:for:)``.
    case unchecked(classUID: UInt32)
    /// Another type must be decoded.
    case substitute(any KeyedCoding.Type)
    case finished(AnyObject)
    /// The object is the innermost scope now.
    case opened(hasHook: Bool)
  }

  package private(set) var source: ArchiveSource
  /// The arena in which the arrays below begin.
  private let firstBlock: SmallArena
  var objectStates: TrivialArray<ObjectState>
  /// The finished instances of classes.
  private var objects: [Finished] = []
  /// One more than the index of the latest finished instance of each object with ``Flags/redecoding``.
  private var earlierInstances: [UInt32: UInt32] = [:]
  /// The number of deferred references so far, modulo 2^32.
  private(set) var deferredCount: UInt32 = 0
  /// Whether the decoder has deferred a reference.
  private(set) var hasDeferred = false
  var scopes: TrivialArray<Scope>
  var keyLayouts: KeyLayoutCache
  var allowListCache = AllowListCache()
  /// The number of nested objects that are being decoded.
  private(set) var depth = 0
  /// The number of nested deferred references that are being delivered.
  private var deliveries = 0
  private var stack = StackGuard()
  /// The object of the deferred reference that the decoder delivers, or nil. No open scope leads to it, so paths start
  /// at a UID.
  package var detachedUID: UInt32?
  /// The remaining expansion budget of the current outermost call.
  var budget: ExpansionBudget
  /// The cost of hashing the last value that is to be cached.
  private(set) var costOfLastValue = HashCost()
  /// The cost of hashing all that was decoded so far.
  var hashCost = HashCost()
  /// The object that is delivered to a deferred reference, which does not count; 0 for none.
  var deliveredUID: UInt32 = 0
  /// Whether Swift's rules will hash the decoded strings, as keys of dictionaries or elements of sets.
  var isHashing = false
  /// The cost of strings while hashing.
  var textCost = TextHashCost()
  /// The cost of hashing the strings of an instance that was decoded before, by its UID.
  var costsOfTexts: [UInt32: Int64] = [:]
  /// The cost of hashing the content of an `NSMutableString` in such an instance, or 0 for another object, by its UID.
  var costsOfMutableStrings: [UInt32: Int64] = [:]
  /// The long strings that were decoded while not hashing, and that no reference to a decoded instance has checked yet.
  var uncheckedTexts: [BinaryItem] = []
  /// A string, decoded while not hashing, that would take too long to hash.
  var unhashableText: String?
  /// The positions of the top-level keys requested since the budget was last reset: the first one here, the others in
  /// `requested`.
  private var firstRequested: Int?
  private var requested: Set<Int> = []
  private var keepsBudget = false
  /// The places of the open scopes above the top level, from the outermost on, as far as errors needed them.
  var places: [ArchivePlace] = []
  /// The long keys of dictionaries in paths, by the offset of their text.
  var longKeys: [Int: String] = [:]
  /// The remaining budget for the key paths of deferred references; nil before the first search.
  var searchBudget: ExpansionBudget?
  /// Whether the allow-list rules have changed since objects were decoded.
  private(set) var isStale = false
  // The next three belong to the decoder, which reads them in each call. A property of a class is read more slowly.
  /// The current allow list. All lists live as long as the decoder, so a change of this property releases none.
  var currentAllowList: AllowList?
  /// The types of the caller's outermost request, if that is a list.
  var outermostTypes: [any KeyedCoding.Type] = []
  /// Whether a caller's outermost call is running. Calls in it, and in deliveries at its end, belong to it.
  var isInOutermostCall = false {
    didSet { levelLimit = isInOutermostCall ? source.maximumDepth : 0 }
  }
  /// The number of levels on which an object may begin on the fast path. It is 0 outside of all calls, where a request by
  /// a UID begins a call.
  private var levelLimit = 0
  var requiresSecureCoding = true
  var hasDelegate = false
  /// The requested keys, if they are tracked.
  var tracker: KeyTracker?
  var isFinished = false
  /// The types set for class names.
  var classes: [BytewiseString: any KeyedCoding.Type] = [:]
  /// The first error of a nonthrowing call in each frame that has one, the outermost frame first.
  private var failures: [Failure] = []
  /// The frame of the last failure; -1 without a failure.
  private var failedFrame = -1
  /// The remaining budget for converting decoded values to property lists and collections of Swift, which many objects can
  /// request of one collection.
  private var conversionBudget: ExpansionBudget
  /// The number of scopes from which steps of coding paths may still be made. An initializer that continues after errors
  /// can cause many errors in an object that is deep in the graph.
  var pathBudget: Int

  init(_ source: consuming ArchiveSource) throws(KeyedArchiveError) {
    budget = source.budget
    conversionBudget = budget
    pathBudget = source.pathBudget
    // Enough for a few objects.
    var block = SmallArena(1176)
    scopes = TrivialArray(4, from: &block)
    keyLayouts = KeyLayoutCache(from: &block)
    objectStates = TrivialArray(repeating: ObjectState(), count: source.objectCount, from: &block)
    firstBlock = block
    self.source = source
    let layout = try keyLayouts.layout(of: self.source.envelope.top, in: self.source)
    scopes.append(Scope(kind: .top, uid: 0, layout: layout, item: self.source.envelope.top))
  }

  /// The size of a file up to which its decoder's state is reused. Data of such a file is never shared; see ``LentData``.
  static let reusedByteCount = LentData.minimumByteCount

  /// Begins another archive.
  mutating func begin(_ source: consuming ArchiveSource) throws(KeyedArchiveError) {
    self.source = source
    resetBudgets()
    objectStates.refill(ObjectState(), count: self.source.objectCount)
    let layout = try keyLayouts.layout(of: self.source.envelope.top, in: self.source)
    scopes.append(Scope(kind: .top, uid: 0, layout: layout, item: self.source.envelope.top))
  }

  /// Whether another decoder can use the state: the archive is small, nothing is being decoded, and the decoder needed
  /// nothing that small archives seldom need.
  var isReusable: Bool {
    source.bytes.count <= Self.reusedByteCount && scopes.count == 1 && depth == 0 && deliveries == 0 && failures.isEmpty
      && requested.isEmpty && earlierInstances.isEmpty && classes.isEmpty && tracker == nil && detachedUID == nil
      && !keepsBudget && !isHashing && !isInOutermostCall && currentAllowList == nil && keyLayouts.isReusable
      && allowListCache.isReusable
  }

  /// Removes and returns the finished instances. The caller releases them, because that can run a `deinit`.
  mutating func takeObjects() -> [Finished] {
    let taken = objects
    objects = []
    return taken
  }

  /// Returns a reusable state to its beginning, without an archive. `objects` is an empty array with capacity.
  mutating func prepareForReuse(_ objects: [Finished]) {
    self.objects = objects
    source.removeBytes()
    objectStates.empty()
    scopes.removeAll()
    places = []
    longKeys = [:]
    keyLayouts.prepareForReuse()
    allowListCache.removeAll()
    deferredCount = 0
    hasDeferred = false
    hashCost = HashCost()
    textCost = TextHashCost()
    if !costsOfTexts.isEmpty { costsOfTexts = [:] }
    if !costsOfMutableStrings.isEmpty { costsOfMutableStrings = [:] }
    uncheckedTexts = []
    unhashableText = nil
    firstRequested = nil
    outermostTypes = []
    searchBudget = nil
    stack = StackGuard()
    isStale = false
    requiresSecureCoding = true
    hasDelegate = false
    isFinished = false
  }

  /// Returns the index of a dictionary's layout.
  package mutating func layout(of item: BinaryItem) throws(KeyedArchiveError) -> Int {
    try keyLayouts.layout(of: item, in: source)
  }

  @inline(__always)
  var innermost: Int { scopes.count &- 1 }

  /// Charges the memory of a converted value.
  package mutating func charge(converting weight: Int64) throws(KeyedArchiveError) {
    guard conversionBudget.take(weight) else { throw source.tooLarge() }
  }

  /// Charges bytes that a value is made of, or that are compared for it, and that many objects can share.
  package mutating func charge(work byteCount: Int64) throws(KeyedArchiveError) {
    guard conversionBudget.touch(byteCount) else { throw source.tooLarge() }
  }

  /// Charges a cost to the expansion budget.
  @inline(__always)
  mutating func charge(_ weight: Int64) throws(KeyedArchiveError) {
    guard budget.take(weight) else { throw source.tooLarge() }
    hashCost.contents &+= weight
  }

  /// Counts a short string or data whose memory is not charged.
  @inline(__always)
  mutating func count(text item: BinaryItem) throws(KeyedArchiveError) {
    if item.kind == .utf16 { try countHashing(item) } else { hashCost.contents &+= item.weight }
  }

  /// Charges the cost of a long string or data. That of a short value is negligible beside finding it.
  @inline(__always)
  mutating func charge(reading item: BinaryItem) throws(KeyedArchiveError) {
    if item.count > 16 { try charge(item.weight) }
    if item.kind == .utf16, isHashing { try countHashing(item) }
  }

  /// Charges the cost of decoding an object again.
  ///
  /// An initializer that continues after an error can request an object that fails a second time. Without a budget, the
  /// time would double with each level of objects.
  @inline(never)
  private mutating func charge(repeating entry: BinaryItem) throws(KeyedArchiveError) {
    guard !budget.isExhausted, budget.touch(entry.weight) else { throw source.tooLarge() }
  }

  /// The cost of an error with its place, in the unit of a byte that is compared.
  private static let costOfFailure: Int64 = 2048

  /// Charges an error for a class that was not allowed for the same type before. It costs less than that of an object that
  /// fails, because types that try one form after another have several for each value.
  mutating func chargeRejection() throws(KeyedArchiveError) {
    guard budget.touch(Self.costOfFailure / 4) else { throw source.tooLarge() }
  }

  /// Begins a caller's outermost call. Returns objects to release while no access to the state is open.
  mutating func beginCall() -> [Finished] {
    let released = isStale ? takeObjects(from: 0) : []
    isStale = false
    scopes[0].firstObject = UInt32(truncatingIfNeeded: objects.count)
    scopes[0].firstDeferred = deferredCount
    // The next call may come from another thread, whose stack may have the addresses of one that ended.
    stack = StackGuard()
    guard !keepsBudget else { return released }
    // Requesting a top-level key again resets the budget, because the caller asked to decode it again. Only a caller
    // can repeat a request, so a file cannot reset its own budget, however many keys it has.
    let position = scopes[0].current
    guard let first = firstRequested else {
      firstRequested = position
      return released
    }
    guard position == first || !requested.insert(position).inserted else { return released }
    firstRequested = position
    requested = []
    resetBudgets()
    return released
  }

  /// Begins a call that decodes many objects, each as a top-level object, on one budget.
  package mutating func beginCallOfMany() {
    resetBudgets()
    keepsBudget = true
  }

  private mutating func resetBudgets() {
    budget = source.budget
    conversionBudget = budget
    pathBudget = source.pathBudget
  }

  package mutating func endCallOfMany() { keepsBudget = false }

  /// Removes the finished instances from an index on. The caller releases them, because that can run a `deinit`.
  private mutating func takeObjects(from first: Int) -> [Finished] {
    guard first < objects.count else { return [] }
    let taken = Array(objects[first...])
    // In reverse order, so that the earliest instance of each object restores the one before it.
    for index in (first..<objects.count).reversed() {
      let (uid, former) = (Int(objects[index].uid), objects[index].former)
      guard objectStates[uid].flags.contains(.finished), Int(objectStates[uid].link) == index else { continue }
      if former > 0 { objectStates[uid].link = former - 1 } else { objectStates[uid].flags.remove(.finished) }
    }
    objects.removeSubrange(first...)
    return taken
  }
}

// MARK: Errors of nonthrowing calls

extension UnarchiverState {
  struct Failure {
    /// The ``frame`` of the failed call.
    var frame: Int
    var error: KeyedArchiveError
  }

  /// The number of nested objects and deliveries; 0 outside of all initializers.
  ///
  /// An error of a nonthrowing call belongs to the innermost of them, and only that one fails with it.
  @inline(__always)
  var frame: Int { depth &+ deliveries }

  /// Whether a nonthrowing call failed in the current frame.
  @inline(__always)
  var hasFailed: Bool { failedFrame >= 0 && failedFrame == frame }

  /// Whether a nonthrowing call failed outside of all initializers. Later calls there return nothing.
  @inline(__always)
  var callerHasFailed: Bool { failedFrame == 0 && frame == 0 }

  /// The first error of a nonthrowing call in the current frame.
  var failure: KeyedArchiveError? { hasFailed ? failures.last?.error : nil }

  /// Records the first error of the current frame.
  mutating func fail(_ error: KeyedArchiveError) {
    guard !hasFailed else { return }
    failures.append(Failure(frame: frame, error: error))
    failedFrame = frame
  }

  /// Removes and returns the error of the current frame.
  mutating func takeFailure() -> KeyedArchiveError? {
    guard hasFailed, let failure = failures.popLast() else { return nil }
    failedFrame = failures.last?.frame ?? -1
    return failure.error
  }

  /// Begins the delivery of a deferred reference, which has its own frame.
  mutating func beginDelivery() { deliveries += 1 }

  /// Ends a delivery and returns the error of a nonthrowing call in it.
  mutating func endDelivery() -> KeyedArchiveError? {
    let failure = takeFailure()
    deliveries -= 1
    return failure
  }
}

// MARK: Beginning and ending objects

extension UnarchiverState {
  /// Resolves a reference on the fast path. The reference names nil, a finished instance, or an object to begin whose
  /// class is checked and needs neither substitute nor hook.
  ///
  /// Returns `.unchecked` if the class is unchecked, and otherwise `.slowPath` without beginning an object;
  /// ``open(_:for:)`` then takes the slow path.
  @inline(__always)
  mutating func openFast(_ uid: UInt32, for request: ObjectIdentifier) throws(KeyedArchiveError) -> FastOpenResult {
    guard uid != 0 else { return .null }
    guard uid < UInt32(truncatingIfNeeded: objectStates.count) else { throw source.outOfRange(uid) }
    let index = Int(uid)
    var item: BinaryItem?
    var layout = -1
    if objectStates[index].classUID == 0 {
      let entry = try source.entry(uid)
      guard entry.kind == .dictionary else { return source.isNull(entry) ? .null : .slowPath }
      layout = try readClass(of: uid, entry)
      item = entry
    }
    let state = objectStates[index]
    guard let decision = allowListCache.decision(for: .init(classUID: state.classUID, request: request)) else {
      return .unchecked(classUID: state.classUID)
    }
    guard decision.substitute < 0 else { return .slowPath }
    if state.flags.contains(.finished), objects[Int(state.link)].type == request, !isHashing {
      let known = objects[Int(state.link)]
      hashCost.addInstance(known.cost)
      return .finished(known.object)
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
    let state = objectStates[Int(uid)]
    guard state.classUID != 0 else { return .primitive(try source.entry(uid)) }
    guard let decision = allowListCache.decision(for: .init(classUID: state.classUID, request: request)) else {
      return .unchecked(classUID: state.classUID)
    }
    if let substitute = allowListCache.substitute(decision) { return .substitute(substitute) }
    if let index = indexOfFinished(uid, as: request) {
      try count(repeating: HashCost(repetitions: objects[index].cost), of: uid)
      if isHashing {
        // The strings of an instance were checked only if it was decoded for the same purpose.
        try checkTexts()
        if uid != deliveredUID { try charge(textsOf: uid) }
      }
      return .finished(objects[index].object)
    }
    if state.flags.contains(.inProgress) { throw cycle(uid) }
    try checkDepth(depth, of: uid)
    try beginDecoding(uid, nil, -1)
    tracker?.begin(uid, as: request)
    if state.flags.contains(.finished) {
      earlierInstances[uid] = state.link + 1
      objectStates[Int(uid)].flags.remove(.finished)
      objectStates[Int(uid)].flags.insert(.redecoding)
    }
    return .opened(hasHook: decision.hasHook)
  }

  /// Returns the finished instance of an object that was decoded as a type.
  func finished(_ uid: UInt32, as type: ObjectIdentifier) -> AnyObject? {
    indexOfFinished(uid, as: type).map { objects[$0].object }
  }

  private func indexOfFinished(_ uid: UInt32, as type: ObjectIdentifier) -> Int? {
    let state = objectStates[Int(uid)]
    var next = 0
    if state.flags.contains(.finished) {
      next = Int(state.link) + 1
    } else if state.flags.contains(.redecoding) {
      next = Int(earlierInstances[uid] ?? 0)
    }
    while next > 0 {
      if objects[next - 1].type == type { return next - 1 }
      next = Int(objects[next - 1].former)
    }
    return nil
  }

  /// The number of levels that fit any stack.
  private static let shallow = 8

  private mutating func hasStackSpace() -> Bool { stack.hasSpace(within: ThreadMemory.current.state.stackBounds) }

  /// Checks that the limits and the stack allow another level.
  mutating func checkDepth(_ depth: Int, of uid: UInt32) throws(KeyedArchiveError) {
    guard depth < source.maximumDepth else { throw tooDeep(uid) }
    guard depth < Self.shallow || hasStackSpace() else { throw outOfStack(uid, depth) }
  }

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
    if !objectStates[Int(uid)].flags.isDisjoint(with: [.discarded, .cached]) { try charge(repeating: entry) }
    depth &+= 1
    scopes.append(
      Scope(
        kind: .object, uid: uid, layout: layout, item: entry,
        firstObject: UInt32(truncatingIfNeeded: objects.count), firstDeferred: deferredCount, hashCost: hashCost))
    objectStates[Int(uid)].flags.insert(.inProgress)
  }

  /// Returns the progress of the object of a deferred reference on the fast path.
  mutating func progress(
    of uid: UInt32, for request: ObjectIdentifier
  ) throws(KeyedArchiveError) -> DeferredLookupResult {
    guard let classUID = try classUID(of: uid) else { return .slowPath }
    guard let decision = allowListCache.decision(for: .init(classUID: classUID, request: request)),
      decision.substitute < 0
    else { return .slowPath }
    let state = objectStates[Int(uid)]
    if let object = finished(uid, as: request) { return isHashing ? .slowPath : .finished(object) }
    return .later(uid, isInProgress: state.flags.contains(.inProgress))
  }

  /// Returns the UID of an object's class record, or nil for nil and for primitives.
  package mutating func classUID(of uid: UInt32) throws(KeyedArchiveError) -> UInt32? {
    guard uid < UInt32(truncatingIfNeeded: objectStates.count) else { throw source.outOfRange(uid) }
    if objectStates[Int(uid)].classUID == 0 {
      let entry = try source.entry(uid)
      guard entry.kind == .dictionary else { return nil }
      _ = try readClass(of: uid, entry)
    }
    return objectStates[Int(uid)].classUID
  }

  /// Stores the UID of an object's class record and returns the object's key layout.
  @inline(__always)
  private mutating func readClass(of uid: UInt32, _ entry: BinaryItem) throws(KeyedArchiveError) -> Int {
    let layout = try keyLayouts.layout(of: entry, in: source)
    let position = keyLayouts.layouts[layout].classPosition
    guard position >= 0 else { throw withoutClass(uid, entry) }
    let classUID = try source.uid(at: entry.count &+ position, of: entry)
    guard classUID != 0 else { throw withoutClass(uid, entry) }
    objectStates[Int(uid)].classUID = classUID
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
    let state = objectStates[Int(uid)]
    let waiting = state.flags.contains(.hasWaiters) ? waitingReferences(state.link) : nil
    let cost = hashCost.endInstance(since: scopes[innermost].hashCost)
    popScope()
    var former: UInt32 = 0
    if state.flags.contains(.redecoding) { former = earlierInstances.removeValue(forKey: uid) ?? 0 }
    objectStates[Int(uid)] = ObjectState(
      classUID: state.classUID, link: UInt32(truncatingIfNeeded: objects.count),
      flags: state.flags.intersection([.decodedOnce, .cached, .discarded]).union(.finished))
    objects.append(Finished(object: object, type: type, uid: uid, former: former, cost: cost))
    return waiting
  }

  private func waitingReferences(_ last: UInt32) -> WaitingReferences {
    WaitingReferences(
      last: last, firstObject: scopes[innermost].firstObject, firstDeferred: scopes[innermost].firstDeferred)
  }

  mutating func countDeferred() {
    deferredCount &+= 1
    hasDeferred = true
  }

  /// Makes `link` the head of the waiter list of an object in progress. Returns the previous head, or nil.
  mutating func addWaiter(_ uid: UInt32, by link: UInt32) -> UInt32? {
    let state = objectStates[Int(uid)]
    objectStates[Int(uid)].link = link
    objectStates[Int(uid)].flags.insert(.hasWaiters)
    return state.flags.contains(.hasWaiters) ? state.link : nil
  }

  /// The number of finished instances.
  var finishedCount: Int { objects.count }

  /// Ends an object that became a value. Returns whether to cache the value, and the references that wait for it.
  @inline(__always)
  mutating func endDecoding(value uid: UInt32) -> (isCached: Bool, waiting: WaitingReferences?) {
    let state = objectStates[Int(uid)]
    let waiting = state.flags.contains(.hasWaiters) ? waitingReferences(state.link) : nil
    let keep = scopes[innermost].isLarge || state.flags.contains(.decodedOnce)
    hashCost.addValue()
    if keep { costOfLastValue = hashCost.value(since: scopes[innermost].hashCost) }
    popScope()
    objectStates[Int(uid)].flags = state.flags.intersection(.discarded)
      .union(keep ? [.decodedOnce, .cached] : .decodedOnce)
    if state.flags.contains(.redecoding) { restoreEarlierInstance(uid) }
    return (keep, waiting)
  }

  /// Restores the instance that an object had before it was decoded as another type.
  private mutating func restoreEarlierInstance(_ uid: UInt32) {
    guard let former = earlierInstances.removeValue(forKey: uid), former > 0 else { return }
    objectStates[Int(uid)].link = former - 1
    objectStates[Int(uid)].flags.insert(.finished)
  }

  /// The results of a failed object that must be discarded.
  struct Discarded {
    /// The instances that were finished inside the object. Deferred references to them may be lost, so another request
    /// decodes them again. Release them while no access to the state is open.
    var objects: [Finished]
    /// The number of instances that were finished before.
    var firstObject: Int
    /// The serial number of the first reference that was deferred inside the object; nil if none was.
    var firstDeferred: UInt32?
  }

  /// Ends a failed object and discards the objects that were decoded inside it.
  mutating func abandon(_ uid: UInt32) -> Discarded {
    // The error may have skipped the ends of collection scopes.
    while let last = scopes.last, last.kind != .object, scopes.count > 1 { scopes.removeLast() }
    let scope = scopes[innermost]
    hashCost = scope.hashCost
    popScope()
    let state = objectStates[Int(uid)]
    objectStates[Int(uid)].flags = state.flags.intersection([.decodedOnce, .cached]).union(.discarded)
    if state.flags.contains(.redecoding) { restoreEarlierInstance(uid) }
    // If the budget is too small, it is exhausted from here on.
    _ = budget.touch(Self.costOfFailure)
    return discard(since: scope.firstObject, scope.firstDeferred)
  }

  /// Discards the objects that were decoded in a failed outermost call.
  mutating func abandonCall() -> Discarded { discard(since: scopes[0].firstObject, scopes[0].firstDeferred) }

  /// Discards a finished object, and the objects in it, because a reference that waited for it failed.
  mutating func abandon(_ waiting: WaitingReferences) -> Discarded {
    discard(since: waiting.firstObject, waiting.firstDeferred)
  }

  private mutating func discard(since firstObject: UInt32, _ firstDeferred: UInt32) -> Discarded {
    let taken = takeObjects(from: Int(firstObject))
    for result in taken { objectStates[Int(result.uid)].flags.insert(.discarded) }
    return Discarded(
      objects: taken, firstObject: Int(firstObject),
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
      uid: ArchiveUID(rawValue: uid),
      remedy: "Decode long chains with ArchiveReference or the closure form of decodeObject, or raise "
        + "ReadLimits.maximumDepth")
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
      uid: ArchiveUID(rawValue: uid), byteOffset: entry.content - 1)
  }
}
