// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) package import PropertyListFormat

/// The key layouts of the archive's objects. The cache decodes each layout once.
///
/// Objects of one class refer to the same key strings in the same order. Therefore the cache recognizes a dictionary by
/// its key references, a few bytes, which equal those of an earlier one. It does not read the keys again.
struct KeyLayoutCache: ~Copyable {
  private struct NumberedKeys: Hashable {
    var layout: Int
    var prefix: String
  }

  private static let classKey = Name(text: "$class", isRaw: true, isASCII: true)
  private static let rootKey = Name(text: "root", isRaw: false, isASCII: true)
  private static let fewBuckets = 8
  private static let manyBuckets = 256

  private(set) var layouts: TrivialArray<KeyLayout>
  /// The keys of ``layouts``; after ``nameCount`` keys, those of ``formerLayouts``.
  private(set) var names: [Name] = []
  private var nameCount = 0
  /// The layouts of the archive that was decoded before with this cache.
  ///
  /// Archives of one program mostly have equal layouts. A key with the same bytes at the same place needs no new string,
  /// and the predictions of an equal layout hold again.
  private var formerLayouts: TrivialArray<KeyLayout>
  /// For each key of a layout, the position of the key that was requested next last time.
  ///
  /// Keys are stored in hash-table order but requested in the order of an initializer. That order is the same for all
  /// objects of a class, so the prediction usually hits.
  private var successors: TrivialArray<Int32>
  private var buckets: TrivialArray<Int32>
  /// The layouts since one found its bucket full, by the hash of their key references.
  private var overflow: [Int: Int] = [:]
  /// The layouts of dictionaries with one of these layouts, by their offsets.
  private var overflowOffsets: [Int: Int] = [:]
  /// The number of layouts in a bucket, and of comparisons for an object.
  private static let bucketSize = 8
  /// Long keys by their object indexes, because decoding them again for each layout would cost too much.
  private var longNames: [UInt32: Name] = [:]
  /// Of ``longNames``, those with an escaped `$`, as the file stores them.
  private var longEscapedKeys: [UInt32: String] = [:]
  /// The budget for keys, because overlapping objects can share the bytes of a long key.
  private var budget: ExpansionBudget?
  /// For each long non-ASCII key, whether its runs of combining marks are bounded; nil if unknown.
  private var markChecks: [Bool?] = []
  private var indexes: [Int: [IndexedKey: Int32]] = [:]
  /// The number of a layout's keys with a prefix. It is cached, because many objects can share one layout with many
  /// keys.
  private var numberedCounts: [NumberedKeys: Int] = [:]

  /// The most recent requests for absent keys. Messages name them.
  private var absentKeys = RecentAbsentKeys()

  /// Whether each request is to be tracked. Then no key is predicted, and ``position(of:in:after:)`` finds none at once.
  var isTracking = false {
    didSet {
      for index in 0..<layouts.count {
        let layout = layouts[index]
        for memo in layout.firstName...layout.firstName + layout.count { successors[memo] = unpredicted(layout.count) }
      }
    }
  }

  /// The prediction for a layout whose keys were not requested yet. The entry after the keys equals no key.
  private func unpredicted(_ count: Int) -> Int32 { isTracking ? Int32(truncatingIfNeeded: count) : 0 }

  /// Creates a cache that stores its first layouts in an arena.
  init(from block: inout SmallArena) {
    layouts = TrivialArray(4, from: &block)
    formerLayouts = TrivialArray(4, from: &block)
    successors = TrivialArray(16, from: &block)
    buckets = TrivialArray(repeating: -1, count: KeyLayoutCache.fewBuckets, from: &block)
    names.reserveCapacity(8)
  }

  /// Whether the cache for another archive would keep little memory, and nothing in it is particular to this archive.
  var isReusable: Bool {
    nameCount <= 64 && layouts.count <= 2 * Self.fewBuckets && buckets.count == Self.fewBuckets && !isTracking
      && overflow.isEmpty && longNames.isEmpty && markChecks.isEmpty && indexes.isEmpty && numberedCounts.isEmpty
  }

  /// Removes all layouts. Their keys remain, to be compared with those of the next archive.
  mutating func prepareForReuse() {
    swap(&layouts, &formerLayouts)
    layouts.removeAll()
    // Longer keys were those of an archive before.
    if names.count > nameCount {
      names.removeSubrange(nameCount...)
      successors.removeAll(from: nameCount)
    }
    nameCount = 0
    buckets.refill(-1, count: Self.fewBuckets)
    budget = nil
    absentKeys.removeAll()
  }

  /// Returns the index of a dictionary's layout.
  @inline(__always)
  mutating func layout(of item: BinaryItem, in source: borrowing ArchiveSource) throws(KeyedArchiveError) -> Int {
    let width = source.table.referenceWidth
    let size = item.count &* width
    let bucket = hash(item, size, source.bytes.span)
    var known = Int(buckets[bucket])
    var tries = Self.bucketSize
    while known >= 0, tries > 0 {
      // Overlapping dictionaries need no comparison.
      if layouts[known].count == item.count,
        layouts[known].content == item.content
          || source.bytes.span.areEqual(at: item.content, and: layouts[known].content, count: size)
      {
        return known
      }
      known = Int(layouts[known].next)
      tries &-= 1
    }
    return try tries > 0 && overflow.isEmpty ? add(item, bucket, source) : overflowing(item, source)
  }

  /// Returns the index of a dictionary's layout if its bucket, or that of an earlier layout, is full.
  @inline(never)
  private mutating func overflowing(
    _ item: BinaryItem, _ source: borrowing ArchiveSource
  ) throws(KeyedArchiveError) -> Int {
    if let known = overflowOffsets[item.content], layouts[known].count == item.count { return known }
    let size = item.count &* source.table.referenceWidth
    var budget = budget ?? source.budget
    // Overlapping dictionaries can share all their bytes.
    guard budget.take(Int64(size)) else { throw source.tooLarge() }
    self.budget = budget
    let bytes = source.bytes.span
    var hasher = Hasher()
    for offset in item.content..<item.content + size { hasher.combine(bytes[offset]) }
    let hash = hasher.finalize()
    var index = overflow[hash] ?? -1
    if index < 0 || layouts[index].count != item.count
      || !bytes.areEqual(at: item.content, and: layouts[index].content, count: size)
    {
      index = try add(item, nil, source)
      overflow[hash] = index
    }
    overflowOffsets[item.content] = index
    return index
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
    _ item: BinaryItem, _ bucket: Int?, _ source: borrowing ArchiveSource
  ) throws(KeyedArchiveError) -> Int {
    var bucket = bucket
    if layouts.count == 2 * KeyLayoutCache.fewBuckets, buckets.count == KeyLayoutCache.fewBuckets {
      spread(source)
      if bucket != nil { bucket = hash(item, item.count &* source.table.referenceWidth, source.bytes.span) }
    }
    var layout = KeyLayout(
      content: item.content, count: item.count, firstName: nameCount, classPosition: -1,
      next: bucket.map { buckets[$0] } ?? -1)
    let former = layouts.count < formerLayouts.count ? formerLayouts[layouts.count] : nil
    var isKnown = former?.firstName == nameCount && former?.count == item.count && !isTracking
    do {
      for position in 0..<item.count {
        let (key, row) = try key(position, of: item, source)
        if isKnown, isName(layout.firstName + position, key, source) {
          nameCount += 1
          if former?.classPosition == position { layout.classPosition = position }
          continue
        }
        if isKnown {
          // The predictions hold for equal layouts only.
          isKnown = false
          for index in layout.firstName..<nameCount { successors[index] = unpredicted(item.count) }
        }
        let name = try name(of: key, row, source)
        if name.isRaw, layout.classPosition < 0, name.text == "$class" { layout.classPosition = position }
        if name.markCheck >= 0 { layout.mayHaveLongMarks = true }
        append(name, unpredicted(item.count))
      }
    } catch {
      // Otherwise, each request for a damaged object would add its keys again.
      nameCount = layout.firstName
      // Names of the former layouts are overwritten.
      formerLayouts.removeAll()
      throw error
    }
    // An additional entry predicts the first key that is requested.
    if isKnown { nameCount += 1 } else { append(Name(text: "", isRaw: true, isASCII: true), unpredicted(item.count)) }
    layouts.append(layout)
    if let bucket { buckets[bucket] = Int32(truncatingIfNeeded: layouts.count - 1) }
    return layouts.count - 1
  }

  /// Appends a key to those of the current layouts.
  private mutating func append(_ name: Name, _ successor: Int32) {
    if nameCount < names.count {
      names[nameCount] = name
      successors[nameCount] = successor
    } else {
      names.append(name)
      successors.append(successor)
    }
    nameCount += 1
  }

  /// Returns whether an ASCII string in the file is the same key as a former name.
  private func isName(_ index: Int, _ key: BinaryItem, _ source: borrowing ArchiveSource) -> Bool {
    guard names[index].isASCII, key.count > 0, source.isText(key, names[index].text) else { return false }
    // In the file, a dollar sign is the beginning of a raw key or the escape of another one.
    return !names[index].isEscaped
  }

  /// Increases the number of buckets.
  private mutating func spread(_ source: borrowing ArchiveSource) {
    let bytes = source.bytes
    buckets = TrivialArray(repeating: -1, count: KeyLayoutCache.manyBuckets)
    // The first ones are first in their buckets, because later ones are in `overflow`.
    for index in (0..<layouts.count).reversed() {
      let item = BinaryItem(kind: .dictionary, count: layouts[index].count, content: layouts[index].content)
      let bucket = hash(item, item.count &* source.table.referenceWidth, bytes.span)
      layouts[index].next = buckets[bucket]
      buckets[bucket] = Int32(truncatingIfNeeded: index)
    }
  }

  /// Returns a key of a dictionary, and charges its cost.
  private mutating func key(
    _ position: Int, of item: BinaryItem, _ source: borrowing ArchiveSource
  ) throws(KeyedArchiveError) -> (BinaryItem, row: UInt32) {
    let ref: ObjectRef
    let key: BinaryItem
    do {
      ref = try source.table.element(position, of: item, in: source.bytes.span)
      key = try source.table.item(ref, in: source.bytes.span)
    } catch {
      throw KeyedArchiveError(error)
    }
    var budget = budget ?? source.budget
    if !longNames.isEmpty, longNames[ref.rawValue] != nil {
      guard budget.take(ExpansionBudget.element) else { throw source.tooLarge() }
      self.budget = budget
      return (key, ref.rawValue)
    }
    guard key.kind == .ascii || key.kind == .utf16 else {
      throw KeyedArchiveError(
        .damagedPropertyList, "invalid dictionary key: found a value of kind \(key.kind.name); expected a string",
        byteOffset: source.offset(of: key))
    }
    guard budget.take(key.weight) else { throw source.tooLarge() }
    self.budget = budget
    return (key, ref.rawValue)
  }

  private mutating func name(
    of key: BinaryItem, _ row: UInt32, _ source: borrowing ArchiveSource
  ) throws(KeyedArchiveError) -> Name {
    if !longNames.isEmpty, let known = longNames[row] { return known }
    // These keys are in nearly every archive, and need no new string.
    if key.count == 6, source.isText(key, Self.classKey.text) { return Self.classKey }
    if key.count == 4, source.isText(key, Self.rootKey.text) { return Self.rootKey }
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
    name.hash = IndexedKey.hash(of: name.text)
    if key.count > 32 || name.hash != 0 {
      longNames[row] = name
      if name.isEscaped { longEscapedKeys[row] = stored }
    }
    return name
  }

  /// The negative result of ``position(of:in:after:)``: the key is absent, or requests are tracked.
  struct UnpredictedPosition {
    let code: Int

    /// The position of a key whose request is to be tracked, or nil if the key is absent.
    var tracked: Int? { code < -1 ? -2 - code : nil }
  }

  /// Returns the position of a key. A negative result is the code of an ``UnpredictedPosition``.
  ///
  /// The search begins at the position that was requested after `previous` last time. For an object's first key,
  /// `previous` is -1.
  @inline(__always)
  mutating func position(of key: String, in layout: Int, after previous: Int) -> Int {
    let facts = layouts[layout]
    let memo = facts.firstName &+ (previous < 0 ? facts.count : previous)
    let expected = Int(successors[memo])
    let name = facts.firstName &+ expected
    if names[name].isPlainASCII, names[name].text.isSameASCII(as: key) { return expected }
    return unpredictedPosition(of: key, in: layout, memo)
  }

  @inline(never)
  private mutating func unpredictedPosition(of key: String, in layout: Int, _ memo: Int) -> Int {
    let found = search(key, layout)
    guard found >= 0 else { return -1 }
    guard !isTracking else { return -2 - found }
    successors[memo] = Int32(truncatingIfNeeded: found)
    return found
  }

  @inline(__always)
  private mutating func search(_ key: String, _ layout: Int) -> Int {
    let facts = layouts[layout]
    if facts.absent >= 0, absentKeys.isRequest(Int(facts.absent), key, layout) { return -1 }
    if facts.count > 16 {
      if let position = index(of: layout)[IndexedKey(key)] { return Int(position) }
      layouts[layout].absent = absentKeys.note(key, layout)
      return -1
    }
    for position in 0..<facts.count {
      let name = names[facts.firstName + position]
      if !name.isRaw, name.text.hasSameBytes(as: key) {
        // The next comparison with the caller's literal compares two words.
        names[facts.firstName + position].text = key
        return position
      }
    }
    layouts[layout].absent = absentKeys.note(key, layout)
    return -1
  }

  /// Records that a scope requested the key that was last found to be absent. Returns its mark.
  mutating func markAbsent(in scope: Int) -> UInt16 { absentKeys.mark(in: scope) }

  /// Returns the absent keys that a scope requested, of which `marks` are its marks.
  func absentKeys(_ marks: UInt16, of layout: Int, in scope: Int) -> [String] {
    absentKeys.keys(marks, of: layout, in: scope)
  }

  /// Returns a key of a layout whose runs of combining marks are too long to hash by Swift's rules, or nil.
  ///
  /// Each key is checked once, however many layouts contain it.
  mutating func unhashableKey(of layout: Int) -> String? {
    guard layout >= 0, layouts[layout].mayHaveLongMarks else { return nil }
    let facts = layouts[layout]
    for name in names[facts.firstName..<facts.firstName + facts.count] where name.markCheck >= 0 {
      let check = Int(name.markCheck)
      let isBounded = markChecks[check] ?? MarkRun.isBounded(name.text)
      markChecks[check] = isBounded
      guard isBounded else { return name.text }
    }
    layouts[layout].mayHaveLongMarks = false
    return nil
  }

  /// Returns the position of a key, or of one of the archiver's own keys; -1 if it is absent. The request is not tracked.
  mutating func position(of key: String, isRaw: Bool = false, in layout: Int) -> Int {
    let facts = layouts[layout]
    // An object can have any number of keys, also of those for unkeyed values.
    if facts.count > 16 { return Int(index(of: layout, isRaw: isRaw)[IndexedKey(key)] ?? -1) }
    return (0..<facts.count).first {
      names[facts.firstName + $0].isRaw == isRaw && names[facts.firstName + $0].text.hasSameBytes(as: key)
    } ?? -1
  }

  /// Returns the containers whose values have the keys of a layout.
  mutating func containerForms(of layout: Int) -> ContainerForms {
    if let known = layouts[layout].containerForms { return known }
    let facts = layouts[layout]
    var forms: ContainerForms = []
    for name in names[facts.firstName..<facts.firstName + facts.count] {
      forms.formUnion(name.isRaw ? ContainerForms(rawKey: name.text) : .keyed)
    }
    layouts[layout].containerForms = forms
    return forms
  }

  /// Returns the number of a layout's keys that begin with a prefix, except the archiver's own keys.
  mutating func countKeys(withPrefix prefix: String, in layout: Int) -> Int {
    let request = NumberedKeys(layout: layout, prefix: prefix)
    if let known = numberedCounts[request] { return known }
    let facts = layouts[layout]
    let count = names[facts.firstName..<facts.firstName + facts.count].count {
      !$0.isRaw && $0.text.hasPrefix(prefix)
    }
    numberedCounts[request] = count
    return count
  }

  /// Returns a long key with an escaped `$` as the file stores it. Others are not kept.
  func longEscapedKey(_ row: UInt32) -> String? { longEscapedKeys[row] }

  private mutating func index(of layout: Int, isRaw: Bool = false) -> [IndexedKey: Int32] {
    let number = 2 * layout + (isRaw ? 1 : 0)
    if let index = indexes[number] { return index }
    let facts = layouts[layout]
    var index: [IndexedKey: Int32] = [:]
    for position in (0..<facts.count).reversed() where names[facts.firstName + position].isRaw == isRaw {
      index[IndexedKey(names[facts.firstName + position])] = Int32(position)
    }
    indexes[number] = index
    return index
  }
}

extension UnarchiverState {
  /// Returns the key at a position of a layout as the file stores it, with the escape of a leading `$`.
  package func storedKey(_ position: Int, ofLayout layout: Int) -> String {
    let facts = keyLayouts.layouts[layout]
    let name = keyLayouts.names[facts.firstName + position]
    guard name.isEscaped else { return name.text }
    let item = BinaryItem(kind: .dictionary, count: facts.count, content: facts.content)
    if let row = try? source.row(position, of: item), let known = keyLayouts.longEscapedKey(row) { return known }
    return "$" + name.text
  }

  /// The entry at a position of an object: the key as ``storedKey(_:ofLayout:)`` returns it, and the value with its index
  /// in the table of objects.
  package func storedEntry(
    _ position: Int, of item: BinaryItem, layout: Int
  ) throws(KeyedArchiveError) -> (key: String, row: UInt32, value: BinaryItem) {
    let row = try source.row(item.count + position, of: item)
    return (storedKey(position, ofLayout: layout), row, try source.object(row: row))
  }

  /// The position of `$class` in a layout; negative if it is absent.
  package func classPosition(ofLayout layout: Int) -> Int { keyLayouts.layouts[layout].classPosition }
}
