// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

extension Sticker {
  /// A cross red beetle that walks toward the viewer.
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

  /// A slug with a sly smile.
  static var slug: Sticker {
    var sticker = Sticker(background: Color(0xF3A3B4), shade: Color(0x7C1F44))
    let drop = Color(0xFBD0D6)
    sticker.scene(
      .blob((-60, 800), (200, 780), (520, 800), (800, 784), (1060, 812), (1060, 1060), (-60, 1060)), Color(0xE78AA0))
    for (x, y, r) in [(150.0, 200.0, 34.0), (236, 300, 18), (90, 330, 14), (470, 140, 16), (540, 226, 26)] {
      sticker.scene(.circle(x, y, r), drop)
    }
    sticker.scene(
      .blob((-40, 868), (-40, 868), (120, 852), (300, 858), (300, 900), (110, 902), (-40, 912), (-40, 912)),
      Color(0xFFE3E4))
    let skin = Paint.down(Color(0xC9DD57), from: 250, Color(0x8DB33A), to: 860)
    let dark = Color(0x6D922B)
    // The eye stalks.
    let left = Path.line((636, 470), (610, 350), (572, 262))
    let right = Path.line((760, 470), (786, 350), (830, 268))
    sticker.limb(left, Color(0xBBD24C), 60, to: 46)
    sticker.limb(right, Color(0xBBD24C), 60, to: 46)
    sticker.body(.circle(568, 232, 84) + .circle(836, 238, 84), .flat(Color(0xC9DD57)))
    let trunk = Path.blob(
      (70, 860), (126, 788), (196, 700), (300, 612), (420, 586), (520, 620), (566, 600), (590, 500), (640, 424),
      (700, 404), (770, 424), (830, 500), (862, 610), (866, 740), (900, 810), (938, 858), (936, 894),
      (880, 906), (500, 908), (130, 906), (72, 892))
    sticker.body(trunk, skin)
    // The mantle and stripes.
    let shield = Path.blob((176, 726), (280, 610), (420, 566), (540, 630), (560, 720), (470, 770), (300, 780))
    sticker.fill(shield.moved(0, 14), dark.alpha(0.5), in: trunk)
    sticker.fill(shield, .down(Color(0xF0B64A), from: 570, Color(0xDB8A35), to: 780), in: trunk)
    for (x, y, r) in [(290.0, 690.0, 26.0), (410, 646, 30), (478, 690, 25), (392, 726, 19), (224, 730, 15)] {
      sticker.fill(.ellipse(x, y, r * 1.2, r), Color(0xB9672A).alpha(0.55), in: shield)
    }
    sticker.fill(.ellipse(320, 632, 56, 13).turned(-22, around: (320, 632)), Color.white.alpha(0.5), in: shield)
    // The foot's frill.
    sticker.fill(
      .blob((20, 860), (200, 846), (500, 852), (800, 846), (980, 860), (980, 940), (20, 940)), dark.alpha(0.7),
      in: trunk)
    for i in 0..<13 {
      let x = 150 + Double(i) * 60
      sticker.line(.line((x, 862), (x - 8, 896)), Color(0x567522), 9, in: trunk)
    }
    sticker.fill(.ellipse(660, 470, 30, 14).turned(-50, around: (660, 470)), Color.white.alpha(0.55))
    // The face.
    sticker.eye(568, 230, 66, look: (0.6, 0.35), lid: Lid(color: Color(0xC9DD57), shut: 0.36, tilt: 10))
    sticker.eye(836, 236, 66, look: (-0.1, 0.5), lid: Lid(color: Color(0xC9DD57), shut: 0.36, tilt: -14))
    sticker.fill(.ellipse(628, 640, 40, 25) + .ellipse(826, 640, 34, 25), Color(0xF08A8A).alpha(0.75), in: trunk)
    sticker.fill(
      .blob((710, 630), (710, 630), (764, 624), (764, 624), (764, 674), (740, 692), (716, 674)), Color(0xF0567F))
    sticker.line(.line((739, 644), (741, 668)), Color(0xB92F58), 6)
    sticker.line(.line((640, 586), (690, 632), (752, 634), (812, 574)), .ink, 17)
    sticker.line(.line((796, 566), (818, 568), (834, 584)), .ink, 14)
    return sticker
  }

  /// A surprised spider on a thread.
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
    // The eyes.
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
