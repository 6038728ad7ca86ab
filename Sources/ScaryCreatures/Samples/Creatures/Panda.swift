// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

extension Sticker {
  /// A panda that sits, chews and could not care less.
  static var panda: Sticker {
    var sticker = Sticker(background: Color(0x9FD38A), shade: Color(0x1F5A2A))
    // Bamboo behind.
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
    // Soles towards the viewer.
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
    // Lunch, held in one paw.
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
}
