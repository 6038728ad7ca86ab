// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A struct or enum whose contents are decoded under the caller's flat list of types, if one is in force.
///
/// These are collections, and values of this package that hold contents of any class. Any other value decodes its
/// contents under what it requests itself, as instances of classes do: otherwise the result of its initializer would
/// depend on the list of its caller.
package protocol ListGoverned {}

// Untyped collections, whose elements are what the list is for.
extension ArchivedArray: ListGoverned {}
extension ArchivedSet: ListGoverned {}
extension ArchivedDictionary: ListGoverned {}

// Typed collections, which may have untyped ones in them.
extension Array: ListGoverned {}
extension Set: ListGoverned {}
extension Dictionary: ListGoverned {}
extension Optional: ListGoverned {}
