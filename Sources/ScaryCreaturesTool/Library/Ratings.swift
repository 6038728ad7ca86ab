// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import ScaryCreatures

/// Ratings on the command line.
enum Ratings {
  static let option = Option("rating", short: "r", value: "0-5", "how scary it is; 0 is 'not rated'")

  static func parse(_ text: String) throws(UsageError) -> Float {
    guard let rating = Float(text), ScaryCreatureData.ratings.contains(rating) else {
      throw UsageError("a rating is a number from 0 to 5, not '\(text)'")
    }
    return rating
  }
}
