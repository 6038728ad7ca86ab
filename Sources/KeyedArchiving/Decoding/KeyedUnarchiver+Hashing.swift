// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

// Swift dictionaries and sets hash strings by Unicode rules, which take too long for a long run of combining marks.
// Therefore each string decoded as part of a key or an element is checked.
extension KeyedUnarchiver {
  /// Runs a step that decodes keys of a dictionary or elements of a set.
  func hashing<Value>(_ body: () throws -> Value) rethrows -> Value {
    guard !isHashing else { return try body() }
    isHashing = true
    swap(&valueCache, &hashedValueCache)
    defer {
      isHashing = false
      swap(&valueCache, &hashedValueCache)
    }
    return try body()
  }

  /// Checks a value that may be a string and may be hashed later.
  @inline(__always)
  func checkHashed<Value>(_ value: Value) throws {
    if isHashing { try checkText(value) }
  }

  @inline(never)
  private func checkText<Value>(_ value: Value) throws {
    guard let text = value as? String, !MarkRun.isBounded(text) else { return }
    throw unhashable(text)
  }

  /// Returns the error for a string that would take too long to hash.
  func unhashable(_ text: String) -> KeyedArchiveError {
    let found = MessageText.plain(MessageText.shortened(text, to: 12))
    return KeyedArchiveError(
      .limitReached,
      "a string to be hashed has a run of too many combining marks: found '\(found)', \(text.utf8.count) bytes; "
        + "expected at most \(MarkRun.longest) marks in a row",
      at: storage.state.place(),
      remedy: "Request ArchivedDictionary or ArchivedArray, which hash no strings, or read the file as a KeyedArchive")
  }
}

extension KeyedUnarchiver {
  /// Checks that different values can be inserted into a set or dictionary in linear time.
  /// - Throws: ``KeyedArchiveError`` with code ``KeyedArchiveError/Code/limitReached``.
  func checkHashes<Value: Hashable>(of values: [Value]) throws {
    guard !EqualHashes.areFew(in: values) else { return }
    throw KeyedArchiveError(
      .limitReached,
      "too many values of type \(Value.self) have the same hash: found more than \(EqualHashes.maximum)",
      at: storage.state.place(),
      remedy: "Request ArchivedDictionary or an array, which hash no elements, or read the file as a KeyedArchive")
  }
}
