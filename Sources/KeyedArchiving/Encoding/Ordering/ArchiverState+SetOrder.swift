// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

// Orders the elements of sets, and the entries of dictionaries whose keys are neither strings nor numbers, after
// everything is recorded. <doc:OrderOfSets> describes the algorithm.
extension ArchiverState {
  /// Orders the elements of all unordered arrays by the archived contents alone, and merges decoded values with equal
  /// plain ones. Lets conditional references to replaced objects refer to the replacements. Then it assigns UIDs as if
  /// everything had been recorded in this order. Returns at once for archives without any of these.
  mutating func finishOrder() {
    trie.findSharedKeys()
    let shared = decodedPrimitives.isEmpty ? [:] : sharedDecodedPrimitives()
    guard !unorderedArrays.isEmpty || !shared.isEmpty || !finalUIDs.isEmpty else { return }
    redirectReservedUIDs()
    orderSets()
    renumber(sharing: shared)
    for array in unorderedArrays {
      fieldKinds[array.field] = .array
      if array.isPaired { fieldKinds[array.field + 1] = .array }
    }
    unorderedArrays = []
  }

  private mutating func orderSets() {
    for array in unorderedArrays {
      fieldKinds[array.field] = array.isPaired ? .keys : .set
      if array.isPaired { fieldKinds[array.field + 1] = .values }
    }
    guard !unorderedArrays.isEmpty else { return }
    let ranks = KeyLayoutRanks(self)
    var ties: [TiedElements] = []
    for array in unorderedArrays { sortByContents(array, ranks, &ties) }
    if !ties.isEmpty { order(ties, ranks) }
  }

  /// Sorts an array by the contents of its elements and of nearby objects. Appends the elements that remain equal to
  /// `ties`.
  private mutating func sortByContents(_ array: UnorderedArray, _ ranks: KeyLayoutRanks, _ ties: inout [TiedElements]) {
    let positions = elements(ofArray: array.field)
    guard positions.count > 1 else { return }
    let distance = array.isPaired ? elements(ofArray: array.field + 1).lowerBound - positions.lowerBound : nil
    func compare(_ a: ElementPair, _ b: ElementPair) -> Int {
      let keys = compareNearby(a.key, b.key, ranks)
      return keys != 0 || distance == nil ? keys : compareNearby(a.value, b.value, ranks)
    }
    // Swift's order of a set is random. In the order of recording, the elements are adjacent in memory, here and in all
    // later steps.
    var pairs = takePairs(positions, distance).sorted { $0.key < $1.key }
    let runs = pairs.sortIntoRuns(by: compare)
    put(pairs, positions, distance)
    for run in runs where run.count > 1 {
      ties.append(
        TiedElements(
          field: array.field, owner: array.owner,
          positions: positions.lowerBound + run.lowerBound..<positions.lowerBound + run.upperBound,
          distanceToValues: distance))
    }
  }

  /// An element of a set, with the value 0, or a key of a dictionary and its value.
  private struct ElementPair {
    var key: UInt32
    var value: UInt32 = 0
    /// Whether each reference is conditional.
    var isConditional = (key: false, value: false)
  }

  private func takePairs(_ positions: Range<Int>, _ distance: Int?) -> [ElementPair] {
    positions.map { index in
      var pair = ElementPair(key: arrayElements[index])
      pair.isConditional.key = conditionalElements.contains(index)
      if let distance {
        pair.value = arrayElements[index + distance]
        pair.isConditional.value = conditionalElements.contains(index + distance)
      }
      return pair
    }
  }

  private mutating func put(_ pairs: [ElementPair], _ positions: Range<Int>, _ distance: Int?) {
    for (index, pair) in zip(positions, pairs) {
      put(pair.key, index, isConditional: pair.isConditional.key)
      if let distance { put(pair.value, index + distance, isConditional: pair.isConditional.value) }
    }
  }

  private mutating func put(_ uid: UInt32, _ index: Int, isConditional: Bool) {
    arrayElements[index] = uid
    guard !conditionalElements.isEmpty || isConditional else { return }
    if isConditional { conditionalElements.insert(index) } else { conditionalElements.remove(index) }
  }

  // MARK: Ties

  /// Orders tied elements by the references to and from them.
  private mutating func order(_ ties: [TiedElements], _ ranks: KeyLayoutRanks) {
    let tiesOfField = Dictionary(grouping: ties.indices) { ties[$0].field }
    let identified = identifiedObjects(ties, tiesOfField)
    let positions = TiedGraph(self, ties, tiesOfField, identified, ranks).positions()
    for tie in ties {
      let pairs = takePairs(tie.positions, tie.distanceToValues).sorted { a, b in
        let (first, second) = (positions[Int(a.key)], positions[Int(b.key)])
        return first != second ? first < second : positions[Int(a.value)] < positions[Int(b.value)]
      }
      put(pairs, tie.positions, tie.distanceToValues)
    }
  }

  /// Numbers the identified objects: those that have a key path that depends on the archived contents alone. Numbers
  /// start at 1, in the order of these paths. All other objects, which only tied elements refer to, have 0.
  private func identifiedObjects(_ ties: [TiedElements], _ tiesOfField: [Int: [Int]]) -> [UInt32] {
    var numbers = [UInt32](repeating: 0, count: entries.count)
    var found: [UInt32] = []
    func identify(_ uid: UInt32) {
      guard uid != 0, numbers[Int(uid)] == 0 else { return }
      found.append(uid)
      numbers[Int(uid)] = UInt32(found.count)
    }
    for index in 0..<topRecords.count where topRecords[index].kind.isUID {
      identify(UInt32(topRecords[index].payload))
    }
    var done = 0
    func follow() {
      while done < found.count {
        forEachReference(of: found[done], tiesOfField, ties) { reference in
          if !reference.isTied { identify(reference.target) }
        }
        done += 1
      }
    }
    follow()
    // If all but one of the tied elements are identified elsewhere, so is the last; and a key identifies its value.
    // Three rounds find nearly all of these. Refinement finds the others at a higher cost.
    for _ in 0..<3 {
      let count = found.count
      let known = ties.indices.filter { numbers[Int(ties[$0].owner)] != 0 }
        .sorted {
          (numbers[Int(ties[$0].owner)], ties[$0].positions.lowerBound)
            < (numbers[Int(ties[$1].owner)], ties[$1].positions.lowerBound)
        }
      for tie in known.map({ ties[$0] }) {
        let pairs = takePairs(tie.positions, tie.distanceToValues)
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
    /// A label that interchangeable references share.
    var label: UInt32
    var isTied = false
    /// The value of a tied key.
    var pairedTarget: UInt32?
  }

  /// Calls a closure for each reference of an object that is not nil, in order. A tied key can be nil, because its value
  /// is not. A replacement can be nil, and so can an element of a decoded array.
  func forEachReference(
    of uid: UInt32, _ tiesOfField: [Int: [Int]], _ ties: [TiedElements], _ body: (ObjectReference) -> Void
  ) {
    var label: UInt32 = 0
    for field in fields(of: uid) {
      switch fieldKinds[field] {
      case .uid, .conditionalUID:
        if fields[field] != 0 {
          body(ObjectReference(target: UInt32(truncatingIfNeeded: fields[field]), label: label))
        }
        label += 1
      case .array:
        for index in elements(ofArray: field) {
          if arrayElements[index] != 0 { body(ObjectReference(target: arrayElements[index], label: label)) }
          label += 1
        }
      case .set, .keys:
        guard !elements(ofArray: field).isEmpty else { continue }
        forEachElement(ofUnordered: field, tiesOfField[field, default: []].map { ties[$0] }, &label, body)
      default: break
      }
    }
  }

  private func forEachElement(
    ofUnordered field: Int, _ ties: [TiedElements], _ label: inout UInt32, _ body: (ObjectReference) -> Void
  ) {
    let positions = elements(ofArray: field)
    let distance = fieldKinds[field] == .keys ? elements(ofArray: field + 1).lowerBound - positions.lowerBound : nil
    var next = ties.startIndex
    for index in positions {
      if next < ties.endIndex, index >= ties[next].positions.upperBound { next += 1 }
      let isTied = next < ties.endIndex && ties[next].positions.contains(index)
      var reference = ObjectReference(target: arrayElements[index], label: label, isTied: isTied)
      if isTied {
        reference.label = label - UInt32(2 * (index - ties[next].positions.lowerBound))
        if let distance { reference.pairedTarget = arrayElements[index + distance] }
        if reference.target != 0 || distance != nil { body(reference) }
      } else {
        if reference.target != 0 { body(reference) }
        if let distance, arrayElements[index + distance] != 0 {
          body(ObjectReference(target: arrayElements[index + distance], label: label + 1))
        }
      }
      label += 2
    }
  }
}

/// An array of references whose order is not the caller's: the elements of a Swift set, or the keys of a dictionary.
///
/// They were recorded in Swift's order, which differs between processes.
struct UnorderedArray {
  /// The array's index in ``ArchiverState/fields``.
  let field: Int
  /// Whether the array in the next field has a value for each of these keys.
  let isPaired: Bool
  /// The object that has the array.
  let owner: UInt32

  init(field: Int, _ head: RecordedValue.ArrayHead, of owner: UInt32) {
    self.field = field
    isPaired = head.order == .anyWithNext
    self.owner = owner
  }
}

/// Elements of an unordered array whose contents, and those of nearby objects, are equal.
struct TiedElements {
  let field: Int
  let owner: UInt32
  /// Their positions in ``ArchiverState/arrayElements``.
  let positions: Range<Int>
  /// The distance from each key to its value; nil for a set.
  let distanceToValues: Int?
}

extension ArchiverState {
  /// Records which elements of an array that will be stored next are conditional references.
  mutating func recordConditionalElements(_ positions: Range<Int>) {
    for (offset, index) in positions.enumerated() where records[index].kind == .conditionalUID {
      conditionalElements.insert(arrayElements.count + offset)
    }
  }
}
