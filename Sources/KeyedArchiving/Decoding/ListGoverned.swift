// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A struct or enum whose contents are decoded under the caller's flat list of types, if one is in force.
///
/// These are collections, and values of this module that hold contents of any class. Any other value decodes its
/// contents under what it requests itself, as instances of classes do: otherwise the result of its initializer would
/// depend on the list of its caller.
protocol ListGoverned {}

// Untyped collections, whose elements are what the list is for.
extension ArchivedArray: ListGoverned {}
extension ArchivedSet: ListGoverned {}
extension ArchivedDictionary: ListGoverned {}
extension ArchivedOrderedSet: ListGoverned {}
extension ArchivedCountedSet: ListGoverned {}

// Typed collections, which may have untyped ones in them.
extension Array: ListGoverned {}
extension Set: ListGoverned {}
extension Dictionary: ListGoverned {}
extension Optional: ListGoverned {}

// Values with contents of any class, made as the types on the list where it has them, and values that contain those.
extension ArchivedAttributedString: ListGoverned {}
extension ArchivedDateFormatter: ListGoverned {}
extension ArchivedError: ListGoverned {}
extension ArchivedException: ListGoverned {}
extension ArchivedExpression: ListGoverned {}
extension ArchivedFont: ListGoverned {}
extension ArchivedFontDescriptor: ListGoverned {}
extension ArchivedImage: ListGoverned {}
extension ArchivedNotification: ListGoverned {}
extension ArchivedNumberFormatter: ListGoverned {}
extension ArchivedPredicate: ListGoverned {}
extension ArchivedUIFont: ListGoverned {}
