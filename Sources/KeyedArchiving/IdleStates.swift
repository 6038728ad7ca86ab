// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import SystemFiles

/// The states of coders that finished a small archive, which the next coders use.
///
/// One coder uses a state from ``take()`` to ``add(_:)``, and adds it when it is released itself. A state is reused, and not
/// a coder, because callers can have weak references to coders.
struct IdleStates<State: ~Copyable>: ~Copyable, Sendable {
  /// The number of states that wait. More threads than that create states.
  private static var maximumCount: Int { 4 }
  private let states = Locked<[IdleState<State>]>([])

  /// Removes and returns a state, or returns nil if none waits.
  func take() -> CoderStorage<State>? { states.withLock { $0.popLast() }?.storage }

  /// Adds a state that was returned to its beginning.
  func add(_ storage: CoderStorage<State>) {
    states.withLock { if $0.count < Self.maximumCount { $0.append(IdleState(storage: storage)) } }
  }
}
