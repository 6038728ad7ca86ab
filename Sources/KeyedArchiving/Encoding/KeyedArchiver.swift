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
/// Encoding calls do not throw. What goes wrong is kept in ``error`` and thrown at the end, by ``encodedData`` or
/// ``finishEncoding()``; no partial archive is ever handed out. An archiver is used by one task at a time.
///
/// The depth of a graph does not matter: an object's `encode(with:)` has returned before those of its children are called.
public final class KeyedArchiver {
  let storage: CoderStorage<ArchiverState>

  /// The format of ``encodedData``. Binary unless set.
  public var outputFormat: PropertyList.Format {
    get { storage.state.outputFormat }
    set { storage.state.outputFormat = newValue }
  }

  /// Hears of objects and may replace them.
  public weak var delegate: (any KeyedArchiverDelegate)? {
    didSet { storage.state.hasDelegate = delegate != nil }
  }

  /// What encoding two values of one object for the same key does.
  public enum RepeatedKeyPolicy: Sendable, Hashable {
    /// The archiving fails with ``KeyedArchiveError/Code/notEncodable``, because the first value would be lost.
    case fail
    /// The later value replaces the first, as in Apple's archiver, which logs a warning that a class hierarchy probably
    /// uses the key twice.
    case keepLast
  }

  /// What encoding two values of one object, or of the top level, for the same key does.
  /// ``RepeatedKeyPolicy/fail`` unless set otherwise.
  public var repeatedKeyPolicy: RepeatedKeyPolicy {
    get { storage.state.repeatedKeyPolicy }
    set { storage.state.repeatedKeyPolicy = newValue }
  }

  /// What the `encode(to:)` of Codable types finds in their encoder's `userInfo`.
  public var userInfo: [CodingUserInfoKey: any Sendable] {
    get { storedUserInfo }
    set {
      // A value that is replaced is released after the access, because its `deinit` can use this archiver.
      let former = storedUserInfo
      storedUserInfo = newValue
      withExtendedLifetime(former) {}
    }
  }
  private var storedUserInfo: [CodingUserInfoKey: any Sendable] = [:]
  /// How values of each Codable type met so far are noted.
  var encodingWays: [ObjectIdentifier: AnyObject] = [:]

  /// The `$archiver` that is written. Decoders on Apple's systems refuse names that they do not expect.
  public var archiverName: String {
    get { storage.state.archiverName }
    set { storage.state.archiverName = newValue }
  }

  /// The maximum number of objects in the archive, 2^24 unless set. Arrays, structs and other values are archived once for
  /// each reference to them, and a few that share others can stand for more objects than there is memory.
  public var maximumObjectCount: Int {
    get { storage.state.maximumObjectCount }
    set { storage.state.maximumObjectCount = newValue }
  }

  /// The maximum number of bytes of the archive's strings and data together, 4 GiB unless set.
  public var maximumByteCount: Int {
    get { storage.state.maximumByteCount }
    set { storage.state.maximumByteCount = newValue }
  }

  /// The top-level key of the archives that the one-object calls write.
  public static let rootKey = "root"

  /// Makes an archiver.
  /// - Parameters:
  ///   - requiresSecureCoding: whether to refuse types that do not adopt ``SecureKeyedCoding``.
  ///   - layout: how to arrange the file.
  public init(requiringSecureCoding requiresSecureCoding: Bool, layout: ArchiveLayout = .apple) {
    storage = CoderStorage(ArchiverState(requiresSecureCoding: requiresSecureCoding, layout: layout))
  }

  /// Whether types that do not adopt ``SecureKeyedCoding`` are refused.
  public var requiresSecureCoding: Bool { storage.state.requiresSecureCoding }

  /// How the file is arranged.
  public var layout: ArchiveLayout { storage.state.layout }

  /// The first thing that went wrong.
  public var error: KeyedArchiveError? { storage.state.failure }

  /// Makes the archiving fail, for a value that cannot be archived as it is.
  public func failWithError(_ error: any Error) {
    var failure = KeyedArchiveError(wrapping: error)
    if failure.keyPath == nil { failure.keyPath = storage.state.keyPath() }
    storage.state.fail(failure)
  }

  /// The archive of one object, under the key `root`.
  /// - Throws: ``KeyedArchiveError``, with code ``KeyedArchiveError/Code/classNotSecure`` for a type that does not adopt
  ///   secure coding where it is required.
  public static func archivedData(
    withRootObject object: some KeyedCoding, requiringSecureCoding: Bool, layout: ArchiveLayout = .apple
  ) throws -> Data {
    let archiver = KeyedArchiver(requiringSecureCoding: requiringSecureCoding, layout: layout)
    archiver.encode(object, forKey: KeyedArchiver.rootKey)
    return try archiver.encodedData
  }

  /// Archives one object into a file, under the key `root`. The file is there in its old form or in its new one,
  /// whatever happens meanwhile.
  /// - Parameters:
  ///   - object: the object.
  ///   - url: the file.
  ///   - requiringSecureCoding: whether to refuse types that do not adopt ``SecureKeyedCoding``.
  ///   - layout: how to arrange the file.
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

  /// Ends the archiving; nothing can be encoded afterwards. ``encodedData`` does it by itself.
  /// - Throws: the first thing that went wrong.
  public func finishEncoding() throws { _ = try encodedData }

  /// The archive. Reading it ends the archiving.
  ///
  /// Reading it again returns the same bytes, unless something was encoded meanwhile: that value is in no archive, so the
  /// error is thrown.
  public var encodedData: Data {
    get throws {
      if let encoded = storage.state.encoded {
        if let failure = storage.state.failure { throw failure }
        return encoded
      }
      guard !storage.state.isWalking else {
        throw KeyedArchiveError(
          .alreadyFinished, "the archive was asked for while an object is being encoded",
          remedy: "Read encodedData after the outermost encode call has returned")
      }
      if storage.state.hasDelegate, !storage.state.isFinished { delegate?.archiverWillFinish(self) }
      if let failure = storage.state.failure { throw failure }
      storage.state.isFinished = true
      let archive: Data
      do {
        archive = try written()
      } catch {
        // What was collected is gone: nobody may get an archive without it.
        storage.state.fail(KeyedArchiveError(wrapping: error))
        throw error
      }
      storage.state.encoded = archive
      if storage.state.hasDelegate { delegate?.archiverDidFinish(self) }
      // What a deinitializer or the delegate encoded meanwhile came too late.
      if let failure = storage.state.failure { throw failure }
      return archive
    }
  }

  private func written() throws -> Data {
    guard storage.state.entries.count < Int(Int32.max),
      storage.state.tree.shapes.count < ArchiverState.Entry.maximumShape
    else {
      throw KeyedArchiveError(
        .limitReached,
        "an archive holds at most \(Int32.max) objects with \(ArchiverState.Entry.maximumShape) sequences of keys")
    }
    try storage.state.checkByteCount()
    // What was collected is let go as soon as it is not needed again. Whose deinitialiser asks for the archive is refused.
    storage.state.isWalking = true
    defer { storage.state.isWalking = false }
    storage.state.finishOrder()
    // A result that is ignored would be released before the access that returns it ends.
    let references = storage.state.takeReferences()
    withExtendedLifetime(references) {}
    let binary = ArchiveWriter.write(storage, archiverName: archiverName)
    let data = storage.state.takeData()
    withExtendedLifetime(data) {}
    guard outputFormat == .xml else { return binary }
    do {
      return try PropertyList(binary, limits: .none).rewritten(as: .xml)
    } catch {
      throw KeyedArchiveError(error)
    }
  }

  /// Sets the name that a class is archived under by this archiver. The class record then holds only that name.
  public func setClassName(_ name: String?, for type: any KeyedCoding.Type) {
    storage.state.classNames[ObjectIdentifier(type)] = name
  }

  /// The name set for a class, if one is.
  public func className(for type: any KeyedCoding.Type) -> String? { storage.state.classNames[ObjectIdentifier(type)] }

  // MARK: Recording

  /// Notes a value under a key, and archives it if no object is being encoded.
  @usableFromInline @inline(never)
  package func record(_ note: _RecordedValue, _ key: String) {
    if storage.state.record(note, key) { resolve() }
  }

  /// Archives what was recorded at the top level.
  ///
  /// Code outside of the library runs here (`encode(with:)`, replacements, delegates, the static members of types, and
  /// deinitializers of what is archived), in the calls that note a value (`_record(in:)`, and the elements of collections),
  /// and in ``encodedData``. The state is not being accessed while it does.
  func resolve() {
    guard !storage.state.isWalking else { return }
    storage.state.isWalking = true
    defer {
      storage.state.isWalking = false
      releaseSpentValues()
    }
    var step = storage.state.resolveNext()
    while true {
      switch step {
      case .settled: return
      case .encode:
        if storage.state.spentValues.count > 256 { releaseSpentValues() }
        guard let object = storage.state.takeSubject(), storage.state.willRecord() else { break }
        do {
          try object.encode(with: self)
        } catch {
          failWithError(error)
        }
        storage.state.recorded()
      case .describe(let type):
        describe(type)
      case .entered: break
      case .replace:
        if let object = storage.state.takeSubject(), let next = replace(object) {
          step = next
          continue
        }
      case .didEncode:
        guard let object = storage.state.takeSubject(), !(object is any EncodableBox) else { break }
        delegate?.archiver(self, didEncode: object)
      }
      step = storage.state.resolveNext()
    }
  }

  /// Lets values go that are archived; their deinitialisers run when the access to the state is over.
  private func releaseSpentValues() {
    let spent = storage.state.takeSpentValues()
    withExtendedLifetime(spent) {}
  }

  /// Asks an object and the delegate for what shall stand in its place.
  private func replace(_ object: any KeyedCoding) -> ArchiverState.Step? {
    var current: (any KeyedCoding)? = object
    if let replacing = object as? any ArchiveReplacing { current = replacing.replacementObject(for: self) }
    if let delegate, let asked = current, !(asked is any EncodableBox) {
      let answer = delegate.archiver(self, willEncode: asked)
      delegate.archiver(self, willReplace: asked, with: answer)
      current = answer
    }
    let note = current.map { $0._record(in: self) } ?? _RecordedValue(.null)
    while true {
      let step = storage.state.replace(with: note)
      guard case .describe(let type) = step else { return step }
      describe(type)
    }
  }

  /// Finds out what there is to know of a type.
  func describe(_ type: any KeyedCoding.Type) {
    let described = ArchivedType(type, mappedName: storage.state.classNames[ObjectIdentifier(type)])
    storage.state.add(described, for: ObjectIdentifier(type))
    guard described.chain.count > 2, described.chain[0] == described.chain[1] else { return }
    // A decoder would make an instance of the superclass and lose what the subclass added.
    storage.state.fail(
      KeyedArchiveError(
        .notEncodable,
        "the class '\(TypeName.archived(type))' would be archived under the name '\(described.name)' of its superclass",
        className: described.name,
        remedy: "Declare the superclass's archiveClassName with 'class var' and override it in the subclass, or call "
          + "setClassName(_:for:) for the subclass"))
  }
}
