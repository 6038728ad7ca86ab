// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import HarnessSupport
import TestSupport
import Testing

@testable import RuntimeNames

@Suite("Runtime names from hostile files")
struct HostileNameTests {
  @Test("a short name whose parts repeat its parts, and these theirs, has no name in Swift")
  func substitutionBomb() {
    // Each argument is a class in a generic class whose arguments are the class before, twice: the text triples.
    func name(_ count: Int) -> String {
      "_TtGC1M1A" + (0..<count).map { "CGS\($0)_S\($0)_S\($0)__1B" }.joined() + "_"
    }
    #expect(RuntimeName.swiftName(of: name(1)) == "M.A<M.A<M.A, M.A>.B>")
    #expect(
      RuntimeName.swiftName(of: name(2)) == "M.A<M.A<M.A, M.A>.B, M.A<M.A, M.A>.B<M.A<M.A, M.A>.B, M.A<M.A, M.A>.B>.B>")
    #expect(RuntimeName.swiftName(of: name(40)) == nil)
  }

  @Test("arguments that refer back to long contexts print at most 4096 bytes")
  func boundedOutput() throws {
    // M.A.A.A…, which is referred to by each of its arguments.
    let levels = 100
    let type = String(repeating: "C", count: levels) + "1M" + String(repeating: "1A", count: levels)
    let last = "S\(levels - 1)_"
    func name(_ count: Int) -> String {
      "_TtG" + type + String(repeating: "_", count: levels - 1) + String(repeating: last, count: count) + "_"
    }
    let short = try #require(RuntimeName.swiftName(of: name(2)))
    #expect(short.utf8.count == 3 * (1 + 2 * levels) + 4)
    #expect(RuntimeName.swiftName(of: name(30)) == nil)
  }

  @Test(
    "types that are nested in more than 128 levels have no name in Swift",
    arguments: [("M", ""), ("TSi", "_"), ("R", ""), ("FT_", ""), ("GSq", "_"), ("PM", "")])
  func depth(_ start: String, _ end: String) {
    func name(_ count: Int) -> String {
      "_TtGC1M1A" + String(repeating: start, count: count) + "Si" + String(repeating: end, count: count) + "_"
    }
    #expect(RuntimeName.swiftName(of: name(50)) != nil)
    for count in [128, 1000, 100_000] { #expect(RuntimeName.swiftName(of: name(count)) == nil) }
  }

  @Test("each beginning of a name, and each name with a changed byte, is read or not, and nothing else happens")
  func damagedNames() {
    let names = [
      "_TtGC3Zoo4PairTSi1xSS_FzyZTRSiSS_PS_6AnimalS_7Swimmer___", "_TtCFIv3Zoo4hideFT_PMP_iU_FT_PMP_L_3Fly",
      "_TtGCV3Zoo5Shelf5BoardVS_4Cage_S1__", "_TtCE3ZooSS4Sign",
      "_TtCV3Zoo4CageP33_72E6A7C92484813DBC1277D23D3B40374Nest",
      "_TtC3ZooX9Gre_GkaIi", "_TtGC3Zoo3BoxXcCS_4LionS_6Animal__", "_TtGCs9DictionarySSSi_$",
    ]
    var random = SeededRandom(seed: 45)
    for name in names {
      let bytes = Array(name.utf8)
      for count in 0..<bytes.count { _ = RuntimeName.swiftName(of: String(decoding: bytes[..<count], as: UTF8.self)) }
      for _ in 0..<Sample.count(300, of: 100_000) {
        var changed = bytes
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          changed[Int.random(in: 0..<changed.count, using: &random)] =
            Bool.random(using: &random)
            ? bytes[Int.random(in: 0..<bytes.count, using: &random)] : UInt8.random(in: 32...126, using: &random)
        }
        if let swiftName = RuntimeName.swiftName(of: String(decoding: changed, as: UTF8.self)) {
          #expect(swiftName.utf8.count <= 4096)
        }
        _ = RuntimeName.name(ofMangled: String(decoding: changed.dropFirst(3), as: UTF8.self))
      }
    }
  }

  @Test(
    "numbers that are too large are not read",
    arguments: [
      "_TtC99999999999999999999999999999999M1A", "_TtGC1M1AS99999999999999999999_", "_TtC4097M1A", "_TtC0M1A",
      "_TtC1M0",
      "_TtCF1M1fFT_T_L99999999999999999999_1A",
    ])
  func largeNumbers(_ name: String) { #expect(RuntimeName.swiftName(of: name) == nil) }

  @Test(
    "names that are not a class's have no name in Swift",
    arguments: [
      "", "_", "_Tt", "_TtSi", "_TtV1M1A", "_TtT_", "_TtP1M1A_", "_TtGSaSi_", "_TtC1M1Atrailing", "_TtC1M1AC",
      "NSString",
      "Zoo.Lion", "_T0C1M1A", "_TtGC1M1ASo_", "_TtGC1M1AS__", "_TtGS_Si_", "_TtCSi1A_",
    ])
  func otherNames(_ name: String) { #expect(RuntimeName.swiftName(of: name) == nil) }

  @Test("text of 4096 bytes is read, a longer one is not")
  func longNames() {
    let long = String(repeating: "a", count: 4086)
    #expect(RuntimeName.swiftName(of: "_TtC4086\(long)1A")?.utf8.count == 4088)
    #expect(RuntimeName.swiftName(of: "_TtC4087a\(long)1A") == nil)
    // The class's name is in the text again as an argument.
    func repeated(_ count: Int) -> String { "_TtGC1M\(count)\(long.prefix(count))S0__" }
    #expect(RuntimeName.swiftName(of: repeated(2045))?.utf8.count == 4096)
    #expect(RuntimeName.swiftName(of: repeated(2046)) == nil)
  }

  @Test("names outside of ASCII are read in both forms, and malformed Punycode is not")
  func punycode() throws {
    #expect(RuntimeName.swiftName(of: "_TtC3Zoo7Größe") == "Zoo.Größe")
    #expect(RuntimeName.swiftName(of: "_TtC3ZooX9Gre_GkaIi") == "Zoo.Größe")
    // Examples of RFC 3492, section 7.1, with the digits that Swift uses instead of `0` to `9`.
    func decoded(_ text: String) throws -> String {
      String(decoding: try Punycode.decoded(ArraySlice(Array(text.utf8))), as: UTF8.self)
    }
    #expect(try decoded("ihqwcrbEcvIaIdqgAFGpqjye") == "他们为什么不说中文")
    #expect(try decoded("bBabfaaepdrnnbgefbadotcwatmqCgEl") == "почемужеонинеговорятпорусски")
    #expect(try decoded("3B_wwEcFeBIAeFHFaGFlsyCb") == "3年B組金八先生")
    for text in ["a_0", "a_K", "JJJJJJJJJJJJJJJJJJJJJ", "é_a", "z"] {
      #expect(throws: UnsupportedName.self, "\(text)") { try decoded(text) }
    }
  }
}

@Suite("Names of private declarations")
struct FileDiscriminatorTests {
  @Test(
    "digests are those of RFC 1321",
    arguments: [
      ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
      ("abc", "900150983cd24fb0d6963f7d28e17f72"), ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
      ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
      ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "d174ab98d277d9f5a5611c2c9f419d9f"),
      (String(repeating: "1234567890", count: 8), "57edf4a22be3c955ac49da2e2107b67a"),
    ])
  func digests(_ text: String, _ digest: String) {
    let digits = Array("0123456789abcdef")
    let computed = FileDiscriminator.digest(Array(text.utf8)).flatMap { [digits[Int($0 / 16)], digits[Int($0 % 16)]] }
    #expect(String(computed) == digest)
  }
}
