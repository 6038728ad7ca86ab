// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

private let dictionaryClass: HandmadeList = .classRecord("NSDictionary", "NSObject")
private let arrayClass: HandmadeList = .classRecord("NSArray", "NSObject")

/// A class of a program that an untyped value may contain.
private final class Gadget: SecureKeyedCoding {
  let size: Int
  static var archiveClassName: String { "Gadget" }
  init(size: Int) { self.size = size }
  func encode(with coder: KeyedArchiver) { coder.encode(size, forKey: "size") }
  init?(coder: KeyedUnarchiver) { size = coder.decodeInteger(forKey: "size") }
}

/// A type that has no archived form.
private struct Loose: Hashable {}

@Suite("Values of any type")
struct UntypedValueTests {
  private func archive(_ value: Any?) throws -> Data {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    try archiver.encodeAny(value, forKey: "root")
    return try archiver.encodedData
  }

  private func decode(_ data: Data, _ types: [any KeyedCoding.Type]? = nil) throws -> Any? {
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    guard let types else { return try unarchiver.decodeAny(forKey: "root") }
    return try unarchiver.decodeAny(of: types, forKey: "root")
  }

  private func error(of data: Data, _ types: [any KeyedCoding.Type]? = nil) throws -> KeyedArchiveError {
    try #require(#expect(throws: KeyedArchiveError.self) { try decode(data, types) })
  }

  /// An object that requests a property list of its own.
  private struct Screen: SecureKeyedCoding {
    static var archiveClassName: String { "Screen" }
    init(coder: KeyedUnarchiver) throws {
      if coder.decodeBool(forKey: "isCodable") {
        _ = coder.decodeDecodable([String: [[Int]]].self, forKey: "settings")
      } else {
        _ = try coder.decodeAny(forKey: "settings")
      }
    }
    func encode(with coder: KeyedArchiver) {}
  }

  // Each object once had a budget of its own.
  @Test("all objects that request one property list have one budget", arguments: [false, true])
  func sharedBudget(isCodable: Bool) throws {
    func archive(_ count: Int, _ elements: Int) -> Data {
      var file = ArchiveFile()
      let (array, dictionary) = (file.classUID("NSArray", "NSObject"), file.classUID("NSDictionary", "NSObject"))
      let number = file.reference(file.object(row: file.row(.integer(7))))
      func list(_ element: Int) -> Int {
        let elements = file.row(.array(Array(repeating: element, count: elements)))
        return file.reference(file.object(row: file.fields(array, [("NS.objects", elements)])))
      }
      let key = file.reference(file.object(row: file.text("k")))
      let lists = list(list(number))
      let settings = file.reference(
        file.object(
          row: file.fields(
            dictionary, [("NS.keys", file.row(.array([key]))), ("NS.objects", file.row(.array([lists])))])))
      let fields = file.fields(
        file.classUID("Screen"), [("settings", settings), ("isCodable", file.row(.boolean(isCodable)))])
      let screens = (0..<count).map { _ in file.reference(file.object(row: fields)) }
      return file.data(root: file.object(row: file.fields(array, [("NS.objects", file.row(.array(screens)))])))
    }
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: [Screen].self, from: archive(20, 10))?.count == 20)
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: [Screen].self, from: archive(2000, 60))
    }
    #expect(error?.code == .limitReached)
  }

  private static let date = Date(timeIntervalSinceReferenceDate: 1.5)
  private static var settings: [String: Any] {
    [
      "text": "Yéti", "yes": true, "one": 1, "real": 1.0, "short": Float(1), "date": date, "bytes": Data([1, 2]),
      "list": [1, "a", false, [Any](), ["deep": -7] as [String: Any]] as [Any], "none": Int?.none as Any,
      "some": Optional("x") as Any, "hashable": AnyHashable(5), "large": UInt64.max, "texts": ["b", "a"],
    ]
  }

  @Test(
    "are stored with their kinds, as another reader sees them", .enabled(if: Python.isPresent, "\(Python.isAbsent)"))
  func stored() throws {
    let program = """
      import plistlib, sys
      archive = plistlib.loads(sys.stdin.buffer.read())
      objects = archive['$objects']
      def text(uid):
        value = objects[uid.data]
        if not isinstance(value, dict):
          return value.hex() if isinstance(value, bytes) else type(value).__name__ + ':' + str(value)
        name = objects[value['$class'].data]['$classname']
        if name == 'NSArray': return '[' + ' '.join(text(e) for e in value['NS.objects']) + ']'
        if name == 'NSDictionary':
          pairs = zip(value['NS.keys'], value['NS.objects'])
          return '{' + ' '.join(objects[k.data] + '=' + text(v) for k, v in pairs) + '}'
        return name + str(value.get('NS.time', ''))
      print(text(archive['$top']['root']))
      """
    let data = try archive(Self.settings)
    let read = String(decoding: try Python.run(program, input: data), as: UTF8.self)
    #expect(
      read == "{bytes=0102 date=NSDate1.5 hashable=int:5 large=int:18446744073709551615 "
        + "list=[int:1 str:a bool:False [] {deep=int:-7}] none=NSNull one=int:1 real=float:1.0 short=float:1.0 "
        + "some=str:x text=str:Yéti texts=[str:b str:a] yes=bool:True}\n")
    // The order of pairs does not depend on Swift's.
    #expect(try archive(Self.settings.reduce(into: [:]) { $0[$1.key] = $1.value }) == data)
  }

  /// A random value, and the text by which another reader describes its archive.
  private struct Generated {
    var value: Any
    var text: String

    init(_ random: inout SeededRandom, depth: Int = 0) {
      let kinds = depth < 5 ? 16 : 11
      switch Int(random.next() % UInt64(kinds)) {
      case 0: (value, text) = (true, "bool:True")
      case 1: (value, text) = (false, "bool:False")
      case 2:
        let bits = Int64(bitPattern: random.next()) >> Int64(random.next() % 64)
        (value, text) = (Int(bits), "int:\(bits)")
      case 3:
        let number = UInt64.max - random.next() % 1000
        (value, text) = (number, "int:\(number)")
      case 4:
        let number = Double(Int64(bitPattern: random.next()) >> 20) / 1024
        (value, text) = (number, "float:\(number.bitPattern)")
      case 5:
        let number = Float(Int64(bitPattern: random.next()) >> 44) / 8
        (value, text) = (number, "float:\(Double(number).bitPattern)")
      case 6:
        let seconds = Double(Int64(bitPattern: random.next()) >> 30) / 4
        (value, text) = (Date(timeIntervalSinceReferenceDate: seconds), "NSDate\(seconds.bitPattern)")
      case 7:
        let bytes = random.bytes(Int(random.next() % 20))
        (value, text) = (
          Data(bytes), "bytes:" + bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        )
      case 8: (value, text) = (Optional<Any>.none as Any, "NSNull")
      case 9: (value, text) = (Optional<Any>.some(Optional<Any>.some("deep") as Any) as Any, "str:deep")
      case 10:
        let name = Self.name(&random)
        (value, text) = (AnyHashable(name), "str:\(name)")
      case 11, 12, 13:
        let elements = (0..<Int(random.next() % 5)).map { _ in Generated(&random, depth: depth + 1) }
        value = elements.map(\.value)
        text = "[" + elements.map(\.text).joined(separator: " ") + "]"
      case 14:
        let numbers = Set((0..<Int(random.next() % 5)).map { _ in Int(random.next() % 9) })
        value = Set(numbers.map { AnyHashable($0) })
        text = "<" + numbers.map { "int:\($0)" }.sorted().joined(separator: " ") + ">"
      default:
        var entries: [String: Generated] = [:]
        for _ in 0..<Int(random.next() % 5) { entries[Self.name(&random)] = Generated(&random, depth: depth + 1) }
        value = entries.mapValues(\.value)
        text = "{" + entries.map { "\($0)=\($1.text)" }.sorted().joined(separator: " ") + "}"
      }
    }

    private static func name(_ random: inout SeededRandom) -> String {
      ["a", "B", "é", "日本", "🦉", "true", "1", "a\\n"][Int(random.next() % 8)] + String(random.next() % 4)
    }
  }

  /// Describes a decoded value in the same way.
  private static func text(_ value: Any) throws -> String {
    switch value {
    case let value as Bool: return value ? "bool:True" : "bool:False"
    case let value as Int: return "int:\(value)"
    case let value as UInt64: return "int:\(value)"
    case let value as Double: return "float:\(value.bitPattern)"
    case let value as Float: return "float:\(Double(value).bitPattern)"
    case let value as Date: return "NSDate\(value.timeIntervalSinceReferenceDate.bitPattern)"
    case let value as Data:
      return "bytes:" + value.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    case let value as String: return "str:\(value)"
    case is ArchiveNull: return "NSNull"
    // An element of a set, which `decodeAny` returns as it is.
    case ArchiveNumber.integer(let value): return "int:\(value)"
    case let value as [Any]: return "[" + (try value.map(text)).joined(separator: " ") + "]"
    case let value as [String: Any]:
      return "{" + (try value.map { "\($0)=\(try text($1))" }).sorted().joined(separator: " ") + "}"
    case let value as ArchivedSet: return "<" + (try value.elements.map(text)).sorted().joined(separator: " ") + ">"
    default: throw KeyedArchiveError(.typeMismatch, "a value of type \(type(of: value))")
    }
  }

  @Test(
    "of 500 random shapes are stored and decoded as they are", .enabled(if: Python.isPresent, "\(Python.isAbsent)"))
  func random() throws {
    let program = """
      import json, plistlib, struct, sys
      def bits(real): return str(struct.unpack('<Q', struct.pack('<d', real))[0])
      def text(objects, uid):
        value = objects[uid.data]
        if isinstance(value, bytes): return 'bytes:' + value.hex()
        if isinstance(value, float): return 'float:' + bits(value)
        if not isinstance(value, dict): return type(value).__name__ + ':' + str(value)
        name = objects[value['$class'].data]['$classname']
        if name in ('NSArray', 'NSSet'):
          elements = [text(objects, element) for element in value['NS.objects']]
          return '[' + ' '.join(elements) + ']' if name == 'NSArray' else '<' + ' '.join(sorted(elements)) + '>'
        if name == 'NSDictionary':
          pairs = zip(value['NS.keys'], value['NS.objects'])
          return '{' + ' '.join(sorted(objects[k.data] + '=' + text(objects, v) for k, v in pairs)) + '}'
        return name + (bits(value['NS.time']) if 'NS.time' in value else '')
      for archive in plistlib.loads(sys.stdin.buffer.read()):
        archive = plistlib.loads(archive)
        print(json.dumps(text(archive['$objects'], archive['$top']['root'])))
      """
    var random = SeededRandom(seed: 11)
    let values = (0..<500).map { _ in Generated(&random, depth: 0) }
    let archives = try values.map { try archive([$0.value]) }
    let input = try PropertyListEncoder().encode(archives)
    let read = String(decoding: try Python.run(program, input: input), as: UTF8.self).split(separator: "\n")
    try #require(read.count == values.count)
    for (value, (archive, line)) in zip(values, zip(archives, read)) {
      let text = "[\(value.text)]"
      #expect(try JSONDecoder().decode(String.self, from: Data(line.utf8)) == text)
      let types = KeyedUnarchiver.propertyListTypes + [ArchivedSet.self]
      let decoded = try #require(try decode(archive, types))
      #expect(try Self.text(decoded) == text)
      // What was decoded is archived as it was.
      #expect(try self.archive(decoded) == archive)
    }
    // The values are of every kind.
    for mark in ["bool:", "int:-", "float:", "NSDate", "bytes:", "NSNull", "str:deep", "str:日本", "[[", "<int", "{é"] {
      #expect(values.contains { $0.text.contains(mark) }, "\(mark)")
    }
  }

  @Test("are decoded as values of Swift with the same kinds")
  func decoded() throws {
    let made = try #require(try decode(archive(Self.settings)) as? [String: Any])
    #expect(made.count == 13)
    #expect(made["text"] as? String == "Yéti" && made["some"] as? String == "x")
    #expect(made["yes"] as? Bool == true && made["one"] as? Bool == nil)
    #expect(made["one"] as? Int == 1 && made["yes"] as? Int == nil && made["real"] as? Int == nil)
    #expect(made["real"] as? Double == 1 && made["one"] as? Double == nil && made["short"] as? Double == nil)
    #expect(made["short"] as? Float == 1 && made["large"] as? UInt64 == .max && made["hashable"] as? Int == 5)
    #expect(made["date"] as? Date == Self.date && made["bytes"] as? Data == Data([1, 2]))
    #expect(made["none"] is ArchiveNull && made["texts"] as? [String] == ["b", "a"])
    let list = try #require(made["list"] as? [Any])
    #expect(list.count == 5 && list[1] as? String == "a" && list[2] as? Bool == false)
    #expect((list[3] as? [Any])?.isEmpty == true && (list[4] as? [String: Any])?["deep"] as? Int == -7)
    // What was decoded is archived as it was.
    #expect(try archive(made) == archive(Self.settings))
  }

  @Test("may be nil, in any number of optionals, or no collection")
  func single() throws {
    #expect(try decode(archive(nil)) == nil)
    #expect(try decode(archive(Int??.some(.none) as Any)) == nil)
    #expect(try decode(archive(Int??.some(.some(4)) as Any)) as? Int == 4)
    #expect(try decode(archive(true)) as? Bool == true)
    #expect(try KeyedUnarchiver(forReadingFrom: archive(1)).decodeAny(forKey: "absent") == nil)
    let set = try KeyedArchive(archive(Set<AnyHashable>(["a", 2]))).root
    #expect(set.className == "NSSet" && set.array?.count == 2)
  }

  @Test("of mutable classes, with integers for dates and in 16 bytes, are decoded like the others")
  func mutable() throws {
    let data = HandmadeList.archive([
      ["NS.keys": [.uid(3), .uid(4), .uid(5)], "NS.objects": [.uid(6), .uid(8), .uid(10)], "$class": .uid(2)],
      .classRecord("NSMutableDictionary", "NSDictionary", "NSObject"), "a", "b", "c",
      ["NS.objects": [.uid(12), .uid(14)], "$class": .uid(7)],
      .classRecord("NSMutableArray", "NSArray", "NSObject"),
      ["NS.string": "text", "$class": .uid(9)], .classRecord("NSMutableString", "NSString", "NSObject"),
      ["NS.data": .data([7]), "$class": .uid(11)], .classRecord("NSMutableData", "NSData", "NSObject"),
      ["NS.time": 86400, "$class": .uid(13)], .classRecord("NSDate", "NSObject"),
      .raw([0x14] + [UInt8](repeating: 0, count: 15) + [5]),
    ])
    let made = try #require(try decode(data) as? [String: Any])
    #expect(made["b"] as? String == "text" && made["c"] as? Data == Data([7]))
    let list = try #require(made["a"] as? [Any])
    #expect(list[0] as? Date == Date(timeIntervalSinceReferenceDate: 86400) && list[1] as? UInt64 == 5)
  }

  @Test("without an archived form are an error with the key path and the type")
  func notEncodable() throws {
    let cases: [(Any, String, String)] = [
      (Loose(), "root", "Loose"), ([1, Loose()] as [Any], "root[1]", "Loose"),
      (["a": ["b c": [0, 1, Loose()] as [Any]]], #"root["a"]["b c"][2]"#, "Loose"),
      (["x": NSObject()], #"root["x"]"#, "NSObject"), ([Loose(): 1], "root", "Loose"),
      (["n": NSNumber(value: 1)], #"root["n"]"#, "NSNumber"), ([Loose?.some(Loose())], "root[0]", "Loose"),
    ]
    for (value, path, name) in cases {
      let error = try #require(#expect(throws: KeyedArchiveError.self) { try archive(value) })
      #expect(error.code == .notEncodable && error.keyPath == path && error.className == name, "\(error)")
      #expect(error.description.contains(name) && error.remedy != nil)
    }
    // A second key at the top level is no part of the first.
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    try archiver.encodeAny([1], forKey: "first")
    let error = #expect(throws: KeyedArchiveError.self) { try archiver.encodeAny([Loose()], forKey: "second") }
    #expect(error?.keyPath == "second[0]")
    // What was not archived left nothing behind.
    #expect(try KeyedArchive(archiver.encodedData).topKeys == ["first"])
  }

  @Test("without an archived form name the object that encodes them, which can go on")
  func insideOfObjects() throws {
    final class Holder: SecureKeyedCoding {
      var error: KeyedArchiveError?
      static var archiveClassName: String { "Holder" }
      init() {}
      func encode(with coder: KeyedArchiver) {
        do {
          try coder.encodeAny(["a": [Loose()]], forKey: "settings")
        } catch {
          self.error = error as? KeyedArchiveError
        }
        coder.encode(1, forKey: "rest")
      }
      init?(coder: KeyedUnarchiver) throws {
        _ = try coder.decodeAny(forKey: "settings")
      }
    }
    let holder = Holder()
    let data = try KeyedArchiver.archivedData(withRootObject: [holder], requiringSecureCoding: true)
    #expect(holder.error?.keyPath == #"root[0].settings["a"][0]"#)
    #expect(try KeyedArchive(data).root[0].keys == ["rest"])
    let wrong = HandmadeList.archive([
      ["settings": .uid(3), "$class": .uid(2)], .classRecord("Holder", "NSObject"),
      ["NS.keys": [.uid(5)], "NS.objects": [.uid(6)], "$class": .uid(4)], dictionaryClass, "a",
      ["NS.keys": [.uid(7)], "NS.objects": [.uid(5)], "$class": .uid(4)], 1,
    ])
    let error = try #require(
      #expect(throws: KeyedArchiveError.self) {
        try KeyedUnarchiver.unarchivedObject(ofClass: Holder.self, from: wrong)
      })
    #expect(error.code == .typeMismatch && error.keyPath == #"root.settings["a"]"#, "\(error)")
  }

  @Test("in dictionaries that share a long key have a short path")
  func longKeys() throws {
    let levels: UInt64 = 100
    var objects: [HandmadeList] = []
    for level in 1...levels {
      objects.append(["NS.keys": [.uid(levels + 2)], "NS.objects": [.uid(level + 1)], "$class": .uid(levels + 3)])
    }
    // The innermost dictionary has a key that is no string.
    objects[Int(levels) - 1] = [
      "NS.keys": [.uid(levels + 1)], "NS.objects": [.uid(levels + 2)], "$class": .uid(levels + 3),
    ]
    objects += [1, .string(String(repeating: "k", count: 100_000)), dictionaryClass]
    let data = HandmadeList.archive(objects)
    let error = try error(of: data)
    #expect(error.code == .typeMismatch)
    let path = try #require(error.keyPath)
    #expect(path.utf8.count < levels * 1000 && path.utf8.filter { $0 == UInt8(ascii: "[") }.count >= levels - 1)
  }

  @Test("of classes that the caller does not name are refused, and made if the caller does")
  func allowList() throws {
    let data = try archive(["gadget": Gadget(size: 3)])
    let refused = try error(of: data)
    #expect(refused.code == .classNotAllowed && refused.className == "Gadget")
    #expect(refused.keyPath == #"root["gadget"]"#)
    let made = try decode(data, KeyedUnarchiver.propertyListTypes + [Gadget.self]) as? [String: Any]
    #expect((made?["gadget"] as? Gadget)?.size == 3)
    // A list replaces the default.
    #expect(try error(of: data, [Gadget.self]).code == .classNotAllowed)
  }

  @Test("have keys that are different strings, or a place where they are not")
  func keys() throws {
    func dictionary(_ keys: [HandmadeList]) -> Data {
      HandmadeList.archive(
        [
          [
            "NS.keys": .array((0..<keys.count).map { .uid(UInt64(3 + $0)) }),
            "NS.objects": .array(keys.map { _ in .uid(3) }), "$class": .uid(2),
          ], dictionaryClass,
        ] + keys)
    }
    #expect(try error(of: dictionary([1])).code == .typeMismatch)
    #expect(try error(of: dictionary(["a", "b", "a"])).code == .malformedValue)
    // Swift considers these equal.
    let equal = try error(of: dictionary(["\u{E9}", "e\u{301}"]))
    #expect(equal.code == .malformedValue && equal.keyPath == "root")
    let marks = "a" + String(repeating: "\u{301}", count: 100_000)
    #expect(try error(of: dictionary([.string(marks), "b"])).code == .limitReached)
  }

  @Test("that share each other would become too many, and end in an error", .notHanging, arguments: [true, false])
  func shared(_ isArray: Bool) throws {
    var objects: [HandmadeList] = []
    for level in 0..<40 {
      let next = HandmadeList.uid(UInt64(level < 39 ? level + 2 : 42))
      let keys: [(String, HandmadeList)] = isArray ? [] : [("NS.keys", [.uid(43), .uid(44)])]
      objects.append(.dictionary(keys + [("NS.objects", [next, next]), ("$class", .uid(41))]))
    }
    let data = HandmadeList.archive(objects + [isArray ? arrayClass : dictionaryClass, "end", "a", "b"])
    #expect(try error(of: data).code == .limitReached)
  }

  @Test("that nest deeply, or contain themselves, end in an error")
  func nesting() throws {
    var value: Any = "end"
    for _ in 0..<200_000 { value = [value] }
    let error = try #require(#expect(throws: KeyedArchiveError.self) { try archive(value) })
    #expect(error.code == .limitReached)
    // Releasing the arrays recursively would take as much stack.
    while let inner = (value as? [Any])?.first { value = inner }
    let circle = HandmadeList.archive([["NS.objects": [.uid(1)], "$class": .uid(2)], arrayClass])
    #expect(try self.error(of: circle).code == .cycle)
    let chain = HandmadeList.archive(
      (1..<1000).map { ["NS.objects": [.uid($0 + 1)], "$class": .uid(1001)] } + ["end", arrayClass])
    #expect(try self.error(of: chain).code == .limitReached)
  }
}
