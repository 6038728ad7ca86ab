// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

/// The key sequences of the archive's objects, each decoded once.
///
/// Objects of one class refer to the same key strings in the same order. So a dictionary is recognised by comparing its
/// key references, a few bytes, with those of one that was met before; then its keys are known without being read.
struct KeyLayoutCache: ~Copyable {
  struct Shape {
    /// Where the key references of the first dictionary of this shape lie.
    var content: Int
    var count: Int
    /// Where the names begin in ``KeyLayoutCache/names``.
    var firstName: Int
    /// Which of the keys is `$class`; -1 if none is.
    var classPosition: Int
    /// Whether a key is long enough to have more combining marks in a row than may be hashed by Swift's rules.
    var mayHaveLongMarks = false
    /// The shape that was in its bucket before; -1 if none was.
    var next: Int32
  }

  struct Name {
    /// The key as users say it: without the escape that a leading `$` has in the file.
    var text: String
    /// Whether it is one of the archiver's own, `$class` or `$0`, that no user's key can be.
    var isRaw: Bool
    var isASCII: Bool
    /// Where ``KeyLayoutCache/markChecks`` says whether it may be hashed by Swift's rules; -1 if it may for certain.
    var markCheck: Int32 = -1

    @inline(__always)
    var isPlainASCII: Bool { isASCII && !isRaw }
  }

  private struct NumberedKeys: Hashable {
    var shape: Int
    var prefix: String
  }

  private static let fewBuckets = 8
  private static let manyBuckets = 256

  private(set) var shapes: TrivialArray<Shape>
  private(set) var names: [Name] = []
  /// For each key, the position of the one that was asked for after it the last time. Keys are stored in the order of a
  /// hash table but asked for in the order of an initialiser, which is the same for all objects of a class.
  private var successors: TrivialArray<Int32>
  private var buckets: TrivialArray<Int32>
  /// Keys that are so long that to decode them again for each shape would cost too much.
  private var longNames: [UInt32: Name] = [:]
  /// Rows may share the bytes of a long key.
  private var room: ExpansionBudget?
  /// For each key that is long and not ASCII whether its runs of combining marks are bounded; nil if nobody asked yet.
  private var markChecks: [Bool?] = []
  private var indexes: [Int: [BytewiseString: Int32]] = [:]
  /// How many keys of a shape begin with a prefix: any number of objects may have one shape, with any number of keys.
  private var numberedCounts: [NumberedKeys: Int] = [:]
  /// For each of the first shapes the key that it was found not to have last; only ASCII, which compares at a glance.
  private var absentKeys: [String] = []

  /// The last few keys that a shape was found not to have, for messages.
  private(set) var lastAbsent: [(shape: Int, key: String)] = []
  private var nextAbsent = 0

  /// A cache whose first shapes are kept in a block.
  init(from block: inout SmallArena) {
    shapes = TrivialArray(4, from: &block)
    successors = TrivialArray(16, from: &block)
    buckets = TrivialArray(repeating: -1, count: KeyLayoutCache.fewBuckets, from: &block)
    // What the top level and one class take.
    names.reserveCapacity(8)
  }

  /// The shape of a dictionary.
  @inline(__always)
  mutating func shape(of item: BinaryItem, in source: borrowing ArchiveSource) throws(KeyedArchiveError) -> Int {
    let width = source.table.referenceWidth
    let size = item.count &* width
    let bucket = hash(item, size, source.bytes.span)
    var known = Int(buckets[bucket])
    var tries = 8
    while known >= 0, tries > 0 {
      // Dictionaries may share their bytes; those need not be compared.
      if shapes[known].count == item.count,
        shapes[known].content == item.content
          || source.bytes.span.areEqual(at: item.content, and: shapes[known].content, count: size)
      {
        return known
      }
      known = Int(shapes[known].next)
      tries &-= 1
    }
    return try add(item, bucket, source)
  }

  @inline(__always)
  private func hash(_ item: BinaryItem, _ size: Int, _ bytes: Span<UInt8>) -> Int {
    guard size > 0 else { return 0 }
    let first = Int(bytes[item.content &+ min(size, 4) &- 1])
    let last = Int(bytes[item.content &+ size &- 1])
    return (first &* 31 &+ last &* 7 &+ item.count) & (buckets.count &- 1)
  }

  @inline(never)
  private mutating func add(
    _ item: BinaryItem, _ bucket: Int, _ source: borrowing ArchiveSource
  ) throws(KeyedArchiveError) -> Int {
    var bucket = bucket
    if shapes.count == 2 * KeyLayoutCache.fewBuckets, buckets.count == KeyLayoutCache.fewBuckets {
      spread(source)
      bucket = hash(item, item.count &* source.table.referenceWidth, source.bytes.span)
    }
    var shape = Shape(
      content: item.content, count: item.count, firstName: names.count, classPosition: -1, next: buckets[bucket])
    for place in 0..<item.count {
      let name = try name(place, of: item, source)
      if name.isRaw, shape.classPosition < 0, name.text == "$class" { shape.classPosition = place }
      if name.markCheck >= 0 { shape.mayHaveLongMarks = true }
      names.append(name)
      successors.append(0)
    }
    // One more, for what is asked for first.
    names.append(Name(text: "", isRaw: true, isASCII: true))
    successors.append(0)
    shapes.append(shape)
    buckets[bucket] = Int32(truncatingIfNeeded: shapes.count - 1)
    return shapes.count - 1
  }

  /// Puts the shapes into more buckets.
  private mutating func spread(_ source: borrowing ArchiveSource) {
    let bytes = source.bytes
    buckets = TrivialArray(repeating: -1, count: KeyLayoutCache.manyBuckets)
    for place in 0..<shapes.count {
      let item = BinaryItem(kind: .dictionary, count: shapes[place].count, content: shapes[place].content)
      let bucket = hash(item, item.count &* source.table.referenceWidth, bytes.span)
      shapes[place].next = buckets[bucket]
      buckets[bucket] = Int32(truncatingIfNeeded: place)
    }
  }

  private mutating func name(
    _ place: Int, of item: BinaryItem, _ source: borrowing ArchiveSource
  ) throws(KeyedArchiveError) -> Name {
    let ref: ObjectRef
    let key: BinaryItem
    do {
      ref = try source.table.element(place, of: item, in: source.bytes.span)
      if !longNames.isEmpty, let known = longNames[ref.rawValue] { return known }
      key = try source.table.item(ref, in: source.bytes.span)
    } catch {
      throw KeyedArchiveError(error)
    }
    guard key.kind == .ascii || key.kind == .utf16 else {
      throw KeyedArchiveError(
        .damagedPropertyList, "a dictionary key must be a string, found kind \(key.kind.name)",
        byteOffset: key.content - 1)
    }
    var room = room ?? source.room
    guard room.take(key.weight) else { throw source.tooLarge() }
    self.room = room
    let stored = try source.string(key)
    var name = Name(text: stored, isRaw: false, isASCII: key.kind == .ascii)
    if stored.utf8.first == UInt8(ascii: "$") {
      name.isRaw = stored.utf8.dropFirst().first != UInt8(ascii: "$")
      if !name.isRaw { name.text = String(stored.dropFirst()) }
    }
    if !name.isASCII, !name.isRaw, name.text.utf8.count > 2 * MarkRun.longest {
      name.markCheck = Int32(truncatingIfNeeded: markChecks.count)
      markChecks.append(nil)
    }
    if key.count > 32 { longNames[ref.rawValue] = name }
    return name
  }

  /// The position of a key, looked for first where it was found last time after `previous` was asked for, which is -1
  /// for an object's first key. Returns -1 if the shape has it not.
  @inline(__always)
  mutating func position(of key: String, in shape: Int, after previous: Int) -> Int {
    let facts = shapes[shape]
    let memo = facts.firstName &+ (previous < 0 ? facts.count : previous)
    let expected = Int(successors[memo])
    let place = facts.firstName &+ expected
    if names[place].isPlainASCII, names[place].text.isSameASCII(as: key) { return expected }
    let found = search(key, shape)
    if found >= 0 { successors[memo] = Int32(truncatingIfNeeded: found) }
    return found
  }

  @inline(never)
  private mutating func search(_ key: String, _ shape: Int) -> Int {
    let facts = shapes[shape]
    if shape < absentKeys.count, absentKeys[shape].isSameASCII(as: key), !key.isEmpty { return -1 }
    if facts.count > 16 {
      if let position = index(of: shape)[BytewiseString(key)] { return Int(position) }
      noteAbsent(key, shape)
      return -1
    }
    for position in 0..<facts.count {
      let name = names[facts.firstName + position]
      if !name.isRaw, name.text.hasSameBytes(as: key) {
        // The caller's own literal compares at a glance the next time.
        names[facts.firstName + position].text = key
        return position
      }
    }
    noteAbsent(key, shape)
    guard key.utf8.span.isASCII else { return -1 }
    while absentKeys.count <= shape { absentKeys.append("") }
    absentKeys[shape] = key
    return -1
  }

  private mutating func noteAbsent(_ key: String, _ shape: Int) {
    for known in lastAbsent where known.shape == shape && known.key.hasSameBytes(as: key) { return }
    if lastAbsent.count < 8 { return lastAbsent.append((shape, key)) }
    lastAbsent[nextAbsent] = (shape, key)
    nextAbsent = (nextAbsent + 1) % 8
  }

  /// A key of a shape that has more combining marks in a row than may be hashed by Swift's rules; nil if none has. Each
  /// key is looked at once, however many shapes have it.
  mutating func unhashableKey(of shape: Int) -> String? {
    guard shapes[shape].mayHaveLongMarks else { return nil }
    let facts = shapes[shape]
    for name in names[facts.firstName..<facts.firstName + facts.count] where name.markCheck >= 0 {
      let check = Int(name.markCheck)
      let isBounded = markChecks[check] ?? MarkRun.isBounded(name.text)
      markChecks[check] = isBounded
      guard isBounded else { return name.text }
    }
    shapes[shape].mayHaveLongMarks = false
    return nil
  }

  /// The position of one of the archiver's own keys.
  mutating func position(ofRaw key: String, in shape: Int) -> Int {
    let facts = shapes[shape]
    // Values without keys are among them, as many as their object likes.
    if facts.count > 16 { return Int(index(of: shape, isRaw: true)[BytewiseString(key)] ?? -1) }
    return (0..<facts.count).first {
      names[facts.firstName + $0].isRaw && names[facts.firstName + $0].text == key
    } ?? -1
  }

  /// Returns how many of the users' keys of a shape begin with a prefix. They are counted once.
  mutating func countKeys(withPrefix prefix: String, in shape: Int) -> Int {
    let question = NumberedKeys(shape: shape, prefix: prefix)
    if let known = numberedCounts[question] { return known }
    let facts = shapes[shape]
    let count = names[facts.firstName..<facts.firstName + facts.count].count {
      !$0.isRaw && $0.text.hasBytePrefix(prefix)
    }
    numberedCounts[question] = count
    return count
  }

  private mutating func index(of shape: Int, isRaw: Bool = false) -> [BytewiseString: Int32] {
    let number = 2 * shape + (isRaw ? 1 : 0)
    if let index = indexes[number] { return index }
    let facts = shapes[shape]
    var index: [BytewiseString: Int32] = [:]
    for position in (0..<facts.count).reversed() where names[facts.firstName + position].isRaw == isRaw {
      index[BytewiseString(names[facts.firstName + position].text)] = Int32(position)
    }
    indexes[number] = index
    return index
  }
}

extension KeyLayoutCache.Name {
  /// The key as it stands in the file.
  fileprivate var stored: String { isRaw || text.utf8.first != UInt8(ascii: "$") ? text : "$" + text }
}

extension UnarchiverState {
  /// The key at a place of a shape, as it stands in the file.
  package func storedKey(_ place: Int, ofShape shape: Int) -> String {
    shapes.names[shapes.shapes[shape].firstName + place].stored
  }

  /// The place of `$class` among the keys of a shape; negative if it is not there.
  package func classPosition(ofShape shape: Int) -> Int { shapes.shapes[shape].classPosition }
}
