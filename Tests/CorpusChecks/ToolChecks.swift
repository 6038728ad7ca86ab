// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

extension CorpusCheck {
  /// An archive is compared with itself, and with itself under other UIDs and other orders of keys.
  package static let equalToItself = CorpusCheck(
    "does not differ from itself, nor with other UIDs and keys in another order", counts: ["renumbered": 400...Int.max],
    sampleStep: 16, sampleBytes: 16_384
  ) { file, _, findings in
    let archive = try KeyedArchive(file.data(), archivers: .any)
    let same = try archive.differences(from: archive)
    findings.expect(same.isEmpty, "\(file.name): \(same.prefix(3))")
    guard archive.objectCount < 4000 else { return }
    var random = SeededRandom(seed: UInt64(file.index))
    let moved = try EditedArchive.renumbered(archive, &random)
    let found = try moved.differences(from: archive)
    findings.expect(found.isEmpty, "\(file.name), renumbered: \(found.prefix(3))")
    findings.count("renumbered")
  }

  /// An archive with one edit is compared with the original.
  package static func showsEdit(_ edit: EditedArchive.Edit) -> CorpusCheck {
    // A third of the files for each kind of edit.
    let turn = EditedArchive.Edit.allCases.firstIndex(of: edit) ?? 0
    return CorpusCheck(
      "differs in exactly the edit, whatever the UIDs: \(edit)", counts: ["edits": 61...Int.max], sampleStep: 8,
      sampleBytes: 16_384
    ) { file, _, findings in
      guard file.index % 3 == turn % 3 else { return }
      let original = try KeyedArchive(file.data(), archivers: .any)
      guard original.objectCount < 1500 else { return }
      var random = SeededRandom(seed: UInt64(file.index))
      guard let (archive, kind, key) = try EditedArchive(original).edited(edit, &random) else { return }
      let moved = try EditedArchive.renumbered(archive, &random)
      let found = try moved.differences(from: original)
      findings.expect(found.map(\.kind) == [kind], "\(file.name), \(key): \(found.prefix(5))")
      findings.expect(
        [.goneElement, .className].contains(edit) || found.allSatisfy { $0.path.contains(key) },
        "\(file.name): \(key), \(found)")
      findings.count("edits")
    }
  }

  /// A fifth of the archives are compared with another one.
  package static let differentFromOthers = CorpusCheck(
    "differs from an archive that has nothing to do with it, in less than 20 seconds",
    counts: ["archives": 88...Int.max],
    sampleStep: 25
  ) { file, folder, findings in
    guard file.index.isMultiple(of: 5) else { return }
    let archive = try KeyedArchive(file.data(), archivers: .any)
    let other = try KeyedArchive(folder.files[(file.index + 7) % folder.files.count].data(), archivers: .any)
    let time = try System.time { findings.expect(try !archive.differences(from: other).isEmpty, file.name) }
    findings.expect(time < .seconds(20), "\(file.name) took too long")
    findings.count()
  }

  /// The allow list that an audit suggests is enough, and each of its types is needed.
  package static let smallestList = CorpusCheck(
    "has top-level values that are decoded with the list of an audit, and not with a shorter one",
    counts: ["archives": 21...Int.max], sampleStep: 6, sampleBytes: 8192
  ) { file, _, findings in
    let data = try file.data()
    let archive = try KeyedArchive(data, archivers: .any)
    let (types, others) = try ArchiveAudit(of: archive).topTypes
    guard others.isEmpty, archive.topKeys == ["root"], !types.isEmpty, archive.archiverName == "NSKeyedArchiver"
    else { return }
    do {
      let decoded = try KeyedUnarchiver.unarchivedObject(ofClasses: types, from: data)
      findings.expect(decoded != nil, "\(file.name): nothing decoded")
    } catch let error as KeyedArchiveError {
      findings.expect(error.code != .classNotAllowed, "\(file.name): \(error), \(types)")
      return
    }
    for index in types.indices {
      var fewer = types
      fewer.remove(at: index)
      do {
        _ = try KeyedUnarchiver.unarchivedObject(ofClasses: fewer, from: data)
        findings.expect(false, "\(file.name) without \(types[index]): decoded")
      } catch let error as KeyedArchiveError {
        findings.expect(error.code == .classNotAllowed, "\(file.name) without \(types[index]): \(error)")
      }
    }
    findings.count()
  }

  /// A third of the archives are checked against the class names of an audit.
  package static let classNames = CorpusCheck(
    "has only classes that an audit names, and is valid if these are allowed", counts: ["archives": 50...Int.max],
    sampleStep: 18, sampleBytes: 16_384
  ) { file, _, findings in
    guard file.index.isMultiple(of: 3) else { return }
    let archive = try KeyedArchive(file.data(), archivers: .any)
    let audit = try ArchiveAudit(of: archive, followingNestedArchives: true)
    guard audit.nestedArchiveCount == 0 else { return }
    let unreferenced = archive.check().contains { $0.code == "unreferencedObject" }
    let names = Set(audit.classNames)
    findings.expect(
      names.subtracting(["NSString", "NSNumber", "NSData"]).isSubset(of: archive.classNames), "\(file.name): \(names)")
    findings.count()
    guard !unreferenced else { return }
    let issues = archive.check(allowing: names).filter { $0.severity != .note }
    findings.expect(issues.isEmpty, "\(file.name): \(issues.prefix(3))")
  }

  /// A quarter of the archives, and those in XML, are migrated by random rules.
  package static let migrated = CorpusCheck(
    "is migrated by random rules, and changes in nothing else", counts: ["archives": 41...Int.max], sampleStep: 20,
    sampleBytes: 16_384
  ) { file, _, findings in
    let archive = try KeyedArchive(file.data(), archivers: .any)
    guard file.index % 4 == 0 || archive.format == .xml, archive.objectCount < 600 else { return }
    var random = SeededRandom(seed: UInt64(file.index))
    do {
      try RandomMigration.check(archive, &random, file.name, &findings)
      findings.count()
    } catch let error as KeyedArchiveError where archive.format == .xml {
      findings.expect(error.detail.contains("4-byte"), "\(file.name): \(error)")
    }
  }
}
