// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TypedDefaults

// The programs that the articles on typed defaults show, as they are written there: in Swift 5, and without a word on
// where things are kept. The tests run them and read what they print.

switch CommandLine.arguments.dropFirst().first {
case "book": favouriteBook()
case "emotions": emotions()
case "encodings": encodings()
case "camera": camera()
default: print("usage: typed-defaults-examples book | emotions | encodings | camera")
}
