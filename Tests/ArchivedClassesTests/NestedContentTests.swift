// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import Foundation
import HarnessSupport
import KeyedArchiving
import Testing

@Suite("Values with contents of any class")
struct NestedContentTests {
  private static let depth = 80

  /// An error whose user info has an error, and so on.
  private static var nestedErrors: Data {
    var file = ArchiveFile()
    let (error, dictionary) = (file.classUID("NSError", "NSObject"), file.classUID("NSDictionary", "NSObject"))
    let domain = file.reference(file.object(row: file.text("domain")))
    let keys = file.row(.array([file.reference(file.object(row: file.text("cause")))]))
    var uid = file.object(row: file.text("the end"))
    for level in 0..<depth {
      let values = file.row(.array([file.reference(uid)]))
      let info = file.reference(file.object(row: file.fields(dictionary, [("NS.keys", keys), ("NS.objects", values)])))
      let code = file.row(.integer(level))
      uid = file.object(row: file.fields(error, [("NSDomain", domain), ("NSCode", code), ("NSUserInfo", info)]))
    }
    return file.data(root: uid)
  }

  /// The least processor time of some decodes with an allow list.
  private static func time(_ types: [any KeyedCoding.Type], _ data: Data) throws -> Duration {
    try (0..<5).map { _ in
      try System.time {
        let value = try KeyedUnarchiver.unarchivedObject(ofClasses: types, from: data)
        let error = try #require(value as? ArchivedError)
        #expect(error.code == depth - 1)
      }
    }.min() ?? .zero
  }

  @Test("nested errors take as long with a short allow list as with that of all values")
  func shortList() throws {
    let data = Self.nestedErrors
    let all = try Self.time(KeyedUnarchiver.valueTypes, data)
    // Each level once added all value types to the list.
    #expect(try Self.time([ArchivedError.self, String.self], data) < all * 8)
  }
}
