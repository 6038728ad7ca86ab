// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation

/// Runs a script with the machine's own Python: the independent reader of what is written here.
enum Python {
  /// The interpreter to use: the one that the environment names, else the first `python3` of the search path.
  static let path: String? = {
    let environment = ProcessInfo.processInfo.environment
    if let named = environment["TEST_PYTHON"], !named.isEmpty { return named }
    let folders = (environment["PATH"] ?? "").split(separator: ":")
    return folders.map { $0 + "/python3" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  static let isAvailable = path != nil
  static let hasPillow = (try? run("import PIL.Image", in: FileManager.default.temporaryDirectory).status) == 0

  /// Runs `script` in `folder` and returns its exit status and what it printed.
  static func run(_ script: String, in folder: URL) throws -> (status: Int32, output: String) {
    guard let path else { return (-1, "there is no python3") }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = ["-c", script]
    process.currentDirectoryURL = folder
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }
}

/// A folder that is gone when the test is over.
func withTemporaryFolder(_ body: (URL) throws -> Void) throws {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("png-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  try body(folder)
}
