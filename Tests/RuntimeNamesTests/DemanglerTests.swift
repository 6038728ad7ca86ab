// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import RuntimeNames
import TestSupport
import Testing
import Zoo

@Suite("Runtime names, against the compiler's demangler", .enabled(if: Demangler.isPresent, "\(Demangler.isAbsent)"))
struct DemanglerTests {
  /// A name of the runtime in its mangled form; `Module.Type` is how the runtime shows `_TtC6Module4Type`.
  private static func mangled(_ name: String) -> String {
    guard !name.hasPrefix("_Tt") else { return name }
    return "_TtC" + name.split(separator: ".").map { "\($0.utf8.count)\($0)" }.joined()
  }

  private static func check(_ types: [AnyClass]) throws {
    let mangled = try types.map { try #require(_mangledTypeName($0)) }
    let expected = try Demangler.runtimeNames(mangled)
    try #require(expected.count == types.count)
    for index in types.indices {
      let name = RuntimeName.name(ofMangled: mangled[index]).map(Self.mangled)
      // Names have at most 65,536 bytes, and those that are read or shown at most 4096.
      let isLong = expected[index].map { $0.utf8.count > 1 << 16 } ?? false
      #expect(name == (isLong ? nil : expected[index]), "\(types[index])")
      guard let name else { continue }
      let reflected = String(reflecting: types[index])
        .replacingOccurrences(of: "FoundationEssentials.", with: "Foundation.")
      let isShown = max(name.utf8.count, reflected.utf8.count) <= 4096
      #expect(RuntimeName.swiftName(of: name) == (isShown ? reflected : nil), "\(name)")
    }
  }

  @Test("declared classes have the names that the compiler gives them")
  func declared() throws { try Self.check(Zoo.classes) }

  @Test("names are demangled as the compiler demangles them")
  func demangled() throws {
    // What the compiler mangles in a way that it does not demangle: compositions with a class, and types in extensions of
    // generic types.
    let names = Zoo.classes.compactMap { _mangledTypeName($0).flatMap { RuntimeName.name(ofMangled: $0) } }
      .map(Self.mangled).filter { !$0.contains("Xc") && !$0.contains("GCE") }
    let swiftNames = try Demangler.swiftNames(names)
    try #require(swiftNames.count == names.count)
    for (name, swiftName) in zip(names, swiftNames) {
      // It omits this attribute.
      let own = RuntimeName.swiftName(of: name)?.replacingOccurrences(of: "@Sendable ", with: "")
      #expect(own == swiftName, "\(name)")
    }
  }

  // Crash reports of Apple's systems show such names, as `_TtGCs23_ContiguousArrayStorageSi_$`.
  @Test("generic classes of the standard library have a dollar sign at the end")
  func standardLibrary() throws {
    let types: [AnyClass] = [
      ManagedBuffer<Int, String>.self, KeyPath<String, Int>.self, ManagedBuffer<Lion, [Int]>.self,
    ]
    let mangled = try types.map { try #require(_mangledTypeName($0)) }
    let expected = try Demangler.runtimeNames(mangled).map { try #require($0) + "$" }
    #expect(mangled.map { RuntimeName.name(ofMangled: $0) } == expected)
    #expect(expected.map { RuntimeName.swiftName(of: $0) } == types.map { String(reflecting: $0) })
  }

  @Test("what the runtime has no name for has none here")
  func unsupported() throws {
    for type: AnyClass in Zoo.unknownClasses.suffix(4) {
      #expect(RuntimeName.name(ofMangled: try #require(_mangledTypeName(type))) == nil, "\(type)")
    }
  }

  @Test(
    "private and local classes have the names of the compiler's symbols for them",
    .enabled(if: CompiledSymbols.arePresent, "\(CompiledSymbols.areAbsent)"))
  func symbols() throws {
    let classes = try CompiledSymbols.classes(in: "Animals.swift.o", of: "Zoo")
    let expected = Set(try Demangler.runtimeNames(classes).compactMap(\.self))
    for type: AnyClass in Zoo.unknownClasses.prefix(4) {
      let mangled = try #require(_mangledTypeName(type))
      let name = try #require(RuntimeName.name(ofMangled: mangled, fileID: Zoo.fileID))
      #expect(expected.contains(name), "\(name)")
      #expect(RuntimeName.name(ofMangled: mangled, fileID: "Zoo/Other.swift") != name)
      #expect(RuntimeName.name(ofMangled: mangled, fileID: "Farm/Animals.swift") == nil)
      #expect(RuntimeName.name(ofMangled: mangled) == nil)
    }
    // Names of local classes are not known here, but read.
    let local = expected.filter { $0.hasSuffix("_3Fly") || $0.hasSuffix("_5Mouse") }
    #expect(Set(local.map { RuntimeName.swiftName(of: $0) }) == ["Zoo.Fly", "Zoo.Cage.Mouse"])
  }

  @Test(
    "random types have the names that the compiler gives them, and the same names in Swift",
    arguments: 0..<8 as Range<UInt64>)
  func random(_ seed: UInt64) throws {
    var types = RandomTypes(seed: seed)
    try Self.check((0..<Sample.count(60, of: 1000)).map { _ in types.next() })
  }

  @Test("a class that is generic in itself twice, at many levels, has no name, because each level doubles it")
  func doubling() throws {
    func twice<T>(_: T.Type) -> Any.Type { Two<T, T>.self }
    var type: Any.Type = Nested.self
    for level in 1...17 {
      type = twice(type)
      let name = RuntimeName.name(ofMangled: try #require(_mangledTypeName(type)))
      // Each class takes at least a byte, and at most 16.
      if level <= 12 { #expect(try #require(name).utf8.count > 1 << level) }
      if level == 17 { #expect(name == nil) }
    }
  }
}
