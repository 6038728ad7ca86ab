// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if !canImport(Darwin)
  import ArchivedClasses
  import Foundation
  import KeyedArchiving

  /// A decoded value that becomes an object of Foundation: the class of this object, and the values in it.
  struct DecodedContent {
    let type: AnyClass
    /// The storage that all references to the value share; nil for an object without contents.
    let storage: AnyObject?
    private let keys: [any KeyedCoding]
    private let elements: [any KeyedCoding]

    /// The keys and the values, or the elements.
    var values: [any KeyedCoding] { keys.isEmpty ? elements : keys + elements }

    /// Returns nil for a value of the program, and for one whose class is exactly that of its type.
    ///
    /// It omits the contents of errors and attributed strings, which have another allow list.
    init?(_ value: any KeyedCoding) {
      switch value {
      case let leaf as any DecodedFoundationObject:
        self.init(Swift.type(of: leaf.object))
      case let array as ArchivedArray:
        self.init(array.isMutable ? NSMutableArray.self : NSArray.self, array.storage, array.elements)
      case let dictionary as ArchivedDictionary:
        self.init(
          dictionary.isMutable ? NSMutableDictionary.self : NSDictionary.self, dictionary.storage,
          keys: dictionary.keys, dictionary.values)
      case let set as ArchivedSet:
        self.init(set.isMutable ? NSMutableSet.self : NSSet.self, set.storage, set.elements)
      case let set as ArchivedOrderedSet:
        self.init(set.isMutable ? NSMutableOrderedSet.self : NSOrderedSet.self, set.storage, set.elements)
      case let set as ArchivedCountedSet: self.init(NSCountedSet.self, set.storage, set.elements)
      case let text as ArchivedAttributedString:
        self.init(text.isMutable ? NSMutableAttributedString.self : NSAttributedString.self)
      default: return nil
      }
    }

    private init(
      _ type: AnyClass, _ storage: AnyObject? = nil, keys: [any KeyedCoding] = [], _ elements: [any KeyedCoding] = []
    ) {
      (self.type, self.storage, self.keys, self.elements) = (type, storage, keys, elements)
    }
  }
#endif
