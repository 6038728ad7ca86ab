// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import PropertyListFormat
import SystemFiles

/// Makes objects from an archive: `NSKeyedUnarchiver` for any platform.
///
/// ```swift
/// let creatures = try KeyedUnarchiver.unarchivedObject(ofClass: [String: [Creature]].self, from: data)
/// ```
///
/// The type that is asked for is the list of what may come out: nothing else is made, whatever the archive says, and each
/// reference is checked before any initialiser runs, also one that leads to an object decoded before.
///
/// Calls named as `NSCoder` has them do not throw, so that code written for it ports as it stands. When one fails in an
/// `init(coder:)`, it returns nil or zero and ``error`` says why. The initializer runs on to its end, and later calls
/// return what they find. Then the object fails with the first such error, whatever the initializer returned, and so does
/// everything that contains the object.
///
/// Calls named as `Decodable` containers have them, ``decode(_:forKey:)`` and ``decodeIfPresent(_:forKey:)``, throw at
/// once. An initializer that catches what they throw goes on as if it had not asked: the object that failed leaves nothing
/// behind. A decoder is used by one task at a time.
public final class KeyedUnarchiver {
  /// What an error that reaches the caller outside of all initializers does to its later calls.
  ///
  /// Inside an `init(coder:)` both policies are the same: an error that is thrown and caught is over, and one that a call
  /// could not throw makes the object fail.
  public enum DecodingFailurePolicy: Sendable, Hashable {
    /// An error that a call throws is over. One that a call could not throw stays, as with the other policy.
    case raiseException
    /// The first error stays: all later calls return nil or zero, or throw it again.
    case setErrorAndReturn
  }

  package let storage: CoderStorage<UnarchiverState>
  let limits: ReadLimits
  /// The types that were set for names, by the numbers of class records: a million objects may be of one class with a
  /// long name.
  private var classesOfRecords: [UInt32: (any KeyedCoding.Type)?] = [:]
  var deferred = DeferredReferences()
  var keptValues = ValueCache()
  /// The values kept while ``isHashing``, for those made before were not checked.
  var keptHashedValues = ValueCache()
  /// Whether what is decoded will be hashed by Swift's own rules, as keys of dictionaries and elements of sets are.
  var isHashing = false
  /// What another module keeps with the decoder, such as the objects that were made as data.
  package var companion: AnyObject?
  private var classRecords = SmallDictionary<UInt32, ClassRecord>()
  /// The flat list that is in force, where a list and not a type says what is allowed.
  package var allowedClasses: AllowList?
  /// The lists for the keys and values of a dictionary that is about to be decoded.
  var listsOfPairs: (keys: AllowList, values: AllowList)?
  /// All lists there were; they live as long as the decoder, so that no two of them are ever taken for each other.
  var classLists: [[ObjectIdentifier]: AllowList] = [:]
  /// What the `init(from:)` of Codable types finds in their decoder's `userInfo`.
  public var userInfo: [CodingUserInfoKey: any Sendable] {
    get { storedUserInfo }
    set {
      // A value that is replaced is released after the access, because its `deinit` can use this decoder.
      let former = storedUserInfo
      storedUserInfo = newValue
      withExtendedLifetime(former) {}
    }
  }
  private var storedUserInfo: [CodingUserInfoKey: any Sendable] = [:]
  /// How values of each Codable type met so far are made.
  var decodingWays: [ObjectIdentifier: AnyObject] = [:]
  /// Class records that do not fit a type, which may then be a single value.
  var rejectedPairs: Set<AllowListCache.Key> = []

  /// Whether only types that adopt ``SecureKeyedCoding`` are made. True unless set otherwise.
  public var requiresSecureCoding: Bool {
    get { storage.state.requiresSecureCoding }
    set {
      storage.state.requiresSecureCoding = newValue
      forgetVerdicts()
    }
  }

  /// Whether strings, numbers and data must be on a list of types to come out where such a list says what may.
  public enum PrimitiveValuePolicy: Sendable, Hashable {
    /// They must, as anything else.
    case mustBeListed
    /// They come out in any case, as from Apple's decoder, which lets these values pass whatever its list says.
    case alwaysAllowed
  }

  /// What lists of types mean for strings, numbers and data. ``PrimitiveValuePolicy/mustBeListed`` unless set otherwise.
  ///
  /// It matters where a list is given, as to `decodeObject(of: [types], forKey:)`. Where one type is asked for, nothing
  /// else ever comes out.
  public var primitiveValuePolicy = PrimitiveValuePolicy.mustBeListed {
    didSet { forgetVerdicts() }
  }

  /// What a failure does to the rest of the decode. ``DecodingFailurePolicy/setErrorAndReturn`` unless set otherwise.
  public var decodingFailurePolicy = DecodingFailurePolicy.setErrorAndReturn

  /// Hears of objects and may replace them.
  public weak var delegate: (any KeyedUnarchiverDelegate)? {
    didSet {
      storage.state.hasDelegate = delegate != nil
      forgetVerdicts()
    }
  }

  /// Opens an archive in either format.
  /// - Parameters:
  ///   - data: the archive.
  ///   - limits: how much may be spent on it.
  ///   - archivers: which `$archiver` names are accepted.
  /// - Throws: ``KeyedArchiveError`` for data that is no keyed archive.
  public init(
    forReadingFrom data: Data, limits: ReadLimits = .default, archivers: AcceptedArchivers = .known
  ) throws {
    self.limits = limits
    storage = CoderStorage(try UnarchiverState(ArchiveSource(data, limits: limits, archivers: archivers)))
  }

  /// Opens a file.
  ///
  /// The file is read into memory, once and in one block, and not mapped: if another program cut a mapped file off, the next
  /// access to its lost part would end the process.
  /// - Throws: ``KeyedArchiveError``, with code ``KeyedArchiveError/Code/fileAccess`` if the file cannot be read.
  public init(contentsOf url: URL, limits: ReadLimits = .default, archivers: AcceptedArchivers = .known) throws {
    self.limits = limits
    if url.isFileURL, let bytes = try? WholeFile.bytes(at: url.path) {
      storage = CoderStorage(try UnarchiverState(ArchiveSource(bytes: bytes, limits: limits, archivers: archivers)))
      return
    }
    // Pipes, devices, other systems, and errors that have words of their own.
    let data: Data
    do {
      data = try Data(contentsOf: url)
    } catch {
      var failure = KeyedArchiveError(PropertyListError.unreadable(url, error))
      failure.underlying = error
      throw failure
    }
    storage = CoderStorage(try UnarchiverState(ArchiveSource(data, limits: limits, archivers: archivers)))
  }

  var isFinished: Bool { storage.state.isFinished }

  /// The first error that a call could not throw: inside an `init(coder:)` among the calls of that initializer, outside
  /// among those of the caller. Nil if there is none.
  public var error: KeyedArchiveError? { storage.state.failure }

  /// Makes the decode fail, for stored values that do not make a valid object.
  public func failWithError(_ error: any Error) { fail(KeyedArchiveError(wrapping: error)) }

  /// Ends the decoding.
  public func finishDecoding() {
    guard !isFinished else { return }
    if storage.state.hasDelegate { delegate?.unarchiverWillFinish(self) }
    storage.state.isFinished = true
    if storage.state.hasDelegate { delegate?.unarchiverDidFinish(self) }
  }

  /// Makes this decoder take a type for a class name in the archive. The type is still made only where it is asked for.
  public func setClass(_ type: (any KeyedCoding.Type)?, forClassName name: String) {
    storage.state.classes[name] = type
    classesOfRecords = [:]
    forgetVerdicts()
  }

  /// The type set for a class name, if one is.
  public func `class`(forClassName name: String) -> (any KeyedCoding.Type)? { storage.state.classes[name] }

  /// The type set for the name of a class record, if one is.
  func setClass(for record: ClassRecord) -> (any KeyedCoding.Type)? {
    guard !storage.state.classes.isEmpty else { return nil }
    if let known = classesOfRecords[record.uid] { return known }
    let type = storage.state.classes[record.name]
    classesOfRecords[record.uid] = .some(type)
    return type
  }

  /// The class record with a number.
  package func classRecord(_ uid: UInt32) throws -> ClassRecord {
    if let known = classRecords[uid] { return known }
    let parts = try ClassRecord.Parts(uid, in: &storage.state)
    let record = try ClassRecord(parts, in: storage.state.source)
    classRecords.add(record, for: uid)
    return record
  }

  /// Whether a class record has the very name of a type, and no other type was set for it. It is so nearly always, and no
  /// string is made to find out.
  func isRecord(_ uid: UInt32, of type: any KeyedCoding.Type) throws -> Bool {
    guard storage.state.classes.isEmpty else { return false }
    let parts = try ClassRecord.Parts(uid, in: &storage.state)
    let name = type.archiveClassName
    return storage.state.source.isText(parts.name, name)
  }

  private func forgetVerdicts() {
    storage.state.forgetVerdicts()
    rejectedPairs = []
    forgetKeptValues()
  }

  /// Forgets the values that were kept, and releases them when no access to anything of this decoder is open.
  func forgetKeptValues() {
    let released = (keptValues.take(), keptHashedValues.take())
    withExtendedLifetime(released) {}
  }

  // MARK: Failing

  /// Keeps the first error of the object that is being decoded, with the place where it happened.
  func fail(_ error: KeyedArchiveError) {
    guard !storage.state.hasFailed else { return }
    storage.state.fail(located(error))
  }

  func located(_ error: KeyedArchiveError) -> KeyedArchiveError {
    var error = storage.state.source.isBinary ? error : error.withoutByteOffset
    if error.keyPath == nil { error.keyPath = storage.state.keyPath() }
    return error
  }

  /// Runs a decoding step for a call that cannot throw: an error is kept, and `fallback` returned.
  @inline(__always)
  package func kept<Value>(_ fallback: Value, _ body: () throws -> Value) -> Value {
    guard !storage.state.isBarred, !isFinished else { return refuseFinished(fallback) }
    do {
      return try body()
    } catch {
      fail(KeyedArchiveError(wrapping: error))
      return fallback
    }
  }

  @inline(never)
  func refuseFinished<Value>(_ fallback: Value) -> Value {
    if isFinished {
      fail(KeyedArchiveError(.alreadyFinished, "a value was asked for after finishDecoding()"))
    }
    return fallback
  }

  /// Runs a decoding step for a call that can throw.
  @inline(__always)
  package func throwing<Value>(_ body: () throws -> Value) throws -> Value {
    try throwFailure()
    do {
      return try body()
    } catch {
      throw thrown(error)
    }
  }

  /// Removes and returns the error that nonthrowing calls of the object that is being decoded left behind.
  @inline(__always)
  func takeFailure() -> KeyedArchiveError? { storage.state.takeFailure() }
}
