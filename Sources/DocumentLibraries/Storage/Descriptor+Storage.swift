// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import SystemFiles

// Conversions between the types of the system and those of a storage.

extension Descriptor.MoveMode {
  init(_ mode: StorageMove) {
    self =
      switch mode {
      case .replacing: .replacing
      case .exclusive: .exclusive
      case .exchanging: .exchanging
      }
  }
}

extension StorageFile {
  /// The file on the disk.
  var descriptor: Descriptor { Descriptor(number: rawValue) }
}

extension StorageStatus {
  init(_ status: FileStatus) {
    self.init(
      kind: Kind(status.kind), byteCount: status.byteCount,
      modified: StorageDate(seconds: status.modified.seconds, nanoseconds: status.modified.nanoseconds),
      identity: status.identity.number)
  }
}

extension StorageStatus.Kind {
  init(_ kind: FileStatus.Kind) {
    self =
      switch kind {
      case .file: .file
      case .folder: .folder
      case .link: .link
      case .other: .special
      }
  }
}

extension SystemError {
  /// Whether the error of a link can concern the linked file. Linux refuses links to files of others with the number of EPERM.
  /// EACCES concerns the folder of the new name: those of both names are open already.
  var canConcernLinkedFile: Bool { number == 1 }
}

extension StorageError.Reason {
  init(_ error: SystemError) {
    if let capability = error.lacking {
      self = .missing(capability.rawValue)
      return
    }
    self =
      switch error.reason {
      case .exists: .exists
      case .notFound: .notFound
      case .notAFolder: .notAFolder
      case .notAFile: .notAFile
      case .link: .link
      case .notEmpty: .notEmpty
      case .noSpace: .noSpace
      case .noPermission: .noPermission
      case .readOnly: .readOnly
      case .deviceError: .deviceError
      case .interrupted: .interrupted
      case .otherDisk: .otherDisk
      case .badName: .badName
      case .tooManyOpen: .tooManyOpen
      case .unsupported: .unsupported
      // The number of EFBIG on all systems.
      case .other where error.number == 27: .fileSizeLimit
      case .tooManyNames: .tooManyNames
      case .other, .notReady: .other(error.number)
      }
  }
}
