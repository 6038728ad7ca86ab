// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The error of a system call. The caller knows which call it was.
package struct SystemError: Error, Hashable, Sendable {
  /// The error number of the system; a negative number for a capability that the system lacks.
  package let number: Int32

  package init(_ number: Int32) { self.number = number }

  /// Creates the error of a call that needs what the system lacks.
  package init(lacking capability: Capability) { number = capability.errorNumber }

  /// The capability that the call needs and the system lacks; nil for errors that the system reported.
  package var lacking: Capability? { Capability.allCases.first { $0.errorNumber == number } }

  /// The system's text for the error.
  package var message: String { lacking?.problem ?? systemMessage }

  /// Makes a call, and repeats it while a signal interrupts it.
  package static func repeating<Result>(
    _ call: () throws(SystemError) -> Result
  ) throws(SystemError) -> Result {
    while true {
      do {
        return try call()
      } catch {
        guard error.reason == .interrupted else { throw error }
      }
    }
  }
}

extension SystemError {
  /// The reasons of errors. Several error numbers can have the same reason.
  package enum Reason: Sendable {
    case exists, notFound, notAFolder, notAFile, link, notEmpty
    case noSpace, noPermission, readOnly, deviceError, interrupted, notReady, otherDisk, badName
    /// The process or the system has too many open files.
    case tooManyOpen
    /// The file cannot have more names.
    case tooManyNames
    /// The system or the file system does not support the call.
    case unsupported
    case other
  }

  #if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
    package static let notFound = SystemError(ENOENT)
    static let exists = SystemError(EEXIST)
    package static let notAFile = SystemError(EISDIR)
    static let noSpace = SystemError(ENOSPC)
    /// The error for a file that does not fit into the memory, or exceeds a limit.
    package static let tooLarge = SystemError(EFBIG)
  #else
    package static let notFound = SystemError(2)
    static let exists = SystemError(17)
    package static let notAFile = SystemError(21)
    static let noSpace = SystemError(28)
    package static let tooLarge = SystemError(27)
  #endif

  package var reason: Reason {
    if number < 0, lacking != nil { return .unsupported }
    #if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
      return switch number {
      case EEXIST: .exists
      case ENOENT: .notFound
      case ENOTDIR: .notAFolder
      case EISDIR: .notAFile
      case ELOOP: .link
      case ENOTEMPTY: .notEmpty
      case ENOSPC, EDQUOT: .noSpace
      case EACCES, EPERM: .noPermission
      case EROFS: .readOnly
      case EIO: .deviceError
      case EINTR: .interrupted
      case EAGAIN: .notReady
      case EXDEV: .otherDisk
      case ENAMETOOLONG, EILSEQ: .badName
      case EMFILE, ENFILE: .tooManyOpen
      case EMLINK: .tooManyNames
      case EINVAL, ENOSYS, ENOTSUP, EOPNOTSUPP, ENOLCK, EBADF: .unsupported
      default: .other
      }
    #else
      return .unsupported
    #endif
  }
}
