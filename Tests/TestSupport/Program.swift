// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A program that tests run as a process.
public struct Program: Sendable {
  /// Where it is.
  public let url: URL

  /// A program by its place.
  public init(at url: URL) { self.url = url }

  /// A program of the system, found as shells find it; nil if it is not installed.
  public static func installed(_ name: String) -> Program? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return first(name, in: folders.map { URL(filePath: String($0)) })
  }

  /// A program of this package that was built beside the tests; nil if it was not.
  public static func built(_ name: String) -> Program? {
    first(name, in: productFolders)
  }

  /// The folders in which the build of the tests may have put programs and modules.
  static var productFolders: [URL] {
    let tests = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
    let bundle = Bundle.main.bundleURL
    return [tests, tests.deletingLastPathComponent(), bundle, bundle.deletingLastPathComponent()]
  }

  private static func first(_ name: String, in folders: [URL]) -> Program? {
    folders.map { $0.appending(path: name) }.first { FileManager.default.isExecutableFile(atPath: $0.path) }
      .map(Program.init(at:))
  }

  /// What a program said and how it ended.
  public struct Run {
    /// Its exit code, or the number of the signal that ended it with a minus sign.
    public let code: Int32
    /// Its standard output.
    public let data: Data
    /// Its standard error.
    public let errors: String

    /// Its standard output as text.
    public var output: String { String(decoding: data, as: UTF8.self) }
  }

  /// Runs the program to its end, in a folder and with more environment where these are given.
  public func run(
    _ arguments: [String] = [], input: Data = Data(), in place: URL? = nil, environment: [String: String] = [:]
  ) throws -> Run {
    // Through files, so that neither side waits for the other to read.
    let folder = try ScratchFolder()
    let process = Process()
    process.executableURL = url
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    if let place { process.currentDirectoryURL = place }
    process.standardInput = FileHandle(forReadingAtPath: try folder.file("in", input))
    for name in ["out", "err"] { _ = try folder.file(name, Data()) }
    process.standardOutput = FileHandle(forWritingAtPath: folder.path("out"))
    process.standardError = FileHandle(forWritingAtPath: folder.path("err"))
    try Self.withSignals { try process.run() }
    process.waitUntilExit()
    return Run(
      code: process.terminationReason == .uncaughtSignal ? -process.terminationStatus : process.terminationStatus,
      data: try Data(contentsOf: URL(filePath: folder.path("out"))),
      errors: try String(contentsOfFile: folder.path("err"), encoding: .utf8))
  }

  /// Calls `body` while the thread blocks no signals.
  ///
  /// The threads of tests block most signals on Linux, and a process inherits that. A test of a signal would then see a
  /// program that no signal reaches.
  private static func withSignals(_ body: () throws -> Void) rethrows {
    #if os(Linux)
      var (none, old) = (sigset_t(), sigset_t())
      _ = unsafe sigemptyset(&none)
      _ = unsafe pthread_sigmask(SIG_SETMASK, &none, &old)
      defer { _ = unsafe pthread_sigmask(SIG_SETMASK, &old, nil) }
    #endif
    try body()
  }
}
