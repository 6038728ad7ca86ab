// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat

/// The complete state of an archiver. Encoding has three steps.
///
/// 1. `encode(with:)` pushes one recorded value per call onto a flat stack.
/// 2. After it returns, its values are resolved in order. An object gets its UID, runs its own `encode(with:)`, and has
/// its values resolved before the next one. UIDs are thus those of a recursive archiver, parents first, without
/// recursion.
/// 3. ``ArchiveWriter`` writes the finished entries, one per element of `$objects`.
struct ArchiverState: ~Copyable {
  /// One element of `$objects`. It takes only eight bytes, because each object has one.
  struct Entry {
    enum Kind: UInt8 {
      /// The string `$null`: UID 0, and each conditional object that was never archived.
      case null
      /// The payload is the string's index. The key layout says how the string is found again; see ``taggedIndex``.
      case string
      case boolean, data
      /// The payload is the index of the number's bits.
      case int8, int16, int32, int64, uint64, float, double
      /// A dictionary with `$class`; the payload is the index of its first field.
      case object
      /// A decoded primitive; the payload is its index.
      case decoded
      /// A class record; the payload is the type's index.
      case classRecord
    }

    static let maximumKeyLayoutCount = 1 << 24

    /// From the top: 4 bits for the kind, 24 for the key layout, 36 for the payload.
    private let bits: UInt64

    @inline(__always)
    init(_ kind: Kind, _ payload: Int = 0, keyLayout: Int32 = 0) {
      bits =
        UInt64(kind.rawValue) << 60 | UInt64(truncatingIfNeeded: keyLayout) << 36
        | UInt64(truncatingIfNeeded: payload) & 0xF_FFFF_FFFF
    }

    /// Creates the entry of a string that was or was not found in ``ArchiverState/taggedStrings``.
    @inline(__always)
    init(string: Int, taggedIndex: Int?) {
      let index = taggedIndex.map { $0 < Self.maximumKeyLayoutCount &- 2 ? $0 &+ 2 : 0 } ?? 1
      self.init(.string, string, keyLayout: Int32(truncatingIfNeeded: index))
    }

    /// Where a string's text is in ``ArchiverState/taggedStrings``.
    enum TaggedIndex {
      case known(Int)
      case none
      case unknown
    }

    @inline(__always)
    var taggedIndex: TaggedIndex {
      switch keyLayout {
      case 0: .unknown
      case 1: .none
      default: .known(keyLayout &- 2)
      }
    }

    @inline(__always)
    var kind: Kind { Kind(rawValue: UInt8(truncatingIfNeeded: bits >> 60)) ?? .null }
    @inline(__always)
    var keyLayout: Int { Int(truncatingIfNeeded: bits >> 36) & 0xFF_FFFF }
    @inline(__always)
    var payload: Int { Int(truncatingIfNeeded: bits & 0xF_FFFF_FFFF) }
  }

  /// Into which single value an object may collapse. That depends on the position of the reference to it.
  enum CollapseRule: UInt8 {
    /// Into an inline number or any object.
    case inline
    /// Into any object.
    case element
    /// Into none, because other references need the object's UID.
    case never
  }

  /// An object whose values are being recorded or resolved.
  struct Frame {
    var uid: UInt32
    var type: Int32
    var node: Int32
    var collapseRule: CollapseRule
    /// The number of pending values before the object recorded its own.
    var values: Int32
    /// The numbers of pending collections and elements before the object recorded its own.
    var collections: Int
    var collected: Int
    /// Its recorded values start here and end at the next frame's start, or at the end of the stack.
    var start: Int
    /// The next recorded value to resolve.
    var cursor: Int
  }

  /// The user code that the archiver must run before it can continue. It runs after ``ArchiverState/resolveNext()``
  /// returns, so no access to the state is open. The object is fetched with ``ArchiverState/takeSubject()``, because an
  /// enum payload would be copied for every recorded value.
  enum Step {
    /// Call the object's `encode(with:)`, then ``ArchiverState/didRecord()``.
    case encode
    /// Describe the type, then call ``ArchiverState/add(_:for:)``.
    case describe(any KeyedCoding.Type)
    /// Ask for a replacement, then call ``ArchiverState/replace(with:)``.
    case replace
    /// Notify the delegate.
    case didEncode
    /// Nothing: a collection was begun, and its elements are resolved next.
    case collectionBegun
    /// Nothing: everything recorded is resolved.
    case finished
  }

  /// The memory in which the arrays and tables below begin.
  private let firstBlock: SmallArena

  // MARK: Finished
  var entries: TrivialArray<Entry>
  var fields: TrivialArray<UInt64>
  var fieldKinds: TrivialArray<RecordedValue.Kind>
  var arrayElements = TrivialArray<UInt32>()
  /// The arrays whose order is decided at the end.
  var unorderedArrays: [UnorderedArray] = []
  /// The positions of conditional references in ``arrayElements``, and whether any reference is conditional.
  var conditionalElements: Set<Int> = []
  var hasConditionals = false
  /// For UIDs that conditional references reserved: the UID of what was archived for the object, such as a replacement.
  /// It is 0 if that is nil.
  var finalUIDs: [UInt32: UInt32] = [:]
  var strings: [String] = []
  /// The bits of boxed numbers.
  var numberBits: TrivialArray<UInt64>
  var data: [Data] = []
  var types: [ArchivedType] = []
  /// Primitives that were decoded from archives.
  var decodedPrimitives: [DecodedPrimitive] = []
  /// The archives of decoded primitives, with their numbers. While they exist, no other archive has their addresses.
  private(set) var originNumbers: [ObjectIdentifier: (origin: SourceArchive, number: UInt64)] = [:]
  /// The top-level keys, as indexes of the trie's texts.
  var topKeys: TrivialArray<Int32>
  var topRecords: TrivialArray<RecordedValue>
  /// The layout of the decoded top level, if its order is to be kept.
  var topLayout: ArchivedLayout?
  var trie: KeyTrie
  /// The number of key layouts before that of `$top`; -1 until it is added.
  var typeLayoutCount = -1
  /// The tables of the writer, while it does not write.
  var writerTables = WriterTables()

  // MARK: In progress
  /// The recorded values of all objects in progress; an object's values follow those of its parent.
  var records: TrivialArray<RecordedValue>
  var frames: TrivialArray<Frame>
  /// The position of the top-level value being resolved.
  var topCursor = 0
  var values: [any KeyedCoding] = []
  /// The pending collections and the recorded values of their elements.
  var collected = TrivialArray<RecordedValue>()
  var collections = TrivialArray<RecordedArray>()
  /// Archived values to release. Releasing a value can run a `deinit`, so they are released only while no access to the
  /// state is open.
  private(set) var valuesToRelease: [any KeyedCoding] = []
  /// The objects in progress that the delegate was shown, each with the number of frames up to its own. Others have no
  /// entry: null objects, and objects that were begun while no delegate was set.
  var currentObjects: [(object: any KeyedCoding, depth: Int)] = []
  /// The object of the next step.
  var subject: (any KeyedCoding)?
  /// Whether the current object's `encode(with:)` is running.
  var isRecording = false
  /// The trie node of the keys recorded so far.
  var node: Int32 = -1
  var unkeyedCount = 0
  /// The number of elements that the array in progress lacks, and of pending arrays whose elements are being recorded. Code
  /// outside of the library runs in between, and must not record other values.
  var openElements = 0
  /// The number of steps that long coding paths may still have in all before only their ends are made.
  var pathBudget = Self.maximumPathBudget
  /// The single value that the current object encoded.
  var singleValue: RecordedValue?
  var singleValues = SingleValueChain()
  var topUnkeyedCount = 0
  /// The object whose `encode(to:)` is running.
  var encodedObject = EncodedObject()
  private var encodedObjectCount: EncodedObject.ID = 0

  // MARK: Identity
  var references: [any KeyedCoding & AnyObject] = []
  /// For each of ``references``: its UID shifted left by one, and a bit that tells archived objects from reserved ones.
  var referenceStates: TrivialArray<UInt32>
  var addresses: InsertionOrderedTable<UInt64>
  var taggedStrings: UIDTable<TaggedString>
  var numbers = UIDTable<TypedNumber>()
  /// Decoded tagged-pointer values, with their UIDs.
  var decodedStrings: [(value: TaggedString, uid: UInt32)] = []
  var decodedNumbers: [(value: TypedNumber, uid: UInt32)] = []
  var booleanUIDs: (false: UInt32, true: UInt32) = (0, 0)
  var nullObjectUID: UInt32 = 0
  /// The indexes in ``types``, by the types' addresses.
  var typeIndexes: UIDTable<UInt64>
  /// The types of values with a dynamic class.
  var typeOfVariant: [TypeVariant: Int32] = [:]
  /// A few of the last classes with many names.
  var recentVariants: [(variant: TypeVariant, number: Int32)] = []
  /// A direct-mapped cache of eight recent types, empty before the first is requested again. Archives often alternate
  /// between objects of a few types.
  var recentTypes: ContiguousArray<(id: ObjectIdentifier?, number: Int32)> = []
  /// Objects that represent all equal values of a kind.
  var sharedObjects: [BytewiseString: any KeyedCoding & AnyObject] = [:]
  /// Class records by name. Types with the same name share a record.
  var classRecords: [BytewiseString: UInt32] = [:]

  var hasDelegate = false
  var repeatedKeyPolicy = KeyedArchiver.RepeatedKeyPolicy.fail
  /// The keys of which only the last value is kept.
  var repeatedKeys = RepeatedKeys()
  /// The top-level keys as a set, once they are many.
  var topKeySet: Set<Int32> = []
  var requiresSecureCoding: Bool
  let layout: ArchiveLayout
  /// For the compact layout, which shares equal values.
  var uniqueStrings: [BytewiseString: UInt32] = [:]
  var uniqueData: [FullyHashedData: UInt32] = [:]
  var isFinished = false
  /// Whether the delegate is told that the archive will be written.
  var isFinishing = false
  /// The limits of the archive.
  var maximumObjectCount = ArchiverState.defaultObjectCount
  var maximumByteCount = ArchiverState.defaultByteCount
  /// The finished archive.
  var encoded: Data?
  var outputFormat = PropertyList.Format.binary
  var archiverName = ArchiveEnvelope.defaultArchiverName
  /// The names set for classes.
  var classNames: [ObjectIdentifier: String] = [:]
  /// Whether a caller further up the stack is resolving values or writing the file.
  var isResolving = false

  /// The first error.
  private(set) var failure: KeyedArchiveError?

  @inline(__always)
  var hasFailed: Bool { failure != nil }

  // These do not copy what they look for.
  var hasSubject: Bool { if case .some = subject { true } else { false } }
  var isEncoded: Bool { if case .some = encoded { true } else { false } }

  init(requiresSecureCoding: Bool, layout: ArchiveLayout) {
    self.requiresSecureCoding = requiresSecureCoding
    self.layout = layout
    // Enough for an archive of a few objects.
    var block = SmallArena(1144)
    entries = TrivialArray(12, from: &block)
    fields = TrivialArray(10, from: &block)
    fieldKinds = TrivialArray(16, from: &block)
    numberBits = TrivialArray(4, from: &block)
    topRecords = TrivialArray(1, from: &block)
    topKeys = TrivialArray(2, from: &block)
    records = TrivialArray(12, from: &block)
    frames = TrivialArray(1, from: &block)
    referenceStates = TrivialArray(4, from: &block)
    addresses = InsertionOrderedTable(from: &block)
    taggedStrings = UIDTable(from: &block)
    typeIndexes = UIDTable(from: &block)
    trie = KeyTrie(usesHashOrder: layout != .compact, from: &block)
    firstBlock = block
    entries.append(Entry(.null))
  }

  /// Returns the identity of a row: the archive's number in the upper half, the row in the lower.
  mutating func identity(_ row: UInt32, in origin: SourceArchive) -> UInt64 {
    let id = ObjectIdentifier(origin)
    let number = originNumbers[id]?.number ?? UInt64(originNumbers.count + 1)
    if number > originNumbers.count { originNumbers[id] = (origin, number) }
    return number << 32 | UInt64(row)
  }

  /// Begins the `encode(to:)` of the current object.
  mutating func beginEncodedObject() {
    encodedObjectCount &+= 1
    encodedObject = EncodedObject(id: encodedObjectCount)
  }

  /// Records the first error. Nothing is archived after it.
  mutating func fail(_ error: KeyedArchiveError) {
    guard !hasFailed else { return }
    failure = error
    // Pending work is useless now. The values stay, because releasing them here would run user code.
    frames.removeAll()
    records.removeAll(from: 0)
    isRecording = false
  }

  /// Removes values from the stack until `count` remain.
  @inline(__always)
  mutating func popValues(to count: Int) {
    while values.count > count { if let value = values.popLast() { valuesToRelease.append(value) } }
  }

  /// Removes and returns the object of the next step.
  mutating func takeSubject() -> (any KeyedCoding)? { subject.take() }

  /// Removes and returns the values to release.
  mutating func takeValuesToRelease() -> [any KeyedCoding] {
    let spent = valuesToRelease
    valuesToRelease = []
    return spent
  }

  /// The key path to the object at the current cursor, as messages name it; nil if no object is being archived.
  func keyPath() -> String? { ArchivePathStep.text(codingPath()) }

  /// The steps to the object at the current cursor; empty if no object is being archived. Arrays before it are skipped, so
  /// the cost depends on the number of keys only.
  func codingPath() -> [ArchivePathStep] {
    guard let top = topKeys.last else { return [] }
    // As the caller spells it: a leading `$` is written twice.
    let written = trie.texts[Int(top)]
    let isEscaped = written.hasPrefix("$$")
    return [ArchivePathStep(.start, isEscaped ? String(written.unicodeScalars.dropFirst()) : written)] + steps(from: 0)
  }

  /// The steps of ``codingPath()``, or only the last ones after many long paths. A chain of objects that each ask for their path
  /// would otherwise take quadratic time.
  mutating func boundedCodingPath() -> [ArchivePathStep] {
    guard frames.count > Self.shortPath else { return codingPath() }
    pathBudget &-= frames.count
    guard pathBudget < 0 else { return codingPath() }
    pathBudget = -1
    return steps(from: frames.count - Self.shortPath)
  }

  /// The number of objects in a coding path of which only the end is made.
  private static var shortPath: Int { 64 }
  static var maximumPathBudget: Int { 1 << 18 }

  /// Returns the steps from an object that is being encoded to the current one.
  private func steps(from first: Int) -> [ArchivePathStep] {
    var path: [ArchivePathStep] = []
    for number in first..<frames.count {
      let frame = frames[number]
      let last = min(frame.cursor, records.count - 1)
      var key = -1
      var arrayStarts: [Int] = []
      var element: Int?
      var index = frame.start
      while index <= last {
        key += 1
        if records[index].kind == .array {
          arrayStarts.append(index + 1)
          let count = RecordedValue.ArrayHead(bits: records[index].payload).count
          if index < last, last <= index + count { element = last - index - 1 }
          index += count
        }
        index += 1
      }
      let names = trie.keys(onPathTo: frame.node)
      guard names.indices.contains(key) else { break }
      guard let element else {
        path.append(ArchivePathStep(.key, names[key]))
        continue
      }
      // A dictionary's values follow its keys.
      let dictionaryKey = arrayStarts.count == 2 ? text(records[arrayStarts[0] + element]) : nil
      path.append(dictionaryKey.map { ArchivePathStep(.entry, $0) } ?? ArchivePathStep(index: element))
    }
    return path
  }

  /// Whether the current object is an instance of a class.
  var currentKeepsIdentity: Bool { frames.last?.collapseRule == .never }

  private func text(_ value: RecordedValue) -> String? {
    guard value.kind == .uid, entries[Int(value.payload)].kind == .string else { return nil }
    return strings[entries[Int(value.payload)].payload]
  }
}
