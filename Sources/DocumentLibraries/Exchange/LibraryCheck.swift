// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import PropertyListFormat

/// A problem of a library.
public struct LibraryFinding: Hashable, Sendable {
  /// The severity of a finding.
  public enum Severity: String, Hashable, Sendable {
    /// A document, or part of it, is unusable.
    case error
    /// All documents are usable nevertheless.
    case warning
  }

  /// The severity.
  public var severity: Severity
  /// The stable name of the problem.
  public var code: String
  /// The document's number, if the finding concerns a document.
  public var number: DocumentNumber?
  /// The file or folder.
  public var path: String
  /// The human-readable description.
  public var detail: String
  /// The human-readable remedy.
  public var remedy: String?

  /// Compares two findings.
  /// - Parameters:
  ///   - a: A finding.
  ///   - b: Another finding.
  /// - Returns: `true` if all properties are equal. Strings are compared bytewise.
  public static func == (a: Self, b: Self) -> Bool {
    a.severity == b.severity && a.code == b.code && a.number == b.number && a.path == b.path
      && a.detail == b.detail && a.remedy == b.remedy
  }

  /// Hashes all properties except the texts for people.
  /// - Parameter hasher: Receives the hashed values.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(severity)
    hasher.combine(code)
    hasher.combine(number)
    hasher.combine(path)
  }

  /// Creates a finding.
  /// - Parameters:
  ///   - severity: The severity.
  ///   - code: The stable name of the problem.
  ///   - number: The document's number, if the finding concerns a document.
  ///   - path: The file or folder.
  ///   - detail: The description.
  ///   - remedy: How to fix it, as an imperative sentence.
  public init(
    _ severity: Severity, _ code: String, number: DocumentNumber? = nil, path: String, _ detail: String,
    remedy: String? = nil
  ) {
    self.severity = severity
    self.code = code
    self.number = number
    self.path = path
    self.detail = detail
    self.remedy = remedy
  }

  /// Creates a finding for an error.
  /// - Parameters:
  ///   - error: The error.
  ///   - number: The document's number, if the finding concerns a document.
  ///   - path: The file or folder, unless the error names it.
  public init(_ error: any Error, number: DocumentNumber?, path: String) {
    let known = error as? LibraryError
    self.init(
      .error, known?.code.name ?? "other", number: number, path: known?.path ?? path, known?.detail ?? "\(error)",
      remedy: known?.remedy)
  }
}

extension DocumentLibrary {
  /// Reads every document and reports all problems, without changing the library.
  /// - Parameters:
  ///   - checkAttachment: Throws an error if an attachment is invalid. The default accepts all attachments.
  ///   - checkNames: Returns the problems of a document's attachments together, such as two of which only one is used. The
  ///     default finds none.
  ///   - progress: Called after each document.
  ///   - report: Receives each finding, and returns whether to continue. Something else in the place of `.work` is one.
  /// - Throws: ``LibraryError`` if the folder cannot be read.
  public func check(
    checkAttachment: (_ name: String, _ bytes: Data, _ path: String) throws -> Void = { _, _, _ in },
    checkNames: (_ names: [String], _ path: String) -> [LibraryFinding] = { _, _ in [] },
    progress: () -> Void = {}, report: (LibraryFinding) -> Bool
  ) throws(LibraryError) {
    let contents = try contents()
    for problem in contents.problems {
      let path = storage.url(of: .root / StorageName(problem.name)).path
      let finding = LibraryFinding(
        .warning, problem.reason.rawValue, path: path, problem.description, remedy: "Rename it, or move it away")
      guard report(finding) else { return }
    }
    let workFolder = try attempt { () throws(StorageError) in try steps.status(of: WorkFolder.path) }
    if let workFolder, workFolder.kind != .folder {
      let error = LibraryError(
        .cannotWrite, storage.url(of: WorkFolder.path).path,
        workFolder.kind == .link
          ? "found a symbolic link; expected the folder for unfinished changes"
          : "found a file; expected the folder for unfinished changes",
        remedy: "Move it away; the next change makes the folder")
      guard report(LibraryFinding(error, number: nil, path: error.path)) else { return }
    }
    let leftovers = try attempt { () throws(StorageError) -> Int in
      guard workFolder?.kind == .folder else { return 0 }
      return try steps.entries(of: WorkFolder.path).count { !WorkFolder.isLasting($0.name) }
    }
    if leftovers > 0 {
      let finding = LibraryFinding(
        .warning, "leftovers", path: storage.url(of: WorkFolder.path).path,
        "\(leftovers) unfinished files or folders: another process is writing, or a crash left them",
        remedy: "Open the library for writing while no other process uses it; that removes them")
      guard report(finding) else { return }
      for (number, error) in try displacedDocuments() {
        guard report(LibraryFinding(error, number: number, path: error.path)) else { return }
      }
    }
    for number in contents.numbers {
      for finding in check(number, contents.otherNames[number], checkAttachment, checkNames) {
        guard report(finding) else { return }
      }
      progress()
    }
  }

  private func check(
    _ number: DocumentNumber, _ otherName: StorageName?,
    _ checkAttachment: (_ name: String, _ bytes: Data, _ path: String) throws -> Void,
    _ checkNames: (_ names: [String], _ path: String) -> [LibraryFinding]
  ) -> [LibraryFinding] {
    var findings: [LibraryFinding] = []
    var path = storage.url(of: .root / FolderName.name(for: number, extension: Model.folderExtension)).path
    do {
      let folder = if let otherName { otherName } else { try folderName(of: number) }
      path = storage.url(of: .root / folder).path
      do {
        let stored = try readData(folder).stored
        findings += stored.warnings.map {
          LibraryFinding(.warning, $0.code, number: number, path: dataFile(of: folder), $0.detail)
        }
        if !stored.isCurrent {
          findings.append(
            LibraryFinding(
              .warning, "oldLayout", number: number, path: dataFile(of: folder), "old layout: \(stored.layout)",
              remedy: "Migrate the library"))
        }
      } catch {
        findings.append(LibraryFinding(error, number: number, path: dataFile(of: folder)))
      }
      let entries = try attempt { () throws(StorageError) in try documentEntries(of: folder) } ?? []
      let names = Set(entries.map(\.name))
      let attachments = Model.attachmentNames.filter { names.contains(StorageName($0)) }
      for name in attachments {
        do {
          guard let bytes = try readAttachment(name, of: folder) else { continue }
          try checkAttachment(name, bytes, path)
        } catch {
          findings.append(LibraryFinding(error, number: number, path: "\(path)/\(name)"))
        }
      }
      for var finding in checkNames(attachments, path) {
        finding.number = finding.number ?? number
        findings.append(finding)
      }
      let known = Set(Model.fileNames)
      findings += entries.filter { !known.contains($0.name) && !$0.name.isHidden }.map {
        LibraryFinding(
          .warning, "unknownFile", number: number, path: "\(path)/\($0.name)", "unknown file",
          remedy: "Move it away if no other program needs it")
      }
    } catch {
      findings.append(LibraryFinding(error, number: number, path: path))
    }
    return findings
  }
}
