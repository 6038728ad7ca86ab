// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import Testing

extension Trait where Self == TimeLimitTrait {
  /// A test that hangs fails. The time is no measure of anything: all tests begin together, and it counts while one waits
  /// for the others to leave it a core.
  public static var notHanging: Self { .timeLimit(.minutes(30)) }
}
