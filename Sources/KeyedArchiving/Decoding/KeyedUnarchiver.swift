// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import PropertyListFormat
import SystemFiles

/// A decoder that creates objects from a keyed archive, as `NSKeyedUnarchiver` does, on any platform.
///
/// ```swift
/// let creatures = try KeyedUnarchiver.unarchivedObject(ofClass: [String: [Creature]].self, from: data)
/// ```
///
/// The requested type is the allow list: the decoder instantiates that type and the types it names, and nothing else,
/// whatever the archive contains. It checks every reference before any initializer runs, including references to
/// objects decoded earlier.
///
/// Calls with the names of `NSCoder` do not throw, so code written for it ports unchanged. A failed call in an
/// `init(coder:)` returns nil or zero, and ``error`` describes the failure. The initializer continues, and later calls
/// return what they find. Then the object fails with the first such error, whatever the initializer returned, and so
/// does every object that contains it.
///
/// Calls with the names of `Decodable` containers, ``decode(_:forKey:)`` and ``decodeIfPresent(_:forKey:)``, throw
/// immediately. The nearest throwing call throws the error; a caller that catches it can continue decoding, because a
/// failed object leaves no results behind. Only one task at a time may use a decoder.
public final class KeyedUnarchiver {
  /// The effect of an error on later calls of the caller outside of all initializers.
  ///
  /// Inside an `init(coder:)`, both policies are the same. A thrown and caught error has no further effect, and an
  /// error of a nonthrowing call makes the object fail.
  public enum DecodingFailurePolicy: Sendable, Hashable {
    /// A thrown error has no further effect. The decoder keeps the first error of a nonthrowing call.
    case raiseException
    /// The decoder keeps the first error; later calls return nil or zero, or throw that error.
    case setErrorAndReturn
  }

  package let storage: CoderStorage<UnarchiverState>
  let limits: ReadLimits
  /// The types set for class names, by class record, because a million objects can have a class with a long name.
  private var classesOfRecords: [UInt32: (any KeyedCoding.Type)?] = [:]
  /// The types for which each of these class names is accepted, in addition to their own.
  private var acceptedTypes: [BytewiseString: [any KeyedCoding.Type]] = [:]
  var deferred = DeferredReferences()
  var valueCache = ValueCache()
  /// The cache used while ``UnarchiverState/isHashing``, because values decoded at other times were not checked.
  var hashedValueCache = ValueCache()
  /// Whether the delegate is told that the decoding will end.
  private var isFinishing = false
  /// State that other modules attach to the unarchiver.
  package var companions = Companions()
  /// The types of the caller's outermost request, if that is a list. An object that requests a value of any type may get
  /// one of these.
  package var outermostTypes: [any KeyedCoding.Type] {
    get { storage.state.outermostTypes }
    set { storage.state.outermostTypes = newValue }
  }
  private var classRecords = SmallDictionary<UInt32, ClassRecord>()
  lazy var subclassSearch = SubclassSearch()
  /// The current allow list; nil if the requested type is the allow list.
  package var currentAllowList: AllowList? {
    get { storage.state.currentAllowList }
    set { storage.state.currentAllowList = newValue }
  }
  /// How errors speak of the current request; nil if the caller wrote its types.
  var wording: RequestWording?
  /// The lists for the keys and values of the dictionary to decode next.
  var dictionaryLists: (keys: AllowList, values: AllowList)?
  /// All lists so far. They live as long as the decoder, because their identities are cache keys.
  var classLists: [[ObjectIdentifier]: AllowList] = [:]
  /// The `userInfo` of the decoders that `init(from:)` of Codable types receives.
  public var userInfo: [CodingUserInfoKey: any Sendable] {
    get { storedUserInfo }
    set {
      // The former value is released after the access, because its `deinit` can use this decoder.
      let former = storedUserInfo
      storedUserInfo = newValue
      withExtendedLifetime(former) {}
    }
  }
  private var storedUserInfo: [CodingUserInfoKey: any Sendable] = [:]
  /// The cached decoding strategies of Codable types.
  var decodingStrategies: [ObjectIdentifier: AnyObject] = [:]
  /// The errors, without a place, of the pairs of class record and type that failed the check. A type that tries one form
  /// after another can request the same pair for each of its values.
  var rejections: [AllowListCache.Key: KeyedArchiveError] = [:]

  /// A Boolean value that indicates whether decoded types must adopt ``SecureKeyedCoding``. The default is `true`.
  public var requiresSecureCoding: Bool {
    get { storage.state.requiresSecureCoding }
    set {
      guard newValue != requiresSecureCoding else { return }
      storage.state.requiresSecureCoding = newValue
      discardDecisions()
    }
  }

  /// The treatment of strings, numbers and data by lists of types.
  public enum PrimitiveValuePolicy: Sendable, Hashable {
    /// A list allows only the primitive types that it contains.
    case mustBeListed
    /// Every list allows primitives, as with Apple's decoder.
    case alwaysAllowed
  }

  /// The treatment of strings, numbers and data by lists of types. The default is
  /// ``PrimitiveValuePolicy/mustBeListed``.
  ///
  /// The policy affects only calls with a list, such as `decodeObject(of: [types], forKey:)`. A request for a single
  /// type never allows another one.
  public var primitiveValuePolicy = PrimitiveValuePolicy.mustBeListed {
    didSet { if primitiveValuePolicy != oldValue { discardDecisions() } }
  }

  /// The effect of an error on later calls. The default is ``DecodingFailurePolicy/setErrorAndReturn``.
  public var decodingFailurePolicy = DecodingFailurePolicy.setErrorAndReturn

  /// A Boolean value that indicates whether the decoder tracks the requested keys. The default is `false`.
  ///
  /// ``keyReport`` needs it. Set it before you decode anything. Tracking costs time and memory for each decoded object.
  public var tracksKeys: Bool {
    get { storage.state.tracker != nil }
    set {
      guard newValue != tracksKeys else { return }
      storage.state.track(newValue)
      discardDecisions()
    }
  }

  /// The keys for which the archive and the decoded types disagree, in everything that was decoded since ``tracksKeys``
  /// was set. It is empty if that is `false`.
  ///
  /// Read it after the last decoding call, also after ``finishDecoding()``. The top-level keys that are not requested are
  /// unread. An object whose initializer is still running seems to have unread keys.
  public var keyReport: KeyReport { storage.state.keyReport() }

  /// The delegate, which observes decoding and can replace objects.
  public weak var delegate: (any KeyedUnarchiverDelegate)? {
    didSet {
      // A former delegate may have been released.
      let hadDelegate = storage.state.hasDelegate
      storage.state.hasDelegate = delegate != nil
      if delegate !== oldValue || hadDelegate != storage.state.hasDelegate { discardDecisions() }
    }
  }

  /// Opens an archive in binary or XML format.
  /// - Parameters:
  ///   - data: The archive.
  ///   - limits: The limits of the decode.
  ///   - archivers: The accepted `$archiver` names.
  /// - Throws: ``KeyedArchiveError`` if the data is not a keyed archive.
  public init(
    forReadingFrom data: Data, limits: ReadLimits = .default, archivers: AcceptedArchivers = .known
  ) throws {
    self.limits = limits
    storage = try IdleUnarchiverStates.storage(reading: ArchiveSource(data, limits: limits, archivers: archivers))
  }

  deinit { IdleUnarchiverStates.add(storage) }

  /// Opens an archive file in binary or XML format.
  ///
  /// The file is read into memory and not mapped. If another program truncated a mapped file, the next access to the
  /// lost part would end the process.
  /// - Parameters:
  ///   - url: The file.
  ///   - limits: The limits of the decode.
  ///   - archivers: The accepted `$archiver` names.
  /// - Throws: ``KeyedArchiveError``, with code ``KeyedArchiveError/Code/fileAccess`` if the file cannot be read.
  public init(contentsOf url: URL, limits: ReadLimits = .default, archivers: AcceptedArchivers = .known) throws {
    self.limits = limits
    if let bytes = try Self.bytes(at: url, limits) {
      storage = try IdleUnarchiverStates.storage(
        reading: ArchiveSource(bytes: bytes, limits: limits, archivers: archivers))
      return
    }
    // The fallback for other systems, which also provides detailed errors.
    let data: Data
    do {
      data = try Data(contentsOf: url)
    } catch {
      var failure = KeyedArchiveError(PropertyListError.unreadable(url, error))
      failure.underlying = error
      throw failure
    }
    storage = try IdleUnarchiverStates.storage(reading: ArchiveSource(data, limits: limits, archivers: archivers))
  }

  /// Reads a file into one block of memory. Returns nil if that fails. More bytes than the limit allows are an error: a
  /// sparse file can have more than the memory. A pipe can have no end.
  private static func bytes(at url: URL, _ limits: ReadLimits) throws(KeyedArchiveError) -> [UInt8]? {
    guard url.isFileURL else { return nil }
    do {
      return try WholeFile.bytes(at: url.path, limit: limits.maximumByteCount, acceptingStreams: true)
    } catch .tooLarge {
      throw KeyedArchiveError(PropertyListError.tooManyBytes(limits))
    } catch {
      return nil
    }
  }

  var isFinished: Bool { storage.state.isFinished }

  /// The first error of a nonthrowing call, or nil. Inside an `init(coder:)`, only the calls of that initializer count;
  /// outside, only those of the caller.
  public var error: KeyedArchiveError? { storage.state.failure }

  /// Makes the current object fail, for example because its stored values are invalid.
  ///
  /// Outside of all initializers, it makes the caller's later calls fail.
  /// - Parameter error: The reason.
  public func failWithError(_ error: any Error) { fail(KeyedArchiveError(wrapping: error)) }

  /// Ends the decoding. Later calls fail.
  public func finishDecoding() {
    guard !isFinished, !isFinishing else { return }
    if storage.state.hasDelegate {
      isFinishing = true
      defer { isFinishing = false }
      delegate?.unarchiverWillFinish(self)
    }
    storage.state.isFinished = true
    if storage.state.hasDelegate { delegate?.unarchiverDidFinish(self) }
  }

  /// Maps a class name in the archive to a type. The type is still decoded only where a request allows it.
  /// - Parameters:
  ///   - type: The type to decode; nil removes the mapping.
  ///   - name: The archived class name.
  public func setClass(_ type: (any KeyedCoding.Type)?, forClassName name: String) {
    storage.state.classes[name] = type
    classesOfRecords = [:]
    discardDecisions()
  }

  /// Returns the type that is mapped to a class name.
  /// - Parameter name: The archived class name.
  /// - Returns: The type, or nil if none is mapped.
  public func `class`(forClassName name: String) -> (any KeyedCoding.Type)? { storage.state.classes[name] }

  /// Returns the type that is mapped to the name of a class record, or nil.
  func setClass(for record: ClassRecord) -> (any KeyedCoding.Type)? {
    guard !storage.state.classes.isEmpty else { return nil }
    if let known = classesOfRecords[record.uid] { return known }
    let type = storage.state.classes[record.name]
    classesOfRecords[record.uid] = .some(type)
    return type
  }

  /// Accepts a class name for a type. Unlike the mapping of ``setClass(_:forClassName:)``, several types can have one
  /// name.
  func accept(_ name: String, for type: any KeyedCoding.Type) {
    acceptedTypes[BytewiseString(name), default: []].append(type)
    discardDecisions()
  }

  /// Returns the types for which a class name is accepted, in addition to their own.
  func acceptedTypes(of name: String) -> [any KeyedCoding.Type] {
    acceptedTypes.isEmpty ? [] : acceptedTypes[BytewiseString(name)] ?? []
  }

  /// Returns the names that are accepted for a type, in addition to its own.
  func acceptedNames(of type: any KeyedCoding.Type) -> [String] {
    acceptedTypes.compactMap { name, types in
      types.contains { ObjectIdentifier($0) == ObjectIdentifier(type) } ? name.text : nil
    }.sorted()
  }

  /// The identity of the object that is being decoded.
  package var currentScope: ScopeID { storage.state.scopeID }

  /// Returns whether an object is the one that is being decoded.
  package func isCurrent(_ scope: ScopeID) -> Bool { storage.state.isCurrent(scope) }

  /// Returns the class record with a UID.
  package func classRecord(_ uid: UInt32) throws -> ClassRecord {
    if let known = classRecords[uid] { return known }
    let parts = try ClassRecord.Parts(uid, in: &storage.state)
    let record = try ClassRecord(parts, in: storage.state.source)
    // Many records and hints can share the bytes of one name.
    try storage.state.charge(work: record.swiftNameCost)
    classRecords.add(record, for: uid)
    return record
  }

  /// Returns whether a class record has the name of a type and no mapping. This frequent case needs no string.
  func isRecord(_ uid: UInt32, of type: any KeyedCoding.Type) throws -> Bool {
    // This also charges each request for the names in the record, which a failing check compares.
    let name = try ClassRecord.Parts(uid, in: &storage.state).name
    return storage.state.classes.isEmpty && storage.state.source.isText(name, type.archiveClassName)
  }

  private func discardDecisions() {
    storage.state.discardDecisions()
    rejections = [:]
    clearValueCache()
  }

  /// Clears the caches, and releases the values while no access to this decoder's properties is open.
  func clearValueCache() {
    let released = (valueCache.take(), hashedValueCache.take())
    withExtendedLifetime(released) {}
  }

  /// Removes the values that can contain discarded instances, as ``clearValueCache()`` removes all.
  func removeCachedValues(since firstInstance: Int) {
    let released = (valueCache.take(since: firstInstance), hashedValueCache.take(since: firstInstance))
    withExtendedLifetime(released) {}
  }

  // MARK: Failing

  /// Records the first error of the current object, with its location.
  func fail(_ error: KeyedArchiveError) {
    guard !storage.state.hasFailed else { return }
    storage.state.fail(located(error))
  }

  func located(_ error: KeyedArchiveError) -> KeyedArchiveError {
    var error = storage.state.source.isBinary ? error : error.inXML(storage.state.source.lines)
    if !error.hasPlace { error.place = storage.state.place() }
    return error
  }

  /// Runs a decoding step for a nonthrowing call, which records an error and returns `fallback`.
  @inline(__always)
  package func recordingErrors<Value>(_ fallback: Value, _ body: () throws -> Value) -> Value {
    guard !storage.state.callerHasFailed, !isFinished else {
      refuseFinished()
      return fallback
    }
    do {
      return try body()
    } catch {
      fail(KeyedArchiveError(wrapping: error))
      return fallback
    }
  }

  /// Records an error if the unarchiver is finished.
  @inline(never)
  func refuseFinished() {
    guard isFinished else { return }
    fail(
      KeyedArchiveError(
        .alreadyFinished, "the unarchiver is finished", remedy: "Decode all values before you call finishDecoding()"))
  }

  /// Runs a decoding step for a throwing call.
  @inline(__always)
  package func throwing<Value>(_ body: () throws -> Value) throws -> Value {
    try throwFailure()
    do {
      return try body()
    } catch {
      throw thrown(error)
    }
  }

  /// Removes and returns the recorded error of the current object.
  @inline(__always)
  func takeFailure() -> KeyedArchiveError? { storage.state.takeFailure() }
}
