// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import KeyedArchives
public import KeyedArchiving
import PropertyListFormat

/// An `NSImage` with its representations.
///
/// A representation that is a bitmap has an encoded picture, which passes through unchanged:
///
/// ```swift
/// let image = try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedImage.self, from: data)
/// for picture in image?.pictures ?? [] { print(PictureFormat(of: picture) as Any, picture.count) }
/// ```
public struct ArchivedImage: SecureKeyedCoding {
  /// A representation of an image.
  public struct Representation {
    /// The number that AppKit stores with the representation.
    public var number: Int
    /// The representation: an ``ArchivedBitmapImageRep``, or an `ArchivedObject` for other classes.
    public var content: any KeyedCoding

    /// Creates a representation.
    /// - Parameters:
    ///   - content: The representation: an ``ArchivedBitmapImageRep``, or an `ArchivedObject` for other classes.
    ///   - number: The number that AppKit stores with the representation.
    public init(_ content: any KeyedCoding, number: Int = 0) {
      self.content = content
      self.number = number
    }
  }

  /// The flags of AppKit.
  public var flags: Int
  /// The size, if it differs from that of the representations.
  public var size: ArchivedSize?
  /// The representations.
  public var representations: [Representation]
  /// A Boolean value that indicates whether the class of the list of representations is `NSMutableArray`.
  public var isListMutable: Bool
  /// The background color.
  public var backgroundColor: ArchivedColor?
  /// The resizing mode.
  public var resizingMode: Int?
  /// The values for keys that this type does not know.
  public var otherValues = OtherValues()

  /// Creates an image.
  /// - Parameters:
  ///   - flags: The flags of AppKit.
  ///   - size: The size, if it differs from that of the representations.
  ///   - representations: The representations.
  ///   - backgroundColor: The background color.
  public init(
    flags: Int, size: ArchivedSize? = nil, representations: [Representation],
    backgroundColor: ArchivedColor? = ArchivedColor(white: 0, alpha: 0)
  ) {
    self.flags = flags
    self.size = size
    self.representations = representations
    isListMutable = true
    self.backgroundColor = backgroundColor
  }

  /// Creates an image with one bitmap, as AppKit archives it.
  ///
  /// The flags are those of nearly all images in the test corpus: 37 of 38 with a size, and 19 of 20 without one. All 54
  /// bitmaps of the corpus are TIFF. Whether AppKit reads another format from an archive is not known.
  /// - Parameters:
  ///   - picture: The bytes of an image file.
  ///   - size: The size in points; nil for the one of the bitmap.
  /// - Throws: `KeyedArchiveError` with the code `notEncodable` if the data does not begin like a picture.
  public init(picture: Data, size: ArchivedSize? = nil) throws {
    guard PictureFormat(of: picture) != nil else { throw notAPicture(picture, Self.archiveClassName) }
    self.init(
      flags: size == nil ? 0x00C0_0000 : 0x20C0_0000, size: size,
      representations: [Representation(ArchivedBitmapImageRep(tiff: picture))])
  }

  /// The encoded pictures of the representations that are bitmaps.
  ///
  /// An image can also refer to a file, or have representations of other classes, which have no picture here.
  public var pictures: [Data] {
    representations.compactMap { ($0.content as? ArchivedBitmapImageRep)?.tiff }
  }

  /// The archived class name, `NSImage`.
  public static var archiveClassName: String { "NSImage" }

  /// Encodes the flags, size, representations and color.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(flags, forKey: "NSImageFlags")
    if let size { coder.encodeSize(size, forKey: "NSSize") }
    let pairs = representations.map { ArchivedArray([$0.number, $0.content]) }
    coder.encode(ArchivedArray(pairs, isMutable: isListMutable), forKey: "NSReps")
    coder.encode(backgroundColor, forKey: "NSColor")
    if let resizingMode { coder.encode(resizingMode, forKey: "NSResizingMode") }
    otherValues.encode(with: coder)
  }

  /// Decodes the flags, size, representations and color. Each representation is a pair of a number and an object.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    flags = try coder.needed(Int.self, "NSImageFlags")
    size = try coder.geometry("NSSize", .list(2)).map { ArchivedSize($0) }
    backgroundColor = try coder.decodeIfPresent(ArchivedColor.self, forKey: "NSColor")
    resizingMode = try coder.primitive(Int.self, "NSResizingMode")
    // The pairs are read as these types, whatever else the caller allows for arrays and numbers.
    let pairTypes: [any KeyedCoding.Type] = [ArchivedArray.self, ArchiveNumber.self]
    guard let list = try coder.content(ArchivedArray.self, forKey: "NSReps", first: pairTypes) else {
      throw coder.missing("invalid image: 'NSReps' is missing", key: "NSReps")
    }
    isListMutable = list.isMutable
    representations = []
    for element in list.elements {
      guard let pair = (element as? ArchivedArray)?.elements, pair.count == 2,
        let number = (pair[0] as? ArchiveNumber)?.integer
      else {
        throw coder.malformed("invalid image: an element of 'NSReps' is not a pair of a number and a representation")
      }
      representations.append(Representation(pair[1], number: number))
    }
    otherValues = try coder.otherValues(except: ["NSImageFlags", "NSSize", "NSReps", "NSColor", "NSResizingMode"])
  }
}

/// An `NSBitmapImageRep`: an image as data, which is TIFF in all archives of the test corpus.
public struct ArchivedBitmapImageRep: SecureKeyedCoding, Hashable, Sendable {
  /// The encoded picture, which AppKit stores as TIFF.
  public var tiff: Data
  /// The layout direction, which tells whether the image is drawn from right to left.
  public var layoutDirection: Int?
  /// The values for keys that this type does not know.
  public var otherValues = OtherValues()

  /// Creates a representation.
  /// - Parameter tiff: The encoded picture.
  public init(tiff: Data) { self.tiff = tiff }

  /// The archived class name, `NSBitmapImageRep`.
  public static var archiveClassName: String { "NSBitmapImageRep" }

  /// The class and its superclasses.
  public static var archiveClassChain: [String] { ["NSBitmapImageRep", "NSImageRep", "NSObject"] }

  /// Encodes the TIFF file, boxed.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(tiff, forKey: "NSTIFFRepresentation")
    if let layoutDirection { coder.encode(layoutDirection, forKey: "NSInternalLayoutDirection") }
    otherValues.encode(with: coder)
  }

  /// Decodes the TIFF file without parsing it.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    tiff = try coder.decode(Data.self, forKey: "NSTIFFRepresentation")
    layoutDirection = try coder.primitive(Int.self, "NSInternalLayoutDirection")
    otherValues = try coder.otherValues(except: ["NSTIFFRepresentation", "NSInternalLayoutDirection"])
  }
}

/// An `NSShadow`.
public struct ArchivedShadow: SecureKeyedCoding, Hashable, Sendable {
  /// The color of a shadow.
  public enum Color: Hashable, Sendable {
    /// The default color, black with an opacity of 1/3. It is not stored.
    case standard
    /// No color, so that no shadow is drawn. It is stored as nil.
    case noColor
    /// A color of AppKit.
    case appKit(ArchivedColor)
    /// A color of UIKit.
    case uiKit(ArchivedUIColor)
  }

  private var blur: StoredReal
  private var horizontal: StoredReal
  private var vertical: StoredReal
  /// The color.
  public var color: Color
  /// The values for keys that this type does not know.
  public var otherValues = OtherValues()

  /// The blur radius.
  public var blurRadius: Double? {
    get { blur.value }
    set { blur.value = newValue }
  }

  /// The horizontal offset: positive to the right.
  public var horizontalOffset: Double? {
    get { horizontal.value }
    set { horizontal.value = newValue }
  }

  /// The vertical offset: positive downward. It is the height of `shadowOffset` with the opposite sign.
  public var verticalOffset: Double? {
    get { vertical.value }
    set { vertical.value = newValue }
  }

  /// Creates a shadow. Values that are nil are not stored.
  /// - Parameters:
  ///   - blurRadius: The blur radius.
  ///   - horizontalOffset: The horizontal offset: positive to the right.
  ///   - verticalOffset: The vertical offset: positive downward.
  ///   - color: The color.
  public init(
    blurRadius: Double? = nil, horizontalOffset: Double? = nil, verticalOffset: Double? = nil, color: Color = .standard
  ) {
    blur = StoredReal(blurRadius)
    horizontal = StoredReal(horizontalOffset)
    vertical = StoredReal(verticalOffset)
    self.color = color
  }

  /// The archived class name, `NSShadow`.
  public static var archiveClassName: String { "NSShadow" }

  /// Encodes the numbers that are not nil, and the color unless it is the default one.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    blur.encode(with: coder, "NSShadowBlurRadius")
    horizontal.encode(with: coder, "NSShadowHoriz")
    vertical.encode(with: coder, "NSShadowVert")
    switch color {
    case .standard: break
    case .noColor: coder.encode(ArchivedColor?.none, forKey: "NSShadowColor")
    case .appKit(let color): coder.encode(color, forKey: "NSShadowColor")
    case .uiKit(let color): coder.encode(color, forKey: "NSShadowColor")
    }
    otherValues.encode(with: coder)
  }

  /// Decodes the stored values.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is malformed.
  public init?(coder: KeyedUnarchiver) throws {
    blur = try StoredReal(coder, "NSShadowBlurRadius")
    horizontal = try StoredReal(coder, "NSShadowHoriz")
    vertical = try StoredReal(coder, "NSShadowVert")
    let types: [any KeyedCoding.Type] = [ArchivedColor.self, ArchivedUIColor.self]
    switch try coder.object(types, "NSShadowColor") {
    case let color as ArchivedColor: self.color = .appKit(color)
    case let color as ArchivedUIColor: self.color = .uiKit(color)
    default: color = coder.containsValue(forKey: "NSShadowColor") ? .noColor : .standard
    }
    otherValues = try coder.otherValues(
      except: ["NSShadowBlurRadius", "NSShadowHoriz", "NSShadowVert", "NSShadowColor"])
  }
}
