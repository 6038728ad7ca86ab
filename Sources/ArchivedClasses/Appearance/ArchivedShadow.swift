// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving

/// An `NSShadow`.
public struct ArchivedShadow: SecureKeyedCoding, Hashable, Sendable {
  /// How far the shadow is blurred.
  public var blurRadius: Double?
  /// How far it is shifted to the right.
  public var horizontalOffset: Double?
  /// How far it is shifted upwards.
  public var verticalOffset: Double?
  /// Its color.
  public var color: ArchivedColor?

  /// Makes a shadow; what is not given is not stored.
  public init(
    blurRadius: Double? = nil, horizontalOffset: Double? = nil, verticalOffset: Double? = nil,
    color: ArchivedColor? = nil
  ) {
    self.blurRadius = blurRadius
    self.horizontalOffset = horizontalOffset
    self.verticalOffset = verticalOffset
    self.color = color
  }

  /// `NSShadow`.
  public static var archiveClassName: String { "NSShadow" }

  /// Stores what is set.
  public func encode(with coder: KeyedArchiver) {
    if let blurRadius { coder.encode(blurRadius, forKey: "NSShadowBlurRadius") }
    if let horizontalOffset { coder.encode(horizontalOffset, forKey: "NSShadowHoriz") }
    if let verticalOffset { coder.encode(verticalOffset, forKey: "NSShadowVert") }
    coder.encode(color, forKey: "NSShadowColor")
  }

  /// Reads what is there.
  public init?(coder: KeyedUnarchiver) throws {
    blurRadius = try coder.real("NSShadowBlurRadius")
    horizontalOffset = try coder.real("NSShadowHoriz")
    verticalOffset = try coder.real("NSShadowVert")
    color = try coder.decodeIfPresent(ArchivedColor.self, forKey: "NSShadowColor")
  }
}
