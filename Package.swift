// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PackageDescription

// Why the tools version is 6.2. SwiftPM offers `strictMemorySafety` and `treatAllWarnings` from 6.2 on. Swift 6.2 is the first
// with `unsafe` expressions outside of an experiment (SE-0458), and with `Span`, `RawSpan` and the `span` properties, through
// which all files are read (SE-0447, SE-0456).

/// Warnings are errors where changes are checked, and only there: a later compiler may have new ones.
let warnings: [SwiftSetting] = Context.environment["WARNINGS_ARE_ERRORS"] == nil ? [] : [.treatAllWarnings(as: .error)]

/// Whether coders check at run time that no two accesses to their state overlap; see `CoderStorage`.
let exclusivity: [SwiftSetting] =
  Context.environment["CHECK_EXCLUSIVITY"] == nil ? [] : [.define("CHECK_EXCLUSIVITY")]

/// Whether systems other than Apple's run what only older systems of Apple's need, so that tests cover it; see `Locked`.
let systems: [SwiftSetting] = Context.environment["OLD_SYSTEMS"] == nil ? [] : [.define("OLD_SYSTEMS")]

let settings: [SwiftSetting] =
  warnings + exclusivity + systems + [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]

// Apple's stores ask which of some calls a library makes, and why: `fstat` in SystemFiles, `UserDefaults` in
// TypedDefaults and TypedDefaultsFoundation. A resource makes SwiftPM generate code that imports all of Foundation, so
// elsewhere than on a Mac the answer is left out.
#if os(macOS)
  let (privacy, notPrivacy): ([Resource], [String]) = ([.copy("PrivacyInfo.xcprivacy")], [])
#else
  let (privacy, notPrivacy): ([Resource], [String]) = ([], ["PrivacyInfo.xcprivacy"])
#endif

let package = Package(
  name: "KeyedArchiver",
  // `.ci/availability` finds what is newer. Linux needs nothing but the toolchain.
  platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
  products: [
    .library(name: "PropertyListFormat", targets: ["PropertyListFormat"]),
    .library(name: "KeyedArchiving", targets: ["KeyedArchiving"]),
    .library(name: "ArchivedClasses", targets: ["ArchivedClasses"]),
    .library(name: "KeyedArchives", targets: ["KeyedArchives"]),
    .library(name: "ArchiveTools", targets: ["ArchiveTools"]),
    .library(name: "KeyedArchivingFoundation", targets: ["KeyedArchivingFoundation"]),
    .library(name: "KeyedArchivingTesting", targets: ["KeyedArchivingTesting"]),
    .library(name: "PNGImages", targets: ["PNGImages"]),
    .library(name: "DocumentLibraries", targets: ["DocumentLibraries"]),
    .library(name: "ScaryCreatures", targets: ["ScaryCreatures"]),
    .library(name: "TypedDefaults", targets: ["TypedDefaults"]),
    .library(name: "TypedDefaultsFoundation", targets: ["TypedDefaultsFoundation"]),
    .library(name: "TypedDefaultsTesting", targets: ["TypedDefaultsTesting"]),
    .executable(name: "keyedarchive", targets: ["KeyedArchiveTool"]),
    .executable(name: "scarycreatures", targets: ["ScaryCreaturesTool"]),
  ],
  targets: [
    // files and folders <-> bytes: the system's calls
    .target(name: "SystemFiles", exclude: notPrivacy, resources: privacy, swiftSettings: settings),
    // bytes <-> property-list values
    .target(name: "PropertyListFormat", dependencies: ["SystemFiles"], swiftSettings: settings),
    // a graph of which nodes look the same -> an order of its nodes that depends on nothing but the graph
    .target(name: "CanonicalGraphs", swiftSettings: settings),
    // types <-> the names of classes in Apple's Objective-C runtime
    .target(name: "RuntimeNames", swiftSettings: settings),
    // values <-> archive graph <-> Swift objects
    .target(
      name: "KeyedArchiving", dependencies: ["CanonicalGraphs", "PropertyListFormat", "RuntimeNames", "SystemFiles"],
      swiftSettings: settings),
    // archive <-> graph of objects as data, to look at and to edit
    .target(
      name: "KeyedArchives", dependencies: ["KeyedArchiving", "PropertyListFormat", "SystemFiles"],
      swiftSettings: settings),
    // Swift types for classes of Apple's: formatters, predicates, units, attributed strings, what the kits draw with
    .target(
      name: "ArchivedClasses", dependencies: ["KeyedArchives", "KeyedArchiving", "PropertyListFormat"],
      swiftSettings: settings),
    // archives <-> archives: what differs, what is in them, types for it, migrations
    .target(
      name: "ArchiveTools",
      dependencies: [
        "ArchivedClasses", "CanonicalGraphs", "KeyedArchives", "KeyedArchiving", "PropertyListFormat", "SystemFiles",
      ],
      swiftSettings: settings),
    // the types that only full Foundation has
    .target(
      name: "KeyedArchivingFoundation", dependencies: ["ArchivedClasses", "KeyedArchiving", "PropertyListFormat"],
      swiftSettings: settings),
    // what a type promises of its archived fixtures, for tests of one's own
    .target(
      name: "KeyedArchivingTesting",
      dependencies: ["ArchiveTools", "KeyedArchives", "KeyedArchiving", "PropertyListFormat", "SystemFiles"],
      swiftSettings: settings),
    // bytes <-> compressed bytes
    .target(name: "DeflateCoding", swiftSettings: settings),
    // PNG bytes <-> pixels
    .target(name: "PNGImages", dependencies: ["DeflateCoding"], swiftSettings: settings),
    // ZIP bytes <-> files
    .target(name: "ZipContainers", dependencies: ["DeflateCoding"], swiftSettings: settings),
    // folders on disk <-> documents
    .target(
      name: "DocumentLibraries",
      dependencies: [
        "ArchiveTools", "KeyedArchives", "KeyedArchiving", "PropertyListFormat", "SystemFiles", "ZipContainers",
      ],
      swiftSettings: settings),
    // what pages of HTML have in common: safe text, and names for what a page may load
    .target(name: "HTMLPages", swiftSettings: settings),
    // an archive's graph -> pictures of it for people: a page, a drawing, a graph for Graphviz
    .target(name: "ArchivePages", dependencies: ["HTMLPages", "PropertyListFormat"], swiftSettings: settings),
    // documents <-> creatures with their pictures
    .target(
      name: "ScaryCreatures",
      dependencies: [
        "ArchiveTools", "DocumentLibraries", "HTMLPages", "KeyedArchives", "KeyedArchiving", "PNGImages",
        "PropertyListFormat",
      ],
      swiftSettings: settings),
    // typed values <-> property-list objects <-> stores that can be observed
    .target(
      name: "TypedDefaults", dependencies: ["KeyedArchiving", "PropertyListFormat", "SystemFiles"], exclude: notPrivacy,
      resources: privacy, swiftSettings: settings),
    // what any store must do, for tests of one's own
    .target(
      name: "TypedDefaultsTesting", dependencies: ["PropertyListFormat", "SystemFiles", "TypedDefaults"],
      swiftSettings: settings),
    // Foundation's UserDefaults as a store
    .target(
      name: "TypedDefaultsFoundation", dependencies: ["PropertyListFormat", "TypedDefaults"], exclude: notPrivacy,
      resources: privacy, swiftSettings: settings),
    // what command-line tools have in common: arguments, help, streams, questions, exit codes
    .target(
      name: "CommandLineTools",
      dependencies: ["ArchiveTools", "KeyedArchiving", "PropertyListFormat", "SystemFiles"],
      swiftSettings: settings),
    .executableTarget(
      name: "KeyedArchiveTool",
      dependencies: [
        "ArchivePages", "ArchiveTools", "CommandLineTools", "KeyedArchives", "KeyedArchiving", "PropertyListFormat",
        "SystemFiles",
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "ScaryCreaturesTool",
      dependencies: ["CommandLineTools", "DocumentLibraries", "PropertyListFormat", "ScaryCreatures", "SystemFiles"],
      swiftSettings: settings),
    // what archiving costs, here and with Foundation's coders
    .executableTarget(
      name: "archive-benchmark",
      dependencies: ["HarnessSupport", "KeyedArchives", "KeyedArchiving", "PropertyListFormat", "TypedDefaults"],
      path: "Tests/Benchmark", swiftSettings: settings),
    // the programs of articles on typed defaults, as they are written there
    .executableTarget(
      name: "typed-defaults-examples",
      dependencies: ["PropertyListFormat", "TypedDefaults", "TypedDefaultsFoundation"],
      path: "Tests/DefaultsExamples", swiftSettings: warnings + [.swiftLanguageMode(.v5)]),
    // kills, crowds and full disks around a document library
    .executableTarget(
      name: "library-stress",
      dependencies: [
        "ArchiveTools", "DocumentLibraries", "HarnessSupport", "KeyedArchives", "KeyedArchiving", "PNGImages",
        "PropertyListFormat", "SystemFiles", "TypedDefaults",
      ],
      path: "Tests/Stress", swiftSettings: settings),
    // hostile files, each of which ends in a value or an error
    .executableTarget(
      name: "archive-torture",
      dependencies: [
        "ArchiveGenerators", "ArchiveTools", "ArchivedClasses", "CommandLineTools", "CorpusChecks", "DocumentLibraries",
        "HarnessSupport", "KeyedArchives", "KeyedArchiving", "KeyedArchivingFoundation", "PNGImages",
        "PropertyListFormat", "SystemFiles", "TypedDefaults", "ZipContainers",
      ],
      path: "Tests/Torture", swiftSettings: settings),
    // processes that are watched, and killed; random numbers that come again; files that no program writes
    .target(name: "HarnessSupport", path: "Tests/HarnessSupport", swiftSettings: settings),
    .target(
      name: "TestSupport", dependencies: ["HarnessSupport"], path: "Tests/TestSupport", swiftSettings: settings),
    // random graphs of objects, with references of every kind in every place
    .target(
      name: "ArchiveGenerators",
      dependencies: ["HarnessSupport", "KeyedArchives", "KeyedArchiving", "PropertyListFormat"],
      path: "Tests/ArchiveGenerators", swiftSettings: settings),
    // what is true of every archive of the corpus: of all in a release build, of a sample in tests
    .target(
      name: "CorpusChecks",
      dependencies: [
        "ArchiveGenerators", "ArchiveTools", "ArchivedClasses", "HarnessSupport", "KeyedArchives", "KeyedArchiving",
        "PropertyListFormat",
      ],
      path: "Tests/CorpusChecks", swiftSettings: settings),
    .testTarget(
      name: "SystemFilesTests", dependencies: ["SystemFiles", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "PropertyListFormatTests",
      dependencies: ["HarnessSupport", "PropertyListFormat", "SystemFiles", "TestSupport"],
      swiftSettings: settings),
    // a run of a tool inside the test's process
    .target(
      name: "ToolTestSupport", dependencies: ["CommandLineTools"], path: "Tests/ToolTestSupport",
      swiftSettings: settings),
    .testTarget(
      name: "CommandLineToolsTests",
      dependencies: [
        "CommandLineTools", "KeyedArchiving", "PropertyListFormat", "SystemFiles", "TestSupport", "ToolTestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "KeyedArchiveToolTests",
      dependencies: [
        "ArchivePages", "ArchiveTools", "ArchivedClasses", "CommandLineTools", "CorpusChecks", "HarnessSupport",
        "KeyedArchiveTool", "KeyedArchives", "KeyedArchiving", "PropertyListFormat", "TestSupport", "ToolTestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ArchivePagesTests",
      dependencies: [
        "ArchivePages", "CommandLineTools", "HTMLPages", "KeyedArchiveTool", "PNGImages", "TestSupport",
        "ToolTestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ScaryCreaturesToolTests",
      dependencies: [
        "CommandLineTools", "DocumentLibraries", "PNGImages", "ScaryCreatures", "ScaryCreaturesTool", "TestSupport",
        "ToolTestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "KeyedArchivingTests",
      dependencies: [
        "ArchiveGenerators", "ArchiveTools", "ArchivedClasses", "HarnessSupport", "KeyedArchives", "KeyedArchiving",
        "PropertyListFormat", "SystemFiles", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "KeyedArchivesTests",
      dependencies: [
        "ArchiveGenerators", "CorpusChecks", "HarnessSupport", "KeyedArchives", "KeyedArchiving", "PropertyListFormat",
        "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ArchivedClassesTests",
      dependencies: [
        "ArchiveGenerators", "ArchivedClasses", "CorpusChecks", "HarnessSupport", "KeyedArchives", "KeyedArchiving",
        "PropertyListFormat", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ArchiveToolsTests",
      dependencies: [
        "ArchiveGenerators", "ArchiveTools", "ArchivedClasses", "CorpusChecks", "HarnessSupport", "KeyedArchives",
        "KeyedArchiving", "PropertyListFormat", "TestSupport",
      ],
      swiftSettings: settings),
    // classes in each form that a declaration can have
    .target(name: "Zoo", path: "Tests/Zoo", swiftSettings: settings),
    .testTarget(
      name: "RuntimeNamesTests",
      dependencies: ["HarnessSupport", "KeyedArchiving", "RuntimeNames", "TestSupport", "Zoo"],
      swiftSettings: settings),
    .testTarget(
      name: "CanonicalGraphsTests", dependencies: ["CanonicalGraphs", "HarnessSupport", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "KeyedArchivingFoundationTests",
      dependencies: [
        "ArchiveTools", "ArchivedClasses", "HarnessSupport", "KeyedArchives", "KeyedArchiving",
        "KeyedArchivingFoundation", "PropertyListFormat", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "KeyedArchivingTestingTests",
      dependencies: ["KeyedArchives", "KeyedArchiving", "KeyedArchivingTesting", "PropertyListFormat", "TestSupport"],
      exclude: ["Fixtures"], swiftSettings: settings),
    .testTarget(
      name: "DeflateCodingTests", dependencies: ["DeflateCoding", "HarnessSupport", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "PNGImagesTests",
      dependencies: ["HTMLPages", "HarnessSupport", "PNGImages", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "ZipContainersTests", dependencies: ["HarnessSupport", "SystemFiles", "TestSupport", "ZipContainers"],
      swiftSettings: settings),
    .testTarget(
      name: "DocumentLibrariesTests",
      dependencies: [
        "DocumentLibraries", "HarnessSupport", "KeyedArchives", "KeyedArchiving", "PropertyListFormat", "SystemFiles",
        "TestSupport", "ZipContainers",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "TypedDefaultsTests",
      dependencies: [
        "HarnessSupport", "KeyedArchiving", "PropertyListFormat", "SystemFiles", "TestSupport", "TypedDefaults",
        "TypedDefaultsFoundation", "TypedDefaultsTesting", "typed-defaults-examples",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ScaryCreaturesTests",
      dependencies: [
        "DocumentLibraries", "KeyedArchives", "KeyedArchiving", "KeyedArchivingTesting", "PNGImages",
        "PropertyListFormat", "ScaryCreatures",
        "SystemFiles", "TestSupport",
      ],
      swiftSettings: settings),
  ]
)

// The targets that a check needs, with all that these depend on: `ONLY_TARGETS=KeyedArchivingTests,archive-torture`. A build
// with a sanitizer of everything takes several times as long.
if let names = Context.environment["ONLY_TARGETS"] {
  var needed: Set<String> = []
  var open = names.split(separator: ",").map(String.init)
  while let name = open.popLast() {
    guard needed.insert(name).inserted else { continue }
    for case .byNameItem(let other, _) in package.targets.first(where: { $0.name == name })?.dependencies ?? [] {
      open.append(other)
    }
  }
  package.targets.removeAll { !needed.contains($0.name) }
  package.products = []
}
