// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation

/// Runs Chromium without a window.
enum Chromium {
  /// Why a test that needs it is skipped.
  static let isAbsent = "no chromium is installed"

  private static let executable: URL? = {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    for name in ["chromium", "chromium-browser", "google-chrome"] {
      for folder in folders {
        let url = URL(filePath: String(folder)).appending(path: name)
        if FileManager.default.isExecutableFile(atPath: url.path) { return url }
      }
    }
    return nil
  }()

  /// Whether there is one.
  static var isPresent: Bool { executable != nil }

  /// A picture of a page, as PNG.
  static func screenshot(_ page: URL, width: Int, height: Int) throws -> Data {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).png")
    defer { try? FileManager.default.removeItem(at: file) }
    _ = try run(["--screenshot=\(file.path)", "--window-size=\(width),\(height)"], page)
    return try Data(contentsOf: file)
  }

  /// The elements of a page after it was loaded.
  static func elements(_ page: URL) throws -> String {
    String(decoding: try run(["--dump-dom"], page), as: UTF8.self)
  }

  private static func run(_ arguments: [String], _ page: URL) throws -> Data {
    let folder = FileManager.default.temporaryDirectory.appending(path: "chromium-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let output = folder.appending(path: "out")
    try Data().write(to: output)
    let process = Process()
    process.executableURL = executable
    process.arguments =
      [
        "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-color-profile=srgb",
        "--force-prefers-reduced-motion", "--disable-extensions", "--no-first-run", "--disable-background-networking",
        // Time that passes only when there is nothing to load or to draw, so that a busy machine changes nothing.
        "--virtual-time-budget=1000", "--user-data-dir=\(folder.appending(path: "profile").path)",
      ] + arguments + [page.absoluteString]
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = FileHandle.nullDevice
    try process.run()
    // Whatever happens in there, the tests go on.
    let end = Date(timeIntervalSinceNow: 60)
    while process.isRunning, Date() < end { Thread.sleep(forTimeInterval: 0.05) }
    if process.isRunning { process.terminate() }
    process.waitUntilExit()
    return try Data(contentsOf: output)
  }
}
