// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PNGImages

/// A creature as a paper cutout: shapes on a white rim with a soft shadow, in front of a tinted background.
struct Sticker {
  /// A shape with its paint.
  private struct Layer {
    let path: Path
    let paint: Paint
    /// The line's widths at its start and end; nil fills the path.
    var widths: (start: Double, end: Double)?
    /// The area that clips the shape.
    var clip: Path?
  }

  /// The width of the white rim.
  private static let rim = 20.0

  private let background: Paint
  private var scenery: [Layer] = []
  private var layers: [Layer] = []
  /// The layers that the rim surrounds.
  private var silhouette: [Layer] = []
  /// The color of the shadow.
  private let shade: Color

  /// Creates a picture without shapes. The background is lighter at the top.
  init(background color: Color, shade: Color) {
    background = .down(color.mixed(.white, 0.3), from: 0, color, to: 900)
    self.shade = shade
  }

  /// Draws a shape behind the creature and its rim.
  mutating func scene(_ path: Path, _ color: Color, line: Double? = nil) {
    scenery.append(Layer(path: path, paint: .flat(color), widths: line.map { ($0, $0) }))
  }

  /// Draws a part of the creature that belongs to its silhouette.
  mutating func body(_ path: Path, _ paint: Paint) {
    silhouette.append(Layer(path: path, paint: paint))
    fill(path, paint)
  }

  /// Draws a limb that belongs to the silhouette: a line.
  mutating func limb(_ path: Path, _ color: Color, _ width: Double, to endWidth: Double? = nil) {
    silhouette.append(Layer(path: path, paint: .flat(color), widths: (width, endWidth ?? width)))
    line(path, color, width, to: endWidth)
  }

  /// Fills a shape, clipped to another one if given.
  mutating func fill(_ path: Path, _ paint: Paint, in clip: Path? = nil) {
    layers.append(Layer(path: path, paint: paint, clip: clip))
  }

  /// Fills a shape with one color, clipped to another one if given.
  mutating func fill(_ path: Path, _ color: Color, in clip: Path? = nil) {
    fill(path, .flat(color), in: clip)
  }

  /// Draws a line, clipped to a shape if given.
  mutating func line(_ path: Path, _ color: Color, _ width: Double, to endWidth: Double? = nil, in clip: Path? = nil) {
    layers.append(Layer(path: path, paint: .flat(color), widths: (width, endWidth ?? width), clip: clip))
  }

  /// Draws the image with `side` pixels a side.
  func image(side: Int) -> PNGImage {
    var canvas = Canvas(side: side)
    canvas.fill(background)
    for layer in scenery { canvas.draw(mask(of: layer, side: side), layer.paint) }
    var rim = Mask(side: side)
    for layer in silhouette { add(layer, to: &rim, wider: 2 * Self.rim) }
    canvas.draw(rim.shadow(radius: 13, down: 22), .flat(shade.alpha(0.42)))
    canvas.draw(rim, .flat(.white))
    for layer in layers { canvas.draw(mask(of: layer, side: side), layer.paint) }
    return canvas.image
  }

  private func mask(of layer: Layer, side: Int) -> Mask {
    var mask = Mask(side: side)
    add(layer, to: &mask)
    if let clip = layer.clip {
      var inside = Mask(side: side)
      inside.fill(clip)
      mask.clip(to: inside)
    }
    return mask
  }

  private func add(_ layer: Layer, to mask: inout Mask, wider extra: Double = 0) {
    if let widths = layer.widths {
      mask.stroke(layer.path, width: widths.start + extra, endWidth: widths.end + extra)
    } else {
      mask.fill(layer.path)
      if extra > 0 { mask.stroke(layer.path, width: extra) }
    }
  }
}

/// Parts that several creatures have.
extension Sticker {
  /// An eyelid.
  struct Lid {
    var color: Color
    /// The covered part of the eye, from 0, open, to 1, closed.
    var shut: Double
    /// The rotation in degrees, clockwise.
    var tilt = 0.0
  }

  /// Draws an eye. Each component of `look` is from -1 to 1.
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

  /// Draws two rosy cheeks.
  mutating func cheeks(_ x: Double, _ y: Double, _ radius: Double, _ color: Color) {
    fill(Path.ellipse(x, y, radius, radius * 0.62).twice, color)
  }

  /// Draws a four-pointed star behind the creature.
  mutating func twinkle(_ x: Double, _ y: Double, _ size: Double, _ color: Color) {
    let waist = size * 0.2
    scene(
      .polygon(
        (x, y - size), (x + waist, y - waist), (x + size, y), (x + waist, y + waist), (x, y + size),
        (x - waist, y + waist), (x - size, y), (x - waist, y - waist)), color)
  }
}
