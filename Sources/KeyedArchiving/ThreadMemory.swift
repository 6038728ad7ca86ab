// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// The memory that coders leave to later coders of their thread.
///
/// Each thread has its own, because a lock or a reference count that threads share takes longer than what is kept saves.
/// It is released when the thread ends. On a system without a known threads library, nothing is kept.
struct ThreadMemory: ~Copyable {
  private static let memories = ThreadLocal<CoderStorage<ThreadMemory>>()

  /// The memory of the current thread.
  static var current: CoderStorage<ThreadMemory> { memories.object { CoderStorage(ThreadMemory()) } }

  /// The state of an archiver that finished a small archive.
  var archiverState: CoderStorage<ArchiverState>?
  /// The state of a decoder of a small archive that was released.
  var unarchiverState: CoderStorage<UnarchiverState>?
  /// The addresses of the thread's stack; nil if the system does not provide them.
  ///
  /// glibc reads `/proc/self/maps` for those of the main thread, which takes 250,000 instructions. musl returns the part that
  /// is in use, which grows. A program that lowers the limit on the stack of its main thread must do so before it decodes.
  var stackBounds: Range<UInt>? {
    mutating get {
      #if canImport(Musl)
        return ThreadStack.bounds()
      #else
        return fixedStackBounds
      #endif
    }
  }
  private lazy var fixedStackBounds = ThreadStack.bounds()
  var typeFacts = TypeFacts.Cache()
  /// The default class names of types, which depend on nothing but the types.
  var typeNames: [ObjectIdentifier: String] = [:]
}
