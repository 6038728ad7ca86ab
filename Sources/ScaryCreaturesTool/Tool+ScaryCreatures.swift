// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools

extension Tool {
  static let scaryCreatures = Tool(
    name: "scarycreatures", version: Tool.packageVersion,
    summary: "manage a library of scary creatures with ratings and images",
    usage: "COMMAND [options] [arguments]",
    notes: [
      "The library is the folder of --library, or else of the environment variable SCARYCREATURES_LIBRARY, or else "
        + "'ScaryCreatures/PrivateDocuments' in the user's data folder; 'path' prints it.",
      "Each creature is a folder N.scarycreature with Data.plist, a keyed archive, and thumbImage.png and fullImage.png, "
        + "or other extensions for other image formats.",
      "With --dry-run and --json, commands that add or change creatures print the planned changes as objects. The key 'planned' "
        + "is the name of the command.",
    ],
    commands: [
      AddCommand.self, ListCommand.self, ShowCommand.self, EditCommand.self, RateCommand.self, UndoCommand.self,
      DeleteCommand.self, RestoreCommand.self, TrashCommand.self, ExportCommand.self, ImportCommand.self,
      MigrateCommand.self, VerifyCommand.self, RepairCommand.self, WatchCommand.self, SamplesCommand.self,
      GalleryCommand.self, PathCommand.self,
    ],
    exitMeanings: [
      .negative: "negative result (creature not found, problems found)",
      .notAnArchive: "invalid data file of a creature",
      .classNotAllowed: "the data file has an object of another class",
    ], schema: 1)
}
