// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing

/// Statements as they are written for NSCoder, each in a function of its own, and what the compiler says of them.
private struct WrongCalls {
  /// A statement, and a part of the message that tells what to write instead.
  typealias Case = (statement: String, help: String)

  static let declarations = """
    final class Meal: SecureKeyedCoding {
      init() {}
      func encode(with coder: KeyedArchiver) {}
      init?(coder: KeyedUnarchiver) {}
    }
    final class Image {}
    struct Plain: Codable {}
    final class Recipe: NSObject, NSSecureCoding {
      static var supportsSecureCoding: Bool { true }
      func encode(with coder: NSCoder) {}
      init?(coder: NSCoder) { super.init() }
    }
    """

  /// Compiles the statements, and expects each to have one error, which contains the help.
  static func check(_ cases: [Case], imports: [String]) throws {
    var lines = (["Foundation"] + imports).map { "import \($0)" } + [declarations]
    var lineOfCase: [Int] = []
    for (index, wrong) in cases.enumerated() {
      lines.append(
        "func case\(index)(archiver: KeyedArchiver, coder: KeyedUnarchiver, data: Data, meal: Meal, image: Image) throws {"
      )
      lineOfCase.append(
        lines.joined(separator: "\n").split(separator: "\n", omittingEmptySubsequences: false).count + 1)
      lines.append("  \(wrong.statement)")
      lines.append("}")
    }
    let output = try SwiftCompiler.errors(["Wrong.swift": lines.joined(separator: "\n")])
    var messages: [Int: [String]] = [:]
    for match in output.matches(of: /Wrong\.swift:(\d+):\d+: error: (.*)/) {
      messages[try #require(Int(match.1)), default: []].append(String(match.2))
    }
    for (line, wrong) in zip(lineOfCase, cases) {
      let found = messages.removeValue(forKey: line) ?? []
      #expect(found.count == 1 && found[0].contains(wrong.help), "\(wrong.statement): \(found)")
    }
    #expect(messages.isEmpty)
  }
}

@Suite(
  "Calls of NSCoder that have no counterpart: the compiler says what to write",
  .enabled(if: SwiftCompiler.isPresent, "\(SwiftCompiler.isAbsent)"))
struct CompilerHelpTests {
  /// The remedies for types that cannot be archived or requested.
  private static let request = "adopt KeyedCoding, KeyedCodable or FoundationCoding; write String for NSString"
  private static let encode = "adopt KeyedCoding, KeyedCodable or FoundationCoding; encode an image as Data"

  private static let decoding: [WrongCalls.Case] = [
    (
      "_ = KeyedUnarchiver.unarchiveObject(with: data) as? Meal",
      "KeyedUnarchiver.unarchivedObject(ofClass: T.self, from: data)"
    ),
    (#"_ = KeyedUnarchiver.unarchiveObject(withFile: "meals") as? [Meal]"#, "KeyedUnarchiver(contentsOf: url)"),
    (
      "_ = try KeyedUnarchiver.unarchiveTopLevelObjectWithData(data) as? Meal",
      "unarchiveTopLevelObjectWithData(data, classes: [T.self])"
    ),
    ("_ = try KeyedUnarchiver.unarchivedObject(ofClass: NSArray.self, from: data)", request),
    (
      "_ = try KeyedUnarchiver.unarchivedObject(ofClass: Plain.self, from: data)",
      "decode a Codable type with KeyedArchiveDecoder"
    ),
    ("_ = try KeyedUnarchiver.unarchivedObject(ofClasses: [NSArray.self, Meal.self], from: data)", request),
    ("_ = try KeyedUnarchiver.unarchivedArrayOfObjects(ofClass: Image.self, from: data)", request),
    (
      "_ = try KeyedUnarchiver(forReadingWith: data)",
      "renamed to 'init(forReadingFrom:)': then set requiresSecureCoding"
    ),
    ("_ = try KeyedUnarchiver()", "KeyedUnarchiver(forReadingFrom: data)"),
    (#"KeyedUnarchiver.setClass(Meal.self, forClassName: "Old")"#, "declare archiveClassAliases, or call setClass"),
    (#"coder.setClass(Image.self, forClassName: "Old")"#, "must adopt KeyedCoding"),
    (#"_ = KeyedUnarchiver.class(forClassName: "Meal")"#, "setClass(_:forClassName:)"),
    (#"let name = coder.decodeObject(forKey: "name") as! String; _ = name"#, "decodeObject(of: T.self, forKey: key)"),
    (
      #"if let name = coder.decodeObject(forKey: "name") as? String { print(name) }"#, "try decode(T.self, forKey: key)"
    ),
    (#"_ = try coder.decodeTopLevelObject(forKey: "root")"#, "decodeTopLevelObject(of: T.self, forKey: key)"),
    (#"_ = coder.decodeObject(of: NSNumber.self, forKey: "rating")?.intValue"#, request),
    (#"_ = coder.decodeObject(of: Image.self, forKey: "photo")"#, request),
    (#"_ = coder.decodeObject(of: Recipe.self, forKey: "recipe")"#, request),
    (#"_ = coder.decodeObject(of: [NSArray.self, Meal.self], forKey: "meals") as? [Meal]"#, request),
    (#"_ = try coder.decode(Image.self, forKey: "photo")"#, request),
    (#"_ = try coder.decodeTopLevelObject(of: Image.self, forKey: "root")"#, request),
    (#"_ = coder.decodeArrayOfObjects(ofClass: Image.self, forKey: "photos")"#, request),
    (#"let count: Int32 = coder.decodeCInt(forKey: "count"); _ = count"#, "renamed to 'decodeInt32(forKey:)'"),
    (#"var length = 0; _ = coder.decodeBytes(forKey: "b", returnedLength: &length)"#, "decodeBytes(forKey: key)"),
    (#"_ = coder.withDecodedUnsafeBytes(forKey: "b") { $0?.count }"#, "decodeBytes(forKey: key)"),
    ("_ = coder.decodeObject() as? Meal", "decodeObject(of: T.self)"),
    ("_ = try coder.decodeTopLevelObject() as? Meal", "decodeObject(of: T.self)"),
    ("_ = coder.decodeData()", "decodeObject(of: Data.self)"),
    ("_ = coder.decodePropertyList()", "decodeObject(of: [ArchivedArray.self"),
    (#"var n: CInt = 0; coder.decodeValue(ofObjCType: "i", at: &n); _ = n"#, "decodeInteger(forKey: key)"),
    (#"var n: CInt = 0; coder.decodeValue(ofObjCType: "i", at: &n, size: 4); _ = n"#, "decodeInteger(forKey: key)"),
    (#"var n: CInt = 0; coder.decodeArray(ofObjCType: "i", count: 1, at: &n); _ = n"#, "decodeArrayOfObjects(ofClass:"),
    (#"let point: CGPoint = coder.decodeCGPoint(forKey: "p"); _ = point"#, "decodePoint(forKey: key)"),
    (#"let rect = coder.decodeCGRect(forKey: "r"); _ = rect"#, "decodeRect(forKey: key)"),
    (#"_ = coder.decodeUIEdgeInsets(forKey: "insets")"#, "decodeEdgeInsets(forKey: key)"),
    (#"_ = coder.decodeTime(forKey: "t")"#, "Core Media's"),
    ("_ = coder.decodePoint()", "decodeObject(of: String.self)"),
    ("_ = coder.allowedClasses", "the requested type is the allow list"),
    ("if coder.allowsKeyedCoding {}", "always true: remove the check"),
    (#"_ = coder.version(forClassName: "Meal")"#, "encode one with a key"),
  ]

  private static let encoding: [WrongCalls.Case] = [
    (
      #"_ = KeyedArchiver.archiveRootObject(meal, toFile: "meals")"#,
      "KeyedArchiver.archive(object, to: url, requiringSecureCoding: true)"
    ),
    (
      "_ = KeyedArchiver.archivedData(withRootObject: meal)",
      "KeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)"
    ),
    ("_ = try KeyedArchiver.archivedData(withRootObject: image, requiringSecureCoding: true)", encode),
    ("_ = KeyedArchiver(forWritingWith: NSMutableData())", "KeyedArchiver(requiringSecureCoding: true)"),
    ("_ = KeyedArchiver()", "KeyedArchiver(requiringSecureCoding: true)"),
    (#"KeyedArchiver.setClassName("Old", for: Meal.self)"#, "declare archiveClassName, or call setClassName"),
    ("_ = KeyedArchiver.className(for: Meal.self)", "read archiveClassName"),
    ("_ = archiver.classNameForClass(Meal.self)", "renamed to 'className(for:)'"),
    (#"archiver.encode(image, forKey: "photo")"#, encode),
    (#"archiver.encode("name" as NSString, forKey: "name")"#, encode),
    (
      #"archiver.encode(["a": 1, "b": "x"] as [String: Any], forKey: "info")"#,
      "write encodeAny(_:forKey:) of ArchivedClasses, or an ArchivedDictionary of [String: any KeyedCoding]"
    ),
    (
      #"archiver.encode([1, "x"] as [Any], forKey: "info")"#,
      "write encodeAny(_:forKey:) of ArchivedClasses, or an ArchivedArray([any KeyedCoding])"
    ),
    (#"archiver.encode(CGPoint.zero, forKey: "p")"#, encode),
    (#"archiver.encodeConditionalObject(image, forKey: "photo")"#, "an instance of a class that adopts KeyedCoding"),
    (#"archiver.encodeCInt(1, forKey: "count")"#, "renamed to 'encode(_:forKey:)'"),
    (#"archiver.encodeBytes([1, 2], length: 2, forKey: "b")"#, "encodeBytes(Data(bytes: bytes, count: length)"),
    (#"archiver.encodePropertyList(["a"], forKey: "list")"#, "encodeEncodable(_:forKey:)"),
    ("archiver.encode(image)", encode),
    ("archiver.encodeRootObject(meal)", "encode(object)"),
    ("archiver.encodeBycopyObject(meal)", "encode(object)"),
    ("archiver.encodeByrefObject(meal)", "encode(object)"),
    (#"archiver.encodePropertyList(["a"])"#, "encode(_:)"),
    ("archiver.encodeBytes([1, 2], length: 2)", "encode(Data(bytes: bytes, count: length))"),
    (#"var n: CInt = 0; archiver.encodeValue(ofObjCType: "i", at: &n)"#, "encode(value, forKey: key)"),
    (#"var n: CInt = 0; archiver.encodeArray(ofObjCType: "i", count: 1, at: &n)"#, "encode(array, forKey: key)"),
    ("_ = archiver.systemVersion", "does not store it"),
  ]

  @Test("of decoders")
  func decoders() throws { try WrongCalls.check(Self.decoding, imports: ["KeyedArchiving"]) }

  @Test("of encoders")
  func encoders() throws { try WrongCalls.check(Self.encoding, imports: ["KeyedArchiving"]) }

  @Test("and code with Foundation's classes and geometry compiles with KeyedArchivingFoundation")
  func foundation() throws {
    let source = """
      import Foundation
      import KeyedArchiving
      import KeyedArchivingFoundation

      final class Place: SecureKeyedCoding {
        var name: String
        var link: URL?
        var point: CGPoint
        func encode(with coder: KeyedArchiver) {
          coder.encode(name, forKey: "name")
          coder.encode(point, forKey: "point")
          coder.encode(CGRect.zero, forKey: "frame")
          coder.encode(name as NSString, forKey: "text")
          coder.encode(NSData(), forKey: "data")
          coder.encode(NSDate(), forKey: "day")
          coder.encode(NSURL(string: "http://a"), forKey: "url")
          coder.encode(NSUUID(), forKey: "id")
          coder.encode(NSNumber(value: 1), forKey: "rating")
          coder.encode(NSAttributedString(string: "a"), forKey: "memo")
        }
        init?(coder: KeyedUnarchiver) {
          guard let name = coder.decodeObject(of: NSString.self, forKey: "name") as String? else { return nil }
          self.name = name
          link = coder.decodeObject(of: NSURL.self, forKey: "link") as URL?
          let other = coder.decodeObject(of: NSString.self, forKey: "other")
          let date = coder.decodeObject(of: NSDate.self, forKey: "date")
          print(other ?? "", date?.timeIntervalSinceReferenceDate ?? 0, coder.decodeCGRect(forKey: "frame"))
          let rating = coder.decodeObject(of: NSNumber.self, forKey: "rating")?.intValue ?? 0
          let memo = coder.decodeObject(of: NSAttributedString.self, forKey: "memo")
          print(rating, memo?.string ?? "")
          point = coder.decodeCGPoint(forKey: "point")
        }
      }
      """
    #expect(try SwiftCompiler.errors(["Place.swift": source]) == "")
    try WrongCalls.check(
      Self.decoding.filter { !$0.statement.contains("decodeCG") && !$0.statement.contains("NSNumber.self") }
        + Self.foundationCalls,
      imports: [
        "ArchivedClasses", "KeyedArchiving", "KeyedArchivingFoundation",
      ])
  }

  /// Calls that name the methods for objects of Foundation.
  private static let foundationCalls: [WrongCalls.Case] = [
    (#"archiver.encode(NSArray(), forKey: "list")"#, "or call encodeFoundationObject"),
    (#"archiver.encodeObject(NSMutableDictionary(), forKey: "info")"#, "or call encodeFoundationObject"),
    (#"archiver.encode(image, forKey: "photo")"#, encode),
    (#"_ = coder.decodeObject(of: [NSArray.self, Meal.self], forKey: "meals")"#, "or decodeFoundationObject"),
    (
      "_ = try KeyedUnarchiver.unarchivedObject(ofClasses: [NSArray.self, Meal.self], from: data)",
      "or unarchivedFoundationObject"
    ),
  ]
}
