// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Files in which the same bytes are referred to over and over, so that whoever goes through them once per reference never
/// comes to an end.
package enum Bombs {
  /// Each makes a file of about so many bytes.
  package static let all: [(name: String, make: @Sendable (Int) -> Data)] = [
    ("arrays that hold the next one many times", nestedArrays),
    ("dictionaries that hold the next one many times", nestedDictionaries),
    ("many arrays with one list of elements", sharedElements),
    ("many dictionaries with one list of keys", sharedPairs),
    ("one array under many numbers", oneArray),
    ("many texts with one content", sharedText),
    ("one text under many numbers", oneText),
    ("many objects with one data", sharedData),
    ("one data under many numbers", oneData),
    ("one object with many keys under many numbers", oneWideObject),
    ("one array with numbered keys under many numbers", oneNumberedArray),
    ("many class records with one list of superclasses", sharedSuperclasses),
    ("many objects with one list of lists", sharedLists),
    ("lists in lists outside of objects", nestedLists),
    ("many references to one large array", oneLargeArray),
    ("many objects of one class with a long name", longClassName),
    ("many arrays of one class that only its last hint names", lastHint),
    ("many references to nothing under one long key", danglingReferences),
    ("many objects whose class is one costly record that is none", costlyNonRecord),
    ("a dictionary whose keys are all one large array", largeKeys),
  ]

  /// What is compared with. How long a byte takes depends on what it is: a reference of two bytes makes as much work as a
  /// string of twenty. So there are two, and the dearer one counts.
  package static let plain: [@Sendable (Int) -> Data] = [plainTexts, plainReferences]

  /// An array of arrays of eight strings each.
  private static func plainTexts(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let array = file.classUID("NSArray", "NSObject")
    var elements: [Int] = []
    for number in 0..<max(1, byteCount / 280) {
      let strings = (0..<8).map { place in
        file.reference(file.object(row: file.row(.string("text \(number * 8 + place)"))))
      }
      elements.append(file.reference(file.object(row: file.fields(array, [("NS.objects", file.row(.array(strings)))]))))
    }
    let root = file.object(row: file.fields(array, [("NS.objects", file.row(.array(elements)))]))
    return file.data(root: root)
  }

  /// An array of arrays of references to a thousand strings.
  private static func plainReferences(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let array = file.classUID("NSArray", "NSObject")
    let texts = (0..<min(1000, byteCount / 100)).map { file.reference(file.object(row: file.text("text \($0)"))) }
    let uids = (0..<100).map { _ in
      let elements = (0..<byteCount / 200).map { texts[$0 % texts.count] }
      return file.object(row: file.fields(array, [("NS.objects", file.row(.array(elements)))]))
    }
    return root(&file, uids)
  }

  private static func root(_ file: inout ArchiveFile, _ uids: some Sequence<Int>) -> Data {
    let elements = file.row(.array(uids.map { file.reference($0) }))
    let root = file.object(row: file.fields(file.classUID("NSArray", "NSObject"), [("NS.objects", elements)]))
    return file.data(root: root)
  }

  private static func nestedArrays(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let array = file.classUID("NSArray", "NSObject")
    var uid = file.object(row: file.text("the end"))
    for _ in 0..<400 {
      let elements = [Int](repeating: file.reference(uid), count: byteCount / 400 / 2)
      uid = file.object(row: file.fields(array, [("NS.objects", file.row(.array(elements)))]))
    }
    return file.data(root: uid)
  }

  private static func nestedDictionaries(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let dictionary = file.classUID("NSDictionary", "NSObject")
    var uid = file.object(row: file.text("the end"))
    let count = max(2, byteCount / 400 / 4)
    let names = (0..<count).map { file.reference(file.object(row: file.text("key \($0)"))) }
    for _ in 0..<400 {
      let values = file.row(.array([Int](repeating: file.reference(uid), count: count)))
      uid = file.object(row: file.fields(dictionary, [("NS.keys", file.row(.array(names))), ("NS.objects", values)]))
    }
    return file.data(root: uid)
  }

  private static func sharedElements(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let array = file.classUID("NSArray", "NSObject")
    let text = file.reference(file.object(row: file.text("text")))
    let elements = file.row(.array([Int](repeating: text, count: byteCount / 8)))
    let uids = (0..<byteCount / 60).map { _ in file.object(row: file.fields(array, [("NS.objects", elements)])) }
    return root(&file, uids)
  }

  private static func sharedPairs(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let dictionary = file.classUID("NSDictionary", "NSObject")
    let names = (0..<byteCount / 60).map { file.reference(file.object(row: file.text("key \($0)"))) }
    let keys = file.row(.array(names))
    let uids = (0..<byteCount / 80).map { _ in
      file.object(row: file.fields(dictionary, [("NS.keys", keys), ("NS.objects", keys)]))
    }
    return root(&file, uids)
  }

  private static func oneArray(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let array = file.classUID("NSArray", "NSObject")
    let text = file.reference(file.object(row: file.text("text")))
    let elements = file.row(.array([Int](repeating: text, count: byteCount / 8)))
    let row = file.fields(array, [("NS.objects", elements)])
    let uids = (0..<byteCount / 30).map { _ in file.object(row: row) }
    return root(&file, uids)
  }

  private static func sharedText(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let mutable = file.classUID("NSMutableString", "NSString", "NSObject")
    let text = file.row(.string(String(repeating: "text", count: byteCount / 8)))
    let uids = (0..<byteCount / 60).map { _ in file.object(row: file.fields(mutable, [("NS.string", text)])) }
    return root(&file, uids)
  }

  private static func oneText(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let text = file.row(.string(String(repeating: "text", count: byteCount / 8)))
    let uids = (0..<byteCount / 30).map { _ in file.object(row: text) }
    return root(&file, uids)
  }

  private static func sharedData(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let mutable = file.classUID("NSMutableData", "NSData", "NSObject")
    let data = file.row(.data(byteCount / 2))
    let uids = (0..<byteCount / 60).map { _ in file.object(row: file.fields(mutable, [("NS.data", data)])) }
    return root(&file, uids)
  }

  private static func oneData(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let data = file.row(.data(byteCount / 2))
    let uids = (0..<byteCount / 30).map { _ in file.object(row: data) }
    return root(&file, uids)
  }

  private static func oneWideObject(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let wide = file.classUID("Wide", "NSObject")
    let value = file.row(.integer(1))
    let row = file.fields(wide, (0..<byteCount / 50).map { ("key \($0)", value) })
    let uids = (0..<byteCount / 30).map { _ in file.object(row: row) }
    return root(&file, uids)
  }

  private static func oneNumberedArray(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let array = file.classUID("NSArray", "NSObject")
    let text = file.reference(file.object(row: file.text("text")))
    let row = file.fields(array, (0..<byteCount / 50).map { ("NS.object.\($0)", text) })
    let uids = (0..<byteCount / 30).map { _ in file.object(row: row) }
    return root(&file, uids)
  }

  private static func sharedSuperclasses(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let names = file.row(.array([Int](repeating: file.text("NSArray"), count: byteCount / 8)))
    let uids = (0..<byteCount / 120).map { _ in
      let record = file.row(
        .dictionary([(file.text("$classname"), file.text("NSArray")), (file.text("$classes"), names)]))
      return file.object(row: file.fields(file.object(row: record), [("NS.objects", file.row(.array([])))]))
    }
    return root(&file, uids)
  }

  private static func sharedLists(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let holder = file.classUID("Holder", "NSObject")
    let inner = file.row(.array([Int](repeating: file.reference(0), count: byteCount / 12)))
    let outer = file.row(.array([Int](repeating: inner, count: byteCount / 12)))
    let uids = (0..<byteCount / 60).map { _ in file.object(row: file.fields(holder, [("lists", outer)])) }
    return root(&file, uids)
  }

  /// No archive but a list.
  private static func nestedLists(_ byteCount: Int) -> Data {
    var table = TableFile()
    var row = table.add(.string("the end"))
    for _ in 0..<400 { row = table.add(.array([Int](repeating: row, count: max(2, byteCount / 400 / 2)))) }
    // Rows that share their bytes are many for whoever remembers rows.
    let twins = (0..<byteCount / 20).map { _ in table.add(.same(row)) }
    let top = table.add(.array(twins))
    return table.data(top: top)
  }

  private static func oneLargeArray(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let text = file.reference(file.object(row: file.text("text")))
    let elements = file.row(.array([Int](repeating: text, count: byteCount / 4)))
    let array = file.classUID("NSArray", "NSObject")
    let large = file.object(row: file.fields(array, [("NS.objects", elements)]))
    return root(&file, [Int](repeating: large, count: byteCount / 4))
  }

  private static func longClassName(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let long = file.classUID(String(repeating: "Long", count: byteCount / 8), "NSObject")
    let uids = (0..<byteCount / 40).map { _ in file.object(row: file.fields(long, [])) }
    return root(&file, uids)
  }

  private static func lastHint(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let hints = [Int](repeating: file.text("Hint"), count: byteCount / 8) + [file.text("NSArray")]
    let name = file.text(String(repeating: "Long", count: byteCount / 16))
    let record = file.row(
      .dictionary([(file.text("$classname"), name), (file.text("$classhints"), file.row(.array(hints)))]))
    let classUID = file.object(row: record)
    let none = file.row(.array([]))
    let uids = (0..<byteCount / 40).map { _ in file.object(row: file.fields(classUID, [("NS.objects", none)])) }
    return root(&file, uids)
  }

  private static func danglingReferences(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let holder = file.classUID("Holder", "NSObject")
    let nothing = file.reference(1_000_000)
    let elements = file.row(.array([Int](repeating: nothing, count: byteCount / 2)))
    let key = String(repeating: "long", count: byteCount / 8)
    return file.data(root: file.object(row: file.fields(holder, [(key, elements)])))
  }

  private static func costlyNonRecord(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let names = [Int](repeating: file.text("NSObject"), count: byteCount / 8)
    let chain = file.row(.array(names + [file.row(.integer(1))]))
    let record = file.row(.dictionary([(file.text("$classname"), file.text("X")), (file.text("$classes"), chain)]))
    let classUID = file.object(row: record)
    let uids = (0..<byteCount / 40).map { _ in file.object(row: file.fields(classUID, [])) }
    return root(&file, uids)
  }

  private static func largeKeys(_ byteCount: Int) -> Data {
    var file = ArchiveFile()
    let text = file.reference(file.object(row: file.text("text")))
    let array = file.classUID("NSArray", "NSObject")
    let elements = file.row(.array([Int](repeating: text, count: byteCount / 8)))
    let large = file.reference(file.object(row: file.fields(array, [("NS.objects", elements)])))
    let keys = file.row(.array([Int](repeating: large, count: byteCount / 8)))
    let values = file.row(.array([Int](repeating: text, count: byteCount / 8)))
    let dictionary = file.classUID("NSDictionary", "NSObject")
    return file.data(
      root: file.object(row: file.fields(dictionary, [("NS.keys", keys), ("NS.objects", values)])))
  }
}
