// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import TestSupport
import Testing

// example: both systems
import Foundation
import KeyedArchiving
import KeyedArchivingFoundation

enum Archives {
  static func data<Object: FoundationCoding>(of object: Object) throws -> Data {
    #if canImport(Darwin)
      try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
    #else
      try KeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
    #endif
  }

  static func object<Object: FoundationCoding>(of type: Object.Type, from data: Data) throws -> Object? {
    #if canImport(Darwin)
      try NSKeyedUnarchiver.unarchivedObject(ofClass: type, from: data)
    #else
      try KeyedUnarchiver.unarchivedObject(ofClass: type, from: data)
    #endif
  }
}
// end of example

@Suite("The example for Apple's systems and others")
struct BothSystemsExampleTests {
  @Test("runs with both pairs of coders, which read each other's archives")
  func run() throws {
    let meal = try #require(Meal(name: "Soup", photo: nil, rating: 3))
    let data = try Archives.data(of: meal)
    #expect(try Archives.object(of: Meal.self, from: data)?.name == "Soup")
    // What Apple's systems compile.
    #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: Meal.self, from: data)?.name == "Soup")
    let theirs = try NSKeyedArchiver.archivedData(withRootObject: meal, requiringSecureCoding: true)
    #expect(try Archives.object(of: Meal.self, from: theirs)?.rating == 3)
  }

  @Test("is the one on the page")
  func sameText() throws {
    let page = try String(
      contentsOf: Locations.package.appending(
        path: "Sources/KeyedArchivingFoundation/KeyedArchivingFoundation.docc/NSCoderMethods.md"),
      encoding: .utf8)
    let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
    let shown = page.components(separatedBy: "```swift\n").dropFirst().first?.components(separatedBy: "```").first
    let compiled = source.components(separatedBy: "// example: both systems\n").dropFirst().first?
      .components(separatedBy: "// end of example").first
    #expect(shown != nil && shown == compiled)
  }
}
