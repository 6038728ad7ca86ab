// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HarnessSupport

/// Files of about so many bytes that cost more than they should have at some time.
enum CostPatterns {
  static let all: [(name: String, make: @Sendable (Int) -> Data)] = [
    ("numbered elements beside one long key", { numbered($0, String(repeating: "\u{301}", count: $0 / 8)) }),
    ("numbered elements beside one long key of ASCII", { numbered($0, String(repeating: "a", count: $0 / 4)) }),
    ("the archiver's name with many marks", { named(marks($0)) }),
    ("a class with many marks in its name", { classNamed("N" + marks($0)) }),
    ("texts with many marks as keys of a dictionary", markedKeys),
    ("keys of one hash", equalHashes),
    ("arrays and dictionaries that hold the next one twice", nestedPairs),
    ("many classes", manyClasses),
    ("objects that share one long key", sharedKey),
    ("errors that hold the next one twice", nestedErrors),
    ("many references to one class with many superclasses", manyReferencesToOneClass),
    ("one object with one array under many keys", oneArrayUnderManyKeys),
    ("objects of many forms that share a key with bounded runs of marks", boundedMarks),
    ("nodes that each have the next one many times", sharedNodes),
    ("nodes that each have all nodes", denseNodes),
    ("nodes that share one array and one dictionary", nodesWithSharedCollections),
    ("a chain of nodes whose last one is damaged", damagedChain),
    ("a set of a node, each of which has the next one twice", { hashedNodes($0, "NSSet", keys: []) }),
    (
      "a dictionary whose key is a node, each of which has the next one twice",
      { hashedNodes($0, "NSDictionary", keys: ["NS.keys"]) }
    ),
    ("a set of nodes that share one long text", { namedNodes($0, "a") }),
    ("a set of nodes that share one long text that is slow to hash", { namedNodes($0, slowLetter) }),
    ("a set of nodes that share one inline text that is slow to hash", { namedNodes($0, slowLetter, length: 250) }),
    ("a set of one long text that is slow to hash", { textSet($0, count: $0 / 80, length: $0 / 4) }),
    ("a set of one text of medium length that is slow to hash", { textSet($0, count: $0 / 4, length: 200) }),
    ("a set of one short text that is slow to hash", { textSet($0, count: $0 / 4, length: 15) }),
    ("many references to one real of 17 digits", { values($0, .real(-1.2345678901234567e-300)) }),
    ("many references to one date", { values($0, .date(-1e14)) }),
    ("many texts with one set of attributes", { shared($0, "NSAttributedString", "NSAttributes", dictionary) }),
    ("many texts with one list of runs", textsWithSharedRuns),
    ("many errors with one user info", { shared($0, "NSError", "NSUserInfo", dictionary) }),
    ("many index paths with one content", indexPaths),
    ("many character sets with one text", { shared($0, "NSCharacterSet", "NSStringObject", longText) }),
    ("many regular expressions with properties", regularExpressions),
    ("many units with one list of superclasses", unitsWithManySuperclasses),
    ("many classes with one list of hints", classesWithManyHints),
    ("many classes with one mangled name", mangledClasses),
    ("a class whose hints share one mangled name", mangledHints),
    ("Codable objects that each have the next one three times", CostPage.sharedPages),
    ("one chain of Codable objects many times", CostPage.repeatedChain),
    ("many Codable objects", CostPage.manyPages),
  ]

  private static func marks(_ count: Int) -> String {
    String(repeating: "\u{301}", count: count / 8) + String(repeating: "\u{323}", count: count / 8)
  }

  private static func root(_ file: inout ArchiveFile, _ uids: some Sequence<Int>) -> Data {
    let elements = file.row(.array(uids.map { file.reference($0) }))
    let root = file.object(row: file.fields(file.classUID("NSArray", "NSObject"), [("NS.objects", elements)]))
    return file.data(root: root)
  }

  private static func numbered(_ byteCount: Int, _ key: String) -> Data {
    var file = ArchiveFile()
    let array = file.classUID("NSArray", "NSObject")
    let text = file.reference(file.object(row: file.text("text")))
    let row = file.fields(array, [("NS.object.0", text), ("N" + key, text)])
    let uids = (0..<byteCount / 30).map { _ in file.object(row: row) }
    return root(&file, uids)
  }

  private static func named(_ text: String) -> Data {
    var file = ArchiveFile()
    return file.data(root: file.object(row: file.text(text)))
  }

  private static func classNamed(_ name: String) -> Data {
    var file = ArchiveFile()
    let classUID = file.classUID(name, "NSObject")
    let uids = (0..<20).map { _ in file.object(row: file.fields(classUID, [])) }
    return root(&file, uids)
  }

  private static func markedKeys(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let dictionary = file.classUID("NSDictionary", "NSObject")
    let keys = (0..<8).map { file.reference(file.object(row: file.text("k\($0)" + marks(byteCount / 10)))) }
    let list = file.row(.array(keys))
    return file.data(
      root: file.object(row: file.fields(dictionary, [("NS.keys", list), ("NS.objects", list)])))
  }

  private static func equalHashes(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let box = file.classUID("Box", "NSObject")
    let value = file.row(.integer(1))
    let names = (0..<byteCount / 200).map {
      String(repeating: "a", count: 34) + "\(10_000_000 + $0)" + String(repeating: "b", count: 140)
    }
    return file.data(root: file.object(row: file.fields(box, names.map { ($0, value) })))
  }

  private static func nestedPairs(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let (array, dictionary) = (file.classUID("NSArray", "NSObject"), file.classUID("NSDictionary", "NSObject"))
    let keys = file.row(.array([0, 1].map { file.reference(file.object(row: file.text("key \($0)"))) }))
    var uid = file.object(row: file.text("the end"))
    for level in 0..<min(byteCount / 40, 400) {
      let two = file.row(.array([file.reference(uid), file.reference(uid)]))
      uid = file.object(
        row: level % 2 == 0
          ? file.fields(array, [("NS.objects", two)])
          : file.fields(dictionary, [("NS.keys", keys), ("NS.objects", two)]))
    }
    return file.data(root: uid)
  }

  private static func manyClasses(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let uids = (0..<byteCount / 80).map { number in
      file.object(row: file.fields(file.classUID("Class \(number)", "NSObject"), []))
    }
    return root(&file, uids)
  }

  private static func sharedKey(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let box = file.classUID("Box", "NSObject")
    let value = file.row(.integer(1))
    let key = String(repeating: "key", count: byteCount / 6)
    let uids = (0..<byteCount / 40).map { _ in file.object(row: file.fields(box, [(key, value)])) }
    return root(&file, uids)
  }

  private static func nestedErrors(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let (error, dictionary) = (file.classUID("NSError", "NSObject"), file.classUID("NSDictionary", "NSObject"))
    let names = [0, 1].map { file.reference(file.object(row: file.text("key \($0)"))) }
    let keys = file.row(.array(names))
    let code = file.row(.integer(1))
    var uid = file.object(row: file.text("the end"))
    for _ in 0..<min(byteCount / 60, 200) {
      let two = file.row(.array([file.reference(uid), file.reference(uid)]))
      let info = file.reference(file.object(row: file.fields(dictionary, [("NS.keys", keys), ("NS.objects", two)])))
      uid = file.object(row: file.fields(error, [("NSDomain", names[0]), ("NSCode", code), ("NSUserInfo", info)]))
    }
    return file.data(root: uid)
  }

  /// The references stand where objects are expected, so that each of them is looked at.
  private static func manyReferencesToOneClass(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let name = file.text("NSObject")
    let names = file.row(.array(Array(repeating: name, count: byteCount / 4)))
    let fields = [(key: file.text("$classname"), value: name), (key: file.text("$classes"), value: names)]
    let record = file.object(row: file.row(.dictionary(fields)))
    return root(&file, repeatElement(record, count: byteCount / 8))
  }

  /// Runs of as many marks as are not refused yet, between letters.
  private static func boundedMarks(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let box = file.classUID("Box", "NSObject")
    let value = file.row(.integer(1))
    let run = "a" + String(repeating: "\u{301}", count: 500)
    let key = String(repeating: run, count: max(1, byteCount / 4 / 1001))
    let uids = (0..<byteCount / 60).map { file.object(row: file.fields(box, [("key \($0)", value), (key, value)])) }
    return root(&file, uids)
  }

  private static func oneArrayUnderManyKeys(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let text = file.reference(file.object(row: file.text("text")))
    let list = file.row(.array(Array(repeating: text, count: byteCount / 4)))
    let fields = (0..<byteCount / 24).map { ("key \($0)", list) }
    return file.data(root: file.object(row: file.fields(file.classUID("Box", "NSObject"), fields)))
  }

  /// The class is one that entry points decode with deferred references.
  private static func sharedNodes(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let (node, array) = (file.classUID("HNode", "NSObject"), file.classUID("NSArray", "NSObject"))
    let name = file.reference(file.object(row: file.text("name")))
    var uid = 0
    for _ in 0..<min(byteCount / 200, 400) {
      let next = file.reference(uid)
      let list = file.object(
        row: file.fields(array, [("NS.objects", file.row(.array(Array(repeating: next, count: 40))))]))
      uid = file.object(
        row: file.fields(node, [("name", name), ("next", next), ("children", file.reference(list))]))
    }
    return file.data(root: uid)
  }

  private static func denseNodes(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let (node, array) = (file.classUID("HNode", "NSObject"), file.classUID("NSArray", "NSObject"))
    let count = byteCount / 100
    // The list is the first object after the classes, and the nodes follow.
    let nodes = (0..<count).map { file.reference(array + 2 + $0) }
    let list = file.reference(file.object(row: file.fields(array, [("NS.objects", file.row(.array(nodes)))])))
    for number in 0..<count {
      _ = file.object(
        row: file.fields(node, [("next", file.reference(array + 2 + (number + 1) % count)), ("children", list)]))
    }
    return file.data(root: array + 2)
  }

  /// Each node has the next one under several keys. The last one is a text.
  private static func damagedChain(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let (node, array) = (file.classUID("HNode", "NSObject"), file.classUID("NSArray", "NSObject"))
    var uid = file.object(row: file.text("text"))
    for _ in 0..<min(byteCount / 60, 400) {
      let next = file.reference(uid)
      let list = file.reference(
        file.object(row: file.fields(array, [("NS.objects", file.row(.array([next, next])))])))
      uid = file.object(row: file.fields(node, [("next", next), ("info", next), ("children", list)]))
    }
    return file.data(root: uid)
  }

  /// The first node is the element of a collection, under `NS.objects` and other keys.
  private static func hashedNodes(_ byteCount: Int, _ className: String, keys: [String]) -> Data {
    var file = ArchiveFile()
    let node = file.classUID("HNode", "NSObject")
    var uid = file.object(row: file.fields(node, []))
    for _ in 0..<min(byteCount / 40, 400) {
      let next = file.reference(uid)
      uid = file.object(row: file.fields(node, [("next", next), ("info", next)]))
    }
    let list = file.row(.array([file.reference(uid)]))
    let fields = (keys + ["NS.objects"]).map { ($0, list) }
    return file.data(root: file.object(row: file.fields(file.classUID(className, "NSObject"), fields)))
  }

  /// The sign of the unit ångström, which takes ten times as long to hash as other letters. It equals a letter.
  private static let slowLetter = "\u{212B}"

  /// A set of nodes whose names are one object or, with a length, one inline string.
  private static func namedNodes(_ byteCount: Int, _ letter: String, length: Int? = nil) -> Data {
    var file = ArchiveFile()
    let node = file.classUID("HNode", "NSObject")
    let text = file.text(String(repeating: letter, count: length ?? byteCount / 4))
    let fields = file.fields(node, [("name", length == nil ? file.reference(file.object(row: text)) : text)])
    // Hashing all of them takes less work than is allowed.
    let uids = (0..<byteCount / (length == nil ? 80 : 16)).map { _ in file.object(row: fields) }
    return set(&file, uids)
  }

  /// A set of one text many times.
  private static func textSet(_ byteCount: Int, count: Int, length: Int) -> Data {
    var file = ArchiveFile()
    let text = file.object(row: file.text(String(repeating: slowLetter, count: length)))
    return set(&file, [Int](repeating: text, count: count))
  }

  /// An object with a list of one value many times, half of them without a UID.
  private static func values(_ byteCount: Int, _ value: TableFile.Row) -> Data {
    var file = ArchiveFile()
    let row = file.row(value)
    let uid = file.reference(file.object(row: row))
    let fields = [
      ("NS.objects", file.row(.array([Int](repeating: uid, count: byteCount / 2)))),
      ("values", file.row(.array([Int](repeating: row, count: byteCount / 2)))),
    ]
    return file.data(root: file.object(row: file.fields(file.classUID("NSArray", "NSObject"), fields)))
  }

  private static func set(_ file: inout ArchiveFile, _ uids: [Int]) -> Data {
    let list = file.row(.array(uids.map { file.reference($0) }))
    let fields = file.fields(file.classUID("NSSet", "NSObject"), [("NS.objects", list)])
    return file.data(root: file.object(row: fields))
  }

  /// The elements of the array are nodes without children, which decoders have complete when they need them.
  private static func nodesWithSharedCollections(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let (node, array) = (file.classUID("HNode", "NSObject"), file.classUID("NSArray", "NSObject"))
    let leaf = file.reference(file.object(row: file.fields(node, [])))
    let children = file.row(.array(Array(repeating: leaf, count: byteCount / 6)))
    let list = file.reference(file.object(row: file.fields(array, [("NS.objects", children)])))
    let keys = file.row(
      .array((0..<byteCount / 60).map { file.reference(file.object(row: file.text("key \($0)"))) }))
    let table = file.reference(
      file.object(
        row: file.fields(file.classUID("NSDictionary", "NSObject"), [("NS.keys", keys), ("NS.objects", keys)])))
    let fields = file.fields(node, [("children", list), ("info", table), ("title", table)])
    return root(&file, (0..<byteCount / 20).map { _ in file.object(row: fields) })
  }

  /// An array of nodes with four children each, all of them different, as a program writes them.
  static func plainNodes(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let (node, array) = (file.classUID("HNode", "NSObject"), file.classUID("NSArray", "NSObject"))
    func add(_ name: String, _ children: [Int]) -> Int {
      let text = file.reference(file.object(row: file.row(.string(name))))
      let elements = file.row(.array(children.map { file.reference($0) }))
      let list = file.reference(file.object(row: file.fields(array, [("NS.objects", elements)])))
      return file.object(row: file.fields(node, [("name", text), ("children", list)]))
    }
    let uids = (0..<max(1, byteCount / 500)).map { number in
      add("node \(number)", (0..<4).map { add("child \(number * 4 + $0)", []) })
    }
    return root(&file, uids)
  }
}

// Values whose content many others share.
extension CostPatterns {
  /// Objects of a class that share the content for one of their keys, and the text for another one.
  private static func shared(
    _ byteCount: Int, _ className: String, _ key: String, _ content: (inout ArchiveFile, Int) -> Int
  ) -> Data {
    var file = ArchiveFile()
    let classUID = file.classUID(className, "NSObject")
    let content = content(&file, byteCount)
    let text = file.reference(file.object(row: file.text("text")))
    let number = file.row(.integer(1))
    let fields = file.fields(
      classUID, [("NSString", text), ("NSDomain", text), ("NSCode", number), (key, content)])
    return root(&file, (0..<byteCount / 12).map { _ in file.object(row: fields) })
  }

  /// A dictionary of texts, which takes half of the bytes.
  private static func dictionary(_ file: inout ArchiveFile, _ byteCount: Int) -> Int {
    let texts = file.row(.array((0..<byteCount / 40).map { file.reference(file.object(row: file.text("key \($0)"))) }))
    let dictionary = file.fields(
      file.classUID("NSDictionary", "NSObject"), [("NS.keys", texts), ("NS.objects", texts)])
    return file.reference(file.object(row: dictionary))
  }

  private static func longText(_ file: inout ArchiveFile, _ byteCount: Int) -> Int {
    file.reference(file.object(row: file.text(String(repeating: "ab", count: byteCount / 4))))
  }

  private static func indexPaths(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let classUID = file.classUID("NSIndexPath", "NSObject")
    // Each byte is an index.
    let indexes = file.reference(file.object(row: file.row(.data(byteCount / 2))))
    let fields = file.fields(
      classUID, [("NSIndexPathLength", file.row(.integer(byteCount / 2))), ("NSIndexPathData", indexes)])
    return root(&file, (0..<byteCount / 12).map { _ in file.object(row: fields) })
  }

  private static func textsWithSharedRuns(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let classUID = file.classUID("NSAttributedString", "NSObject")
    // Each run has the length and the set of the byte with which data is filled.
    let set = file.reference(
      file.object(
        row: file.fields(
          file.classUID("NSDictionary", "NSObject"),
          [("NS.keys", file.row(.array([]))), ("NS.objects", file.row(.array([])))])))
    let sets = file.row(.array(Array(repeating: set, count: Int(TableFile.fill) + 1)))
    let list = file.reference(
      file.object(row: file.fields(file.classUID("NSArray", "NSObject"), [("NS.objects", sets)])))
    let runCount = byteCount / 256
    let text = file.text(String(repeating: "a", count: runCount * Int(TableFile.fill)))
    let runs = file.reference(file.object(row: file.row(.data(2 * runCount))))
    let fields = file.fields(
      classUID,
      [("NSString", file.reference(file.object(row: text))), ("NSAttributes", list), ("NSAttributeInfo", runs)])
    return root(&file, (0..<byteCount / 24).map { _ in file.object(row: fields) })
  }

  private static func regularExpressions(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let classUID = file.classUID("NSRegularExpression", "NSObject")
    let objects = (0..<byteCount / 64).map { number in
      let pattern = file.text("\(number)\\p{L}")
      let fields = [("NSPattern", file.reference(file.object(row: pattern))), ("NSOptions", file.row(.integer(0)))]
      return file.object(row: file.fields(classUID, fields))
    }
    return root(&file, objects)
  }

  private static func unitsWithManySuperclasses(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let name = file.text("NSUnit")
    let names = file.row(.array(Array(repeating: name, count: byteCount / 4)))
    let record = file.object(
      row: file.row(.dictionary([(file.text("$classname"), name), (file.text("$classes"), names)])))
    let symbol = file.reference(file.object(row: file.text("m")))
    let fields = file.fields(record, [("NS.symbol", symbol)])
    return root(&file, (0..<byteCount / 12).map { _ in file.object(row: fields) })
  }

  /// The mangled name of a generic class with many types in its arguments.
  private static func mangledName(_ byteCount: Int) -> String {
    "_TtGC1M1C" + String(repeating: "Sb", count: min(byteCount / 2, 2040)) + "_"
  }

  private static func mangledClasses(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let record = file.row(.dictionary([(file.text("$classname"), file.text(mangledName(byteCount / 10)))]))
    let objects = (0..<byteCount / 40).map { _ in
      let classUID = file.object(row: record)
      return file.object(row: file.fields(classUID, []))
    }
    return root(&file, objects)
  }

  private static func mangledHints(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let hints = file.row(.array(Array(repeating: file.text(mangledName(byteCount / 10)), count: byteCount / 8)))
    let record = file.object(
      row: file.row(.dictionary([(file.text("$classname"), file.text("Lost")), (file.text("$classhints"), hints)])))
    return root(&file, [file.object(row: file.fields(record, []))])
  }

  private static func classesWithManyHints(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let hints = file.row(.array(Array(repeating: file.text("Other"), count: byteCount / 8)))
    let record = file.row(
      .dictionary([(file.text("$classname"), file.text("Lost")), (file.text("$classhints"), hints)]))
    let objects = (0..<byteCount / 40).map { _ in
      let classUID = file.object(row: record)
      return file.object(row: file.fields(classUID, []))
    }
    return root(&file, objects)
  }
}
