// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import RuntimeNames
import Testing

@Suite("Mangled names that repeat their parts")
struct SubstitutionTests {
  /// Returns the mangled name of a class that is generic in some other classes and in one more type.
  ///
  /// The parts of the name that it can repeat are `M`, `Many` and `M.Many`, and for each class its name and itself.
  private func mangled(_ count: Int, _ last: String) -> String {
    "1M4ManyCy" + (0..<count).map { Self.mangledClass($0) }.joined() + last + "G"
  }

  private static func mangledClass(_ number: Int) -> String {
    let name = "T\(number)"
    return "AA\(name.utf8.count)\(name)C"
  }

  // The letters are those of 26 parts. Part 26 has no number, part 27 has 0.
  @Test(
    "have the numbers of the parts above 25",
    arguments: [(26, 12, "A_"), (27, 13, "AAA0_C"), (28, 13, "A1_"), (29, 14, "AAA2_C"), (30, 14, "A3_")])
  func parts(_ part: Int, _ count: Int, _ repetition: String) throws {
    let expected = try #require(RuntimeName.name(ofMangled: mangled(count, Self.mangledClass((part - 3) / 2))))
    #expect(RuntimeName.name(ofMangled: mangled(count, repetition)) == expected)
    // The part does not exist before the last class.
    #expect(RuntimeName.name(ofMangled: mangled(count - 1, repetition)) == nil)
  }
}
