// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
public import KeyedArchiving

/// An `NSImage` with what it is drawn from.
public struct ArchivedImage: SecureKeyedCoding {
  /// One way to draw the image.
  public struct Representation {
    /// The number that AppKit stores with it.
    public var number: Int
    /// The representation: an ``ArchivedBitmapImageRep``, an `ArchivedObject` for any other kind.
    public var content: any KeyedCoding

    /// Makes one.
    public init(_ content: any KeyedCoding, number: Int = 0) {
      self.content = content
      self.number = number
    }
  }

  /// AppKit's flags.
  public var flags: Int
  /// The size, where it is not that of the representations.
  public var size: ArchivedSize?
  /// What it is drawn from.
  public var representations: [Representation]
  /// Whether the list of representations is archived as a mutable array.
  public var isListMutable: Bool
  /// The color behind it.
  public var backgroundColor: ArchivedColor?
  /// How it is made larger.
  public var resizingMode: Int?

  /// Makes an image.
  public init(
    flags: Int, size: ArchivedSize? = nil, representations: [Representation],
    backgroundColor: ArchivedColor? = ArchivedColor(white: 0, alpha: 0)
  ) {
    self.flags = flags
    self.size = size
    self.representations = representations
    isListMutable = true
    self.backgroundColor = backgroundColor
  }

  /// `NSImage`.
  public static var archiveClassName: String { "NSImage" }

  /// Stores flags, size, representations and color.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(flags, forKey: "NSImageFlags")
    if let size { coder.encode(size.text, forKey: "NSSize") }
    let pairs = representations.map { ArchivedArray([$0.number, $0.content]) }
    coder.encode(ArchivedArray(pairs, isMutable: isListMutable), forKey: "NSReps")
    coder.encode(backgroundColor, forKey: "NSColor")
    if let resizingMode { coder.encode(resizingMode, forKey: "NSResizingMode") }
  }

  /// Reads flags, size, representations and color. Each representation is a pair of a number and an object.
  public init?(coder: KeyedUnarchiver) throws {
    flags = try coder.needed(Int.self, "NSImageFlags")
    size = try coder.geometry("NSSize", isNested: false).map { ArchivedSize($0) }
    backgroundColor = try coder.decodeIfPresent(ArchivedColor.self, forKey: "NSColor")
    resizingMode = try coder.bare(Int.self, "NSResizingMode")
    guard let list = try coder.content(ArchivedArray.self, forKey: "NSReps") else {
      throw KeyedArchiveError(
        .valueNotFound, "an image has no 'NSReps'", keyPath: coder.keyPath(to: "NSReps"))
    }
    isListMutable = list.isMutable
    representations = []
    for element in list.elements {
      guard let pair = (element as? ArchivedArray)?.elements, pair.count == 2,
        let number = (pair[0] as? ArchiveNumber)?.integer ?? pair[0] as? Int
      else {
        throw coder.malformed("an element of 'NSReps' of an image is no pair of a number and a representation")
      }
      representations.append(Representation(pair[1], number: number))
    }
  }
}
