// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TypedDefaults
import TypedDefaultsFoundation

// example: book
struct Book: Codable {
  var title: String
  var authorName: String
  var pageCount: Int
}

func favouriteBook() {
  let playingItMyWay = Book(
    title: "Playing It My Way", authorName: "Sachin Tendulkar & Boria Mazumder", pageCount: 486)
  let userDefaults = UserDefaults.standard
  do {
    try userDefaults.setObject(playingItMyWay, forKey: "MyFavouriteBook")
    let book = try userDefaults.getObject(forKey: "MyFavouriteBook", castTo: Book.self)
    print(book)
    _ = try userDefaults.getObject(forKey: "MyLeastFavouriteBook", castTo: Book.self)
  } catch {
    print(error.localizedDescription)
  }
  // Any other store works, too.
  do {
    let store: any ObjectSavable = MemoryStore()
    try store.setObject(playingItMyWay, forKey: "MyFavouriteBook")
    print(try store.getObject(forKey: "MyFavouriteBook", castTo: Book.self))
    print(try store.getObject(forKey: "MyFavouriteBook", castTo: [Int].self))
  } catch {
    print(error.localizedDescription)
  }
}
// end of example
