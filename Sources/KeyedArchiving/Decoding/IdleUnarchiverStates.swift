// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The states of decoders of small archives, which the next decoders of the same thread use.
///
/// A reused state has the memory of its arrays and the names of its keys. Everything else is the next archive's own: its
/// bytes, the allow-list decisions, the decoded objects, and the settings of its decoder.
enum IdleUnarchiverStates {
  /// Returns a state that begins to decode an archive.
  static func storage(
    reading source: consuming ArchiveSource
  ) throws(KeyedArchiveError) -> CoderStorage<UnarchiverState> {
    guard source.bytes.count <= UnarchiverState.reusedByteCount,
      let idle = ThreadMemory.current.state.unarchiverState.take()
    else {
      return CoderStorage(try UnarchiverState(source))
    }
    try idle.state.begin(source)
    return idle
  }

  /// Adds the state of a released decoder, if another one can use it.
  static func add(_ storage: CoderStorage<UnarchiverState>) {
    guard storage.state.isReusable else { return }
    // The `deinit` of an object runs here, while no access to the state is open.
    var objects = storage.state.takeObjects()
    objects.removeAll(keepingCapacity: objects.capacity <= 64)
    storage.state.prepareForReuse(objects)
    ThreadMemory.current.state.unarchiverState = storage
  }
}
