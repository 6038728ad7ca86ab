// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import FoundationEssentials

// Classes in each form that a declaration can have, for the names in the page ClassNames.

/// A class that other modules see.
public class Lion {
  class Cub {
    class Toy {}
  }
}

class Tiger {}

struct Cage {
  class Bird {}

  struct Door {
    class Lock {}
  }

  private class Nest {}

  fileprivate static let nest: AnyClass = Nest.self

  func localClass() -> AnyClass {
    class Mouse {}
    return Mouse.self
  }
}

extension Cage {
  class Visitor {}
}

enum Season {
  class Guest {}
}

extension String {
  class Sign {}
}

extension Array {
  class Herd {}
}

class Größe {}
class BirdBirdGuest {}

protocol Animal {}
protocol Swimmer {}

class Box<Content> {
  class Lid {}

  class Label<Text> {}
}

class Pair<First, Second> {}

struct Shelf<Content> {
  class Board {}
}

class Grid<let width: Int> {}
class Train<each Car> {}
protocol Keeper<Pet> { associatedtype Pet }

private class Hermit {
  class Shell {}
}

fileprivate struct Burrow {
  class Mole {}
}

private class Trap<Bait> {}

private func makeLocalClass() -> AnyClass {
  class Fly {}
  return Fly.self
}

/// Classes of this module.
public enum Zoo {
  /// Classes whose names are known everywhere.
  public static let classes: [AnyClass] = [
    Lion.self, Tiger.self, Größe.self, BirdBirdGuest.self, Cage.Bird.self, Cage.Door.Lock.self, Cage.Visitor.self,
    Season.Guest.self, Lion.Cub.self, Lion.Cub.Toy.self, String.Sign.self, Array<Int>.Herd.self, Box<Int>.self,
    Box<String>.self, Box<Double>.self, Box<Character>.self, Box<UInt8>.self, Box<[Int]>.self, Box<Int?>.self,
    Box<[String: Bool]>.self, Box<Set<String>>.self, Box<ClosedRange<Int>>.self, Box<Result<Int, any Error>>.self,
    Box<()>.self, Box<(Int, String)>.self, Box<(x: Int, y: Int)>.self, Box<(Int) -> String>.self,
    Box<(inout Int, Cage) throws -> Void>.self, Box<@Sendable () async -> Void>.self,
    Box<@convention(c) (Int) -> Void>.self, Box<any Animal>.self, Box<any Animal & Swimmer>.self,
    Box<any Lion & Animal>.self, Box<Any>.self, Box<AnyObject>.self, Box<Lion>.self, Box<Lion.Type>.self,
    Box<any Animal.Type>.self, Box<(any Animal).Type>.self, Box<Box<Int>>.self, Box<Cage.Bird>.self,
    Box<Decimal>.self, Box<[UUID: Date]>.self, Pair<Lion, Lion>.self, Box<Int>.Lid.self, Box<Int>.Label<String>.self,
    Shelf<Cage>.Board.self, Box<Season>.Lid.self,
  ]

  /// Classes that are private to a file or a function, and others for which the runtime has no name.
  public static let unknownClasses: [AnyClass] = [
    Hermit.self, Hermit.Shell.self, Burrow.Mole.self, Cage.nest, Trap<Int>.self, Box<Hermit>.self, makeLocalClass(),
    Cage().localClass(), Grid<5>.self, Train<Int, String>.self, Box<any Keeper<Int>>.self,
    Box<@MainActor () -> Void>.self,
  ]

  /// What `#fileID` is in the file that declares the private classes.
  public static let fileID = #fileID
}
