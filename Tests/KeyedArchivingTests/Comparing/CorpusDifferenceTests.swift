// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

@Suite(
  "Real archives: none differs from itself, and an edited one in exactly the edit",
  .enabled(if: Corpus.isPresent, "\(Locations.sharedIsAbsent)"))
struct CorpusDifferenceTests {
  @Test("no difference from itself, also with other numbers and keys in another order", .notHanging)
  func itself() throws {
    for (index, file) in Corpus.valid.enumerated() {
      let archive = try KeyedArchive(file.data(), archivers: .any)
      let same = try archive.differences(from: archive)
      #expect(same.isEmpty, "\(file.name): \(same.prefix(3))")
      guard archive.objectCount < 4000 else { continue }
      var random = SeededRandom(seed: UInt64(index))
      let moved = try EditedArchive.renumbered(archive, &random)
      let found = try moved.differences(from: archive)
      #expect(found.isEmpty, "\(file.name): \(found.prefix(3))")
    }
  }

  @Test("exactly the edit, whatever the numbers", .notHanging, arguments: EditedArchive.Edit.allCases)
  func edits(edit: EditedArchive.Edit) throws {
    var count = 0
    // A third of the files for each kind of edit.
    let turn = EditedArchive.Edit.allCases.firstIndex(of: edit) ?? 0
    for (index, file) in Corpus.valid.enumerated() where index % 3 == turn % 3 {
      let original = try KeyedArchive(file.data(), archivers: .any)
      guard original.objectCount < 1500 else { continue }
      var random = SeededRandom(seed: UInt64(index))
      let edited = try EditedArchive(original)
      guard let (archive, kind, key) = try edited.edited(edit, &random) else { continue }
      let moved = try EditedArchive.renumbered(archive, &random)
      let found = try moved.differences(from: original)
      #expect(found.map(\.kind) == [kind], "\(file.name), seed \(index), \(key): \(found.prefix(5))")
      #expect(
        [.goneElement, .className].contains(edit) || found.allSatisfy { $0.path.contains(key) },
        "\(file.name): \(key), \(found)")
      count += 1
    }
    #expect(count > 60, "\(edit)")
  }

  @Test(
    "archives that have nothing to do with each other differ, in a time that does not matter", .notHanging)
  func strangers() throws {
    let files = Corpus.valid
    for (index, file) in files.enumerated().filter({ $0.offset % 5 == 0 }) {
      let archive = try KeyedArchive(file.data(), archivers: .any)
      let other = try KeyedArchive(files[(index + 7) % files.count].data(), archivers: .any)
      let start = ContinuousClock.now
      #expect(try !archive.differences(from: other).isEmpty, "\(file.name)")
      #expect(ContinuousClock.now - start < .seconds(20), "\(file.name)")
    }
  }

  @Test("invalid archives are refused, or are compared if what is wrong does not matter", arguments: Corpus.invalid)
  func invalid(file: TestFile) throws {
    let sound = try KeyedArchive(Data(contentsOf: Locations.fixtures.appending(path: "apple/NSURL.plist")))
    guard let archive = try? KeyedArchive(file.data(), archivers: .any) else { return }
    do {
      #expect(try !archive.differences(from: sound).isEmpty)
    } catch {
      #expect(error.code != .limitReached)
    }
  }
}
