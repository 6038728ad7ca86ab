// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
@_spi(Archiving) import PropertyListFormat

/// Writes the entries as a binary property list in one pass.
///
/// A container precedes the objects it refers to, so it reserves their indexes while it writes its references and emits
/// them afterwards. Only the references of `$objects` and of the envelope are backpatched.
///
/// The layout decides which equal values share an object and which are repeated as unreferenced duplicates.
struct ArchiveWriter: ~Copyable {
  /// The archiver's state. The writer reads it in place. Nothing changes it meanwhile, except that the writer adds short
  /// strings to its table of them.
  let storage: CoderStorage<ArchiverState>
  @inline(__always)
  var state: ArchiverState { _read { yield storage.state } }
  private let top: ArchiverState.TopLevel
  let layout: ArchiveLayout
  private var out: BinaryWriter
  /// The next index to reserve.
  var next: UInt32 = 0
  /// The objects that have an index and are not emitted yet, in order.
  var pending = TrivialArray<Pending>()
  /// The class names of the current class record: their indexes, and whether they must be emitted.
  var names = TrivialArray<ReservedName>()
  private var currentType = 0

  // Indexes of shared objects. 0 means none, because it is the envelope's index.
  var keyIndexes = TrivialArray<UInt32>()
  /// For each key layout, the offset of its key references in the output, once they are written.
  private var keyReferences = TrivialArray<Int>()
  var uidIndexes = TrivialArray<UInt32>()
  var booleanIndexes: (false: UInt32, true: UInt32) = (0, 0)
  var numbers = UIDTable<TypedNumber>()
  /// The indexes of short strings, by their positions in ``ArchiverState/taggedStrings``.
  var taggedIndexes = TrivialArray<UInt32>()
  var sharedTexts: [BytewiseString: UInt32] = [:]
  var sharedData: [FullyHashedData: UInt32] = [:]
  /// The indexes of decoded primitives, by their origin.
  var decodedIndexes = UIDTable<UInt64>()
  /// The indexes that a decoded primitive shares with an equal plain value.
  var indexesSharedWithDecoded: Set<UInt32> = []
  /// Whether any keys of the program share their string with a decoded key, and those for which it is known.
  let sharesKeysWithDecoded: Bool
  var keysSharedWithDecoded: Set<Int32> = []

  struct ReservedName {
    var number: UInt32
    var isNew: Bool
  }

  struct Pending {
    enum Kind {
      case key, uid, boolean, integer, wideInteger, float, double, data, string, array, null, className, chain, hints
    }
    var kind: Kind
    var payload: UInt64
  }

  /// Returns the archive's bytes.
  static func write(_ storage: CoderStorage<ArchiverState>, archiverName: String) -> Data {
    let top = storage.state.addTopLevel()
    // The width of a reference depends on the number of objects, which is exact only afterwards. This bound nearly
    // always gives the right width at once.
    var bound = storage.state.boundOfObjectCount
    while true {
      var writer = ArchiveWriter(storage, top, objectCount: bound)
      writer.writeAll(archiverName: archiverName)
      let fits = BinaryLayout.width(of: UInt64(writer.next)) == writer.out.referenceWidth
      bound = Int(writer.next)
      let archive = fits ? writer.out.finish(top: 0) : nil
      writer.returnTables()
      if let archive { return archive }
    }
  }

  private init(_ storage: CoderStorage<ArchiverState>, _ top: ArchiverState.TopLevel, objectCount: Int) {
    self.storage = storage
    self.top = top
    layout = storage.state.layout
    sharesKeysWithDecoded = !storage.state.trie.textSharedWithDecoded.isEmpty
    let byteCount = storage.state.byteCount(referenceWidth: BinaryLayout.width(of: UInt64(objectCount)))
    out = BinaryWriter(
      objectCount: objectCount, byteCount: byteCount, reusing: &storage.state.writerTables.blocks)
    let keyCount = storage.state.trie.texts.count
    let entryCount = storage.state.entries.count
    let keyLayoutCount = storage.state.trie.keyLayouts.count
    exchangeTables()
    keyIndexes.refill(0, count: keyCount)
    uidIndexes.refill(0, count: entryCount)
    keyReferences.refill(0, count: keyLayoutCount)
    taggedIndexes.refill(0, count: storage.state.taggedStrings.uids.count)
  }

  /// Empties the tables and returns them to the state.
  private mutating func returnTables() {
    pending.empty()
    names.empty()
    keyIndexes.empty()
    keyReferences.empty()
    uidIndexes.empty()
    numbers.empty()
    taggedIndexes.empty()
    exchangeTables()
    let storage = storage
    out.returnBlocks(to: &storage.state.writerTables.blocks)
  }

  private mutating func exchangeTables() {
    // A property of this value cannot be read while another one is exchanged.
    let storage = storage
    swap(&pending, &storage.state.writerTables.pending)
    swap(&names, &storage.state.writerTables.names)
    swap(&keyIndexes, &storage.state.writerTables.keyIndexes)
    swap(&keyReferences, &storage.state.writerTables.keyReferences)
    swap(&uidIndexes, &storage.state.writerTables.uidIndexes)
    swap(&numbers, &storage.state.writerTables.numbers)
    swap(&taggedIndexes, &storage.state.writerTables.taggedIndexes)
  }

  private mutating func writeAll(archiverName: String) {
    guard layout == .apple, archiverName == ArchiveEnvelope.defaultArchiverName else {
      return writeEnvelope(archiverName)
    }
    switch out.referenceWidth {
    case 1: writeAll(in: PreparedEnvelope.narrow)
    case 2: writeAll(in: PreparedEnvelope.wide)
    default: writeEnvelope(archiverName)
    }
  }

  private mutating func writeAll(in prepared: borrowing PreparedEnvelope) {
    let start = out.sink.count
    out.put(prepared.objects)
    let (version, _) = numbers.index(
      of: TypedNumber(bits: UInt64(bitPattern: ArchiveEnvelope.version), kind: .int32))
    numbers.uids[version] = PreparedEnvelope.versionIndex
    next = PreparedEnvelope.topIndex
    writeDictionary(top.keyLayout, top.firstField)
    out.fill(next, 0, from: start + prepared.reference.lowerBound)
    writeObjects()
  }

  /// Writes an envelope of any layout with any archiver's name.
  private mutating func writeEnvelope(_ archiverName: String) {
    let order = layout.envelopeOrder
    _ = reserveIndex()
    out.beginContainer(BinaryLayout.dictionary, count: order.count)
    let offset = out.skipReferences(2 * order.count)
    for index in 0..<order.count { out.fill(reserveIndex(), index, from: offset) }
    if layout == .appleLegacy { out.put(ArchiveLayout.legacyKeys) } else { out.put(ArchiveLayout.recentKeys) }
    for (index, key) in order.enumerated() {
      out.fill(next, order.count + index, from: offset)
      switch key {
      case .version:
        _ = reserveIntegerIndex(ArchiveEnvelope.version, .int32)
        emitPending()
      case .archiver:
        _ = reserveIndex()
        out.put(archiverName)
      case .top: writeDictionary(top.keyLayout, top.firstField)
      case .objects: writeObjects()
      }
    }
  }

  private mutating func writeObjects() {
    let count = state.entries.count
    _ = reserveIndex()
    out.beginContainer(BinaryLayout.array, count: count)
    let offset = out.skipReferences(count)
    // An archive with narrower references has less than 65,536 objects, and not much memory to return.
    guard out.referenceWidth >= 4 else { return writeObjects(0..<count, from: offset) }
    let storage = storage
    var unread = UnreadValues(storage.state)
    for start in stride(from: 0, to: count, by: UnreadParts.size) {
      let range = start..<min(start &+ UnreadParts.size, count)
      writeObjects(range, from: offset)
      unread.remove(range, of: storage.state)
      // With fewer objects, the width of references may be wrong, and all would be written again.
      if next > UInt32(UInt16.max) { unread.discardRead(in: &storage.state) }
    }
  }

  private mutating func writeObjects(_ range: Range<Int>, from offset: Int) {
    let count = state.entries.count
    for index in range {
      let number = write(state.entries[index])
      if index &+ 8 < count {
        out.fillAhead(number, index, from: offset)
      } else {
        out.fill(number, index, from: offset)
      }
    }
  }

  /// Reserves the index of a name of the current class record. Names are counted from the class's own over its
  /// superclasses' to its hints.
  private mutating func reserveClassNameIndex(_ name: String, index: Int) -> ReservedName {
    // Most chains are the class's own name and the root class.
    let tagged =
      index <= 1 && name == state.types[currentType].name
      ? state.types[currentType].taggedName : name == "NSObject" ? .nsObject : SharedStrings.tagged(name)
    return reserveClassNameIndex(name, tagged, state.types[currentType].names.identity(index))
  }

  /// Emits one element of `$objects`, unless a shared one is written already.
  /// - Returns: The element's index.
  private mutating func write(_ entry: ArchiverState.Entry) -> UInt32 {
    let number: UInt32
    switch entry.kind {
    case .object:
      let number = next
      writeDictionary(entry.keyLayout, entry.payload)
      return number
    case .string: number = reserveStringIndex(entry)
    case .null: number = reserveNullIndex()
    case .boolean: number = reserveBooleanIndex(entry.payload != 0)
    case .data: number = reserveDataIndex(UInt64(entry.payload))
    case .int8, .int16, .int32, .int64:
      number = reserveIntegerIndex(Int64(bitPattern: state.numberBits[entry.payload]), entry.kind)
    case .uint64: number = reserveUnsignedIndex(state.numberBits[entry.payload])
    case .float, .double: number = reserveRealIndex(state.numberBits[entry.payload], entry.kind, isInline: false)
    case .decoded: number = reserveDecodedIndex(state.decodedPrimitives[entry.payload], isInline: false)
    case .classRecord: return writeClassRecord(entry.payload)
    }
    emitPending()
    return number
  }

  /// Emits a dictionary and the inline values that only it refers to.
  @inline(__always)
  private mutating func writeDictionary(_ keyLayoutIndex: Int, _ firstField: Int) {
    let keyLayout = state.trie.keyLayouts[keyLayoutIndex]
    let range = Int(keyLayout.start)..<Int(keyLayout.start &+ keyLayout.count)
    _ = reserveIndex()
    out.beginContainer(BinaryLayout.dictionary, count: range.count)
    let known = keyReferences[keyLayoutIndex]
    if known != 0 {
      out.repeatReferences(range.count, from: known)
    } else {
      keyReferences[keyLayoutIndex] = out.sink.count
      for index in range { out.put(reference: reserveKeyIndex(state.trie.order[index].text)) }
    }
    for index in range {
      let fieldOfKey = state.trie.order[index].field
      guard fieldOfKey != KeyTrie.classField else {
        out.put(reference: reserveUIDIndex(state.types[Int(keyLayout.type)].uid))
        continue
      }
      let field = firstField &+ Int(fieldOfKey)
      let payload = state.fields[field]
      let number: UInt32
      switch state.fieldKinds[field] {
      case .uid, .conditionalUID: number = reserveUIDIndex(UInt32(truncatingIfNeeded: payload))
      case .int64: number = reserveIntegerIndex(Int64(bitPattern: payload), .int64)
      case .int32: number = reserveIntegerIndex(Int64(bitPattern: payload), .int32)
      case .uint64: number = reserveUnsignedIndex(payload)
      case .double: number = reserveRealIndex(payload, .double, isInline: true)
      case .float: number = reserveRealIndex(payload, .float, isInline: true)
      case .boolean: number = reserveBooleanIndex(payload != 0)
      case .array: number = reserveArrayIndex(payload)
      case .bytes: number = reserveDataIndex(payload)
      case .text: number = reserveStringIndex(payload)
      case .decoded:
        number = reserveDecodedIndex(state.decodedPrimitives[Int(truncatingIfNeeded: payload)], isInline: true)
      default: number = 0  // Objects are resolved to UIDs before they become fields.
      }
      out.put(reference: number)
    }
    emitPending()
  }

  private mutating func writeClassRecord(_ typeNumber: Int) -> UInt32 {
    currentType = typeNumber
    let number = reserveIndex()
    let keyLayoutIndex =
      !state.types[typeNumber].hints.isEmpty
      ? KeyTrie.hintedClassRecord
      : state.types[typeNumber].chain.isEmpty ? KeyTrie.namedClassRecord : KeyTrie.classRecord
    let keyLayout = state.trie.keyLayouts[Int(keyLayoutIndex)]
    let range = Int(keyLayout.start)..<Int(keyLayout.start + keyLayout.count)
    out.beginContainer(BinaryLayout.dictionary, count: range.count)
    for index in range { out.put(reference: reserveKeyIndex(state.trie.order[index].text)) }
    names.removeAll()
    for index in range {
      let key = state.trie.order[index]
      if key.field == 0 {
        let name = reserveClassNameIndex(state.types[typeNumber].name, index: 0)
        names.append(name)
        if name.isNew { pending.append(Pending(kind: .className, payload: 0)) }
        out.put(reference: name.number)
      } else {
        out.put(reference: reserveIndex())
        let isChain = key.field == 1
        pending.append(Pending(kind: isChain ? .chain : .hints, payload: UInt64(names.count)))
        let first = isChain ? 1 : 1 + state.types[typeNumber].chain.count
        let count = isChain ? state.types[typeNumber].chain.count : state.types[typeNumber].hints.count
        for index in 0..<count {
          let name = isChain ? state.types[typeNumber].chain[index] : state.types[typeNumber].hints[index]
          names.append(reserveClassNameIndex(name, index: first + index))
        }
      }
    }
    emitPending()
    return number
  }
}

extension ArchiveWriter {
  private mutating func emitPending() {
    for index in 0..<pending.count {
      let item = pending[index]
      switch item.kind {
      case .uid: out.put(uid: item.payload)
      case .string: out.put(state.strings[Int(truncatingIfNeeded: item.payload)])
      case .integer: out.put(Int64(bitPattern: item.payload))
      case .double: out.put(Double(bitPattern: item.payload))
      case .boolean: out.put(item.payload != 0)
      case .array: emitArray(item.payload)
      case .key: out.put(state.trie.texts[Int(truncatingIfNeeded: item.payload)])
      case .float: out.put(Float(bitPattern: UInt32(truncatingIfNeeded: item.payload)))
      case .data: out.put(data: state.data[Int(truncatingIfNeeded: item.payload)])
      case .wideInteger: out.put(wide: WideInteger(item.payload))
      case .null: out.put("$null")
      case .className: out.put(state.types[currentType].name)
      case .chain: emitClassNames(state.types[currentType].chain, from: Int(item.payload))
      case .hints: emitClassNames(state.types[currentType].hints, from: Int(item.payload))
      }
    }
    pending.removeAll()
  }

  private mutating func emitArray(_ payload: UInt64) {
    let start = Int(truncatingIfNeeded: payload >> 32)
    let count = Int(truncatingIfNeeded: payload & 0xFFFF_FFFF)
    out.beginContainer(BinaryLayout.array, count: count)
    for index in start..<start &+ count { out.put(reference: uidIndexes[Int(state.arrayElements[index])]) }
    if layout != .compact, out.reserve(uids: count) {
      for index in start..<start &+ count { out.put(reservedUID: state.arrayElements[index]) }
      return
    }
    for index in start..<start &+ count {
      let uid = state.arrayElements[index]
      let isFirst = uidIndexes[Int(uid)] == UInt32(truncatingIfNeeded: out.objectCount)
      if isFirst || layout != .compact { out.put(uid: UInt64(uid)) }
    }
  }

  /// Emits a list of class names, whose indexes were reserved from `start` on.
  private mutating func emitClassNames(_ list: [String], from start: Int) {
    out.beginContainer(BinaryLayout.array, count: list.count)
    for index in list.indices { out.put(reference: names[start + index].number) }
    for index in list.indices where names[start + index].isNew { out.put(list[index]) }
  }
}

/// The tables of a writer, which it leaves empty for the next one.
struct WriterTables: ~Copyable {
  var blocks = BinaryWriter.Blocks()
  var pending = TrivialArray<ArchiveWriter.Pending>()
  var names = TrivialArray<ArchiveWriter.ReservedName>()
  var keyIndexes = TrivialArray<UInt32>()
  var keyReferences = TrivialArray<Int>()
  var uidIndexes = TrivialArray<UInt32>()
  var numbers = UIDTable<TypedNumber>()
  var taggedIndexes = TrivialArray<UInt32>()
}
