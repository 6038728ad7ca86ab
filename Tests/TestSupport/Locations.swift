// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import Foundation
public import Testing

/// Where tests find their data.
public enum Locations {
  /// The package's top folder.
  public static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The folder `Fixtures`, which is part of the package.
  public static let fixtures = package.appending(path: "Fixtures")

  /// The folder `shared` beside the package, with corpora too large to be part of it; nil where it is absent.
  public static let shared: URL? = {
    let url = package.deletingLastPathComponent().appending(path: "shared")
    return FileManager.default.fileExists(atPath: url.path) ? url : nil
  }()

  /// Why a test that needs ``shared`` is skipped.
  public static let sharedIsAbsent = "the folder 'shared' with the large corpora does not lie beside the package"
}

/// A file that is an argument of a test; its name stands for it in the test's output.
public struct TestFile: Sendable, CustomTestStringConvertible {
  /// Where it is.
  public let url: URL

  /// Its path below the folder it was listed from.
  public let name: String

  /// Its content.
  public func data() throws -> Data { try Data(contentsOf: url) }

  /// Its name.
  public var testDescription: String { name }

  /// All files below a folder, in the order of their names; none if the folder is absent.
  public static func all(below folder: URL?) -> [TestFile] {
    guard let folder, let names = try? FileManager.default.subpathsOfDirectory(atPath: folder.path) else { return [] }
    return names.sorted().compactMap { name in
      let url = folder.appending(path: name)
      let isFile = try? url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile
      guard isFile == true else { return nil }
      return TestFile(url: url, name: name)
    }
  }
}

/// The real archives of the corpus beside the package.
public enum Corpus {
  /// Whether the corpus is there.
  public static var isPresent: Bool { Locations.shared != nil }

  /// All archives, the deliberately broken ones included.
  public static let all = TestFile.all(below: Locations.shared?.appending(path: "corpus")).filter {
    $0.name.hasSuffix(".bplist") || $0.name.hasSuffix(".xml")
  }

  /// The archives that must be readable.
  public static let valid = all.filter { !$0.name.hasPrefix("invalid/") }

  /// A sample of the archives that must be readable: those of at most 32 KiB at each multiple of a position; all archives if
  /// ``Sample/isWhole``.
  public static func sample(every step: Int) -> [TestFile] {
    if Sample.isWhole { return valid }
    return stride(from: 0, to: valid.count, by: step).map { valid[$0] }.filter { file in
      let size = try? file.url.resourceValues(forKeys: [.fileSizeKey]).fileSize
      return size ?? 0 <= 32_768
    }
  }

  /// The archives that must be refused.
  public static let invalid = all.filter { $0.name.hasPrefix("invalid/") }
}
