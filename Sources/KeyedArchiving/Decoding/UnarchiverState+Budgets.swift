// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

/// The positions of the top-level keys that were requested since the budget was last reset.
///
/// Requesting a top-level key again resets the budget, because the caller asked to decode it again. Only a caller can repeat a
/// request, so a file cannot reset its own budget, however many keys it has.
struct TopKeyRequests {
  private var first: Int?
  private var others: Set<Int> = []

  /// Whether at most one key was requested.
  var isReusable: Bool { others.isEmpty }

  /// Notes a request. Returns whether its key was requested before; the count begins again with this request then.
  mutating func isRepeated(_ position: Int) -> Bool {
    guard let first else {
      self.first = position
      return false
    }
    guard position == first || !others.insert(position).inserted else { return false }
    self.first = position
    others = []
    return true
  }
}

// What a call may cost, and what is charged to it.
extension UnarchiverState {
  /// Begins a caller's outermost call. Returns objects to release while no access to the state is open.
  mutating func beginCall() -> [DecodedObjects.Instance] {
    let released = isStale ? objects.takeInstances(from: 0) : []
    isStale = false
    scopes[0].firstInstance = UInt32(truncatingIfNeeded: objects.instanceCount)
    scopes[0].firstDeferred = deferredCount
    // The next call may come from another thread, whose stack may have the addresses of one that ended.
    stack = StackGuard()
    guard !keepsBudget, topKeyRequests.isRepeated(scopes[0].current) else { return released }
    resetBudgets()
    return released
  }

  /// Begins a call that decodes many objects, each as a top-level object, on one budget.
  package mutating func beginCallOfMany() {
    resetBudgets()
    keepsBudget = true
  }

  mutating func resetBudgets() {
    budget = source.budget
    conversionBudget = budget
    pathBudget = source.pathBudget
  }

  package mutating func endCallOfMany() { keepsBudget = false }

  // MARK: Charges

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
  mutating func charge(repeating entry: BinaryItem) throws(KeyedArchiveError) {
    guard !budget.isExhausted, budget.touch(entry.weight) else { throw source.tooLarge() }
  }

  /// The cost of an error with its place, in the unit of a byte that is compared.
  static let costOfFailure: Int64 = 2048

  /// Charges an error for a class that was not allowed for the same type before. It costs less than that of an object that
  /// fails, because types that try one form after another have several for each value.
  mutating func chargeRejection() throws(KeyedArchiveError) {
    guard budget.touch(Self.costOfFailure / 4) else { throw source.tooLarge() }
  }
}
