// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchives
public import KeyedArchiving

/// An `NSValue` with a point.
public struct ArchivedPoint: SecureKeyedCoding, Hashable, Sendable {
  /// The x coordinate.
  public var x: Double
  /// The y coordinate.
  public var y: Double

  /// Creates a point.
  /// - Parameters:
  ///   - x: The x coordinate.
  ///   - y: The y coordinate.
  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  /// The archived class name, `NSValue`.
  public static var archiveClassName: String { "NSValue" }

  /// Encodes the point as a string for `NS.pointval`.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(1, forKey: "NS.special")
    coder.encodePoint(self, forKey: "NS.pointval")
  }

  /// Decodes a point.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    try coder.special(1, "a point")
    self.init(try coder.neededGeometry("NS.pointval", .list(2)))
  }

  var numbers: [Double] { [x, y] }

  init(_ numbers: [Double]) {
    x = numbers[0]
    y = numbers[1]
  }
}

/// An `NSValue` with a size.
public struct ArchivedSize: SecureKeyedCoding, Hashable, Sendable {
  /// The width.
  public var width: Double
  /// The height.
  public var height: Double

  /// Creates a size.
  /// - Parameters:
  ///   - width: The width.
  ///   - height: The height.
  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// The archived class name, `NSValue`.
  public static var archiveClassName: String { "NSValue" }

  /// Encodes the size as a string for `NS.sizeval`.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(2, forKey: "NS.special")
    coder.encodeSize(self, forKey: "NS.sizeval")
  }

  /// Decodes a size.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    try coder.special(2, "a size")
    self.init(try coder.neededGeometry("NS.sizeval", .list(2)))
  }

  var numbers: [Double] { [width, height] }

  init(_ numbers: [Double]) {
    width = numbers[0]
    height = numbers[1]
  }
}

/// An `NSValue` with a rectangle.
public struct ArchivedRect: SecureKeyedCoding, Hashable, Sendable {
  /// The origin.
  public var origin: ArchivedPoint
  /// The size.
  public var size: ArchivedSize

  /// Creates a rectangle.
  /// - Parameters:
  ///   - x: The x coordinate.
  ///   - y: The y coordinate.
  ///   - width: The width.
  ///   - height: The height.
  public init(x: Double, y: Double, width: Double, height: Double) {
    origin = ArchivedPoint(x: x, y: y)
    size = ArchivedSize(width: width, height: height)
  }

  /// The archived class name, `NSValue`.
  public static var archiveClassName: String { "NSValue" }

  /// Encodes the rectangle as a string for `NS.rectval`.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(3, forKey: "NS.special")
    coder.encodeRect(self, forKey: "NS.rectval")
  }

  /// Decodes a rectangle.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    try coder.special(3, "a rectangle")
    self.init(try coder.neededGeometry("NS.rectval", .pairs))
  }

  init(_ numbers: [Double]) {
    origin = ArchivedPoint(Array(numbers[..<2]))
    size = ArchivedSize(Array(numbers[2...]))
  }
}

/// An `NSValue` with an `NSRange`. The location `NSNotFound` is the largest integer.
public struct ArchivedRange: SecureKeyedCoding, Hashable, Sendable {
  /// The first index.
  public var location: Int
  /// The number of indexes.
  public var length: Int
  /// Whether the location and the length are stored as unsigned integers of 16 bytes, as recent systems do.
  private var isLocationUnsigned = StoredForm(false)
  private var isLengthUnsigned = StoredForm(false)

  /// Creates a range.
  /// - Parameters:
  ///   - location: The first index.
  ///   - length: The number of indexes.
  public init(location: Int, length: Int) {
    self.location = location
    self.length = length
  }

  /// The archived class name, `NSValue`.
  public static var archiveClassName: String { "NSValue" }

  /// Encodes the length and the location.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    guard coder.isValid(fault) else { return }
    coder.encode(4, forKey: "NS.special")
    encode(Int64(length), isLengthUnsigned, coder, "NS.rangeval.length")
    encode(location.storedPosition, isLocationUnsigned, coder, "NS.rangeval.location")
  }

  private func encode(_ number: Int64, _ isUnsigned: StoredForm<Bool>, _ coder: KeyedArchiver, _ key: String) {
    let number: ArchiveNumber = isUnsigned.form ? .unsigned(UInt64(number)) : .integer(number)
    coder.encodeObject(number, forKey: key)
  }

  /// Decodes a range.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    try coder.special(4, "a range")
    length = try coder.count("NS.rangeval.length")
    location = try coder.position("NS.rangeval.location")
    isLengthUnsigned.form = try Self.isUnsigned(coder, "NS.rangeval.length")
    isLocationUnsigned.form = try Self.isUnsigned(coder, "NS.rangeval.location")
  }

  private static func isUnsigned(_ coder: KeyedUnarchiver, _ key: String) throws -> Bool {
    if case .unsigned? = try coder.primitive(ArchiveNumber.self, key) { true } else { false }
  }

  private var fault: Fault? {
    location >= 0 && length >= 0 ? nil : Fault("invalid range: \(length) indexes from \(location)")
  }
}

/// An `NSValue` with an `NSEdgeInsets` or a `UIEdgeInsets`.
public struct ArchivedEdgeInsets: SecureKeyedCoding, Hashable, Sendable {
  /// The inset from the top edge.
  public var top: Double {
    get { storedTop.value ?? 0 }
    set { storedTop.value = newValue }
  }
  /// The inset from the left edge.
  public var left: Double {
    get { storedLeft.value ?? 0 }
    set { storedLeft.value = newValue }
  }
  /// The inset from the bottom edge.
  public var bottom: Double {
    get { storedBottom.value ?? 0 }
    set { storedBottom.value = newValue }
  }
  /// The inset from the right edge.
  public var right: Double {
    get { storedRight.value ?? 0 }
    set { storedRight.value = newValue }
  }
  /// A Boolean value that indicates whether the structure is `UIEdgeInsets`. Its kind is 11 instead of 12.
  public var isUIKit: Bool
  private var storedTop: StoredReal
  private var storedLeft: StoredReal
  private var storedBottom: StoredReal
  private var storedRight: StoredReal

  /// Creates edge insets.
  /// - Parameters:
  ///   - top: The inset from the top edge.
  ///   - left: The inset from the left edge.
  ///   - bottom: The inset from the bottom edge.
  ///   - right: The inset from the right edge.
  ///   - isUIKit: Whether the structure is `UIEdgeInsets`.
  public init(top: Double, left: Double, bottom: Double, right: Double, isUIKit: Bool = false) {
    self.isUIKit = isUIKit
    storedTop = StoredReal(top)
    storedLeft = StoredReal(left)
    storedBottom = StoredReal(bottom)
    storedRight = StoredReal(right)
  }

  /// The archived class name, `NSValue`.
  public static var archiveClassName: String { "NSValue" }

  /// Encodes the insets as four finite reals.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(isUIKit ? 11 : 12, forKey: "NS.special")
    storedTop.encode(with: coder, "NS.edgeval.top")
    storedLeft.encode(with: coder, "NS.edgeval.left")
    storedBottom.encode(with: coder, "NS.edgeval.bottom")
    storedRight.encode(with: coder, "NS.edgeval.right")
  }

  /// Decodes edge insets.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    isUIKit = try coder.primitive(Int.self, "NS.special") == 11
    if !isUIKit { try coder.special(12, "insets") }
    storedTop = try StoredReal(needed: "NS.edgeval.top", coder)
    storedLeft = try StoredReal(needed: "NS.edgeval.left", coder)
    storedBottom = try StoredReal(needed: "NS.edgeval.bottom", coder)
    storedRight = try StoredReal(needed: "NS.edgeval.right", coder)
  }
}

/// An `NSValue` whose kind is not known in advance.
public enum ArchivedValue: SecureKeyedCoding {
  /// A point.
  case point(ArchivedPoint)
  /// A size.
  case size(ArchivedSize)
  /// A rectangle.
  case rect(ArchivedRect)
  /// A range.
  case range(ArchivedRange)
  /// Edge insets.
  case edgeInsets(ArchivedEdgeInsets)
  /// Any other value, such as a C structure, or a value with keys that this type does not know.
  case other(ArchivedObject)

  /// The archived class name, `NSValue`.
  public static var archiveClassName: String { "NSValue" }

  /// Encodes the value.
  /// - Parameter coder: The archiver.
  /// - Throws: `KeyedArchiveError` if a value cannot be encoded.
  public func encode(with coder: KeyedArchiver) throws {
    switch self {
    case .point(let value): value.encode(with: coder)
    case .size(let value): value.encode(with: coder)
    case .rect(let value): value.encode(with: coder)
    case .range(let value): value.encode(with: coder)
    case .edgeInsets(let value): value.encode(with: coder)
    case .other(let object): try object.encode(with: coder)
    }
  }

  /// Decodes the value by its kind.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    let kind = try coder.primitive(Int.self, "NS.special") ?? 0
    guard let keys = Self.keys[kind] else {
      throw coder.malformed("unknown kind of value: 'NS.special' is \(kind)")
    }
    guard !keys.isEmpty, try !coder.hasOtherKeys(than: keys + ["NS.special"]) else {
      self = .other(try ArchivedObject.made(by: coder))
      return
    }
    switch kind {
    case 1: self = .point(try ArchivedPoint.made(by: coder))
    case 2: self = .size(try ArchivedSize.made(by: coder))
    case 3: self = .rect(try ArchivedRect.made(by: coder))
    case 4: self = .range(try ArchivedRange.made(by: coder))
    default: self = .edgeInsets(try ArchivedEdgeInsets.made(by: coder))
    }
  }

  /// The keys of each kind that a system writes. Those without a case have none here: C structures, which have no number,
  /// and UIKit's transforms, offsets and directional insets.
  private static let keys: [Int: [String]] = [
    1: ["NS.pointval"], 2: ["NS.sizeval"], 3: ["NS.rectval"], 4: ["NS.rangeval.length", "NS.rangeval.location"],
    11: keysOfInsets, 12: keysOfInsets, 0: [], 10: [], 13: [], 14: [],
  ]
  private static let keysOfInsets = ["NS.edgeval.top", "NS.edgeval.left", "NS.edgeval.bottom", "NS.edgeval.right"]
}
