// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing

/// A class of Apple's and the type that stands for it.
struct ClassRow: Sendable, CustomTestStringConvertible {
  var name: String
  /// How many such objects the files hold that Python's plistlib can read, counted by a program of its own.
  var count: Int
  /// Decodes an object of the corpus as the type.
  var decode: @Sendable (KeyedUnarchiver, String) throws -> any KeyedCoding
  var testDescription: String { name }

  init<Value: KeyedCoding & SendableMetatype>(_ name: String, _ count: Int, _ type: Value.Type) {
    self.name = name
    self.count = count
    decode = { try $0.decode(Value.self, forKey: $1) }
  }

  init(listed name: String, _ count: Int) {
    self.name = name
    self.count = count
    decode = { unarchiver, key in
      let made = unarchiver.decodeObject(of: KeyedUnarchiver.valueTypes, forKey: key)
      if let error = unarchiver.error { throw error }
      return try #require(made)
    }
  }
}

private let rows: [ClassRow] = [
  ClassRow("NSColor", 1886, ArchivedColor.self), ClassRow("NSColorSpace", 81, ArchivedColorSpace.self),
  ClassRow("NSFont", 327, ArchivedFont.self), ClassRow("NSFontDescriptor", 4, ArchivedFontDescriptor.self),
  ClassRow("UIFontDescriptor", 1, ArchivedFontDescriptor.self), ClassRow("UIColor", 6, ArchivedUIColor.self),
  ClassRow("UIFont", 2, ArchivedUIFont.self), ClassRow("NSImage", 58, ArchivedImage.self),
  ClassRow("NSBitmapImageRep", 54, ArchivedBitmapImageRep.self), ClassRow("NSShadow", 2, ArchivedShadow.self),
  ClassRow("NSValue", 5334, ArchivedValue.self), ClassRow("NSAffineTransform", 7, ArchivedAffineTransform.self),
  ClassRow("NSDecimalNumberPlaceholder", 38, Decimal.self), ClassRow("NSIndexPath", 46, IndexPath.self),
  ClassRow("NSIndexSet", 9, ArchivedIndexSet.self), ClassRow("NSMutableIndexSet", 5, ArchivedIndexSet.self),
  ClassRow("NSTimeZone", 5, ArchivedTimeZone.self), ClassRow("NSLocale", 3, ArchivedLocale.self),
  ClassRow("NSCalendar", 1, ArchivedCalendar.self), ClassRow("NSMeasurement", 1, ArchivedMeasurement.self),
  ClassRow("NSUnitFrequency", 1, ArchivedUnit.self), ClassRow("NSUnitConverterLinear", 1, ArchivedUnitConverter.self),
  ClassRow("NSRegularExpression", 2, ArchivedRegularExpression.self),
  ClassRow("NSExtendedRegularExpressionCheckingResult", 1, ArchivedRegularExpressionResult.self),
  ClassRow("NSComplexRegularExpressionCheckingResult", 1, ArchivedRegularExpressionResult.self),
  ClassRow("NSSortDescriptor", 2, ArchivedSortDescriptor.self),
  ClassRow("NSComparisonPredicate", 1, ArchivedPredicate.self),
  ClassRow("NSEqualityPredicateOperator", 1, ArchivedPredicateOperator.self),
  ClassRow("NSKeyPathExpression", 5, ArchivedExpression.self), ClassRow("NSSelfExpression", 5, ArchivedExpression.self),
  ClassRow("NSConstantValueExpression", 1, ArchivedExpression.self),
  ClassRow("NSKeyPathSpecifierExpression", 5, ArchivedExpression.self),
  ClassRow("NSByteCountFormatter", 1, ArchivedByteCountFormatter.self),
  ClassRow("NSISO8601DateFormatter", 2, ArchivedISO8601DateFormatter.self),
  ClassRow("NSDateIntervalFormatter", 1, ArchivedDateIntervalFormatter.self),
  ClassRow("NSDateFormatter", 5, ArchivedDateFormatter.self),
  ClassRow("NSNumberFormatter", 34, ArchivedNumberFormatter.self),
  ClassRow("NSAttributedString", 110, ArchivedAttributedString.self),
  ClassRow("NSMutableAttributedString", 10, ArchivedAttributedString.self),
  ClassRow(listed: "NSMutableOrderedSet", 1), ClassRow(listed: "NSCountedSet", 1), ClassRow(listed: "NSSet", 49),
  ClassRow("NSNull", 18, ArchiveNull.self), ClassRow("NSDate", 369, Date.self), ClassRow("NSUUID", 2, UUID.self),
]

@Suite(
  "Every class that Apple's programs wrote", .enabled(if: Corpus.isPresent, "\(Locations.sharedIsAbsent)"))
struct CorpusClassTests {
  /// An archive of the corpus with the numbers of its objects of each class.
  private struct Opened {
    var name: String
    var archive: KeyedArchive
    var isOrdered: Bool
    var objects: [String: [ArchiveUID]] = [:]

    init?(_ file: TestFile) {
      guard let data = try? file.data(), let archive = try? KeyedArchive(data) else { return nil }
      name = file.name
      self.archive = archive
      isOrdered = CorpusClassTests.ordered.contains(name)
      let wanted = Set(rows.map(\.name))
      var names: [ArchiveUID: String] = [:]
      for index in 1..<UInt32(archive.objectCount) {
        let uid = ArchiveUID(rawValue: index)
        guard case .instance(let classUID, _)? = try? archive.object(uid) else { continue }
        if names[classUID] == nil { names[classUID] = (try? archive.classDescription(classUID).name) ?? "" }
        if let name = names[classUID], wanted.contains(name) { objects[name, default: []].append(uid) }
      }
    }
  }

  /// The files whose dictionaries all have the order of CoreFoundation's table on 64-bit systems, as the corpus's own
  /// table says, but for some whose orders that table cannot have: no way of inserting these keys leads to them.
  private static let ordered: Set<String> = {
    guard let url = Locations.shared?.appending(path: "corpus/MANIFEST.tsv"),
      let text = try? String(contentsOf: url, encoding: .utf8)
    else { return [] }
    let others = [
      "__b896a8ac", "__09fd9dbe", "__f018b3b0", "__9daf247c", "__fb94b8f4", "__151706e5", "altercation.solarized__",
    ]
    var names: Set<String> = []
    for row in text.split(separator: "\n").dropFirst() {
      let columns = row.split(separator: "\t", omittingEmptySubsequences: false)
      let counts = columns.last?.split(separator: "/") ?? []
      guard counts.count == 2, counts[0] == counts[1], let name = columns.first else { continue }
      if !others.contains(where: name.contains) { names.insert(String(name)) }
    }
    return names
  }()

  private static let archives = Corpus.valid.compactMap { Opened($0) }

  @Test("is decoded to a value and archived from it with the same keys and values", arguments: rows)
  func bothWays(_ row: ClassRow) throws {
    var count = 0
    for opened in Self.archives {
      guard let all = opened.objects[row.name] else { continue }
      count += all.count
      let archive = opened.archive
      var probed = archive
      // A few hundred of a kind in a file prove no more than a few dozen do.
      let uids = all.prefix(40)
      for uid in uids { try probed.setTopValue(.reference(uid), forKey: "probe \(uid.rawValue)") }
      let unarchiver = try KeyedUnarchiver(forReadingFrom: probed.data())
      for uid in uids {
        let comment = Comment(rawValue: "\(opened.name) \(uid)")
        do {
          let value = try row.decode(unarchiver, "probe \(uid.rawValue)")
          let archiver = KeyedArchiver(requiringSecureCoding: true, layout: .appleLegacy)
          archiver.encode(value, forKey: "root")
          let anew = try KeyedArchive(archiver.encodedData)
          var comparison = Comparison(ordered: opened.isOrdered)
          let difference = comparison.difference(archive[uid], anew.root)
          #expect(difference == nil, comment)
        } catch {
          Issue.record(error, comment)
        }
      }
    }
    #expect(count >= row.count)
  }
}

/// Compares what two archives hold below two objects.
struct Comparison {
  private struct Pair: Hashable {
    var a: ArchiveUID
    var b: ArchiveUID
  }

  /// Whether the keys must be in the same order.
  private let ordered: Bool
  private var seen: Set<Pair> = []

  init(ordered: Bool) { self.ordered = ordered }

  /// The way to the first difference; nil if there is none.
  mutating func difference(_ a: KeyedArchive.Node, _ b: KeyedArchive.Node) -> String? {
    // A conditional reference to what is not part of the graph is one to nothing, which has a number all the same.
    if b.isNull, let uid = b.uid, uid != .null { return nil }
    guard a.kind == b.kind else { return ": \(a.kind) became \(b.kind)" }
    if let one = a.uid, let other = b.uid, !seen.insert(Pair(a: one, b: other)).inserted { return nil }
    switch a.kind {
    case .object: return objectDifference(a, b)
    case .array:
      let (left, right) = (a.array ?? [], b.array ?? [])
      guard left.count == right.count else { return ": \(left.count) elements became \(right.count)" }
      for (place, pair) in zip(left, right).enumerated() {
        if let found = difference(pair.0, pair.1) { return "[\(place)]" + found }
      }
      return nil
    case .string: return a.string == b.string ? nil : ": \(a.string ?? "") became \(b.string ?? "")"
    case .data: return a.data == b.data ? nil : ": data differ"
    case .null, .missing: return nil
    default: return a.number == b.number ? nil : ": \(a.number as Any) became \(b.number as Any)"
    }
  }

  private mutating func objectDifference(_ a: KeyedArchive.Node, _ b: KeyedArchive.Node) -> String? {
    // Posing, as old nibs show it, is not the value's.
    let chain = (a.classDescription?.chain ?? []).filter { !$0.hasPrefix("%") }
    // Before 2008 the list of this class had no more in it.
    let isDecimal = a.className == "NSDecimalNumberPlaceholder" && b.className == a.className
    let isSame = a.classDescription == b.classDescription || chain == b.classDescription?.chain
    guard isSame || chain.isEmpty || isDecimal else {
      return ": \(a.classDescription?.chain ?? []) became \(b.classDescription?.chain ?? [])"
    }
    guard ordered ? a.keys == b.keys : Set(a.keys) == Set(b.keys) else { return ": keys \(a.keys) became \(b.keys)" }
    if isDecimal { return decimal(a) == decimal(b) ? nil : ": \(decimal(a)) became \(decimal(b))" }
    for key in a.keys {
      if let found = difference(a[key], b[key]) { return ".\(key)" + found }
    }
    return nil
  }

  /// What a decimal says, in one form: PowerPC had its digits the other way round, behind them is what stood in memory,
  /// and not all were made as short as they can be.
  private func decimal(_ node: KeyedArchive.Node) -> String {
    let length = node["NS.length"].number?.integer ?? 0
    let bytes = [UInt8](node["NS.mantissa"].data ?? Data())
    let isNegative = node["NS.negative"].number == .boolean(true)
    guard length > 0 else { return isNegative ? "not a number" : "0" }
    let isLittle = node["NS.mantissa.bo"].number == .integer(1)
    var mantissa: UInt128 = 0
    for digit in (0..<length).reversed() {
      let pair = (UInt128(bytes[2 * digit]), UInt128(bytes[2 * digit + 1]))
      mantissa = mantissa << 16 | (isLittle ? pair.1 << 8 | pair.0 : pair.0 << 8 | pair.1)
    }
    var exponent = node["NS.exponent"].number?.integer ?? 0
    while mantissa > 0, mantissa.isMultiple(of: 10) { (mantissa, exponent) = (mantissa / 10, exponent + 1) }
    return "\(isNegative ? "-" : "")\(mantissa)e\(exponent)"
  }
}
