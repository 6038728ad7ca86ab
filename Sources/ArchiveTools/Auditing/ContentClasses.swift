// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
import PropertyListFormat

/// Which classes stand inside of values whose content may be of any class, such as an error's user info: they come out only
/// where whoever asks for the value allows them.
struct ContentClasses {
  private var contents: [BytewiseString: Set<BytewiseString>] = [:]

  init(_ audit: ArchiveAudit) {
    let types = ValueTypeNames()
    // Values are of few classes, whatever the archive.
    for use in audit.classes where Self.isValue(use.name, types) {
      var found: Set<BytewiseString> = []
      var seen: Set = [BytewiseString(use.name)]
      var stack = [BytewiseString(use.name)]
      while let name = stack.popLast() {
        var inside: Set<BytewiseString> = []
        for (_, use) in audit.classTable[name]?.keys ?? [] { use.collectClassNames(into: &inside) }
        for name in inside where seen.insert(name).inserted {
          if Self.isValue(name.text, types) {
            stack.append(name)
          } else if let use = audit.classTable[name],
            types.type(of: use.descriptions.first ?? ClassDescription(name: name.text, chain: [])) == nil
          {
            found.insert(name)
          }
        }
      }
      if !found.isEmpty { contents[use.name] = found }
    }
  }

  /// The classes inside of objects of a class; none for classes of which nothing is known, and for collections.
  func classes(in name: String) -> Set<BytewiseString> { contents[name] ?? [] }

  private static func isValue(_ name: String, _ types: ValueTypeNames) -> Bool {
    types.type(named: name) != nil && !AuditWalk.collectionNames.contains(name)
  }
}
