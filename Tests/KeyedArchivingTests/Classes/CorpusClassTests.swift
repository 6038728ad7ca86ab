// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import Foundation
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing

@Suite(
  "Every class that Apple's programs wrote", .enabled(if: Corpus.isPresent, "\(Locations.sharedIsAbsent)"))
struct CorpusClassTests {
  /// An archive of the corpus with the numbers of its objects of each class.
  private struct Opened {
    var name: String
    var archive: KeyedArchive
    var layout: ArchiveLayout
    var isOrdered: Bool
    var objects: [String: [ArchiveUID]] = [:]

    init?(_ file: TestFile) {
      guard let data = try? file.data(), let archive = try? KeyedArchive(data),
        let generation = try? Generation(PropertyList(data))
      else { return nil }
      name = file.name
      layout = generation.layout
      self.archive = archive
      isOrdered = CorpusClassTests.ordered.contains(name)
      let wanted = Set(AppleClass.all.map(\.name))
      var names: [ArchiveUID: String] = [:]
      for index in 1..<UInt32(archive.objectCount) {
        let uid = ArchiveUID(rawValue: index)
        switch try? archive.object(uid) {
        case .bare: if let name = archive[uid].className { objects[name, default: []].append(uid) }
        case .instance(let classUID, _):
          if names[classUID] == nil { names[classUID] = (try? archive.classDescription(classUID).name) ?? "" }
          if let name = names[classUID], wanted.contains(name) { objects[name, default: []].append(uid) }
        default: break
        }
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

  /// Four files that a Python program wrote.
  private static let byOthers = ["dataclass", "nsmutabledata", "circular", "date"].map { "bpylist2__\($0)_archive" }

  /// The archives, the smallest first.
  private static let archives = Corpus.valid.filter { file in !byOthers.contains { file.name.contains($0) } }
    .compactMap { Opened($0) }
    .sorted { $0.archive.objectCount < $1.archive.objectCount }

  @Test("is decoded to a value and archived from it with the same keys and values", arguments: AppleClass.all)
  func bothWays(_ row: AppleClass) throws {
    var count = 0
    for opened in Self.archives {
      guard let all = opened.objects[row.name] else { continue }
      count += all.count
      let archive = opened.archive
      var probed = archive
      let uids = all.prefix(row.most)
      for uid in uids { try probed.setTopValue(.reference(uid), forKey: "probe \(uid.rawValue)") }
      let unarchiver = try KeyedUnarchiver(forReadingFrom: probed.data())
      for uid in uids {
        let comment = Comment(rawValue: "\(opened.name) \(uid)")
        do {
          let value = try row.decode(unarchiver, "probe \(uid.rawValue)")
          let archiver = KeyedArchiver(requiringSecureCoding: true, layout: opened.layout)
          archiver.encode(value, forKey: "root")
          let anew = try KeyedArchive(archiver.encodedData)
          var comparison = Comparison(ordered: opened.isOrdered, ignoresForms: true)
          let difference = comparison.difference(archive[uid], anew.root)
          #expect(difference == nil, comment)
        } catch {
          Issue.record(error, comment)
        }
      }
    }
    #expect(count >= row.count)
  }

  @Test("is refused with the place where any of its keys holds what no archiver stores", arguments: AppleClass.all)
  func wrongKinds(_ row: AppleClass) throws {
    var seen: Set<String> = []
    for opened in Self.archives {
      guard let uid = opened.objects[row.name]?.first else { continue }
      // Once for each key is enough.
      for key in opened.archive[uid].keys where seen.insert(key).inserted && !key.hasSuffix(".1") {
        var damaged = opened.archive
        try damaged.setTopValue(.reference(uid), forKey: "probe")
        try damaged.setValue(.array([.integer(1)]), forKey: key, of: uid)
        let unarchiver = try KeyedUnarchiver(forReadingFrom: damaged.data())
        let error = #expect(throws: KeyedArchiveError.self, "\(opened.name) \(key)") {
          try row.decode(unarchiver, "probe")
        }
        #expect([.typeMismatch, .malformedValue].contains(error?.code), "\(key): \(String(describing: error))")
        #expect(error?.keyPath?.hasPrefix("probe") ?? false, "\(key): \(String(describing: error))")
      }
    }
  }

  @Test("and that Swift has a type of its own for says the same as that")
  func swiftTypes() throws {
    for opened in Self.archives {
      func probe<Archived: KeyedCoding, Own: KeyedCoding>(
        _ name: String, _ type: Archived.Type, _ own: Own.Type, isSame: (Archived, Own) -> Bool
      ) throws {
        guard let uids = opened.objects[name] else { return }
        var probed = opened.archive
        for uid in uids { try probed.setTopValue(.reference(uid), forKey: "probe \(uid.rawValue)") }
        let unarchiver = try KeyedUnarchiver(forReadingFrom: probed.data())
        for uid in uids {
          let archived = try unarchiver.decode(type, forKey: "probe \(uid.rawValue)")
          let made = try unarchiver.decode(own, forKey: "probe \(uid.rawValue)")
          #expect(isSame(archived, made), "\(opened.name) \(uid)")
        }
      }
      try probe("NSTimeZone", ArchivedTimeZone.self, TimeZone.self) { $0.name == $1.identifier }
      try probe("NSLocale", ArchivedLocale.self, Locale.self) { $0.identifier == $1.identifier }
      try probe("NSCalendar", ArchivedCalendar.self, Calendar.self) {
        $0.identifier == "gregorian" && $1.identifier == .gregorian && $0.firstWeekday == $1.firstWeekday
      }
      for name in ["NSAttributedString", "NSMutableAttributedString"] {
        try probe(name, ArchivedAttributedString.self, AttributedString.self) {
          $0.text == String($1.characters)
        }
      }
    }
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
  /// Whether a collection may have become one of the other stored form.
  private let ignoresForms: Bool
  private var seen: Set<Pair> = []

  init(ordered: Bool, ignoresForms: Bool = false) {
    self.ordered = ordered
    self.ignoresForms = ignoresForms
  }

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
    case .real where a.number?.real?.isNaN ?? false: return b.number?.real?.isNaN ?? false ? nil : ": no number is one"
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
    if ignoresForms, !a.keys.contains("NS.objects"), b.keys.contains("NS.objects") { return elementDifference(a, b) }
    guard ordered ? a.keys == b.keys : Set(a.keys) == Set(b.keys) else { return ": keys \(a.keys) became \(b.keys)" }
    if isDecimal { return decimal(a) == decimal(b) ? nil : ": \(decimal(a)) became \(decimal(b))" }
    for key in a.keys {
      if let found = difference(a[key], b[key]) { return ".\(key)" + found }
    }
    return nil
  }

  /// Compares what collections hold, whichever form they have.
  private mutating func elementDifference(_ a: KeyedArchive.Node, _ b: KeyedArchive.Node) -> String? {
    let keys = (a.dictionary ?? [], b.dictionary ?? [])
    for (left, right) in [(a.array ?? [], b.array ?? []), (keys.0.map(\.key), keys.1.map(\.key))] {
      guard left.count == right.count else { return ": \(left.count) elements became \(right.count)" }
      for (place, pair) in zip(left, right).enumerated() {
        if let found = difference(pair.0, pair.1) { return "[\(place)]" + found }
      }
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
