// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if FUZZING
  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif
  import HarnessSupport

  /// libFuzzer at the door that the environment names. The fuzzer has a `main` of its own, which takes the program's place.
  private let door = Door(rawValue: ProcessInfo.processInfo.environment["FUZZ_DOOR"] ?? "")

  // The only place of this module with `unsafe` in it: the bytes are read during the call, with the count that the fuzzer
  // gives, and copied.
  @_cdecl("LLVMFuzzerTestOneInput")
  func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let door else {
      System.say("FUZZ_DOOR must be one of \(Door.allCases.map(\.rawValue).joined(separator: ", "))")
      System.end(2)
    }
    let bytes = unsafe Data(UnsafeBufferPointer(start: start, count: count))
    do {
      try door.enter(bytes)
    } catch {
      // A trap, so that the fuzzer keeps the bytes.
      fatalError("\(error)")
    }
    return 0
  }
#endif
