// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
@_spi(Archiving) import PropertyListFormat

/// Writes what an archiver has collected as a binary property list, in one pass over the entries.
///
/// In the file a container's references precede what they refer to. Their numbers follow from the order of writing alone:
/// a container first claims the numbers of what will be written behind it, while its references are written, and then
/// has that written. Only the references of `$objects` itself and of the outermost dictionary are filled in later.
///
/// Which equal values are one object, and which are written again as copies that nothing refers to, is the layout's.
struct ArchiveWriter: ~Copyable {
  /// What was collected. The writer reads it where it is; nothing changes it meanwhile.
  private let storage: CoderStorage<ArchiverState>
  @inline(__always)
  var state: ArchiverState { _read { yield storage.state } }
  private let top: ArchiverState.TopLevel
  let layout: ArchiveLayout
  private var out: BinaryWriter
  /// Where the arrays and tables below begin.
  private let firstBlock: SmallArena
  /// The number that the next object claimed will have.
  var next: UInt32 = 0
  /// What claimed a number and is not written yet, in order.
  var pending: TrivialArray<Pending>
  /// The class names of the class record in work: the numbers they have, and which of them are to be written.
  var names: TrivialArray<ReservedName>
  private var typeInWork = 0

  // The numbers of objects that are shared. 0 stands for none: it is the outermost dictionary's.
  var keyNumbers: TrivialArray<UInt32>
  /// Where in the file the key references of a shape stand that was written before.
  private var keyReferences: TrivialArray<Int>
  var uidNumbers: TrivialArray<UInt32>
  var booleanNumbers: (false: UInt32, true: UInt32) = (0, 0)
  var numbers: UIDTable<TypedNumber>
  var taggedStrings: UIDTable<TaggedString>
  var sharedTexts: [BytewiseString: UInt32] = [:]
  var sharedData: [FullyHashedData: UInt32] = [:]
  /// The numbers of what was read from other archives, by where it came from.
  var readNumbers = UIDTable<UInt64>()
  /// Those among them that equal plain values share.
  var bridged: Set<UInt32> = []
  /// The plain keys that are the same strings as keys that were read.
  var bridgedKeys: Set<Int32> = []

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

  /// The archive's bytes.
  static func write(_ storage: CoderStorage<ArchiverState>, archiverName: String) -> Data {
    let top = storage.state.addTopLevel()
    // The width of references depends on the number of objects, which is known for sure only afterwards. Nearly always
    // this bound gives the right one at once.
    var bound = storage.state.boundOfObjectCount
    while true {
      var writer = ArchiveWriter(storage, top, objectCount: bound)
      writer.writeAll(archiverName: archiverName)
      if BinaryLayout.width(of: UInt64(writer.next)) == writer.out.referenceWidth { return writer.out.finish(top: 0) }
      bound = Int(writer.next)
    }
  }

  private init(_ storage: CoderStorage<ArchiverState>, _ top: ArchiverState.TopLevel, objectCount: Int) {
    self.storage = storage
    self.top = top
    layout = storage.state.layout
    let byteCount = storage.state.byteCount(referenceWidth: BinaryLayout.width(of: UInt64(objectCount)))
    out = BinaryWriter(objectCount: objectCount, byteCount: byteCount)
    let keyCount = storage.state.tree.texts.count
    let entryCount = storage.state.entries.count
    let shapeCount = storage.state.tree.shapes.count
    // What a file of a few objects takes.
    var block = SmallArena(1016)
    pending = TrivialArray(16, from: &block)
    numbers = UIDTable(from: &block)
    taggedStrings = UIDTable(from: &block)
    keyNumbers = TrivialArray(repeating: 0, count: keyCount, from: &block)
    uidNumbers = TrivialArray(repeating: 0, count: entryCount, from: &block)
    keyReferences = TrivialArray(repeating: 0, count: shapeCount, from: &block)
    names = TrivialArray(8, from: &block)
    firstBlock = block
  }

  private mutating func writeAll(archiverName: String) {
    let order = layout.envelopeOrder
    _ = reserveIndex()
    out.beginContainer(BinaryLayout.dictionary, count: order.count)
    let offset = out.skipReferences(2 * order.count)
    for place in 0..<order.count { out.fill(reserveIndex(), place, from: offset) }
    out.put(layout.envelopeKeys)
    for (place, key) in order.enumerated() {
      out.fill(next, order.count + place, from: offset)
      switch key {
      case .version:
        _ = reserveIntegerIndex(100_000, .int32)
        flush()
      case .archiver:
        _ = reserveIndex()
        out.put(archiverName)
      case .top: writeDictionary(top.shape, top.firstSlot)
      case .objects: writeObjects()
      }
    }
  }

  private mutating func writeObjects() {
    let count = state.entries.count
    _ = reserveIndex()
    out.beginContainer(BinaryLayout.array, count: count)
    let offset = out.skipReferences(count)
    for place in 0..<count { out.fill(write(state.entries[place]), place, from: offset) }
  }

  /// The number of the name at a place of the class record in work: its name, then its superclasses', then its hints.
  private mutating func reserveClassNameIndex(_ name: String, place: Int) -> ReservedName {
    reserveClassNameIndex(name, state.types[typeInWork].names.identity(place))
  }

  /// Writes one element of `$objects`, unless it is shared and stands already; returns its number.
  private mutating func write(_ entry: ArchiverState.Entry) -> UInt32 {
    let number: UInt32
    switch entry.kind {
    case .object:
      let number = next
      writeDictionary(entry.shape, entry.payload)
      return number
    case .string: number = reserveStringIndex(UInt64(entry.payload))
    case .null: number = reserveNullIndex()
    case .boolean: number = reserveBooleanIndex(entry.payload != 0)
    case .data: number = reserveDataIndex(UInt64(entry.payload))
    case .int8, .int16, .int32, .int64:
      number = reserveIntegerIndex(Int64(bitPattern: state.numberBits[entry.payload]), entry.kind)
    case .uint64: number = reserveUnsignedIndex(state.numberBits[entry.payload])
    case .float, .double: number = reserveRealIndex(state.numberBits[entry.payload], entry.kind, isInline: false)
    case .readValue: number = reserveReadIndex(state.readValues[entry.payload], isInline: false)
    case .classRecord: return writeClassRecord(entry.payload)
    }
    flush()
    return number
  }

  /// Writes a dictionary and all that it alone holds.
  @inline(__always)
  private mutating func writeDictionary(_ shapeNumber: Int, _ firstSlot: Int) {
    let shape = state.tree.shapes[shapeNumber]
    let places = Int(shape.start)..<Int(shape.start &+ shape.count)
    _ = reserveIndex()
    out.beginContainer(BinaryLayout.dictionary, count: places.count)
    let known = keyReferences[shapeNumber]
    if known != 0 {
      out.repeatReferences(places.count, from: known)
    } else {
      keyReferences[shapeNumber] = out.sink.count
      for place in places { out.put(reference: reserveKeyIndex(state.tree.order[place].text)) }
    }
    for place in places {
      let slotOfKey = state.tree.order[place].slot
      guard slotOfKey != KeyTrie.classSlot else {
        out.put(reference: reserveUIDIndex(state.types[Int(shape.type)].uid))
        continue
      }
      let slot = firstSlot &+ Int(slotOfKey)
      let payload = state.slots[slot]
      let number: UInt32
      switch state.slotKinds[slot] {
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
      case .readValue: number = reserveReadIndex(state.readValues[Int(truncatingIfNeeded: payload)], isInline: true)
      default: number = 0  // Object notes are all settled to UIDs when they become slots.
      }
      out.put(reference: number)
    }
    flush()
  }

  private mutating func writeClassRecord(_ typeNumber: Int) -> UInt32 {
    typeInWork = typeNumber
    let number = reserveIndex()
    let shapeNumber =
      !state.types[typeNumber].hints.isEmpty
      ? KeyTrie.hintedClassRecord
      : state.types[typeNumber].chain.isEmpty ? KeyTrie.namedClassRecord : KeyTrie.classRecord
    let shape = state.tree.shapes[Int(shapeNumber)]
    let places = Int(shape.start)..<Int(shape.start + shape.count)
    out.beginContainer(BinaryLayout.dictionary, count: places.count)
    for place in places { out.put(reference: reserveKeyIndex(state.tree.order[place].text)) }
    names.removeAll()
    for place in places {
      let key = state.tree.order[place]
      if key.slot == 0 {
        let name = reserveClassNameIndex(state.types[typeNumber].name, place: 0)
        names.append(name)
        if name.isNew { pending.append(Pending(kind: .className, payload: 0)) }
        out.put(reference: name.number)
      } else {
        out.put(reference: reserveIndex())
        let isChain = key.slot == 1
        pending.append(Pending(kind: isChain ? .chain : .hints, payload: UInt64(names.count)))
        let first = isChain ? 1 : 1 + state.types[typeNumber].chain.count
        let count = isChain ? state.types[typeNumber].chain.count : state.types[typeNumber].hints.count
        for place in 0..<count {
          let name = isChain ? state.types[typeNumber].chain[place] : state.types[typeNumber].hints[place]
          names.append(reserveClassNameIndex(name, place: first + place))
        }
      }
    }
    flush()
    return number
  }
}

extension ArchiveWriter {
  private mutating func flush() {
    for place in 0..<pending.count {
      let item = pending[place]
      switch item.kind {
      case .uid: out.put(uid: item.payload)
      case .string: out.put(state.strings[Int(truncatingIfNeeded: item.payload)])
      case .integer: out.put(Int64(bitPattern: item.payload))
      case .double: out.put(Double(bitPattern: item.payload))
      case .boolean: out.put(item.payload != 0)
      case .array: flushArray(item.payload)
      case .key: out.put(state.tree.texts[Int(truncatingIfNeeded: item.payload)])
      case .float: out.put(Float(bitPattern: UInt32(truncatingIfNeeded: item.payload)))
      case .data: out.put(data: state.data[Int(truncatingIfNeeded: item.payload)])
      case .wideInteger: out.put(wide: Int128(item.payload))
      case .null: out.put("$null")
      case .className: out.put(state.types[typeInWork].name)
      case .chain: flushClassNames(state.types[typeInWork].chain, from: Int(item.payload))
      case .hints: flushClassNames(state.types[typeInWork].hints, from: Int(item.payload))
      }
    }
    pending.removeAll()
  }

  private mutating func flushArray(_ payload: UInt64) {
    let start = Int(truncatingIfNeeded: payload >> 32)
    let count = Int(truncatingIfNeeded: payload & 0xFFFF_FFFF)
    out.beginContainer(BinaryLayout.array, count: count)
    for place in start..<start &+ count { out.put(reference: uidNumbers[Int(state.arrayElements[place])]) }
    for place in start..<start &+ count {
      let uid = state.arrayElements[place]
      let isFirst = uidNumbers[Int(uid)] == UInt32(truncatingIfNeeded: out.objectCount)
      if isFirst || layout != .compact { out.put(uid: UInt64(uid)) }
    }
  }

  /// Writes a list of class names, which were claimed from `start` on.
  private mutating func flushClassNames(_ list: [String], from start: Int) {
    out.beginContainer(BinaryLayout.array, count: list.count)
    for place in list.indices { out.put(reference: names[start + place].number) }
    for place in list.indices where names[start + place].isNew { out.put(list[place]) }
  }
}
