// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TypedDefaults

// The programs of published articles on typed defaults, unchanged: in Swift 5, and without an explicit store. The tests
// run them and compare their output.

switch CommandLine.arguments.dropFirst().first {
case "book": favouriteBook()
case "emotions": emotions()
case "encodings": encodings()
case "camera": camera()
case "standard": try standard()
case "second-choice": try secondChoice()
case "late-choice": lateChoice()
default:
  print("usage: typed-defaults-examples book | emotions | encodings | camera | standard | second-choice | late-choice")
}
