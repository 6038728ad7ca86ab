// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

extension PropertyList {
  /// Reads everything that can be reached from the top, each row once, and throws what is wrong with it.
  ///
  /// Opening a list reads its frame only, and each row when it is asked for. This is for those who must know before they
  /// begin that no row is damaged, that nothing contains itself, and that a walk by recursion ends within the limits.
  /// - Throws: ``PropertyListError``: for a damaged row, ``PropertyListError/Code/cycle``,
  ///   ``PropertyListError/Code/keyIsNotAString``, or ``PropertyListError/Code/limitReached`` for containers that nest
  ///   deeper than ``ReadLimits/maximumDepth``.
  public func validate() throws(PropertyListError) {
    /// How deep containers nest in each row, itself included; -1 before it was looked at, -2 while it is.
    var heights = [Int32](repeating: -1, count: objectCount)
    var path: [Frame] = []
    // Rows may share their bytes.
    var limits = limits
    if isEdited { limits.maximumExpansion = .max }
    var room = ExpansionBudget(byteCount: bytes.count, limits: limits)
    try enter(top, &path, &heights, &room)
    while var frame = path.popLast() {
      guard frame.next < frame.children.count else {
        heights[frame.ref.index] = frame.height
        if !path.isEmpty { path[path.count - 1].height = max(path[path.count - 1].height, frame.height + 1) }
        continue
      }
      let child = frame.children[frame.next]
      frame.next += 1
      guard child.index < heights.count else {
        throw PropertyListError(.badReference, "\(frame.ref) refers to \(child), and there are \(heights.count) rows")
      }
      switch heights[child.index] {
      case -1:
        path.append(frame)
        try enter(child, &path, &heights, &room)
      case -2: throw PropertyListError(.cycle, "\(child) contains itself, and a property list has no circles")
      case let height:
        frame.height = max(frame.height, height + 1)
        try check(depth: path.count + 1 + Int(height))
        path.append(frame)
      }
    }
  }

  /// A container on the way from the top.
  private struct Frame {
    var ref: ObjectRef
    var children: [ObjectRef]
    var next = 0
    var height: Int32 = 1
  }

  private func enter(
    _ ref: ObjectRef, _ path: inout [Frame], _ heights: inout [Int32], _ room: inout ExpansionBudget
  ) throws(PropertyListError) {
    switch try weighed(ref, &room) {
    case .array(let elements), .set(let elements): path.append(Frame(ref: ref, children: elements))
    case .dictionary(let keys, let values):
      for key in keys {
        // Many dictionaries may share a long key, which is read once.
        if key.index < heights.count, heights[key.index] == 0, try isString(key) { continue }
        let name = try weighed(key, &room)
        guard case .string = name else {
          throw PropertyListError(
            .keyIsNotAString, "a key of the dictionary in \(ref) must be a string, it is of kind \(name.kindName)")
        }
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

  /// Whether the object in a row that was read before is a string.
  private func isString(_ ref: ObjectRef) throws(PropertyListError) -> Bool {
    if let item = try storedItem(ref) { return item.kind == .ascii || item.kind == .utf16 }
    if case .string = try object(ref) { return true }
    return false
  }

  private func weighed(_ ref: ObjectRef, _ room: inout ExpansionBudget) throws(PropertyListError) -> PropertyListObject
  {
    let object = try object(ref)
    guard room.take(object.weight) else { throw tooLarge() }
    return object
  }

  /// The error for rows that share their bytes many times over.
  func tooLarge() -> PropertyListError {
    PropertyListError(
      .limitReached,
      "the values of the list would take more than \(limits.maximumExpansion) times its \(bytes.count) bytes, for rows "
        + "share them many times over (maximumExpansion)")
  }

  private func check(depth: Int) throws(PropertyListError) {
    guard depth > limits.maximumDepth else { return }
    throw PropertyListError(.limitReached, "containers nest deeper than \(limits.maximumDepth) levels")
  }
}
