// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if !canImport(Darwin)
  import ArchivedClasses
  import Foundation
  import KeyedArchiving

  /// A value that has no contents of other classes, and the object of Foundation that represents it.
  protocol FoundationLeaf: KeyedCoding {
    var foundationObject: NSObject { get throws }
    /// The cost of making the object, in the unit of a byte that is compared. Many objects can share the parts of a value.
    var conversionCost: Int64 { get }
  }

  extension FoundationLeaf {
    var conversionCost: Int64 { 0 }
  }

  /// A decoded object of Foundation. All references to it get the same one.
  final class DecodedLeaf<Value: FoundationLeaf>: SecureKeyedCoding, DecodedFoundationObject {
    let object: NSObject

    static var archiveClassName: String { Value.archiveClassName }
    static var archiveClassAliases: [String] { Value.archiveClassAliases }
    static var archiveClassChain: [String] { Value.archiveClassChain }

    init?(coder: KeyedUnarchiver) throws {
      guard let value = try Value(coder: coder) else { return nil }
      try coder.storage.state.charge(work: value.conversionCost)
      do {
        object = try value.foundationObject
      } catch let error as KeyedArchiveError {
        throw error
      } catch {
        throw coder.malformed("invalid object of class '\(Self.archiveClassName)': \(error)")
      }
    }

    func encode(with coder: KeyedArchiver) {}
  }

  extension DecodedLeaf: ArchivedClassMatching where Value: ArchivedClassMatching {
    static func matches(_ description: ClassDescription) -> Bool { Value.matches(description) }
  }

  /// A decoded object of Foundation, whatever its class.
  protocol DecodedFoundationObject {
    var object: NSObject { get }
  }

  extension ArchivedMutableString: FoundationLeaf {
    var foundationObject: NSObject { NSMutableString(string: text) }
    var conversionCost: Int64 { 2 * Int64(text.utf8.count) }
  }

  extension ArchivedMutableData: FoundationLeaf {
    var foundationObject: NSObject { NSMutableData(data: bytes) }
    var conversionCost: Int64 { Int64(bytes.count) }
  }

  extension Decimal: FoundationLeaf {
    var foundationObject: NSObject { NSDecimalNumber(decimal: self) }
  }

  extension Date: FoundationLeaf {
    var foundationObject: NSObject { self as NSDate }
  }

  extension URL: FoundationLeaf {
    // A cast loses the base on Linux.
    var foundationObject: NSObject { NSURL(string: relativeString, relativeTo: baseURL) ?? self as NSURL }
    // Foundation resolves the base of each URL, which many can share.
    var conversionCost: Int64 {
      var (byteCount, base) = (relativeString.utf8.count, baseURL)
      while let url = base { (byteCount, base) = (byteCount + url.relativeString.utf8.count, url.baseURL) }
      return 128 * max(0, Int64(byteCount) - 256)
    }
  }

  extension UUID: FoundationLeaf {
    var foundationObject: NSObject { self as NSUUID }
  }

  extension IndexPath: FoundationLeaf {
    var foundationObject: NSObject { self as NSIndexPath }
  }

  extension TimeZone: FoundationLeaf {
    var foundationObject: NSObject { self as NSTimeZone }
  }

  extension Locale: FoundationLeaf {
    var foundationObject: NSObject { self as NSLocale }
  }

  extension Calendar: FoundationLeaf {
    var foundationObject: NSObject { self as NSCalendar }
  }

  extension DateComponents: FoundationLeaf {
    var foundationObject: NSObject { self as NSDateComponents }
  }

  extension DateInterval: FoundationLeaf {
    var foundationObject: NSObject { self as NSDateInterval }
  }

  extension PersonNameComponents: FoundationLeaf {
    var foundationObject: NSObject { self as NSPersonNameComponents }
  }

  extension AffineTransform: FoundationLeaf {
    var foundationObject: NSObject { self as NSAffineTransform }
  }

  extension CharacterSet: FoundationLeaf {
    // Foundation on Linux cannot make a mutable set from any other.
    var foundationObject: NSObject { self as NSCharacterSet }
  }

  extension ArchivedIndexSet: FoundationLeaf {
    var conversionCost: Int64 { 256 * Int64(ranges.count) }

    var foundationObject: NSObject {
      let set = IndexSet(self)
      // The bridge of the language makes a mutable one on Linux.
      return isMutable ? NSMutableIndexSet(indexSet: set) : NSIndexSet(indexSet: set)
    }
  }

  extension ArchivedRegularExpression: FoundationLeaf {
    var foundationObject: NSObject { get throws { try compiled() } }
    var conversionCost: Int64 { compilationCost }
  }

  extension ArchivedUnit: FoundationLeaf {
    var foundationObject: NSObject { unit }
  }

  extension ArchivedMeasurement: FoundationLeaf {
    var foundationObject: NSObject { NSMeasurement(doubleValue: value, unit: unit.unit) }
  }

  extension ArchivedValue: FoundationLeaf {
    var foundationObject: NSObject {
      get throws {
        switch self {
        case .point(let point): return NSValue(point: CGPoint(x: point.x, y: point.y))
        case .size(let size): return NSValue(size: CGSize(width: size.width, height: size.height))
        case .rect(let rect): return NSValue(rect: CGRect(rect))
        case .range(let range): return NSValue(range: NSRange(location: range.location, length: range.length))
        case .edgeInsets(let insets):
          return NSValue(
            edgeInsets: NSEdgeInsets(
              top: insets.top, left: insets.left, bottom: insets.bottom, right: insets.right))
        case .other:
          throw KeyedArchiveError(
            .malformedValue, "an NSValue of an unknown type cannot be made", className: "NSValue",
            remedy: "Request ArchivedValue, which keeps the value as data")
        }
      }
    }
  }
#endif
