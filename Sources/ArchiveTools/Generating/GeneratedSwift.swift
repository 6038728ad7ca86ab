// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// Swift source that decodes archives: a type for each of their classes, made of all objects that were seen.
///
/// ```swift
/// var audit = ArchiveAudit()
/// for file in files { audit.merge(try ArchiveAudit(of: KeyedArchive(contentsOf: file))) }
/// print(GeneratedSwift(audit).types)
/// ```
///
/// - A class is a final class that adopts `SecureKeyedCoding`, with a property for each key. Properties that some objects
///   lack, or that are nil in some, are optional; that another archive of the same classes has a key that these have not, no
///   source can know.
/// - What is of one kind down to the last element has that type, such as `[String: Date]`. Where there are several kinds,
///   objects come out by the least list that allows them.
/// - References that may run in circles are handed over when their objects are complete; such properties are optional,
///   or empty until then.
/// - Classes of Foundation and the kits are the types of this package that stand for them. A class whose objects hold
///   arrays that are no objects, as only collections do, comes out as `ArchivedObject`.
/// - Archived again, everything holds the same. Numbers stored now inside of objects and now by themselves are stored in the
///   form that most of them had; collections that could change are those that cannot, and equal values are not shared.
///
/// An archive may be hostile, and source is obeyed: whatever its names are, in source they are identifiers, literals without
/// special characters, and comments to the end of a line.
public struct GeneratedSwift: Sendable {
  /// What the type for the top of an archive is called.
  public static let contentsName = "ArchiveContents"

  /// The source: the type for what is on top, and one for each class.
  public let types: String

  private let namespace: String?

  /// Makes source for archives.
  /// - Parameters:
  ///   - audit: what is in the archives.
  ///   - namespace: the name of an enum to put the types in; nil for none.
  ///   - origin: what to say that the source was made of, such as the names of the files.
  public init(_ audit: ArchiveAudit, namespace: String? = nil, origin: String = "") {
    self.namespace = namespace
    var types = ClassTypes(audit, reserving: [Self.contentsName] + [namespace].compactMap(\.self))
    let circles = ClassCycles(audit)
    func properties(_ use: ArchiveAudit.ClassUse) -> (properties: [GeneratedProperty], left: [String]) {
      GeneratedProperty.all(use.keys, of: use.count, TypeInference(types: types)) {
        circles.isCircle(from: use.name, through: $0)
      }
    }
    // What is data now may be in properties of the others, so they are looked at again.
    types.takeForData(Set(types.made.filter { !properties($0).left.isEmpty }.map { BytewiseString($0.name) }))
    let made = types.made.map {
      GeneratedType(name: types.name(ofClass: $0.name), use: $0, properties: properties($0).properties)
    }
    var lines = [
      "// Made by keyedarchive generate\(origin.isEmpty ? "" : " from \(SwiftName.comment(origin))"), and yours to change."
    ]
    var body = GeneratedContents(audit, TypeInference(types: types)).source
    for type in made { body += [""] + type.source }
    body = body.flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }
    lines += [""] + SwiftImports.lines(for: body) + [""]
    if let namespace {
      lines.append("enum \(SwiftName.quotedIfNeeded(namespace)) {")
      lines += body.map { $0.isEmpty ? $0 : "  \($0)" }
      lines.append("}")
    } else {
      lines += body
    }
    self.types = lines.joined(separator: "\n") + "\n"
  }

  /// The source of a test: each file is decoded and archived again, and both archives hold the same.
  /// - Parameters:
  ///   - files: paths of the archives.
  ///   - module: the module that the types are in; nil if it is the test's own.
  /// - Returns: the source of a suite for Swift Testing.
  public func test(of files: [String], module: String? = nil) -> String {
    let contents = (namespace.map { SwiftName.quotedIfNeeded($0) + "." } ?? "") + Self.contentsName
    let importing = module.map { "\n@testable import \(SwiftName.quotedIfNeeded($0))\n" } ?? ""
    let list = files.map { "    \(SwiftName.literal($0)),\n" }.joined()
    return """
      // Made by keyedarchive generate, and yours to change.

      import ArchiveTools
      import Foundation
      import KeyedArchives
      import KeyedArchiving
      import Testing
      \(importing)
      @Suite("Archives are decoded, and lose nothing")
      struct \(Self.contentsName)Tests {
        static let files = [
      \(list)  ]

        @Test("all that is in an archive is in one that is made again", arguments: files)
        func comesBack(_ file: String) throws {
          let data = try Data(contentsOf: URL(filePath: file))
          let again = try \(contents)(unarchiving: data).archivedData()
          // Numbers stored in another form, values not shared, collections that cannot change, nil for nothing: no loss.
          let differences = try KeyedArchive(again).differences(
            from: KeyedArchive(data), ignoring: [.form, .sharing, .className])
          #expect(differences.allSatisfy { $0.old == nil && $0.new == .null })
        }
      }

      """
  }
}
