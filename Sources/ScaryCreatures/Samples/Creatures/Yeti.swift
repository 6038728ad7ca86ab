// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

extension Sticker {
  /// A yeti that roars into the snow, or yawns.
  static var yeti: Sticker {
    var sticker = Sticker(background: Color(0x6FB1E6), shade: Color(0x0E3A70))
    // Hills and flakes.
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
    // Arms up, hands and feet bare.
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
