// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import PNGImages
import PropertyListFormat

/// The seven creatures that a new library may be filled with, to have something to look at.
///
/// Their pictures are drawn when they are asked for, and are the same bytes on every machine.
public enum SampleCreature: String, CaseIterable, Sendable {
  /// A ghost, as scary as can be.
  case ghost
  /// A monster, as scary as can be.
  case monster
  /// A panda, hardly scary at all.
  case panda
  /// A red beetle.
  case redBug
  /// A slug.
  case slug
  /// A spider.
  case spider
  /// A yeti.
  case yeti

  /// What the creature is called, such as `Red Bug`.
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

  /// How scary it is, from 1 to 5.
  public var rating: Float {
    switch self {
    case .ghost, .monster: 5
    case .slug: 4
    case .redBug, .spider, .yeti: 3
    case .panda: 1
    }
  }

  /// The picture: 1000 pixels wide and high, opaque.
  public func fullImage() -> PNGImage {
    sticker.image(side: 1000)
  }

  /// The shapes of the picture.
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
