// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
package import HarnessSupport
package import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// Migrations by random rules.
package enum RandomMigration {
  /// Rules for the classes and keys that an archive has.
  private static func rules(for archive: KeyedArchive, _ random: inout SeededRandom) throws -> MigrationRules {
    var keys: [String: Set<String>] = [:]
    for index in 0..<UInt32(archive.objectCount) {
      guard case .instance(let classUID, let entries) = try archive.object(ArchiveUID(rawValue: index)) else {
        continue
      }
      keys[try archive.classDescription(classUID).name, default: []].formUnion(entries.map(\.key))
    }
    var rules: [MigrationRule] = []
    for name in keys.keys.sorted() where !name.hasPrefix("NS") || Int.random(in: 0..<4, using: &random) == 0 {
      let all = keys[name]?.filter { !$0.hasPrefix("NS.") }.sorted() ?? []
      let selector = ClassSelector([name])
      if Bool.random(using: &random) { rules.append(.storeNumbers(as: .objects, of: selector)) }
      if let key = all.randomElement(using: &random) {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: rules.append(.renameKey(key, to: "the new \(key)", of: selector))
        case 1: rules.append(.removeKey(key, of: selector))
        case 2: rules.append(.defaultValue(.float(0.1), forKey: "an added key", of: selector))
        default: break
        }
      }
      if Bool.random(using: &random) { rules.append(.renameClass(selector, to: "New.\(name)")) }
    }
    rules.append(.renameTopLevelKey("root", to: "the root"))
    return MigrationRules(rules)
  }

  /// Migrates an archive by random rules, and checks that the result is settled and that nothing else moved.
  package static func check(
    _ archive: KeyedArchive, _ random: inout SeededRandom, _ note: String, _ findings: inout CorpusFindings
  ) throws {
    let rules = try rules(for: archive, &random)
    let result = try archive.migrated(by: rules)
    let again = try KeyedArchive(result.archive.data(), archivers: .any)
    findings.expect(try again.migrated(by: rules).changes.isEmpty, "\(note): migrated twice")
    // What objects nothing was said of hold did not move.
    let touched = Set(result.changes.compactMap(\.uid))
    let kept = (0..<UInt32(archive.objectCount)).map { ArchiveUID(rawValue: $0) }.filter { !touched.contains($0) }
    let drops = result.changes.contains { $0.kind == .dropped }
    for uid in kept {
      let (before, after) = (try archive.object(uid), try again.object(uid))
      if drops, case .null = after { continue }
      // The text of data has only its length, so the objects are compared. An object with NaN is not equal to itself.
      let isSame = before == after || before != before && "\(before)" == "\(after)"
      findings.expect(isSame, "\(note), \(uid): \(before) became \(after)")
    }
  }
}
