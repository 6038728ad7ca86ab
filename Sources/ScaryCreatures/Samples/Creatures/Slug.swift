// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

extension Sticker {
  /// A slug with a sly smile, in no hurry.
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
    // Stalks.
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
    // The back's shield, and stripes.
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
}
