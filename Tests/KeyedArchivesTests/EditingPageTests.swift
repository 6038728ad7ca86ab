// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

@Suite("The page of the module")
struct EditingPageTests {
  @Test("shows this example")
  func example() throws {
    try ReadmeExample.check(
      "edit", in: #filePath, page: "Sources/KeyedArchives/KeyedArchives.docc/KeyedArchives.md")
  }

  @Test("shows how an archive is edited as data")
  func edit() throws {
    let data = try Data(contentsOf: Locations.fixtures.appending(path: "made/creatures.plist"))
    #expect(try KeyedArchive(data).root[0]["Title"].string == "Ghost")
    // example: edit
    var archive = try KeyedArchive(data)
    if let creature = archive.root[0].uid {
      let title = try archive.addObject(.primitive(.string("Friendly Ghost")))
      try archive.setValue(.reference(title), forKey: "Title", of: creature)
      try archive.setValue(.float(4.5), forKey: "Rating", of: creature)
    }
    try archive.discardUnreachableObjects()  // the former title leaves the file
    let edited = try archive.data()
    // end of example
    let read = try KeyedArchive(edited)
    #expect(read.root[0]["Title"].string == "Friendly Ghost" && read.root[0]["Rating"].number?.real == 4.5)
    #expect(read.root[1]["Title"].string == "Yeti")
    // The string begins with the marker 0x55: ASCII of 5 characters.
    #expect(data.firstRange(of: [0x55] + Array("Ghost".utf8)) != nil)
    #expect(edited.firstRange(of: [0x55] + Array("Ghost".utf8)) == nil)
  }
}
