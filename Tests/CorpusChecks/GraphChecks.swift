// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveGenerators
import Foundation
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

extension CorpusCheck {
  /// Binary archives are valid, and each object can be read.
  package static let understood = CorpusCheck(
    "is valid, and every object of it is understood", counts: ["archives": 408...Int.max], sampleStep: 8
  ) { file, _, findings in
    guard file.name.hasSuffix(".bplist") else { return }
    let archive = try KeyedArchive(file.data())
    let errors = archive.check().filter { $0.severity == .error }
    findings.expect(errors.isEmpty, "\(file.name): \(errors.prefix(3))")
    for index in 0..<archive.objectCount { _ = try archive.object(ArchiveUID(rawValue: UInt32(index))) }
    findings.count()
  }

  /// The files that archiving again does not give the same bytes of, each with the reason.
  private static let notRebuilt = [
    "parabolala.bpylist2__circular_archive": "written by Python, which has other rules for what is one object",
    "parabolala.bpylist2__date_archive": "written by Python, which has other rules for what is one object",
    "GeneralPreferences.nib.keyedobjects.nib__758b7d9f": "which references were conditional cannot be told",
    "ListThemeSheet.nib.keyedobjects.nib__951c27ff": "which references were conditional cannot be told",
    "PersonalPreferences.nib.keyedobjects.nib__fb94b8f4": "class records with the keys of another hash table's order",
    "panda.scn__179a2404": "an object that nothing refers to is not in the graph",
  ]

  /// Decoding to objects as data and archiving again gives the same bytes.
  package static let rebuiltBytes = CorpusCheck(
    "has the same bytes when it is decoded to data and archived again",
    counts: ["current": 72...72, "legacy": 290...290],
    sampleStep: 8
  ) { file, _, findings in
    guard file.name.hasSuffix(".bplist") else { return }
    let data = try file.data()
    let generation = try Generation(PropertyList(data))
    guard generation != .older else { return }
    findings.count(generation == .current ? "current" : "legacy")
    let isOther = notRebuilt.keys.contains { file.name.contains($0) }
    findings.expect(try (rebuilt(data, layout: generation.layout) == data) != isOther, file.name)
  }

  /// Files of older programs, and XML files, give the same graph.
  package static let rebuiltGraph = CorpusCheck(
    "has the same graph when it is decoded to data and archived again, if it is of an older program or in XML",
    counts: ["archives": 80...80], sampleStep: 8
  ) { file, _, findings in
    let data = try file.data()
    guard try Generation(PropertyList(data)) == .older else { return }
    findings.count()
    let (archive, anew) = (try KeyedArchive(data), try KeyedArchive(rebuilt(data, layout: .appleLegacy)))
    findings.expect(Set(archive.topKeys) == Set(anew.topKeys), "\(file.name): \(anew.topKeys)")
    for key in archive.topKeys {
      var comparison = NodeComparison(ordered: true)
      let difference = comparison.difference(archive[key], anew[key])
      findings.expect(difference == nil, "\(file.name) \(key)\(difference ?? "")")
    }
  }
}
