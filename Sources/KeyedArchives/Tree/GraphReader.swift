// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
package import KeyedArchiving
@_spi(Archiving) package import PropertyListFormat

/// An archive's objects as classes with named values, elements or pairs, instead of dictionaries with `$class` and
/// `NS.objects`.
package struct GraphReader {
  package let archive: KeyedArchive
  private var classes: [ArchiveUID: Result<Class, KeyedArchiveError>] = [:]
  /// The remaining budget. Shared parts make the number of values unbounded, and an object is read twice if it is a
  /// dictionary's key or the text of another.
  package var budget: ExpansionBudget
  /// The remaining budget for meanings. If it is exhausted, further objects have no meaning.
  var meaningBudget: ExpansionBudget
  /// The factor between the size of an archive and the budget for meanings.
  private static let meaningExpansion = 16
  /// The labels of keys, which many dictionaries may share.
  private var keyLabels: [ArchiveUID: String?] = [:]
  /// The keys that ``shared(_:)`` returned.
  private var sharedKeys: [BytewiseString: String] = [:]
  private static let maximumSharedKeys = 1024

  /// Creates a reader; `budget` is a budget shared with other readers.
  package init(_ archive: KeyedArchive, budget: ExpansionBudget? = nil) {
    self.archive = archive
    let (byteCount, edited) = (Int64(archive.list.byteCount), archive.list.editedWeight)
    self.budget =
      budget ?? ExpansionBudget(byteCount: 2 * byteCount, editedWeight: 2 * edited, limits: archive.list.limits)
    var limits = archive.list.limits
    limits.maximumExpansion = min(limits.maximumExpansion, Self.meaningExpansion)
    meaningBudget = ExpansionBudget(byteCount: byteCount, editedWeight: edited, limits: limits)
  }

  /// Whether the budget is exhausted.
  package var isExhausted: Bool { budget.isExhausted }

  /// The name of a class.
  package struct ClassName {
    /// The name in the archive.
    package var stored: String
    /// The name for people: that in Swift if the stored one is mangled.
    package var shown: String

    init(_ stored: String) {
      self.stored = stored
      shown = RuntimeClassName(stored).swiftName
    }
  }

  /// The parts of a class record that are read once.
  private struct Class {
    let name: ClassName
    let kind: ObjectContents.ContainerKind

    init(_ description: ClassDescription) {
      name = ClassName(description.name)
      kind = ObjectContents.ContainerKind(description)
    }
  }

  /// The shape of a stored value.
  package enum Shape {
    case null
    /// A primitive, inline or boxed. With a class, an object that represents it, such as a date or a mutable string.
    case scalar(KeyedArchive.StoredValue, className: ClassName? = nil)
    case url(String, className: ClassName)
    case uuid(UUID, className: ClassName)
    /// The object that represents nil in collections.
    case nullObject(className: ClassName)
    case object(className: ClassName, Contents)
    /// An inline array.
    case array([KeyedArchive.StoredValue])
    /// An inline dictionary.
    case dictionary([KeyedArchive.Entry])
    case classRecord(ClassDescription)
    case damaged(KeyedArchiveError)

    /// The class of an object; nil for other values.
    package var className: ClassName? {
      switch self {
      case .scalar(_, let name): name
      case .url(_, let name), .uuid(_, let name), .nullObject(let name), .object(let name, _): name
      case .null, .array, .dictionary, .classRecord, .damaged: nil
      }
    }
  }

  package typealias Contents = ObjectContents

  /// Returns the shape of a value; references are followed.
  package mutating func shape(of stored: KeyedArchive.StoredValue) -> Shape {
    switch stored {
    case .reference(.null): return .null
    case .reference(let uid):
      do {
        return try shape(of: archive.object(uid, budget: &budget))
      } catch {
        return .damaged(budget.isExhausted ? Self.tooMuch : error)
      }
    case .array(let values): return .array(values)
    case .dictionary(let entries): return .dictionary(entries)
    default: return .scalar(stored)
    }
  }

  private mutating func shape(of object: KeyedArchive.Object) throws(KeyedArchiveError) -> Shape {
    switch object {
    case .null: return .null
    case .primitive(let value): return .scalar(value)
    case .classRecord(let description): return .classRecord(description)
    case .instance(let classUID, let entries):
      let known = try objectClass(classUID)
      return singleValue(known.name, entries) ?? .object(className: known.name, Contents(entries, of: known.kind))
    }
  }

  mutating func className(_ uid: ArchiveUID) throws(KeyedArchiveError) -> ClassName { try objectClass(uid).name }

  private mutating func objectClass(_ uid: ArchiveUID) throws(KeyedArchiveError) -> Class {
    if let known = classes[uid] { return try known.get() }
    let found: Result<Class, KeyedArchiveError>
    do {
      // Charge for the record, because records may share their superclass chains.
      if case .classRecord(let description) = try archive.object(uid, budget: &budget) {
        found = .success(try makeClass(description))
      } else {
        found = .success(try makeClass(archive.classDescription(uid)))
      }
    } catch {
      found = .failure(error)
    }
    classes[uid] = found
    return try found.get()
  }

  private mutating func makeClass(_ description: ClassDescription) throws(KeyedArchiveError) -> Class {
    guard budget.touch(TypeName.swiftNameCost(of: description.name)) else { throw Self.tooMuch }
    return Class(description)
  }

  /// Returns the class name of an object; nil for primitives and damaged objects.
  /// - Throws: ``tooMuch`` if the budget is exhausted.
  package mutating func className(of uid: ArchiveUID) throws(KeyedArchiveError) -> ClassName? {
    var name: ClassName?
    if case .instance(let classUID, _)? = try? archive.object(uid, budget: &budget) { name = try? className(classUID) }
    guard !budget.isExhausted else { throw Self.tooMuch }
    return name
  }

  /// The error for an exhausted budget.
  package static let tooMuch = KeyedArchiveError(
    .limitReached, "expansion limit reached: the archive's objects share too many values to read all of them"
  ).advising(.readPart, "Read a part of the archive")

  /// Returns the value of an object with exactly the keys that Foundation writes; others are shown with their keys.
  private mutating func singleValue(_ name: ClassName, _ entries: [KeyedArchive.Entry]) -> Shape? {
    func entry(_ key: String) -> KeyedArchive.StoredValue? { entries.first { $0.key == key }?.value }
    switch (name.stored, entries.count) {
    case ("NSNull", 0): return .nullObject(className: name)
    case ("NSDate", 1):
      switch entry("NS.time") {
      case .double(let seconds)?: return .scalar(.date(seconds), className: name)
      case .float(let seconds)?: return .scalar(.date(Double(seconds)), className: name)
      case .integer(let seconds)?: return .scalar(.date(Double(seconds)), className: name)
      default: return nil
      }
    case ("NSURL", 2):
      guard case .reference(.null)? = entry("NS.base"), case .string(let text)? = bare(entry("NS.relative")) else {
        return nil
      }
      return .url(text, className: name)
    case ("NSUUID", 1):
      guard case .data(let bytes)? = entry("NS.uuidbytes"), let uuid = UUIDCoding.uuid(bytes) else { return nil }
      return .uuid(uuid, className: name)
    case ("NSMutableString", 1), ("NSString", 1):
      guard case .string(let text)? = bare(entry("NS.string")) else { return nil }
      return .scalar(.string(text), className: name)
    case ("NSMutableData", 1), ("NSData", 1):
      guard case .data(let bytes)? = bare(entry("NS.data")) else { return nil }
      return .scalar(.data(bytes), className: name)
    default: return nil
    }
  }

  /// Returns a value, or the boxed primitive that it refers to.
  private mutating func bare(_ stored: KeyedArchive.StoredValue?) -> KeyedArchive.StoredValue? {
    guard case .reference(let uid)? = stored else { return stored }
    guard case .primitive(let value)? = try? archive.object(uid, budget: &budget) else { return nil }
    return value
  }
}

extension GraphReader {
  /// A value with its label.
  package struct Line {
    package let label: Label
    package let value: KeyedArchive.StoredValue
    /// The key of an object or of an inline dictionary; nil for other lines.
    let key: String?

    init(label: Label, value: KeyedArchive.StoredValue) {
      self.label = label
      self.value = value
      key = nil
    }

    /// Creates the line of a key.
    package init(_ entry: KeyedArchive.Entry) {
      label = .key(ValueText.name(entry.key))
      value = entry.value
      key = entry.key
    }
  }

  /// The place of a value in the one that contains it.
  package enum Label {
    case key(String)
    /// The index of an element.
    case element(Int)
    /// A dictionary key as text: a string in quotes, or a number.
    case pair(String)
    /// A dictionary key with its own line, and its value.
    case pairKey(Int), pairValue(Int)

    package var text: String {
      switch self {
      case .key(let text), .pair(let text): text
      case .element(let index): "[\(index)]"
      case .pairKey(let index): "key [\(index)]"
      case .pairValue(let index): "value [\(index)]"
      }
    }
  }

  /// The maximum length of a string in a label.
  static let shortText = 80

  /// Returns the contents of a value in their stored order, an object's keys first.
  package mutating func lines(of shape: Shape) -> [Line] {
    var values = Values(shape)
    var lines: [Line] = []
    while let line = values.next(in: &self) { lines.append(line) }
    return lines
  }

  /// Returns the label of a dictionary key; nil if the key has contents, and therefore its own line.
  mutating func keyLabel(_ key: KeyedArchive.StoredValue) -> String? {
    if case .reference(let uid) = key, let label = keyLabels[uid] { return label }
    let label: String? =
      switch shape(of: key) {
      case .nullObject: "null"
      case let shape: ValueText(.plain).text(shape, limit: Self.shortText)
      }
    if case .reference(let uid) = key { keyLabels[uid] = .some(label) }
    return label
  }

  /// Returns a key that shares its memory with equal keys that were read before, because an archive reads its short keys
  /// anew for each object.
  package mutating func shared(_ key: String) -> String {
    // A string of up to 15 bytes is not allocated.
    guard key.utf8.count > 15 else { return key }
    let bytes = BytewiseString(key)
    if let known = sharedKeys[bytes] { return known }
    if sharedKeys.count < Self.maximumSharedKeys { sharedKeys[bytes] = key }
    return key
  }
}
