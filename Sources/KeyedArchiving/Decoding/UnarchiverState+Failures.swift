// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The errors of nonthrowing calls: the first one of each frame that has one, the outermost frame first.
struct CallFailures {
  private struct Failure {
    var frame: Int
    var error: KeyedArchiveError
  }

  private var failures: [Failure] = []
  /// The frame of the last failure; -1 without a failure.
  private var lastFrame = -1

  var isEmpty: Bool { failures.isEmpty }

  /// Returns whether a call failed in a frame. No frame inside it has failures any more.
  @inline(__always)
  func hasFailure(in frame: Int) -> Bool { lastFrame >= 0 && lastFrame == frame }

  func error(in frame: Int) -> KeyedArchiveError? { hasFailure(in: frame) ? failures.last?.error : nil }

  /// Records the first error of a frame.
  mutating func add(_ error: KeyedArchiveError, in frame: Int) {
    guard !hasFailure(in: frame) else { return }
    failures.append(Failure(frame: frame, error: error))
    lastFrame = frame
  }

  /// Removes and returns the error of a frame.
  mutating func take(in frame: Int) -> KeyedArchiveError? {
    guard hasFailure(in: frame), let failure = failures.popLast() else { return nil }
    lastFrame = failures.last?.frame ?? -1
    return failure.error
  }
}

extension UnarchiverState {
  /// The number of nested objects and deliveries; 0 outside of all initializers.
  ///
  /// An error of a nonthrowing call belongs to the innermost of them, and only that one fails with it.
  @inline(__always)
  var frame: Int { depth &+ deliveries }

  /// Whether a nonthrowing call failed in the current frame.
  @inline(__always)
  var hasFailed: Bool { failures.hasFailure(in: frame) }

  /// Whether a nonthrowing call failed outside of all initializers. Later calls there return nothing.
  @inline(__always)
  var callerHasFailed: Bool { frame == 0 && failures.hasFailure(in: 0) }

  /// The first error of a nonthrowing call in the current frame.
  var failure: KeyedArchiveError? { failures.error(in: frame) }

  /// Records the first error of the current frame.
  mutating func fail(_ error: KeyedArchiveError) { failures.add(error, in: frame) }

  /// Removes and returns the error of the current frame.
  mutating func takeFailure() -> KeyedArchiveError? { failures.take(in: frame) }

  /// Begins the delivery of a deferred reference, which has its own frame.
  mutating func beginDelivery() { deliveries += 1 }

  /// Ends a delivery and returns the error of a nonthrowing call in it.
  mutating func endDelivery() -> KeyedArchiveError? {
    let failure = takeFailure()
    deliveries -= 1
    return failure
  }
}
