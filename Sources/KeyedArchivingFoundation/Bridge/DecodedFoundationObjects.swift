// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if !canImport(Darwin)
  import ArchivedClasses
  import Foundation
  import KeyedArchiving
  import PropertyListFormat

  /// The objects of Foundation that an unarchiver has made. All references to an object under one allow list get the
  /// same one.
  final class DecodedFoundationObjects {
    private struct Made {
      /// Keeps the content, so that no other gets its address.
      let content: AnyObject
      let object: NSObject
    }

    private struct ValueKey: Hashable {
      let uid: UInt32
      let list: ObjectIdentifier
    }

    private var made: [ObjectIdentifier: Made] = [:]
    private var madeOfValue: [ValueKey: NSObject] = [:]
    private var requests: [[ObjectIdentifier]: ClassRequest] = [:]
    private(set) lazy var classes = FoundationClasses()
    /// The types that the program allows for untyped requests.
    var untypedTypes: [any KeyedCoding.Type] = []

    static func of(_ unarchiver: KeyedUnarchiver) -> DecodedFoundationObjects {
      if let known = unarchiver.foundationCompanion as? DecodedFoundationObjects { return known }
      let objects = DecodedFoundationObjects()
      unarchiver.foundationCompanion = objects
      return objects
    }

    /// Returns the request for some classes.
    func request(_ classes: [AnyClass]) -> ClassRequest {
      let key = classes.map { ObjectIdentifier($0) }
      if let known = requests[key] { return known }
      let request = ClassRequest(classes, self.classes)
      requests[key] = request
      return request
    }

    /// Returns the object for a decoded value that a key refers to.
    /// - Parameters:
    ///   - value: The decoded value.
    ///   - uid: The UID of the object; nil for an inline value.
    ///   - list: The allow list under which the value was decoded.
    /// - Returns: The object of Foundation, or an object of the program.
    /// - Throws: `KeyedArchiveError` if Foundation cannot represent the value.
    func object(_ value: any KeyedCoding, _ uid: UInt32?, _ list: AllowList) throws -> Any {
      guard let uid, value is ArchivedAttributedString || value is ArchivedError else { return try object(value) }
      let key = ValueKey(uid: uid, list: ObjectIdentifier(list))
      if let known = madeOfValue[key] { return known }
      let object = try object(value)
      madeOfValue[key] = object as? NSObject
      return object
    }

    /// Returns the object for a decoded value: an object of Foundation, or the value itself if it is one of the program's.
    private func object(_ value: any KeyedCoding) throws -> Any {
      if type(of: value) is AnyClass { return (value as? any DecodedFoundationObject)?.object ?? value }
      switch value {
      case let text as String: return NSString(string: text)
      case let number as ArchiveNumber: return self.number(number)
      case let data as Data: return NSData(data: data)
      case is ArchiveNull: return NSNull()
      case let array as ArchivedArray:
        return try collection(array.storage) {
          let elements = try array.elements.map { try object($0) }
          return array.isMutable ? NSMutableArray(array: elements) : NSArray(array: elements)
        }
      case let dictionary as ArchivedDictionary:
        return try collection(dictionary.storage) { try self.dictionary(dictionary) }
      case let set as ArchivedSet:
        return try collection(set.storage) {
          let elements = try hashable(set.elements)
          let object = set.isMutable ? NSMutableSet(array: elements) : NSSet(array: elements)
          guard object.count == elements.count else {
            throw repeated("elements of a set", elements.count, object.count)
          }
          return object
        }
      case let set as ArchivedOrderedSet:
        return try collection(set.storage) {
          let elements = try hashable(set.elements)
          let object = set.isMutable ? NSMutableOrderedSet(array: elements) : NSOrderedSet(array: elements)
          guard object.count == elements.count else {
            throw repeated("elements of a set", elements.count, object.count)
          }
          return object
        }
      case let set as ArchivedCountedSet: return try collection(set.storage) { try countedSet(set) }
      case let text as ArchivedAttributedString: return try attributedString(text)
      case let error as ArchivedError:
        let info = try error.userInfo.map { try dictionary($0) } as? [String: Any]
        return NSError(domain: error.domain, code: error.code, userInfo: info)
      // A value that Foundation cannot represent, such as an invalid pattern, stays the archived one.
      case let leaf as any FoundationLeaf: return (try? leaf.foundationObject) ?? value
      default: return value
      }
    }

    private func number(_ number: ArchiveNumber) -> NSNumber {
      switch number {
      case .boolean(let value): NSNumber(value: value)
      case .integer(let value): NSNumber(value: value)
      case .unsigned(let value): NSNumber(value: value)
      case .float(let value): NSNumber(value: value)
      case .double(let value): NSNumber(value: value)
      }
    }

    private func collection(_ content: AnyObject, _ make: () throws -> NSObject) throws -> NSObject {
      if let known = made[ObjectIdentifier(content)] { return known.object }
      let object = try make()
      made[ObjectIdentifier(content)] = Made(content: content, object: object)
      return object
    }

    private func dictionary(_ archived: ArchivedDictionary) throws -> NSDictionary {
      let keys = try hashable(archived.keys)
      let values = try archived.values.map { try object($0) }
      let dictionary =
        archived.isMutable
        ? NSMutableDictionary(objects: values, forKeys: keys) : NSDictionary(objects: values, forKeys: keys)
      guard dictionary.count == keys.count else { throw repeated("keys of a dictionary", keys.count, dictionary.count) }
      return dictionary
    }

    private func countedSet(_ archived: ArchivedCountedSet) throws -> NSCountedSet {
      let elements = try hashable(archived.elements)
      let set = NSCountedSet()
      var additions = 0
      for (element, count) in zip(elements, archived.counts) {
        let (sum, overflow) = additions.addingReportingOverflow(count)
        // Foundation has no call that adds an element several times.
        guard !overflow, sum <= 1 << 20 else {
          throw KeyedArchiveError(
            .limitReached, "a counted set has more than \(1 << 20) elements", className: "NSCountedSet",
            remedy: "Request ArchivedCountedSet, which has counts of any size")
        }
        additions = sum
        for _ in 0..<count { set.add(element) }
      }
      guard set.count == elements.count else { throw repeated("elements of a set", elements.count, set.count) }
      return set
    }

    /// Returns the objects for keys or elements that Foundation will hash. The order of work must not depend on the file.
    private func hashable(_ values: [any KeyedCoding]) throws -> [NSObject] {
      let objects = try values.map { value in
        let object = try object(value)
        guard type(of: object) is AnyClass, let hashable = object as? NSObject else {
          throw KeyedArchiveError(
            .typeMismatch, "a value of type \(type(of: object)) cannot be a key or an element of a set of Foundation",
            remedy: "Request the collection as a Swift type, or derive the class from NSObject")
        }
        if let text = value as? String { try checkHashable(text) }
        return hashable
      }
      guard objects.count > Self.maximumEqualHashes else { return objects }
      var counts = [Int: Int](minimumCapacity: objects.count)
      for object in objects {
        let hash = object.hash
        let count = counts[hash, default: 0] + 1
        guard count <= Self.maximumEqualHashes else {
          throw KeyedArchiveError(
            .limitReached,
            "too many keys or elements of a collection have the same hash: found more than \(Self.maximumEqualHashes)",
            remedy: "Request ArchivedDictionary or an array, which hash no elements")
        }
        counts[hash] = count
      }
      return objects
    }

    /// Checks a string that Foundation or Swift will hash, in a time that grows with the square of its runs of marks.
    private func checkHashable(_ text: String) throws {
      guard !MarkRun.isBounded(text) else { return }
      throw KeyedArchiveError(
        .limitReached,
        "a string to be hashed has a run of too many combining marks: expected at most \(MarkRun.longest) in a row",
        remedy: "Request ArchivedDictionary or ArchivedArray, which hash no strings")
    }

    /// The maximum number of keys or elements with the same hash, whose insertion takes quadratic time.
    private static var maximumEqualHashes: Int { 128 }

    private func repeated(_ what: String, _ found: Int, _ different: Int) -> KeyedArchiveError {
      KeyedArchiveError(.malformedValue, "duplicate \(what): found \(found), of which only \(different) differ")
    }

    func attributedString(_ archived: ArchivedAttributedString) throws -> NSAttributedString {
      let string = NSMutableAttributedString(string: archived.text)
      let sets = try archived.attributeSets.map { set in
        var attributes: [NSAttributedString.Key: Any] = [:]
        for (key, value) in zip(set.keys, set.values) {
          guard let name = key as? String else {
            throw KeyedArchiveError(
              .malformedValue, "invalid attribute: found a name of type \(type(of: key)); expected a string",
              className: ArchivedAttributedString.archiveClassName)
          }
          try checkHashable(name)
          attributes[NSAttributedString.Key(rawValue: name)] = try object(value)
        }
        return attributes
      }
      var start = 0
      for run in archived.runs {
        guard sets.indices.contains(run.attributes), run.length >= 0, run.length <= string.length - start else {
          throw KeyedArchiveError(
            .malformedValue, "invalid run of an attributed string: it does not fit the text",
            className: ArchivedAttributedString.archiveClassName)
        }
        if run.length > 0 {
          string.setAttributes(sets[run.attributes], range: NSRange(location: start, length: run.length))
        }
        start += run.length
      }
      return archived.isMutable ? string : NSAttributedString(attributedString: string)
    }
  }
#endif
