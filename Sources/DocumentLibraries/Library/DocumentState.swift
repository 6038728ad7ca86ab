// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// What is known of a document.
///
/// Small, since a long list has one for each of its documents and most never have more than a number: what few have is
/// apart. Not generic, so that no type has to be looked up for each.
struct DocumentState: Sendable {
  /// -1 for none.
  private var rawNumber = -1
  private var more: More?

  /// What few documents have.
  private struct Rest: Sendable {
    var otherName: StorageName?
    var isDeleted = false
    var content: (any Sendable)?
    var delayedSave: Task<Void, Never>?
  }

  private final class More: Sendable {
    let rest: Rest
    init(_ rest: Rest) { self.rest = rest }
  }

  private var rest: Rest {
    get { more?.rest ?? Rest() }
    set { more = More(newValue) }
  }

  /// A document that is on the disk.
  init(number: DocumentNumber, otherName: StorageName? = nil) {
    rawNumber = number.rawValue
    if otherName != nil { rest.otherName = otherName }
  }

  /// A document that is not.
  init(_ content: some Sendable) { rest.content = content }

  /// Its number; nil before it is saved for the first time.
  var number: DocumentNumber? {
    get { DocumentNumber(rawNumber) }
    set { rawNumber = newValue?.rawValue ?? -1 }
  }

  /// The folder's name where it is not the usual one.
  var otherName: StorageName? { more?.rest.otherName }

  var isDeleted: Bool {
    get { more?.rest.isDeleted ?? false }
    set { rest.isDeleted = newValue }
  }

  /// Waits until it is time to save.
  var delayedSave: Task<Void, Never>? {
    get { more?.rest.delayedSave }
    set { rest.delayedSave = newValue }
  }

  /// What was read or set, if anything. A document always asks for the same type.
  subscript<Content: Sendable>(type: Content.Type) -> Content? {
    get { more?.rest.content as? Content }
    set { rest.content = newValue }
  }
}
