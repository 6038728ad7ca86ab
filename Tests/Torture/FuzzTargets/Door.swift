// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat

/// A way by which bytes come in. Any bytes may be sent through: it returns, or throws what is wrong with the library.
///
/// What can be read is written again and read again: what comes out then is what came out first.
enum Door: String, CaseIterable, Sendable {
  /// A property list in the binary format.
  case binaryList = "binary-list"
  /// A property list in XML.
  case xmlList = "xml-list"
  /// An archive as a graph.
  case archive
  /// Objects, under a list that has classes with cycles on it.
  case objects
  /// Objects, by type, with Codable, late, with a delegate and inside of structs.
  case calls
  /// A picture.
  case picture
  /// The names of the entries of a library's folder, one a line.
  case folderNames = "folder-names"
  /// Records of archives, one a line, as the command reads them.
  case records
  /// Archives in the data of a property list.
  case inside

  /// Those that archives come in by.
  static let ofArchives: [Door] = [.binaryList, .xmlList, .archive, .objects, .calls]

  /// Sends bytes through.
  func enter(_ bytes: Data) throws {
    switch self {
    case .binaryList: try PropertyListDoor.enter(bytes, .binary)
    case .xmlList: try PropertyListDoor.enter(bytes, .xml)
    case .archive: try ArchiveDoor.enter(bytes)
    case .objects: try ObjectsDoor.enter(bytes)
    case .calls: try CallsDoor.enter(bytes)
    case .picture: try PictureDoor.enter(bytes)
    case .folderNames: try FolderNamesDoor.enter(bytes)
    case .records: try RecordsDoor.enter(bytes)
    case .inside: try InsideDoor.enter(bytes)
    }
  }
}
