// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import DocumentLibraries
import ScaryCreatures

/// What a command says of the creature that it made or changed.
enum Reply {
  /// Its number and folder, or all of it as JSON.
  static func write(_ doc: ScaryCreatureDoc, json: Bool, on console: Console) throws(Failure) {
    guard json else {
      let number = doc.number.map { "\($0)" } ?? ""
      console.output.write(number + "\t" + EscapedText.plain(doc.docPath?.path ?? "") + "\n")
      return
    }
    guard let record = try failing({ try CreatureRecord(doc) }) else { return }
    console.writeJSON { record.write(to: &$0) }
  }
}
