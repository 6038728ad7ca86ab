// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveGenerators
import ArchivedClasses
import Foundation
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// An archive of the corpus with the UIDs of its objects of each class.
private struct OpenedArchive {
  let archive: KeyedArchive
  let layout: ArchiveLayout
  var objects: [String: [ArchiveUID]] = [:]

  private static let known = Set(AppleClass.all.map(\.name))
  /// Four files that a Python program wrote.
  private static let byOthers = ["dataclass", "nsmutabledata", "circular", "date"].map { "bpylist2__\($0)_archive" }

  /// Returns nil for archives that no program of Apple's wrote.
  init?(_ file: CorpusFile) throws {
    guard !Self.byOthers.contains(where: { file.name.contains($0) }) else { return nil }
    let data = try file.data()
    archive = try KeyedArchive(data)
    layout = try Generation(PropertyList(data)).layout
    var names: [ArchiveUID: String] = [:]
    for index in 1..<UInt32(archive.objectCount) {
      let uid = ArchiveUID(rawValue: index)
      switch try? archive.object(uid) {
      case .primitive: if let name = archive[uid].className { objects[name, default: []].append(uid) }
      case .instance(let classUID, _):
        if names[classUID] == nil { names[classUID] = (try? archive.classDescription(classUID).name) ?? "" }
        if let name = names[classUID], Self.known.contains(name) { objects[name, default: []].append(uid) }
      default: break
      }
    }
  }

  /// A decoder with objects under top-level keys of their own.
  func decoder(for uids: some Sequence<ArchiveUID>) throws -> KeyedUnarchiver {
    var probed = archive
    for uid in uids { try probed.setTopValue(.reference(uid), forKey: "probe \(uid.rawValue)") }
    return try KeyedUnarchiver(forReadingFrom: probed.data())
  }
}

extension CorpusCheck {
  /// Each object of a class that the library has a type for is decoded and archived without loss.
  package static let archivedAgain = CorpusCheck(
    "has objects that are decoded to values and archived from them with the same keys and values",
    counts: Dictionary(AppleClass.all.map { ($0.name, $0.count...Int.max) }) { a, _ in a },
    sampleStep: 3, sampleBytes: 4096
  ) { file, folder, findings in
    guard let opened = try OpenedArchive(file) else { return }
    let isOrdered = folder.orderedNames.contains(file.name)
    for row in AppleClass.all {
      guard let all = opened.objects[row.name] else { continue }
      findings.count(row.name, all.count)
      let uids = all.prefix(row.most)
      let unarchiver = try opened.decoder(for: uids)
      for uid in uids {
        do {
          let value = try row.decode(unarchiver, "probe \(uid.rawValue)")
          let archiver = KeyedArchiver(requiringSecureCoding: true, layout: opened.layout)
          archiver.encode(value, forKey: "root")
          let anew = try KeyedArchive(archiver.encodedData)
          var comparison = NodeComparison(ordered: isOrdered, ignoresForms: true)
          let difference = comparison.difference(opened.archive[uid], anew.root)
          findings.expect(difference == nil, "\(file.name) \(uid)\(difference ?? "")")
        } catch {
          findings.expect(false, "\(file.name) \(uid): \(error)")
        }
      }
    }
  }

  /// Keys that a type does not know, such as those of a newer system, are archived again.
  package static let unknownKeys = CorpusCheck(
    "has objects whose unknown keys are archived again with their values", sampleStep: 3, sampleBytes: 4096
  ) { file, _, findings in
    guard let opened = try OpenedArchive(file) else { return }
    for row in AppleClass.all where row.keepsUnknownKeys {
      guard let uid = opened.objects[row.name]?.first else { continue }
      var edited = opened.archive
      try edited.setTopValue(.reference(uid), forKey: "probe")
      try edited.addUnknownKeys(to: uid)
      do {
        let value = try row.decode(KeyedUnarchiver(forReadingFrom: edited.data()), "probe")
        let archiver = KeyedArchiver(requiringSecureCoding: true, layout: opened.layout)
        archiver.encode(value, forKey: "root")
        let anew = try KeyedArchive(archiver.encodedData)
        var comparison = NodeComparison(ordered: false, ignoresForms: true)
        let difference = comparison.difference(edited[uid], anew.root)
        findings.expect(difference == nil, "\(file.name) \(row.name) \(uid)\(difference ?? "")")
      } catch {
        findings.expect(false, "\(file.name) \(row.name) \(uid): \(error)")
      }
    }
  }

  /// A value of a kind that no archiver stores is an error that says where it is.
  package static let wrongKinds = CorpusCheck(
    "has objects that are refused, with the place, if one of their keys holds what no archiver stores", sampleStep: 6,
    sampleBytes: 4096
  ) { file, _, findings in
    guard let opened = try OpenedArchive(file) else { return }
    for row in AppleClass.all {
      guard let uid = opened.objects[row.name]?.first else { continue }
      for key in opened.archive[uid].keys where !key.hasSuffix(".1") {
        var damaged = opened.archive
        try damaged.setTopValue(.reference(uid), forKey: "probe")
        try damaged.setValue(.array([.integer(1)]), forKey: key, of: uid)
        let unarchiver = try KeyedUnarchiver(forReadingFrom: damaged.data())
        do {
          _ = try row.decode(unarchiver, "probe")
          findings.expect(false, "\(file.name) \(row.name).\(key): not refused")
        } catch let error as KeyedArchiveError {
          findings.expect([.typeMismatch, .malformedValue].contains(error.code), "\(file.name) \(key): \(error)")
          findings.expect(error.keyPath?.hasPrefix("probe") ?? false, "\(file.name) \(key): \(error)")
        }
      }
    }
  }

  /// Swift's types say the same as the types that keep everything.
  package static let swiftTypes = CorpusCheck(
    "has objects that Swift's types say the same of as the library's", sampleStep: 3, sampleBytes: 8192
  ) { file, _, findings in
    guard let opened = try OpenedArchive(file) else { return }
    func probe<Archived: KeyedCoding, Own: KeyedCoding>(
      _ name: String, _ type: Archived.Type, _ own: Own.Type, isSame: (Archived, Own) -> Bool
    ) throws {
      guard let uids = opened.objects[name] else { return }
      let unarchiver = try opened.decoder(for: uids)
      for uid in uids {
        let archived = try unarchiver.decode(type, forKey: "probe \(uid.rawValue)")
        let made = try unarchiver.decode(own, forKey: "probe \(uid.rawValue)")
        findings.expect(isSame(archived, made), "\(file.name) \(uid)")
      }
    }
    try probe("NSTimeZone", ArchivedTimeZone.self, TimeZone.self) { $0.name == $1.identifier }
    try probe("NSLocale", ArchivedLocale.self, Locale.self) { $0.identifier == $1.identifier }
    try probe("NSCalendar", ArchivedCalendar.self, Calendar.self) {
      $0.identifier == "gregorian" && $1.identifier == .gregorian && $0.firstWeekday == $1.firstWeekday
    }
    for name in ["NSAttributedString", "NSMutableAttributedString"] {
      try probe(name, ArchivedAttributedString.self, AttributedString.self) { $0.text == String($1.characters) }
    }
  }
}
