// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

public import PropertyListFormat
import SystemFiles

/// A store in a property-list file, binary or XML, that Apple's `defaults` and other programs can read.
///
/// The store replaces the file atomically, and keeps its permissions, and its owner if the system allows that. Several
/// processes can use the file: the store takes a lock, reads the current content, and applies each change to it. It reads
/// changes by other processes and reports them to observers. It reports a damaged file, and renames it before the next write.
/// It never overwrites or removes a damaged file. ``repair()`` brings the values back that the file had before its last
/// write.
///
/// The store keeps hidden files in the same folder: a lock, the state before the last write
/// (``FileStore/Options/keepsLastState``) and, during a write, temporary files. The lock file also has the keys that the
/// last write changed, so that a repair can name them.
public final class FileStore: ObservedStore {
  /// The file.
  public let url: URL
  private let options: Options
  let core: StoreCore
  private let disk: ContendedLocked<Disk>
  private let watch = ContendedLocked<Task<Void, Never>?>(nil)

  /// The state of the file. The caller must hold the writer lock.
  private struct Disk {
    var file: DefaultsFile
    /// The version whose values are in memory; nil before the first successful read.
    var version: DefaultsFile.Version?
    var format = PropertyList.Format.binary
    var isDamaged = false
    /// The error of a file that exceeds a limit. It may be intact, so it is neither read nor written.
    var refusal: DefaultsError?
    /// The version of the sound file whose values are in memory, even if the file was damaged since then.
    var sound: DefaultsFile.Version?
    /// The time after which changes are written; nil if they are written at once.
    var delay: Duration?
    /// An upper bound of the size of a file with the values in memory; nil if it is not known.
    var byteBound: Int?
    /// Changes that are not in the file yet.
    var unwritten: [BytewiseString: PropertyListValue?] = [:]
    /// The task that writes the changes after the delay.
    var plannedFlush: Task<Void, Never>?
    /// Whether the task has failed to write them, and waits to try again.
    var isRetrying = false

    /// Returns values with the changes that are not in the file yet.
    func withUnwritten(_ values: StoreCore.Values) -> StoreCore.Values {
      var values = values
      for (key, value) in unwritten { values[key] = value }
      return values
    }

    /// Records that the file has all changes.
    mutating func endChanges() {
      unwritten = [:]
      // The next try can be a minute away, and the next change must not wait for it.
      if isRetrying { endPlannedFlush() }
    }

    mutating func endPlannedFlush() {
      plannedFlush?.cancel()
      (plannedFlush, isRetrying) = (nil, false)
    }
  }

  /// Opens a file. If it does not exist, the first change creates it.
  /// - Parameters:
  ///   - url: The file.
  ///   - options: The options.
  /// - Throws: ``DefaultsError`` with code ``DefaultsError/Code/cannotRead`` if the file cannot be read. If it is
  ///   damaged, the store reports the error and is empty.
  public convenience init(at url: URL, options: Options = Options()) throws {
    guard url.isFileURL else {
      throw DefaultsError(
        .cannotRead, "not the URL of a file: \(url.absoluteString)", remedy: "Make the URL with URL(filePath:)")
    }
    self.init(unopened: url, options: options)
    try refresh()
  }

  /// Creates a store without reading the file. The first change reads it.
  init(unopened url: URL, options: Options) {
    self.url = url
    self.options = options
    core = StoreCore(report: options.reports)
    let file = DefaultsFile(
      url, FileCalls(fault: options.fault), limits: options.limits, patience: options.patience,
      keepsLastState: options.keepsLastState)
    var delay: Duration?
    if case .deferred(let duration) = options.durability { delay = duration }
    disk = ContendedLocked(Disk(file: file, delay: delay))
    if delay != nil, options.flushesAtExit {
      ExitFlushing.add(ObjectIdentifier(self)) { [weak self] in self?.flushAtExit() }
    }
    guard let interval = options.watching.map({ max($0, .milliseconds(10)) }) else { return }
    let task = Task.detached(priority: .utility) { [weak self] in
      var notices: FileNotices?
      var isRefused = false
      while !Task.isCancelled {
        if notices?.isLost ?? true, !isRefused {
          notices = nil
          do throws(SystemError) {
            notices = try FileNotices(of: file.path) { [weak self] in
              Task.detached { [weak self] in await self?.refreshWhenIdle() }
            }
            // For changes before the watch began.
            _ = try? self?.refreshIfIdle()
          } catch {
            // The folder may be made later.
            isRefused = ![.notFound, .notAFolder].contains(error.reason)
          }
        }
        do {
          try await Task.sleepAtMostYear(for: notices == nil ? interval : max(interval, .seconds(1)))
        } catch {
          return
        }
        // A temporary error can be gone at the next check.
        _ = try? self?.refreshIfIdle()
      }
    }
    watch.withLock { $0 = task }
  }

  deinit {
    watch.withLock { $0?.cancel() }
    // The task would sleep to its end.
    disk.withLock { $0.plannedFlush?.cancel() }
    ExitFlushing.remove(ObjectIdentifier(self))
    reporting { try flush() }
  }

  /// Calls a function, reports its error, and returns whether it succeeded.
  @discardableResult
  func reporting(_ body: () throws -> Void) -> Bool {
    do {
      try body()
      return true
    } catch {
      report(DefaultsError(error))
      return false
    }
  }

  // MARK: Reading

  /// Returns the stored property-list value for a key.
  /// - Parameter key: The key.
  /// - Returns: The value, or nil if none is stored.
  public func rawValue(for key: String) -> PropertyListValue? { core.value(BytewiseString(key)) }

  /// Returns all values at one moment.
  public func snapshot() -> DefaultsSnapshot { DefaultsSnapshot(core.values()) }

  /// Reads changes by other processes now.
  /// - Throws: ``DefaultsError`` with code ``DefaultsError/Code/cannotRead``. The values are then unchanged.
  public func refresh() throws {
    try core.write { touched in try disk.withLock { try takeNewest(&$0, &touched) } }
  }

  /// Reads changes by other processes, unless another thread is writing. That thread reads them itself, and this one
  /// belongs to the concurrency runtime and should not wait.
  /// - Returns: Whether no other thread was writing.
  private func refreshIfIdle() throws -> Bool {
    try core.writeIfIdle { touched in
      try disk.withLock { disk in
        let known = disk.version
        defer {
          // No caller receives the error of a file that this call has found to exceed a limit.
          if let refusal = disk.refusal, disk.version != known { touched.reports.append(refusal) }
        }
        try takeNewest(&disk, &touched)
      }
    }
  }

  /// Reads changes by other processes after a notice. A thread that is writing may have read the file before.
  private func refreshWhenIdle() async {
    do {
      while try !refreshIfIdle() { try await Task.sleep(for: .milliseconds(20)) }
    } catch {
      // The next check tries again.
    }
  }

  /// Reads the file if its version changed. A file that exceeds a limit is an error, unless the caller repairs it.
  private func takeNewest(_ disk: inout Disk, _ touched: inout StoreCore.Touched, toRepair: Bool = false) throws {
    if try disk.version == nil || disk.file.version() != disk.version { take(try disk.file.read(), &disk, &touched) }
    if let refusal = disk.refusal, !toRepair { throw refusal }
  }

  /// Updates the values in memory from the file.
  private func take(
    _ read: (content: DefaultsFile.Content, version: DefaultsFile.Version), _ disk: inout Disk,
    _ touched: inout StoreCore.Touched
  ) {
    defer { disk.version = read.version }
    (disk.refusal, disk.byteBound) = (nil, nil)
    switch read.content {
    case .absent:
      (disk.isDamaged, disk.sound, disk.format) = (false, nil, .binary)
      // If the file existed before, another process removed it and thereby all values.
      core.replace(disk.withUnwritten([:]), .external, &touched)
    case .values(let values, let format):
      (disk.isDamaged, disk.sound) = (false, read.version)
      disk.format = format
      core.replace(disk.withUnwritten(values), .external, &touched)
    case .damaged(let error):
      // The values in memory stay, because another program can be writing the file in place.
      guard !disk.isDamaged || read.version != disk.version else { return }
      (disk.isDamaged, disk.version) = (true, read.version)
      let state = try? soundState(disk)
      if let format = state?.format { disk.format = format }
      touched.reports.append(
        DefaultsError(
          .damaged, path: disk.file.path,
          "the file is damaged: \(error). " + (state.map { "Sound state: \($0.summary)" } ?? "No sound state is kept"),
          remedy: state == nil
            ? "Restore it from a backup. The next change renames it"
            : "Call repair(), which brings the state back. The next change renames the file",
          underlying: error))
    case .tooLarge(let error):
      // The values in memory stay.
      disk.refusal = DefaultsError(
        .cannotRead, path: disk.file.path, "the file exceeds a limit: \(error.detail)",
        remedy: "If you trust the file, raise FileStore.Options.limits; otherwise move it away, or call repair()",
        underlying: error)
    }
  }

  // MARK: Writing

  /// Stores or removes a property-list value.
  /// - Parameters:
  ///   - value: The value, or nil to remove the stored one.
  ///   - key: The key.
  ///   - origin: The origin to report to observers.
  /// - Throws: ``DefaultsError`` with code ``DefaultsError/Code/cannotWrite``, ``DefaultsError/Code/cannotRead``,
  ///   ``DefaultsError/Code/busy`` or ``DefaultsError/Code/nestedTransaction``. The store is then unchanged. With code
  ///   ``DefaultsError/Code/notDurable``, the store is changed, and a loss of power can undo that.
  public func setRawValue(_ value: PropertyListValue?, for key: String, origin: ChangeOrigin) throws {
    try change(origin) { ((), [BytewiseString(key): value]) }
  }

  /// Changes several keys at once. If the function changes nothing, the store need not be able to write to the file.
  /// - Parameters:
  ///   - origin: The origin to report to observers.
  ///   - body: A function that makes the changes. It sees its own changes.
  /// - Returns: The result of the function.
  /// - Throws: The errors of ``setRawValue(_:for:origin:)`` and of the function.
  public func update<Result>(
    origin: ChangeOrigin, _ body: (inout DefaultsTransaction) throws -> Result
  ) throws -> Result {
    try change(origin) { try DefaultsTransaction.run(on: snapshot(), body) }
  }

  /// Makes the changes that a function returns, now or after the delay.
  private func change<Result>(
    _ origin: ChangeOrigin, _ body: () throws -> (Result, [BytewiseString: PropertyListValue?])
  ) throws -> Result {
    try core.write { touched in
      try disk.withLock { disk in
        guard let delay = disk.delay else {
          let lock = Swift.Result { try disk.file.lock() }
          defer { if let lock = try? lock.get() { disk.file.unlock(lock) } }
          try takeNewest(&disk, &touched)
          let (result, changes) = try body()
          let new = try newValues(changes, disk)
          // Without a change, the store does not write, which it cannot on some disks.
          guard !new.isEmpty else { return result }
          _ = try lock.get()
          try store(new, origin, &disk, &touched)
          return result
        }
        try readIfNeeded(&disk, &touched)
        let (result, all) = try body()
        var changes = try newValues(all, disk)
        // Another process can have changed a value since this store read it.
        if all.contains(where: { changes[$0.key] == nil && disk.unwritten[$0.key] == nil }) {
          try takeNewest(&disk, &touched)
          changes = try newValues(all, disk)
        }
        guard !changes.isEmpty else { return result }
        try checkSize(changes, &disk)
        core.apply(changes, origin, &touched)
        disk.unwritten.merge(changes) { $1 }
        planFlush(&disk, after: delay)
        return result
      }
    }
  }

  /// Returns changes as the file returns their values, without those that change nothing.
  private func newValues(
    _ changes: [BytewiseString: PropertyListValue?], _ disk: Disk
  ) throws -> [BytewiseString: PropertyListValue?] {
    // A write at once checks the whole file.
    let limits = disk.delay == nil ? ReadLimits.none : options.limits
    var new: [BytewiseString: PropertyListValue?] = [:]
    for (key, value) in changes {
      let value = try value?.stored(in: options.format ?? disk.format, key: key, path: url.path, limits: limits)
      if core.value(key) != value { new[key] = .some(value) }
    }
    return new
  }

  /// Throws an error if deferred changes would make the file exceed its limits on bytes or objects. No later write could
  /// succeed.
  private func checkSize(_ changes: [BytewiseString: PropertyListValue?], _ disk: inout Disk) throws {
    let format = options.format ?? disk.format
    var bound = disk.byteBound ?? core.values().byteBound(in: format)
    bound += changes.compactMapValues(\.self).byteBound(in: format)
    // In each format, an object has at least two bytes.
    if bound > options.limits.maximumByteCount || bound / 2 > options.limits.maximumObjectCount {
      var values = core.values()
      for (key, value) in changes { values[key] = value }
      _ = try content(values, disk)
      bound = values.byteBound(in: format)
    }
    disk.byteBound = bound
  }

  /// Reads the file if that failed so far, because a change must not hide its content.
  private func readIfNeeded(_ disk: inout Disk, _ touched: inout StoreCore.Touched) throws {
    if disk.version == nil { take(try disk.file.read(), &disk, &touched) }
    if let refusal = disk.refusal { throw refusal }
  }

  /// Calls a function with the file locked and the newest values in memory.
  private func withNewest<Result>(
    _ disk: inout Disk, _ touched: inout StoreCore.Touched, toRepair: Bool = false,
    _ body: (inout Disk, inout StoreCore.Touched) throws -> Result
  ) throws -> Result {
    let lock = try disk.file.lock()
    defer { disk.file.unlock(lock) }
    try takeNewest(&disk, &touched, toRepair: toRepair)
    return try body(&disk, &touched)
  }

  /// Writes changes to the file and then to memory.
  private func store(
    _ changes: [BytewiseString: PropertyListValue?], _ origin: ChangeOrigin, _ disk: inout Disk,
    _ touched: inout StoreCore.Touched
  ) throws {
    var values = core.values()
    for (key, value) in changes { values[key] = value }
    let written = try writeFile(values, changing: changes.keys.map(\.text), &disk, &touched)
    // Memory gets what the file holds. If this write gives the file another format, values that the caller did not change
    // can differ. Their origin is not that of the caller, whose observers ignore it.
    core.replace(written.values, origin, of: Set(changes.keys), &touched)
    if let error = written.unflushed { throw error }
  }

  /// Returns the content of a file with values, and the values that are read from it.
  /// - Throws: `DefaultsError` if the file cannot hold the values.
  private func content(_ values: StoreCore.Values, _ disk: Disk) throws -> (data: Data, values: StoreCore.Values) {
    do throws(PropertyListError) {
      let data = try PropertyListValue.dictionary(values.dictionary).propertyList(
        options.format ?? disk.format, limits: options.limits)
      let written = try disk.file.values(in: data)
      return (data, written)
    } catch {
      throw DefaultsError(
        .cannotWrite, path: url.path, "the file cannot hold the values: \(error.detail)", remedy: error.remedyOfFile,
        underlying: error)
    }
  }

  /// Writes values to the file.
  /// - Parameters:
  ///   - values: The values.
  ///   - keys: The keys whose values differ from those in the kept file; nil if they are not known.
  ///   - isRepair: Whether the caller repairs the file, so the kept file stays as it is.
  ///   - disk: The state of the file.
  ///   - touched: Receives the report on a damaged file that was renamed.
  /// - Returns: The values as the file returns them, and the new name of the damaged file that was replaced. The error is to
  ///   be thrown when memory has the values.
  /// - Throws: `DefaultsError` if the file cannot hold the values or cannot be written. It is then unchanged.
  private func writeFile(
    _ values: StoreCore.Values, changing keys: [String]?, isRepair: Bool = false, _ disk: inout Disk,
    _ touched: inout StoreCore.Touched
  ) throws -> (values: StoreCore.Values, damaged: String?, unflushed: DefaultsError?) {
    let (data, values) = try content(values, disk)
    disk.byteBound = nil
    let flushing = options.durability != .written
    guard disk.isDamaged || disk.refusal != nil else {
      let written = try disk.file.write(data, changing: keys, .kept, flushing: flushing)
      (disk.version, disk.sound) = (written.version, written.version)
      return (values, nil, written.unflushed)
    }
    // Without a repair, the kept file has values that the new file lacks, unless memory has the newest ones.
    let losesValues = !isRepair && !hasNewest(disk)
    let written = try disk.file.write(
      data, changing: isRepair ? keys : nil, .setAside(withKeptFile: losesValues), flushing: flushing)
    (disk.version, disk.sound, disk.isDamaged, disk.refusal) = (written.version, written.version, false, nil)
    // A repair that throws an error does not return the name.
    if let aside = written.aside, !isRepair || written.unflushed != nil {
      let kept = aside.kept.map { ", and the state before its last write is \($0)" } ?? ""
      touched.reports.append(
        DefaultsError(.damaged, path: url.path, "the damaged file was renamed to \(aside.damaged)\(kept)"))
    }
    return (values, written.aside?.damaged, written.unflushed)
  }

  // MARK: Repairing

  /// A sound state of a damaged file.
  private struct SoundState {
    var values: StoreCore.Values
    /// The format of the file that had the values; nil for values in memory.
    var format: PropertyList.Format?
    /// When the values were written, if changes after that are lost.
    var written: Date?
    /// The keys whose changes are lost; nil if they are not known.
    var lostKeys: [String]?

    var summary: String { Repair.summary(count: values.count, written: written, lostKeys: lostKeys) }
  }

  /// Returns whether memory has the values of the last write of a file that was damaged afterwards.
  private func hasNewest(_ disk: Disk) -> Bool {
    disk.sound.map { $0.count == disk.version?.count } ?? false
  }

  /// Returns the state to which a damaged file is repaired.
  private func soundState(_ disk: Disk) throws -> SoundState? {
    if hasNewest(disk) { return SoundState(values: core.values(), written: nil, lostKeys: []) }
    if let kept = try disk.file.keptValues() {
      let lost = disk.version.flatMap { disk.file.keysChangedSinceKept($0.count) }?
        .filter { disk.unwritten[BytewiseString($0)] == nil }.sorted { $0 < $1 }
      return SoundState(
        values: disk.withUnwritten(kept.values), format: kept.format,
        written: lost?.isEmpty == true ? nil : kept.written, lostKeys: lost)
    }
    return disk.sound.map { SoundState(values: core.values(), written: $0.written, lostKeys: nil) }
  }

  /// Replaces a damaged file, or one that exceeds a limit, by its last sound state, and renames it.
  ///
  /// The state is that in memory if this store read the file after the last write and before the damage. Otherwise it is
  /// that before the last write, which is kept in the same folder, and without it that in memory. Changes that are not
  /// written yet are applied to it.
  ///
  /// A process that is killed meanwhile leaves the damaged file or the repaired one, and so does a loss of power. The
  /// damaged file can then have both names.
  /// - Returns: What was done; nil if the file is sound or does not exist.
  /// - Throws: ``DefaultsError`` with code ``DefaultsError/Code/damaged`` if no sound state exists. Nothing has changed
  ///   then. The next change of a value renames the damaged file. The errors of ``setRawValue(_:for:origin:)``.
  @discardableResult
  public func repair() throws -> Repair? {
    try core.write { touched in
      try disk.withLock { disk in
        try withNewest(&disk, &touched, toRepair: true) { disk, touched in
          guard disk.isDamaged || disk.refusal != nil else { return nil }
          guard let state = try soundState(disk) else {
            throw DefaultsError(
              .damaged, path: url.path, "the file is damaged, and no sound state of it exists",
              remedy: "Restore it from a backup, or recover values from it")
          }
          if let format = state.format { disk.format = format }
          let keys = try disk.file.keptValues().map { kept in
            Set(kept.values.keys).union(state.values.keys).filter { kept.values[$0] != state.values[$0] }.map(\.text)
          }
          let written = try writeFile(state.values, changing: keys, isRepair: true, &disk, &touched)
          disk.endChanges()
          core.replace(written.values, .external, &touched)
          if let error = written.unflushed { throw error }
          return written.damaged.map {
            Repair(
              damagedFile: URL(filePath: $0), keys: DefaultsSnapshot(state.values).keys, written: state.written,
              lostKeys: state.lostKeys)
          }
        }
      }
    }
  }

  // MARK: Deferred writing

  private func planFlush(_ disk: inout Disk, after delay: Duration) {
    // One task at a time, also if the changes are flushed before it does so: a sleeping task takes memory.
    guard disk.plannedFlush == nil else { return }
    disk.plannedFlush = Task.detached(priority: .utility) { [weak self] in
      var delay = delay
      while true {
        try? await Task.sleepAtMostYear(for: delay)
        guard let self, !reporting({ try core.write(self.flushAsPlanned) }) else { return }
        // The delay grows up to a minute.
        delay = min(max(delay * 2, .milliseconds(100)), max(delay, .seconds(60)))
      }
    }
  }

  /// Writes deferred changes now.
  /// - Throws: The errors of ``setRawValue(_:for:origin:)``. The store tries again later.
  public func flush() throws { try core.write(flush) }

  private func flush(_ touched: inout StoreCore.Touched) throws { try disk.withLock { try flush(&$0, &touched) } }

  private func flush(_ disk: inout Disk, _ touched: inout StoreCore.Touched) throws {
    if !disk.unwritten.isEmpty {
      try withNewest(&disk, &touched) { disk, touched in
        // Memory now has the content of the file with the changes applied.
        let written = try writeFile(core.values(), changing: disk.unwritten.keys.map(\.text), &disk, &touched)
        disk.endChanges()
        // Another process can have given the file a format that changes values.
        core.replace(written.values, .external, &touched)
        if let error = written.unflushed { throw error }
      }
    }
  }

  private func flushAsPlanned(_ touched: inout StoreCore.Touched) throws {
    try disk.withLock { disk in
      // Another flush has ended this task, and another task can be planned.
      guard !Task.isCancelled else { return }
      disk.isRetrying = true
      try flush(&disk, &touched)
      disk.endPlannedFlush()
    }
  }

  /// The task that writes deferred changes after the delay. Tests use it.
  var plannedFlush: Task<Void, Never>? { disk.withLock { $0.plannedFlush } }

  /// Writes deferred changes, and writes later ones at once.
  private func flushFinally(_ touched: inout StoreCore.Touched) throws {
    try disk.withLock { disk in
      disk.delay = nil
      try flush(&disk, &touched)
    }
  }

  /// Writes deferred changes when the process ends, unless a thread writes and does not finish: it can wait for the thread
  /// that ends the process.
  private func flushAtExit() {
    let deadline = ContinuousClock.now + .seconds(2)
    reporting {
      while try !core.writeIfIdle(flushFinally) {
        guard ContinuousClock.now < deadline else {
          throw DefaultsError(
            .busy, path: url.path, "the process ends while a thread changes the store: deferred changes are lost",
            remedy: "Call flush() before the process ends, outside of transactions")
        }
        SystemThread.pause(microseconds: 1000)
      }
    }
  }

  // MARK: Reporting

  /// Reports an error of a function that does not throw.
  /// - Parameter error: The error.
  public func report(_ error: DefaultsError) { options.reports(error) }
}
