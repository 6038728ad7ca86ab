// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import PropertyListFormat

extension ArchiveFixtures {
  /// Checks that damaged copies of a fixture are refused, and ends the process. Call it in an exit test.
  ///
  /// ```swift
  /// @Test func refusesDamagedFiles() async throws {
  ///   let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
  ///     ArchiveFixtures(of: Creature.self, in: "Fixtures/Creature").checkDamagedCopiesAndExit(of: "2")
  ///   }
  ///   try FixtureFailure.check(standardError: result.standardErrorContent)
  /// }
  /// ```
  ///
  /// A trap then ends only the process of the exit test. The process ends with a failure in each case, because Swift Testing
  /// discards the output of one that does not end as expected. The result of the check is on standard error, where
  /// ``FixtureFailure/check(standardError:)`` finds it.
  /// - Parameters:
  ///   - name: The name of the fixture, as for ``checkDamagedCopies(of:optionalKeys:tolerating:fileID:function:)``.
  ///   - optionalKeys: The keys that may be absent or nil.
  ///   - tolerating: Other damage that need not be noticed.
  public func checkDamagedCopiesAndExit(
    of name: String, optionalKeys: Set<String> = [], tolerating: Set<String> = []
  ) -> Never {
    do {
      try checkDamagedCopies(of: name, optionalKeys: optionalKeys, tolerating: tolerating)
      // A decoder can log text without a line feed at the end.
      StandardError.write("\n" + FixtureFailure.passed)
    } catch {
      StandardError.write("\(error)")
    }
    #if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
      exit(1)
    #else
      fatalError()
    #endif
  }
}

extension FixtureFailure {
  /// The line that the process of an exit test writes if no damaged copy was decoded.
  fileprivate static let passed = "each damaged copy was refused with an error"

  /// How the line begins that names the folder of the damaged copy.
  static let beginning = "decoding damaged copies of "

  /// Throws an error unless the process of an exit test checked damaged copies and found no problem.
  ///
  /// The error has what the process wrote: the problems that it found, or the message of a trap and the folder of the
  /// damaged copy. Of many lines, it has the last ones.
  /// - Parameter content: What ``ArchiveFixtures/checkDamagedCopiesAndExit(of:optionalKeys:tolerating:)`` wrote to the standard
  ///   error stream.
  /// - Throws: ``FixtureFailure`` of the kind ``FixtureFailure/Problem/Kind/exitTest``.
  public static func check(standardError content: some Sequence<UInt8>) throws {
    let text = String(decoding: Array(content), as: UTF8.self)
    let lines = text.split(separator: "\n").map(String.init)
    if lines.contains(where: { $0 == passed }) { return }
    // A decoder can log many lines. The message of a trap comes last, and a backtrace after it can be long, too.
    var shown = lines.indices.filter { index in
      index >= lines.count - 30 || lines[index].utf8.starts(with: beginning.utf8)
        || lines[index].contains("Fatal error")
    }.map { lines[$0] }
    if shown.count < lines.count { shown.append("\(lines.count - shown.count) other lines") }
    if lines.isEmpty { shown = ["nothing"] }
    throw FixtureFailure(problems: [
      Problem(
        kind: .exitTest, fixture: "exit test",
        detail: "the process that decoded damaged copies failed, or ended early. It wrote:\n"
          + FixtureText.indented(shown))
    ])
  }
}
