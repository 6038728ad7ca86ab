// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TypedDefaults
import TypedDefaultsFoundation

// The programs of published articles on typed defaults, unchanged: in Swift 5, and without an explicit store. The tests
// run them and compare their output.

/// Chooses what is the default store on Apple's systems, or the file that is the default store on others.
func chooseStore() throws {
  if CommandLine.arguments.dropFirst(2).first == "file" {
    try StandardDefaults.use(StandardDefaults.file)
  } else {
    try StandardDefaults.use(UserDefaultsStore.standard)
  }
}

switch CommandLine.arguments.dropFirst().first {
case "book": favouriteBook()
case "emotions":
  try chooseStore()
  emotions()
case "encodings": encodings()
case "camera":
  try chooseStore()
  camera()
case "standard": try standard()
case "second-choice": try secondChoice()
case "late-choice": lateChoice()
case "no-choice": noChoice()
default:
  print("usage: typed-defaults-examples book | emotions [file] | encodings | camera [file] | standard")
  print("       typed-defaults-examples second-choice | late-choice | no-choice")
}
