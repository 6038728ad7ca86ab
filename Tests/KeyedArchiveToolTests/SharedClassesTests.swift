// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import Foundation
import HarnessSupport
import TestSupport
import Testing
import ToolTestSupport

@testable import KeyedArchiveTool

// Costs are times of one thread compared with each other, so a busy machine and a debug build change both sides alike.

@Suite("Classes of a collection that many keys share")
struct SharedClassesTests {
  /// What the keys of the object share.
  enum Sharing: CaseIterable {
    case nothing, array, longNames, info, fewInfo
  }

  private static let commands = [["audit", "-"], ["audit", "--json", "-"], ["generate", "-"]]

  /// A file of an object with keys, and of objects of some classes.
  private static func file(_ sharing: Sharing) -> Data {
    var file = ArchiveFile()
    let classCount = sharing == .fewInfo ? 90 : sharing == .longNames ? 60 : 300
    let prefix = sharing == .longNames ? String(repeating: "Long", count: 100) : "Class"
    let elements = (0..<classCount).map { number in
      file.reference(
        file.object(
          row: file.fields(file.classUID("\(prefix)\(number)", "NSObject"), [("n", file.row(.integer(number)))])))
    }
    let arrayClass = file.classUID("NSArray", "NSObject")
    func array(_ elements: [Int]) -> Int {
      file.reference(file.object(row: file.fields(arrayClass, [("NS.objects", file.row(.array(elements)))])))
    }
    let keyCount = sharing == .longNames ? 1500 : 600
    var values: [Int]
    switch sharing {
    case .nothing: values = (0..<keyCount).map { array([elements[$0 % classCount]]) }
    case .array, .longNames: values = [Int](repeating: array(elements), count: keyCount)
    case .info, .fewInfo:
      let info = array(elements)
      let error = file.object(
        row: file.fields(
          file.classUID("NSError", "NSObject"),
          [("NSDomain", info), ("NSCode", file.row(.integer(1))), ("NSUserInfo", info)]))
      values = [Int](repeating: file.reference(error), count: keyCount)
      // Each key has another set of classes.
      for index in values.indices { values[index] = array([values[index], elements[index % classCount]]) }
    }
    let box = file.classUID("Box", "NSObject")
    return file.data(root: file.object(row: file.fields(box, values.enumerated().map { ("key\($0)", $1) })))
  }

  /// Each command with one way of sharing; with `WHOLE_TESTS`, with all.
  @Test(
    "take audit and generate at most ten times as long per byte as those of separate ones", .notHanging,
    arguments: commands.indices)
  func time(index: Int) throws {
    let command = Self.commands[index]
    func cost(_ sharing: Sharing) -> Double {
      let data = Self.file(sharing)
      return System.leastTime(of: 2) { _ = ToolRun(command, input: data) } / Double(data.count)
    }
    let plainCost = cost(.nothing)
    for (turn, sharing) in Sharing.allCases.dropFirst().enumerated() where Sample.includes(turn + index, each: 4) {
      let ratio = cost(sharing) / plainCost
      #expect(ratio < 10, "\(sharing): \(ratio) times as long")
    }
  }

  @Test("a property with several classes has a list of them, unless the lists would be long")
  func lists() {
    let lines = ToolRun("generate", "-", input: Self.file(.fewInfo)).lines
    #expect(lines.contains { $0.contains("[Class0.self,") || $0.hasSuffix("Class0.self,") })
    #expect(lines.count { $0.contains("ArchiveContents.allowedClasses") } > 500)
    #expect(lines.count < 16_000)
  }
}
