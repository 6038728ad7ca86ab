// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Ratings as faces: five in a row, each more frightened than the one before. Pale ones lie below, and as many coloured
/// ones as the rating has above them. Without a rating there is a single one, asleep.
enum GalleryFaces {
  /// From the left edge of one face to that of the next, and how wide a face is.
  private static let (step, width) = (26, 22)
  private static let row = 4 * step + width

  /// A symbol for each number of half faces: `h0` to `h10`.
  static let symbols: String = {
    var text = """
      <linearGradient id="heat" gradientUnits="userSpaceOnUse" x1="0" y1="0" x2="\(row)" y2="0">\
      <stop offset="0" stop-color="#ffd257"/><stop offset=".5" stop-color="#ff9f43"/>\
      <stop offset="1" stop-color="#f0504c"/></linearGradient>
      <g id="pale"><path class="pale" d="\(skins)"/><path class="gaps" d="\(looks)"/></g>
      <g id="heated"><path fill="url(#heat)" d="\(skins)"/><path fill="#2a2140" d="\(looks)"/></g>
      <symbol id="h0" viewBox="0 0 \(width) \(width)"><path class="pale" d="\(circle(11, 11, 11))"/>\
      <path class="nap" d="M5.5 9q2 2 4 0M12.5 9q2 2 4 0M8.5 15.5h5"/></symbol>
      """
    for halves in 1...10 {
      let colored = halves / 2 * step + halves % 2 * width / 2
      text += "\n<symbol id=\"h\(halves)\" viewBox=\"0 0 \(row) \(width)\">"
      if halves < 10 { text += "<use href=\"#pale\"/>" }
      text += "<svg width=\"\(colored)\" height=\"\(width)\"><use href=\"#heated\"/></svg></symbol>"
    }
    return text
  }()

  private static var skins: String { (0..<5).map { circle(Double($0 * step) + 11, 11, 11) }.joined() }

  /// Eyes and mouths: a smile, a straight face, surprise, fear, and a scream.
  private static var looks: String {
    func x(_ face: Int) -> Double { Double(face * step) }
    var path = ""
    for (face, (radius, y)) in [(1.5, 8.5), (1.5, 8.5), (1.7, 8.0), (1.9, 7.5), (2.2, 7.0)].enumerated() {
      path += circle(x(face) + 7, y, radius) + circle(x(face) + 15, y, radius)
    }
    path += "M\(x(0) + 5.5) 12.5q5.5 7.5 11 0q-5.5 3.5-11 0z"
    path += "M\(x(1) + 7.5) 14h7a.9.9 0 0 1 0 1.8h-7a.9.9 0 0 1 0-1.8z"
    for (face, width, height) in [(2, 2.2, 2.4), (3, 2.9, 3.5), (4, 3.6, 4.6)] {
      path += ellipse(x(face) + 11, 15.2 - height / 8, width, height)
    }
    return path
  }

  private static func circle(_ x: Double, _ y: Double, _ radius: Double) -> String { ellipse(x, y, radius, radius) }

  private static func ellipse(_ x: Double, _ y: Double, _ a: Double, _ b: Double) -> String {
    let (left, full) = (number(x - a), number(2 * a))
    return "M\(left) \(number(y))a\(number(a)) \(number(b)) 0 1 0 \(full) 0a\(number(a)) \(number(b)) 0 1 0-\(full) 0z"
  }

  /// With at most two digits behind the point.
  private static func number(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    let (whole, rest) = (hundredths / 100, hundredths % 100)
    if rest == 0 { return "\(whole)" }
    return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }
}
