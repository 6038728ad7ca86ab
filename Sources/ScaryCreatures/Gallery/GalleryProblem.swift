// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A picture that a gallery had to leave out, because reading it failed.
public struct GalleryProblem: Error, Sendable, CustomStringConvertible {
  /// Which of a creature's two pictures.
  public enum Picture: String, Hashable, Sendable {
    /// The small one.
    case thumbnail
    /// The full one.
    case fullImage
  }

  /// The creature's number.
  public let number: Int
  /// Which picture.
  public let picture: Picture
  /// Why it could not be read.
  public let underlyingError: any Error

  /// What is missing and why, in words.
  public var description: String {
    let name = picture == .thumbnail ? "thumbnail" : "full picture"
    return "The gallery shows creature \(number) without its \(name), which could not be read: \(underlyingError)"
  }
}
