// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

extension ArchiveFixtures {
  /// Checks that damaged copies of a fixture are refused with an error.
  ///
  /// The copies are:
  /// - the beginnings of the file, of each length if the file has at most 2,048 bytes;
  /// - for each class, a copy with an unknown class in its place;
  /// - for each key of each class, a copy without it, one with nil, and copies with values of other kinds. Keys of
  ///   Foundation's classes, which begin with `NS.`, and keys that decoding does not read are not changed;
  /// - for each key with an array, a set or a dictionary, copies whose first element is nil, of another kind, or of an
  ///   unknown class;
  /// - for each key with a dictionary, a copy with fewer values than keys.
  ///
  /// Decoding a copy must throw an error. A copy may decode if an optional key is absent or nil in it, or if it is
  /// tolerated. A value that is decoded nevertheless is archived again, which must not trap.
  ///
  /// A trap ends the process of the test, and no library can catch it. Before each attempt, the damage and the damaged copy
  /// are therefore written to files, whose folder is printed on standard error. If the process ends, they show the cause;
  /// otherwise they are removed. With ``checkDamagedCopiesAndExit(of:optionalKeys:tolerating:)``, a trap ends only the process
  /// of an exit test.
  /// - Parameters:
  ///   - name: The name of the fixture, without its extension.
  ///   - optionalKeys: The keys that may be absent or nil. Each must be optional indeed. `Title` suffices if only one class of
  ///     the fixture has this key; otherwise, each key is named with its class, `Zoo.Creature.Title`, or with `$top`.
  ///   - tolerating: Other damage that need not be noticed, as a failure prints it. Each must occur.
  ///   - fileID: The file of the test.
  ///   - function: The function of the test.
  /// - Throws: ``FixtureFailure`` with the copies that were decoded, or with the reason if they could not be examined.
  public func checkDamagedCopies(
    of name: String, optionalKeys: Set<String> = [], tolerating: Set<String> = [], fileID: String = #fileID,
    function: String = #function
  ) throws {
    do {
      try examineDamagedCopies(of: name, optionalKeys: optionalKeys, tolerating: tolerating)
    } catch let failure as FixtureFailure {
      throw failure
    } catch {
      throw FixtureFailure(problems: [
        .init(
          kind: .unreadable, fixture: fileName(name),
          detail: "the damaged copies could not be made or decoded: \(error)")
      ])
    }
  }

  private func examineDamagedCopies(of name: String, optionalKeys: Set<String>, tolerating: Set<String>) throws {
    var problems: [FixtureFailure.Problem] = []
    func add(_ kind: FixtureFailure.Problem.Kind, _ detail: String) {
      problems.append(FixtureFailure.Problem(kind: kind, fixture: fileName(name), detail: detail))
    }
    let check = try damageCheck(of: name)
    let optional = try OptionalKeys(optionalKeys, in: check.copies.keys())
    var unusedKeys = optional.all
    var unusedDamage = Set(tolerating.exact)
    var accepted: [String] = []
    try check.run { copy in
      if let key = copy.absentKey.flatMap({ optional.name(of: $0) }) {
        unusedKeys.remove(key)
      } else if tolerating.exact.contains(BytewiseString(copy.description)) {
        unusedDamage.remove(BytewiseString(copy.description))
      } else {
        accepted.append(copy.description)
      }
    }
    if !optional.ambiguous.isEmpty {
      add(
        .ambiguousKey,
        """
        several classes have a key of optionalKeys, so it could hide damage. Name each optional one with its class:
        \(FixtureText.indented(optional.ambiguous))
        """)
    }
    if !accepted.isEmpty {
      add(
        .acceptedDamage,
        """
        damaged copies were decoded without an error:
        \(FixtureText.indented(accepted))
        Refuse them in the initializer. If keys are optional, pass optionalKeys; if other damage is harmless, pass tolerating
        """)
    }
    let unused = (Array(unusedKeys).sorted() + Array(unusedDamage).sorted()).map(\.text)
    if !unused.isEmpty {
      add(
        .unusedException,
        "these exceptions do not occur; remove them from optionalKeys or tolerating:\n\(FixtureText.indented(unused))")
    }
    if !problems.isEmpty { throw FixtureFailure(problems: problems) }
  }

  /// Reads and decodes the fixture, without which damage would prove nothing.
  private func damageCheck(of name: String) throws -> DamageCheck<Value> {
    func failure(_ kind: FixtureFailure.Problem.Kind, _ detail: String) -> FixtureFailure {
      FixtureFailure(problems: [.init(kind: kind, fixture: fileName(name), detail: detail)])
    }
    guard FileManager.default.fileExists(atPath: url(name).path) else {
      throw failure(
        .missing,
        "no such file in \(folder.path). To make it, run a test that has its value with \(Recording.variable)=1: "
          + "one that calls checkVersions(current:value:) or check(_:archiving:)")
    }
    let fixture: Data
    do {
      fixture = try Data(contentsOf: url(name))
    } catch {
      throw failure(.unreadable, "\(error)")
    }
    do {
      let (value, report) = try coding.decode(fixture)
      let archive = try KeyedArchive(fixture, limits: limits, archivers: archivers)
      return DamageCheck(
        coding: coding,
        copies: DamagedCopies(
          of: fixture, archive, without: report.unreadKeys, maximumBeginningCount: maximumBeginningCount),
        archivedAgain: try coding.encode(value), attempt: Attempt(in: attemptsFolder, fileName(name)))
    } catch {
      throw failure(.undecodable, "could not be decoded as \(Value.self) and archived, even undamaged: \(error)")
    }
  }
}

/// The keys that may be absent, as a caller names them.
private struct OptionalKeys {
  let all: Set<BytewiseString>
  /// The keys of several classes that are named without a class, with their classes.
  private(set) var ambiguous: [String] = []

  init(_ names: Set<String>, in keys: [AbsentKey]) {
    all = Set(names.exact)
    let owned = Dictionary(grouping: keys) { BytewiseString($0.key) }
    for name in all.sorted() {
      if let keys = owned[name], keys.count > 1 { ambiguous += keys.map(\.qualified).sorted { $0 < $1 } }
    }
  }

  /// Returns the name that allows a key to be absent, with or without its class; nil if it may not be.
  func name(of key: AbsentKey) -> BytewiseString? {
    [BytewiseString(key.qualified), BytewiseString(key.key)].first { all.contains($0) }
  }
}

/// One check of a fixture's damaged copies.
private struct DamageCheck<Value> {
  let coding: ArchiveCoding<Value>
  let copies: DamagedCopies
  /// The archive of what the undamaged fixture decodes to.
  let archivedAgain: Data
  let attempt: Attempt

  /// Decodes each copy, and calls a function with those that decode.
  func run(_ didDecode: (DamagedCopy) -> Void) throws {
    try attempt.begin()
    // Not after a trap, so that the files show its cause.
    defer { attempt.end() }
    try copies.forEach { copy in
      try attempt.note(copy)
      let value: Value
      do {
        value = try coding.decode(copy.data).value
      } catch {
        return
      }
      let again = try? coding.encode(value)
      // Without the last line end, an archive in XML is complete.
      if copy.isBeginning, again == archivedAgain { return }
      didDecode(copy)
    }
  }
}

/// The files that tell which damaged copy is being decoded.
private struct Attempt {
  private let folder: URL
  private let name: String
  private var damage: URL { folder.appending(path: "damage.txt") }

  init(in folder: URL, _ name: String) {
    // Several tests may run at the same time, in this process and in others.
    self.folder = folder.appending(path: UUID().uuidString)
    self.name = name
  }

  func begin() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    StandardError.write("\(FixtureFailure.beginning)\(name); if the process ends, \(damage.path) says why")
  }

  func note(_ copy: DamagedCopy) throws {
    try write(Data((copy.description + "\n").utf8), to: damage)
    try write(copy.data, to: folder.appending(path: "copy.plist"))
  }

  /// Writes a new file. File systems such as ext4 send a file to the disk that is emptied and written again.
  private func write(_ data: Data, to file: URL) throws {
    try? FileManager.default.removeItem(at: file)
    try data.write(to: file)
  }

  func end() { try? FileManager.default.removeItem(at: folder) }
}
