// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import Foundation

/// Runs Chromium without a window.
public enum Chromium {
  /// Why a test that needs it is skipped.
  public static let isAbsent = "no chromium is installed"

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
  public static var isPresent: Bool { executable != nil }

  /// A picture of a page, as PNG.
  public static func screenshot(_ page: URL, width: Int, height: Int) throws -> Data {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).png")
    defer { try? FileManager.default.removeItem(at: file) }
    _ = try run(["--screenshot=\(file.path)", "--window-size=\(width),\(height)"], page)
    return try Data(contentsOf: file)
  }

  /// The elements of a page after it was loaded.
  public static func elements(_ page: URL) throws -> String {
    String(decoding: try run(["--dump-dom"], page), as: UTF8.self)
  }

  /// Loads a page in a frame of another one, whose script may look at it and press its keys, and returns what that said.
  ///
  /// The script is the body of an asynchronous function of `frame`, the element, and `page`, its document, which are there
  /// once the page is loaded, and of `opened`, the milliseconds that took. What it returns comes back as text.
  /// - Parameters:
  ///   - page: the page.
  ///   - isTimed: whether time is that of the clock; otherwise it passes only when there is nothing to do.
  ///   - script: what is done there.
  /// - Returns: what the script returned.
  /// - Throws: what running the browser throws.
  public static func probe(_ page: URL, isTimed: Bool = false, _ script: String) throws -> String {
    let folder = try ScratchFolder()
    let outer = """
      <!DOCTYPE html><meta charset="utf-8"><title>probe</title><pre id="said">nothing</pre><script>
      const start = performance.now(), frame = document.createElement('iframe');
      frame.style = 'width:1200px;height:800px;border:0';
      frame.onload = async () => {
        const opened = performance.now() - start, page = frame.contentDocument;
        try { said.textContent = await (async () => { \(script) })(); } catch (error) { said.textContent = 'thrown: ' + error; }
      };
      frame.src = '\(page.absoluteString)';
      document.body.append(frame);
      </script>
      """
    let file = URL(filePath: try folder.file("probe.html", Data(outer.utf8)))
    let arguments = ["--dump-dom", "--allow-file-access-from-files"]
    let elements = String(decoding: try run(arguments, file, isTimed: isTimed), as: UTF8.self)
    let said = elements.split(separator: "<pre id=\"said\">", maxSplits: 1).last?.prefix { $0 != "<" } ?? ""
    return String(said).replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&nbsp;", with: "\u{A0}")
      .replacing("&amp;", with: "&")
  }

  private static func run(_ arguments: [String], _ page: URL, isTimed: Bool = false) throws -> Data {
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
        "--user-data-dir=\(folder.appending(path: "profile").path)",
      ]
      // Time that passes only when there is nothing to load or to draw, so that a busy machine changes nothing.
      + (isTimed ? [] : ["--virtual-time-budget=1000"]) + arguments + [page.absoluteString]
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = FileHandle.nullDevice
    try process.run()
    // Whatever happens in there, the tests go on.
    let end = DispatchWorkItem { process.terminate() }
    DispatchQueue.global().asyncAfter(deadline: .now() + 600, execute: end)
    process.waitUntilExit()
    end.cancel()
    return try Data(contentsOf: output)
  }
}
