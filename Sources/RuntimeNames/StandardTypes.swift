// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The types of the standard library that mangled names abbreviate, from `docs/ABI/Mangling.rst` of Swift.
enum StandardTypes {
  typealias Abbreviated = (kind: TypeGraph.Kind, name: String)

  /// The types after `S`.
  static let all = table([
    .structure: [
      "A": "AutoreleasingUnsafeMutablePointer", "a": "Array", "b": "Bool", "D": "Dictionary", "d": "Double",
      "f": "Float",
      "h": "Set", "I": "DefaultIndices", "i": "Int", "J": "Character", "N": "ClosedRange", "n": "Range",
      "O": "ObjectIdentifier", "P": "UnsafePointer", "p": "UnsafeMutablePointer", "R": "UnsafeBufferPointer",
      "r": "UnsafeMutableBufferPointer", "S": "String", "s": "Substring", "u": "UInt", "V": "UnsafeRawPointer",
      "v": "UnsafeMutableRawPointer", "W": "UnsafeRawBufferPointer", "w": "UnsafeMutableRawBufferPointer",
    ],
    .enumeration: ["q": "Optional"],
    .protocolType: [
      "B": "BinaryFloatingPoint", "E": "Encodable", "e": "Decodable", "F": "FloatingPoint",
      "G": "RandomNumberGenerator",
      "H": "Hashable", "j": "Numeric", "K": "BidirectionalCollection", "k": "RandomAccessCollection", "L": "Comparable",
      "l": "Collection", "M": "MutableCollection", "m": "RangeReplaceableCollection", "Q": "Equatable", "T": "Sequence",
      "t": "IteratorProtocol", "U": "UnsignedInteger", "X": "RangeExpression", "x": "Strideable",
      "Y": "RawRepresentable",
      "y": "StringProtocol", "Z": "SignedInteger", "z": "BinaryInteger",
    ],
  ])

  /// The types after `Sc`.
  static let ofConcurrency = table([
    .structure: [
      "C": "CheckedContinuation", "c": "UnsafeContinuation", "E": "CancellationError", "e": "UnownedSerialExecutor",
      "G": "TaskGroup", "g": "ThrowingTaskGroup", "J": "UnownedJob", "P": "TaskPriority", "S": "AsyncStream",
      "s": "AsyncThrowingStream", "T": "Task", "t": "UnsafeCurrentTask",
    ],
    .classType: ["M": "MainActor"],
    .protocolType: [
      "A": "Actor", "F": "Executor", "f": "SerialExecutor", "h": "TaskExecutor", "I": "AsyncIteratorProtocol",
      "i": "AsyncSequence",
    ],
  ])

  private static func table(_ types: [TypeGraph.Kind: [Unicode.Scalar: String]]) -> [UInt8: Abbreviated] {
    var table: [UInt8: Abbreviated] = [:]
    for (kind, names) in types {
      for (letter, name) in names { table[UInt8(ascii: letter)] = (kind, name) }
    }
    return table
  }

  /// The types that Apple's runtime names abbreviate, by name. They are the older ones, from `docs/ABI/OldMangling.rst`.
  static let inRuntimeNames: [(letter: Unicode.Scalar, kind: TypeGraph.Kind, name: String)] = [
    ("a", .structure, "Array"), ("b", .structure, "Bool"), ("c", .structure, "UnicodeScalar"),
    ("d", .structure, "Double"), ("f", .structure, "Float"), ("i", .structure, "Int"),
    ("V", .structure, "UnsafeRawPointer"), ("v", .structure, "UnsafeMutableRawPointer"),
    ("P", .structure, "UnsafePointer"), ("p", .structure, "UnsafeMutablePointer"),
    ("R", .structure, "UnsafeBufferPointer"), ("r", .structure, "UnsafeMutableBufferPointer"),
    ("S", .structure, "String"), ("u", .structure, "UInt"), ("q", .enumeration, "Optional"),
    ("Q", .enumeration, "ImplicitlyUnwrappedOptional"),
  ]
}
