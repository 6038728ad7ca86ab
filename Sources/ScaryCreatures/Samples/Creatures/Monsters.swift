// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

extension Sticker {
  /// A pale ghost at night.
  static var ghost: Sticker {
    var sticker = Sticker(background: Color(0x6A63B8), shade: Color(0x231C55))
    let star = Color(0xFFE9A8)
    sticker.scene(
      .blob(
        (874, 70), (874, 70), (926, 126), (926, 208), (872, 266), (796, 266), (748, 222), (748, 222), (818, 226),
        (872, 186), (886, 130)), star)
    sticker.twinkle(172, 210, 42, star)
    sticker.twinkle(262, 118, 20, star)
    sticker.twinkle(918, 590, 24, star)
    sticker.twinkle(88, 680, 20, star)
    sticker.twinkle(890, 770, 34, star)

    let sheet = Path.blob(
      (500, 150), (630, 178), (722, 270), (756, 400), (772, 470), (846, 424), (884, 448), (866, 528), (786, 606),
      (778, 720), (790, 836), (790, 836), (738, 880), (686, 846), (640, 812), (598, 850), (552, 890), (500, 850),
      (448, 812), (402, 850), (356, 888), (312, 846), (262, 812), (208, 842), (208, 842), (222, 720), (214, 606),
      (134, 528), (116, 448), (154, 424), (228, 470), (244, 400), (278, 270), (370, 178))
    sticker.body(sheet, .down(Color(0xF6F3FF), from: 260, Color(0xCFC6F2), to: 880))
    // The side away from the moon, and folds above the hem.
    let shade = Color(0xB3A7E4)
    sticker.fill(
      .blob(
        (60, 480), (150, 540), (236, 590), (262, 680), (262, 780), (300, 862), (360, 900), (300, 960), (100, 900),
        (60, 700)), shade.alpha(0.75), in: sheet)
    for x in [402.0, 598.0] {
      sticker.line(.line((x, 818), (x + 4, 770), (x - 4, 720)), shade, 15, to: 5, in: sheet)
    }
    let crease = Path.line((172, 514), (186, 492), (208, 480))
    for side in [crease, crease.mirrored] {
      sticker.line(side, shade, 10, to: 5, in: sheet)
    }
    // The eyes.
    for (x, tilt) in [(408.0, 8.0), (592.0, -8.0)] {
      let eye = Path.ellipse(x, 392, 62, 84).turned(tilt, around: (x, 392))
      sticker.fill(eye, .down(Color(0x2A2140), from: 320, Color(0x4A3A86), to: 480))
      sticker.fill(.circle(x - 20, 358, 24), .white)
      sticker.fill(.circle(x + 20, 428, 11), Color.white.alpha(0.7))
    }
    sticker.line(.line((332, 268), (374, 250), (414, 258)), .ink, 17, to: 9)
    sticker.line(Path.line((332, 268), (374, 250), (414, 258)).mirrored, .ink, 17, to: 9)
    sticker.cheeks(322, 512, 50, Color(0xF7A1C4).alpha(0.85))
    let mouth = Path.blob((500, 500), (566, 532), (574, 612), (500, 674), (426, 612), (434, 532))
    sticker.fill(mouth, .ink)
    sticker.fill(.ellipse(500, 668, 62, 52), Color(0xF0709A), in: mouth)
    sticker.fill(.polygon((448, 500), (492, 500), (470, 556)), .white, in: mouth)
    sticker.fill(.polygon((508, 500), (552, 500), (530, 556)), .white, in: mouth)
    return sticker
  }

  /// A furry violet monster with one eye, horns and many teeth.
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
    // The mouth.
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

  /// A panda that sits and chews bamboo.
  static var panda: Sticker {
    var sticker = Sticker(background: Color(0x9FD38A), shade: Color(0x1F5A2A))
    // Bamboo in the background.
    for (x, width) in [(118.0, 46.0), (884.0, 56.0)] {
      sticker.scene(.line((x, -40), (x, 1040)), Color(0x7FBB69), line: width)
      for y in [150.0, 420, 690, 960] {
        sticker.scene(.line((x - width / 2 - 2, y), (x + width / 2 + 2, y)), Color(0x69A656), line: 12)
      }
    }
    let leaf = Path.blob((118, 150), (118, 150), (200, 110), (290, 138), (290, 138), (210, 176))
    sticker.scene(leaf, Color(0x7FBB69))
    sticker.scene(leaf.turned(42, around: (118, 150)), Color(0x69A656))
    sticker.scene(leaf.mirrored.moved(0, 540), Color(0x7FBB69))
    sticker.scene(leaf.mirrored.turned(-40, around: (882, 150)).moved(0, 540), Color(0x69A656))

    let black = Color(0x352C4B)
    let light = Paint.down(.white, from: 200, Color(0xE9E4EE), to: 880)
    sticker.body(Path.circle(284, 214, 92).twice, .flat(black))
    sticker.fill(Path.circle(292, 222, 44).twice, Color(0x574A70))
    let trunk = Path.blob(
      (500, 520), (690, 590), (752, 740), (700, 876), (500, 912), (300, 876), (248, 740), (310, 590))
    sticker.body(trunk, light)
    sticker.fill(
      .blob((180, 520), (820, 520), (820, 640), (640, 700), (500, 712), (360, 700), (180, 640)), black, in: trunk)
    // The soles.
    sticker.body(Path.ellipse(286, 844, 112, 98).twice, .flat(black))
    for x in [286.0, 714] {
      sticker.fill(.ellipse(x, 866, 50, 40), Color(0xE8A0A8))
      for dx in [-56.0, 0, 56] { sticker.fill(.circle(x + dx, 796 + dx * dx / 110, 18), Color(0xE8A0A8)) }
    }
    // The head.
    let head = Path.blob(
      (500, 166), (662, 196), (776, 310), (800, 440), (742, 562), (622, 630), (500, 642), (378, 630), (258, 562),
      (200, 440), (224, 310), (338, 196))
    sticker.fill(head.moved(0, 18), Color(0x1D1730).alpha(0.25), in: trunk)
    sticker.body(head, light)
    let patch = Path.ellipse(362, 416, 84, 106).turned(32, around: (362, 416))
    sticker.fill(patch.twice, black)
    sticker.eye(384, 412, 46, look: (0.55, 0.35), pupil: 0.6, lid: Lid(color: black, shut: 0.44, tilt: -4))
    sticker.eye(616, 412, 46, look: (0.55, 0.35), pupil: 0.6, lid: Lid(color: black, shut: 0.44, tilt: 4))
    sticker.cheeks(286, 544, 46, Color(0xF6A6B4).alpha(0.7))
    sticker.fill(.blob((500, 474), (548, 484), (556, 508), (500, 544), (444, 508), (452, 484)), .ink)
    sticker.fill(.ellipse(484, 492, 18, 8), Color.white.alpha(0.55))
    sticker.line(.line((500, 540), (500, 566)), .ink, 12)
    sticker.line(.line((446, 572), (474, 584), (500, 566), (500, 566), (526, 584), (554, 572)), .ink, 13)
    // A bamboo stalk in one paw.
    let stalk = Path.line((520, 566), (640, 640), (776, 742))
    sticker.limb(stalk, Color(0x6FB54C), 34)
    for (x, y) in [(610.0, 621.0), (706, 688)] {
      sticker.line(.line((x + 8, y - 16), (x - 9, y + 16)), Color(0x4C8F35), 8)
    }
    let blade = Path.blob((768, 736), (768, 736), (840, 700), (900, 712), (900, 712), (846, 752))
    sticker.body(blade, .flat(Color(0x6FB54C)))
    sticker.body(blade.turned(54, around: (768, 736)), .flat(Color(0x559B3B)))
    sticker.limb(.line((742, 640), (728, 700), (664, 690)), black, 104, to: 96)
    sticker.limb(.line((258, 640), (276, 716), (330, 730)), black, 104, to: 96)
    return sticker
  }

  /// A roaring or yawning yeti in the snow.
  static var yeti: Sticker {
    var sticker = Sticker(background: Color(0x6FB1E6), shade: Color(0x0E3A70))
    // Hills and snowflakes.
    sticker.scene(
      .blob((-60, 820), (160, 700), (380, 800), (620, 716), (860, 810), (1060, 720), (1060, 1060), (-60, 1060)),
      Color(0xC7E3F8))
    for (x, y, r) in [
      (120.0, 150.0, 15.0), (250, 90, 10), (800, 110, 16), (900, 300, 12), (90, 420, 10), (930, 560, 15), (70, 620, 13),
      (660, 70, 9), (400, 60, 12),
    ] {
      sticker.scene(.circle(x, y, r), .white)
    }
    let white = Paint.down(Color(0xF4F9FF), from: 240, Color(0xBFD8F1), to: 880)
    let blue = Color(0x5C8FCB)
    // Raised arms with bare hands, and bare feet.
    let arm = Path.line((250, 560), (140, 470), (150, 320))
    let sleeve = Path.fur(150, 420, 62, 120, tufts: 12, depth: 26).turned(-4, around: (150, 420))
    sticker.body(
      (Path.circle(152, 268, 66) + .circle(98, 234, 24) + .circle(134, 202, 25) + .circle(184, 202, 25)
        + .circle(218, 262, 22)).twice, .flat(blue))
    sticker.body(Path.ellipse(372, 886, 112, 52).twice, .flat(blue))
    for x in [300.0, 356, 412] { sticker.fill(Path.ellipse(x, 906, 24, 20).twice, Color(0x7FAEE2)) }
    let trunk = Path.fur(500, 536, 282, 322, tufts: 20, depth: 44)
    for side in [arm, arm.mirrored] { sticker.limb(side, Color(0xE9F2FC), 128, to: 108) }
    sticker.body((sleeve + .ellipse(226, 450, 50, 130)).twice, .flat(Color(0xE9F2FC)))
    sticker.body(trunk, white)
    for (x, y) in [(322.0, 720.0), (410, 770), (500, 736), (590, 770), (678, 720)] {
      sticker.line(.line((x - 24, y - 14), (x, y + 10), (x, y + 10), (x + 24, y - 14)), Color(0x93B7E0), 11)
    }
    // The face.
    let face = Path.blob(
      (500, 318), (596, 296), (684, 350), (716, 450), (690, 570), (604, 650), (500, 668), (396, 650), (310, 570),
      (284, 450), (316, 350), (404, 296))
    sticker.fill(face, .down(Color(0x86B6EA), from: 300, blue, to: 660))
    sticker.eye(416, 430, 62, look: (0.35, 0.1), pupil: 0.54)
    sticker.eye(584, 430, 62, look: (-0.35, 0.1), pupil: 0.54)
    let brow = Path.blob(
      (322, 330), (322, 330), (400, 330), (484, 386), (484, 386), (476, 414), (400, 380), (316, 376), (316, 376))
    sticker.fill(brow.twice, .white)
    sticker.fill(.ellipse(500, 494, 34, 22), Color(0x2F5E9E))
    let mouth = Path.blob(
      (386, 560), (386, 560), (440, 540), (500, 534), (560, 540), (614, 560), (614, 560), (590, 618), (500, 640),
      (410, 618))
    sticker.fill(mouth, .ink)
    sticker.fill(.ellipse(500, 640, 60, 34), Color(0xF0567F), in: mouth)
    sticker.fill(
      Path.blob((410, 634), (410, 634), (420, 590), (434, 566), (434, 566), (450, 590), (460, 640), (460, 640)).twice,
      .white)
    sticker.cheeks(338, 530, 36, Color(0xF6A6C4).alpha(0.7))
    return sticker
  }
}
