// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
import PropertyListFormat

/// The generated type for the top-level values, which decodes and creates archives.
struct GeneratedContents {
  private let audit: ArchiveAudit
  private let types: ClassTypes
  private let properties: [GeneratedProperty]
  /// The top-level keys that no method of the decoder decodes.
  private let omitted: [String]
  /// The number of top-level keys that are too long for the source.
  private let longKeyCount: Int

  init(_ audit: ArchiveAudit, _ places: TypeInference, _ texts: inout TextLimit) {
    self.audit = audit
    types = places.types
    let keys = audit.topKeys.filter { texts.admits([$0.key]) }
    longKeyCount = audit.topKeys.count - keys.count
    let all = GeneratedProperty.all(keys, of: audit.archiveCount, places) { _ in false }
    omitted = all.omitted
    properties = all.properties.map { property in
      var property = property
      // The generated initializer throws and is not failable, so other values must be optional.
      if !property.throwsErrors { property.type.isOptional = true }
      return property
    }
  }

  /// The names of the archivers.
  private var archivers: [String] { audit.archiverNames.isEmpty ? ["NSKeyedArchiver"] : audit.archiverNames }

  /// The declaration, line by line.
  var source: [String] {
    let count = audit.archiveCount == 1 ? "an archive" : "\(audit.archiveCount) archives"
    var lines = ["/// The contents of \(count): the top-level values, with all objects that they refer to."]
    lines.append("struct \(GeneratedSwift.contentsName) {")
    lines += omitted.map { "  \(GeneratedProperty.omission($0))" }
    if longKeyCount > 0 { lines.append("  // Omitted: \(CountText.text(longKeyCount, "value")) under long keys.") }
    for property in properties { lines += property.declaration.map { "  \($0)" } + [""] }
    if archivers.count > 1 {
      lines += ["  /// The name of the archiver that wrote the archive.", "  var archiverName: String", ""]
    }
    return lines + decoder + [""] + encoder + [""] + list + ["}"]
  }

  private var decoder: [String] {
    var lines = [
      "  /// Decodes an archive. Only the types requested here and in their initializers are instantiated.",
      "  init(unarchiving data: Data, archivers: AcceptedArchivers = \(accepted)) throws {",
      "    let coder = try KeyedUnarchiver(forReadingFrom: data, archivers: archivers)",
    ]
    if archivers.count > 1 {
      lines.append("    archiverName = try KeyedArchive(data, archivers: archivers).archiverName")
    }
    for property in properties { lines += property.decoding.map { "    \($0)" } }
    if properties.contains(where: { !$0.throwsErrors }) {
      lines.append("    if let error = coder.error { throw error }")
    }
    return lines + ["    coder.finishDecoding()", "  }"]
  }

  /// The archivers that the initializer accepts.
  private var accepted: String {
    let isKnown = archivers.allSatisfy { AcceptedArchivers.known.contains($0) }
    return isKnown ? ".known" : ".only([\(archivers.map(SwiftName.literal).joined(separator: ", "))])"
  }

  private var encoder: [String] {
    var lines = ["  /// Encodes an archive.", "  func archivedData() throws -> Data {"]
    lines.append("    let coder = KeyedArchiver(requiringSecureCoding: true)")
    if archivers.count > 1 {
      lines.append("    coder.archiverName = archiverName")
    } else if let name = archivers.first, !name.hasSameBytes(as: "NSKeyedArchiver") {
      lines.append("    coder.archiverName = \(SwiftName.literal(name))")
    }
    lines += properties.map { "    \($0.encoding)" }
    return lines + ["    return try coder.encodedData", "  }"]
  }

  private var list: [String] {
    let names = (types.list(ofClasses: Set(audit.classNames.exact)) ?? []).map { "\($0).self" }
    return [
      "  /// The types of all objects. Pass them to methods that take an allow list.",
      "  static var allowedClasses: [any KeyedCoding.Type] {",
    ] + SourceText.wrapped("[", names, "]", indent: 2, from: 100).map { "    \($0)" } + ["  }"]
  }
}
