// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
import PropertyListFormat

/// An object of an archive as data, whatever its class: the class, and values by their keys.
///
/// It stands for any class that no Swift type is there for. It may be asked for wherever an object is, keeps the identity
/// of what it refers to, cycles included, and is archived again as it was read: the same class record, the same keys in
/// the same order. Nothing in an archive can make it do anything, so it is safe to ask for.
///
/// ```swift
/// let view = try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedObject.self, from: data)
/// let frame = view?["NSFrame"]?.string
/// ```
///
/// What it refers to are objects of this type and ``ArchivedScalar``s, one for each object of the archive, apart from what
/// else is made of them. Objects that refer to each other in a circle keep each other alive; ``dismantle()`` ends that.
public final class ArchivedObject {
  /// A key with its value.
  public struct Entry {
    /// The key as it is stored: with a second `$` in front where the key that was encoded began with one.
    public var key: String
    /// The value.
    public var value: Value {
      didSet { row = 0 }
    }

    /// The row of the object table that the value was read from; 0 if it was not.
    var row: UInt32 = 0

    /// Makes an entry.
    public init(_ key: String, _ value: Value) {
      self.key = key
      self.value = value
    }
  }

  /// What the archive says of its class.
  public var archivedClass: ClassDescription {
    didSet { layout = nil }
  }

  /// Its keys and values, in the order in which they are stored, without `$class`.
  public var entries: [Entry]

  /// How it was read, as long as that is of use.
  var layout: ArchivedLayout?

  /// Whether it stands for an object that was referred to but not archived.
  var isPlaceholder = false

  /// Makes an object.
  public init(_ archivedClass: ClassDescription, _ entries: [Entry] = []) {
    self.archivedClass = archivedClass
    self.entries = entries
  }

  /// Makes an object of a class with superclasses, the class's name first.
  public convenience init(classes: String..., entries: [Entry] = []) {
    self.init(ClassDescription(name: classes.first ?? "NSObject", chain: classes), entries)
  }

  /// The value for a key; nil if there is none. Setting nil removes it.
  public subscript(key: String) -> Value? {
    get { entries.first { $0.key.hasSameBytes(as: key) }?.value }
    set {
      let place = entries.firstIndex { $0.key.hasSameBytes(as: key) }
      switch (place, newValue) {
      case (let place?, let value?): entries[place].value = value
      case (let place?, nil): entries.remove(at: place)
      case (nil, let value?): entries.append(Entry(key, value))
      case (nil, nil): break
      }
    }
  }

  /// Returns another object with the same class, keys and values, which refer to the same objects.
  package func copy() -> ArchivedObject {
    let copy = ArchivedObject(archivedClass, entries)
    copy.layout = layout
    copy.isPlaceholder = isPlaceholder
    return copy
  }

  /// Cuts all references between the objects that can be reached from here, so that those in circles are let go. It does
  /// not look into ``Value/value(_:)``; ``ArchivedTopLevel/dismantle()`` finds what is in there too.
  public func dismantle() {
    var rest = [self]
    while let object = rest.popLast() {
      let entries = object.entries
      object.entries = []
      for entry in entries { entry.value.collectObjects(into: &rest) }
    }
  }

  deinit {
    // A long chain would otherwise be let go by recursion.
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
  /// Whether entries are still those that were read.
  func fits(_ entries: [ArchivedObject.Entry]) -> Bool {
    guard entries.count == encodingOrder.count else { return false }
    var place = 0
    for key in writtenKeys where key != "$class" {
      guard place < entries.count, entries[place].key == key else { return false }
      place += 1
    }
    return place == entries.count
  }
}
