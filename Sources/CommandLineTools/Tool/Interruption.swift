// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Dispatch
import SystemFiles

/// The request of a signal, such as that of Ctrl-C, to end a long run. The run stops early, and reports what it did before
/// the signal ends the process.
package final class Interruption: Sendable {
  private let isSet = Locked(false)
  private let end = DispatchSemaphore(value: 0)
  /// A disk that does not answer keeps a process from ending for this time only.
  private static let patience = DispatchTimeInterval.seconds(10)

  /// Begins to wait for signals, if the program removes its temporary files at signals.
  package init() {
    guard TemporaryFiles.isRemovingAtSignals else { return }
    EndingSignals.add(EndingSignals.all) { [self] in
      isSet.withLock { $0 = true }
      _ = end.wait(timeout: .now() + Self.patience)
    }
  }

  /// Whether the run is to stop.
  package var isRequested: Bool { isSet.withLock { $0 } }

  /// Lets a signal that has arrived end the process. All output must have been written.
  package func finish() {
    end.signal()
    while isRequested { EndingSignals.wait() }
  }
}
