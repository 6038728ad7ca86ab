// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) package import PropertyListFormat

/// The complete state of a decoder between calls.
///
/// Decoding is lazy: a reference is resolved and validated when it is requested. To decode an object, the state begins
/// a scope, the initializer runs, and the state ends the scope. No access to the state is open while the initializer
/// runs.
package struct UnarchiverState: ~Copyable {
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
    var firstInstance: UInt32 = 0
    var firstDeferred: UInt32 = 0
    /// ``UnarchiverState/hashCost`` at the beginning.
    var hashCost = HashCost()
    /// ``UnarchiverState/reach`` at the beginning.
    var reach = 0
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
  var objects: DecodedObjects
  /// The number of deferred references so far, modulo 2^32.
  var deferredCount: UInt32 = 0
  /// Whether the decoder has deferred a reference.
  var hasDeferred = false
  var scopes: TrivialArray<Scope>
  var keyLayouts: KeyLayoutCache
  var allowListCache = AllowListCache()
  /// The number of nested objects that are being decoded.
  var depth = 0
  /// The number of nested Codable containers around the current object, in the objects around it.
  var containerLevels = 0
  /// The deepest level of a value inside of the current object. Instances of classes have no levels: only their classes
  /// decide how they are released and visited, and honest graphs have long chains of them.
  var reach = 0
  /// The number of levels inside of the last value that is to be cached.
  var heightOfLastValue = 0
  /// The number of nested deferred references that are being delivered.
  var deliveries = 0
  var stack = StackGuard()
  /// The object of the deferred reference that the decoder delivers, or nil. No open scope leads to it, so paths start
  /// at a UID.
  package var detachedUID: UInt32?
  /// The remaining expansion budget of the current outermost call.
  var budget: ExpansionBudget
  /// The cost of hashing the last value that is to be cached.
  var costOfLastValue = HashCost()
  /// The cost of hashing all that was decoded so far.
  var hashCost = HashCost()
  /// The object that is delivered to a deferred reference, which does not count; 0 for none.
  var deliveredUID: UInt32 = 0
  /// Whether Swift's rules will hash the decoded strings, as keys of dictionaries or elements of sets.
  var isHashing = false
  var texts = HashedTexts()
  var topKeyRequests = TopKeyRequests()
  /// Whether the calls of a caller share one budget.
  var keepsBudget = false
  /// The places of the open scopes above the top level, from the outermost on, as far as errors needed them.
  var places: [ArchivePlace] = []
  /// The long keys of dictionaries in paths, by the offset of their text.
  var longKeys: [Int: String] = [:]
  /// The remaining budget for the key paths of deferred references; nil before the first search.
  var searchBudget: ExpansionBudget?
  /// Whether the allow-list rules have changed since objects were decoded.
  var isStale = false
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
  private(set) var levelLimit = 0
  var requiresSecureCoding = true
  var hasDelegate = false
  /// The requested keys, if they are tracked.
  var tracker: KeyTracker?
  var isFinished = false
  /// The types set for class names.
  var classes: [BytewiseString: any KeyedCoding.Type] = [:]
  var failures = CallFailures()
  /// The remaining budget for converting decoded values to property lists and collections of Swift, which many objects can
  /// request of one collection.
  var conversionBudget: ExpansionBudget
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
    objects = DecodedObjects(count: source.objectCount, from: &block)
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
    objects.begin(count: self.source.objectCount)
    let layout = try keyLayouts.layout(of: self.source.envelope.top, in: self.source)
    scopes.append(Scope(kind: .top, uid: 0, layout: layout, item: self.source.envelope.top))
  }

  /// Whether another decoder can use the state: the archive is small, nothing is being decoded, and the decoder needed
  /// nothing that small archives seldom need.
  var isReusable: Bool {
    source.bytes.count <= Self.reusedByteCount && scopes.count == 1 && depth == 0 && deliveries == 0 && failures.isEmpty
      && topKeyRequests.isReusable && objects.isReusable && classes.isEmpty && tracker == nil && detachedUID == nil
      && !keepsBudget && !isHashing && !isInOutermostCall && currentAllowList == nil && keyLayouts.isReusable
      && allowListCache.isReusable
  }

  /// Returns a reusable state to its beginning, without an archive. `instances` is an empty array with capacity.
  mutating func prepareForReuse(_ instances: [DecodedObjects.Instance]) {
    objects.prepareForReuse(instances)
    source.removeBytes()
    scopes.removeAll()
    places = []
    longKeys = [:]
    keyLayouts.prepareForReuse()
    allowListCache.removeAll()
    deferredCount = 0
    hasDeferred = false
    hashCost = HashCost()
    texts.removeAll()
    topKeyRequests = TopKeyRequests()
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
}
