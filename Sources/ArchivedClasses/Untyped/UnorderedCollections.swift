// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

package import KeyedArchiving

/// A set of values of any types, whose order differs between processes.
package struct UnorderedSet: SecureKeyedCoding, DynamicArchiveClass {
  private let elements: [any KeyedCoding]
  private let isMutable: Bool

  package init(elements: [any KeyedCoding], isMutable: Bool = false) {
    self.elements = elements
    self.isMutable = isMutable
  }

  package var archivedClass: ClassDescription { ArchivedSet([], isMutable: isMutable).archivedClass }
  package var classVariant: ClassVariant { .number(isMutable ? 1 : 0) }

  package func encode(with coder: KeyedArchiver) { coder.encodeElements(inAnyOrder: elements) }

  package init?(coder: KeyedUnarchiver) throws { nil }
}

/// A dictionary with keys and values of any types, whose order differs between processes.
package struct UnorderedDictionary: SecureKeyedCoding, DynamicArchiveClass {
  private let keys: [any KeyedCoding]
  private let values: [any KeyedCoding]
  private let isMutable: Bool

  package init(keys: [any KeyedCoding], values: [any KeyedCoding], isMutable: Bool = false) {
    self.keys = keys
    self.values = values
    self.isMutable = isMutable
  }

  package var archivedClass: ClassDescription { ArchivedDictionary([], isMutable: isMutable).archivedClass }
  package var classVariant: ClassVariant { .number(isMutable ? 1 : 0) }

  package func encode(with coder: KeyedArchiver) { coder.encodePairs(inAnyOrder: keys, values: values) }

  package init?(coder: KeyedUnarchiver) throws { nil }
}
