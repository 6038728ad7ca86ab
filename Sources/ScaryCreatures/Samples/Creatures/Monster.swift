// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

extension Sticker {
  /// A furry violet monster with one eye, horns and far too many teeth.
  static var monster: Sticker {
    var sticker = Sticker(background: Color(0xFFC146), shade: Color(0x8A4A00))
    let ray = Color(0xFFB02E).alpha(0.55)
    for i in 0..<9 {
      sticker.scene(
        Path.polygon((500, 480), (430, -260), (570, -260)).turned(Double(i) * 40 + 20, around: (500, 480)), ray)
    }
    let fur = Color(0x8E5BD9)
    let dark = Color(0x6E3FBB)
    let horn = Path.blob(
      (352, 316), (300, 262), (250, 208), (238, 112), (238, 112), (320, 156), (400, 190), (452, 268), (452, 268))
    sticker.body(horn.twice, .down(Color(0xFFF6DC), from: 110, Color(0xF2C98A), to: 290))
    for (x, y) in [(256.0, 196.0), (296.0, 244.0)] {
      let ring = Path.line((x - 8, y + 22), (x + 34, y + 4), (x + 66, y - 28))
      sticker.line(ring, Color(0xDDA560), 12, in: horn)
      sticker.line(ring.mirrored, Color(0xDDA560), 12, in: horn.mirrored)
    }
    // Arms with claws, feet.
    let arm = Path.line((300, 600), (176, 590), (116, 462))
    for limb in [arm, arm.mirrored] { sticker.limb(limb, fur, 104, to: 84) }
    for claw in [(84.0, -24.0), (122.0, 2.0), (156.0, 28.0)] {
      let nail = Path.blob(
        (claw.0 - 14, 424), (claw.0 - 14, 424), (claw.0, 372), (claw.0, 372), (claw.0 + 16, 424), (claw.0 + 16, 424)
      )
      .turned(claw.1, around: (claw.0, 430))
      sticker.body(nail.twice, .flat(Color(0xF6D295)))
    }
    for limb in [arm, arm.mirrored] { sticker.line(limb, fur, 104, to: 84) }
    sticker.body(Path.ellipse(216, 500, 40, 90).twice, .flat(fur))
    let trunk = Path.fur(500, 554, 292, 306, tufts: 22, depth: 34)
    sticker.body(trunk, .down(Color(0xA473EA), from: 300, Color(0x7646C4), to: 860))
    sticker.fill(.ellipse(500, 968, 260, 190), dark.alpha(0.55), in: trunk)
    sticker.body(Path.ellipse(364, 876, 108, 56).twice, .down(fur, from: 800, dark, to: 900))
    for x in [300.0, 364, 428] {
      sticker.fill(Path.ellipse(x, 894, 22, 26).twice, Color(0xFFF6DC))
    }
    for (x, y) in [(278.0, 500.0), (302, 446), (306, 770), (692, 772), (726, 490), (700, 440)] {
      sticker.fill(.ellipse(x, y, 24, 17), Color(0x5FD6C4))
    }
    // The eye.
    let ball = Path.circle(500, 428, 142)
    sticker.fill(.circle(500, 432, 158), dark)
    sticker.fill(ball, .white)
    sticker.fill(.circle(508, 440, 86), .radial(Color(0x7CEBD0), Color(0x17937F), x: 508, y: 470, radius: 92))
    sticker.fill(.circle(508, 440, 48), .ink)
    sticker.fill(.circle(478, 404, 27), .white)
    sticker.fill(.circle(540, 476, 11), Color.white.alpha(0.8))
    sticker.fill(
      .blob(
        (300, 240), (300, 240), (700, 240), (700, 240), (700, 384), (700, 384), (580, 342), (500, 332), (420, 342),
        (300, 384), (300, 384)), .flat(fur), in: .circle(500, 432, 158))
    sticker.line(
      .line((330, 372), (420, 342), (500, 332), (580, 342), (670, 372)), .ink, 16, in: .circle(500, 432, 154))
    // The grin.
    let mouth = Path.blob(
      (262, 606), (262, 606), (380, 634), (500, 640), (620, 634), (738, 606), (738, 606), (700, 722), (608, 790),
      (500, 806), (392, 790), (300, 722))
    sticker.fill(mouth, .ink)
    sticker.fill(.ellipse(500, 800, 132, 64), Color(0xF0567F), in: mouth)
    for (i, x) in [310.0, 386, 462, 538, 614, 690].enumerated() {
      let deep = [62.0, 76, 66, 66, 76, 62][i]
      sticker.fill(
        .blob(
          (x - 34, 590), (x - 34, 590), (x - 26, 640), (x, 636 + deep), (x, 636 + deep), (x + 26, 640), (x + 34, 590),
          (x + 34, 590)), Color(0xFFF9EA), in: mouth)
    }
    for x in [412.0, 588] {
      sticker.fill(
        .blob(
          (x - 28, 830), (x - 28, 830), (x - 18, 764), (x, 728), (x, 728), (x + 18, 764), (x + 28, 830), (x + 28, 830)),
        Color(0xFFF9EA), in: mouth)
    }
    sticker.line(Path.line((236, 612), (262, 604), (276, 582)).twice, .ink, 15)
    return sticker
  }
}
