// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import PNGImages
import PropertyListFormat

/// The seven sample creatures.
///
/// Their images are drawn on request, with the same bytes on every system.
public enum SampleCreature: String, CaseIterable, Sendable {
  /// A very scary ghost.
  case ghost
  /// A very scary monster.
  case monster
  /// A panda, which is hardly scary.
  case panda
  /// A red beetle.
  case redBug
  /// A slug.
  case slug
  /// A spider.
  case spider
  /// A yeti.
  case yeti

  /// The title, such as `Red Bug`.
  public var title: String {
    switch self {
    case .ghost: "Ghost"
    case .monster: "Monster"
    case .panda: "Panda"
    case .redBug: "Red Bug"
    case .slug: "Slug"
    case .spider: "Spider"
    case .yeti: "Yeti"
    }
  }

  /// The rating, from 1 to 5.
  public var rating: Float {
    switch self {
    case .ghost, .monster: 5
    case .slug: 4
    case .redBug, .spider, .yeti: 3
    case .panda: 1
    }
  }

  /// Draws the image, which is opaque and 1000 pixels wide and high.
  /// - Returns: The image.
  public func fullImage() -> PNGImage {
    sticker.image(side: Self.imageSide)
  }

  /// The width and height of images. Tests draw smaller ones, because a debug build draws a large one in seconds.
  @TaskLocal package static var imageSide = 1000

  /// The shapes of the image.
  var sticker: Sticker {
    switch self {
    case .ghost: .ghost
    case .monster: .monster
    case .panda: .panda
    case .redBug: .redBug
    case .slug: .slug
    case .spider: .spider
    case .yeti: .yeti
    }
  }
}
