// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivePages
import CommandLineTools
import KeyedArchives
import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

/// The outline of an archive with what is to be said of the archive as a whole.
struct ArchivePicture {
  /// The outline.
  let outline: Outline
  /// Whether rows were left out.
  let isCut: Bool
  /// What is wrong with the archive, or why not all of it is here.
  let failure: Failure?
  /// More findings are counted only.
  private static let mostRemarks = 20

  /// Looks at an archive, or at the part of it behind a path.
  init(
    of archive: KeyedArchive, named name: String, byteCount: Int, path: GraphPath?, mostRows: Int?
  ) throws(Failure) {
    var reader = GraphReader(archive)
    var starts: [(label: Outline.Label, value: KeyedArchive.StoredValue)] = []
    if let path {
      starts.append((.path(path.description), try path.resolve(in: &reader)))
    } else {
      do {
        starts += try archive.top.map { (.key(ValueText.name($0.key)), $0.value) }
      } catch {
        throw Failure(error)
      }
    }
    let findings = archive.check()
    var rows = OutlineReader(
      Self.outline(of: archive, name, byteCount), of: reader, mostRows: mostRows ?? OutlineReader.usualRows)
    for start in starts { rows.read(start.label, start.value) }
    if path == nil {
      rows.readUnreferenced(findings.filter { $0.code == "unreferencedObject" }.compactMap(\.uid))
    }
    var outline = rows.outline
    outline.remarks = Self.remarks(findings, path)
    if rows.isCut { outline.remarks.append("The page holds the first \(outline.rows.count) rows and no more.") }
    if let excess = rows.excess { outline.remarks.append("It is cut: " + excess.line + ".") }
    self.outline = outline
    isCut = rows.isCut
    var damage = rows.damage?.first
    if let count = rows.damage?.count, count > 1 { damage?.detail += " [the first of \(count) damaged values]" }
    failure = rows.excess ?? damage ?? findings.first { $0.severity == .error }.map { Failure($0) }
  }

  private static func outline(of archive: KeyedArchive, _ name: String, _ byteCount: Int) -> Outline {
    let title = name == "-" ? "standard input" : name.split(separator: "/").last.map(String.init) ?? name
    var outline = Outline(title: EscapedText.plain(title))
    // All classes first, in the order of the file, so that a colour does not depend on what is shown.
    var room = ExpansionBudget(byteCount: archive.propertyList.bytes.count, limits: .default)
    for index in 0..<UInt32(archive.objectCount) where !room.isExhausted {
      guard case .classRecord(let description)? = try? archive.object(ArchiveUID(rawValue: index), room: &room) else {
        continue
      }
      _ = outline.place(
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
    var remarks = errors.prefix(mostRemarks).map { EscapedText.plain("\($0)") }
    if errors.count > mostRemarks { remarks.append("… and \(errors.count - mostRemarks) findings more") }
    if let path { remarks.append("This is a part of the archive: what \(path) leads to.") }
    return remarks
  }
}

extension Failure {
  /// What a check found, as an error.
  fileprivate init(_ finding: KeyedArchive.Issue) {
    self.init(
      finding.code == "limitReached" ? .limitReached : .notAnArchive, finding.code, finding.detail,
      place: [finding.uid.map { "object \($0)" }, finding.byteOffset.map { "byte \($0)" }].compactMap(\.self),
      remedy: "'validate' lists all that is wrong with it")
  }
}
