// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeyedArchives
import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

/// Finds data in a property list by a path.
///
/// In an archive, a path begins with a UID, with a key of `$top`, or with a key of the property list. References are
/// followed, and the elements of Foundation's collections are found without the keys that store them.
struct DataSearch {
  /// A value in the list, and the positions of it and of its containers, from the outside in.
  private struct Place {
    var row: ObjectRef
    var positions: [PropertyList.Position] = []
  }

  /// The number of UIDs that may refer to each other in a row. An archive has one.
  private static let maximumHops = 8
  /// The greatest length of a key such as `NS.key.12`.
  private static let numberedKeyLength = 26
  /// The greatest weight of a text that is read without counting it.
  private static let smallWeight: Int64 = 256
  /// The number of keys in a message.
  private static let shownKeys = 20

  private let list: PropertyList
  /// The dictionary `$top` and the array `$objects`, if the list has them.
  private var top: Place?
  private var objects: Place?
  private var budget: ExpansionBudget

  /// Returns the data at a path, and its positions.
  static func find(
    _ path: GraphPath, in list: PropertyList
  ) throws(KeyedArchiveError) -> (data: Data, positions: [PropertyList.Position]) {
    do throws(SearchError) {
      var search = try DataSearch(list)
      return try search.find(path)
    } catch {
      switch error {
      case .list(let error): throw KeyedArchiveError(error)
      case .archive(let error): throw error
      }
    }
  }

  /// An error of the list, or of the search.
  private enum SearchError: Error {
    case list(PropertyListError)
    case archive(KeyedArchiveError)
  }

  private init(_ list: PropertyList) throws(SearchError) {
    self.list = list
    budget = ExpansionBudget(byteCount: Int64(list.byteCount), limits: list.limits)
    let outer = Place(row: list.top)
    if let top = try value("$top", of: outer), let objects = try value("$objects", of: outer),
      try item(top.row).kind == .dictionary, try item(objects.row).kind == .array
    {
      self.top = top
      self.objects = objects
    }
  }

  private mutating func find(_ path: GraphPath) throws(SearchError) -> (Data, [PropertyList.Position]) {
    guard path.steps.count <= list.limits.maximumDepth else {
      throw .archive(
        KeyedArchiveError(
          .limitReached,
          "key path too long: found \(path.steps.count) steps; the limit is \(list.limits.maximumDepth)"
        ).advising(.raiseLimit, "If you trust the archive, raise ReadLimits.maximumDepth"))
    }
    let outer = Place(row: list.top)
    var place = outer
    var at = 0
    if case .object(let number)? = path.steps.first {
      guard let objects else {
        throw .archive(
          KeyedArchiveError(
            .valueNotFound, "no object #\(number): the property list is not an archive",
            remedy: "Begin the path with a key"))
      }
      guard let object = try element(Int(clamping: number), of: objects) else {
        throw try missing(path, 0, objects)
      }
      (place, at) = (object, 1)
    } else if let top, !path.steps.isEmpty, try step(path, 0, from: top) != nil {
      place = top
    }
    while at < path.steps.count {
      guard let (next, count) = try step(path, at, from: place) else {
        throw try missing(path, at, at == 0 ? top ?? outer : place)
      }
      (place, at) = (next, at + count)
    }
    place = try followed(place)
    for key in ["NS.data", "NS.bytes"] {
      guard let inner = try value(key, of: place) else { continue }
      place = try followed(inner)
      break
    }
    guard case .data(let data) = try object(place.row) else {
      let kind = try object(place.row).kindName
      throw .archive(
        KeyedArchiveError(
          .typeMismatch, "the value at \(quoted(path.steps[...])) is of kind \(kind); expected data",
          remedy: "'scan --nested' lists the archives that are data in a file"))
    }
    return (data, place.positions)
  }

  // MARK: Steps

  /// Takes one step, or several that form a key with dots; returns nil if the value does not exist.
  private mutating func step(
    _ path: GraphPath, _ at: Int, from place: Place
  ) throws(SearchError) -> (Place, count: Int)? {
    let place = try followed(place)
    switch path.steps[at] {
    case .object: return nil
    case .index(let index): return try element(index, of: place).map { ($0, 1) }
    case .quoted(let key): return try member(key, of: place).map { ($0, 1) }
    case .name(var key):
      if key == GraphPath.foundationPrefix, path.steps.indices.contains(at + 1),
        case .name(let more) = path.steps[at + 1],
        let value = try member("\(key).\(more)", of: place)
      {
        return (value, 2)
      }
      if let value = try member(key, of: place) { return (value, 1) }
      for next in path.steps.indices.dropFirst(at + 1).prefix(8) {
        guard case .name(let more) = path.steps[next] else { break }
        key += ".\(more)"
        if let value = try member(key, of: place) { return (value, next - at + 1) }
      }
      return nil
    }
  }

  /// Returns the place that a UID refers to; other places are returned unchanged.
  private mutating func followed(_ place: Place) throws(SearchError) -> Place {
    var place = place
    guard let objects else { return place }
    for _ in 0..<Self.maximumHops {
      guard try item(place.row).kind == .uid, case .uid(let number) = try object(place.row) else { return place }
      guard let next = try element(Int(clamping: number), of: objects) else {
        throw .archive(
          KeyedArchiveError(.damagedArchive, "dangling reference: #\(number) is not an object of the archive"))
      }
      place = next
    }
    throw .archive(KeyedArchiveError(.damagedArchive, "UIDs refer to each other in place of objects"))
  }

  /// Returns the value of a key of a dictionary, or of an archived dictionary.
  private mutating func member(_ key: String, of place: Place) throws(SearchError) -> Place? {
    if let value = try value(key, of: place) { return value }
    if let keys = try value("NS.keys", of: place) {
      let names = try item(keys.row)
      guard names.kind == .array else { return nil }
      for index in 0..<names.count
      where try isKey(reference(index, of: names), key) {
        guard let values = try value("NS.objects", of: place) else { return nil }
        return try element(index, of: values)
      }
      return nil
    }
    let item = try item(place.row)
    guard item.kind == .dictionary else { return nil }
    for index in 0..<item.count {
      let label = try reference(index, of: item)
      guard try self.item(label).count <= Self.numberedKeyLength, case .string(let text) = try object(label),
        let number = text.number(after: "NS.key."),
        try isKey(reference(item.count + index, of: item), key)
      else { continue }
      return try value("NS.object.\(number)", of: place)
    }
    return nil
  }

  /// Returns whether a key of an archived dictionary is a certain text. The key is a string, or an object with nothing but a
  /// text, such as a mutable string.
  private mutating func isKey(_ row: ObjectRef, _ text: String) throws(SearchError) -> Bool {
    var place = try followed(Place(row: row))
    let item = try item(place.row)
    // The other value is the class. Without this check, the entries of an object that many dictionaries have as a key would be
    // read again and again.
    if item.kind == .dictionary, item.count == 2, let string = try value("NS.string", of: place) {
      place = try followed(string)
    }
    return try isText(place.row, text)
  }

  /// Returns an element of an array, a set or an archived collection.
  private mutating func element(_ index: Int, of place: Place) throws(SearchError) -> Place? {
    let item = try item(place.row)
    switch item.kind {
    case .array, .set:
      guard index < item.count else { return nil }
      return Place(row: try reference(index, of: item), positions: place.positions + [.init(place.row, index)])
    case .dictionary:
      if let values = try value("NS.objects", of: place) {
        // Without this check, a dictionary that is its own 'NS.objects' would be searched without end.
        guard try self.item(values.row).kind != .dictionary else { return nil }
        return try element(index, of: values)
      }
      return try value("NS.object.\(index)", of: place)
    default: return nil
    }
  }

  /// Returns the value of a key of a dictionary. Of a key that occurs twice, the first counts.
  private mutating func value(_ key: String, of place: Place) throws(SearchError) -> Place? {
    let item = try item(place.row)
    guard item.kind == .dictionary else { return nil }
    for index in 0..<item.count where try isText(reference(index, of: item), key) {
      return Place(
        row: try reference(item.count + index, of: item), positions: place.positions + [.init(place.row, index)])
    }
    return nil
  }

  // MARK: Objects

  private func item(_ row: ObjectRef) throws(SearchError) -> BinaryItem {
    do {
      return try list.withBytes { bytes throws(PropertyListError) in try list.table.item(row, in: bytes) }
    } catch {
      throw .list(error)
    }
  }

  /// Returns a reference of a container, which has the references to its values after those to its keys.
  private func reference(_ index: Int, of item: BinaryItem) throws(SearchError) -> ObjectRef {
    do { return try list.element(index, of: item) } catch { throw .list(error) }
  }

  private func object(_ row: ObjectRef) throws(SearchError) -> PropertyListObject {
    do { return try list.object(row) } catch { throw .list(error) }
  }

  /// Returns whether an object is a certain text. Texts of another length are not read.
  private mutating func isText(_ row: ObjectRef, _ text: String) throws(SearchError) -> Bool {
    let item = try item(row)
    let count = text.utf8.count
    switch item.kind {
    case .ascii: guard item.count == count else { return false }
    // A UTF-16 unit takes up to three bytes in UTF-8.
    case .utf16: guard item.count <= count, count / 3 <= item.count else { return false }
    default: return false
    }
    // Many objects may share a long text.
    guard item.weight <= Self.smallWeight || budget.take(item.weight) else { throw .list(list.tooLarge()) }
    if case .string(let found) = try object(row) { return found.hasSameBytes(as: text) }
    return false
  }

  // MARK: Messages

  private func quoted(_ steps: ArraySlice<GraphPath.Step>) -> String {
    "'\(EscapedText.plain(MessageText.shortened(GraphPath.text(steps))))'"
  }

  /// Returns the error about a step without a value, with the keys that exist.
  private mutating func missing(_ path: GraphPath, _ at: Int, _ place: Place) throws(SearchError) -> SearchError {
    let steps = path.steps
    guard case .object = steps[at] else {
      let holder = at > 0 ? quoted(steps[..<at]) : top == nil ? "the property list" : "the archive"
      return .archive(
        KeyedArchiveError(
          .valueNotFound, "\(holder) has no \(quoted(steps[at...at]))", remedy: try contents(of: followed(place))))
    }
    let count = try item(place.row).count
    let found = count == 0 ? "the archive has no objects" : "the archive has the UIDs #0 to #\(count - 1)"
    return .archive(
      KeyedArchiveError(
        .valueNotFound, "no object \(GraphPath.text(steps[at...at])): \(found)",
        remedy: "Name an object that the archive has"))
  }

  private mutating func contents(of place: Place) throws(SearchError) -> String {
    switch try object(place.row) {
    case .array(let values) where !values.isEmpty, .set(let values) where !values.isEmpty:
      return "It has [0] to [\(values.count - 1)]"
    case .dictionary(let keys, _) where !keys.isEmpty:
      var names: [String] = []
      for key in keys.prefix(Self.shownKeys) {
        if case .string(let text) = try object(key) {
          // The key is shown as a step of a path, which can be pasted.
          var step = KeyPathText(isExact: true)
          step.append(key: MessageText.shortened(text, to: 80))
          names.append(step.text)
        }
      }
      guard !names.isEmpty else { return "Its keys are not strings" }
      return "It has \(names.joined(separator: ", "))\(keys.count > Self.shownKeys ? ", …" : "")"
    case .array, .set, .dictionary: return "It is empty"
    case let other: return "It is of kind \(other.kindName), without keys"
    }
  }
}
