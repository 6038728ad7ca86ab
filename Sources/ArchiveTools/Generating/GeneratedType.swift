// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
import PropertyListFormat

/// A generated type for a class.
struct GeneratedType {
  let name: String
  let use: ArchiveAudit.ClassUse
  let properties: [GeneratedProperty]
  /// The keys that no method of the decoder decodes.
  let omitted: [String]

  /// The declaration, line by line.
  var source: [String] {
    let position = use.paths.first.map { ", for example at `\(SwiftName.comment($0).replacing("`", with: "'"))`" } ?? ""
    let count = use.count == 1 ? "one object" : "\(use.count) objects"
    var lines = ["/// `\(SwiftName.comment(use.name).replacing("`", with: "'"))` in archives: \(count)\(position)."]
    lines.append("final class \(name): SecureKeyedCoding {")
    lines.append("  static var archiveClassName: String { \(SwiftName.literal(use.name)) }")
    if let chain = use.descriptions.first?.chain, chain != [use.name, "NSObject"], !chain.isEmpty {
      lines.append("  static var archiveClassChain: [String] {")
      lines += SourceText.wrapped("[", chain.map(SwiftName.literal), "]", indent: 2, from: 100).map { "    \($0)" }
      lines.append("  }")
    }
    lines += omitted.map { "  \(GeneratedProperty.omission($0))" }
    for property in properties { lines += [""] + property.declaration.map { "  \($0)" } }
    lines += [""] + initializer + [""] + decoder + [""] + encoder + ["}"]
    return lines
  }

  private var initializer: [String] {
    guard !properties.isEmpty else { return ["  init() {}"] }
    let parameters = SourceText.wrapped("  init(", properties.map(\.parameter), ") {", indent: 4)
    return parameters + properties.map { "    self.\($0.name) = \($0.name)" } + ["  }"]
  }

  private var decoder: [String] {
    let inOrder = properties.filter { !$0.isDeferred } + properties.filter(\.isDeferred)
    let mark = inOrder.contains(where: \.throwsErrors) ? " throws" : ""
    guard !inOrder.isEmpty else { return ["  init?(coder: KeyedUnarchiver) {}"] }
    return ["  init?(coder: KeyedUnarchiver)\(mark) {"]
      + inOrder.flatMap(\.decoding).map { "    \($0)" } + ["  }"]
  }

  private var encoder: [String] {
    guard !properties.isEmpty else { return ["  func encode(with coder: KeyedArchiver) {}"] }
    return ["  func encode(with coder: KeyedArchiver) {"] + properties.map { "    \($0.encoding)" } + ["  }"]
  }
}
