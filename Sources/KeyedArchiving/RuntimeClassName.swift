// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import RuntimeNames

/// The name of a class in Apple's Objective-C runtime, which `NSStringFromClass` returns there.
///
/// The name of a class that is not nested, not private and not generic is `Module.Type`. Other names are mangled and begin
/// with `_Tt`; <doc:ClassNames> lists their forms. Classes are archived by these names on every system.
///
/// ```swift
/// RuntimeClassName(of: Cave.Bat.self).name                   // "_TtCV9Creatures4Cave3Bat"
/// RuntimeClassName("_TtCV9Creatures4Cave3Bat").swiftName     // "Creatures.Cave.Bat"
/// ```
///
/// Only Apple's systems know the complete name of a class that is private to a file. Elsewhere, the class's default name
/// in archives is its name in Swift. A class that declares the name in its own file has the same name everywhere:
///
/// ```swift
/// private final class Draft: KeyedCoding {
///   static let archiveClassName = RuntimeClassName(of: Draft.self).name
/// }
/// ```
public struct RuntimeClassName: Sendable, CustomStringConvertible {
  /// The name in the runtime.
  public let name: String

  /// Creates a class name from its text.
  /// - Parameter name: The name, for example from an archive. It need not be valid.
  public init(_ name: String) { self.name = name }

  /// Creates the name of a class.
  ///
  /// If the name cannot be known, ``name`` is the name in Swift. That applies to classes in functions, except on Apple's
  /// systems, and to classes with private types from another file. The runtime has no name for generic classes with some
  /// arguments, such as parameter packs.
  /// - Parameters:
  ///   - type: The class.
  ///   - fileID: The file that declares the class, if that is private. Omit it in that file.
  public init(of type: AnyClass, fileID: String = #fileID) { self.init(of: type, fileID: Optional(fileID)) }

  init(of type: AnyClass, fileID: String?) {
    #if canImport(ObjectiveC)
      // The runtime names generic classes with private arguments by addresses, which begin with a dollar sign.
      let known = ObjectiveCRuntime.name(of: type)
      let name = known.utf8.dropLast().contains(UInt8(ascii: "$")) ? nil : known
    #else
      let name: String? = nil
    #endif
    self.name = name ?? TypeName.runtimeName(of: type, fileID: fileID) ?? TypeName.spelled(type)
  }

  /// The name in Swift, `Module.Outer.Type<Swift.Int>`.
  ///
  /// It is the text of `String(reflecting:)`, without what that adds for private and local types. It is ``name`` if
  /// that is not mangled, or if its demangling is not possible or is longer than 4096 bytes.
  public var swiftName: String { RuntimeName.swiftName(of: name) ?? name }

  /// The name in the runtime.
  public var description: String { name }
}
