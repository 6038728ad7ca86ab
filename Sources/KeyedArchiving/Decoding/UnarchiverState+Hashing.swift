// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

/// The strings that Swift's rules hash, or may hash later, and the costs of hashing them.
struct HashedTexts {
  /// The cost of strings while hashing.
  var textCost = TextHashCost()
  /// The cost of hashing the strings of an instance that was decoded before, by its UID.
  var costsOfInstances: [UInt32: Int64] = [:]
  /// The cost of hashing the content of an `NSMutableString` in such an instance, or 0 for another object, by its UID.
  var costsOfMutableStrings: [UInt32: Int64] = [:]
  /// The long strings that were decoded while not hashing, and that no reference to a decoded instance has checked yet.
  var unchecked: [BinaryItem] = []
  /// A string, decoded while not hashing, that would take too long to hash.
  var unhashable: String?

  mutating func removeAll() {
    textCost = TextHashCost()
    if !costsOfInstances.isEmpty { costsOfInstances = [:] }
    if !costsOfMutableStrings.isEmpty { costsOfMutableStrings = [:] }
    unchecked = []
    unhashable = nil
  }
}

// The cost of hashing the elements of sets and the keys of dictionaries. HashCost counts what is decoded, and TextHashCost the
// strings in it.
extension UnarchiverState {
  /// Counts the work of hashing a string that is not ASCII, and charges it while hashing.
  ///
  /// Hashing such a string takes much longer than reading it. Therefore it is charged each time, not only from the second
  /// reference on.
  @inline(never)
  mutating func countHashing(_ text: BinaryItem) throws(KeyedArchiveError) {
    guard isHashing else {
      hashCost.contents &+= text.weight
      return
    }
    let cost = costOfHashing(text)
    hashCost.contents &+= cost
    try charge(hashing: cost)
  }

  private mutating func costOfHashing(_ text: BinaryItem) -> Int64 {
    var textCost = texts.textCost
    let cost = textCost.cost(of: text, in: source.bytes.span)
    texts.textCost = textCost
    return cost
  }

  /// Counts the work of hashing a string that is stored as data, and charges it while hashing.
  mutating func countHashing(_ text: String) throws(KeyedArchiveError) {
    guard isHashing else { return }
    let cost = texts.textCost.cost(of: text)
    hashCost.contents &+= cost
    try charge(hashing: cost)
  }

  /// Counts a reference to a string or data that was decoded before, and charges the work of hashing it again.
  mutating func count(repeating text: BinaryItem) throws(KeyedArchiveError) {
    guard text.kind != .utf16 else { return try countHashing(text) }
    let cost = text.kind == .ascii ? texts.textCost.cost(ofASCII: text.count) : text.weight
    hashCost.contents &+= cost
    try charge(hashing: cost)
  }

  /// Counts and charges the work of hashing the strings of an instance that was decoded before, perhaps while not hashing. Many
  /// instances can share one long string.
  mutating func charge(textsOf uid: UInt32) throws(KeyedArchiveError) {
    let cost: Int64
    if let known = texts.costsOfInstances[uid] { cost = known } else { cost = try costOfTexts(of: uid) }
    texts.costsOfInstances[uid] = cost
    hashCost.contents &+= cost
    try charge(hashing: cost)
  }

  /// Returns the cost of hashing the strings under the keys of an object. Structs and enums in the object count only as long as
  /// they are decoded while hashing.
  private mutating func costOfTexts(of uid: UInt32) throws(KeyedArchiveError) -> Int64 {
    let item = try source.entry(uid)
    guard item.kind == .dictionary else { return 0 }
    var sum: Int64 = 0
    for place in item.count..<2 * item.count {
      try charge(work: ExpansionBudget.element)
      // An object can have fields that its class does not decode, and these can be damaged.
      guard var value = try? source.element(place, of: item) else { continue }
      if value.kind == .uid {
        guard let target = try? source.uid(value), let object = try? source.entry(target) else { continue }
        value = object
        if object.kind == .dictionary {
          sum &+= try costOfMutableString(target, object)
          continue
        }
      }
      sum &+= try costOfText(value)
    }
    return sum
  }

  /// Returns the cost of hashing the content of an `NSMutableString`, or 0 for any other object.
  private mutating func costOfMutableString(_ uid: UInt32, _ object: BinaryItem) throws(KeyedArchiveError) -> Int64 {
    if let known = texts.costsOfMutableStrings[uid] { return known }
    var cost: Int64 = 0
    for place in 0..<object.count {
      try charge(work: ExpansionBudget.element)
      guard let key = try? source.element(place, of: object),
        source.isText(key, "NS.string") || source.isText(key, "NS.bytes"),
        let text = try? source.element(object.count + place, of: object)
      else { continue }
      guard text.kind == .data else {
        cost &+= try costOfText(text)
        continue
      }
      try charge(work: text.weight)
      let bytes = source.bytes[text.content..<text.content + text.count]
      cost &+= texts.textCost.cost(of: String(decoding: bytes, as: UTF8.self)) &- ExpansionBudget.element
    }
    texts.costsOfMutableStrings[uid] = cost
    return cost
  }

  /// Returns the cost of hashing a string, or 0 for any other value.
  private mutating func costOfText(_ text: BinaryItem) throws(KeyedArchiveError) -> Int64 {
    switch text.kind {
    case .ascii: return texts.textCost.cost(ofASCII: text.count) &- ExpansionBudget.element
    case .utf16:
      try charge(work: text.weight)
      return costOfHashing(text) &- ExpansionBudget.element
    default: return 0
    }
  }

  /// Counts a reference to an instance or a value that was decoded before, and charges the work of hashing it again.
  mutating func count(repeating cost: HashCost, of uid: UInt32) throws(KeyedArchiveError) {
    guard uid != deliveredUID else { return }
    hashCost.add(repeating: cost)
    try charge(hashing: cost.sum)
  }

  private mutating func charge(hashing cost: Int64) throws(KeyedArchiveError) {
    guard isHashing else { return }
    guard budget.touch(cost) else { throw tooMuchHashing() }
  }

  @inline(never)
  private mutating func tooMuchHashing() -> KeyedArchiveError {
    KeyedArchiveError(
      .limitReached,
      "expansion limit reached: hashing the objects that elements of sets or keys of dictionaries share would take more than "
        + "\(ExpansionBudget.workFactor &* Int64(source.limits.maximumExpansion)) times the file's \(source.bytes.count) "
        + "bytes",
      at: place()
    ).advising(
      .raiseLimit,
      "Request ArchivedSet or ArchivedDictionary, which hash nothing. If hash(into:) does not follow a reference to a "
        + "class, decode it with ArchiveReference or the closure form of decodeObject. If you trust the file, raise "
        + "ReadLimits.maximumExpansion")
  }
}

// MARK: Strings to hash

extension UnarchiverState {
  /// Notes a long string that is decoded while not hashing. An instance that contains it can become an element of a set
  /// later.
  mutating func note(unchecked item: BinaryItem) { texts.unchecked.append(item) }

  mutating func note(unchecked text: String) { if !MarkRun.isBounded(text) { texts.unhashable = text } }

  /// Checks the strings that were decoded while not hashing. Which instance has one is not known.
  mutating func checkTexts() throws(KeyedArchiveError) {
    while texts.unhashable == nil, let item = texts.unchecked.popLast() { note(unchecked: try source.string(item)) }
    if let text = texts.unhashable { throw unhashable(text) }
  }

  /// Returns the error for a string that would take too long to hash.
  @inline(never)
  mutating func unhashable(_ text: String) -> KeyedArchiveError {
    let found = MessageText.plain(MessageText.shortened(text, to: 12))
    return KeyedArchiveError(
      .limitReached,
      "a string to be hashed has a run of too many combining marks: found '\(found)', \(text.utf8.count) bytes; "
        + "expected at most \(MarkRun.longest) marks in a row",
      at: place(),
      remedy: "Request ArchivedDictionary or ArchivedArray, which hash no strings, or read the file as a KeyedArchive")
  }
}
