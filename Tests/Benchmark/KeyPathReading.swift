// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchives
import KeyedArchiving

/// Shows that looking at one value of a large archive costs next to nothing beside decoding all of it.
enum KeyPathReading {
  /// Measures both for an archive of `count` creatures, prints the figures, and returns whether the one value takes at
  /// most a hundredth.
  static func run(count: Int, rounds: Int = 7) throws -> Bool {
    keepMemory()
    let creatures = (0..<count).map(BenchmarkCreature.init)
    let data = try KeyedArchiver.archivedData(withRootObject: creatures, requiringSecureCoding: true)
    var reading: [Double] = []
    var decoding: [Double] = []
    for round in 0..<rounds {
      let place = (count / 2 + round) % count
      var title: String?
      reading.append(try CPUTime.of { title = try KeyedArchive(data).root[place]["title"].string })
      guard title == Workload.title(place) else { throw BenchmarkError("creature \(place) has another title") }
      var made: [BenchmarkCreature]?
      decoding.append(
        try CPUTime.of { made = try KeyedUnarchiver.unarchivedObject(ofClass: [BenchmarkCreature].self, from: data) })
      guard made?.count == count else { throw BenchmarkError("not all creatures came out") }
    }
    let (one, all) = (reading.sorted()[rounds / 2], decoding.sorted()[rounds / 2])
    let share = one / all * 100
    print("an archive of \(data.count) bytes, \(count) objects")
    print(String(format: "one key path %.3f ms, all objects %.1f ms: %.2f %%", one * 1e3, all * 1e3, share))
    return share <= 1
  }
}
