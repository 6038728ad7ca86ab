// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(Dispatch)
  import Dispatch
#endif

/// Work on a sequence of items by several threads, with the results in the order of the items.
///
/// The owner adds items and takes results, on one thread. Memory holds at most ``windowCount`` items and results, also if
/// one item takes much longer than the others: then ``add(_:cost:taking:)`` waits for it. With one thread, or on a system
/// without threads, the owner's thread does the work.
package final class OrderedWork<Item: Sendable, Result: Sendable> {
  /// The maximum number of items that are added and whose results are not taken.
  package let windowCount: Int
  /// The number of threads, or the number of those that the system starts.
  private var threadCount: Int
  private let maximumCost: Int
  private let body: @Sendable (Item) -> Result
  /// The state that the threads share, after the first item was added.
  private var shared: SharedWork<Item, Result>?
  /// The costs of the items in the window, at the index of their number modulo the size of the window.
  private var costs: [Int]
  private var totalCost = 0
  private var started = 0
  /// The number of the next item.
  private var added = 0
  /// The number of the next result.
  private var taken = 0

  /// More threads than this are not started.
  private static var maximumThreadCount: Int { 1024 }
  /// The number of items in the window for each thread.
  private static var windowOfThread: Int { 4 }

  /// Creates work without items.
  /// - Parameters:
  ///   - threadCount: The number of threads.
  ///   - maximumCost: The maximum total cost of items in the window. A single item may cost more.
  ///   - body: Returns the result of an item, on any thread.
  package init(threadCount: Int, maximumCost: Int = .max, _ body: @escaping @Sendable (Item) -> Result) {
    self.threadCount = min(max(1, threadCount), Self.maximumThreadCount)
    self.maximumCost = maximumCost
    self.body = body
    windowCount = Self.windowOfThread * self.threadCount
    costs = [Int](repeating: 0, count: windowCount)
  }

  deinit { shared?.end() }

  /// The number of items whose results are not taken.
  package var count: Int { added - taken }

  /// Adds an item.
  /// - Parameters:
  ///   - item: The item.
  ///   - cost: A measure of its size.
  ///   - take: Receives results of earlier items if the window is full, and with one thread the result of this one.
  package func add(_ item: Item, cost: Int = 0, taking take: (Result) -> Void) {
    guard windowCount > Self.windowOfThread, let shared = startedThreads() else { return take(body(item)) }
    if count == windowCount {
      // A thread that was woken for one result would wait again at once. Half of the window occupies the others meanwhile.
      shared.wait(for: taken + windowCount / 2 - 1)
      takeFinished(taking: take)
    }
    while count > 0, count == windowCount || totalCost > maximumCost - min(cost, maximumCost) {
      takeNext(taking: take)
    }
    costs[added % windowCount] = min(cost, maximumCost)
    totalCost += min(cost, maximumCost)
    added += 1
    shared.add(item)
  }

  /// Takes the next result, and waits for it if necessary.
  /// - Parameters:
  ///   - milliseconds: The maximum time to wait; nil waits without a limit.
  ///   - take: Receives the result.
  /// - Returns: `false` if the results of all items were taken before.
  @discardableResult
  package func takeNext(within milliseconds: Int? = nil, taking take: (Result) -> Void) -> Bool {
    guard count > 0, let shared else { return false }
    guard shared.wait(for: taken, within: milliseconds), let result = shared.take(taken) else { return true }
    totalCost -= costs[taken % windowCount]
    taken += 1
    take(result)
    return true
  }

  /// Takes the results of all items.
  package func finish(taking take: (Result) -> Void) {
    while takeNext(taking: take) {}
  }

  /// Ends the work, without the items that no thread has begun. The results of the others get lost.
  package func cancel() {
    shared?.end()
    shared = nil
    started = 0
    taken = added
    totalCost = 0
  }

  /// Takes results until the next one is not ready.
  private func takeFinished(taking take: (Result) -> Void) {
    while count > 0, let shared, let result = shared.take(taken) {
      totalCost -= costs[taken % windowCount]
      taken += 1
      take(result)
    }
  }

  /// Returns the shared state, and starts a thread until all run. Returns nil if the system starts none.
  private func startedThreads() -> SharedWork<Item, Result>? {
    let shared = shared ?? SharedWork<Item, Result>(windowCount: windowCount, first: added)
    if started < threadCount {
      if shared.start(body) { started += 1 } else { threadCount = max(1, started) }
    }
    guard started > 0 else { return nil }
    self.shared = shared
    return shared
  }
}

/// The state that the threads of an ``OrderedWork`` share. Items and results are at the index of their number modulo the
/// size of the window.
private final class SharedWork<Item: Sendable, Result: Sendable>: Sendable {
  private struct Window: Sendable {
    var items: [Item?]
    var results: [Result?]
    /// The number of the next item to add.
    var added: Int
    /// The number of the first item that no thread has begun.
    var begun: Int
    /// The number of the item that the owner waits for.
    var awaited: Int?
    var isEnded = false
  }

  private let window: ContendedLocked<Window>

  init(windowCount: Int, first: Int) {
    window = ContendedLocked(
      Window(
        items: [Item?](repeating: nil, count: windowCount), results: [Result?](repeating: nil, count: windowCount),
        added: first, begun: first))
  }

  /// Returns the result of an item, if it is ready, and forgets it.
  func take(_ number: Int) -> Result? { window.withLock { $0.results[number % $0.results.count].take() } }

  /// Returns an item that no thread has begun, and its number.
  private func begin() -> (number: Int, item: Item)? {
    window.withLock { window in
      guard !window.isEnded, window.begun < window.added,
        let item = window.items[window.begun % window.items.count].take()
      else { return nil }
      defer { window.begun += 1 }
      return (window.begun, item)
    }
  }

  /// Stores a result, and returns whether the owner waits for it.
  private func put(_ result: Result, of number: Int) -> Bool {
    window.withLock { window in
      window.results[number % window.results.count] = result
      guard window.awaited == number else { return false }
      window.awaited = nil
      return true
    }
  }

  /// Returns whether a result is ready. Otherwise, ``put(_:of:)`` returns `true` for it.
  private func isReady(_ number: Int) -> Bool {
    window.withLock { window in
      if window.results[number % window.results.count] != nil { return true }
      window.awaited = number
      return false
    }
  }

  #if canImport(Dispatch)
    /// Counts the items that no thread has begun.
    private let items = DispatchSemaphore(value: 0)
    /// Counts the results that the owner waits for.
    private let result = DispatchSemaphore(value: 0)
    /// Counts the threads that have ended.
    private let ends = DispatchSemaphore(value: 0)
    private let threads = Locked(0)

    /// The stack of each thread. It is that of the first thread on most systems, so that files may nest equally deep.
    private static var stackByteCount: Int { 8 << 20 }

    /// Starts a thread, and returns whether the system did.
    func start(_ body: @escaping @Sendable (Item) -> Result) -> Bool {
      let isStarted = SystemThread.start(stackByteCount: Self.stackByteCount) {
        while true {
          self.items.wait()
          guard let (number, item) = self.begin() else { break }
          if self.put(body(item), of: number) { self.result.signal() }
        }
        self.ends.signal()
      }
      if isStarted { threads.withLock { $0 += 1 } }
      return isStarted
    }

    func add(_ item: Item) {
      window.withLock { window in
        window.items[window.added % window.items.count] = item
        window.added += 1
      }
      items.signal()
    }

    /// Waits until a result is ready.
    /// - Returns: Whether it is; `false` only after the time has passed.
    @discardableResult
    func wait(for number: Int, within milliseconds: Int? = nil) -> Bool {
      guard !isReady(number) else { return true }
      guard let milliseconds else {
        result.wait()
        return true
      }
      if result.wait(timeout: .now() + .milliseconds(milliseconds)) == .success { return true }
      let isWithdrawn = window.withLock { window in
        defer { window.awaited = nil }
        return window.awaited == number
      }
      // The result became ready after the time had passed.
      if !isWithdrawn { result.wait() }
      return !isWithdrawn
    }

    /// Waits until no thread has an item, without beginning others.
    func end() {
      window.withLock { $0.isEnded = true }
      let count = threads.withLock { $0 }
      for _ in 0..<count { items.signal() }
      for _ in 0..<count { ends.wait() }
      threads.withLock { $0 = 0 }
    }
  #else
    // Without threads, no item is added.
    func start(_ body: @escaping @Sendable (Item) -> Result) -> Bool { false }
    func add(_ item: Item) {}
    @discardableResult
    func wait(for number: Int, within milliseconds: Int? = nil) -> Bool { isReady(number) }
    func end() {}
  #endif
}
