// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import Foundation

/// Runs Python programs, whose standard library reads and writes property lists with code of its own.
public enum Python {
  /// Why a test that needs Python is skipped.
  public static let isAbsent = "python3 is not installed"

  private static let executable: URL? = {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.map { URL(filePath: String($0)).appending(path: "python3") }.first {
      FileManager.default.isExecutableFile(atPath: $0.path)
    }
  }()

  /// Whether there is a Python.
  public static var isPresent: Bool { executable != nil }

  /// Runs a program with arguments and input; returns its output.
  public static func run(_ program: String, _ arguments: [String] = [], input: Data = Data()) throws -> Data {
    let process = Process()
    process.executableURL = executable
    process.arguments = ["-c", program] + arguments
    // Through files, so that neither side waits for the other to read.
    let folder = FileManager.default.temporaryDirectory.appending(path: "python-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (inputFile, outputFile) = (folder.appending(path: "in"), folder.appending(path: "out"))
    try input.write(to: inputFile)
    try Data().write(to: outputFile)
    process.standardInput = try FileHandle(forReadingFrom: inputFile)
    process.standardOutput = try FileHandle(forWritingTo: outputFile)
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(status: process.terminationStatus) }
    return try Data(contentsOf: outputFile)
  }

  /// A program that did not end well; what it said is on the standard error output.
  public struct Failure: Error {
    /// Its exit status.
    public var status: Int32
  }
}
