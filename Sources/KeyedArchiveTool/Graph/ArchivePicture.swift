// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchivePages
import ArchiveTools
import CommandLineTools
import KeyedArchives
import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

/// The outline of an archive, with remarks about the archive.
struct ArchivePicture {
  let outline: Outline
  /// Whether rows are omitted.
  let isCut: Bool
  /// The damage of the archive, or the limit that ended the outline.
  let failure: Failure?
  /// The number of findings that are listed; further ones are counted.
  private static let maximumRemarks = 20

  /// Reads an archive, or the part at a path. The title has the name of the file, and the path of the archive `inside`.
  init(
    of archive: KeyedArchive, named name: String, inside: String? = nil, byteCount: Int, path: GraphPath?,
    maximumRows: Int?
  ) throws(Failure) {
    var reader = GraphReader(archive)
    var starts: [(label: Outline.Label, value: KeyedArchive.StoredValue)] = []
    if let path {
      starts.append((.path(path.description), try path.resolve(in: &reader)))
    } else {
      starts += try Failure.convertingArchiveError(try archive.top).map { (.key(ValueText.name($0.key)), $0.value) }
    }
    let findings = archive.check()
    var rows = OutlineReader(
      Self.outline(of: archive, name, inside, byteCount), of: reader,
      maximumRows: maximumRows ?? OutlineReader.defaultRows)
    for start in starts { rows.read(start.label, start.value) }
    if path == nil {
      rows.readUnreferenced(findings.filter { $0.code == "unreferencedObject" }.compactMap(\.uid))
    }
    var outline = rows.outline
    outline.remarks = Self.remarks(findings, path)
    if rows.isCut { outline.remarks.append("The page has only the first \(outline.rows.count) rows.") }
    if let excess = rows.excess { outline.remarks.append("The page is incomplete: " + excess.line + ".") }
    outline.endAdding()
    self.outline = outline
    isCut = rows.isCut
    var damage = rows.damage?.first
    if let count = rows.damage?.count, count > 1 { damage?.detail += " [the first of \(count) damaged values]" }
    failure = rows.excess ?? damage ?? findings.first { $0.severity == .error }.map { Failure($0) }
  }

  private static func outline(
    of archive: KeyedArchive, _ name: String, _ inside: String?, _ byteCount: Int
  ) -> Outline {
    let title = name == "-" ? "standard input" : name.split(separator: "/").last.map(String.init) ?? name
    var outline = Outline(title: EscapedText.plain(inside.map { "\(title) > \($0)" } ?? title))
    // Add all classes in the order of the file, so that colors do not depend on what is shown.
    var budget = ExpansionBudget(byteCount: Int64(archive.propertyList.byteCount), limits: .default)
    for index in 0..<UInt32(archive.objectCount) where !budget.isExhausted {
      guard case .classRecord(let description)? = try? archive.object(ArchiveUID(rawValue: index), budget: &budget)
      else {
        continue
      }
      _ = outline.index(
        ofClass: ValueText.name(description.name), chain: description.chain.prefix(32).map { ValueText.name($0) })
    }
    outline.facts = [
      archive.format.rawValue, ValueText.name(archive.archiverName), CountText.text(archive.objectCount, "object"),
      outline.classes.count == 1 ? "1 class" : "\(outline.classes.count) classes",
    ]
    if archive.isCyclic { outline.facts.append("cyclic") }
    outline.facts.append(CountText.text(byteCount, "byte"))
    return outline
  }

  private static func remarks(_ findings: [KeyedArchive.Issue], _ path: GraphPath?) -> [String] {
    let errors = findings.filter { $0.severity == .error }
    var remarks = errors.prefix(maximumRemarks).map { EscapedText.plain("\($0)") }
    if errors.count > maximumRemarks { remarks.append("… and \(errors.count - maximumRemarks) more findings") }
    if let path { remarks.append("This is the part of the archive at \(path).") }
    return remarks
  }
}

extension Failure {
  /// Creates a failure from a finding.
  fileprivate init(_ finding: KeyedArchive.Issue) {
    self.init(
      finding.code == "limitReached" ? .limitReached : .notAnArchive, finding.code, finding.detail,
      place: [
        finding.uid.map { "object \($0)" }, finding.line.map { "line \($0)" }, finding.byteOffset.map { "byte \($0)" },
      ].compactMap(\.self),
      remedy: "To list all findings, use 'validate'")
  }
}

extension Outline.Kind {
  private init(_ value: KeyedArchive.StoredValue) {
    switch value {
    case .boolean: self = .boolean
    case .integer, .wideInteger, .float, .double: self = .number
    case .string: self = .string
    case .date: self = .date
    case .data: self = .data
    case .array: self = .array
    case .dictionary: self = .dictionary
    case .reference: self = .note
    }
  }

  init(_ shape: GraphReader.Shape) {
    switch shape {
    case .null, .nullObject: self = .null
    case .scalar(let value, _): self.init(value)
    case .url: self = .url
    case .uuid: self = .uuid
    case .object: self = .object
    case .array: self = .array
    case .dictionary: self = .dictionary
    case .classRecord: self = .classRecord
    case .damaged: self = .damaged
    }
  }
}

extension GraphReader.Shape {
  /// The bytes of a value that is data.
  var data: Data? {
    if case .scalar(.data(let data), _) = self { data } else { nil }
  }
}
