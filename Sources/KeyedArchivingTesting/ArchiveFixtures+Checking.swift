// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchiveTools
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

extension ArchiveFixtures {
  /// Checks one fixture, and returns what it decodes to.
  ///
  /// The check passes if the fixture decodes and decoding reads each key. The value must be what the fixture's text
  /// says, and archiving it again must yield the same contents.
  ///
  /// If the environment has `RECORD_ARCHIVES=1`, a missing or changed text is written. A check that writes a file fails and
  /// says so. Review the change as you review code, and run the test again.
  /// - Parameters:
  ///   - name: The name of the fixture, without its extension. It can be a path in the folder.
  ///   - fidelity: How exactly the value must come back.
  ///   - fileID: The file of the test.
  ///   - function: The function of the test.
  /// - Returns: The decoded value.
  /// - Throws: ``FixtureFailure`` with all problems.
  @discardableResult
  public func check(
    _ name: String, fidelity: ArchiveFidelity = .sameContents, fileID: String = #fileID, function: String = #function
  ) throws -> Value {
    var examination = try Examination(self, CallSite(fileID: fileID, function: function))
    let value = examination.examine(name, fidelity)
    return try examination.result(value)
  }

  /// Checks one fixture, and that today's code archives a value as this fixture.
  ///
  /// In addition to the checks of ``check(_:fidelity:fileID:function:)``, the archive of the value must have the contents
  /// of the fixture, or its bytes for ``ArchiveFidelity/sameBytes``. For ``ArchiveFidelity/listedDifferences``, the value
  /// is only used to record.
  ///
  /// If the environment has `RECORD_ARCHIVES=1`, a missing fixture is made from the value, and the check fails and says so.
  /// A fixture that exists is never overwritten.
  /// - Parameters:
  ///   - name: The name of the fixture, without its extension. It can be a path in the folder.
  ///   - value: The value.
  ///   - fidelity: How exactly the value must come back.
  ///   - fileID: The file of the test.
  ///   - function: The function of the test.
  /// - Returns: The decoded value.
  /// - Throws: ``FixtureFailure`` with all problems.
  @discardableResult
  public func check(
    _ name: String, archiving value: @autoclosure () throws -> Value, fidelity: ArchiveFidelity = .sameContents,
    fileID: String = #fileID, function: String = #function
  ) throws -> Value {
    var examination = try Examination(self, CallSite(fileID: fileID, function: function))
    let decoded = examination.examine(name, fidelity, sample: try value())
    return try examination.result(decoded)
  }

  /// Checks all fixtures of the folder, one or more for each version that ever wrote files.
  ///
  /// Each fixture must decode with today's code. The fixture of the current version is checked as
  /// ``check(_:archiving:fidelity:fileID:function:)`` does. The others are archives of former versions. Keys that decoding no
  /// longer reads, and differences after archiving again, must be exactly those in the fixture's text
  /// (``ArchiveFidelity/listedDifferences``).
  ///
  /// The folder may have subfolders, and may itself be a symbolic link. Anything else in it fails the check, because it would
  /// not be examined: other files, such as `2.PLIST`, and symbolic links. Names that begin with a dot are ignored.
  ///
  /// Introduce a new version when the layout of archives changes: pass its name, and record its fixture. The fixture of the
  /// version before stays as it is.
  /// - Parameters:
  ///   - current: The name of the fixture of the current version, without its extension.
  ///   - value: The value that the current fixture has.
  ///   - fidelity: How exactly the value of the current version must come back.
  ///   - fileID: The file of the test.
  ///   - function: The function of the test.
  /// - Throws: ``FixtureFailure`` with all problems of all fixtures.
  public func checkVersions(
    current: String, value: @autoclosure () throws -> Value, fidelity: ArchiveFidelity = .sameContents,
    fileID: String = #fileID, function: String = #function
  ) throws {
    var examination = try Examination(self, CallSite(fileID: fileID, function: function))
    _ = examination.examine(current, fidelity, sample: try value())
    let listing = FixtureListing(folder, fileExtension: fileExtension)
    listing.problems.forEach { examination.add($0) }
    for name in listing.fixtures where name != current { _ = examination.examine(name, .listedDifferences) }
    for text in listing.texts where text != current && !listing.fixtures.contains(where: { $0 == text }) {
      examination.add(
        .abandonedText, text,
        "the text \(text).txt has no fixture \(fileName(text)). Restore the fixture; only then are its archives tested")
    }
    try examination.result(())
  }

  /// The name of a fixture's file.
  func fileName(_ name: String) -> String { fileExtension.isEmpty ? name : "\(name).\(fileExtension)" }

  func url(_ name: String) -> URL { folder.appending(path: fileName(name)) }
}

/// The examination of the fixtures of one call.
private struct Examination<Value> {
  let fixtures: ArchiveFixtures<Value>
  let callSite: CallSite
  private var problems: [FixtureFailure.Problem] = []

  init(_ fixtures: ArchiveFixtures<Value>, _ callSite: CallSite) throws {
    self.fixtures = fixtures
    self.callSite = callSite
    try fixtures.recording.check(fixtures.folder)
    guard fixtures.fileExtension != "txt" else {
      throw FixtureFailure(problems: [
        FixtureFailure.Problem(
          kind: .unexpectedFile, fixture: fixtures.folder.lastPathComponent,
          detail: "fixtures cannot have the extension txt, which their texts have. Set another fileExtension")
      ])
    }
  }

  mutating func add(_ problem: FixtureFailure.Problem) { problems.append(problem) }

  mutating func add(_ kind: FixtureFailure.Problem.Kind, _ name: String, _ detail: String) {
    add(FixtureFailure.Problem(kind: kind, fixture: fixtures.fileName(name), detail: detail))
  }

  /// Returns a result, or throws the problems.
  func result<Result>(_ result: Result?) throws -> Result {
    guard problems.isEmpty, let result else { throw FixtureFailure(problems: problems) }
    return result
  }

  private func open(_ data: Data) throws -> KeyedArchive {
    try KeyedArchive(data, limits: fixtures.limits, archivers: fixtures.archivers)
  }

  /// Examines a fixture, and returns its value if it decodes.
  mutating func examine(_ name: String, _ fidelity: ArchiveFidelity, sample: Value? = nil) -> Value? {
    let fixture: Data
    do {
      guard let found = try data(name, sample) else { return nil }
      fixture = found
    } catch {
      add(.unreadable, name, "\(error)")
      return nil
    }
    if let sample, fidelity != .listedDifferences { compare(fixture, with: sample, name, fidelity) }
    let decoded: (value: Value, report: KeyReport)
    do {
      decoded = try fixtures.coding.decode(fixture)
    } catch {
      add(.undecodable, name, "could not be decoded as \(Value.self): \(error)")
      return nil
    }
    if fidelity != .listedDifferences, !decoded.report.unreadKeys.isEmpty { addUnread(decoded.report, name) }
    do {
      try examine(decoded.value, decoded.report, of: fixture, name, fidelity)
    } catch {
      add(.notArchivable, name, "the decoded value could not be archived and described: \(error)")
    }
    return decoded.value
  }

  /// Returns the content of a fixture, which is made if it is missing and can be recorded.
  private mutating func data(_ name: String, _ sample: Value?) throws -> Data? {
    let url = fixtures.url(name)
    if FileManager.default.fileExists(atPath: url.path) { return try Data(contentsOf: url) }
    guard let sample else {
      add(.missing, name, "no such file in \(fixtures.folder.path). Put an archive there that the program wrote")
      return nil
    }
    guard fixtures.recording.isOn else {
      add(.missing, name, "no such file in \(fixtures.folder.path). To make it, run: \(callSite.recordingCommand)")
      return nil
    }
    let data = try fixtures.coding.encode(sample)
    try record(data, fixtures.fileName(name))
    return data
  }

  /// Writes a file, and adds the problem that it is new. A check that writes must not pass, because the file is not reviewed yet.
  private mutating func record(_ data: Data, _ file: String, changes: [String] = []) throws {
    let url = fixtures.folder.appending(path: file)
    try fixtures.recording.write(data, to: url)
    let what = changes.isEmpty ? "recorded. " : "recorded, with these changes:\n\(FixtureText.indented(changes))\n"
    add(
      FixtureFailure.Problem(
        kind: .recorded, fixture: file,
        detail: "\(what)Review and commit \(url.path), and run the test without \(Recording.variable)"))
  }

  /// Compares a fixture with the archive of a value.
  private mutating func compare(_ fixture: Data, with sample: Value, _ name: String, _ fidelity: ArchiveFidelity) {
    let remedy = """
      If programs in use wrote archives like this fixture, keep it, pass another name for the current version, and run: \
      \(callSite.recordingCommand)
      Otherwise delete the fixture, and run the same
      """
    do {
      let archived = try fixtures.coding.encode(sample)
      let differences = try FixtureText.differences(from: open(fixture), to: open(archived))
      if !differences.isEmpty {
        Attachments.add(archived, named: "today " + fixtures.fileName(name))
        add(
          .changedFormat, name,
          "today's code archives the value with other contents:\n\(FixtureText.indented(differences))\n\(remedy)")
      } else if fidelity == .sameBytes, archived != fixture {
        Attachments.add(archived, named: "today " + fixtures.fileName(name))
        add(
          .changedFormat, name,
          "today's code archives the value \(FixtureText.firstDifference(archived, fixture))\n\(remedy)")
      }
    } catch {
      add(.notArchivable, name, "today's value could not be archived and compared: \(error)")
    }
  }

  private mutating func addUnread(_ report: KeyReport, _ name: String) {
    var detail = "decoding did not read these keys:\n\(FixtureText.indented(FixtureText.lines(report.unreadKeys)))"
    if !report.absentKeys.isEmpty {
      detail += "\nIt requested these, which are absent:\n\(FixtureText.indented(FixtureText.lines(report.absentKeys)))"
    }
    add(.unreadKeys, name, detail + "\nRead them, or check with fidelity: .listedDifferences")
  }

  /// Archives a decoded value again, and compares it with the fixture and with the text.
  private mutating func examine(
    _ value: Value, _ report: KeyReport, of fixture: Data, _ name: String, _ fidelity: ArchiveFidelity
  ) throws {
    let archived = try fixtures.coding.encode(value)
    let archive = try open(archived)
    let differences = try FixtureText.differences(from: open(fixture), to: archive)
    if fidelity != .listedDifferences, !differences.isEmpty {
      Attachments.add(archived, named: "again " + fixtures.fileName(name))
      add(
        .differences, name,
        """
        archived again, the decoded value has other contents:
        \(FixtureText.indented(differences))
        Keep the contents, or check with fidelity: .listedDifferences
        """)
    } else if fidelity == .sameBytes, archived != fixture {
      Attachments.add(archived, named: "again " + fixtures.fileName(name))
      add(.bytes, name, "the decoded value is archived \(FixtureText.firstDifference(archived, fixture))")
    }
    var text = FixtureText(try fixtures.describe?(value) ?? FixtureText.tree(of: archive))
    if fidelity == .listedDifferences {
      text.add("Not read:", FixtureText.lines(report.unreadKeys))
      text.add("Differences when archived again:", differences)
    }
    compare(text, name)
  }

  /// Compares a text with the fixture's file of text, which is written if this is a recording.
  private mutating func compare(_ text: FixtureText, _ name: String) {
    let url = fixtures.folder.appending(path: name + ".txt")
    do {
      let expected =
        try FileManager.default.fileExists(atPath: url.path)
        ? FixtureText(String(decoding: Data(contentsOf: url), as: UTF8.self)) : nil
      if let expected, expected.lines.elementsEqual(text.lines, by: { $0 == $1 }) { return }
      let file = name + ".txt"
      guard !fixtures.recording.isOn else {
        let changes = expected.map { text.changes(from: $0) } ?? []
        return try record(Data(text.content.utf8), file, changes: changes)
      }
      guard let expected else {
        add(.noText, name, "no text \(file). To make it, run: \(callSite.recordingCommand)")
        return
      }
      Attachments.add(Data(text.content.utf8), named: name + ".txt")
      add(
        .text, name,
        """
        the decoded value differs from \(file):
        \(FixtureText.indented(text.changes(from: expected)))
        If the change is intended, run: \(callSite.recordingCommand)
        """)
    } catch {
      add(.unreadable, name, "the text \(name).txt: \(error)")
    }
  }
}

extension Recording {
  /// Throws an error if recording is on in continuous integration.
  func check(_ folder: URL) throws {
    guard isRefused else { return }
    throw FixtureFailure(problems: [
      FixtureFailure.Problem(
        kind: .refusedRecording, fixture: folder.lastPathComponent,
        detail: "\(Self.variable) is set, but so is CI. Record on your machine, review the files, and commit them")
    ])
  }
}
