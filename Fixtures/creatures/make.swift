// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

// Makes the data files of `insecure` and `scarybugs` with the toolchain's own NSKeyedArchiver, as the apps of their time
// did with Apple's. Run as `swift make.swift` in this folder; the order of keys in the files differs from run to run, so
// the files are kept.
import Foundation

final class Creature: NSObject, NSCoding {
  let title: String
  let rating: Float
  init(_ title: String, _ rating: Float) {
    self.title = title
    self.rating = rating
  }
  func encode(with coder: NSCoder) {
    coder.encode(title as NSString, forKey: "Title")
    coder.encode(rating, forKey: "Rating")
  }
  init?(coder: NSCoder) { nil }
}

func write(_ creature: Creature, className: String, key: String, to path: String) throws {
  let archiver = NSKeyedArchiver(requiringSecureCoding: false)
  archiver.setClassName(className, for: Creature.self)
  archiver.encode(creature, forKey: key)
  archiver.finishEncoding()
  let url = URL(fileURLWithPath: path)
  try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
  try archiver.encodedData.write(to: url)
}

let name = "ScaryCreatures.ScaryCreatureData"
try write(Creature("Ghost", 5), className: name, key: "root", to: "insecure/1.scarycreature/Data.plist")
try write(Creature("Panda", 1), className: name, key: "root", to: "insecure/2.scarycreature/Data.plist")
let bug = "ScaryBugData"
try write(Creature("Potato Bug", 4), className: bug, key: "Data", to: "scarybugs/1.scarybug/data.plist")
try write(Creature("Wolf Spider", 5), className: bug, key: "Data", to: "scarybugs/2.scarybug/data.plist")
try write(Creature("Lady Bug", 1), className: "RWTScaryBugData", key: "Data", to: "scarybugs/3.scarybug/data.plist")
