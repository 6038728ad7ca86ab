// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import Foundation
public import KeyedArchiving

/// A class of Foundation's `NSSecureCoding` that `KeyedArchiver` and `KeyedUnarchiver` code without a change.
///
/// ```swift
/// final class Meal: NSObject, NSSecureCoding { … }
///
/// extension Meal: FoundationCoding {}
/// let data = try KeyedArchiver.archivedData(withRootObject: meal, requiringSecureCoding: true)
/// ```
///
/// The conformance needs no code, and subclasses inherit it. `encode(with:)` and `init(coder:)` get an `NSCoder` that
/// forwards to the archiver or unarchiver. <doc:NSCoderMethods> lists its methods.
///
/// The class and its subclasses are allowed wherever the class is requested, and no other class is instantiated.
/// ``archiveSubclass(named:)`` finds subclasses by their archived names. It does not find private, local and generic ones,
/// nor those with a declared `archiveClassName`. The class declares these:
///
/// ```swift
/// extension Shape: FoundationCoding {
///   class var archiveSubclasses: [any KeyedCoding.Type] { [Circle.self, Square.self] }
/// }
/// ```
///
/// The archiver's delegate is passed the object itself. For an object of Foundation it is passed the value that the
/// archive stores, such as an `ArchivedArray` for an `NSArray`.
///
/// On Apple's systems the conformance compiles, but coding fails: their `NSKeyedArchiver` codes the same classes, in the
/// same format.
public protocol FoundationCoding: NSObject, NSSecureCoding, SecureKeyedCoding, ArchiveReplacing, ArchiveClassResolving {
}

/// A class of Foundation's `NSCoding`, without secure coding, that `KeyedArchiver` and `KeyedUnarchiver` code.
///
/// It is coded as a ``FoundationCoding`` class is, but only by coders that do not require secure coding. Even then, only
/// the classes that a call names are instantiated. The untyped `decodeObject(forKey:)` returns only the types that
/// <doc:NSCoderMethods> lists.
public protocol InsecureFoundationCoding: NSObject, NSCoding, ArchiveReplacing, ArchiveClassResolving {}

extension FoundationCoding {
  /// Encodes the object with its own `encode(with:)` for an `NSCoder`.
  /// - Parameter coder: The archiver.
  /// - Throws: `KeyedArchiveError` on Apple's systems.
  public func encode(with coder: KeyedArchiver) throws { try FoundationBridge.encode(self, with: coder) }

  /// Creates an object with the class's own `init(coder:)` for an `NSCoder`.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` on Apple's systems.
  public init?(coder: KeyedUnarchiver) throws {
    #if canImport(Darwin)
      throw FoundationBridge.unavailable
    #else
      let bridge = BridgeDecoder(coder, for: Self.self)
      defer { bridge.finish() }
      self.init(coder: bridge as NSCoder)
    #endif
  }

  /// The archived names of the class and all its superclasses up to `NSObject`.
  public static var archiveClassChain: [String] { FoundationBridge.chain(of: Self.self) }

  /// Returns what the object's `replacementObject(for:)`, `classForKeyedArchiver` and `classForCoder` for Foundation's
  /// coders substitute for it.
  /// - Parameter coder: The archiver.
  /// - Returns: The replacement, which may be this object; nil archives nil.
  public func replacementObject(for coder: KeyedArchiver) -> (any KeyedCoding)? {
    FoundationBridge.replacement(of: self, for: coder)
  }
}

extension InsecureFoundationCoding {
  /// Encodes the object with its own `encode(with:)` for an `NSCoder`.
  /// - Parameter coder: The archiver.
  /// - Throws: `KeyedArchiveError` on Apple's systems.
  public func encode(with coder: KeyedArchiver) throws { try FoundationBridge.encode(self, with: coder) }

  /// Creates an object with the class's own `init(coder:)` for an `NSCoder`.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` on Apple's systems.
  public init?(coder: KeyedUnarchiver) throws {
    #if canImport(Darwin)
      throw FoundationBridge.unavailable
    #else
      let bridge = BridgeDecoder(coder, for: Self.self)
      defer { bridge.finish() }
      self.init(coder: bridge as NSCoder)
    #endif
  }

  /// The archived names of the class and all its superclasses up to `NSObject`.
  public static var archiveClassChain: [String] { FoundationBridge.chain(of: Self.self) }

  /// Returns what the object's `replacementObject(for:)`, `classForKeyedArchiver` and `classForCoder` for Foundation's
  /// coders substitute for it.
  /// - Parameter coder: The archiver.
  /// - Returns: The replacement, which may be this object; nil archives nil.
  public func replacementObject(for coder: KeyedArchiver) -> (any KeyedCoding)? {
    FoundationBridge.replacement(of: self, for: coder)
  }
}

/// The implementation of both protocols.
enum FoundationBridge {
  #if canImport(Darwin)
    static var unavailable: KeyedArchiveError {
      KeyedArchiveError(
        .notEncodable, "the bridge to NSCoder is for systems without Apple's Foundation",
        remedy: "Use NSKeyedArchiver and NSKeyedUnarchiver here; the files are the same")
    }
  #endif

  static func encode(_ object: any NSCoding & KeyedCoding, with archiver: KeyedArchiver) throws {
    #if canImport(Darwin)
      throw unavailable
    #else
      let bridge = BridgeEncoder(archiver, for: type(of: object))
      defer { bridge.finish() }
      object.encode(with: bridge as NSCoder)
    #endif
  }

  /// Returns the archived names of a class and of all its superclasses.
  static func chain(of type: AnyClass) -> [String] {
    var names = [FoundationClassName.of(type)]
    var current: AnyClass = type
    while let superclass = _getSuperclass(current) {
      names.append(FoundationClassName.of(superclass))
      current = superclass
    }
    return names
  }

  /// Returns the value to archive instead of an object.
  static func replacement(of object: any NSObject & KeyedCoding, for archiver: KeyedArchiver) -> (any KeyedCoding)? {
    #if canImport(Darwin)
      return object
    #else
      let bridge = BridgeEncoder(archiver, for: type(of: object))
      let replacement = object.replacementObject(for: bridge as NSCoder)
      // Before the object's other methods run, which could have kept the coder.
      bridge.finish()
      guard let answer = replacement else { return nil }
      // The cast of an existential to a class compares no contents, unlike `==`.
      if type(of: answer) is AnyClass, (answer as AnyObject) === object {
        return ObjectWithClass(object, in: archiver) ?? object
      }
      do {
        return try FoundationObjects.of(archiver).archivable(answer)
      } catch {
        archiver.failWithError(error)
        return nil
      }
    #endif
  }
}

enum FoundationClassName {
  /// Returns the archived name of a class: `Module.Class`, without the module for a class of Foundation.
  static func of(_ type: AnyClass) -> String {
    if let coding = type as? any KeyedCoding.Type { return coding.archiveClassName }
    let name = String(reflecting: type)
    return name.utf8.starts(with: "Foundation.".utf8) ? String(describing: type) : name
  }

  /// Returns whether an archived name is that of a class of Foundation, such as `NSNull`.
  static func isOfFoundation(_ name: String) -> Bool {
    name.utf8.starts(with: "NS".utf8) && !name.utf8.contains(UInt8(ascii: "."))
  }

  /// The remedy for an object of the class `NSObject` itself.
  static var remedyForRootClass: String { "No request decodes an object of NSObject itself, which has no contents" }

  /// Returns how Swift code of the program writes a class, by its archived name; nil if that is not known.
  static func inSwift(_ name: String) -> String? {
    let swiftName = RuntimeClassName(name).swiftName
    let isPlain = swiftName.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."): true
      default: false
      }
    }
    guard isPlain, swiftName.utf8.count <= 128 else { return nil }
    // Without the module.
    let parts = swiftName.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let names = parts.count > 1 ? parts.dropFirst() : parts[...]
    return names.contains { $0.isEmpty } ? nil : names.map { String(Substring($0)) }.joined(separator: ".")
  }
}

#if !canImport(Darwin)
  /// An object that is archived as another class than its own, or with substitutes for readers that lack its class.
  final class ObjectWithClass: SecureKeyedCoding, DynamicArchiveClass, ObjectWrapper {
    let archivedClass: ClassDescription
    private let object: any NSObject & KeyedCoding
    var wrappedObject: any KeyedCoding & AnyObject { object }

    /// Returns nil if the object is archived as its own class, without substitutes.
    init?(_ object: any NSObject & KeyedCoding, in archiver: KeyedArchiver) {
      let own: AnyClass = type(of: object)
      let fallbacks = type(of: object).classFallbacksForKeyedArchiver()
      let chosen: AnyClass = object.classForKeyedArchiver ?? object.classForCoder
      let coding = chosen as? any (KeyedCoding & NSObject).Type
      // A name set for the chosen class replaces its names, superclasses and substitutes, as in ``KeyedArchiver``.
      let mappedName = coding.flatMap { archiver.className(for: $0) }
      guard chosen != own || (!fallbacks.isEmpty && mappedName == nil) else { return nil }
      if let mappedName {
        archivedClass = ClassDescription(name: mappedName, chain: [])
      } else {
        let name = FoundationClassName.of(chosen)
        archivedClass = ClassDescription(name: name, chain: FoundationBridge.chain(of: chosen), hints: fallbacks)
      }
      self.object = object
    }

    func encode(with coder: KeyedArchiver) throws { try object.encode(with: coder) }

    init?(coder: KeyedUnarchiver) throws { nil }
  }
#endif
