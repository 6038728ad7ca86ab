// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

extension PropertyList {
  /// Validates all objects that can be reached from the top object.
  ///
  /// After validation no object is damaged, no container contains itself, and a recursive traversal stays within
  /// ``ReadLimits/maximumDepth``. Each object is read once.
  /// - Throws: ``PropertyListError`` if an object is damaged. The code is ``PropertyListError/Code/cycle`` if a
  ///   container contains itself. It is ``PropertyListError/Code/keyIsNotAString`` if a key is not a string, and
  ///   ``PropertyListError/Code/limitReached`` if the list exceeds a limit.
  public func validate() throws(PropertyListError) {
    /// The depth of nested containers in each object, itself included; -1 if not visited, -2 during the visit.
    var heights = [Int32](repeating: -1, count: objectCount)
    var path: [Frame] = []
    // Objects can overlap in the file.
    var budget = expansionBudget
    try enter(top, &path, &heights, &budget)
    while var frame = path.popLast() {
      guard frame.next < frame.children.count else {
        heights[frame.ref.index] = frame.height
        if !path.isEmpty { path[path.count - 1].height = max(path[path.count - 1].height, frame.height + 1) }
        continue
      }
      let child = frame.children[frame.next]
      frame.next += 1
      guard child.index < heights.count else { throw .dangling(child, heights.count) }
      switch heights[child.index] {
      case -1:
        path.append(frame)
        try enter(child, &path, &heights, &budget)
      case -2: throw .cycle(child)
      case let height:
        frame.height = max(frame.height, height + 1)
        try check(depth: path.count + 1 + Int(height))
        path.append(frame)
      }
    }
  }

  /// A container on the path from the top object to the current one.
  private struct Frame {
    var ref: ObjectRef
    var children: [ObjectRef]
    var next = 0
    var height: Int32 = 1
  }

  private func enter(
    _ ref: ObjectRef, _ path: inout [Frame], _ heights: inout [Int32], _ budget: inout ExpansionBudget
  ) throws(PropertyListError) {
    switch try charged(ref, &budget) {
    case .uid(let value):
      try PropertyListError.check(uid: value)
      heights[ref.index] = 0
      return
    case .array(let elements), .set(let elements): path.append(Frame(ref: ref, children: elements))
    case .dictionary(let keys, let values):
      guard keys.count == values.count else { throw .unequalCounts(keys.count, values.count) }
      for key in keys {
        // Many dictionaries can share a long key, which is read once.
        if key.index < heights.count, heights[key.index] == 0, try isString(key) { continue }
        let name = try charged(key, &budget)
        guard case .string = name else { throw .invalidKey(name, in: ref) }
        heights[key.index] = 0
      }
      path.append(Frame(ref: ref, children: values))
    default:
      heights[ref.index] = 0
      return
    }
    heights[ref.index] = -2
    try check(depth: path.count)
  }

  /// Returns whether an object that was visited before is a string.
  private func isString(_ ref: ObjectRef) throws(PropertyListError) -> Bool {
    if let item = try storedItem(ref) { return item.kind == .ascii || item.kind == .utf16 }
    if case .string = try object(ref) { return true }
    return false
  }

  /// The budget for one pass over all objects.
  var expansionBudget: ExpansionBudget {
    ExpansionBudget(byteCount: Int64(byteCount), editedWeight: editedWeight, limits: limits)
  }

  /// Returns an object after charging its cost.
  private func charged(
    _ ref: ObjectRef, _ budget: inout ExpansionBudget
  ) throws(PropertyListError) -> PropertyListObject {
    let object = try object(ref)
    guard budget.take(object.weight) else { throw tooLarge() }
    return object
  }

  /// Returns the error for overlapping objects that exceed the expansion budget.
  package func tooLarge() -> PropertyListError { .tooLarge("overlapping objects would take", limits, bytes.count) }

  private func check(depth: Int) throws(PropertyListError) {
    if depth > limits.maximumDepth { throw .tooDeep(limits.maximumDepth) }
  }
}
