// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// Everything a decoder keeps between calls.
///
/// Nothing is parsed ahead: each reference is followed when it is asked for, from the object's number to its bytes, and
/// checked on the way. An object is opened, then its initialiser runs with the object as the innermost scope, then it is
/// closed; between these two no access to the state is open.
struct UnarchiverState {
  /// What is known of one element of `$objects`.
  struct Slot {
    /// The finished instance of a class.
    var object: AnyObject?
    /// The number of its class record; 0 until it was looked at.
    var classUID: UInt32 = 0
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
  }

  /// May an object with this class record stand where this type is asked for?
  struct Question: Hashable {
    var classUID: UInt32
    var request: ObjectIdentifier
  }

  struct Verdict {
    /// The type to make, where it is not the one that was asked for.
    var substitute: (any KeyedCoding.Type)?
    /// Whether the delegate or the type wants to see, and perhaps replace, what was decoded.
    var isWatched: Bool
  }

  /// What becomes of a reference.
  enum Opening {
    /// It is nil.
    case null
    /// It leads to a bare string, number, boolean or data.
    case bare(BinaryItem)
    /// The class record must be judged first, by ``KeyedUnarchiver/judge(_:for:)``.
    case unjudged(classUID: UInt32)
    /// Another type is to be made.
    case substitute(any KeyedCoding.Type)
    /// It is finished.
    case finished(AnyObject)
    /// It is the innermost scope now.
    case opened(isWatched: Bool)
  }

  let source: ArchiveSource
  var slots: [Slot]
  var scopes: [Scope] = []
  var shapes = ShapeCache()
  private var verdicts: [Question: Verdict] = [:]
  /// The questions asked last, by some of their bits: objects of a few classes take turns.
  private var recent = [(question: Question?, verdict: Verdict)](
    repeating: (nil, Verdict(substitute: nil, isWatched: false)), count: 16)
  /// How many objects are being decoded within each other.
  private(set) var depth = 0
  /// Whether deferred references are being worked off, whose objects no key leads to.
  var isDetached = false
  var failure: KeyedArchiveError?
  /// What may yet be made of the archive in the call that is being served.
  private var room: ExpansionRoom
  /// The top-level keys that were asked for since there was that much room, by their places.
  private var askedFor: Set<Int> = []
  private var keepsRoom = false
  /// Whether the rules of what may come out were changed since objects were decoded.
  private var isStale = false

  init(_ source: ArchiveSource) throws(KeyedArchiveError) {
    self.source = source
    room = source.room
    slots = [Slot](repeating: Slot(), count: source.objectCount)
    let shape = try shapes.shape(of: source.envelope.top, in: source)
    scopes.append(Scope(kind: .top, uid: 0, shape: shape, item: source.envelope.top))
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

  /// Begins to serve a caller's outermost call.
  mutating func beginCall() {
    if isStale { forgetObjects() }
    guard !keepsRoom else { return }
    // A caller who asks for the same top-level key again wants it made again; then there is as much room as at first.
    // The file cannot bring that about, however many keys it has.
    guard let place = scopes.first?.current, !askedFor.insert(place).inserted else { return }
    askedFor = [place]
    room = source.room
  }

  /// Serves a call that decodes many objects, each as if it were the outermost.
  mutating func beginCallOfMany() {
    room = source.room
    keepsRoom = true
  }

  mutating func endCallOfMany() { keepsRoom = false }

  /// Forgets what was decoded, for it was under other rules: what it holds may not come out under those of now.
  private mutating func forgetObjects() {
    isStale = false
    for index in slots.indices {
      slots[index].object = nil
      slots[index].marks = []
    }
  }
}

// MARK: Values of the innermost scope

extension UnarchiverState {
  /// Where the value for a key lies; nil if there is none.
  @inline(__always)
  mutating func value(forKey key: String) throws(KeyedArchiveError) -> BinaryItem? {
    let scope = innermost
    let position = shapes.position(of: key, in: scopes[scope].shape, after: scopes[scope].current)
    guard position >= 0 else { return nil }
    scopes[scope].current = position
    return try source.element(scopes[scope].item.count &+ position, of: scopes[scope].item)
  }

  /// Where the value for one of the archiver's own keys lies.
  mutating func value(forRawKey key: String) throws(KeyedArchiveError) -> BinaryItem? {
    let scope = innermost
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

  @inline(__always)
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
  @inline(__always)
  mutating func number(forKey key: String) throws(KeyedArchiveError) -> BinaryItem? {
    guard let item = try value(forKey: key) else { return nil }
    guard item.kind == .uid else { return item }
    let uid = try source.uid(item)
    guard uid != 0 else { return nil }
    let entry = try source.entry(uid)
    return source.isNull(entry) ? nil : entry
  }
}

// MARK: Opening and closing objects

extension UnarchiverState {
  /// Follows a reference, for a request that only says yes to objects whose class record it knows.
  @inline(__always)
  mutating func open(_ uid: UInt32, for request: ObjectIdentifier) throws(KeyedArchiveError) -> Opening {
    guard uid != 0 else { return .null }
    let index = Int(uid)
    let classUID = slots[index].classUID
    var item: BinaryItem?
    var shape = -1
    if classUID == 0 {
      let entry = try source.entry(uid)
      guard entry.kind == .dictionary else { return source.isNull(entry) ? .null : .bare(entry) }
      shape = try readClass(of: uid, entry)
      item = entry
    }
    let question = Question(classUID: slots[index].classUID, request: request)
    let place = (Int(question.classUID) ^ Int(bitPattern: request) >> 4) & (recent.count &- 1)
    if recent[place].question != question {
      guard let verdict = verdicts[question] else { return .unjudged(classUID: question.classUID) }
      recent[place] = (question, verdict)
    }
    if let substitute = recent[place].verdict.substitute { return .substitute(substitute) }
    if let object = slots[index].object { return .finished(object) }
    if slots[index].marks.contains(.inProgress) { throw cycle(uid) }
    guard depth < source.limits.maximumDepth else { throw tooDeep(uid) }
    let entry: BinaryItem
    if let item {
      entry = item
    } else {
      entry = try source.entry(uid)
      shape = try shapes.shape(of: entry, in: source)
    }
    // Objects may share their bytes, and with them their many keys.
    if entry.count > 16 { try spend(entry.weight) }
    depth &+= 1
    scopes.append(Scope(kind: .object, uid: uid, shape: shape, item: entry))
    slots[index].marks.insert(.inProgress)
    return .opened(isWatched: recent[place].verdict.isWatched)
  }

  /// The number of the class record of an object; nil for nil and for bare values.
  mutating func classUID(of uid: UInt32) throws(KeyedArchiveError) -> UInt32? {
    if slots[Int(uid)].classUID == 0 {
      let entry = try source.entry(uid)
      guard entry.kind == .dictionary else { return nil }
      _ = try readClass(of: uid, entry)
    }
    return slots[Int(uid)].classUID
  }

  func isJudged(_ classUID: UInt32, for request: ObjectIdentifier) -> Bool {
    verdicts[Question(classUID: classUID, request: request)] != nil
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

  /// Keeps the answer to a question. The answer to another one is forgotten when a name is mapped differently.
  mutating func settle(_ question: Question, _ verdict: Verdict) { verdicts[question] = verdict }

  mutating func forgetVerdicts() {
    if !verdicts.isEmpty { isStale = true }
    verdicts = [:]
    for place in recent.indices { recent[place].question = nil }
  }

  @inline(__always)
  private mutating func leave() {
    scopes.removeLast()
    depth &-= 1
  }

  /// Ends the innermost object, which became the instance of a class. Returns whether somebody waits for it.
  @inline(__always)
  mutating func close(_ uid: UInt32, _ object: AnyObject) -> Bool {
    leave()
    let isAwaited = slots[Int(uid)].marks.contains(.awaited)
    slots[Int(uid)].object = object
    slots[Int(uid)].marks = []
    return isAwaited
  }

  /// Ends the innermost object, which became a value. Returns whether it should be kept, and whether somebody waits.
  @inline(__always)
  mutating func close(value uid: UInt32) -> (keep: Bool, isAwaited: Bool) {
    let isLarge = scopes[innermost].isLarge
    leave()
    let marks = slots[Int(uid)].marks
    let keep = isLarge || marks.contains(.decodedOnce)
    slots[Int(uid)].marks = keep ? [.decodedOnce, .kept] : .decodedOnce
    return (keep, marks.contains(.awaited))
  }

  /// Ends the innermost object, of which nothing became.
  mutating func abandon(_ uid: UInt32) {
    // An error may have left scopes of collections behind.
    while scopes.last?.kind != .object { scopes.removeLast() }
    leave()
    slots[Int(uid)].marks.remove(.inProgress)
  }

  // Errors are made out of line, so that the paths above stay short.

  @inline(never)
  private func cycle(_ uid: UInt32) -> KeyedArchiveError {
    KeyedArchiveError(
      .cycle, "object #\(uid) is asked for while it is being decoded", keyPath: keyPath(),
      uid: ArchiveUID(rawValue: uid),
      remedy: "Decode the reference that closes the cycle with the deferred form: "
        + "decodeObject(of: T.self, forKey: key) { value in self.property = value }")
  }

  @inline(never)
  private func tooDeep(_ uid: UInt32) -> KeyedArchiveError {
    KeyedArchiveError(
      .limitReached, "objects nest deeper than \(source.limits.maximumDepth) levels", keyPath: keyPath(),
      uid: ArchiveUID(rawValue: uid),
      remedy: "Decode long chains with the deferred form of decodeObject, or raise ReadLimits.maximumDepth")
  }

  @inline(never)
  private func withoutClass(_ uid: UInt32, _ entry: BinaryItem) -> KeyedArchiveError {
    KeyedArchiveError(
      .damagedArchive, "object #\(uid) is a dictionary without a '$class'", keyPath: keyPath(),
      uid: ArchiveUID(rawValue: uid), byteOffset: entry.content - 1)
  }
}

// MARK: Where we are

extension UnarchiverState {
  /// The way to the value that was asked for last, such as `root.creatures[3].Title`.
  func keyPath() -> String { ArchivePathStep.text(codingPath(withLastKey: true)) ?? "$top" }

  /// The way to the value that was asked for last, or to the object that is being decoded.
  func codingPath(withLastKey: Bool) -> [any CodingKey] {
    var path: [ArchivePathStep] = []
    for (place, scope) in scopes.enumerated() {
      switch scope.kind {
      case .top: path.append(ArchivePathStep(.start, scope.current >= 0 ? name(scope) : "$top"))
      case .object:
        // Deferred objects are decoded from the top level, whatever key was asked for there last.
        if place == 1, isDetached { path = [ArchivePathStep(.start, "\(ArchiveUID(rawValue: scope.uid))")] }
        let isCollection = place + 1 < scopes.count && scopes[place + 1].kind != .object
        if !withLastKey, place == innermost { break }
        if scope.current >= 0, !isCollection { path.append(ArchivePathStep(.key, name(scope))) }
      case .elements: path.append(ArchivePathStep(index: scope.current))
      case .keys: path += [ArchivePathStep(.key, "NS.keys"), ArchivePathStep(index: scope.current)]
      case .values:
        if let key = key(scope.current, of: scopes[place - 1]) {
          path.append(ArchivePathStep(.entry, key))
        } else {
          path += [ArchivePathStep(.key, "NS.objects"), ArchivePathStep(index: scope.current)]
        }
      }
    }
    return path
  }

  /// The text of a dictionary's key, if it is a string.
  private func key(_ place: Int, of dictionary: Scope) -> String? {
    let shape = shapes.shapes[dictionary.shape]
    let names = shapes.names[shape.firstName..<shape.firstName + shape.count]
    guard let position = names.firstIndex(where: { $0.text == "NS.keys" }) else { return nil }
    let value = dictionary.item.count + position - shape.firstName
    guard let keys = try? source.element(value, of: dictionary.item), keys.kind == .array, place < keys.count,
      let reference = try? source.element(place, of: keys), let uid = try? source.uid(reference),
      let entry = try? source.entry(uid), entry.kind == .ascii || entry.kind == .utf16
    else { return nil }
    return try? source.string(entry)
  }

  /// The way to a value of the innermost scope that was not found.
  func keyPath(to key: String) -> String {
    var state = self
    state.scopes[innermost].current = -1
    return state.keyPath() + "." + key
  }

  /// The keys of `$top`.
  var topLevelKeys: [String] {
    guard let top = scopes.first else { return [] }
    let shape = shapes.shapes[top.shape]
    return shapes.names[shape.firstName..<shape.firstName + shape.count].map(\.text)
  }

  private func name(_ scope: Scope) -> String {
    shapes.names[shapes.shapes[scope.shape].firstName + scope.current].text
  }
}
