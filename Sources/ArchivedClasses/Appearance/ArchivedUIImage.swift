// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import KeyedArchiving

/// A `UIImage`: an encoded picture, and how UIKit shows it.
///
/// The picture is data that passes through unchanged. It is not decoded.
///
/// ```swift
/// let image = try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedUIImage.self, from: data)
/// if let picture = image?.picture, let format = PictureFormat(of: picture) {
///   try picture.write(to: folder.appending(path: "photo.\(format.fileExtension)"))
/// }
/// ```
///
/// No archive of the test corpus has one. The keys and their kinds are those that published descriptions of files of iOS
/// list. According to these, UIKit stores every picture as PNG, and further keys, which are preserved. It is not known
/// which keys UIKit requires. An image that UIKit loads by its name can be archived without its picture.
public struct ArchivedUIImage: SecureKeyedCoding {
  /// The encoded picture; nil if the archive has none.
  public var picture: Data?
  /// The number of pixels per point, such as 2.
  public var scale: Float? {
    get { storedScale.float }
    set { storedScale.float = newValue }
  }
  private var storedScale = StoredReal()
  /// The width and height in pixels.
  public var sizeInPixels: ArchivedSize?
  /// The orientation, a `UIImage.Orientation`: 0 is up, 1 down, 2 left, 3 right, and 4 to 7 are the same, mirrored.
  public var orientation: Int?
  /// The rendering mode, a `UIImage.RenderingMode`: 0 is automatic, 1 original, 2 template.
  public var renderingMode: Int?
  /// The values for keys that this type does not know.
  public var otherValues = OtherValues()

  /// Creates an image with an encoded picture.
  ///
  /// The size in pixels is the one in the picture's header, if it is PNG or JPEG.
  /// - Parameters:
  ///   - picture: The bytes of an image file.
  ///   - scale: The number of pixels per point.
  ///   - orientation: The orientation, a `UIImage.Orientation`.
  /// - Throws: `KeyedArchiveError` with the code `notEncodable` if the data does not begin like a picture.
  public init(picture: Data, scale: Float = 1, orientation: Int = 0) throws {
    guard PictureFormat(of: picture) != nil else { throw notAPicture(picture, Self.archiveClassName) }
    self.picture = picture
    storedScale = StoredReal(scale)
    self.orientation = orientation
    sizeInPixels = PictureFormat.sizeInPixels(of: picture)
    renderingMode = 0
  }

  /// The archived class name, `UIImage`.
  public static var archiveClassName: String { "UIImage" }

  private static let known = ["UIImageData", "UIScale", "UIImageSizeInPixels", "UIImageOrientation", "UIRenderingMode"]

  /// Encodes the picture and the values that are not nil.
  /// - Parameter coder: The archiver.
  /// - Throws: `KeyedArchiveError` if a value cannot be encoded.
  public func encode(with coder: KeyedArchiver) throws {
    let numbers = [storedScale.value, sizeInPixels?.width, sizeInPixels?.height]
    guard numbers.allSatisfy({ $0?.isFinite ?? true }) else {
      throw KeyedArchiveError(.notEncodable, "invalid image: the scale or size is NaN or infinity")
    }
    if let picture { coder.encode(picture, forKey: "UIImageData") }
    storedScale.encode(with: coder, "UIScale")
    if let sizeInPixels { coder.encodeSize(sizeInPixels, forKey: "UIImageSizeInPixels") }
    if let orientation { coder.encode(orientation, forKey: "UIImageOrientation") }
    if let renderingMode { coder.encode(renderingMode, forKey: "UIRenderingMode") }
    otherValues.encode(with: coder)
  }

  /// Decodes the picture, without parsing it, and the other values.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is malformed.
  public init?(coder: KeyedUnarchiver) throws {
    picture = try coder.decodeIfPresent(Data.self, forKey: "UIImageData")
    storedScale = try StoredReal(coder, "UIScale")
    guard scale?.isFinite ?? true else { throw coder.malformed("invalid image: 'UIScale' exceeds a 4-byte real") }
    sizeInPixels = try coder.geometry("UIImageSizeInPixels", .list(2)).map { ArchivedSize($0) }
    orientation = try coder.primitive(Int.self, "UIImageOrientation")
    renderingMode = try coder.primitive(Int.self, "UIRenderingMode")
    otherValues = try coder.otherValues(except: Self.known)
  }
}
