// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// How the errors of a request speak of it, if the caller did not write the types that the request decodes.
package final class RequestWording {
  /// The types of the request.
  package let types: [any KeyedCoding.Type]
  /// The allowed classes, in the caller's terms.
  private let allowedNames: () -> String
  private let remedyForClass: (String) -> String?

  /// Creates the wording of a request.
  /// - Parameters:
  ///   - types: The types of the request.
  ///   - allowed: The allowed classes, in the caller's terms.
  ///   - remedy: The remedy for a class that is not allowed, by its archived name; nil for the usual one.
  package init(
    of types: [any KeyedCoding.Type], allowed: @escaping () -> String, remedy: @escaping (String) -> String?
  ) {
    self.types = types
    allowedNames = allowed
    remedyForClass = remedy
  }

  // The texts are kept, because a damaged archive can fail one request for each of its objects.
  private(set) lazy var allowed = allowedNames()
  private var lastRemedy: (className: String, remedy: String?)?

  func remedy(for className: String) -> String? {
    if let lastRemedy, lastRemedy.className.hasSameBytes(as: className) { return lastRemedy.remedy }
    let remedy = remedyForClass(className)
    lastRemedy = (className, remedy)
    return remedy
  }

  /// Returns the wording of a request for more types, which errors describe after the allowed classes.
  package func adding(_ types: [any KeyedCoding.Type], named name: String) -> RequestWording {
    RequestWording(of: types, allowed: { [allowedNames] in "\(allowedNames()) and \(name)" }, remedy: remedyForClass)
  }

  /// Returns whether a request decodes the same types. Objects inside the requested one make other requests.
  func isOf(_ types: [any KeyedCoding.Type]) -> Bool {
    self.types.elementsEqual(types) { ObjectIdentifier($0) == ObjectIdentifier($1) }
  }
}

extension KeyedUnarchiver {
  /// Runs a request whose errors have their own wording.
  package func withWording<Value>(_ wording: RequestWording, _ body: () throws -> Value) rethrows -> Value {
    let former = self.wording
    self.wording = wording
    defer { self.wording = former }
    return try body()
  }

  /// Returns the wording of a request for some types; nil if the caller wrote the types.
  package func wording(of types: [any KeyedCoding.Type]) -> RequestWording? {
    guard let wording, wording.isOf(types) else { return nil }
    return wording
  }
}
