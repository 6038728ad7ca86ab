// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Names of classes in Apple's Objective-C runtime.
package enum RuntimeName {
  /// Returns the name of a class.
  /// - Parameters:
  ///   - mangledName: The class, as Swift's runtime mangles it.
  ///   - fileID: The value of `#fileID` in the file that declares the private types among those in the name, or nil.
  /// - Returns: The name. It is nil for types that are local or private to another file, and for those without a name in
  ///   Apple's runtime.
  package static func name(ofMangled mangledName: String, fileID: String? = nil) -> String? {
    do throws(UnsupportedName) {
      let file = fileID.map(SourceFile.init)
      var reader = try MangledTypeReader(mangledName) { file?.discriminator(inModule: $0) }
      let type = try reader.read()
      var writer = RuntimeNameWriter(reader.graph)
      return try writer.name(of: type)
    } catch {
      return nil
    }
  }

  /// Returns the name in Swift of a class that has a mangled name in the runtime, `Module.Outer.Type<Swift.Int>`.
  ///
  /// It is the text of `String(reflecting:)`, without what that adds for private and local types.
  /// - Parameter name: The name, which may come from a hostile file.
  /// - Returns: The text of at most 4096 bytes, or nil for another name.
  package static func swiftName(of name: String) -> String? {
    guard isMangled(name) else { return nil }
    do throws(UnsupportedName) {
      var reader = try RuntimeNameReader(name.utf8.prefix(NameBytes.limit + 1))
      let type = try reader.read()
      var printer = SwiftNamePrinter(reader.graph)
      return try printer.name(of: type)
    } catch {
      return nil
    }
  }

  /// Returns the cost of ``swiftName(of:)``, in the unit of a byte that is compared. Many class records can share the bytes of
  /// one name.
  /// - Parameter name: The name.
  /// - Returns: The cost; 0 for a name that is not mangled.
  package static func swiftNameCost(of name: String) -> Int64 {
    isMangled(name) ? 256 * Int64(min(name.utf8.count, NameBytes.limit)) : 0
  }

  /// Returns whether a name is mangled, and not `Module.Type` or the name of a class of Objective-C.
  package static func isMangled(_ name: String) -> Bool { name.utf8.starts(with: "_Tt".utf8) }
}

/// A file of source code, by its `#fileID`: the module, a slash, and the name of the file.
private struct SourceFile {
  let module: [UInt8]
  let name: [UInt8]

  init(fileID: String) {
    let parts = Array(fileID.utf8).split(separator: UInt8(ascii: "/"))
    module = Array(parts.first ?? [])
    name = Array(parts.last ?? [])
  }

  /// Returns the discriminator for private types of a module. A file cannot declare those of other modules.
  func discriminator(inModule name: [UInt8]) -> [UInt8]? {
    name == module ? FileDiscriminator.of(self.name, in: module) : nil
  }
}
