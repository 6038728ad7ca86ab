// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing

extension HandmadeList {
  /// A real of 4 bytes.
  static func float(_ value: Float) -> HandmadeList { .float(bits: value.bitPattern) }

  /// A real of 4 bytes, by its bits.
  static func float(bits: UInt32) -> HandmadeList {
    .raw([0x22] + [24, 16, 8, 0].map { (shift: UInt32) in UInt8(truncatingIfNeeded: bits >> shift) })
  }
}

/// A data file built object by object, in any layout of the apps.
struct HandmadeCreature {
  var title = "Ghost"
  /// The stored rating; nil for none.
  var rating: HandmadeList? = .float(5)
  /// Whether the rating is inline.
  var isInline = false
  var className = "ScaryCreatures.ScaryCreatureData"
  var classChain = ["ScaryCreatures.ScaryCreatureData", "NSObject"]
  var titleKey = "Title"
  var ratingKey = "Rating"
  var topKey = "root"
  /// Further entries of the creature. References to `objects` begin with 5.
  var entries: [(String, HandmadeList)] = []
  /// Further objects.
  var objects: [HandmadeList] = []
  /// Further top-level entries.
  var top: [(String, HandmadeList)] = []

  var data: Data {
    var creature: [(String, HandmadeList)] = [(titleKey, .uid(2))]
    if let rating { creature.append((ratingKey, isInline ? rating : .uid(3))) }
    creature += entries + [("$class", .uid(4))]
    let record: HandmadeList = .dictionary(
      [("$classname", .string(className))]
        + (classChain.isEmpty ? [] : [("$classes", .array(classChain.map { .string($0) }))]))
    return HandmadeList.archive(
      [.dictionary(creature), .string(title), rating ?? "unused", record] + objects, top: [(topKey, .uid(1))] + top)
  }

  /// Returns the file with another class name.
  func named(_ name: String) -> HandmadeCreature {
    var copy = self
    copy.className = name
    copy.classChain = [name, "NSObject"]
    return copy
  }

  /// An XML file with the same content. The title must need no escapes.
  static func xml(title: String, rating: String, isInline: Bool) -> Data {
    func uid(_ number: Int) -> String { "<dict><key>CF$UID</key><integer>\(number)</integer></dict>" }
    return Data(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <dict>
        <key>$archiver</key><string>NSKeyedArchiver</string>
        <key>$version</key><integer>100000</integer>
        <key>$top</key><dict><key>root</key>\(uid(1))</dict>
        <key>$objects</key>
        <array>
          <string>$null</string>
          <dict>
            <key>Title</key>\(uid(2))
            <key>Rating</key>\(isInline ? rating : uid(3))
            <key>$class</key>\(uid(4))
          </dict>
          <string>\(title)</string>
          \(rating)
          <dict>
            <key>$classname</key><string>ScaryCreatures.ScaryCreatureData</string>
            <key>$classes</key>
            <array><string>ScaryCreatures.ScaryCreatureData</string><string>NSObject</string></array>
          </dict>
        </array>
      </dict>
      </plist>
      """.utf8)
  }
}

/// A file of an older layout, with its expected content.
struct LayoutRow: Sendable, CustomTestStringConvertible {
  var name: String
  var data: Data
  var title = "Ghost"
  var rating: Float = 5
  /// The name of the layout.
  var layout: String

  var testDescription: String { name }

  init(_ name: String, _ layout: String, rating: Float = 5, _ creature: HandmadeCreature) {
    self.name = name
    self.layout = layout
    self.rating = rating
    data = creature.data
  }

  init(_ name: String, _ layout: String, _ data: Data) {
    self.name = name
    self.layout = layout
    self.data = data
  }

  /// All known layouts except the current one.
  static let older: [LayoutRow] = {
    var objectiveC = HandmadeCreature(rating: .float(4.5), isInline: true, topKey: "Data").named("ScaryBugData")
    let prefixed = objectiveC.named("RWTScaryBugData")
    let otherPrefix = objectiveC.named("HQLScaryBugData")
    objectiveC.topKey = "root"
    var mac = HandmadeCreature(rating: .real(1.5), titleKey: "title", ratingKey: "rating")
    mac = mac.named("ScaryBugsMac.ScaryBugData")
    var lowerCaseInsecure = HandmadeCreature(isInline: true)
    lowerCaseInsecure.ratingKey = "rating"
    return [
      LayoutRow("insecure", "insecure", HandmadeCreature(isInline: true)),
      LayoutRow("Double, secure", "rating is an 8-byte real", HandmadeCreature(rating: .real(5))),
      LayoutRow(
        "Double, insecure", "insecure, rating is an 8-byte real", HandmadeCreature(rating: .real(5), isInline: true)),
      LayoutRow("integer, secure", "rating is an integer", HandmadeCreature(rating: 5)),
      LayoutRow("integer, insecure", "insecure, rating is an integer", HandmadeCreature(rating: 5, isInline: true)),
      LayoutRow("Objective-C", "top key Data, class RWTScaryBugData, insecure", rating: 4.5, prefixed),
      LayoutRow(
        "Objective-C, another prefix", "top key Data, class HQLScaryBugData, insecure", rating: 4.5, otherPrefix),
      LayoutRow("Objective-C under root", "class ScaryBugData, insecure", rating: 4.5, objectiveC),
      LayoutRow(
        "Mac", "class ScaryBugsMac.ScaryBugData, lower-case keys, rating is an 8-byte real", rating: 1.5, mac),
      LayoutRow("one key in lower case", "lower-case keys, insecure", lowerCaseInsecure),
      LayoutRow(
        "another module", "class My_App.ScaryCreatureData", HandmadeCreature().named("My_App.ScaryCreatureData")),
      LayoutRow("no module", "class ScaryCreatureData", HandmadeCreature().named("ScaryCreatureData")),
      LayoutRow(
        "a renamed app", "class StandardCatalog.Creature, insecure",
        HandmadeCreature(isInline: true).named("StandardCatalog.Creature")),
      LayoutRow("no rating", "no rating", rating: 0, HandmadeCreature(rating: nil)),
      LayoutRow(
        "XML, insecure", "XML, insecure, rating is an 8-byte real",
        HandmadeCreature.xml(title: "Ghost", rating: "<real>5</real>", isInline: true)),
      LayoutRow(
        "XML, integer", "XML, rating is an integer",
        HandmadeCreature.xml(title: "Ghost", rating: "<integer>5</integer>", isInline: false)),
    ]
  }()
}
