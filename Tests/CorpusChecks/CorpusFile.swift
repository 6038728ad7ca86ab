// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

package import Foundation

/// An archive of the corpus that must be readable.
package struct CorpusFile: Sendable {
  /// The location of the file.
  package let url: URL
  /// The path below the folder of the corpus.
  package let name: String
  /// The position among all files of the corpus, which seeds random numbers.
  package let index: Int
  /// The size in bytes.
  package let byteCount: Int

  /// The content of the file.
  package func data() throws -> Data { try Data(contentsOf: url) }
}

/// The real archives in a folder.
package struct CorpusFolder: Sendable {
  /// The files, in the order of their names, without the deliberately broken ones.
  package let files: [CorpusFile]
  /// The names of files whose dictionaries all have the order of keys of CoreFoundation's table on 64-bit systems, as
  /// the table of the corpus says. Some are left out, because no order of insertion leads to theirs.
  package let orderedNames: Set<String>
  /// The rows of the table of the corpus, which another program made, by the names of files: texts by the names of columns.
  let table: [String: [String: String]]

  /// Lists the archives in a folder.
  ///
  /// - Parameter folder: The folder, with the table `MANIFEST.tsv`.
  package init(_ folder: URL) {
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
    files = names.filter { ($0.hasSuffix(".bplist") || $0.hasSuffix(".xml")) && !$0.hasPrefix("invalid/") }.sorted()
      .enumerated().map { index, name in
        let url = folder.appending(path: name)
        let size = try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int
        return CorpusFile(url: url, name: name, index: index, byteCount: size ?? 0)
      }
    let text = (try? String(contentsOf: folder.appending(path: "MANIFEST.tsv"), encoding: .utf8)) ?? ""
    orderedNames = Self.orderedNames(text)
    table = Self.table(text)
  }

  private static func table(_ text: String) -> [String: [String: String]] {
    let rows = text.split(separator: "\n").map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
    guard let names = rows.first else { return [:] }
    return Dictionary(rows.dropFirst().map { ($0[0], Dictionary(uniqueKeysWithValues: zip(names, $0))) }) { a, _ in a }
  }

  private static func orderedNames(_ text: String) -> Set<String> {
    let others = [
      "__b896a8ac", "__09fd9dbe", "__f018b3b0", "__9daf247c", "__fb94b8f4", "__151706e5", "altercation.solarized__",
    ]
    var names: Set<String> = []
    for row in text.split(separator: "\n").dropFirst() {
      let columns = row.split(separator: "\t", omittingEmptySubsequences: false)
      let counts = columns.last?.split(separator: "/") ?? []
      guard counts.count == 2, counts[0] == counts[1], let name = columns.first else { continue }
      if !others.contains(where: name.contains) { names.insert(String(name)) }
    }
    return names
  }
}
