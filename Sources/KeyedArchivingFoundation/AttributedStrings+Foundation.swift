// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if !canImport(Darwin)
  public import ArchivedClasses
  public import Foundation
  import KeyedArchiving

  extension NSAttributedString {
    /// Converts an archived text with its attributes.
    ///
    /// Attributes keep their names, such as `NSFont`. Values that have a class in Foundation become objects of it. All
    /// others, such as `ArchivedFont`, stay what they are.
    ///
    /// On Apple's systems, the system's own decoder makes the objects of the kits; this initializer does not exist there.
    /// - Parameter archived: The archived text.
    /// - Throws: `KeyedArchiveError` if the name of an attribute is not a string, or the runs do not fit the text. Also
    ///   if Foundation cannot compare the values of an attribute of two adjacent runs.
    public convenience init(_ archived: ArchivedAttributedString) throws {
      self.init(attributedString: try DecodedFoundationObjects().attributedString(archived).object)
    }
  }

  extension ArchivedAttributedString {
    /// Converts a text of Foundation's.
    ///
    /// The values of attributes may be objects of Foundation, values of Swift and collections of these, and values that
    /// conform to `KeyedCoding`. An `NSMutableAttributedString` is archived as one.
    ///
    /// On Apple's systems, this initializer does not exist.
    /// - Parameter string: The text.
    /// - Throws: `KeyedArchiveError` with the name of the attribute, if its value has no archived form.
    public init(_ string: NSAttributedString) throws { self = try FoundationObjects().attributedString(string) }
  }
#endif
