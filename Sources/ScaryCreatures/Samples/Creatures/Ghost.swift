// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

extension Sticker {
  /// A pale sheet of a ghost that cries boo, at night.
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
    // Great empty eyes.
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
}
