// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A value in a block of memory of its own, which makes one word of it wherever it is handed on.
///
/// It is for errors: a function that may throw has room on the stack for an error of each call in it. With errors of 200 bytes
/// that was 7 KiB for each level of a nested archive.
@propertyWrapper
package struct Boxed<Value: Sendable>: Sendable {
  private final class Block: Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }

  private var block: Block

  package init(wrappedValue: Value) { block = Block(wrappedValue) }

  package var wrappedValue: Value {
    get { block.value }
    set { block = Block(newValue) }
  }
}
