// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) package import PropertyListFormat

/// Everything a decoder keeps between calls.
///
/// Nothing is parsed ahead: each reference is followed when it is asked for, from the object's number to its bytes, and
/// checked on the way. An object is opened, then its initialiser runs with the object as the innermost scope, then it is
/// closed; between these two no access to the state is open.
package struct UnarchiverState: ~Copyable {
  /// What is known of one element of `$objects`. There are as many as there are objects, and nothing in them is counted.
  struct Slot {
    /// The number of its class record; 0 until it was looked at.
    var classUID: UInt32 = 0
    /// The index in ``UnarchiverState/objects`` of the latest finished instance. While the object is being decoded and
    /// awaited: the last reference that waits for it, by ``DeferredReferences``.
    var link: UInt32 = 0
    var marks: Marks = []
  }

  struct Marks: OptionSet {
    let rawValue: UInt8
    /// Its initialiser is running.
    static let inProgress = Marks(rawValue: 1)
    /// A value was made from it once already. The second time it is kept, so that an object that a million others refer
    /// to is decoded at most twice.
    static let decodedOnce = Marks(rawValue: 2)
    static let kept = Marks(rawValue: 4)
    /// Somebody waits for it to be finished.
    static let awaited = Marks(rawValue: 8)
    /// It became the instance of a class. Never set while its initializer is running.
    static let finished = Marks(rawValue: 16)
    /// Its initializer is running, and it became the instance of another class before.
    static let remade = Marks(rawValue: 32)
  }

  /// A finished instance of a class.
  struct Finished {
    let object: AnyObject
    /// The type that it was made as. The instance itself may be of a subclass that a hook put in its place.
    let type: ObjectIdentifier
    let uid: UInt32
    /// One more than the index of the instance that was made of the same object before, as another type; 0 if none was.
    let former: UInt32
  }

  /// A dictionary or array whose values are being decoded.
  struct Scope {
    enum Kind {
      case top, object, elements, keys, values
    }
    var kind: Kind
    var uid: UInt32
    var shape: Int
    /// Where the key references lie; value references follow them.
    var item: BinaryItem
    /// The position of the key, or the element, that was asked for last.
    var current = -1
    var unkeyedCount = 0
    /// Whether it is a collection so large that a value made of it is kept at once and not the second time.
    var isLarge = false
    /// The number of finished instances, and of deferred references, when the object was begun. If it fails, those that
    /// came after are forgotten.
    var firstObject: UInt32 = 0
    var firstDeferred: UInt32 = 0
  }

  /// What becomes of a reference.
  enum Opening {
    /// It is nil.
    case null
    /// It leads to a bare string, number, boolean or data.
    case bare(BinaryItem)
    /// The class record must be judged first, by ``KeyedUnarchiver/checkAllowed(_:for:)``.
    case unchecked(classUID: UInt32)
    /// Another type is to be made.
    case substitute(any KeyedCoding.Type)
    /// It is finished.
    case finished(AnyObject)
    /// It is the innermost scope now.
    case opened(isWatched: Bool)
  }

  package let source: ArchiveSource
  /// Where the arrays below begin.
  private let firstBlock: SmallArena
  var slots: TrivialArray<Slot>
  /// The finished instances of classes.
  private var objects: [Finished] = []
  /// One more than the index of the latest finished instance of each object with ``Marks/remade``.
  private var formerPlaces: [UInt32: UInt32] = [:]
  /// The number of deferred references that were registered so far.
  private(set) var deferredCount: UInt32 = 0
  var scopes: TrivialArray<Scope>
  var shapes: KeyLayoutCache
  var allowListCache = AllowListCache()
  /// How many objects are being decoded within each other.
  private(set) var depth = 0
  /// How many deferred references are being delivered within each other.
  private var deliveries = 0
  /// What the thread has left for more levels.
  private var stack = StackGuard()
  /// Whether deferred references are being worked off, whose objects no key leads to.
  var isDetached = false
  /// What may yet be made of the archive in the call that is being served.
  private var room: ExpansionBudget
  /// The top-level keys that were asked for since there was that much room, by their places: the first, and others.
  private var firstAskedFor: Int?
  private var askedFor: Set<Int> = []
  private var keepsRoom = false
  /// Whether the rules of what may come out were changed since objects were decoded.
  private var isStale = false
  var requiresSecureCoding = true
  var hasDelegate = false
  var isFinished = false
  /// Types by the names they were set for.
  var classes: [BytewiseString: any KeyedCoding.Type] = [:]
  /// The first error that a nonthrowing call met in each frame that has one, the outermost frame first.
  private var failures: [Failure] = []
  /// The frame of the last of them; -1 if there is none.
  private var failedFrame = -1

  init(_ source: consuming ArchiveSource) throws(KeyedArchiveError) {
    room = source.room
    // What a few objects take.
    var block = SmallArena(1016)
    scopes = TrivialArray(4, from: &block)
    shapes = KeyLayoutCache(from: &block)
    slots = TrivialArray(repeating: Slot(), count: source.objectCount, from: &block)
    firstBlock = block
    self.source = source
    let shape = try shapes.shape(of: self.source.envelope.top, in: self.source)
    scopes.append(Scope(kind: .top, uid: 0, shape: shape, item: self.source.envelope.top))
  }

  /// The shape of a dictionary.
  package mutating func shape(of item: BinaryItem) throws(KeyedArchiveError) -> Int {
    try shapes.shape(of: item, in: source)
  }

  @inline(__always)
  var innermost: Int { scopes.count &- 1 }

  /// Takes from what may be made of the archive.
  @inline(__always)
  mutating func spend(_ weight: Int) throws(KeyedArchiveError) {
    guard room.take(weight) else { throw source.tooLarge() }
  }

  /// Takes what reading a long text or data weighs; reading a number weighs nothing beside finding it.
  @inline(__always)
  mutating func spend(reading item: BinaryItem) throws(KeyedArchiveError) {
    if item.count > 16 { try spend(item.weight) }
  }

  /// Begins to serve a caller's outermost call. Returns objects to release when no access to the state is open.
  mutating func beginCall() -> [Finished] {
    let released = isStale ? takeObjects(from: 0) : []
    isStale = false
    scopes[0].firstObject = UInt32(truncatingIfNeeded: objects.count)
    scopes[0].firstDeferred = deferredCount
    // The next call may come from another thread.
    stack = StackGuard()
    guard !keepsRoom else { return released }
    // A caller who asks for the same top-level key again wants it made again; then there is as much room as at first.
    // The file cannot bring that about, however many keys it has.
    let place = scopes[0].current
    guard let first = firstAskedFor else {
      firstAskedFor = place
      return released
    }
    guard place == first || !askedFor.insert(place).inserted else { return released }
    firstAskedFor = place
    askedFor = []
    room = source.room
    return released
  }

  /// Serves a call that decodes many objects, each as if it were the outermost.
  package mutating func beginCallOfMany() {
    room = source.room
    keepsRoom = true
  }

  package mutating func endCallOfMany() { keepsRoom = false }

  /// Forgets the finished instances from an index on. Returns them, because releasing them can run a `deinit`.
  private mutating func takeObjects(from first: Int) -> [Finished] {
    guard first < objects.count else { return [] }
    let taken = Array(objects[first...])
    // The latest first, so that each object ends with the instance that it had before.
    for place in (first..<objects.count).reversed() {
      let (uid, former) = (Int(objects[place].uid), objects[place].former)
      guard slots[uid].marks.contains(.finished), Int(slots[uid].link) == place else { continue }
      if former > 0 { slots[uid].link = former - 1 } else { slots[uid].marks.remove(.finished) }
    }
    objects.removeSubrange(first...)
    return taken
  }
}

// MARK: Errors of nonthrowing calls

extension UnarchiverState {
  struct Failure {
    /// The ``frame`` in which a call met the error.
    var frame: Int
    var error: KeyedArchiveError
  }

  /// The number of objects being decoded, and deferred references being delivered, within each other. An error that a
  /// nonthrowing call meets belongs to the innermost of them, and only that one fails with it; 0 is the caller outside.
  @inline(__always)
  var frame: Int { depth &+ deliveries }

  /// Whether a nonthrowing call met an error in the current frame.
  @inline(__always)
  var hasFailed: Bool { failedFrame >= 0 && failedFrame == frame }

  /// Whether a nonthrowing call of the outermost caller met an error: nothing is handed out any more.
  @inline(__always)
  var isBarred: Bool { failedFrame == 0 && frame == 0 }

  /// The first error that a nonthrowing call met in the current frame.
  var failure: KeyedArchiveError? { hasFailed ? failures.last?.error : nil }

  /// Keeps the first error of the current frame.
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

  /// Begins to deliver a deferred reference, in a frame of its own.
  mutating func beginDelivery() { deliveries += 1 }

  /// Ends a delivery. Returns the error that a nonthrowing call met in it.
  mutating func endDelivery() -> KeyedArchiveError? {
    let failure = takeFailure()
    deliveries -= 1
    return failure
  }
}

// MARK: Values of the innermost scope

extension UnarchiverState {
  /// Where the value for a key lies; nil if there is none.
  @inline(__always)
  mutating func value(forKey key: String) throws(KeyedArchiveError) -> BinaryItem? {
    let scope = innermost
    // The elements of a collection have no keys. A callback that runs between two of them can ask for one.
    guard scopes[scope].shape >= 0 else { return nil }
    let position = shapes.position(of: key, in: scopes[scope].shape, after: scopes[scope].current)
    guard position >= 0 else { return nil }
    scopes[scope].current = position
    return try source.element(scopes[scope].item.count &+ position, of: scopes[scope].item)
  }

  /// Whether there is a value for a key.
  @inline(never)
  mutating func contains(_ key: String) throws(KeyedArchiveError) -> Bool { try value(forKey: key) != nil }

  /// Where the value for one of the archiver's own keys lies.
  mutating func value(forRawKey key: String) throws(KeyedArchiveError) -> BinaryItem? {
    let scope = innermost
    guard scopes[scope].shape >= 0 else { return nil }
    let position = shapes.position(ofRaw: key, in: scopes[scope].shape)
    guard position >= 0 else { return nil }
    scopes[scope].current = position
    return try source.element(scopes[scope].item.count &+ position, of: scopes[scope].item)
  }

  /// What stands for a key where an object is asked for.
  enum Reference {
    /// The key is absent or stands for nil.
    case none
    case object(UInt32)
    /// A value is stored inline.
    case inline(BinaryItem)
  }

  @inline(never)
  mutating func reference(forKey key: String) throws(KeyedArchiveError) -> Reference {
    guard let item = try value(forKey: key) else { return .none }
    guard item.kind == .uid else { return .inline(item) }
    let uid = try source.uid(item)
    return uid == 0 ? .none : .object(uid)
  }

  /// The object for a key; nil if the key is absent or stands for nil.
  mutating func uid(forKey key: String) throws(KeyedArchiveError) -> UInt32? {
    switch try reference(forKey: key) {
    case .none: nil
    case .object(let uid): uid
    case .inline(let item): try source.uid(item)
    }
  }

  /// Whether there is a next unkeyed value.
  var containsNextValue: Bool {
    mutating get throws(KeyedArchiveError) {
      try value(forRawKey: "$\(scopes[innermost].unkeyedCount)") != nil
    }
  }

  /// The object for the next unkeyed value.
  mutating func nextUnkeyedUID() throws(KeyedArchiveError) -> UInt32? {
    let scope = innermost
    guard let item = try value(forRawKey: "$\(scopes[scope].unkeyedCount)") else {
      throw KeyedArchiveError(
        .valueNotFound, "there is no value without a key after \(scopes[scope].unkeyedCount) of them",
        remedy: "Decode as many values without keys as were encoded, in the same order")
    }
    scopes[scope].unkeyedCount += 1
    let uid = try source.uid(item)
    return uid == 0 ? nil : uid
  }

  /// The number for a key, stored inline or as an object of its own; nil if the key is absent or stands for nil.
  @inline(never)
  mutating func number(forKey key: String) throws(KeyedArchiveError) -> BinaryItem? {
    guard let item = try value(forKey: key) else { return nil }
    guard item.kind == .uid else { return item }
    let uid = try source.uid(item)
    guard uid != 0 else { return nil }
    let entry = try source.entry(uid)
    return source.isNull(entry) ? nil : entry
  }
}

// MARK: Bare values

extension UnarchiverState {
  /// The value of an item.
  @inline(__always)
  package func read<Value: PrimitiveValue>(_ type: Value.Type, _ item: BinaryItem) throws(KeyedArchiveError) -> Value {
    try Value.read(item, source)
  }

  /// The bare value that an object is, where it is a plain one of a few bytes that was not made before; nil in any other
  /// case.
  @inline(__always)
  mutating func bare<Value: PrimitiveValue>(_ type: Value.Type, from uid: UInt32) throws(KeyedArchiveError) -> Value? {
    let entry = try source.entry(uid)
    guard entry.count < 512, type.accepts(entry.kind), !source.isNull(entry) else { return nil }
    // Shorter ones take no memory of their own.
    if entry.count >= 16 {
      guard slots[Int(uid)].marks.isEmpty else { return nil }
      try spend(entry.weight)
      slots[Int(uid)].marks = .decodedOnce
    }
    return try Value.read(entry, source)
  }
}

// MARK: Opening and closing objects

extension UnarchiverState {
  /// Follows a reference in the plainest case; ``open(_:for:)`` finds out about any other.
  @inline(__always)
  mutating func enter(_ uid: UInt32, for request: ObjectIdentifier) throws(KeyedArchiveError) -> FastOpenResult {
    guard uid != 0 else { return .null }
    let index = Int(uid)
    var item: BinaryItem?
    var shape = -1
    if slots[index].classUID == 0 {
      let entry = try source.entry(uid)
      guard entry.kind == .dictionary else { return source.isNull(entry) ? .null : .special }
      shape = try readClass(of: uid, entry)
      item = entry
    }
    let slot = slots[index]
    guard let decision = allowListCache.decision(for: .init(classUID: slot.classUID, request: request)) else {
      return .unchecked(classUID: slot.classUID)
    }
    guard decision.substitute < 0 else { return .special }
    if slot.marks.contains(.finished), objects[Int(slot.link)].type == request {
      return .finished(objects[Int(slot.link)].object)
    }
    guard slot.marks.isDisjoint(with: [.inProgress, .kept, .finished]), !decision.isWatched,
      depth < source.maximumDepth,
      depth < Self.shallow || stack.isClearlySufficient
    else { return .special }
    try begin(uid, item, shape)
    return .opened
  }

  /// Follows a reference, for a request that only says yes to objects whose class record it knows.
  @inline(never)
  mutating func open(_ uid: UInt32, for request: ObjectIdentifier) throws(KeyedArchiveError) -> Opening {
    switch try enter(uid, for: request) {
    case .null: return .null
    case .finished(let object): return .finished(object)
    case .opened: return .opened(isWatched: false)
    case .unchecked(let classUID): return .unchecked(classUID: classUID)
    case .special: break
    }
    let slot = slots[Int(uid)]
    guard slot.classUID != 0 else { return .bare(try source.entry(uid)) }
    guard let decision = allowListCache.decision(for: .init(classUID: slot.classUID, request: request)) else {
      return .unchecked(classUID: slot.classUID)
    }
    if let substitute = allowListCache.substitute(decision) { return .substitute(substitute) }
    if slot.marks.contains(.inProgress) { throw cycle(uid) }
    if let object = finished(uid, as: request) { return .finished(object) }
    try checkDepth(depth, of: uid)
    try begin(uid, nil, -1)
    if slot.marks.contains(.finished) {
      formerPlaces[uid] = slot.link + 1
      slots[Int(uid)].marks.remove(.finished)
      slots[Int(uid)].marks.insert(.remade)
    }
    return .opened(isWatched: decision.isWatched)
  }

  /// The finished instance of an object that was made as a type.
  func finished(_ uid: UInt32, as type: ObjectIdentifier) -> AnyObject? {
    let slot = slots[Int(uid)]
    guard slot.marks.contains(.finished) else { return nil }
    var place = Int(slot.link) + 1
    while place > 0 {
      if objects[place - 1].type == type { return objects[place - 1].object }
      place = Int(objects[place - 1].former)
    }
    return nil
  }

  /// So many levels fit any stack.
  private static let shallow = 8

  /// Checks that one more level may be entered.
  mutating func checkDepth(_ depth: Int, of uid: UInt32) throws(KeyedArchiveError) {
    guard depth < source.maximumDepth else { throw tooDeep(uid) }
    guard depth < Self.shallow || stack.hasSpace() else { throw outOfStack(uid, depth) }
  }

  /// Makes an object the innermost scope.
  @inline(__always)
  private mutating func begin(_ uid: UInt32, _ known: BinaryItem?, _ knownShape: Int) throws(KeyedArchiveError) {
    let entry: BinaryItem
    var shape = knownShape
    if let known {
      entry = known
    } else {
      entry = try source.entry(uid)
      shape = try shapes.shape(of: entry, in: source)
    }
    // Objects may share their bytes, and with them their many keys.
    if entry.count > 16 { try spend(entry.weight) }
    depth &+= 1
    scopes.append(
      Scope(
        kind: .object, uid: uid, shape: shape, item: entry,
        firstObject: UInt32(truncatingIfNeeded: objects.count), firstDeferred: deferredCount))
    slots[Int(uid)].marks.insert(.inProgress)
  }

  /// What is known of a reference that somebody wants handed over when its object is complete.
  enum Progress {
    case finished(AnyObject)
    case inProgress
    case notBegun
    /// Anything else; nothing has changed.
    case special
  }

  /// How far the object is that a reference leads to, in the plainest case.
  mutating func progress(of uid: UInt32, for request: ObjectIdentifier) throws(KeyedArchiveError) -> Progress {
    guard let classUID = try classUID(of: uid) else { return .special }
    guard let decision = allowListCache.decision(for: .init(classUID: classUID, request: request)),
      decision.substitute < 0
    else { return .special }
    let slot = slots[Int(uid)]
    if let object = finished(uid, as: request) { return .finished(object) }
    return slot.marks.contains(.inProgress) ? .inProgress : .notBegun
  }

  /// The number of the class record of an object; nil for nil and for bare values.
  package mutating func classUID(of uid: UInt32) throws(KeyedArchiveError) -> UInt32? {
    if slots[Int(uid)].classUID == 0 {
      let entry = try source.entry(uid)
      guard entry.kind == .dictionary else { return nil }
      _ = try readClass(of: uid, entry)
    }
    return slots[Int(uid)].classUID
  }

  /// Finds the class record of an object and returns the object's shape.
  @inline(__always)
  private mutating func readClass(of uid: UInt32, _ entry: BinaryItem) throws(KeyedArchiveError) -> Int {
    let shape = try shapes.shape(of: entry, in: source)
    let position = shapes.shapes[shape].classPosition
    guard position >= 0 else { throw withoutClass(uid, entry) }
    let classUID = try source.uid(source.element(entry.count &+ position, of: entry))
    guard classUID != 0 else { throw withoutClass(uid, entry) }
    slots[Int(uid)].classUID = classUID
    return shape
  }

  /// Forgets all answers, for when a name is mapped differently.
  mutating func forgetVerdicts() {
    if !allowListCache.isEmpty { isStale = true }
    allowListCache = AllowListCache()
  }

  @inline(__always)
  private mutating func leave() {
    scopes.removeLast()
    depth &-= 1
  }

  /// Ends the innermost object, which became the instance of a class. Returns who waits for it, if somebody does.
  @inline(__always)
  mutating func close(_ uid: UInt32, _ object: AnyObject, madeAs type: ObjectIdentifier) -> UInt32? {
    leave()
    let slot = slots[Int(uid)]
    var former: UInt32 = 0
    if slot.marks.contains(.remade) { former = formerPlaces.removeValue(forKey: uid) ?? 0 }
    slots[Int(uid)] = Slot(
      classUID: slot.classUID, link: UInt32(truncatingIfNeeded: objects.count),
      marks: slot.marks.intersection([.decodedOnce, .kept]).union(.finished))
    objects.append(Finished(object: object, type: type, uid: uid, former: former))
    return slot.marks.contains(.awaited) ? slot.link : nil
  }

  /// Counts a deferred reference.
  mutating func countDeferred() { deferredCount &+= 1 }

  /// Notes who waits for an object that is in progress. Returns who waited before, if somebody did.
  mutating func setAwaited(_ uid: UInt32, by link: UInt32) -> UInt32? {
    let slot = slots[Int(uid)]
    slots[Int(uid)].link = link
    slots[Int(uid)].marks.insert(.awaited)
    return slot.marks.contains(.awaited) ? slot.link : nil
  }

  /// Ends the innermost object, which became a value. Returns whether it should be kept, and who waits.
  @inline(__always)
  mutating func close(value uid: UInt32) -> (keep: Bool, awaitedBy: UInt32?) {
    let isLarge = scopes[innermost].isLarge
    leave()
    let slot = slots[Int(uid)]
    let keep = isLarge || slot.marks.contains(.decodedOnce)
    slots[Int(uid)].marks = keep ? [.decodedOnce, .kept] : .decodedOnce
    if slot.marks.contains(.remade) { restoreFormer(uid) }
    return (keep, slot.marks.contains(.awaited) ? slot.link : nil)
  }

  /// Makes the instance that an object became before it was decoded as another type its latest one again.
  private mutating func restoreFormer(_ uid: UInt32) {
    guard let former = formerPlaces.removeValue(forKey: uid), former > 0 else { return }
    slots[Int(uid)].link = former - 1
    slots[Int(uid)].marks.insert(.finished)
  }

  /// What an object that failed leaves behind.
  struct Remains {
    /// The instances that were finished inside of it. They may lack references that were to be delivered to them, so they
    /// are made again when they are requested again. Release them when no access to the state is open.
    var objects: [Finished]
    /// The number of the first reference that was deferred inside of it; nil if none was.
    var firstDeferred: UInt32?
  }

  /// Ends the innermost object, of which nothing became, and forgets what was decoded inside of it.
  mutating func abandon(_ uid: UInt32) -> Remains {
    // An error may have left scopes of collections behind.
    while let last = scopes.last, last.kind != .object, scopes.count > 1 { scopes.removeLast() }
    let scope = scopes[innermost]
    leave()
    let slot = slots[Int(uid)]
    slots[Int(uid)].marks = slot.marks.intersection([.decodedOnce, .kept])
    if slot.marks.contains(.remade) { restoreFormer(uid) }
    return remains(since: scope)
  }

  /// Forgets what was decoded in the outermost call, which failed.
  mutating func abandonCall() -> Remains { remains(since: scopes[0]) }

  private mutating func remains(since scope: Scope) -> Remains {
    Remains(
      objects: takeObjects(from: Int(scope.firstObject)),
      firstDeferred: scope.firstDeferred == deferredCount ? nil : scope.firstDeferred)
  }

  // Errors are made out of line, so that the paths above stay short, and by methods that may change the state, for which it
  // is not copied to the stack.

  @inline(never)
  private mutating func cycle(_ uid: UInt32) -> KeyedArchiveError {
    KeyedArchiveError(
      .cycle, "object #\(uid) is asked for while it is being decoded", keyPath: keyPath(),
      uid: ArchiveUID(rawValue: uid),
      remedy: "Decode the reference that closes the cycle with the deferred form: "
        + "decodeObject(of: T.self, forKey: key) { value in self.property = value }")
  }

  @inline(never)
  private mutating func tooDeep(_ uid: UInt32) -> KeyedArchiveError {
    KeyedArchiveError(
      .limitReached, "objects nest deeper than \(source.maximumDepth) levels", keyPath: keyPath(),
      uid: ArchiveUID(rawValue: uid),
      remedy: "Decode long chains with the deferred form of decodeObject, or raise ReadLimits.maximumDepth")
  }

  @inline(never)
  private mutating func outOfStack(_ uid: UInt32, _ depth: Int) -> KeyedArchiveError {
    KeyedArchiveError(
      .limitReached, "objects nest deeper than the \(depth) levels for which the stack of this thread has room",
      keyPath: keyPath(), uid: ArchiveUID(rawValue: uid),
      remedy: "Decode on a thread with a larger stack, or decode long chains with the deferred form of decodeObject")
  }

  @inline(never)
  private mutating func withoutClass(_ uid: UInt32, _ entry: BinaryItem) -> KeyedArchiveError {
    KeyedArchiveError(
      .damagedArchive, "object #\(uid) is a dictionary without a '$class'", keyPath: keyPath(),
      uid: ArchiveUID(rawValue: uid), byteOffset: entry.content - 1)
  }
}
