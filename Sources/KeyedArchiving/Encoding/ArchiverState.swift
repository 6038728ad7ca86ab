// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat

/// Everything an archiver keeps between calls.
///
/// `encode(with:)` only records: a note for each call, in one flat array that works as a stack. When it has returned, the
/// notes are walked in order; each object among them gets its number, then its own `encode(with:)` is called and its notes
/// are walked, before the next note is. So the numbers are those of a recursive archiver, objects before their children,
/// without recursion. What is finished is kept as entries, one for each element of `$objects`, from which a second pass
/// writes the file.
struct ArchiverState: ~Copyable {
  /// One element of `$objects`, in eight bytes, for there are as many as there are objects.
  struct Entry {
    enum Kind: UInt8 {
      /// The string `$null`, at number 0 and wherever a conditional object was never archived.
      case null
      case string, boolean, data
      /// The payload is the place of the number's bits.
      case int8, int16, int32, int64, uint64, float, double
      /// A dictionary with `$class`; the payload is where its slots begin.
      case object
      /// A bare value that was read; the payload is its place among those kept with where they came from.
      case readValue
      /// A class record; the payload is the type's number.
      case classRecord
    }

    static let maximumShape = 1 << 24

    /// From the top: 4 bits for the kind, 24 for the shape, 36 for the payload.
    private let bits: UInt64

    @inline(__always)
    init(_ kind: Kind, _ payload: Int = 0, shape: Int32 = 0) {
      bits =
        UInt64(kind.rawValue) << 60 | UInt64(truncatingIfNeeded: shape) << 36
        | UInt64(truncatingIfNeeded: payload) & 0xF_FFFF_FFFF
    }

    @inline(__always)
    var kind: Kind { Kind(rawValue: UInt8(truncatingIfNeeded: bits >> 60)) ?? .null }
    @inline(__always)
    var shape: Int { Int(truncatingIfNeeded: bits >> 36) & 0xFF_FFFF }
    @inline(__always)
    var payload: Int { Int(truncatingIfNeeded: bits & 0xF_FFFF_FFFF) }
  }

  /// What an object may turn out to be while it is encoded, which depends on where it is referred to.
  enum Form: UInt8 {
    /// A number stored inline, or any object.
    case inline
    /// Any object.
    case element
    /// An object with its own identity and no other.
    case identity
  }

  /// An object whose notes are being recorded or walked.
  struct Frame {
    var uid: UInt32
    var type: Int32
    var node: Int32
    var form: Form
    /// How many values were in waiting before it recorded its own.
    var values: Int32
    /// How many collections, and elements of them, were in waiting before it recorded its own.
    var collections: Int
    var collected: Int
    /// Its notes begin here and end where the next frame's begin, or at the end.
    var start: Int
    /// The next note to walk.
    var cursor: Int
  }

  /// What the archiver must do before the walk can go on, with no access to the state open. The object it is to be done to
  /// is handed out by ``ArchiverState/takeSubject()``: a step that held it would be copied for each note.
  enum Step {
    /// Call the object's `encode(with:)`, then ``ArchiverState/recorded()``.
    case encode
    /// Find out about the type, then ``ArchiverState/add(_:for:)``.
    case describe(any KeyedCoding.Type)
    /// Ask whether another object shall stand for this one, then ``ArchiverState/replace(with:)``.
    case replace
    /// Tell the delegate.
    case didEncode
    /// Nothing: a collection was begun, whose elements are walked next.
    case entered
    /// Nothing: everything recorded is archived.
    case settled
  }

  /// Where the arrays and tables below begin.
  private let firstBlock: SmallArena

  // Finished.
  var entries: TrivialArray<Entry>
  var slots: TrivialArray<UInt64>
  var slotKinds: TrivialArray<_RecordedValue.Kind>
  var arrayElements = TrivialArray<UInt32>()
  /// The arrays whose order is still to be decided, each by the place of its slot.
  var unorderedArrays: [UnorderedArray] = []
  /// The places in ``arrayElements`` of conditional references, and whether any reference was conditional at all.
  var conditionalElements: Set<Int> = []
  var hasConditionals = false
  var strings: [String] = []
  /// The bits of numbers that are objects.
  var numberBits: TrivialArray<UInt64>
  var data: [Data] = []
  var types: [ArchivedType] = []
  /// Values that were read from archives, each with where it came from.
  var readValues: [DecodedPrimitive] = []
  private var numberOfOrigin: [ObjectIdentifier: UInt64] = [:]
  /// The keys of the top level, by their numbers among the tree's texts.
  var topKeys: TrivialArray<Int32>
  var topNotes: TrivialArray<_RecordedValue>
  /// How the top level was read, if it is archived as it was.
  var topLayout: ArchivedLayout?
  var tree: KeyTrie

  // In work.
  var notes: RecordStack
  var frames: TrivialArray<Frame>
  /// The note of the top level that is being walked.
  var topCursor = 0
  var values: [any KeyedCoding] = []
  /// The notes of the elements of collections in waiting, and what these are.
  var collected = TrivialArray<_RecordedValue>()
  var collections = TrivialArray<RecordedArray>()
  /// Values that are archived. They are let go where no access to the state is open, for that may run their deinitialisers.
  private(set) var spentValues: [any KeyedCoding] = []
  /// The objects of the frames, where a delegate wants to hear of them; nil for collections that were noted before
  /// there was one.
  var objectsInWork: [(any KeyedCoding)?] = []
  /// The object of the step that was decided on.
  var subject: (any KeyedCoding)?
  /// Whether an object's `encode(with:)` is running, the innermost one's.
  var isRecording = false
  /// The node that the keys recorded so far lead to.
  var node: Int32 = -1
  var unkeyedCount = 0
  /// The one value that the object in work has turned out to be.
  var singleValue: _RecordedValue?
  var topUnkeyedCount = 0

  // Identity.
  var references: [any KeyedCoding & AnyObject] = []
  /// For each reference: its number shifted left by one, and whether it was archived or only reserved.
  var referenceStates: TrivialArray<UInt32>
  var addresses: InsertionOrderedTable<UInt64>
  var taggedStrings: UIDTable<TaggedString>
  var numbers = UIDTable<TypedNumber>()
  /// The values that were read among those that a pointer holds, with their objects.
  var readTexts: [(value: TaggedString, uid: UInt32)] = []
  var readNumbers: [(value: TypedNumber, uid: UInt32)] = []
  var booleanUIDs: (false: UInt32, true: UInt32) = (0, 0)
  var nullObjectUID: UInt32 = 0
  /// The places of types among ``types``, by their addresses.
  var placesOfTypes: UIDTable<UInt64>
  /// The types of values that name their class themselves.
  var numberOfVariant: [TypeVariant: Int32] = [:]
  /// The types met last, by some bits of their addresses: objects of a few types take turns.
  var recentTypes = InlineArray<8, (id: ObjectIdentifier?, number: Int32)>(repeating: (nil, 0))
  /// Objects that stand for all equal values of a kind.
  var sharedObjects: [BytewiseString: any KeyedCoding & AnyObject] = [:]
  /// Class records by name: types that share a name share the record.
  var classRecords: [BytewiseString: UInt32] = [:]

  var hasDelegate = false
  var repeatedKeyPolicy = KeyedArchiver.RepeatedKeyPolicy.fail
  /// The keys of the top level, once there are many.
  var topKeySet: Set<Int32> = []
  let requiresSecureCoding: Bool
  let layout: ArchiveLayout
  /// For the compact layout, which archives equal values once.
  var uniqueStrings: [BytewiseString: UInt32] = [:]
  var uniqueData: [FullyHashedData: UInt32] = [:]
  var isFinished = false
  /// How many objects, and how many bytes, the archive may have.
  var maximumObjectCount = ArchiverState.defaultObjectCount
  var maximumByteCount = ArchiverState.defaultByteCount
  /// The archive, once it was asked for.
  var encoded: Data?
  var outputFormat = PropertyList.Format.binary
  var archiverName = "NSKeyedArchiver"
  /// Names that were set for classes.
  var classNames: [ObjectIdentifier: String] = [:]
  /// Whether what was recorded is being archived, or the file written, further up the stack.
  var isWalking = false

  /// The first thing that went wrong.
  private(set) var failure: KeyedArchiveError?

  @inline(__always)
  var hasFailed: Bool { failure != nil }

  init(requiresSecureCoding: Bool, layout: ArchiveLayout) {
    self.requiresSecureCoding = requiresSecureCoding
    self.layout = layout
    // What an archive of a few objects takes.
    var block = SmallArena(1016)
    entries = TrivialArray(12, from: &block)
    slots = TrivialArray(10, from: &block)
    slotKinds = TrivialArray(16, from: &block)
    numberBits = TrivialArray(4, from: &block)
    topNotes = TrivialArray(1, from: &block)
    topKeys = TrivialArray(2, from: &block)
    notes = RecordStack(from: &block)
    frames = TrivialArray(1, from: &block)
    referenceStates = TrivialArray(4, from: &block)
    addresses = InsertionOrderedTable(from: &block)
    taggedStrings = UIDTable(from: &block)
    placesOfTypes = UIDTable(from: &block)
    tree = KeyTrie(usesHashOrder: layout != .compact, from: &block)
    firstBlock = block
    entries.append(Entry(.null))
  }

  /// A number for a row of an archive that values were read from, another one for each archive.
  mutating func identity(_ row: UInt32, in origin: SourceArchive) -> UInt64 {
    let known = numberOfOrigin[ObjectIdentifier(origin)]
    let number = known ?? UInt64(numberOfOrigin.count + 1)
    if known == nil { numberOfOrigin[ObjectIdentifier(origin)] = number }
    return number << 32 | UInt64(row)
  }

  /// Keeps the first error; nothing is archived after it.
  mutating func fail(_ error: KeyedArchiveError) {
    guard !hasFailed else { return }
    failure = error
    // What is in work is of no use any more. Values stay: to let them go would run other people's code here.
    frames.removeAll()
    notes.removeAll(from: 0)
    isRecording = false
  }

  /// Takes values off the stack down to a count.
  @inline(__always)
  mutating func popValues(to count: Int) {
    while values.count > count { if let value = values.popLast() { spentValues.append(value) } }
  }

  /// Hands out the object that a step is to be done to.
  mutating func takeSubject() -> (any KeyedCoding)? {
    let taken = subject
    subject = nil
    return taken
  }

  /// Hands out the values that are to be let go.
  mutating func takeSpentValues() -> [any KeyedCoding] {
    let spent = spentValues
    spentValues = []
    return spent
  }

  /// The way to the object at the innermost cursor, for messages.
  func keyPath() -> String? { ArchivePathStep.text(codingPath()) }

  /// The way to the object at the innermost cursor; empty if none is being archived.
  func codingPath() -> [ArchivePathStep] {
    guard let top = topKeys.last else { return [] }
    var path = [ArchivePathStep(.start, tree.texts[Int(top)])]
    for number in 0..<frames.count {
      let frame = frames[number]
      var key = -1
      var arrayStarts: [Int] = []
      var element: Int?
      var elementsLeft = 0
      for place in frame.start..<min(frame.cursor + 1, notes.count) {
        if elementsLeft > 0 {
          elementsLeft -= 1
          element = element.map { $0 + 1 } ?? 0
        } else {
          key += 1
          element = nil
          guard notes[place].kind == .array else { continue }
          elementsLeft = _RecordedValue.ArrayHead(bits: notes[place].payload).count
          arrayStarts.append(place + 1)
        }
      }
      guard let name = tree.key(key, onTheWayTo: frame.node) else { break }
      guard let element else {
        path.append(ArchivePathStep(.key, name))
        continue
      }
      // A dictionary's values follow its keys.
      let dictionaryKey = arrayStarts.count == 2 ? text(notes[arrayStarts[0] + element]) : nil
      path.append(dictionaryKey.map { ArchivePathStep(.entry, $0) } ?? ArchivePathStep(index: element))
    }
    return path
  }

  /// Whether the object in work is an instance of a class.
  var isIdentityInWork: Bool { frames.last?.form == .identity }

  private func text(_ note: _RecordedValue) -> String? {
    guard note.kind == .uid, entries[Int(note.payload)].kind == .string else { return nil }
    return strings[entries[Int(note.payload)].payload]
  }
}
