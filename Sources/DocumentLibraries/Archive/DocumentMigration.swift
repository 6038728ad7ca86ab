// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A step from an older version of a model's archives to a newer one.
///
/// ```swift
/// static let version = 3
/// static let migrations = [
///   DocumentMigration(to: 2) { recipe in try recipe.renameValue(forKey: "name", to: "title") },
///   DocumentMigration(to: 3) { recipe in
///     let hours = try recipe.value(Double.self, forKey: "hours") ?? 0
///     try recipe.setValue(Int(hours * 60), forKey: "minutes")
///   },
/// ]
/// ```
///
/// When a document of an older version is read, the steps to later versions change a copy of its archive, in their order.
/// The model decodes the result, securely as always. The file is written by the next
/// save, or by ``DocumentLibrary/migrate(_:dryRun:keepOld:report:)``. A version that changed nothing in older
/// archives needs no step, for example one that added an optional property.
public struct DocumentMigration: Sendable {
  /// The version that the step leads to.
  public let version: Int
  let change: @Sendable (inout ArchivedFields) throws -> Void

  /// Creates a step.
  /// - Parameters:
  ///   - version: The version that the step leads to, from the one before it.
  ///   - change: Changes the values of the document's object. It must do the same each time, because an old document is
  ///     migrated whenever it is read. An error that it throws is reported, and the document is untouched.
  public init(to version: Int, _ change: @escaping @Sendable (inout ArchivedFields) throws -> Void) {
    self.version = version
    self.change = change
  }
}
