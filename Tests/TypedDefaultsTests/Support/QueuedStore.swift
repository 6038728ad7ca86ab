// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Dispatch
import Foundation
import PropertyListFormat
import SystemFiles
import TypedDefaults

/// A store in memory that reports changes on a queue, correctly or with a fault.
final class QueuedStore: ForwardingStore {
  /// What the store does wrong.
  enum Fault {
    case none
    /// It reports each change twice.
    case twice
    /// It reports changes to observers that have ended their observation.
    case afterEnd
    /// It reports no changes.
    case silent
  }

  let values = MemoryStore()
  private let queue = DispatchQueue(label: "reports")
  private let fault: Fault
  /// The observations of a store that does not end them.
  private let endless = Locked<[DefaultsObservation]>([])

  init(_ fault: Fault = .none) { self.fault = fault }

  func observe(
    _ keys: [String]?, initial: Bool, ignoring origin: ChangeOrigin?,
    _ handler: @escaping @Sendable (DefaultsChanges) -> Void
  ) -> DefaultsObservation {
    let ended = Ended()
    let observation = values.observe(keys, initial: initial, ignoring: origin) { [queue, fault] changes in
      for turn in 0..<(fault == .twice ? 2 : fault == .silent ? 0 : 1) {
        queue.async {
          // A check that does not wait for the second report would be over by now.
          if turn == 1 { Thread.sleep(forTimeInterval: 0.05) }
          if fault == .afterEnd || !ended.value { handler(changes) }
        }
      }
    }
    if fault == .afterEnd {
      endless.withLock { $0.append(observation) }
      return DefaultsObservation(ending: {})
    }
    return DefaultsObservation(ending: {
      ended.value = true
      observation.cancel()
    })
  }

  private final class Ended: Sendable {
    private let state = Locked(false)

    var value: Bool {
      get { state.withLock { $0 } }
      set { state.withLock { $0 = newValue } }
    }
  }
}
