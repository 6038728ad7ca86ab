// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// State that other modules attach to a coder: one object of each class, such as the objects decoded as data.
package struct Companions {
  private var objects: [AnyObject] = []

  /// The object of a class; nil before it is set.
  package subscript<Companion: AnyObject>(_ type: Companion.Type) -> Companion? {
    get {
      for object in objects { if let companion = object as? Companion { return companion } }
      return nil
    }
    set {
      objects.removeAll { $0 is Companion }
      if let newValue { objects.append(newValue) }
    }
  }

  /// Returns the object of a class, which `make` creates at the first call.
  package mutating func object<Companion: AnyObject>(_ make: @autoclosure () -> Companion) -> Companion {
    if let known = self[Companion.self] { return known }
    let made = make()
    objects.append(made)
    return made
  }
}
