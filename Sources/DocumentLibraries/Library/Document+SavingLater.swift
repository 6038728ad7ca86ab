// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Synchronization

extension Document {
  /// Saves all that was set once nothing was set for a while: for text fields, in which every key is a change.
  ///
  /// Each call begins the wait anew, so that many changes are one save. Until then they are in memory only: call
  /// ``save()`` before the program ends, after which there is nothing left to wait for. The document is kept until it is
  /// saved; once it was deleted, nothing is.
  ///
  /// ```swift
  /// try recipe.setData(recipe.data.renamed(to: field.text))
  /// recipe.saveLater { error in show(error) }
  /// ```
  /// - Parameters:
  ///   - delay: how long nothing must be set.
  ///   - failed: is called with what ``save()`` throws, from another thread.
  public func saveLater(
    after delay: Duration = .milliseconds(500), failed: @escaping @Sendable (any Error) -> Void
  ) {
    let task = Task.detached {
      do {
        try await Task.sleep(for: delay)
      } catch {
        return
      }
      do {
        if !self.isDeleted { try self.save() }
      } catch {
        failed(error)
      }
    }
    let former = state.withLock { state in
      defer { state.delayedSave = task }
      return state.delayedSave
    }
    former?.cancel()
  }
}
