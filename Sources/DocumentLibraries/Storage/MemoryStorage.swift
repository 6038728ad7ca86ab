// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import SystemFiles

/// A storage in memory with the rules of a disk. Use it for tests, previews and temporary libraries.
///
/// Its clock advances by a second with each change, from 2001 on, so equal sequences of calls lead to equal dates.
public final class MemoryStorage: DocumentStorage {
  private let state = Locked(State())

  /// Creates an empty storage.
  public init() {}

  /// All abilities.
  public var abilities: StorageAbilities? { .all }

  /// Returns a location for people, below `/memory`.
  /// - Parameter path: The path of the entry.
  /// - Returns: The location, which no file has.
  public func url(of path: StoragePath) -> URL {
    path.names.reduce(URL(filePath: "/memory", directoryHint: .isDirectory)) { $0.appending(path: $1.description) }
  }

  /// Does nothing, because the root exists.
  public func makeRoot() throws(StorageError) {}

  /// Calls `visit` for each entry of a folder, in any order.
  /// - Parameters:
  ///   - folder: The folder.
  ///   - visit: Receives the entries. The bytes of a name are valid only during the call.
  /// - Throws: ``StorageError``.
  public func list(
    _ folder: StoragePath, _ visit: (_ name: Span<UInt8>, _ kind: StorageStatus.Kind) -> Void
  ) throws(StorageError) {
    // The order is that of the hashes: any order, as on a disk.
    for (name, kind) in try locked({ (state) throws(StorageError) in try state.entries(of: folder) }) {
      visit(ContiguousArray(name.bytes).span, kind)
    }
  }

  /// Returns the status of a file or folder.
  /// - Parameter path: The path of the entry.
  /// - Returns: The status.
  /// - Throws: ``StorageError``.
  public func status(of path: StoragePath) throws(StorageError) -> StorageStatus {
    try locked { (state) throws(StorageError) in state.status(try state.node(path, .status)) }
  }

  /// Creates a folder. An existing entry of that name is an error.
  /// - Parameter path: The path of the folder.
  /// - Throws: ``StorageError``.
  public func makeFolder(_ path: StoragePath) throws(StorageError) {
    try locked { (state) throws(StorageError) in try state.add(.folder([:]), at: path, .makeFolder) }
  }

  /// Creates an empty file for writing. An existing entry of that name is an error.
  /// - Parameter path: The path of the file.
  /// - Returns: The open file.
  /// - Throws: ``StorageError``.
  public func create(_ path: StoragePath) throws(StorageError) -> StorageFile {
    try locked { (state) throws(StorageError) in
      try state.add(.file(Data()), at: path, .create)
      return state.open(try state.node(path, .create))
    }
  }

  /// Opens a file for reading. An entry of another kind is an error.
  /// - Parameter path: The path of the file.
  /// - Returns: The open file.
  /// - Throws: ``StorageError``.
  public func open(_ path: StoragePath) throws(StorageError) -> StorageFile {
    try locked { (state) throws(StorageError) in
      let node = try state.node(path, .open)
      switch state.nodes[node]?.content {
      case .file?: return state.open(node)
      case .link?: throw StorageError(.link, .open, path)
      default: throw StorageError(.notAFile, .open, path)
      }
    }
  }

  /// Appends the next bytes of a file to `bytes`.
  /// - Parameters:
  ///   - file: The open file.
  ///   - bytes: Receives the bytes.
  ///   - count: The maximum number of bytes.
  /// - Returns: The number of bytes; 0 at the end of the file.
  /// - Throws: ``StorageError``.
  public func read(_ file: StorageFile, into bytes: inout Data, atMost count: Int) throws(StorageError) -> Int {
    let piece = try locked { (state) throws(StorageError) in try state.read(file, atMost: count) }
    bytes.append(piece)
    return piece.count
  }

  /// Appends all of `bytes` to a file.
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - file: The open file.
  /// - Returns: The number of bytes written.
  /// - Throws: ``StorageError``.
  public func write(_ bytes: Data, to file: StorageFile) throws(StorageError) -> Int {
    try locked { (state) throws(StorageError) in try state.write(bytes, to: file) }
  }

  /// Does nothing, because written bytes are in memory.
  /// - Parameter file: The open file.
  /// - Throws: This storage throws no error here.
  public func flush(_ file: StorageFile) throws(StorageError) {}

  /// Closes a file, or releases a lock.
  /// - Parameter file: The open file, or that of the lock.
  /// - Throws: This storage throws no error here.
  public func close(_ file: StorageFile) throws(StorageError) { state.withLock { $0.close(file) } }

  /// Checks that a folder exists.
  /// - Parameter path: The path of the folder.
  /// - Throws: ``StorageError`` if the path does not lead to a folder.
  public func flushFolder(_ path: StoragePath) throws(StorageError) {
    _ = try locked { (state) throws(StorageError) in try state.folder(path, .flushFolder) }
  }

  /// Opens the root.
  /// - Returns: The handle.
  /// - Throws: This storage throws no error here.
  public func beginFlushingAll() throws(StorageError) -> StorageFile { state.withLock { $0.open(0) } }

  /// Does nothing, because all changes are in memory.
  /// - Parameter watch: The result of ``beginFlushingAll()``.
  /// - Throws: This storage throws no error here.
  public func flushAll(_ watch: StorageFile) throws(StorageError) {}

  /// Renames a file or folder atomically.
  /// - Parameters:
  ///   - path: The path of the entry.
  ///   - target: The new path.
  ///   - mode: The effect if the target exists.
  /// - Throws: ``StorageError``.
  public func move(_ path: StoragePath, to target: StoragePath, _ mode: StorageMove) throws(StorageError) {
    try locked { (state) throws(StorageError) in try state.move(path, to: target, mode) }
  }

  /// Gives a file a second name.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - target: The second path.
  /// - Throws: ``StorageError``.
  public func link(_ path: StoragePath, to target: StoragePath) throws(StorageError) {
    try locked { (state) throws(StorageError) in try state.link(path, to: target) }
  }

  /// Removes a file or a symbolic link.
  /// - Parameter path: The path of the entry.
  /// - Throws: ``StorageError``.
  public func removeFile(_ path: StoragePath) throws(StorageError) {
    try locked { (state) throws(StorageError) in try state.remove(path, .removeFile) }
  }

  /// Removes an empty folder.
  /// - Parameter path: The path of the folder.
  /// - Throws: ``StorageError``.
  public func removeFolder(_ path: StoragePath) throws(StorageError) {
    try locked { (state) throws(StorageError) in try state.remove(path, .removeFolder) }
  }

  /// Sets the modification date of a file.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - date: The modification date.
  /// - Throws: ``StorageError``.
  public func setModified(_ path: StoragePath, to date: StorageDate) throws(StorageError) {
    try locked { (state) throws(StorageError) in
      let node = try state.node(path, .setModified)
      state.nodes[node]?.modified = date
    }
  }

  /// Locks a folder.
  /// - Parameters:
  ///   - folder: The folder.
  ///   - kind: The kind of the lock.
  /// - Returns: The lock; nil if another lock excludes it. The call does not wait.
  /// - Throws: ``StorageError``.
  public func lock(_ folder: StoragePath, _ kind: StorageLockKind) throws(StorageError) -> StorageLock? {
    try locked { (state) throws(StorageError) in state.lock(try state.folder(folder, .lock), kind) }
  }

  /// Creates a symbolic link, which the storage does not follow; for tests.
  package func makeLink(_ path: StoragePath) throws(StorageError) {
    try locked { (state) throws(StorageError) in try state.add(.link, at: path, .create) }
  }

  private func locked<Result>(
    _ body: (inout State) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    try state.withLock(body)
  }
}

/// The files, the folders and the open handles.
private struct State: Sendable {
  enum Content: Sendable {
    case file(Data)
    case folder([StorageName: Int])
    case link
  }

  struct Node: Sendable {
    var content: Content
    var modified: StorageDate
    /// The number of names and of open handles.
    var users = 1
  }

  struct Handle: Sendable {
    var node: Int
    var offset = 0
    var lock: StorageLockKind?
  }

  var nodes: [Int: Node] = [0: Node(content: .folder([:]), modified: StorageDate(seconds: 978_307_200))]
  var handles: [Int32: Handle] = [:]
  private var clock = StorageDate(seconds: 978_307_200)
  private var nextNode = 1
  private var nextHandle: Int32 = 1

  mutating func now() -> StorageDate {
    clock.seconds += 1
    return clock
  }

  private mutating func touch(_ node: Int) {
    let now = now()
    nodes[node]?.modified = now
  }

  func entries(of path: StoragePath) throws(StorageError) -> [(StorageName, StorageStatus.Kind)] {
    try entries(folder(path, .list)).map { ($0.key, status($0.value).kind) }
  }

  private func entries(_ folder: Int) -> [StorageName: Int] {
    guard case .folder(let entries)? = nodes[folder]?.content else { return [:] }
    return entries
  }

  func status(_ number: Int) -> StorageStatus {
    let node = nodes[number]
    let (kind, count): (StorageStatus.Kind, Int) =
      switch node?.content {
      case .file(let data)?: (.file, data.count)
      case .folder?: (.folder, 0)
      case .link?: (.link, 0)
      case nil: (.unknown, 0)
      }
    return StorageStatus(
      kind: kind, byteCount: count, modified: node?.modified ?? StorageDate(seconds: 0), identity: UInt64(number))
  }

  func folder(_ path: StoragePath, _ call: StorageError.Call) throws(StorageError) -> Int {
    let number = try node(path, call)
    guard case .folder? = nodes[number]?.content else { throw StorageError(.notAFolder, call, path) }
    return number
  }

  func node(_ path: StoragePath, _ call: StorageError.Call) throws(StorageError) -> Int {
    var number = 0
    for name in path.names {
      guard name.isPlain else { throw StorageError(.badName, call, path) }
      guard case .folder(let entries)? = nodes[number]?.content else { throw StorageError(.notAFolder, call, path) }
      guard let next = entries[name] else { throw StorageError(.notFound, call, path) }
      number = next
    }
    return number
  }

  private mutating func setEntry(_ path: StoragePath, to node: Int?, _ call: StorageError.Call) throws(StorageError) {
    let parent = try folder(path.folder, call)
    guard let name = path.names.last, name.isPlain, case .folder(var entries)? = nodes[parent]?.content else {
      throw StorageError(.badName, call, path)
    }
    // Removed during the change, so that the entries are not copied.
    nodes[parent]?.content = .link
    entries[name] = node
    nodes[parent]?.content = .folder(entries)
    touch(parent)
  }

  private func exists(_ path: StoragePath, _ call: StorageError.Call) throws(StorageError) -> Bool {
    guard let name = path.names.last else { return true }
    return entries(try folder(path.folder, call))[name] != nil
  }

  mutating func add(_ content: Content, at path: StoragePath, _ call: StorageError.Call) throws(StorageError) {
    guard try !exists(path, call) else { throw StorageError(.exists, call, path) }
    try setEntry(path, to: nextNode, call)
    nodes[nextNode] = Node(content: content, modified: now())
    nextNode += 1
  }

  mutating func open(_ node: Int, lock: StorageLockKind? = nil) -> StorageFile {
    nodes[node]?.users += 1
    handles[nextHandle] = Handle(node: node, lock: lock)
    nextHandle += 1
    return StorageFile(rawValue: nextHandle - 1)
  }

  mutating func close(_ file: StorageFile) {
    guard let handle = handles.removeValue(forKey: file.rawValue) else { return }
    release(handle.node)
  }

  private mutating func release(_ node: Int) {
    nodes[node]?.users -= 1
    if nodes[node]?.users == 0 { nodes[node] = nil }
  }

  mutating func read(_ file: StorageFile, atMost count: Int) throws(StorageError) -> Data {
    guard let handle = handles[file.rawValue], case .file(let data)? = nodes[handle.node]?.content else {
      throw StorageError(.unsupported, .read, .root)
    }
    let piece = Data(data.dropFirst(handle.offset).prefix(count))
    handles[file.rawValue]?.offset += piece.count
    return piece
  }

  mutating func write(_ bytes: Data, to file: StorageFile) throws(StorageError) -> Int {
    guard let node = handles[file.rawValue]?.node, case .file(var data)? = nodes[node]?.content else {
      throw StorageError(.unsupported, .write, .root)
    }
    nodes[node]?.content = .link
    data.append(bytes)
    nodes[node]?.content = .file(data)
    touch(node)
    return bytes.count
  }

  mutating func move(_ path: StoragePath, to target: StoragePath, _ mode: StorageMove) throws(StorageError) {
    let moved = try node(path, .move)
    // Two names of one file: as on a disk, both remain.
    if path != .root, try exists(target, .move), try node(target, .move) == moved {
      guard mode != .exclusive else { throw StorageError(.exists, .move, target) }
      return
    }
    guard mode != .exchanging || !path.names.starts(with: target.names) else {
      throw StorageError(.unsupported, .move, target)
    }
    guard target.names.count < path.names.count || Array(target.names.prefix(path.names.count)) != path.names else {
      throw StorageError(.unsupported, .move, target)
    }
    let isThere = try exists(target, .move)
    switch mode {
    case .exclusive:
      guard !isThere else { throw StorageError(.exists, .move, target) }
    case .exchanging:
      let other = try node(target, .move)
      try setEntry(target, to: moved, .move)
      return try setEntry(path, to: other, .move)
    case .replacing:
      guard isThere else { break }
      let other = try node(target, .move)
      switch (nodes[moved]?.content, nodes[other]?.content) {
      case (.folder?, .folder(let entries)?):
        guard entries.isEmpty else { throw StorageError(.notEmpty, .move, target) }
      case (_, .folder?): throw StorageError(.notAFile, .move, target)
      case (.folder?, _): throw StorageError(.notAFolder, .move, target)
      default: break
      }
      release(other)
    }
    try setEntry(target, to: moved, .move)
    try setEntry(path, to: nil, .move)
  }

  mutating func link(_ path: StoragePath, to target: StoragePath) throws(StorageError) {
    let linked = try node(path, .link)
    if case .folder? = nodes[linked]?.content { throw StorageError(.noPermission, .link, path) }
    guard try !exists(target, .link) else { throw StorageError(.exists, .link, target) }
    try setEntry(target, to: linked, .link)
    nodes[linked]?.users += 1
  }

  mutating func remove(_ path: StoragePath, _ call: StorageError.Call) throws(StorageError) {
    let removed = try node(path, call)
    switch (nodes[removed]?.content, call) {
    case (.folder(let entries)?, .removeFolder):
      guard entries.isEmpty else { throw StorageError(.notEmpty, call, path) }
    case (.folder?, _): throw StorageError(.notAFile, call, path)
    case (_, .removeFolder): throw StorageError(.notAFolder, call, path)
    default: break
    }
    try setEntry(path, to: nil, call)
    release(removed)
  }

  mutating func lock(_ folder: Int, _ kind: StorageLockKind) -> StorageLock? {
    let held = handles.values.filter { $0.node == folder }.compactMap(\.lock)
    guard kind == .shared ? !held.contains(.exclusive) : held.isEmpty else { return nil }
    return StorageLock(file: open(folder, lock: kind), identity: UInt64(folder))
  }
}
