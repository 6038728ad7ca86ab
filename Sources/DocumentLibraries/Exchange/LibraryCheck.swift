// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import PropertyListFormat

/// Something in a library that is not as it should be.
public struct LibraryFinding: Hashable, Sendable {
  /// How bad it is.
  public enum Severity: String, Hashable, Sendable {
    /// A document, or part of one, cannot be used.
    case error
    /// It does not stand in the way.
    case warning
  }

  /// How bad it is.
  public var severity: Severity
  /// The stable name of what it is.
  public var code: String
  /// The document, if it is one.
  public var number: DocumentNumber?
  /// The file or folder.
  public var path: String
  /// What it is, for people.
  public var detail: String
  /// What to do about it, for people.
  public var remedy: String?

  /// Equal if all properties are; texts are compared by their bytes.
  public static func == (a: Self, b: Self) -> Bool {
    a.severity == b.severity && a.code == b.code && a.number == b.number && a.path == b.path
      && a.detail == b.detail && a.remedy == b.remedy
  }

  /// Hashes all but the words for people.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(severity)
    hasher.combine(code)
    hasher.combine(number)
    hasher.combine(path)
  }

  /// Makes a finding.
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

  /// What an error says.
  public init(_ error: any Error, number: DocumentNumber?, path: String) {
    let known = error as? LibraryError
    self.init(
      .error, known?.code.name ?? "other", number: number, path: known?.path ?? path, known?.detail ?? "\(error)",
      remedy: known?.remedy)
  }
}

extension DocumentLibrary {
  /// Reads every document and tells what is not as it should be. One that is damaged hides no other, and nothing changes.
  /// - Parameters:
  ///   - checkAttachment: looks at an attachment and throws what is wrong with it; nothing is checked unless given.
  ///   - progress: is called after each document.
  ///   - report: is called with each finding; return false to stop.
  /// - Throws: ``LibraryError`` if the folder cannot be read.
  public func check(
    checkAttachment: (_ name: String, _ bytes: Data, _ path: String) throws -> Void = { _, _, _ in },
    progress: () -> Void = {}, report: (LibraryFinding) -> Bool
  ) throws(LibraryError) {
    let contents = try contents()
    for problem in contents.problems {
      let path = storage.url(of: .root / StorageName(problem.name)).path
      let finding = LibraryFinding(
        .warning, problem.reason.rawValue, path: path, problem.description, remedy: "Rename it or put it elsewhere")
      guard report(finding) else { return }
    }
    let leftovers = try reading { () throws(StorageError) in
      try steps.status(of: WorkFolder.path) == nil ? 0 : steps.entries(of: WorkFolder.path).count
    }
    if leftovers > 0 {
      let finding = LibraryFinding(
        .warning, "leftovers", path: storage.url(of: WorkFolder.path).path,
        "there are \(leftovers) things that somebody is making, or that a crash left behind",
        remedy: "They go when the library is opened to be used and nobody else is at work")
      guard report(finding) else { return }
      for (number, error) in try displacedDocuments() {
        guard report(LibraryFinding(error, number: number, path: error.path)) else { return }
      }
    }
    for number in contents.numbers {
      for finding in check(number, contents.otherNames[number], checkAttachment) {
        guard report(finding) else { return }
      }
      progress()
    }
  }

  private func check(
    _ number: DocumentNumber, _ otherName: StorageName?,
    _ checkAttachment: (_ name: String, _ bytes: Data, _ path: String) throws -> Void
  ) -> [LibraryFinding] {
    var findings: [LibraryFinding] = []
    var path = storage.url(of: .root / FolderName.name(for: number, extension: Model.folderExtension)).path
    do {
      let folder = if let otherName { otherName } else { try folderName(of: number) }
      path = storage.url(of: .root / folder).path
      do {
        let (stored, _, _) = try readData(folder)
        findings += stored.warnings.map {
          LibraryFinding(.warning, $0.code, number: number, path: dataFile(of: folder), $0.detail)
        }
        if !stored.isCurrent {
          findings.append(
            LibraryFinding(
              .warning, "oldLayout", number: number, path: dataFile(of: folder), "the layout is \(stored.layout)",
              remedy: "Migrate the library"))
        }
      } catch {
        findings.append(LibraryFinding(error, number: number, path: dataFile(of: folder)))
      }
      for name in Model.attachmentNames {
        do {
          guard let bytes = try readAttachment(name, of: folder) else { continue }
          try checkAttachment(name, bytes, path)
        } catch {
          findings.append(LibraryFinding(error, number: number, path: "\(path)/\(name)"))
        }
      }
      let known = Set(([Model.dataFileName] + Model.attachmentNames).map { StorageName($0) })
      let strange = try reading { () throws(StorageError) in try steps.entries(of: .root / folder) }
        .filter { !known.contains($0.name) && !$0.name.isHidden }
      findings += strange.map {
        LibraryFinding(
          .warning, "unknownFile", number: number, path: "\(path)/\($0.name)", "nothing is known of this file")
      }
    } catch {
      findings.append(LibraryFinding(error, number: number, path: path))
    }
    return findings
  }
}
