// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving

// Untyped collections, whose elements are what the list is for.
extension ArchivedOrderedSet: ListGoverned {}
extension ArchivedCountedSet: ListGoverned {}

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
