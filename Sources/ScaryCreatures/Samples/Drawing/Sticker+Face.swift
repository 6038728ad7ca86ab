// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Parts that the creatures have in common.
extension Sticker {
  /// An eyelid: how much of the eye it covers, and how it is tilted.
  struct Lid {
    var color: Color
    /// From 0, open, to 1, shut.
    var shut: Double
    /// Degrees clockwise.
    var tilt = 0.0
  }

  /// Draws an eye that looks somewhere: each part of `look` is from -1 to 1.
  mutating func eye(
    _ x: Double, _ y: Double, _ radius: Double, look: (Double, Double) = (0, 0), pupil: Double = 0.56, lid: Lid? = nil
  ) {
    let ball = Path.ellipse(x, y, radius, radius * 1.04)
    fill(ball, .white)
    let room = radius * (0.92 - pupil)
    let (px, py) = (x + look.0 * room, y + look.1 * room)
    fill(.circle(px, py, radius * pupil), .ink, in: ball)
    fill(.circle(px - radius * pupil * 0.36, py - radius * pupil * 0.4, radius * pupil * 0.34), .white, in: ball)
    fill(
      .circle(px + radius * pupil * 0.4, py + radius * pupil * 0.42, radius * pupil * 0.15), Color.white.alpha(0.75),
      in: ball)
    fill(.ellipse(x, y - radius * 1.1, radius * 1.3, radius * 0.5), Color.ink.alpha(0.12), in: ball)
    guard let lid else { return }
    let edge = y - radius * 1.05 + radius * 2.1 * lid.shut
    let cover = Path.polygon(
      (x - 2 * radius, y - 3 * radius), (x + 2 * radius, y - 3 * radius), (x + 2 * radius, edge), (x - 2 * radius, edge)
    ).turned(lid.tilt, around: (x, edge))
    let hood = Path.ellipse(x, y, radius * 1.06, radius * 1.1)
    fill(cover, lid.color, in: hood)
    line(
      Path.line((x - 1.5 * radius, edge), (x + 1.5 * radius, edge)).turned(lid.tilt, around: (x, edge)), .ink,
      radius * 0.16, in: hood)
  }

  /// Draws a pair of rosy cheeks.
  mutating func cheeks(_ x: Double, _ y: Double, _ radius: Double, _ color: Color) {
    fill(Path.ellipse(x, y, radius, radius * 0.62).twice, color)
  }

  /// Draws a star with four points behind the creature.
  mutating func twinkle(_ x: Double, _ y: Double, _ size: Double, _ color: Color) {
    let waist = size * 0.2
    scene(
      .polygon(
        (x, y - size), (x + waist, y - waist), (x + size, y), (x + waist, y + waist), (x, y + size),
        (x - waist, y + waist), (x - size, y), (x - waist, y - waist)), color)
  }
}
