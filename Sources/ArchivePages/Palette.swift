// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The colors of classes, the same in pages and drawings: twelve hues of equal lightness; neighbors differ clearly.
///
/// Text in these colors has a contrast of at least 4.6 to 1 on every background of pages and drawings. The least is that of a
/// selected row in the light theme. WCAG requires 4.5.
enum Palette {
  /// For a light background.
  static let light = [
    "#1d5da7", "#9b3a22", "#007339", "#754495", "#805400", "#007181", "#97355a", "#4c6900", "#584fa5", "#924600",
    "#007460", "#8a3b7b",
  ]
  /// For a dark background.
  static let dark = [
    "#8fc1ff", "#f9a590", "#85d2a0", "#d2abf1", "#ddb96b", "#5ed1de", "#f6a1bb", "#aeca7e", "#b6b4ff", "#f0ae77",
    "#67d4c0", "#e8a4d9",
  ]
  /// Pale colors for boxes.
  static let pale = [
    "#e5f1ff", "#ffebe5", "#e4f5e9", "#f5ecfd", "#f8efde", "#def5f8", "#ffeaef", "#ecf3e1", "#eeeeff", "#fdede0",
    "#dff6f1", "#fceaf7",
  ]

  static let count = 12

  /// Returns the color of a class by its index.
  static func index(_ classIndex: Int) -> Int { classIndex % count }

  /// Returns one rule per color.
  static func rules(_ colors: [String], _ rule: (_ index: Int, _ color: String) -> String) -> String {
    colors.enumerated().map { rule($0, $1) }.joined()
  }
}
