// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools

extension Tool {
  /// The tool for a library of scary creatures.
  static let scaryCreatures = Tool(
    name: "scarycreatures", version: "0.1.0",
    summary: "keep a library of scary creatures: a numbered folder each, with its data and pictures",
    usage: "COMMAND [options] [arguments]",
    notes: [
      "The library is the folder that --library names, else the environment variable SCARYCREATURES_LIBRARY, else the "
        + "folder 'ScaryCreatures/PrivateDocuments' among the user's data; 'path' prints it. It is never the current folder "
        + "by surprise.",
      "Each creature is a folder N.scarycreature with Data.plist, a keyed archive, and thumbImage.png and fullImage.png.",
    ],
    commands: [
      AddCommand.self, ListCommand.self, ShowCommand.self, EditCommand.self, RateCommand.self, DeleteCommand.self,
      RestoreCommand.self, ExportCommand.self, ImportCommand.self, MigrateCommand.self, VerifyCommand.self,
      SamplesCommand.self, GalleryCommand.self, PathCommand.self,
    ],
    exitMeanings: [
      .negative: "the answer is no: no such creature, problems were found",
      .notAnArchive: "a creature's data cannot be read",
      .classNotAllowed: "a creature's data file holds something else",
    ], schema: 1)
}
