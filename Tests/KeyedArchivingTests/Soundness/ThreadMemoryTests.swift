// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import SystemFiles
import Testing

@testable import KeyedArchiving

/// What coders leave to later coders belongs to one thread.
@Suite("Each thread has the memory of its own coders")
struct ThreadMemoryTests {
  /// An object that counts those that exist.
  private final class Counted: Sendable {
    private let count: Count
    init(_ count: Count) {
      self.count = count
      count.value.withLock { $0 += 1 }
    }
    deinit { count.value.withLock { $0 -= 1 } }
  }

  private final class Count: Sendable {
    let value = Locked(0)
  }

  /// Runs a function on a new thread until its end.
  private static func onThread(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      let thread = Thread {
        body()
        continuation.resume()
      }
      thread.start()
    }
  }

  @Test("a thread gets its own object each time, and the object ends with the thread")
  func lifetime() async throws {
    let local = ThreadLocal<Counted>()
    let count = Count()
    let made = Locked<[ObjectIdentifier]>([])
    for _ in 0..<3 {
      await Self.onThread {
        let first = local.object { Counted(count) }
        let second = local.object { Counted(count) }
        #expect(first === second)
        #expect(count.value.withLock { $0 } >= 1)
        made.withLock { $0.append(ObjectIdentifier(first)) }
      }
    }
    #expect(made.withLock { $0.count } == 3)
    // The threads release their objects after the function that they run.
    for _ in 0..<5000 where count.value.withLock({ $0 }) > 0 { try await Task.sleep(for: .milliseconds(2)) }
    #expect(count.value.withLock { $0 } == 0)
  }

  @Test("threads that exist at the same time have different objects")
  func separation() async {
    let local = ThreadLocal<Counted>()
    let (count, arrived) = (Count(), Count())
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          await Self.onThread {
            let object = local.object { Counted(count) }
            arrived.value.withLock { $0 += 1 }
            while arrived.value.withLock({ $0 }) < 4 { Thread.sleep(forTimeInterval: 0.001) }
            #expect(count.value.withLock { $0 } == 4)
            withExtendedLifetime(object) {}
            arrived.value.withLock { $0 += 1 }
            while arrived.value.withLock({ $0 }) < 8 { Thread.sleep(forTimeInterval: 0.001) }
          }
        }
      }
    }
  }

  @Test("an archiver uses the state of the one before it on its thread")
  func reuse() async throws {
    await Self.onThread {
      func state() throws -> ObjectIdentifier {
        let archiver = KeyedArchiver(requiringSecureCoding: true)
        archiver.encode("text", forKey: "root")
        _ = try archiver.encodedData
        return ObjectIdentifier(archiver.storage)
      }
      #expect(throws: Never.self) {
        let first = try state()
        #expect(ThreadMemory.current.state.archiverState.map { ObjectIdentifier($0) } == first)
        let second = try state()
        #expect(first == second)
      }
    }
  }
}
