// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing

/// The examples, if they were built with the tests.
private let examples = Program.built("typed-defaults-examples")

@Suite(
  "Programs of published articles",
  .enabled(if: examples != nil, "typed-defaults-examples was not built beside the tests"))
struct ExampleTests {
  private func run(_ arguments: String...) throws -> [String] {
    let folder = try ScratchFolder()
    let run = try #require(examples).run(
      arguments, environment: ["XDG_CONFIG_HOME": folder.url.path, "HOME": folder.url.path])
    #expect(run.code == 0 && run.errors == "")
    return run.output.split(separator: "\n").map(String.init)
  }

  @Test("the book is stored and loaded")
  func book() throws {
    let book =
      #"Book(title: "Playing It My Way", authorName: "Sachin Tendulkar & Boria Mazumder", pageCount: 486)"#
    #expect(
      try run("book") == [
        book, "No data object found for the given key", book, "Unable to decode object into given type",
      ])
  }

  /// The stores that a program can have as the default one, with the count that is then in `UserDefaults.standard`.
  private static let stores = [(name: "UserDefaults.standard", count: "7"), (name: "file", count: "0")]

  @Test("the second screen shows the counters", arguments: stores)
  func emotions(_ store: (name: String, count: String)) throws {
    #expect(
      try run("emotions", store.name) == [
        "[0, 0, 0, 0, 0]", "[1, 0, 0, 0, 0]", "[1, 0, 3, 0, 0]", "[1, 0, 3, 0, 2]", "[1, 0, 0, 0, 2]",
        "[0, 0, 0, 0, 0]", "[7, 0, 0, 0, 0]", "7 0", store.count,
      ])
  }

  @Test("nine values are stored natively in UserDefaults.standard")
  func encodings() throws {
    #expect(
      try run("encodings") == [
        "u_bool passes boolean", "u_date passes date", "u_double passes real", "u_float passes real",
        "u_int passes integer", "u_string passes string", "u_url passes string", "u_array passes array",
        "u_dictionary passes dictionary",
      ])
  }

  @Test("wrappers use UserDefaults.standard if the program chooses it")
  func standard() throws { #expect(try run("standard") == ["3", "Ghost", "1 1"]) }

  @Test("the default store is chosen once, before its first use", arguments: ["second-choice", "late-choice"])
  func choice(_ name: String) throws {
    #expect(
      try run(name) == [
        "another default store is in use: a process has one. "
          + "Call StandardDefaults.use once, before the first use of a default value", "true",
      ])
  }

  #if !canImport(Darwin)  // there, it is UserDefaults.standard
    @Test("the default store is the file if the program chooses none")
    func noChoice() throws { #expect(try run("no-choice") == ["false true"]) }
  #endif

  @Test(
    "the camera settings are stored and loaded", arguments: [("UserDefaults.standard", "Optional(0)"), ("file", "nil")])
  func camera(_ store: String, _ size: String) throws {
    let type = "typed_defaults_examples.CameraConfig"
    let lines = try run("camera", store).map { $0.replacing("\(type).", with: "") }
    #expect(
      lines.map { $0.replacing("typed_defaults_examples.", with: "").replacing("CameraConfig.", with: "") } == [
        "CameraConfig(saveToCameraRoll: true, size: Size.Medium)", "nil",
        "CameraConfig(saveToCameraRoll: false, size: Size.Medium)", "Optional(Size.Large)", "Optional(Size.Large)",
        "Optional(Size.Large)", size,
      ])
  }
}
