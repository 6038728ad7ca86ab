// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import PropertyListFormat

/// Archives a graph of objects: `NSKeyedArchiver` for any platform.
///
/// ```swift
/// let data = try KeyedArchiver.archivedData(withRootObject: creature, requiringSecureCoding: true)
/// ```
///
/// Encoding calls do not throw. The archiver records the first error in ``error``, and throws it from ``encodedData``
/// or ``finishEncoding()``. It never returns a partial archive. Only one task at a time may use an archiver.
///
/// Graphs of any depth can be archived, because an object's `encode(with:)` returns before those of its children are
/// called.
public final class KeyedArchiver {
  let storage: CoderStorage<ArchiverState>

  /// The format of ``encodedData``. The default is binary.
  public var outputFormat: PropertyList.Format {
    get { storage.state.outputFormat }
    set { storage.state.outputFormat = newValue }
  }

  /// The delegate, which observes archived objects and can replace them.
  public weak var delegate: (any KeyedArchiverDelegate)? {
    didSet { storage.state.hasDelegate = delegate != nil }
  }

  /// The reaction to two values of one object that are encoded for the same key.
  public enum RepeatedKeyPolicy: Sendable, Hashable {
    /// Archiving fails with ``KeyedArchiveError/Code/notEncodable``, because the first value would be lost.
    case fail
    /// The later value replaces the first. Apple's archiver does the same, and logs a warning that a class hierarchy
    /// probably uses the key twice.
    case keepLast
  }

  /// The reaction to two values that are encoded for the same key, in one object or at the top level. The default is
  /// ``RepeatedKeyPolicy/fail``.
  public var repeatedKeyPolicy: RepeatedKeyPolicy {
    get { storage.state.repeatedKeyPolicy }
    set { storage.state.repeatedKeyPolicy = newValue }
  }

  /// The keys for which one object, or the top level, encoded several values, of which only the last is archived.
  ///
  /// It is empty until ``encodedData`` was read, and always empty unless ``repeatedKeyPolicy`` is
  /// ``RepeatedKeyPolicy/keepLast``. Each key of a class is listed once, with the path of the first object in the archive that
  /// encoded it several times.
  public var repeatedKeys: [KeyReport.Entry] { storage.state.repeatedKeys.entries }

  /// The `userInfo` of the encoders that Codable types receive.
  public var userInfo: [CodingUserInfoKey: any Sendable] {
    get { storedUserInfo }
    set {
      // The previous value is released after the access, because its `deinit` can use this archiver.
      let former = storedUserInfo
      storedUserInfo = newValue
      withExtendedLifetime(former) {}
    }
  }
  private var storedUserInfo: [CodingUserInfoKey: any Sendable] = [:]
  /// The encoding strategies of the Codable types encoded so far.
  var encodingStrategies: [ObjectIdentifier: AnyObject] = [:]

  /// The error of another type that the encoding method of a value threw, if that made archiving fail.
  private(set) var thrownError: (any Error)?

  /// State that other modules attach to the archiver.
  package var companions = Companions()

  /// The value of `$archiver`. Apple's decoders reject unexpected names.
  public var archiverName: String {
    get { storage.state.archiverName }
    set { storage.state.archiverName = newValue }
  }

  /// The maximum number of objects in the archive, that is of elements of `$objects`: instances, values, strings, numbers
  /// and class records. The default is 2^24.
  ///
  /// Arrays, structs and other values are archived once for each reference to them. A few that share others can expand
  /// to more objects than fit into memory. The objects in progress can have as many values, such as the numbers of a
  /// large array, but at least 2^24.
  public var maximumObjectCount: Int {
    get { storage.state.maximumObjectCount }
    set { storage.state.maximumObjectCount = newValue }
  }

  /// The maximum total size of the archive's strings and data in bytes. The default is 4 GiB.
  public var maximumByteCount: Int {
    get { storage.state.maximumByteCount }
    set { storage.state.maximumByteCount = newValue }
  }

  /// The top-level key of archives with one root object.
  public static let rootKey = "root"

  /// Creates an archiver.
  /// - Parameters:
  ///   - requiresSecureCoding: Whether to reject types that do not adopt ``SecureKeyedCoding``.
  ///   - layout: The arrangement of the file.
  public init(requiringSecureCoding requiresSecureCoding: Bool, layout: ArchiveLayout = .apple) {
    if layout == .apple, let idle = IdleArchiverStates.take() {
      storage = idle
      storage.state.requiresSecureCoding = requiresSecureCoding
    } else {
      storage = CoderStorage(ArchiverState(requiresSecureCoding: requiresSecureCoding, layout: layout))
    }
  }

  deinit { IdleArchiverStates.add(storage) }

  /// A Boolean value that indicates whether the archiver rejects types that do not adopt ``SecureKeyedCoding``.
  public var requiresSecureCoding: Bool { storage.state.requiresSecureCoding }

  /// The arrangement of the file.
  public var layout: ArchiveLayout { storage.state.layout }

  /// The first error.
  public var error: KeyedArchiveError? { storage.state.failure }

  /// Makes archiving fail. Call it for a value that cannot be archived.
  ///
  /// An earlier error has precedence.
  /// - Parameter error: The reason. An error without a key path gets the current one.
  public func failWithError(_ error: any Error) {
    var failure = KeyedArchiveError(wrapping: error)
    if failure.keyPath == nil { failure.keyPath = storage.state.keyPath() }
    storage.state.fail(failure)
  }

  /// Returns the key path of the current object, or of a value that it, or the caller, encodes for a key.
  package func keyPath(to key: String? = nil) -> String {
    guard storage.state.isRecording, let path = storage.state.keyPath() else { return key ?? "" }
    return key.map { "\(path).\($0)" } ?? path
  }

  /// Archives one object under the key `root`.
  /// - Parameters:
  ///   - object: The object.
  ///   - requiringSecureCoding: Whether to reject types that do not adopt ``SecureKeyedCoding``.
  ///   - layout: The arrangement of the file.
  /// - Returns: The archive.
  /// - Throws: ``KeyedArchiveError``, with code ``KeyedArchiveError/Code/classNotSecure`` for a type that does not
  ///   adopt secure coding although it is required.
  public static func archivedData(
    withRootObject object: some KeyedCoding, requiringSecureCoding: Bool, layout: ArchiveLayout = .apple
  ) throws -> Data {
    let archiver = KeyedArchiver(requiringSecureCoding: requiringSecureCoding, layout: layout)
    archiver.encode(object, forKey: KeyedArchiver.rootKey)
    return try archiver.encodedData
  }

  /// Archives one object under the key `root`, and writes the file atomically.
  /// - Parameters:
  ///   - object: The object.
  ///   - url: The file.
  ///   - requiringSecureCoding: Whether to reject types that do not adopt ``SecureKeyedCoding``.
  ///   - layout: The arrangement of the file.
  /// - Throws: ``KeyedArchiveError``, with code ``KeyedArchiveError/Code/fileAccess`` if the file cannot be written.
  public static func archive(
    _ object: some KeyedCoding, to url: URL, requiringSecureCoding: Bool, layout: ArchiveLayout = .apple
  ) throws {
    let data = try archivedData(withRootObject: object, requiringSecureCoding: requiringSecureCoding, layout: layout)
    do {
      try DurableFile.write(data, to: url)
    } catch {
      throw KeyedArchiveError(error)
    }
  }

  /// Finishes the archive. Nothing can be encoded afterwards. Reading ``encodedData`` finishes it as well.
  /// - Throws: ``KeyedArchiveError``, the first error.
  public func finishEncoding() throws { _ = try encodedData }

  /// The archive. Reading it finishes the archive.
  ///
  /// Reading it again returns the same bytes. If a value was encoded in between, the property throws, because no
  /// archive contains that value.
  public var encodedData: Data {
    get throws {
      if let encoded = storage.state.encoded {
        if let failure = storage.state.failure { throw failure }
        return encoded
      }
      guard !storage.state.isResolving, storage.state.openElements == 0 || storage.state.hasFailed else {
        throw KeyedArchiveError(
          .alreadyFinished, "the archive was requested while an object is being encoded",
          remedy: "Read encodedData after the outermost encode call returns")
      }
      guard !storage.state.isFinishing else {
        throw KeyedArchiveError(
          .alreadyFinished, "the archive was requested in archiverWillFinish(_:)",
          remedy: "Read encodedData in archiverDidFinish(_:) or later")
      }
      if let failure = storage.state.failure { throw failure }
      if storage.state.hasDelegate, !storage.state.isFinished {
        storage.state.isFinishing = true
        defer { storage.state.isFinishing = false }
        delegate?.archiverWillFinish(self)
      }
      if let failure = storage.state.failure { throw failure }
      storage.state.isFinished = true
      let archive: Data
      do {
        archive = try written()
      } catch {
        // The recorded values are gone, so later reads must fail too.
        storage.state.fail(KeyedArchiveError(wrapping: error))
        throw error
      }
      storage.state.encoded = archive
      if storage.state.hasDelegate { delegate?.archiverDidFinish(self) }
      // A `deinit` or the delegate can encode values here, which come too late.
      if let failure = storage.state.failure { throw failure }
      return archive
    }
  }

  private func written() throws -> Data {
    guard storage.state.entries.count < Int(Int32.max),
      storage.state.trie.keyLayouts.count < ArchiverState.Entry.maximumKeyLayoutCount
    else {
      throw KeyedArchiveError(
        .limitReached,
        "format limit reached: expected at most \(Int32.max) objects and \(ArchiverState.Entry.maximumKeyLayoutCount) "
          + "sequences of keys", remedy: "Divide the objects among several archives")
    }
    try storage.state.checkByteCount()
    // State is released as soon as it is not needed. A `deinit` that requests the archive here gets an error.
    storage.state.isResolving = true
    defer { storage.state.isResolving = false }
    storage.state.finishOrder()
    let places = storage.state.placesOfRepeatedKeys()
    // The `deinit` of an object runs here, after the access that returns the objects ends.
    var references = storage.state.takeReferences()
    references.removeAll(keepingCapacity: references.capacity <= ArchiverState.reusedCapacity)
    if storage.state.references.isEmpty { storage.state.references = references }
    let binary = ArchiveWriter.write(storage, archiverName: archiverName)
    let data = storage.state.takeData()
    withExtendedLifetime(data) {}
    if !places.isEmpty { storage.state.repeatedKeys.entries = try RepeatedKeys.entries(of: places, in: binary) }
    guard outputFormat == .xml else { return binary }
    do {
      return try PropertyList(binary, limits: .none).rewritten(as: .xml)
    } catch {
      throw KeyedArchiveError(error)
    }
  }

  /// Sets the name that this archiver writes for a class. The class record then stores only that name.
  ///
  /// Set it before you encode an object of the class. A name that is set later has no effect.
  /// - Parameters:
  ///   - name: The name; nil for the type's ``KeyedCoding/archiveClassName``.
  ///   - type: The type of the class.
  public func setClassName(_ name: String?, for type: any KeyedCoding.Type) {
    storage.state.classNames[ObjectIdentifier(type)] = name
  }

  /// Returns the name that was set for a class.
  /// - Parameter type: The type of the class.
  /// - Returns: The name, or nil if none was set.
  public func className(for type: any KeyedCoding.Type) -> String? { storage.state.classNames[ObjectIdentifier(type)] }

  // MARK: Recording

  /// Records a value for a key, and resolves it at once if no object is being encoded.
  @usableFromInline @inline(never)
  package func record(_ value: RecordedValue, _ key: String) {
    if storage.state.record(value, key) { resolve() }
  }

  /// Resolves the values that were recorded at the top level.
  ///
  /// User code runs here: `encode(with:)`, replacements, delegates, static members of types, and the `deinit` of
  /// archived values. It also runs in the calls that record a value (`record(in:)` and the elements of collections),
  /// and in ``encodedData``. No access to the state is open while it runs.
  func resolve() {
    guard !storage.state.isResolving else { return }
    storage.state.isResolving = true
    defer {
      storage.state.isResolving = false
      releaseValues()
    }
    var step = storage.state.resolveNext()
    while true {
      switch step {
      case .finished: return
      case .encode:
        if storage.state.valuesToRelease.count > 256 { releaseValues() }
        guard let object = storage.state.takeSubject(), storage.state.willRecord() else { break }
        do {
          try object.encode(with: self)
        } catch {
          if !storage.state.hasFailed, !(error is KeyedArchiveError) { thrownError = error }
          failWithError(error)
        }
        if storage.state.didRecord() { showEncodedSubject() }
      case .describe(let type):
        describe(type)
      case .collectionBegun: break
      case .replace:
        if let object = storage.state.takeSubject(), let next = replace(object) {
          step = next
          continue
        }
      case .didEncode: showEncodedSubject()
      }
      step = storage.state.resolveNext()
    }
  }

  /// Tells the delegate that the object of the current step was archived.
  private func showEncodedSubject() {
    guard let object = storage.state.takeSubject(), !(object is any EncodableBox) else { return }
    delegate?.archiver(self, didEncode: (object as? any ObjectWrapper)?.wrappedObject ?? object)
  }

  /// Releases archived values. Their `deinit` runs after the access to the state ends.
  private func releaseValues() {
    let spent = storage.state.takeValuesToRelease()
    withExtendedLifetime(spent) {}
  }

  /// Asks an object and the delegate for a replacement, and resolves it.
  private func replace(_ object: any KeyedCoding) -> ArchiverState.Step? {
    let value = recordedReplacement(for: object)
    while true {
      let step = storage.state.replace(with: value)
      guard case .describe(let type) = step else { return step }
      describe(type)
    }
  }

  /// Records the replacement of an object. Returns nil for a box, which keeps its record. Recorded again, it would have its
  /// own address, while other references have the address of the instance in it.
  private func recordedReplacement(for object: any KeyedCoding) -> RecordedValue? {
    var current: (any KeyedCoding)? = object
    if let replacing = object as? any ArchiveReplacing {
      current = replacing.replacementObject(for: self)
    } else if object is any EncodableBox {
      return nil
    }
    if let delegate, let asked = current, !(asked is any EncodableBox) {
      let wrapped = (asked as? any ObjectWrapper)?.wrappedObject
      let shown = wrapped ?? asked
      let answer = delegate.archiver(self, willEncode: shown)
      delegate.archiver(self, willReplace: shown, with: answer)
      // The object itself keeps its wrapper.
      let isKept = if let wrapped, let answer { Self.isSame(wrapped, answer) } else { false }
      if !isKept { current = answer }
    }
    return current.map { $0.record(in: self) } ?? RecordedValue(.null)
  }

  /// Returns whether a value is an instance. It compares no contents.
  private static func isSame(_ object: AnyObject, _ value: any KeyedCoding) -> Bool {
    type(of: value) is AnyClass && (value as AnyObject) === object
  }

  /// Adds the description of a type.
  func describe(_ type: any KeyedCoding.Type) {
    let mappedName = storage.state.classNames[ObjectIdentifier(type)]
    let name = mappedName ?? type.archiveClassName
    let chain = mappedName == nil ? type.archiveClassChain : []
    let isSecure = SecureCoding.isAdopted(by: type)
    if mappedName != nil || !storage.state.confirm(ObjectIdentifier(type), name, chain, isSecure: isSecure) {
      let described = ArchivedType(type, name, chain, isSecure: isSecure, isMapped: mappedName != nil)
      storage.state.add(described, for: ObjectIdentifier(type))
    }
    guard chain.count > 2, chain[0] == chain[1] else { return }
    // A decoder would instantiate the superclass and lose the values of the subclass.
    storage.state.fail(
      KeyedArchiveError(
        .notEncodable,
        "duplicate class name: '\(TypeName.spelled(type))' has the name '\(name)' of its superclass",
        keyPath: storage.state.keyPath(), className: name,
        remedy: "Declare the superclass's archiveClassName with 'class var' and override it in the subclass, or call "
          + "setClassName(_:for:) for the subclass"))
  }
}
