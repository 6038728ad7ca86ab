// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

extension Sticker {
  /// A spider that lets itself down on a thread, and did not expect company.
  static var spider: Sticker {
    var sticker = Sticker(background: Color(0xF39A4F), shade: Color(0x6B2A00))
    // A web in the corner.
    let web = Color(0xFFD9A6).alpha(0.9)
    for (x, y) in [(430.0, 0.0), (390, 150), (286, 286), (150, 390), (0, 430)] {
      sticker.scene(.line((0, 0), (x, y)), web, line: 7)
    }
    for part in [0.36, 0.64, 0.92] {
      let knots = [(430.0, 0.0), (390, 150), (286, 286), (150, 390), (0, 430)].map { ($0.0 * part, $0.1 * part) }
      for (a, b) in zip(knots, knots.dropFirst()) {
        sticker.scene(.line(a, ((a.0 + b.0) * 0.47, (a.1 + b.1) * 0.47), b), web, line: 6)
      }
    }
    sticker.scene(.line((500, -20), (500, 300)), Color(0xFFF1DC), line: 9)

    let dark = Color(0x3C2F5C)
    let legs = [
      Path.line((330, 470), (196, 300), (128, 300), (128, 300), (70, 440)),
      Path.line((300, 540), (170, 470), (130, 478), (130, 478), (60, 620)),
      Path.line((310, 640), (196, 650), (162, 672), (162, 672), (110, 800)),
      Path.line((360, 720), (280, 790), (258, 822), (258, 822), (256, 930)),
    ]
    for leg in legs {
      sticker.limb(leg, dark, 44, to: 24)
      sticker.limb(leg.mirrored, dark, 44, to: 24)
    }
    let trunk = Path.fur(500, 560, 250, 246, tufts: 30, depth: 22)
    sticker.body(trunk, .down(Color(0x6A549C), from: 320, Color(0x33274F), to: 800))
    for (x, y, width) in [(500.0, 352.0, 22.0), (462, 366, 14), (538, 366, 14)] {
      sticker.fill(.ellipse(x, y, width, width * 1.5), Color(0xF39A4F))
    }
    // Many eyes.
    sticker.eye(410, 540, 88, look: (0.3, -0.15), pupil: 0.5)
    sticker.eye(590, 540, 88, look: (-0.3, -0.15), pupil: 0.5)
    for (x, y, r) in [(318.0, 440.0, 34.0), (400, 412, 28)] {
      sticker.eye(x, y, r, look: (0.3, 0.2), pupil: 0.6)
      sticker.eye(1000 - x, y, r, look: (-0.3, 0.2), pupil: 0.6)
    }
    let mouth = Path.blob(
      (420, 682), (420, 682), (460, 696), (500, 700), (540, 696), (580, 682), (580, 682), (560, 734), (500, 756),
      (440, 734))
    sticker.fill(mouth, .ink)
    sticker.fill(.ellipse(500, 752, 44, 26), Color(0xF0567F), in: mouth)
    sticker.fill(Path.blob((442, 680), (442, 680), (462, 732), (462, 732), (482, 690), (482, 690)).twice, .white)
    sticker.cheeks(326, 662, 36, Color(0xE8718D).alpha(0.75))
    return sticker
  }
}
