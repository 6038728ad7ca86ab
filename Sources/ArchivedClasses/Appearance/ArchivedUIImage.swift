// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import KeyedArchives
public import KeyedArchiving
import PropertyListFormat

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
  public var scale: Float?
  /// The width and height in pixels.
  public var sizeInPixels: ArchivedSize?
  /// The orientation, a `UIImage.Orientation`: 0 is up, 1 down, 2 left, 3 right, and 4 to 7 are the same, mirrored.
  public var orientation: Int?
  /// The rendering mode, a `UIImage.RenderingMode`: 0 is automatic, 1 original, 2 template.
  public var renderingMode: Int?
  /// The whole object, if it has more values than those above.
  public private(set) var object: ArchivedObject?

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
    self.scale = scale
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
    let numbers = [scale.map { Double($0) }, sizeInPixels?.width, sizeInPixels?.height]
    guard numbers.allSatisfy({ $0?.isFinite ?? true }) else {
      throw KeyedArchiveError(.notEncodable, "invalid image: the scale or size is NaN or infinity")
    }
    guard let object else {
      if let picture { coder.encode(picture, forKey: "UIImageData") }
      if let scale { coder.encode(scale, forKey: "UIScale") }
      if let sizeInPixels { coder.encodeSize(sizeInPixels, forKey: "UIImageSizeInPixels") }
      if let orientation { coder.encode(orientation, forKey: "UIImageOrientation") }
      if let renderingMode { coder.encode(renderingMode, forKey: "UIRenderingMode") }
      return
    }
    // Copies of this value share the object. What did not change stays as it was stored.
    let copy = object.copy()
    if copy["UIImageData"]?.data != picture { copy["UIImageData"] = picture.map { .value($0) } }
    if copy["UIScale"]?.number?.real.map({ Float($0) }) != scale { copy["UIScale"] = scale.map { .number(.float($0)) } }
    let size = sizeInPixels.map { GeometryText.text($0.numbers, .list(2)) }
    if copy["UIImageSizeInPixels"]?.string != size { copy["UIImageSizeInPixels"] = size.map { .value($0) } }
    for (key, wanted) in [("UIImageOrientation", orientation), ("UIRenderingMode", renderingMode)]
    where copy[key]?.number?.integer != wanted {
      copy[key] = wanted.map { .number(.integer(Int64($0))) }
    }
    try copy.encode(with: coder)
  }

  /// Decodes the picture, without parsing it, and the other values.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is malformed.
  public init?(coder: KeyedUnarchiver) throws {
    picture = try coder.decodeIfPresent(Data.self, forKey: "UIImageData")
    scale = try coder.primitive(Float.self, "UIScale")
    guard scale?.isFinite ?? true else { throw coder.malformed("invalid image: 'UIScale' is NaN or infinity") }
    sizeInPixels = try coder.geometry("UIImageSizeInPixels", .list(2)).map { ArchivedSize($0) }
    orientation = try coder.primitive(Int.self, "UIImageOrientation")
    renderingMode = try coder.primitive(Int.self, "UIRenderingMode")
    let all = try ArchivedObject.made(by: coder)
    if all.entries.contains(where: { !Self.known.contains($0.key) }) { object = all }
  }
}
