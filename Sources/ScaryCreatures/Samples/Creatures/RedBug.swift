// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

extension Sticker {
  /// A red beetle that walks towards the viewer, and is cross.
  static var redBug: Sticker {
    var sticker = Sticker(background: Color(0x84CFD6), shade: Color(0x0B4A5C))
    let blade = Color(0x63B6B4)
    for (x, lean, height) in [
      (70.0, -30.0, 330.0), (150, 20, 240), (860, -24, 260), (940, 26, 360), (250, -8, 150), (760, 10, 140),
    ] {
      sticker.scene(
        .blob(
          (x - 34, 1040), (x - 34, 1040), (x + lean * 0.3 - 20, 1000 - height * 0.5), (x + lean, 1000 - height),
          (x + lean, 1000 - height), (x + lean * 0.3 + 30, 1000 - height * 0.5), (x + 40, 1040), (x + 40, 1040)), blade)
    }
    let black = Color(0x33284A)
    let legs = [
      Path.line((300, 560), (150, 500), (84, 590)), Path.line((280, 680), (140, 676), (92, 780)),
      Path.line((340, 780), (240, 820), (216, 908)),
    ]
    for leg in legs {
      sticker.limb(leg, black, 46, to: 34)
      sticker.limb(leg.mirrored, black, 46, to: 34)
    }
    // Wing cases with a seam.
    let shell = Path.blob(
      (500, 138), (652, 164), (790, 250), (860, 390), (866, 540), (810, 690), (690, 790), (500, 826), (310, 790),
      (190, 690), (134, 540), (140, 390), (210, 250), (348, 164))
    sticker.body(shell, .down(Color(0xFF6250), from: 160, Color(0xD42A33), to: 800))
    sticker.fill(
      .blob((60, 560), (200, 720), (400, 800), (500, 806), (600, 800), (800, 720), (940, 560), (900, 900), (100, 900)),
      Color(0x9E1630).alpha(0.45), in: shell)
    sticker.line(.line((500, 120), (500, 480)), Color(0x9E1630), 14, in: shell)
    for (x, y, r) in [(400.0, 236.0, 58.0), (244, 452, 66), (226, 640, 42)] {
      let spot = Path.ellipse(x, y, r, r * 1.06)
      sticker.fill(spot.twice, black, in: shell)
    }
    sticker.fill(Path.ellipse(250, 262, 58, 22).turned(-46, around: (250, 262)), Color.white.alpha(0.6))
    sticker.fill(.circle(192, 342, 13), Color.white.alpha(0.6))
    // The head, low, with antennae.
    let antenna = Path.line((430, 500), (420, 390), (352, 330), (292, 362))
    for side in [antenna, antenna.mirrored] { sticker.line(side, Color(0x2A2140), 24, to: 16) }
    sticker.fill(Path.circle(288, 366, 24).twice, Color(0x2A2140))
    let head = Path.blob(
      (500, 450), (622, 470), (708, 556), (724, 680), (670, 796), (580, 852), (500, 862), (420, 852), (330, 796),
      (276, 680), (292, 556), (378, 470))
    sticker.body(head, .down(Color(0x4A3B68), from: 450, Color(0x2A2140), to: 860))
    sticker.fill(Path.ellipse(372, 560, 92, 90).turned(-30, around: (372, 560)).twice, Color(0xFFF1DD))
    sticker.eye(400, 622, 84, look: (0.35, 0.1), pupil: 0.5, lid: Lid(color: Color(0x4A3B68), shut: 0.26, tilt: 20))
    sticker.eye(600, 622, 84, look: (-0.35, 0.1), pupil: 0.5, lid: Lid(color: Color(0x4A3B68), shut: 0.26, tilt: -20))
    let mouth = Path.line((408, 782), (452, 756), (500, 750), (548, 756), (592, 782))
    sticker.line(mouth, Color(0xFFF1DD), 15)
    sticker.fill(Path.blob((428, 762), (428, 762), (446, 812), (446, 812), (472, 752), (472, 752)).twice, .white)
    return sticker
  }
}
