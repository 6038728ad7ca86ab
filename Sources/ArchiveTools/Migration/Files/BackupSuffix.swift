// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import SystemFiles

/// The suffix of backups beside their files, and the names that it gives them: `a.plist.bak`, and `a.plist.bak.2` if another
/// file has that name.
struct BackupSuffix: Sendable {
  private let bytes: [UInt8]

  init(_ text: String) { bytes = Array(text.utf8) }

  /// Returns the name of a file's backup. The first has the number 1.
  func name(for file: FileName, number: Int) -> FileName {
    FileName(bytes: file.bytes + bytes + (number == 1 ? [] : Array(".\(number)".utf8)))
  }

  /// Returns the names of the files that a name can be the backup of; none if it is not the name of a backup. A name can be
  /// both that of a first backup and that of a later one if the suffix ends with digits.
  func originals(of name: FileName) -> [FileName] {
    let digits = name.bytes.reversed().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
    let number = name.bytes.suffix(digits)
    var originals = [name.bytes.removingSuffix(bytes)]
    if let first = number.first, first != UInt8(ascii: "0"), Array(number) != [UInt8(ascii: "1")] {
      originals.append(Array(name.bytes.dropLast(digits)).removingSuffix(bytes + [UInt8(ascii: ".")]))
    }
    return originals.compactMap { $0.map { FileName(bytes: $0) } }
  }
}

extension [UInt8] {
  /// Returns the bytes without a suffix; nil if they do not end with it, or have no others.
  fileprivate func removingSuffix(_ end: [UInt8]) -> [UInt8]? {
    count > end.count && suffix(end.count).elementsEqual(end) ? Array(dropLast(end.count)) : nil
  }
}
