// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

public import PropertyListFormat

/// A store that is a file of its own: a property list, binary or XML, that Apple's `defaults` and any other program can
/// read.
///
/// The file is there in its old form or in its new one, whatever happens while it is written. Several processes may use
/// it: each change is made to what is in the file then, under a lock, and what others change is picked up and told to
/// observers. A file that is damaged is reported and, when something is about to be written, set aside under another
/// name; it is never overwritten or removed.
///
/// Beside the file are a hidden one that is the lock and, for the moment of a write, another one that is the new file.
public final class FileStore: DefaultsStore {
  /// When a change is safe.
  public enum Durability: Sendable, Hashable {
    /// When the call returns, whatever happens to the program or the machine.
    case synced
    /// When the call returns, whatever happens to the program. A loss of power may take back the last changes.
    case written
    /// At the latest after so much time, or after ``DefaultsStore/flush()``. Until then the change is in memory only, for
    /// this process. It is by far the fastest, as many changes are written at once. A store that nobody has any more
    /// writes what is left; a program that is about to end calls ``DefaultsStore/flush()``. What cannot be written is
    /// reported and tried again.
    ///
    /// A transaction is made to what this process knows by then, so it does not count together with other processes.
    case deferred(Duration)
  }

  /// How a store keeps its file.
  public struct Options: Sendable {
    /// When a change is safe.
    public var durability: Durability = .synced
    /// The format to write; nil for that of the file that is there, or binary.
    public var format: PropertyList.Format?
    /// How often the store looks for changes by others, at most a hundred times a second; nil to look only when it writes
    /// or is asked to.
    ///
    /// A look is two calls of the system. It works alike on all systems and all disks, which what systems tell of by
    /// themselves does not: they say nothing of changes that are made over a network.
    public var watching: Duration? = .milliseconds(250)
    /// How long a change waits for other processes.
    public var patience: Duration = .seconds(10)
    /// How much may be spent on a file: 256 MiB unless another limit is set.
    public var limits = ReadLimits(maximumByteCount: 1 << 28)
    /// Who is told what went wrong where nothing can be thrown.
    public var reports: @Sendable (DefaultsError) -> Void = DefaultsReports.standardError
    package var fault: (@Sendable (FileCall) -> Int32)?

    /// The options that apply where none are given.
    public init() {}
  }

  /// Where the file is.
  public let url: URL
  private let options: Options
  private let core = StoreCore()
  private let disk: Locked<Disk>
  private let watch = Locked<Task<Void, Never>?>(nil)

  /// What is known of the file. Only the writer touches it.
  private struct Disk {
    var file: DefaultsFile
    /// The version whose values are in memory; nil if none could be read yet.
    var version: DefaultsFile.Version?
    var format = PropertyList.Format.binary
    var isDamaged = false
    /// Changes that are in memory only.
    var unwritten: [BytewiseString: PropertyListValue?] = [:]
    var isFlushPlanned = false
  }

  /// Opens the file, or begins a new one, which is made by the first change.
  /// - Throws: ``DefaultsError`` with code ``DefaultsError/Code/cannotRead``. A damaged file is no error: it is reported,
  ///   and the store is empty.
  public convenience init(at url: URL, options: Options = Options()) throws {
    self.init(unopened: url, options: options)
    try refresh()
  }

  /// A store that has not looked at its file yet; a change looks first.
  init(unopened url: URL, options: Options) {
    self.url = url
    self.options = options
    let file = DefaultsFile(
      url, FileCalls(fault: options.fault), limits: options.limits, patience: options.patience)
    disk = Locked(Disk(file: file))
    guard let interval = options.watching.map({ max($0, .milliseconds(10)) }) else { return }
    let task = Task.detached(priority: .utility) { [weak self] in
      while !Task.isCancelled {
        do {
          try await Self.sleep(for: interval)
        } catch {
          return
        }
        // What cannot be read now may be next time.
        try? self?.refreshIfIdle()
      }
    }
    watch.withLock { $0 = task }
  }

  deinit {
    watch.withLock { $0?.cancel() }
    do {
      try flush()
    } catch let error as DefaultsError {
      report(error)
    } catch {}
  }

  // MARK: Reading

  /// What is stored for a key, whatever it is; nil if there is nothing.
  public func rawValue(for key: String) -> PropertyListValue? { core.value(BytewiseString(key)) }

  /// All values of one moment.
  public func snapshot() -> DefaultsSnapshot { DefaultsSnapshot([core.values()]) }

  /// Looks for changes by others now.
  /// - Throws: ``DefaultsError`` with code ``DefaultsError/Code/cannotRead``; the values are those that were there.
  public func refresh() throws {
    try core.write { touched in try disk.withLock { try takeNewest(&$0, &touched) } }
  }

  /// The same, unless somebody is writing, who looks anyway: the thread is not the store's to make wait.
  private func refreshIfIdle() throws {
    try core.writeIfIdle { touched in try disk.withLock { try takeNewest(&$0, &touched) } }
  }

  /// Reads the file if it is another one than was read last.
  private func takeNewest(_ disk: inout Disk, _ touched: inout [Observer]) throws {
    guard try disk.version == nil || disk.file.version() != disk.version else { return }
    try take(disk.file.read(), &disk, &touched)
  }

  /// Has memory agree with what was read.
  private func take(
    _ read: (content: DefaultsFile.Content, version: DefaultsFile.Version), _ disk: inout Disk,
    _ touched: inout [Observer]
  ) {
    defer { disk.version = read.version }
    switch read.content {
    case .absent:
      disk.isDamaged = false
      // If it was there before, somebody has removed it and all values with it.
      merge([:], disk.unwritten, &touched)
    case .values(let values, let format):
      disk.isDamaged = false
      disk.format = format
      merge(values, disk.unwritten, &touched)
    case .damaged(let error):
      // What is in memory stays; somebody may be in the middle of writing the file in another way.
      guard !disk.isDamaged || read.version != disk.version else { return }
      disk.isDamaged = true
      report(
        DefaultsError(
          .damaged, path: disk.file.path, "the file is damaged: \(error)",
          remedy: "It is set aside under another name when something is stored; see what can be saved of it",
          underlying: error))
    }
  }

  private func merge(
    _ values: StoreCore.Values, _ unwritten: [BytewiseString: PropertyListValue?], _ touched: inout [Observer]
  ) {
    var values = values
    for (key, value) in unwritten { values[key] = value }
    core.replace(values, .external, &touched)
  }

  // MARK: Writing

  /// Stores an object, or removes what is there if it is nil.
  /// - Throws: ``DefaultsError`` with code ``DefaultsError/Code/cannotWrite``, ``DefaultsError/Code/cannotRead``,
  ///   ``DefaultsError/Code/busy`` or ``DefaultsError/Code/nestedTransaction``; the store is then as it was before.
  public func setRawValue(_ value: PropertyListValue?, for key: String, origin: ChangeOrigin) throws {
    let key = BytewiseString(key)
    if case .deferred(let delay) = options.durability {
      return try core.write { touched in
        try disk.withLock { disk in
          try look(&disk, &touched)
          try check([key: value], for: disk)
          core.set(key, value, origin, &touched)
          disk.unwritten[key] = .some(value)
          planFlush(&disk, after: delay)
        }
      }
    }
    try write([key: value], origin)
  }

  /// Changes several keys at once.
  /// - Throws: as ``setRawValue(_:for:origin:)``, and what the closure throws; nothing is changed then.
  public func update<Result>(
    origin: ChangeOrigin, _ body: (inout DefaultsTransaction) throws -> Result
  ) throws -> Result {
    try core.write { touched in
      try disk.withLock { disk in
        guard case .deferred(let delay) = options.durability else {
          return try withNewest(&disk, &touched) { disk, touched in
            let (result, changes) = try DefaultsTransaction.run(on: snapshot(), body)
            try store(changes, origin, &disk, &touched)
            return result
          }
        }
        try look(&disk, &touched)
        let (result, changes) = try DefaultsTransaction.run(on: snapshot(), body)
        try check(changes, for: disk)
        core.apply(changes, origin, &touched)
        disk.unwritten.merge(changes) { $1 }
        planFlush(&disk, after: delay)
        return result
      }
    }
  }

  /// Refuses what no file holds before it is in memory, where it would keep all else from the file.
  private func check(_ changes: [BytewiseString: PropertyListValue?], for disk: Disk) throws {
    for case (let key, let value?) in changes where !value.surelyFits(levels: 100) {
      do {
        _ = try PropertyListValue.array([value]).propertyList(options.format ?? disk.format)
      } catch {
        throw DefaultsError(
          .cannotWrite, key: key.text, path: url.path, "the value fits no file: \(error)", underlying: error)
      }
    }
  }

  private func write(_ changes: [BytewiseString: PropertyListValue?], _ origin: ChangeOrigin) throws {
    try core.write { touched in
      try disk.withLock { disk in
        try withNewest(&disk, &touched) { disk, touched in try store(changes, origin, &disk, &touched) }
      }
    }
  }

  /// Reads the file if that was not possible so far: a change must not hide what is in it.
  private func look(_ disk: inout Disk, _ touched: inout [Observer]) throws {
    guard disk.version == nil else { return }
    try take(disk.file.read(), &disk, &touched)
  }

  /// Does something with the lock and the newest values.
  private func withNewest<Result>(
    _ disk: inout Disk, _ touched: inout [Observer], _ body: (inout Disk, inout [Observer]) throws -> Result
  ) throws -> Result {
    let lock = try disk.file.lock()
    defer { disk.file.unlock(lock) }
    try takeNewest(&disk, &touched)
    return try body(&disk, &touched)
  }

  /// Writes changes to the file and then, when they are safe, to memory.
  private func store(
    _ changes: [BytewiseString: PropertyListValue?], _ origin: ChangeOrigin, _ disk: inout Disk,
    _ touched: inout [Observer]
  ) throws {
    var values = core.values()
    var isSame = true
    for (key, value) in changes where values[key] != value {
      values[key] = value
      isSame = false
    }
    guard !isSame else { return }
    try writeFile(values, &disk)
    core.apply(changes, origin, &touched)
  }

  private func writeFile(_ values: StoreCore.Values, _ disk: inout Disk) throws {
    let entries = PropertyListDictionary(sorting: values.map { .init(key: $0.key.text, value: $0.value) })
    let data: Data
    do {
      data = try PropertyListValue.dictionary(entries).propertyList(options.format ?? disk.format)
    } catch {
      throw DefaultsError(.cannotWrite, path: url.path, "the values fit no file: \(error)", underlying: error)
    }
    if disk.isDamaged {
      let name = try disk.file.setAside()
      disk.isDamaged = false
      report(DefaultsError(.damaged, path: disk.file.path, "the damaged file was set aside as \(name)"))
    }
    disk.version = try disk.file.write(data, flushing: options.durability != .written)
  }

  // MARK: Writing later

  /// Sleeps, at most a year: more than some centuries of nanoseconds end the program.
  private static func sleep(for time: Duration) async throws {
    try await Task.sleep(for: min(time, .seconds(365 * 86_400)))
  }

  private func planFlush(_ disk: inout Disk, after delay: Duration) {
    guard !disk.isFlushPlanned else { return }
    disk.isFlushPlanned = true
    Task.detached(priority: .utility) { [weak self] in
      var delay = delay
      while true {
        try? await Self.sleep(for: delay)
        do {
          return try self?.flush() ?? ()
        } catch let error as DefaultsError {
          self?.report(error)
        } catch {}
        // Less and less often, at last once a minute.
        delay = min(max(delay * 2, .milliseconds(100)), max(delay, .seconds(60)))
      }
    }
  }

  /// Writes now what was not written yet.
  /// - Throws: as ``setRawValue(_:for:origin:)``; it is tried again after a while.
  public func flush() throws {
    try core.write { touched in
      try disk.withLock { disk in
        if !disk.unwritten.isEmpty {
          try withNewest(&disk, &touched) { disk, _ in
            // By now memory is what the file holds, with the changes on top.
            try writeFile(core.values(), &disk)
            disk.unwritten = [:]
          }
        }
        disk.isFlushPlanned = false
      }
    }
  }

  // MARK: Observing

  /// Calls a function whenever one of some keys was changed.
  public func observe(
    _ keys: [String]?, initial: Bool, ignoring origin: ChangeOrigin?,
    _ handler: @escaping @Sendable (DefaultsChanges) -> Void
  ) -> DefaultsObservation {
    core.observe(keys, initial: initial, ignoring: origin, handler)
  }

  /// Changes of some keys to be waited for.
  public func changes(of keys: [String]?, initial: Bool, ignoring origin: ChangeOrigin?) -> DefaultsChangeSequence {
    DefaultsChangeSequence(core, keys, initial: initial, ignoring: origin)
  }

  /// Tells of something that went wrong and that nobody could be thrown.
  public func report(_ error: DefaultsError) { options.reports(error) }
}

extension PropertyListValue {
  /// Whether any file holds it, told at a glance; if not, it may fit all the same.
  fileprivate func surelyFits(levels: Int) -> Bool {
    switch self {
    case .boolean, .integer, .double, .data: true
    case .string(let text): text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    case .array(let elements): levels > 0 && elements.allSatisfy { $0.surelyFits(levels: levels - 1) }
    case .dictionary(let entries):
      levels > 0
        && entries.allSatisfy {
          Self.string($0.key).surelyFits(levels: 0) && $0.value.surelyFits(levels: levels - 1)
        }
    default: false
    }
  }
}
