// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
import PropertyListFormat

/// The type that is made for the top of archives: what decodes one, and makes one.
struct GeneratedContents {
  private let audit: ArchiveAudit
  private let types: ClassTypes
  private let properties: [GeneratedProperty]
  /// The keys on top that no call decodes.
  private let left: [String]

  init(_ audit: ArchiveAudit, _ places: TypeInference) {
    self.audit = audit
    types = places.types
    let all = GeneratedProperty.all(audit.topKeys, of: audit.archiveCount, places) { _ in false }
    left = all.left
    properties = all.properties.map { property in
      var property = property
      // An initializer that throws has no way to be without them that needs no words.
      if !property.throwsErrors { property.type.isOptional = true }
      return property
    }
  }

  /// The declaration, line by line.
  var source: [String] {
    let count = audit.archiveCount == 1 ? "an archive" : "\(audit.archiveCount) archives"
    var lines = ["/// What is on top of \(count), with all that it leads to."]
    lines.append("struct \(GeneratedSwift.contentsName) {")
    for key in left {
      lines.append(
        "  // Nothing decodes \"\(SwiftName.comment(key))\", which is an array, dictionary or date and no object.")
    }
    for property in properties { lines += property.declaration.map { "  \($0)" } + [""] }
    return lines + decoder + [""] + encoder + [""] + list + ["}"]
  }

  private var decoder: [String] {
    var lines = [
      "  /// Decodes an archive: nothing comes out but the types that are asked for here and in their initializers.",
      "  init(unarchiving data: Data, archivers: AcceptedArchivers = .known) throws {",
      "    let coder = try KeyedUnarchiver(forReadingFrom: data, archivers: archivers)",
    ]
    for property in properties { lines += property.decoding.map { "    \($0)" } }
    if properties.contains(where: { !$0.throwsErrors }) {
      lines.append("    if let error = coder.error { throw error }")
    }
    return lines + ["    coder.finishDecoding()", "  }"]
  }

  private var encoder: [String] {
    var lines = ["  /// Makes an archive.", "  func archivedData() throws -> Data {"]
    lines.append("    let coder = KeyedArchiver(requiringSecureCoding: true)")
    lines += properties.map { "    \($0.encoding)" }
    return lines + ["    return try coder.encodedData", "  }"]
  }

  private var list: [String] {
    let names = types.list(ofClasses: Set(audit.classNames.exact)).map { "\($0).self" }
    return [
      "  /// All types of which there are objects: for calls that take a list of what is allowed.",
      "  static var allowedClasses: [any KeyedCoding.Type] {",
    ] + SourceText.wrapped("[", names, "]", indent: 2, from: 100).map { "    \($0)" } + ["  }"]
  }
}
