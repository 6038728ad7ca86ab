// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

// Makes `Creatures/1.plist` with the toolchain's own NSKeyedArchiver, as an app archived the README's creatures before it
// used this package. NSKeyedArchiver on Linux ignores setClassName, so the names are those of the app:
//
//   swiftc -module-name KeyedArchivingTestingTests make.swift -o /tmp/make && /tmp/make
//
// The order of keys differs from run to run, so the file is kept.
import Foundation

final class ScaryCreatureData: NSObject, NSCoding {
  let title: String
  let rating: Float
  init(_ title: String, _ rating: Float) {
    self.title = title
    self.rating = rating
  }
  func encode(with coder: NSCoder) {
    coder.encode(title as NSString, forKey: "Title")
    coder.encode(rating, forKey: "Rating")
    coder.encode("a creature" as NSString, forKey: "Kind")
  }
  init?(coder: NSCoder) { nil }
}

let archiver = NSKeyedArchiver(requiringSecureCoding: false)
archiver.encode([ScaryCreatureData("Ghost", 5), ScaryCreatureData("Panda", 1)] as NSArray, forKey: "root")
archiver.finishEncoding()
try archiver.encodedData.write(to: URL(fileURLWithPath: "Creatures/1.plist"))
