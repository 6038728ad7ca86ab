// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

extension Task where Success == Never, Failure == Never {
  /// Sleeps for a time that a caller of the package chose, at most a year, because `sleep(for:)` traps if the nanoseconds
  /// overflow.
  package static func sleepAtMostYear(for time: Duration) async throws {
    try await sleep(for: min(time, .seconds(365 * 86_400)))
  }
}
