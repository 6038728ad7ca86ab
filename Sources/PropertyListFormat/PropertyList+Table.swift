// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

extension PropertyList {
  /// A binary list whose object table holds exactly these rows in this order, also those that nothing refers to.
  ///
  /// It is how a list that was taken apart row by row is put together again, so that ``data(format:)`` gives the same bytes.
  /// - Parameters:
  ///   - rows: the objects; references are indexes into this array.
  ///   - top: the outermost object.
  ///   - limits: how much may be spent on it.
  /// - Throws: ``PropertyListError`` with code ``PropertyListError/Code/badReference`` for a reference to no row, or as
  ///   ``init(_:limits:)``.
  public init(
    table rows: [PropertyListObject], top: ObjectRef, limits: ReadLimits = .default
  ) throws(PropertyListError) {
    guard let first = rows.first, rows.count < Int32.max else {
      throw PropertyListError(.badCount, "an object table has 1 to \(Int32.max - 1) rows, this one has \(rows.count)")
    }
    func check(_ refs: [ObjectRef]) throws(PropertyListError) {
      for ref in refs where ref.index >= rows.count {
        throw PropertyListError(.badReference, "no \(ref) in a table of \(rows.count)")
      }
    }
    try check([top])
    var list = try PropertyList(top: first)
    for (index, row) in rows.enumerated() {
      switch row {
      case .array(let refs), .set(let refs): try check(refs)
      case .dictionary(let keys, let values):
        guard keys.count == values.count else {
          throw PropertyListError(.badCount, "a dictionary has \(keys.count) keys and \(values.count) values")
        }
        try check(keys)
        try check(values)
      default: break
      }
      if index > 0 { _ = list.append(row) }
    }
    list.setTop(top)
    let order = (0..<UInt32(rows.count)).map(ObjectRef.init(rawValue:))
    let bytes = try Flattening(order: order, numbers: Array(0..<Int32(rows.count))).write(list)
    try self.init(bytes, limits: limits)
  }
}
