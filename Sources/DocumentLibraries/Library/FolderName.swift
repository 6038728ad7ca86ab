// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// How document folders are called: digits, a dot, the extension.
enum FolderName {
  /// The name of a document's folder.
  static func name(for number: DocumentNumber, extension: String) -> StorageName {
    StorageName("\(number).\(`extension`)")
  }

  /// What a name says.
  enum Meaning: Equatable {
    /// A document's folder; `isCanonical` unless letters of the extension are capital.
    case document(Int, isCanonical: Bool)
    /// It has the extension, but the rest is no number, or one written in another way, or too large a one.
    case notANumber
    /// Nothing to do with documents.
    case other
  }

  /// Reads a name. Letters of the extension may be capital: on some disks that makes no difference.
  static func meaning(of name: Span<UInt8>, extension: Span<UInt8>) -> Meaning {
    let dot = name.count - `extension`.count - 1
    guard dot >= 0, name[dot] == 0x2E, name[0] != 0x2E else { return .other }
    var isCanonical = true
    for index in `extension`.indices {
      let letter = name[dot + 1 + index]
      guard letter != `extension`[index] else { continue }
      guard letter >= 0x41, letter <= 0x5A, letter | 0x20 == `extension`[index] else { return .other }
      isCanonical = false
    }
    guard let number = DocumentNumber.parse(name.extracting(0..<dot)) else { return .notANumber }
    return .document(number, isCanonical: isCanonical)
  }
}
