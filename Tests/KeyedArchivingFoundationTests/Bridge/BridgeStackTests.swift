// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if !canImport(Darwin)
  import Foundation
  import HarnessSupport
  import KeyedArchiving
  import KeyedArchivingFoundation
  import TestSupport
  import Testing

  @Suite("The bridge converts on the stack of the thread that calls it")
  struct BridgeStackTests {
    private func arrays(_ levels: Int) -> Any { (0..<levels).reduce("x" as Any) { value, _ in [value] } }

    @Test("an archiver that moves to a thread with less stack refuses what nests too deeply there")
    func otherThread() throws {
      // The second stack usually has addresses of the first, which ended.
      for (first, second) in [(8192, 128), (1024, 256), (256, 128)] {
        let archiver = KeyedArchiver(requiringSecureCoding: true)
        let (shallow, deep) = (arrays(30), arrays(5000))
        try System.onThread(stackBytes: first << 10) { archiver.encodeFoundationObject(shallow, forKey: "first") }
        #expect(archiver.error == nil)
        try System.onThread(stackBytes: second << 10) { archiver.encodeFoundationObject(deep, forKey: "second") }
        let error = try #require(archiver.error)
        #expect(error.code == .limitReached)
        #expect(error.detail.contains("stack"))
      }
    }

    @Test("objects whose conversion begins at the deepest level end in an error of the stack")
    func sharedLevels() throws {
      let archive = DeepDictionary.archive(levels: 480, isError: true)
      var failure: (any Error)?
      try System.onThread(stackBytes: 512 << 10) {
        do {
          _ = try KeyedUnarchiver.unarchivedFoundationObject(
            ofClasses: [NSError.self, NSDictionary.self, NSArray.self, NSString.self], from: archive)
        } catch { failure = error }
      }
      #expect((failure as? KeyedArchiveError)?.detail.contains("collections nest deeper") == true, "\(failure as Any)")
    }
  }
#endif
