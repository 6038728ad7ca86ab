// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

// The elements of sets, and the entries of dictionaries whose keys are neither strings nor numbers, are put in order when
// everything is recorded. <doc:OrderOfSets> describes how.
extension ArchiverState {
  /// Puts the elements of all unordered arrays in an order that depends on what is archived alone, finds out which values
  /// that were read are the same objects as equal plain ones, and numbers the objects as if they had been recorded like
  /// that. Does nothing for archives without either.
  mutating func finishOrder() {
    tree.findSharedKeys()
    let shared = sharedReadValues()
    guard !unorderedArrays.isEmpty || !shared.isEmpty else { return }
    orderSets()
    renumber(sharing: shared)
    for array in unorderedArrays {
      slotKinds[array.slot] = .array
      if array.isPaired { slotKinds[array.slot + 1] = .array }
    }
    unorderedArrays = []
  }

  private mutating func orderSets() {
    for array in unorderedArrays {
      slotKinds[array.slot] = array.isPaired ? .keys : .set
      if array.isPaired { slotKinds[array.slot + 1] = .values }
    }
    guard !unorderedArrays.isEmpty else { return }
    let ranks = ShapeRanks(self)
    var ties: [TiedElements] = []
    for array in unorderedArrays { sortByContents(array, ranks, &ties) }
    if !ties.isEmpty { order(ties, ranks) }
  }

  /// Sorts an array by what its elements and the objects near them hold, and adds those that this leaves alike to `ties`.
  private mutating func sortByContents(_ array: UnorderedArray, _ ranks: ShapeRanks, _ ties: inout [TiedElements]) {
    let places = elements(ofArray: array.slot)
    guard places.count > 1 else { return }
    let distance = array.isPaired ? elements(ofArray: array.slot + 1).lowerBound - places.lowerBound : nil
    func compare(_ a: ElementPair, _ b: ElementPair) -> Int {
      let keys = compareNearby(a.key, b.key, ranks)
      return keys != 0 || distance == nil ? keys : compareNearby(a.value, b.value, ranks)
    }
    // Swift enumerates a set at random. In the order in which they were recorded, the elements lie next to each other in
    // memory, here and in all that follows.
    var pairs = takePairs(places, distance).sorted { $0.key < $1.key }
    let runs = pairs.sortIntoRuns(by: compare)
    put(pairs, places, distance)
    for run in runs where run.count > 1 {
      ties.append(
        TiedElements(
          slot: array.slot, owner: array.owner,
          places: places.lowerBound + run.lowerBound..<places.lowerBound + run.upperBound, distanceToValues: distance))
    }
  }

  /// An element of a set, whose value is 0, or a key of a dictionary and its value.
  private struct ElementPair {
    var key: UInt32
    var value: UInt32 = 0
    /// Which of the references are conditional.
    var isConditional = (key: false, value: false)
  }

  private func takePairs(_ places: Range<Int>, _ distance: Int?) -> [ElementPair] {
    places.map { place in
      var pair = ElementPair(key: arrayElements[place])
      pair.isConditional.key = conditionalElements.contains(place)
      if let distance {
        pair.value = arrayElements[place + distance]
        pair.isConditional.value = conditionalElements.contains(place + distance)
      }
      return pair
    }
  }

  private mutating func put(_ pairs: [ElementPair], _ places: Range<Int>, _ distance: Int?) {
    for (place, pair) in zip(places, pairs) {
      put(pair.key, place, isConditional: pair.isConditional.key)
      if let distance { put(pair.value, place + distance, isConditional: pair.isConditional.value) }
    }
  }

  private mutating func put(_ uid: UInt32, _ place: Int, isConditional: Bool) {
    arrayElements[place] = uid
    guard !conditionalElements.isEmpty || isConditional else { return }
    if isConditional { conditionalElements.insert(place) } else { conditionalElements.remove(place) }
  }

  // MARK: Ties

  /// Puts elements in order that look the same, by how they refer to each other and are referred to.
  private mutating func order(_ ties: [TiedElements], _ ranks: ShapeRanks) {
    let tiesOfSlot = Dictionary(grouping: ties.indices) { ties[$0].slot }
    let identified = identifiedObjects(ties, tiesOfSlot)
    let positions = TiedGraph(self, ties, tiesOfSlot, identified, ranks).positions()
    for tie in ties {
      let pairs = takePairs(tie.places, tie.distanceToValues).sorted { a, b in
        let (first, second) = (positions[Int(a.key)], positions[Int(b.key)])
        return first != second ? first < second : positions[Int(a.value)] < positions[Int(b.value)]
      }
      put(pairs, tie.places, tie.distanceToValues)
    }
  }

  /// The objects to which a way leads that depends on what is archived alone, numbered from 1 on in the order of these ways;
  /// 0 for all others: what only tied elements lead to.
  private func identifiedObjects(_ ties: [TiedElements], _ tiesOfSlot: [Int: [Int]]) -> [UInt32] {
    var numbers = [UInt32](repeating: 0, count: entries.count)
    var found: [UInt32] = []
    func identify(_ uid: UInt32) {
      guard uid != 0, numbers[Int(uid)] == 0 else { return }
      found.append(uid)
      numbers[Int(uid)] = UInt32(found.count)
    }
    for place in 0..<topNotes.count where topNotes[place].kind == .uid || topNotes[place].kind == .conditionalUID {
      identify(UInt32(topNotes[place].payload))
    }
    var done = 0
    func follow() {
      while done < found.count {
        forEachReference(of: found[done], tiesOfSlot, ties) { reference in
          if !reference.isTied { identify(reference.target) }
        }
        done += 1
      }
    }
    follow()
    // Of tied elements the only one that was not identified elsewhere is identified by that, and the value of a key that was
    // by its key. What a few rounds do not find is found by refinement, at a higher cost.
    for _ in 0..<3 {
      let count = found.count
      let known = ties.indices.filter { numbers[Int(ties[$0].owner)] != 0 }
        .sorted {
          (numbers[Int(ties[$0].owner)], ties[$0].places.lowerBound)
            < (numbers[Int(ties[$1].owner)], ties[$1].places.lowerBound)
        }
      for tie in known.map({ ties[$0] }) {
        let pairs = takePairs(tie.places, tie.distanceToValues)
        let open = pairs.filter { numbers[Int($0.key)] == 0 }
        if open.count == 1, let last = open.first { identify(last.key) }
        for pair in pairs.filter({ numbers[Int($0.key)] != 0 }).sorted(by: {
          numbers[Int($0.key)] < numbers[Int($1.key)]
        }) { identify(pair.value) }
      }
      guard found.count > count else { break }
      follow()
    }
    return numbers
  }

  /// A reference of an object.
  struct ObjectReference {
    var target: UInt32
    /// The same number for references that are interchangeable so far.
    var label: UInt32
    var isTied = false
    /// The value that belongs to a tied key.
    var pairedTarget: UInt32?
  }

  /// Calls a closure for each reference of an object that is not nil, in order.
  func forEachReference(
    of uid: UInt32, _ tiesOfSlot: [Int: [Int]], _ ties: [TiedElements], _ body: (ObjectReference) -> Void
  ) {
    var label: UInt32 = 0
    for slot in slots(of: uid) {
      switch slotKinds[slot] {
      case .uid, .conditionalUID:
        if slots[slot] != 0 {
          body(ObjectReference(target: UInt32(truncatingIfNeeded: slots[slot]), label: label))
        }
        label += 1
      case .array:
        for place in elements(ofArray: slot) {
          body(ObjectReference(target: arrayElements[place], label: label))
          label += 1
        }
      case .set, .keys:
        guard !elements(ofArray: slot).isEmpty else { continue }
        forEachElement(ofUnordered: slot, tiesOfSlot[slot, default: []].map { ties[$0] }, &label, body)
      default: break
      }
    }
  }

  private func forEachElement(
    ofUnordered slot: Int, _ ties: [TiedElements], _ label: inout UInt32, _ body: (ObjectReference) -> Void
  ) {
    let places = elements(ofArray: slot)
    let distance = slotKinds[slot] == .keys ? elements(ofArray: slot + 1).lowerBound - places.lowerBound : nil
    var next = ties.startIndex
    for place in places {
      if next < ties.endIndex, place >= ties[next].places.upperBound { next += 1 }
      let isTied = next < ties.endIndex && ties[next].places.contains(place)
      var reference = ObjectReference(target: arrayElements[place], label: label, isTied: isTied)
      if isTied {
        reference.label = label - UInt32(2 * (place - ties[next].places.lowerBound))
        if let distance { reference.pairedTarget = arrayElements[place + distance] }
        body(reference)
      } else {
        body(reference)
        if let distance { body(ObjectReference(target: arrayElements[place + distance], label: label + 1)) }
      }
      label += 2
    }
  }
}
