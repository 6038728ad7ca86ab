// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

extension String {
  /// Returns whether the first bytes of this text are those of `prefix`.
  ///
  /// `hasPrefix` compares by canonical equivalence. It reads the whole text to find where its first letter ends, and
  /// normalizes it on the way.
  package func hasBytePrefix(_ prefix: String) -> Bool {
    let count = prefix.utf8.count
    return utf8.count >= count && utf8.span.extracting(first: count).hasSameBytes(as: prefix.utf8.span)
  }

  /// Returns the number that follows `prefix`, if this text is the prefix and a number in its shortest form.
  ///
  /// Collections in an older layout store their elements under such keys: `NS.object.0`, `NS.object.1` and so on.
  package func number(after prefix: String) -> Int? {
    // Longer texts are no numbers that an `Int` holds.
    guard utf8.count - prefix.utf8.count <= 19, hasBytePrefix(prefix) else { return nil }
    let digits = utf8.dropFirst(prefix.utf8.count)
    var number = 0
    for digit in digits {
      guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
      let (tens, tooMany) = number.multipliedReportingOverflow(by: 10)
      let (sum, tooLarge) = tens.addingReportingOverflow(Int(digit - UInt8(ascii: "0")))
      guard !tooMany, !tooLarge else { return nil }
      number = sum
    }
    guard let first = digits.first, first != UInt8(ascii: "0") || digits.count == 1 else { return nil }
    return number
  }
}
