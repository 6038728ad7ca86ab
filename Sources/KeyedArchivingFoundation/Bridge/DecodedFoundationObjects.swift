// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if !canImport(Darwin)
  import ArchivedClasses
  import Foundation
  import KeyedArchiving
  @_spi(Archiving) import PropertyListFormat

  /// The objects of Foundation that an unarchiver has made. All references to an object under one allow list get the
  /// same one.
  final class DecodedFoundationObjects {
    /// The result of a conversion, or its error. A failed attempt has done most of the work.
    private struct Made<Value> {
      /// Keeps the content, so that no other gets its address.
      let content: AnyObject
      let result: Result<Value, any Error>
    }

    /// The objects of a dictionary whose keys are strings.
    private final class NamedObjects {
      let byName: [String: Any]
      /// The number of values, with those in collections.
      let size: Int64
      lazy var attributes = [NSAttributedString.Key: Any](
        uniqueKeysWithValues: byName.map { (NSAttributedString.Key(rawValue: $0), $1) })

      /// The name of a value that Foundation cannot convert; nil if it can convert all of them.
      let inconvertible: String?

      init(_ byName: [String: Any], size: Int64, inconvertible: String?) {
        (self.byName, self.size, self.inconvertible) = (byName, size, inconvertible)
      }
    }

    /// A request for a collection of Swift.
    private struct Conversion: Hashable {
      let collection: ObjectIdentifier
      let result: ObjectIdentifier
      /// The classes of the elements, or those of the keys and of the values.
      let classes: [[ObjectIdentifier]]
    }

    private var made: [ObjectIdentifier: Made<NSObject>] = [:]
    /// The objects of attributes and of user info. Many texts and errors can refer to one dictionary.
    private var namedObjects: [ObjectIdentifier: Made<NamedObjects>] = [:]
    /// The collections of Swift that requests got, each with the collection of Foundation, which keeps its address. A
    /// mutable collection has no result.
    private var conversions: [Conversion: (collection: NSObject, result: Any?)] = [:]
    /// The numbers of values in the collections of ``made``. Each value counts once for each reference, because
    /// Foundation converts and compares nested collections so.
    private var sizes: [ObjectIdentifier: Int64] = [:]
    private var comparisons = ObjectComparisons()
    private var textCost = TextHashCost()
    private var nesting = NestedConversions()
    /// The budget of one collection with its contents.
    private let wholeBudget: ExpansionBudget
    /// The budget of everything that is made, compared and hashed without an unarchiver.
    private var ownBudget: ExpansionBudget
    /// The unarchiver, whose budget is used and which owns this object; nil without one.
    private unowned let unarchiver: KeyedUnarchiver?
    private let tooLarge: KeyedArchiveError
    private var requests: [[ObjectIdentifier]: ClassRequest] = [:]
    private(set) lazy var classes = FoundationClasses()
    /// The types that the program allows for untyped requests.
    var untypedTypes: [any KeyedCoding.Type] = []
    /// Foundation on Linux hashes this class by address, although all of its objects are equal.
    private let null = NSNull()
    /// The bytes whose addresses initializers got. They are valid as long as the unarchiver exists.
    private var lentBytes: [LentBytes] = []

    private init(_ budget: ExpansionBudget, _ tooLarge: KeyedArchiveError, _ unarchiver: KeyedUnarchiver?) {
      wholeBudget = budget
      ownBudget = budget
      self.unarchiver = unarchiver
      self.tooLarge = tooLarge
    }

    /// Creates objects for a conversion without an unarchiver, with the budget for a file of 16 MiB.
    convenience init() {
      self.init(
        ExpansionBudget(byteCount: 16 << 20, limits: .default),
        KeyedArchiveError(
          .limitReached, "expansion limit reached: the shared values would become too many objects of Foundation",
          remedy: "Use the archived value itself, which keeps what is shared"),
        nil)
    }

    /// Returns a copy of bytes at an address that stays valid. Many objects can share the bytes, so a copy has a cost.
    func lend(_ bytes: Data) throws -> LentBytes {
      try take(ExpansionBudget.element &+ Int64(bytes.count))
      let lent = LentBytes(bytes)
      lentBytes.append(lent)
      return lent
    }

    static func of(_ unarchiver: KeyedUnarchiver) -> DecodedFoundationObjects {
      unarchiver.companions.object(
        DecodedFoundationObjects(
          unarchiver.storage.state.source.budget, unarchiver.storage.state.source.tooLarge(), unarchiver))
    }

    /// Returns an array as one of Swift, which `convert` makes at the first request. Many objects can refer to it.
    /// - Parameters:
    ///   - array: The array.
    ///   - classes: The classes of the elements.
    ///   - convert: Makes the array of Swift from the elements, or records an error and returns nil.
    /// - Returns: The array of Swift, or nil if `convert` returns nil.
    /// - Throws: `KeyedArchiveError` if too many values are converted.
    func conversion<Result>(
      of array: NSArray, _ classes: [AnyClass], _ convert: ([Any]) -> Result?
    ) throws -> Result? {
      try conversion(of: array, array.count, [classes]) { convert(array.storedElements) }
    }

    /// Returns a dictionary as one of Swift, which `convert` makes at the first request. Many objects can refer to it.
    /// - Parameters:
    ///   - dictionary: The dictionary.
    ///   - classes: The classes of the keys, and those of the values.
    ///   - convert: Makes the dictionary of Swift from the pairs, or records an error and returns nil.
    /// - Returns: The dictionary of Swift, or nil if `convert` returns nil.
    /// - Throws: `KeyedArchiveError` if too many values are converted.
    func conversion<Result>(
      of dictionary: NSDictionary, _ classes: [[AnyClass]], _ convert: ([(Any, Any)]) -> Result?
    ) throws -> Result? {
      try conversion(of: dictionary, 2 * dictionary.count, classes) {
        let pairs = dictionary.storedPairs
        // The keys are hashed.
        for case (let key as NSObject, _) in pairs { try touch(comparisonCost(of: key)) }
        return convert(pairs)
      }
    }

    private func conversion<Result>(
      of collection: NSObject, _ count: Int, _ classes: [[AnyClass]], _ convert: () throws -> Result?
    ) throws -> Result? {
      let conversion = Conversion(
        collection: ObjectIdentifier(collection), result: ObjectIdentifier(Result.self),
        classes: classes.map { $0.map { ObjectIdentifier($0) } })
      if let known = conversions[conversion]?.result as? Result { return known }
      let isFirst = conversions[conversion] == nil
      // The program keeps the first result, and mostly releases those of repeated conversions.
      if isFirst { try take(cost(of: Int64(count))) } else { try touch(cost(of: Self.costOfRepetition * Int64(count))) }
      guard let result = try convert() else { return nil }
      let type = type(of: collection)
      // The program can change a mutable collection, so each request converts it again.
      let isImmutable = type == NSArray.self || type == NSDictionary.self
      if isFirst { conversions[conversion] = (collection, isImmutable ? result : nil) }
      return result
    }

    /// Returns the request for some classes.
    func request(_ classes: [AnyClass]) -> ClassRequest {
      let key = classes.map { ObjectIdentifier($0) }
      if let known = requests[key] { return known }
      let request = ClassRequest(classes, self.classes)
      requests[key] = request
      return request
    }

    /// Returns the object for a decoded value: an object of Foundation, or the value itself if it is one of the program's.
    /// - Parameter value: The decoded value.
    /// - Returns: The object of Foundation, or an object of the program.
    /// - Throws: `KeyedArchiveError` if Foundation cannot represent the value.
    func object(_ value: any KeyedCoding) throws -> Any {
      if type(of: value) is AnyClass { return (value as? any DecodedFoundationObject)?.object ?? value }
      switch value {
      case let text as String: return NSString(string: text)
      case let number as ArchiveNumber: return NSNumber(number)
      case let data as Data:
        // Foundation copies the bytes.
        try take(Int64(data.count))
        return NSData(data: data)
      case is ArchiveNull: return null
      case let array as ArchivedArray:
        return try collection(array.storage) {
          let elements = try array.elements.map { try object($0) }
          let list = array.isMutable ? NSMutableArray(array: elements) : NSArray(array: elements)
          comparisons.add(list, values: elements)
          return (list, totalSize(of: elements))
        }
      case let dictionary as ArchivedDictionary:
        return try collection(dictionary.storage) { try self.dictionary(dictionary) }
      case let set as ArchivedSet:
        return try collection(set.storage) {
          let elements = try hashable(set.elements)
          let object = set.isMutable ? NSMutableSet(array: elements) : NSSet(array: elements)
          comparisons.add(object, hashed: elements)
          try checkDistinct(elements.count, object.count, "elements of a set")
          return (object, totalSize(of: elements))
        }
      case let set as ArchivedOrderedSet:
        return try collection(set.storage) {
          let elements = try hashable(set.elements)
          let object = set.isMutable ? NSMutableOrderedSet(array: elements) : NSOrderedSet(array: elements)
          try checkDistinct(elements.count, object.count, "elements of a set")
          return (object, totalSize(of: elements))
        }
      case let set as ArchivedCountedSet: return try collection(set.storage) { try countedSet(set) }
      case let text as ArchivedAttributedString:
        return try collection(text.storage) { try attributedString(text) as (NSObject, Int64) }
      case let error as ArchivedError: return try collection(error.storage) { try self.error(error) }
      // A value that Foundation cannot represent, such as an invalid pattern, stays the archived one.
      case let leaf as any FoundationLeaf:
        try touch(leaf.conversionCost)
        return (try? leaf.foundationObject) ?? value
      default: return value
      }
    }

    /// Returns the object for a content, which `make` creates at the first call, with the number of values in it.
    private func collection(
      _ content: AnyObject, _ make: () throws -> (object: NSObject, size: Int64)
    ) throws -> NSObject {
      if let known = made[ObjectIdentifier(content)] { return try known.result.get() }
      try nesting.begin()
      defer { nesting.end() }
      let result = Result {
        let (object, size) = try make()
        var whole = wholeBudget
        guard whole.take(cost(of: size)) else { throw tooLarge }
        sizes[ObjectIdentifier(object)] = size
        return object
      }
      made[ObjectIdentifier(content)] = Made(content: content, result: result)
      return try result.get()
    }

    /// Charges the memory of values that the program keeps.
    private func take(_ weight: Int64) throws {
      if let unarchiver { return try unarchiver.storage.state.charge(converting: weight) }
      guard ownBudget.take(weight) else { throw tooLarge }
    }

    /// Charges bytes that are read, compared or hashed.
    private func touch(_ byteCount: Int64) throws {
      if let unarchiver { return try unarchiver.storage.state.charge(work: byteCount) }
      guard ownBudget.touch(byteCount) else { throw tooLarge }
    }

    /// The cost of converting an element once more, in the unit of creating one.
    private static var costOfRepetition: Int64 { 16 }

    /// Returns the number of values, with those in collections.
    private func totalSize(of values: [Any]) -> Int64 {
      var size: Int64 = 1
      for value in values {
        let (sum, overflow) = size.addingReportingOverflow(self.size(of: value))
        size = overflow ? .max : sum
      }
      return size
    }

    private func size(of value: Any) -> Int64 {
      guard type(of: value) is AnyClass else { return 1 }
      return sizes[ObjectIdentifier(value as AnyObject)] ?? 1
    }

    private func cost(of size: Int64) -> Int64 {
      let (cost, overflow) = size.multipliedReportingOverflow(by: ExpansionBudget.element)
      return overflow ? .max : cost
    }

    private func dictionary(_ archived: ArchivedDictionary) throws -> (object: NSObject, size: Int64) {
      let keys = try hashable(archived.keys)
      let values = try archived.values.map { try object($0) }
      let dictionary =
        archived.isMutable
        ? NSMutableDictionary(objects: values, forKeys: keys) : NSDictionary(objects: values, forKeys: keys)
      try checkDistinct(keys.count, dictionary.count, "keys of a dictionary")
      comparisons.add(dictionary, hashed: keys, values: values)
      return (dictionary, totalSize(of: keys + values))
    }

    private func error(_ archived: ArchivedError) throws -> (object: NSObject, size: Int64) {
      guard let info = archived.userInfo else { return (NSError(domain: archived.domain, code: archived.code), 1) }
      let userInfo = try namedObjects(info) { key in
        KeyedArchiveError(
          .malformedValue, "invalid error: found a key of type \(key) in its user info; expected a string",
          className: ArchivedError.archiveClassName, remedy: "Request ArchivedError, whose user info has any keys")
      }
      return (NSError(domain: archived.domain, code: archived.code, userInfo: userInfo.byName), userInfo.size)
    }

    /// Returns the objects of a dictionary whose keys must be different strings.
    private func namedObjects(
      _ dictionary: ArchivedDictionary, _ invalidKey: (any KeyedCoding.Type) -> KeyedArchiveError
    ) throws -> NamedObjects {
      let content = dictionary.storage
      if let known = namedObjects[ObjectIdentifier(content)] { return try known.result.get() }
      let result = Result {
        var objects: [String: Any] = [:]
        for (key, value) in zip(dictionary.keys, dictionary.values) {
          guard let name = key as? String else { throw invalidKey(type(of: key)) }
          try checkHashable(name)
          objects[name] = try object(value)
        }
        try checkDistinct(dictionary.keys.count, objects.count, "keys of a dictionary")
        return NamedObjects(
          objects, size: totalSize(of: Array(objects.values)),
          inconvertible: objects.first { !comparisons.areSafe(for: $0.value, .attributes) }?.key)
      }
      namedObjects[ObjectIdentifier(content)] = Made(content: content, result: result)
      return try result.get()
    }

    private func countedSet(_ archived: ArchivedCountedSet) throws -> (object: NSObject, size: Int64) {
      let elements = try hashable(archived.elements)
      let set = NSCountedSet(capacity: elements.count)
      for (element, count) in zip(elements, archived.counts) {
        // Foundation has no call that adds an element several times, and compares it each time.
        let (work, overflow) = Int64(count).multipliedReportingOverflow(
          by: comparisonCost(of: element) + Self.costOfAddition)
        guard !overflow, (try? touch(work)) != nil else {
          throw KeyedArchiveError(
            .limitReached, "a counted set has too many elements: found one \(count) times", className: "NSCountedSet",
            remedy: "Request ArchivedCountedSet, which has counts of any size")
        }
        for _ in 0..<count { set.add(element) }
      }
      try checkDistinct(elements.count, set.count, "elements of a set")
      comparisons.add(set, hashed: elements)
      return (set, totalSize(of: elements))
    }

    /// The cost of adding an element to a counted set once more, in the unit of a byte that is compared.
    private static var costOfAddition: Int64 { 64 }

    /// The cost of comparing an object with an equal one, in bytes.
    private func comparisonCost(of object: NSObject) -> Int64 {
      switch object {
      case let text as NSString: textCost.cost(of: String(text))
      case let data as NSData: Int64(data.length)
      default: cost(of: size(of: object))
      }
    }

    /// Returns the objects for keys or elements, which Foundation will hash and compare. The order of work must not depend
    /// on the file.
    private func hashable(_ values: [any KeyedCoding]) throws -> [NSObject] {
      let objects = try values.map { value in
        let object = try object(value)
        guard type(of: object) is AnyClass, let hashable = object as? NSObject else {
          throw KeyedArchiveError(
            .typeMismatch, "a value of type \(type(of: object)) cannot be a key or an element of a set of Foundation",
            remedy: "Request the collection as a Swift type, or derive the class from NSObject")
        }
        guard comparisons.areSafe(for: hashable, .hashing) else {
          throw KeyedArchiveError(
            .typeMismatch,
            "an object of class \(FoundationClassName.of(type(of: hashable))) cannot be a key or an element of a set of "
              + "Foundation on this system",
            remedy: "Request the collection as ArchivedDictionary, ArchivedSet or a Swift type")
        }
        if let text = hashable as? NSString { try checkHashable(String(text)) }
        return hashable
      }
      try checkTexts(objects)
      var counts = [Int: Int64](minimumCapacity: objects.count)
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
        let (work, overflow) = comparisonCost(of: object).multipliedReportingOverflow(by: count)
        guard !overflow else { throw tooLarge }
        try touch(work)
      }
      return objects
    }

    /// Checks that no two texts are equal for Swift. Foundation on Linux gives such texts different hashes if their bytes
    /// differ, and a set that grows ends the process then.
    private func checkTexts(_ objects: [NSObject]) throws {
      var texts: Set<String> = []
      var count = 0
      for case let text as NSString in objects {
        texts.insert(String(text))
        count += 1
      }
      try checkDistinct(count, texts.count, "keys or elements")
    }

    /// Checks a string that Foundation or Swift will hash, in a time that grows with the square of its runs of marks. Many
    /// keys can be one long string.
    private func checkHashable(_ text: String) throws {
      try touch(textCost.cost(of: text))
      guard !MarkRun.isBounded(text) else { return }
      throw KeyedArchiveError(
        .limitReached,
        "a string to be hashed has a run of too many combining marks: expected at most \(MarkRun.longest) in a row",
        remedy: "Request ArchivedDictionary or ArchivedArray, which hash no strings")
    }

    /// The maximum number of keys or elements with the same hash, whose insertion takes quadratic time.
    private static var maximumEqualHashes: Int64 { 128 }

    /// Checks that a collection has as many keys or elements as the archive.
    private func checkDistinct(_ count: Int, _ different: Int, _ what: String) throws {
      guard different == count else {
        throw KeyedArchiveError(
          .malformedValue, "duplicate \(what): found \(count), of which only \(different) differ")
      }
    }

    // MARK: Attributed strings

    /// Returns the object for a text, and the number of values in it.
    func attributedString(_ archived: ArchivedAttributedString) throws -> (object: NSAttributedString, size: Int64) {
      // Many texts can share one string, and one list of attributes.
      try take(2 * Int64(archived.text.utf8.count))
      try touch(cost(of: Int64(archived.attributeSets.count)))
      let string = NSMutableAttributedString(string: archived.text)
      var size: Int64 = 1
      let sets = try archived.attributeSets.map { set in
        let objects = try namedObjects(set) { key in
          KeyedArchiveError(
            .malformedValue, "invalid attribute: found a name of type \(key); expected a string",
            className: ArchivedAttributedString.archiveClassName)
        }
        if let name = objects.inconvertible, let value = objects.byName[name] { throw incomparable(name, value) }
        let (sum, overflow) = size.addingReportingOverflow(objects.size)
        size = overflow ? .max : sum
        return objects.attributes
      }
      var start = 0
      var former: Int?
      for run in archived.runs {
        guard sets.indices.contains(run.attributes), run.length >= 0, run.length <= string.length - start else {
          throw KeyedArchiveError(
            .malformedValue, "invalid run of an attributed string: it does not fit the text",
            className: ArchivedAttributedString.archiveClassName)
        }
        guard run.length > 0 else { continue }
        let attributes = sets[run.attributes]
        // Foundation converts the attributes for each run.
        try touch(cost(of: 2 * Int64(attributes.count) + 4))
        if let former, former != run.attributes { try checkComparable(sets[former], attributes) }
        string.setAttributes(attributes, range: NSRange(location: start, length: run.length))
        start += run.length
        former = run.attributes
      }
      return (archived.isMutable ? string : NSAttributedString(attributedString: string), size)
    }

    private func incomparable(_ name: String, _ value: Any) -> KeyedArchiveError {
      KeyedArchiveError(
        .typeMismatch,
        "Foundation on this system cannot compare the values of the attribute "
          + "'\(MessageText.plain(MessageText.shortened(name, to: 60)))' in two runs: found objects of class "
          + "\(FoundationClassName.of(type(of: value as AnyObject)))",
        className: ArchivedAttributedString.archiveClassName,
        remedy: "Request ArchivedAttributedString, which compares no attributes")
    }

    /// Checks that Foundation can compare the attributes of two runs beside each other, as it does to join equal ones.
    private func checkComparable(
      _ first: [NSAttributedString.Key: Any], _ second: [NSAttributedString.Key: Any]
    ) throws {
      for (name, value) in first {
        guard let other = second[name] else { continue }
        if type(of: value) is AnyClass, type(of: other) is AnyClass, (value as AnyObject) === (other as AnyObject) {
          continue
        }
        let isFirst = !comparisons.areSafe(for: value, .runs)
        guard isFirst || !comparisons.areSafe(for: other, .runs) else { continue }
        throw incomparable(name.rawValue, isFirst ? value : other)
      }
      // Comparing shared collections takes time for each reference.
      for value in first.values { try touch(cost(of: size(of: value))) }
    }
  }
#endif
