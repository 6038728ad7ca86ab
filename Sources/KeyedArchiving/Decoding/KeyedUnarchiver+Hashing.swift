// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

// Dictionaries and sets of Swift hash their keys and elements by Swift's own rules, which take too long for a text with
// a long run of combining marks. So each text that is decoded for one is checked, wherever in a key or element it is.
extension KeyedUnarchiver {
  /// Decodes keys of a dictionary or elements of a set.
  func hashing<Value>(_ body: () throws -> Value) rethrows -> Value {
    guard !isHashing else { return try body() }
    isHashing = true
    swap(&keptValues, &keptHashedValues)
    defer {
      isHashing = false
      swap(&keptValues, &keptHashedValues)
    }
    return try body()
  }

  /// Checks a value that may be a text and may be about to be hashed.
  @inline(__always)
  func checkHashed<Value>(_ value: Value) throws {
    if isHashing { try checkText(value) }
  }

  @inline(never)
  private func checkText<Value>(_ value: Value) throws {
    guard let text = value as? String, !MarkRun.isBounded(text) else { return }
    throw unhashable(text)
  }

  /// The error for a text that would take too long to hash.
  func unhashable(_ text: String) -> KeyedArchiveError {
    KeyedArchiveError(
      .limitReached,
      "a text to be hashed has a run of too many combining marks: found '\(MessageText.plain(MessageText.shortened(text, to: 12)))', "
        + "\(text.utf8.count) bytes; expected at most \(MarkRun.longest) marks in a row",
      keyPath: storage.state.keyPath(),
      remedy: "Ask for ArchivedDictionary or ArchivedArray, which hash no text, or read the file as a KeyedArchive")
  }
}
