// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat

/// Writes what an archiver has collected as a binary property list, in one pass over the entries.
///
/// In the file a container's references precede what they refer to. Their numbers follow from the order of writing alone:
/// a container first claims the numbers of what will be written behind it, while its references are written, and then
/// has that written. Only the references of `$objects` itself and of the outermost dictionary are filled in later.
///
/// Which equal values are one object, and which are written again as copies that nothing refers to, is the layout's.
struct ArchiveWriter {
  private let state: ArchiverState
  private let shapes: EnvelopeShapes
  private let layout: ArchiveLayout
  private var out: BinaryWriter
  /// The number that the next object claimed will have.
  private var next: UInt32 = 0
  /// What claimed a number and is not written yet, in order.
  private var pending: [Pending] = []
  /// The class names of the class record in work.
  private var names: [(text: String, number: UInt32, isNew: Bool)] = []

  // The numbers of objects that are shared. 0 stands for none: it is the outermost dictionary's.
  private var keyNumbers: [UInt32]
  private var uidNumbers: [UInt32]
  private var booleanNumbers: (false: UInt32, true: UInt32) = (0, 0)
  private var numbers: [UIDTable<UInt64>]
  private var taggedStrings = UIDTable<TaggedString>()
  private var sharedTexts: [ExactText: UInt32] = [:]
  private var sharedData: [Data: UInt32] = [:]

  private struct Pending {
    enum Kind {
      case key, uid, boolean, integer, wideInteger, float, double, data, string, array, null, className, classNames
    }
    var kind: Kind
    var payload: UInt64
  }

  /// The shapes of the dictionaries that belong to the envelope.
  private struct EnvelopeShapes {
    var top: Int32
    /// Where the values of `$top` stand among the slots.
    var topSlots: Int
    var classRecord: Int32
    var mappedClassRecord: Int32

    init(_ state: inout ArchiverState) {
      // Of values encoded for the same key the last counts.
      var slotOfKey: [Int32: Int] = [:]
      for (slot, key) in state.topKeys.enumerated() { slotOfKey[state.tree.text(key)] = slot }
      let tops = slotOfKey.sorted { $0.value < $1.value }.map { (text: $0.key, slot: Int32($0.value)) }
      top = state.tree.addShape(tops)
      topSlots = state.slots.count
      state.slots.append(contentsOf: state.topNotes.map(\.payload))
      state.slotKinds.append(contentsOf: state.topNotes.map(\.kind))
      let name = (text: state.tree.text("$classname"), slot: Int32(0))
      let chain = (text: state.tree.text("$classes"), slot: Int32(1))
      classRecord = state.tree.addShape([name, chain])
      mappedClassRecord = state.tree.addShape([name])
    }
  }

  /// The archive's bytes.
  static func write(_ collected: consuming ArchiverState, archiverName: String) -> Data {
    var state = collected
    let shapes = EnvelopeShapes(&state)
    // The width of references depends on the number of objects, which is known for sure only afterwards. Nearly always
    // this bound gives the right one at once.
    // Each object has its `$class` besides its slots.
    var bound = 16 + 2 * state.entries.count + state.slots.count + state.arrayElements.count + state.tree.texts.count
    for type in state.types { bound += type.chain.count + 2 }
    while true {
      var writer = ArchiveWriter(state, shapes, objectCount: bound)
      writer.writeAll(archiverName: archiverName)
      if BinaryLayout.width(of: UInt64(writer.next)) == writer.out.referenceWidth { return writer.out.finish(top: 0) }
      bound = Int(writer.next)
    }
  }

  private init(_ state: ArchiverState, _ shapes: EnvelopeShapes, objectCount: Int) {
    self.state = state
    self.shapes = shapes
    layout = state.layout
    out = BinaryWriter(
      objectCount: objectCount,
      byteCount: Self.byteCount(state, referenceWidth: BinaryLayout.width(of: UInt64(objectCount))))
    keyNumbers = [UInt32](repeating: 0, count: state.tree.texts.count)
    uidNumbers = [UInt32](repeating: 0, count: state.entries.count)
    numbers = [UIDTable<UInt64>](repeating: UIDTable(), count: ArchiverState.Entry.Kind.numbers.count)
  }

  /// About how many bytes the objects take, rather too many than too few: growing a large buffer copies it.
  private static func byteCount(_ state: ArchiverState, referenceWidth: Int) -> Int {
    let uidSize = 1 + BinaryLayout.width(of: UInt64(state.entries.count))
    var size = 4096 + state.entries.count * (3 + 3 * referenceWidth + uidSize)
    size += state.arrayElements.count * (uidSize + referenceWidth) + state.slots.count * 2 * referenceWidth
    for kind in state.slotKinds {
      switch kind {
      case .uid: size += uidSize
      case .boolean: size += 1
      case .float: size += 5
      default: size += 9
      }
    }
    for entry in state.entries where entry.kind != .object { size += 9 }
    for text in state.strings { size += text.utf8.count + 3 }
    for data in state.data { size += data.count }
    for text in state.tree.texts { size += text.utf8.count + 3 }
    return size
  }

  private mutating func writeAll(archiverName: String) {
    let order = layout.envelopeOrder
    _ = claim()
    out.beginContainer(BinaryLayout.dictionary, count: order.count)
    let offset = out.skipReferences(2 * order.count)
    var references: [UInt32] = []
    for key in order {
      references.append(claim())
      out.put(key.rawValue)
    }
    for key in order {
      references.append(next)
      switch key {
      case .version:
        _ = claimInteger(100_000, .int32)
        flush()
      case .archiver:
        _ = claim()
        out.put(archiverName)
      case .top: writeDictionary(Int(shapes.top), shapes.topSlots)
      case .objects: writeObjects()
      }
    }
    out.fill(references, from: offset)
  }

  private mutating func writeObjects() {
    let count = state.entries.count
    _ = claim()
    out.beginContainer(BinaryLayout.array, count: count)
    let offset = out.skipReferences(count)
    var references: [UInt32] = []
    references.reserveCapacity(count)
    for place in 0..<count { references.append(write(state.entries[place])) }
    out.fill(references, from: offset)
  }

  /// Writes one element of `$objects`, unless it is shared and stands already; returns its number.
  private mutating func write(_ entry: ArchiverState.Entry) -> UInt32 {
    let number: UInt32
    switch entry.kind {
    case .object:
      let number = next
      writeDictionary(entry.shape, entry.payload)
      return number
    case .string: number = claimString(UInt64(entry.payload))
    case .null: number = claimNull()
    case .boolean: number = claimBoolean(entry.payload != 0)
    case .data: number = claimData(UInt64(entry.payload))
    case .int8, .int16, .int32, .int64:
      number = claimInteger(Int64(bitPattern: state.numberBits[entry.payload]), entry.kind)
    case .uint64: number = claimUnsigned(state.numberBits[entry.payload])
    case .float, .double: number = claimReal(state.numberBits[entry.payload], entry.kind, isInline: false)
    case .classRecord: return writeClassRecord(state.types[entry.payload])
    }
    flush()
    return number
  }

  /// Writes a dictionary and all that it alone holds.
  @inline(__always)
  private mutating func writeDictionary(_ shape: Int, _ firstSlot: Int) {
    let shape = state.tree.shapes[shape]
    let places = shape.start..<shape.start &+ shape.count
    _ = claim()
    out.beginContainer(BinaryLayout.dictionary, count: shape.count)
    for place in places { out.put(reference: claimKey(state.tree.order[place].text)) }
    for place in places {
      let slotOfKey = state.tree.order[place].slot
      guard slotOfKey != KeyTree.classSlot else {
        out.put(reference: claimUID(state.types[Int(shape.type)].uid))
        continue
      }
      let slot = firstSlot &+ Int(slotOfKey)
      let payload = state.slots[slot]
      let number: UInt32
      switch state.slotKinds[slot] {
      case .uid: number = claimUID(UInt32(truncatingIfNeeded: payload))
      case .int64: number = claimInteger(Int64(bitPattern: payload), .int64)
      case .int32: number = claimInteger(Int64(bitPattern: payload), .int32)
      case .double: number = claimReal(payload, .double, isInline: true)
      case .float: number = claimReal(payload, .float, isInline: true)
      case .boolean: number = claimBoolean(payload != 0)
      case .array: number = claimArray(payload)
      case .bytes: number = claimData(payload)
      case .text: number = claimString(payload)
      default: number = 0  // Object notes are all settled to UIDs when they become slots.
      }
      out.put(reference: number)
    }
    flush()
  }

  private mutating func writeClassRecord(_ type: ArchivedType) -> UInt32 {
    let number = claim()
    let shape = state.tree.shapes[Int(type.chain.isEmpty ? shapes.mappedClassRecord : shapes.classRecord)]
    let order = state.tree.order[shape.start..<shape.start + shape.count]
    out.beginContainer(BinaryLayout.dictionary, count: shape.count)
    for key in order { out.put(reference: claimKey(key.text)) }
    names.removeAll(keepingCapacity: true)
    for key in order {
      if key.slot == 0 {
        let number = claimClassName(type.name)
        if names[0].isNew { pending.append(Pending(kind: .className, payload: 0)) }
        out.put(reference: number)
      } else {
        out.put(reference: claim())
        pending.append(Pending(kind: .classNames, payload: UInt64(names.count)))
        for name in type.chain { _ = claimClassName(name) }
      }
    }
    flush()
    return number
  }
}

// MARK: Claiming numbers

extension ArchiveWriter {
  /// The number of an object that will be written next but for those already claimed.
  @inline(__always)
  private mutating func claim() -> UInt32 {
    next &+= 1
    return next &- 1
  }

  @inline(__always)
  private mutating func claim(_ kind: Pending.Kind, _ payload: UInt64) -> UInt32 {
    pending.append(Pending(kind: kind, payload: payload))
    return claim()
  }

  /// Keys are constants of the program: one string for each text.
  @inline(__always)
  private mutating func claimKey(_ text: Int32) -> UInt32 {
    let known = keyNumbers[Int(text)]
    if known != 0 { return known }
    let number = claim(.key, UInt64(truncatingIfNeeded: text))
    keyNumbers[Int(text)] = number
    return number
  }

  /// UIDs of equal value are one object, which is written again each time it is met.
  @inline(__always)
  private mutating func claimUID(_ uid: UInt32) -> UInt32 {
    let known = uidNumbers[Int(uid)]
    if known != 0 {
      if layout != .compact { _ = claim(.uid, UInt64(uid)) }
      return known
    }
    let number = claim(.uid, UInt64(uid))
    uidNumbers[Int(uid)] = number
    return number
  }

  /// So are booleans.
  private mutating func claimBoolean(_ value: Bool) -> UInt32 {
    let known = value ? booleanNumbers.true : booleanNumbers.false
    if known != 0 {
      if layout != .compact { _ = claim(.boolean, value ? 1 : 0) }
      return known
    }
    let number = claim(.boolean, value ? 1 : 0)
    if value { booleanNumbers.true = number } else { booleanNumbers.false = number }
    return number
  }

  /// The numbers of the elements follow that of the array; they are written with it.
  private mutating func claimArray(_ payload: UInt64) -> UInt32 {
    let number = claim(.array, payload)
    let start = Int(truncatingIfNeeded: payload >> 32)
    for place in start..<start &+ Int(truncatingIfNeeded: payload & 0xFFFF_FFFF) {
      let uid = Int(state.arrayElements[place])
      if uidNumbers[uid] == 0 {
        uidNumbers[uid] = claim()
      } else if layout != .compact {
        _ = claim()
      }
    }
    return number
  }

  /// Integers that fit a tagged pointer are one object for each type and value, inside objects and as objects.
  private mutating func claimInteger(_ value: Int64, _ kind: ArchiverState.Entry.Kind) -> UInt32 {
    let bits = UInt64(bitPattern: value)
    if layout == .compact { return claimShared(bits, .int64, .integer) }
    guard value >= -(1 << 55), value < 1 << 55 else { return claim(.integer, bits) }
    return claimShared(bits, kind, .integer)
  }

  /// Unsigned 64-bit numbers are written with 16 bytes by recent systems, and by older ones when they must.
  private mutating func claimUnsigned(_ value: UInt64) -> UInt32 {
    let isWide = layout == .apple || value > UInt64(Int64.max)
    guard isWide || layout != .compact else { return claimInteger(Int64(bitPattern: value), .int64) }
    return layout == .compact
      ? claimShared(value, .uint64, .wideInteger) : claim(isWide ? .wideInteger : .integer, value)
  }

  /// Of the reals, 0 and 1 are one object each when they are stored inside an object.
  private mutating func claimReal(_ bits: UInt64, _ kind: ArchiverState.Entry.Kind, isInline: Bool) -> UInt32 {
    let one = kind == .float ? UInt64(Float(1).bitPattern) : Double(1).bitPattern
    let isShared = layout == .compact || (isInline && (bits == 0 || bits == one))
    let pendingKind: Pending.Kind = kind == .float ? .float : .double
    return isShared ? claimShared(bits, kind, pendingKind) : claim(pendingKind, bits)
  }

  private mutating func claimShared(
    _ bits: UInt64, _ kind: ArchiverState.Entry.Kind, _ pendingKind: Pending.Kind
  ) -> UInt32 {
    let table = Int(kind.rawValue &- ArchiverState.Entry.Kind.int8.rawValue)
    let (slot, isNew) = numbers[table].slot(of: bits)
    if isNew { numbers[table].uids[slot] = claim(pendingKind, bits) }
    return numbers[table].uids[slot]
  }

  private mutating func claimData(_ place: UInt64) -> UInt32 {
    guard layout == .compact else { return claim(.data, place) }
    let data = state.data[Int(place)]
    if let known = sharedData[data] { return known }
    let number = claim(.data, place)
    sharedData[data] = number
    return number
  }

  /// Short strings are one object for each text; of longer ones only the archiver knows which are.
  @inline(__always)
  private mutating func claimString(_ place: UInt64) -> UInt32 {
    let text = state.strings[Int(truncatingIfNeeded: place)]
    let (number, isNew) = claimText(text, isConstant: layout == .compact)
    if isNew { pending.append(Pending(kind: .string, payload: place)) }
    return number
  }

  private mutating func claimClassName(_ name: String) -> UInt32 {
    let isConstant = layout == .compact || SharedStrings.isConstantClassName(name)
    let (number, isNew) = claimText(name, isConstant: isConstant)
    names.append((name, number, isNew))
    return number
  }

  @inline(__always)
  private mutating func claimText(_ text: String, isConstant: Bool) -> (number: UInt32, isNew: Bool) {
    if let tagged = SharedStrings.tagged(text) {
      let (slot, isNew) = taggedStrings.slot(of: tagged)
      if isNew { taggedStrings.uids[slot] = claim() }
      return (taggedStrings.uids[slot], isNew)
    }
    guard isConstant else { return (claim(), true) }
    let exact = ExactText(text)
    if let known = sharedTexts[exact] { return (known, false) }
    let number = claim()
    sharedTexts[exact] = number
    return (number, true)
  }

  private mutating func claimNull() -> UInt32 {
    let (number, isNew) = claimText("$null", isConstant: true)
    if isNew { pending.append(Pending(kind: .null, payload: 0)) }
    return number
  }
}

// MARK: Writing what was claimed

extension ArchiveWriter {
  private mutating func flush() {
    for item in pending {
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
      case .className: out.put(names[0].text)
      case .classNames: flushClassNames(from: Int(item.payload))
      }
    }
    pending.removeLast(pending.count)
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

  private mutating func flushClassNames(from start: Int) {
    out.beginContainer(BinaryLayout.array, count: names.count - start)
    for name in names[start...] { out.put(reference: name.number) }
    for name in names[start...] where name.isNew { out.put(name.text) }
  }
}
