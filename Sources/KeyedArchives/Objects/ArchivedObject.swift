// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
import PropertyListFormat

/// An object of an archive as data, whatever its class: the description of its class, and its values by key.
///
/// An `ArchivedObject` represents an object of a class without a Swift type. Request it wherever an object may be. It
/// preserves the identity of the objects it refers to, cycles included. Archived again, it has the same class record
/// and the same keys in the same order. Decoding runs no code of the archived class, so the type is safe to allow.
///
/// ```swift
/// let view = try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedObject.self, from: data)
/// let frame = view?["NSFrame"]?.string
/// ```
///
/// Its references lead to other archived objects and to ``BoxedPrimitive``s, one for each object of the archive.
/// Objects in a reference cycle retain each other; ``dismantle()`` breaks the cycle.
public final class ArchivedObject {
  /// A key with its value.
  public struct Entry {
    /// The key as it is stored: with an additional `$` at its start if the encoded key begins with one.
    public var key: String {
      didSet { if !key.hasSameBytes(as: oldValue) { hasReadKey = false } }
    }
    /// The value.
    public var value: Value {
      didSet {
        source = nil
        hasReadKey = false
      }
    }

    /// The archive that the value was read from, with the row of its object table; nil for a new value.
    private(set) var source: (origin: SourceArchive, row: UInt32)?

    // After `source`, because it fits into the padding there.
    /// Whether the key was read from an archive together with the value.
    private(set) var hasReadKey = false

    /// Creates an entry.
    /// - Parameters:
    ///   - key: The key as it is stored.
    ///   - value: The value.
    public init(_ key: String, _ value: Value) {
      self.key = key
      self.value = value
    }

    /// Creates an entry that was read from a row of an archive.
    init(_ key: String, _ value: Value, from origin: SourceArchive, row: UInt32) {
      self.key = key
      self.value = value
      source = (origin, row)
      hasReadKey = true
    }
  }

  /// The description of the object's class.
  public var archivedClass: ClassDescription {
    didSet { layout = nil }
  }

  /// The keys and values in stored order, without `$class`.
  public var entries: [Entry]

  /// The layout that was read, until the class changes.
  var layout: ArchivedLayout?

  /// Whether the object represents one that was referred to but not archived.
  var isPlaceholder = false

  /// Creates an object.
  /// - Parameters:
  ///   - archivedClass: The description of the object's class.
  ///   - entries: The keys and values.
  public init(_ archivedClass: ClassDescription, _ entries: [Entry] = []) {
    self.archivedClass = archivedClass
    self.entries = entries
  }

  /// Creates an object of a class with the given superclass chain.
  /// - Parameters:
  ///   - classes: The names of the class and its superclasses.
  ///   - entries: The keys and values.
  public convenience init(classes: String..., entries: [Entry] = []) {
    self.init(ClassDescription(name: classes.first ?? "NSObject", chain: classes), entries)
  }

  /// The value for a key, or nil if the key is absent. Setting nil removes the key.
  /// - Parameter key: The key as it is stored.
  public subscript(key: String) -> Value? {
    get { entries.first { $0.key.hasSameBytes(as: key) }?.value }
    set {
      guard let value = newValue else {
        // A damaged object can have a key twice.
        entries.removeAll { $0.key.hasSameBytes(as: key) }
        return
      }
      if let index = entries.firstIndex(where: { $0.key.hasSameBytes(as: key) }) {
        entries[index].value = value
      } else {
        entries.append(Entry(key, value))
      }
    }
  }

  /// Removes the references between all objects reachable from this one, which breaks reference cycles.
  ///
  /// Objects inside of a ``Value/value(_:)`` are not visited; ``ArchivedTopLevel/dismantle()`` includes them.
  public func dismantle() {
    var rest = [self]
    while let object = rest.popLast() {
      let entries = object.entries
      object.entries = []
      for entry in entries { entry.value.collectObjects(into: &rest) }
    }
  }

  deinit {
    // A long chain would otherwise be released recursively.
    var rest: [ArchivedObject] = []
    for entry in entries { entry.value.collectObjects(into: &rest) }
    entries = []
    while var object = rest.popLast() {
      guard isKnownUniquelyReferenced(&object) else { continue }
      for entry in object.entries { entry.value.collectObjects(into: &rest) }
      object.entries = []
    }
  }
}

extension ArchivedLayout {
  /// Returns whether the entries have the keys that were read.
  func fits(_ entries: [ArchivedObject.Entry]) -> Bool {
    guard entries.count == encodingOrder.count else { return false }
    return writtenKeys.lazy.filter { $0 != "$class" }
      .elementsEqual(entries.lazy.map(\.key)) { $0.hasSameBytes(as: $1) }
  }
}
