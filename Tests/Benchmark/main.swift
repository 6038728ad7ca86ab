// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation

// swift run -c release archive-benchmark --scaling [OBJECTS]

let arguments = Array(CommandLine.arguments.dropFirst())
do {
  switch arguments.first {
  case "--scaling":
    let count = arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000
    exit(try Scaling.run(count: max(count, 1000), limit: 12) ? 0 : 1)
  default:
    print("usage: archive-benchmark --scaling [OBJECTS]")
    exit(arguments.isEmpty ? 0 : 2)
  }
} catch {
  print("archive-benchmark: \(error)")
  exit(1)
}
