// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import HarnessSupport
import SystemFiles
import ZipContainers

/// The costliest inputs found so far, and the processor time of the searches for them, in a folder.
///
/// `searches.json` has an object for each entry point, in the order of ``CostDoor/all``. A ZIP file for each has the inputs.
struct CostFindings {
  struct Search {
    var door: CostDoor
    /// The processor time of all searches, in seconds.
    var seconds: Int
    /// The costliest inputs first.
    var findings: [CostFinding]
  }

  let folder: String

  /// The file with the inputs of an entry point.
  private func archive(of door: CostDoor) -> URL {
    URL(filePath: "\(folder)/\(String(door.name.map { $0 == " " ? "-" : $0 })).zip")
  }

  private var ledger: URL { URL(filePath: "\(folder)/searches.json") }

  /// Reads the searches, with the inputs of one entry point or of none.
  func searches(withInputsOf wanted: CostDoor? = nil) throws -> [Search] {
    guard let data = try? Data(contentsOf: ledger) else { return [] }
    guard let entries = try JSONReader.read(data).array else { throw broken("found no array") }
    return try entries.compactMap { entry -> Search? in
      guard let name = entry["door"]?.string, let seconds = entry["seconds"]?.double,
        let inputs = entry["inputs"]?.array
      else { throw broken("an entry lacks 'door', 'seconds' or 'inputs'") }
      guard let door = CostDoor.all.first(where: { $0.name == name }) else { return nil }
      let isWanted = door.name == wanted?.name
      let zip = isWanted ? try ZipReader(Data(contentsOf: archive(of: door))) : nil
      let findings = try inputs.map { input -> CostFinding in
        guard let name = input["name"]?.string, let origin = input["origin"]?.string,
          let ratio = input["ratio"]?.double,
          let byteCount = input["bytes"]?.double
        else { throw broken("an input of '\(door.name)' lacks 'name', 'origin', 'ratio' or 'bytes'") }
        var data = Data()
        if let zip {
          guard let file = zip.entry(named: name) else { throw broken("\(archive(of: door).path) has no '\(name)'") }
          data = try zip.read(file)
        }
        return CostFinding(
          data: data, isText: !name.hasSuffix(".plist"), origin: origin,
          ratio: ratio, byteCount: Int(byteCount), instructions: input["instructions"]?.double)
      }
      return Search(door: door, seconds: Int(seconds), findings: findings)
    }
  }

  private func broken(_ reason: String) -> Breach { Breach("\(ledger.path) cannot be used: \(reason)") }

  /// Keeps the inputs of an entry point in place of the former ones.
  func save(_ search: Search) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var file = Data()
    var zip = ZipWriter { file += $0 }
    for (number, finding) in search.findings.enumerated() {
      try zip.addFile(Self.name(number, finding, search.door), finding.data, compression: .deflated)
    }
    try zip.finish()
    try file.write(to: archive(of: search.door), options: .atomic)
    try saveLedger(replacing: search)
  }

  /// Writes the ledger with one entry replaced.
  func saveLedger(replacing search: Search) throws {
    var searches = try searches().filter { $0.door.name != search.door.name } + [search]
    let places = CostDoor.all.enumerated().map { (name: $1.name, place: $0) }
    func place(_ search: Search) -> Int { places.first { $0.name == search.door.name }?.place ?? 0 }
    searches.sort { place($0) < place($1) }
    var json = JSONWriter(isPretty: true)
    json.beginArray()
    for search in searches {
      json.beginObject()
      json.field("door", search.door.name)
      json.field("seconds", search.seconds)
      json.key("inputs")
      json.beginArray()
      for (number, finding) in search.findings.enumerated() {
        json.beginObject()
        json.field("name", Self.name(number, finding, search.door))
        json.field("bytes", finding.byteCount)
        json.field("ratio", finding.ratio)
        if let instructions = finding.instructions { json.field("instructions", instructions) }
        json.field("origin", finding.origin)
        json.endObject()
      }
      json.endArray()
      json.endObject()
    }
    json.endArray()
    try Data(json.bytes + [0x0A]).write(to: ledger, options: .atomic)
  }

  private static func name(_ number: Int, _ finding: CostFinding, _ door: CostDoor) -> String {
    "\(number + 1).\(finding.isText ? door.form.textExtension ?? "txt" : "plist")"
  }

  /// The table of the page on untrusted input.
  func table() throws -> String {
    var lines = [
      "| entry point | worst ratio | by instructions | minutes searched | initial pattern |",
      "| --- | --- | --- | --- | --- |",
    ]
    for search in try searches() {
      guard let worst = search.findings.first else { continue }
      let counted = search.findings.compactMap(\.instructions).max().map { "\($0)" } ?? "not counted"
      let columns = [
        "`\(search.door.name)`", "\(worst.ratio)", counted, Self.minutes(search.seconds), "`\(worst.origin)`",
      ]
      lines.append("| \(columns.joined(separator: " | ")) |")
    }
    return lines.joined(separator: "\n")
  }

  /// Minutes with two decimal places.
  private static func minutes(_ seconds: Int) -> String {
    let hundredths = seconds * 100 / 60
    return "\(hundredths / 100).\(hundredths % 100 / 10)\(hundredths % 10)"
  }
}
