// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

internal import PNGImages

/// A picture of a creature cut out of paper: shapes on a white rim that throws a soft shadow, before a tinted background.
struct Sticker {
  /// A shape and how it is drawn.
  private struct Layer {
    let path: Path
    let paint: Paint
    /// The widths of a line at its start and end; nil fills the path.
    var widths: (start: Double, end: Double)?
    /// What the shape may not leave.
    var clip: Path?
  }

  /// How far the white rim reaches.
  private static let rim = 20.0

  private let background: Paint
  private var scenery: [Layer] = []
  private var layers: [Layer] = []
  /// The layers that the rim goes around.
  private var silhouette: [Layer] = []
  /// The colour of the shadow.
  private let shade: Color

  /// An empty picture on a background that is a little lighter at the top.
  init(background color: Color, shade: Color) {
    background = .down(color.mixed(.white, 0.3), from: 0, color, to: 900)
    self.shade = shade
  }

  /// Draws something behind the creature and its rim.
  mutating func scene(_ path: Path, _ color: Color, line: Double? = nil) {
    scenery.append(Layer(path: path, paint: .flat(color), widths: line.map { ($0, $0) }))
  }

  /// Draws a part of the creature that belongs to its outline.
  mutating func body(_ path: Path, _ paint: Paint) {
    silhouette.append(Layer(path: path, paint: paint))
    fill(path, paint)
  }

  /// Draws a limb that belongs to the outline: a line of some width.
  mutating func limb(_ path: Path, _ color: Color, _ width: Double, to endWidth: Double? = nil) {
    silhouette.append(Layer(path: path, paint: .flat(color), widths: (width, endWidth ?? width)))
    line(path, color, width, to: endWidth)
  }

  /// Fills a shape, or as much of it as is inside of another.
  mutating func fill(_ path: Path, _ paint: Paint, in clip: Path? = nil) {
    layers.append(Layer(path: path, paint: paint, clip: clip))
  }

  /// Fills a shape with one colour.
  mutating func fill(_ path: Path, _ color: Color, in clip: Path? = nil) {
    fill(path, .flat(color), in: clip)
  }

  /// Draws a line, or as much of it as is inside of a shape.
  mutating func line(_ path: Path, _ color: Color, _ width: Double, to endWidth: Double? = nil, in clip: Path? = nil) {
    layers.append(Layer(path: path, paint: .flat(color), widths: (width, endWidth ?? width), clip: clip))
  }

  /// The picture, with so many pixels a side.
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
